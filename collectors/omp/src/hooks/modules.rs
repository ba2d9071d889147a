//! The modules of the process: which one an address lies in, in which order they were loaded, and when one is unloaded.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::atomic::{AtomicU64, AtomicUsize};

/// Modules that the program was started with.
static AT_START: AtomicUsize = AtomicUsize::new(0);

/// Grows whenever a module may have been unloaded.
static UNLOADS: AtomicU64 = AtomicU64::new(0);

/// Where a module lies.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Span {
    low: u64,
    high: u64,
}

impl Span {
    pub(super) fn has(self, address: u64) -> bool {
        (self.low..self.high).contains(&address)
    }
}

/// A module that is loaded now.
#[derive(Clone, Copy)]
pub(super) struct Loaded {
    pub(super) span: Span,
    /// Place among all modules, in the order in which they were loaded.
    pub(super) position: usize,
    /// The loader's path of it, a C string that lives as long as the module is loaded.
    pub(super) path: *const c_char,
}

impl Loaded {
    /// Whether the program was started with it. Such a module is never unloaded.
    pub(super) fn at_start(&self) -> bool {
        self.position < AT_START.load(Relaxed)
    }
}

/// The function of this name that a loaded module has, or the libraries that it asks for.
pub(super) fn function(path: &CStr, name: &CStr) -> Option<usize> {
    // SAFETY: C strings; the handle of a module that is loaded is asked for a name and given back.
    unsafe {
        let handle = libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if handle.is_null() {
            return None;
        }
        let found = libc::dlsym(handle, name.as_ptr());
        close(handle);
        (!found.is_null()).then_some(found as usize)
    }
}

/// The loader's paths of all modules. Copies: no function of the loader may be called while it lists them.
pub(super) fn paths() -> Vec<CString> {
    let mut paths = Vec::new();
    // SAFETY: C strings, as long as the loader lists the module.
    each(|module| paths.push(unsafe { CStr::from_ptr(module.path) }.to_owned()));
    paths
}

/// Notes the modules that the program was started with.
pub fn note_start() {
    let mut count = 0;
    each(|_| count += 1);
    AT_START.store(count, Relaxed);
}

/// How often modules may have been unloaded so far.
pub(super) fn unloads() -> u64 {
    UNLOADS.load(Acquire)
}

/// The function of this name that follows the library's own in the order of search of the whole program.
pub(super) fn next(name: &CStr) -> Option<usize> {
    // SAFETY: the name is a C string.
    let next = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    (!next.is_null()).then_some(next as usize)
}

/// The module that an address lies in.
pub(super) fn of(address: u64) -> Option<Loaded> {
    let mut found = None;
    each(|module| {
        if module.span.has(address) {
            found = Some(*module);
        }
    });
    found
}

/// Calls `action` with every module.
fn each(action: impl FnMut(&Loaded)) {
    let mut walk = Walk {
        position: 0,
        action,
    };
    let step = step_of(&walk);
    // SAFETY: `step` takes a `Walk` with this action as its last argument, and runs during this call.
    unsafe { libc::dl_iterate_phdr(Some(step), (&raw mut walk).cast()) };
}

struct Walk<A> {
    position: usize,
    action: A,
}

type Step = unsafe extern "C" fn(*mut libc::dl_phdr_info, usize, *mut c_void) -> c_int;

/// What takes such a walk a step further.
fn step_of<A: FnMut(&Loaded)>(_walk: &Walk<A>) -> Step {
    step::<A>
}

/// # Safety
/// As `dl_iterate_phdr` calls it, with a `Walk<A>` as data.
unsafe extern "C" fn step<A: FnMut(&Loaded)>(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    data: *mut c_void,
) -> c_int {
    // SAFETY: the caller's.
    let (walk, info) = unsafe { (&mut *data.cast::<Walk<A>>(), &*info) };
    let headers = match info.dlpi_phdr.is_null() {
        true => &[][..],
        // SAFETY: the loader says how many there are.
        false => unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) },
    };
    let mut span = Span {
        low: u64::MAX,
        high: 0,
    };
    for header in headers.iter().filter(|h| h.p_type == libc::PT_LOAD) {
        let begin = info.dlpi_addr.wrapping_add(header.p_vaddr);
        span.low = span.low.min(begin);
        span.high = span.high.max(begin.wrapping_add(header.p_memsz));
    }
    (walk.action)(&Loaded {
        span,
        position: walk.position,
        path: match info.dlpi_name.is_null() {
            true => c"".as_ptr(),
            false => info.dlpi_name,
        },
    });
    walk.position += 1;
    0
}

type Close = unsafe extern "C" fn(*mut c_void) -> c_int;

/// The C library's `dlclose`.
///
/// # Safety
/// As for that.
unsafe fn close(handle: *mut c_void) -> c_int {
    static REAL: AtomicUsize = AtomicUsize::new(0);
    let mut real = REAL.load(Relaxed);
    if real == 0 {
        let Some(found) = next(c"dlclose") else {
            return -1;
        };
        real = found;
        REAL.store(real, Relaxed);
    }
    // SAFETY: the C library's function has this type; the handle is the caller's.
    unsafe { std::mem::transmute::<usize, Close>(real)(handle) }
}

/// The program gives a library back, which may unload it: what is known of modules is no longer true.
///
/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dlclose(handle: *mut c_void) -> c_int {
    // What is looked up while the library is on its way is no more true afterwards than what was before.
    UNLOADS.fetch_add(1, AcqRel);
    // SAFETY: the caller's.
    let answer = unsafe { close(handle) };
    UNLOADS.fetch_add(1, AcqRel);
    answer
}
