//! The runtime's functions behind the library's own of the same names.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

/// The runtime's own function behind one of the library's, found at the first call.
pub(super) struct OriginalFunction {
    name: &'static CStr,
    address: AtomicUsize,
}

impl OriginalFunction {
    pub(super) const fn new(name: &'static CStr) -> Self {
        Self {
            name,
            address: AtomicUsize::new(0),
        }
    }

    pub(super) fn get(&self, own: *const ()) -> usize {
        let known = self.address.load(Relaxed);
        if known != 0 {
            return known;
        }
        let found = self.find(own);
        self.address.store(found, Relaxed);
        found
    }

    /// The function that the code at `caller` would have called. Where libraries have runtimes for themselves alone,
    /// each may have another: these are looked for each time.
    pub(super) fn of_caller(&self, own: *const (), caller: u64) -> usize {
        let known = self.address.load(Relaxed);
        if known != 0 {
            return known;
        }
        if let Some(found) = self.next(own) {
            self.address.store(found, Relaxed);
            return found;
        }
        self.in_module_of(caller).unwrap_or_else(|| self.find(own))
    }

    /// The one that follows this library's.
    fn next(&self, own: *const ()) -> Option<usize> {
        // SAFETY: the name is a C string.
        let next = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        (!next.is_null() && next.cast_const().cast() != own).then_some(next as usize)
    }

    /// The one that the module with this code has, or the libraries that it asks for.
    #[cold]
    fn in_module_of(&self, code: u64) -> Option<usize> {
        let mut module = std::mem::MaybeUninit::<libc::Dl_info>::uninit();
        // SAFETY: any address may be asked for; what is told of it is complete where there is anything.
        unsafe {
            if libc::dladdr(code as *const c_void, module.as_mut_ptr()) == 0 {
                return None;
            }
            in_module(module.assume_init().dli_fname, self.name)
        }
    }

    #[cold]
    fn find(&self, own: *const ()) -> usize {
        if let Some(next) = self.next(own) {
            return next;
        }
        // A runtime that was loaded by a library for itself alone: look into every module.
        let mut search = SymbolSearch {
            name: self.name,
            own,
            found: 0,
        };
        // SAFETY: the function runs during the call and takes `search` as its last argument.
        unsafe { libc::dl_iterate_phdr(Some(SymbolSearch::module), (&raw mut search).cast()) };
        if search.found == 0 {
            // The caller's module was linked to a runtime that is not there: nothing sensible can follow.
            std::process::abort();
        }
        search.found
    }
}

struct SymbolSearch {
    name: &'static CStr,
    own: *const (),
    found: usize,
}

impl SymbolSearch {
    /// # Safety
    /// As `dl_iterate_phdr` calls it, with a `SymbolSearch` as data.
    unsafe extern "C" fn module(
        info: *mut libc::dl_phdr_info,
        _size: usize,
        data: *mut c_void,
    ) -> c_int {
        // SAFETY: the caller's.
        let (search, path) = unsafe { (&mut *data.cast::<Self>(), (*info).dlpi_name) };
        if path.is_null() {
            return 0;
        }
        // SAFETY: a C string of the loader.
        match unsafe { in_module(path, search.name) } {
            Some(found) if found as *const () != search.own => {
                search.found = found;
                1
            }
            _ => 0,
        }
    }
}

/// The function of this name that a loaded module has, or the libraries that it asks for.
///
/// # Safety
/// `path` is a C string.
unsafe fn in_module(path: *const c_char, name: &CStr) -> Option<usize> {
    // SAFETY: the caller's; the handle of a loaded module is asked for a name and given back.
    unsafe {
        let handle = libc::dlopen(path, libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if handle.is_null() {
            return None;
        }
        let found = libc::dlsym(handle, name.as_ptr());
        libc::dlclose(handle);
        (!found.is_null()).then_some(found as usize)
    }
}
