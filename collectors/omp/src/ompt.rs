//! OMPT as libomp offers it: the declarations of LLVM's `omp-tools.h` that the collector needs. Tests compare them with
//! that header where it is installed (`callbacks::header`).

use std::ffi::{c_char, c_int, c_void};

/// `ompt_data_t`: a word that the runtime keeps for the tool.
#[derive(Clone, Copy)]
#[repr(C)]
pub union Data {
    /// As a number.
    pub value: u64,
    /// As the address of what the tool keeps; null where it keeps nothing.
    pub pointer: *mut c_void,
}

/// `ompt_callbacks_t`: the events that the collector takes.
pub mod event {
    use std::ffi::c_int;
    /// The runtime has begun to use a thread.
    pub const THREAD_BEGIN: c_int = 1;
    /// The runtime is done with a thread.
    pub const THREAD_END: c_int = 2;
    /// A parallel region, or a league of teams, is about to begin.
    pub const PARALLEL_BEGIN: c_int = 3;
    /// It has ended in the thread that began it.
    pub const PARALLEL_END: c_int = 4;
    /// A thread makes a task, which may be executed by another one, and later.
    pub const TASK_CREATE: c_int = 5;
    /// A thread stops executing one task, and goes on with another.
    pub const TASK_SCHEDULE: c_int = 6;
    /// A thread begins or ends its part of a parallel region.
    pub const IMPLICIT_TASK: c_int = 7;
    /// A thread begins or stops to wait at a barrier, `taskwait` or the end of `taskgroup`.
    pub const SYNC_REGION_WAIT: c_int = 16;
    /// A mutex was given back.
    pub const MUTEX_RELEASED: c_int = 17;
    /// A task waits for one that was made before, and has not ended.
    pub const TASK_DEPENDENCE: c_int = 19;
    /// A thread comes to a worksharing construct, or leaves it.
    pub const WORK: c_int = 20;
    /// A thread begins or ends a `masked` (before 5.1: `master`) region.
    pub const MASKED: c_int = 21;
    /// A thread comes to a barrier, `taskwait` or `taskgroup`, or leaves it.
    pub const SYNC_REGION: c_int = 23;
    /// A thread is about to wait for a mutex.
    pub const MUTEX_ACQUIRE: c_int = 26;
    /// It has the mutex.
    pub const MUTEX_ACQUIRED: c_int = 27;
    /// A nestable lock was taken once more by the thread that has it, or given back once of several times.
    pub const NEST_LOCK: c_int = 28;
    /// A thread begins or ends to combine the threads' values of a reduction.
    pub const REDUCTION: c_int = 31;
    /// A thread is given iterations, or a section.
    pub const DISPATCH: c_int = 32;
}

/// `ompt_set_result_t`: whether a callback will be called. Larger numbers than this one say that it sometimes is, or
/// always; smaller ones, that it never is.
pub const SET_IMPOSSIBLE: c_int = 2;

/// `ompt_thread_t`: a thread that the runtime made.
pub const THREAD_WORKER: c_int = 2;

/// `ompt_scope_endpoint_t`.
pub mod scope {
    use std::ffi::c_int;
    /// The thread comes to the construct.
    pub const BEGIN: c_int = 1;
    /// The thread leaves it.
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
    /// The directive `barrier`.
    pub const BARRIER_EXPLICIT: c_int = 3;
    /// Barrier of the implementation, as in reductions.
    pub const BARRIER_IMPLEMENTATION: c_int = 4;
    /// The directive `taskwait`: the task waits for those that it made.
    pub const TASKWAIT: c_int = 5;
    /// `taskgroup`: all tasks made in it are waited for at its end.
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
    /// `sections`; the count is how many there are.
    pub const SECTIONS: c_int = 2;
    /// Single, in the thread that executes it.
    pub const SINGLE_EXECUTOR: c_int = 3;
    /// `single`, in threads that do not execute it.
    pub const SINGLE_OTHER: c_int = 4;
    /// `workshare`, which only Fortran has.
    pub const WORKSHARE: c_int = 5;
    /// `distribute`: a loop shared among the teams of a league.
    pub const DISTRIBUTE: c_int = 6;
    /// `taskloop`: a loop whose iterations become tasks.
    pub const TASKLOOP: c_int = 7;
    /// `scope`: a block that every thread of the team executes.
    pub const SCOPE: c_int = 8;
}

/// `ompt_dispatch_t`.
pub mod dispatch {
    use std::ffi::c_int;
    /// A single iteration is given to the thread: no chunk comes with it.
    pub const ITERATION: c_int = 1;
    /// A `section` is given to the thread: no chunk comes with it.
    pub const SECTION: c_int = 2;
    /// Iterations of a worksharing loop: the instance points to a [`DispatchChunk`](super::DispatchChunk).
    pub const LOOP_CHUNK: c_int = 3;
    /// Iterations that one task of a `taskloop` executes: the instance points to a
    /// [`DispatchChunk`](super::DispatchChunk).
    pub const TASKLOOP_CHUNK: c_int = 4;
    /// Chunk of a distribute construct.
    pub const DISTRIBUTE_CHUNK: c_int = 5;
}

/// `ompt_dispatch_chunk_t`.
#[derive(Debug)]
#[repr(C)]
pub struct DispatchChunk {
    /// First iteration.
    pub start: u64,
    /// How many.
    pub iterations: u64,
}

/// `ompt_mutex_t`.
pub mod mutex {
    use std::ffi::c_int;
    /// Of `omp_set_lock`: its owner may not take it again.
    pub const LOCK: c_int = 1;
    /// Nestable lock.
    pub const NEST_LOCK: c_int = 3;
    /// Critical region.
    pub const CRITICAL: c_int = 5;
    /// `atomic`, where it takes a lock of the runtime's.
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
/// `ompt_set_callback_t`: the answer is an `ompt_set_result_t`.
pub type SetCallback = unsafe extern "C" fn(event: c_int, callback: Callback) -> c_int;
/// `ompt_function_lookup_t`: an entry point of the runtime by its name.
pub type Lookup = unsafe extern "C" fn(name: *const c_char) -> Option<Callback>;

/// `ompt_start_tool_result_t`.
#[repr(C)]
pub struct StartToolResult {
    /// Called when the runtime is ready to take callbacks; 0 ends the tool.
    pub initialize: extern "C" fn(Lookup, c_int, *mut Data) -> c_int,
    /// Called when the runtime ends.
    pub finalize: extern "C" fn(*mut Data),
    /// A word of the tool's.
    pub data: Data,
}
