//! OMPT as libomp offers it: the declarations of LLVM's `omp-tools.h` that the collector needs, and its start.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicPtr};

use parascan_abi::omp::{ENV_YIELD, FLAG_RUNTIME, kind};

use crate::log::{self, Appender};
use crate::{callbacks, process};

/// `ompt_data_t`: a word that the runtime keeps for the tool.
#[derive(Clone, Copy)]
#[repr(C)]
pub union Data {
    /// As a number.
    pub value: u64,
    /// As a pointer.
    pub pointer: *mut c_void,
}

/// `ompt_scope_endpoint_t`.
pub mod scope {
    use std::ffi::c_int;
    /// Begin.
    pub const BEGIN: c_int = 1;
    /// End.
    pub const END: c_int = 2;
    /// Both at once.
    pub const BEGIN_END: c_int = 3;
}

/// `ompt_sync_region_t`.
pub mod sync {
    use std::ffi::c_int;
    /// Barrier of unknown kind (before 5.1).
    pub const BARRIER: c_int = 1;
    /// Implicit barrier (before 5.1).
    pub const BARRIER_IMPLICIT: c_int = 2;
    /// Explicit barrier.
    pub const BARRIER_EXPLICIT: c_int = 3;
    /// Barrier of the implementation, as in reductions.
    pub const BARRIER_IMPLEMENTATION: c_int = 4;
    /// Taskwait.
    pub const TASKWAIT: c_int = 5;
    /// Taskgroup.
    pub const TASKGROUP: c_int = 6;
    /// Barrier of a worksharing construct.
    pub const BARRIER_WORKSHARE: c_int = 8;
    /// Barrier of a parallel region.
    pub const BARRIER_PARALLEL: c_int = 9;
    /// Barrier of a teams region.
    pub const BARRIER_TEAMS: c_int = 10;
}

/// `ompt_work_t`.
pub mod work {
    use std::ffi::c_int;
    /// Sections.
    pub const SECTIONS: c_int = 2;
    /// Single, in the thread that executes it.
    pub const SINGLE_EXECUTOR: c_int = 3;
    /// Single, in the others.
    pub const SINGLE_OTHER: c_int = 4;
    /// Workshare.
    pub const WORKSHARE: c_int = 5;
    /// Distribute.
    pub const DISTRIBUTE: c_int = 6;
    /// Taskloop.
    pub const TASKLOOP: c_int = 7;
    /// Scope.
    pub const SCOPE: c_int = 8;
}

/// `ompt_dispatch_t`.
pub mod dispatch {
    use std::ffi::c_int;
    /// One iteration.
    pub const ITERATION: c_int = 1;
    /// One section.
    pub const SECTION: c_int = 2;
    /// Chunk of a loop.
    pub const LOOP_CHUNK: c_int = 3;
    /// Chunk of a distribute construct.
    pub const DISTRIBUTE_CHUNK: c_int = 5;
}

/// `ompt_dispatch_chunk_t`.
#[derive(Debug)]
#[repr(C)]
pub struct Chunk {
    /// First iteration.
    pub start: u64,
    /// How many.
    pub iterations: u64,
}

/// `ompt_mutex_t`.
pub mod mutex {
    use std::ffi::c_int;
    /// Lock.
    pub const LOCK: c_int = 1;
    /// Nestable lock.
    pub const NEST_LOCK: c_int = 3;
    /// Critical region.
    pub const CRITICAL: c_int = 5;
    /// Atomic.
    pub const ATOMIC: c_int = 6;
    /// Ordered region.
    pub const ORDERED: c_int = 7;
}

/// `ompt_task_flag_t`.
pub mod task_flag {
    use std::ffi::c_int;
    /// Explicit task.
    pub const EXPLICIT: c_int = 4;
    /// A taskwait with dependences, made as a task.
    pub const TASKWAIT: c_int = 0x10;
    /// Executed at once by the thread that creates it.
    pub const UNDEFERRED: c_int = 0x0800_0000;
}

/// `ompt_task_status_t`.
pub mod task_status {
    use std::ffi::c_int;
    /// Ended.
    pub const COMPLETE: c_int = 1;
    /// Cancelled.
    pub const CANCEL: c_int = 3;
    /// Ended, but for a detached event.
    pub const DETACH: c_int = 4;
    /// The detached event came before the end.
    pub const EARLY_FULFILL: c_int = 5;
    /// The detached event came after the end.
    pub const LATE_FULFILL: c_int = 6;
    /// A taskwait with dependences ended.
    pub const TASKWAIT_COMPLETE: c_int = 8;
}

/// `ompt_parallel_flag_t`: a league of teams.
pub const PARALLEL_LEAGUE: c_int = 0x4000_0000;

/// Any callback, for registration.
pub type Callback = unsafe extern "C" fn();
type SetCallback = unsafe extern "C" fn(event: c_int, callback: Callback) -> c_int;
type Lookup = unsafe extern "C" fn(name: *const c_char) -> Option<Callback>;

/// `ompt_start_tool_result_t`.
#[repr(C)]
pub struct StartToolResult {
    initialize: extern "C" fn(Lookup, c_int, *mut Data) -> c_int,
    finalize: extern "C" fn(*mut Data),
    data: Data,
}

struct Shared(StartToolResult);

// SAFETY: the runtime only reads the functions; nobody uses `data`.
unsafe impl Sync for Shared {}

static RESULT: Shared = Shared(StartToolResult {
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
        // 0 to 2: error, never, impossible.
        if answer <= 2 {
            header.refused.fetch_or(1 << event, Relaxed);
        }
    }
    1
}

extern "C" fn finalize(_data: *mut Data) {
    // The process goes on to exit; what it does until then is still the program's work. `process::finish` ends it.
}
