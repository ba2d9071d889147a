//! Barriers and critical regions that libomp reports with a wrong address, or none, and waits for other iterations, of
//! which it reports nothing.

use std::ffi::c_void;

use super::original::OriginalFunction;
use crate::{callbacks, clock, process};

type Barrier = unsafe extern "C" fn(*mut c_void, i32) -> i32;

/// A barrier in a region that may be cancelled, which libomp reports without an address.
///
/// # Safety
/// As for the runtime's function.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn __kmpc_cancel_barrier(location: *mut c_void, thread: i32) -> i32 {
    std::arch::naked_asm!("mov rdx, [rsp]", "jmp {}", sym cancel_barrier)
}

/// # Safety
/// As for the runtime's function; `caller` is a return address.
unsafe extern "C" fn cancel_barrier(location: *mut c_void, thread: i32, caller: u64) -> i32 {
    static REAL: OriginalFunction = OriginalFunction::new(c"__kmpc_cancel_barrier");
    let real = REAL.of_module(
        __kmpc_cancel_barrier as *const (),
        [location as u64, caller],
    );
    // SAFETY: the runtime's function has this type, and the arguments are the program's.
    callbacks::called_from(caller, || unsafe {
        std::mem::transmute::<usize, Barrier>(real)(location, thread)
    })
}

type EndCritical = unsafe extern "C" fn(*mut c_void, i32, *mut c_void) -> i32;

/// The end of a critical region. libomp notes its return address as if it were the first thread's, which gives wrong
/// places to constructs that the first thread begins at the same moment. Seen from here the address is the library's
/// own, which is recognised ([`process::is_foreign_code`]).
///
/// # Safety
/// As for the runtime's function.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn __kmpc_end_critical(
    location: *mut c_void,
    thread: i32,
    lock: *mut c_void,
) {
    std::arch::naked_asm!("mov rcx, [rsp]", "jmp {}", sym end_critical)
}

/// # Safety
/// As for the runtime's function; `caller` is a return address.
unsafe extern "C" fn end_critical(
    location: *mut c_void,
    thread: i32,
    lock: *mut c_void,
    caller: u64,
) {
    static REAL: OriginalFunction = OriginalFunction::new(c"__kmpc_end_critical");
    let real = REAL.of_module(__kmpc_end_critical as *const (), [location as u64, caller]);
    // SAFETY: the runtime's function has this type up to its result, and the arguments are the program's.
    let answer = unsafe { std::mem::transmute::<usize, EndCritical>(real)(location, thread, lock) };
    // Keeps this from becoming a jump, by which the address would be the program's again.
    std::hint::black_box(answer);
}

type DoacrossWait = unsafe extern "C" fn(*mut c_void, i32, *const i64);

/// Ticks up to which a thread did not wait: the runtime looked, and the iteration was over.
const LOOK: u64 = 1 << 9;

/// `ordered depend(sink: ...)`, `ordered doacross(sink: ...)`: waits for an iteration before the thread's own. In
/// programs of gcc libomp calls it itself.
///
/// # Safety
/// As for the runtime's function.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn __kmpc_doacross_wait(
    location: *mut c_void,
    thread: i32,
    iteration: *const i64,
) {
    std::arch::naked_asm!("mov rcx, [rsp]", "jmp {}", sym await_iteration)
}

/// # Safety
/// As for the runtime's function; `caller` is a return address.
unsafe extern "C" fn await_iteration(
    location: *mut c_void,
    thread: i32,
    iteration: *const i64,
    caller: u64,
) {
    static REAL: OriginalFunction = OriginalFunction::new(c"__kmpc_doacross_wait");
    let real = REAL.of_module(__kmpc_doacross_wait as *const (), [location as u64, caller]);
    let begin = clock::now();
    // SAFETY: the runtime's function has this type, and the arguments are the program's.
    unsafe { std::mem::transmute::<usize, DoacrossWait>(real)(location, thread, iteration) };
    // Nothing is executed meanwhile, so that the time can be charged now.
    let end = clock::now();
    if end.saturating_sub(begin) > LOOK {
        process::with_thread(|t| t.waited_for_iteration(begin, end));
    }
}
