//! The runtime's functions behind the library's own of the same names.
//!
//! A process may have several runtimes: libraries that were loaded for themselves alone each have their own. A call
//! goes to the function that the calling module would have without this library, as its other calls do.

use std::ffi::CStr;
use std::sync::RwLock;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use super::modules::{self, Loaded, Span};

/// The runtime's own function behind one of the library's.
pub(super) struct OriginalFunction {
    name: &'static CStr,
    /// The one that all modules share, which was there when the program started; 0 until that is known.
    shared: AtomicUsize,
    /// Otherwise what each module has.
    by_module: RwLock<Known>,
}

/// What modules have, until one is unloaded.
struct Known {
    unloads: u64,
    functions: Vec<(Span, usize)>,
}

impl OriginalFunction {
    pub(super) const fn new(name: &'static CStr) -> Self {
        Self {
            name,
            shared: AtomicUsize::new(0),
            by_module: RwLock::new(Known {
                unloads: 0,
                functions: Vec::new(),
            }),
        }
    }

    /// The function for a call out of the module that an address lies in: the first one that lies in any. Programs give
    /// places and functions of their own; return addresses are the last resort, as a call at the end of a function may
    /// be a jump. `own` is the library's function.
    pub(super) fn of_module(&self, own: *const (), addresses: [u64; 2]) -> usize {
        match self.shared.load(Relaxed) {
            0 => self.of_some_module(own, addresses),
            shared => shared,
        }
    }

    fn of_some_module(&self, own: *const (), addresses: [u64; 2]) -> usize {
        let unloads = modules::unloads();
        // Nobody waits here: a child of `fork` may have been made while another thread held the lock.
        if let Ok(known) = self.by_module.try_read()
            && known.unloads == unloads
            && let Some(first) = addresses.into_iter().find(|&address| address != 0)
            && let Some((_, found)) = known.functions.iter().find(|(span, _)| span.has(first))
        {
            return *found;
        }
        let next = modules::next(self.name).filter(|&next| next as *const () != own);
        let of_next = next.and_then(|next| modules::of(next as u64));
        if let (Some(next), Some(loaded)) = (next, of_next)
            && loaded.at_start()
        {
            self.shared.store(next, Relaxed);
            return next;
        }
        let caller = addresses.into_iter().find_map(modules::of);
        let Some(module) = caller else {
            // Code that was made at run time.
            return next.unwrap_or_else(|| self.of_any(own));
        };
        let found = self
            .of_loaded(&module, next.zip(of_next))
            .filter(|&found| found as *const () != own)
            .unwrap_or_else(|| self.of_any(own));
        if let Ok(mut known) = self.by_module.try_write() {
            if known.unloads != unloads {
                known.functions.clear();
                known.unloads = unloads;
            }
            if !known.functions.iter().any(|(span, _)| *span == module.span) {
                known.functions.push((module.span, found));
            }
        }
        found
    }

    /// What a module has: the function for everybody, if that was there before the module, or else its own or that of
    /// the libraries that it asks for.
    fn of_loaded(&self, module: &Loaded, next: Option<(usize, Loaded)>) -> Option<usize> {
        match next {
            Some((next, loaded)) if loaded.position < module.position => Some(next),
            next => {
                // SAFETY: the loader's, of a module that is calling.
                let path = unsafe { CStr::from_ptr(module.path) };
                modules::function(path, self.name).or(next.map(|(next, _)| next))
            }
        }
    }

    /// One of any module, for callers that belong to none.
    #[cold]
    fn of_any(&self, own: *const ()) -> usize {
        // Without one the caller's module was linked to a runtime that is not there: nothing sensible can follow.
        modules::paths()
            .iter()
            .filter_map(|path| modules::function(path, self.name))
            .find(|&found| found as *const () != own)
            .unwrap_or_else(|| std::process::abort())
    }
}
