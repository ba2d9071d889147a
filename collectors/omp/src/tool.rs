//! How the OpenMP runtime finds the collector and learns its callbacks.

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicPtr};

use parascan_abi::omp::{ENV_YIELD, FLAG_RUNTIME, kind};

use crate::log::{self, Appender};
use crate::ompt::{Callback, Data, Lookup, SET_IMPOSSIBLE, SetCallback, StartToolResult};
use crate::{callbacks, process};

struct SharedTool(StartToolResult);

// SAFETY: the runtime only reads the functions; nobody uses `data`.
unsafe impl Sync for SharedTool {}

static RESULT: SharedTool = SharedTool(StartToolResult {
    initialize,
    finalize,
    data: Data { value: 0 },
});

/// The runtime's own name, until the log exists.
static VERSION: AtomicPtr<c_char> = AtomicPtr::new(std::ptr::null_mut());
static YIELDED: AtomicBool = AtomicBool::new(false);

/// Called by the OpenMP runtime when it starts. Declines when nothing is to be recorded, and once when tools of the
/// user come first.
#[unsafe(no_mangle)]
pub extern "C" fn ompt_start_tool(
    _omp_version: c_uint,
    runtime_version: *const c_char,
) -> *const StartToolResult {
    let first = !YIELDED.swap(true, Relaxed);
    if first && std::env::var_os(ENV_YIELD).is_some() {
        return std::ptr::null();
    }
    if !process::start() {
        return std::ptr::null();
    }
    VERSION.store(runtime_version.cast_mut(), Relaxed);
    &RESULT.0
}

extern "C" fn initialize(lookup: Lookup, _device: c_int, _data: *mut Data) -> c_int {
    let Some(header) = log::header() else {
        return 0;
    };
    header.flags.fetch_or(FLAG_RUNTIME, Relaxed);
    process::runtime_is_at(lookup as usize as u64);
    let version = VERSION.load(Relaxed);
    if !version.is_null() {
        // SAFETY: OMPT: a C string that lives as long as the runtime.
        let name = unsafe { CStr::from_ptr(version) };
        Appender::new(kind::RUNTIME, 0).bytes(name.to_bytes());
    }
    // SAFETY: the name is a C string; OMPT gives the function of that name and type.
    let set = unsafe {
        let Some(found) = lookup(c"ompt_set_callback".as_ptr()) else {
            return 0;
        };
        std::mem::transmute::<Callback, SetCallback>(found)
    };
    for &(event, callback) in callbacks::ALL {
        // SAFETY: `ALL` pairs events with callbacks of their types.
        let answer = unsafe { set(event, callback) };
        if answer <= SET_IMPOSSIBLE {
            header.refused.fetch_or(1 << event, Relaxed);
        }
    }
    1
}

extern "C" fn finalize(_data: *mut Data) {
    // The process goes on to exit; what it does until then is still the program's work. `process::finish` ends it.
}
