//! Barriers and critical regions that libomp reports with a wrong address, or none.

use std::ffi::c_void;

use super::original::OriginalFunction;
use crate::callbacks;

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
