//! Creation of explicit tasks and taskloops, which begins before the event that OMPT has for it.

use std::cell::Cell;
use std::ffi::c_void;

use super::arguments::call_first;
use super::original::OriginalFunction;
use crate::{callbacks, clock, process};

type TaskAlloc =
    unsafe extern "C" fn(*mut c_void, i32, i32, usize, usize, *mut c_void) -> *mut c_void;
type TaskCall = unsafe extern "C" fn(*mut c_void, i32, *mut c_void) -> i32;

/// Creation of an explicit task begins here, where its memory is allocated; it ends when the task was queued
/// ([`__kmpc_omp_task`]), or with the event of its creation where it is queued in another way.
///
/// # Safety
/// As for the runtime's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_task_alloc(
    location: *mut c_void,
    thread: i32,
    flags: i32,
    task_size: usize,
    shared_size: usize,
    entry: *mut c_void,
) -> *mut c_void {
    static REAL: OriginalFunction = OriginalFunction::new(c"__kmpc_omp_task_alloc");
    process::with_thread(|t| t.begin_making_task(clock::now()));
    let real = REAL.of_module(
        __kmpc_omp_task_alloc as *const (),
        [entry as u64, location as u64],
    );
    // SAFETY: the runtime's function has this type, and the arguments are the program's.
    unsafe {
        let real = std::mem::transmute::<usize, TaskAlloc>(real);
        real(location, thread, flags, task_size, shared_size, entry)
    }
}

/// Passes the caller's return address on as a fourth argument.
///
/// # Safety
/// As for the runtime's function.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn __kmpc_omp_task(
    location: *mut c_void,
    thread: i32,
    task: *mut c_void,
) -> i32 {
    std::arch::naked_asm!("mov rcx, [rsp]", "jmp {}", sym queue_task)
}

/// # Safety
/// As for the runtime's function; `caller` is a return address.
unsafe extern "C" fn queue_task(
    location: *mut c_void,
    thread: i32,
    task: *mut c_void,
    caller: u64,
) -> i32 {
    static REAL: OriginalFunction = OriginalFunction::new(c"__kmpc_omp_task");
    let real = REAL.of_module(__kmpc_omp_task as *const (), [location as u64, caller]);
    // SAFETY: the runtime's function has this type, and the arguments are the program's.
    let answer = callbacks::called_from(caller, || unsafe {
        std::mem::transmute::<usize, TaskCall>(real)(location, thread, task)
    });
    process::with_thread(|t| t.end_making_task(clock::now()));
    answer
}

type TaskLoop = unsafe extern "C" fn(
    *mut c_void,
    i32,
    *mut c_void,
    i32,
    *mut u64,
    *mut u64,
    i64,
    i32,
    i32,
    u64,
    *mut c_void,
);

/// A taskloop. libomp reports it, and its tasks, with an address of its own code; the caller's is noted here.
///
/// # Safety
/// As for the runtime's function.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn __kmpc_taskloop() {
    call_first!(note_loop, before: "mov rdi, [rsp + 56]")
}

thread_local! {
    static LOOP: Cell<u64> = const { Cell::new(0) };
}

/// Keeps the return address of a taskloop until [`task_loop`] takes it, which is next.
extern "C" fn note_loop(caller: u64) -> usize {
    LOOP.set(caller);
    task_loop as *const () as usize
}

/// # Safety
/// As for the runtime's function.
#[allow(
    clippy::too_many_arguments,
    reason = "the runtime's function has as many"
)]
unsafe extern "C" fn task_loop(
    location: *mut c_void,
    thread: i32,
    task: *mut c_void,
    condition: i32,
    low: *mut u64,
    high: *mut u64,
    step: i64,
    no_group: i32,
    schedule: i32,
    grain: u64,
    duplicate: *mut c_void,
) {
    static REAL: OriginalFunction = OriginalFunction::new(c"__kmpc_taskloop");
    let mut caller = LOOP.take();
    let real = REAL.of_module(__kmpc_taskloop as *const (), [location as u64, caller]);
    process::with_thread(|t| {
        t.end_making_task(clock::now());
        // Taskloops of gcc's programs are called by the runtime itself.
        if process::is_foreign_code(caller) {
            caller = t.address();
        }
    });
    // SAFETY: the runtime's function has this type, and the arguments are the program's.
    callbacks::called_from(caller, || unsafe {
        let real = std::mem::transmute::<usize, TaskLoop>(real);
        real(
            location, thread, task, condition, low, high, step, no_group, schedule, grain,
            duplicate,
        );
    });
}
