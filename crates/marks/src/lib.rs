//! Marks for `parascan omp`: phases, iterations and named regions of a Rust program.
//!
//! Without parascan the calls do nothing: they look for the collector once, and find none. Phases and iterations are
//! those of the program's first thread.
//!
//! ```
//! let mut sum = 0;
//! for step in 0..3 {
//!     let _step = parascan_marks::phase(c"time step");
//!     let _part = parascan_marks::region(c"update");
//!     sum += step;
//! }
//! assert_eq!(sum, 3);
//! ```

use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;
use std::mem::transmute;
use std::sync::OnceLock;

type Function = unsafe extern "C" fn(*const c_char);

/// The collector's functions, each where there is one.
struct Collector {
    phase_begin: Option<Function>,
    phase_end: Option<Function>,
    iteration: Option<Function>,
    region_begin: Option<Function>,
    region_end: Option<Function>,
}

fn collector() -> &'static Collector {
    static FOUND: OnceLock<Collector> = OnceLock::new();
    FOUND.get_or_init(|| Collector {
        phase_begin: find(c"__parascan_phase_begin"),
        phase_end: find(c"__parascan_phase_end"),
        iteration: find(c"__parascan_iteration"),
        region_begin: find(c"__parascan_region_begin"),
        region_end: find(c"__parascan_region_end"),
    })
}

fn find(name: &CStr) -> Option<Function> {
    // SAFETY: the name is a C string. The collector's functions of these names take one, and stay loaded.
    unsafe {
        let found = libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr());
        (!found.is_null()).then(|| transmute::<*mut c_void, Function>(found))
    }
}

fn call(function: Option<Function>, name: &CStr) {
    if let Some(function) = function {
        // SAFETY: see `find`; the name is a C string.
        unsafe { function(name.as_ptr()) };
    }
}

/// An open phase or region; ends when dropped, and must be dropped by the thread that began it.
#[derive(Debug)]
#[must_use = "it ends at once when nothing holds it"]
pub struct OpenMark<'a> {
    name: &'a CStr,
    end: Option<Function>,
    /// Not for other threads.
    here: PhantomData<*const ()>,
}

impl Drop for OpenMark<'_> {
    fn drop(&mut self) {
        call(self.end, self.name);
    }
}

/// Begins a phase, which ends when the returned value is dropped.
pub fn phase(name: &CStr) -> OpenMark<'_> {
    let collector = collector();
    call(collector.phase_begin, name);
    OpenMark {
        name,
        end: collector.phase_end,
        here: PhantomData,
    }
}

/// Begins the next iteration: ends the phase of this name, if one is open, and begins it again. [`end_phase`] ends the
/// last.
pub fn iteration(name: &CStr) {
    call(collector().iteration, name);
}

/// Ends the innermost open phase of this name.
pub fn end_phase(name: &CStr) {
    call(collector().phase_end, name);
}

/// Begins a region, which becomes a node of its own in the control flow.
pub fn region(name: &CStr) -> OpenMark<'_> {
    let collector = collector();
    call(collector.region_begin, name);
    OpenMark {
        name,
        end: collector.region_end,
        here: PhantomData,
    }
}
