//! `brk` that gives memory back: DynamoRIO never lets it grow again.
//!
//! DynamoRIO maps 4 MiB for the program's heap. When the heap shrinks, it unmaps what is given back, but leaves what
//! lies behind that, and counts the whole rest as gone (`emulate_app_brk` in DynamoRIO's `os.c`): where the heap should
//! grow next, something is mapped, and the call fails. `malloc` goes on elsewhere, but with `ENOMEM` in `errno`, and
//! there are programs whose output or exit code has it (Perl's `die`). Here DynamoRIO never hears of shrinking: the
//! memory is given back to the system, stays mapped, and is used when the heap grows.

use core::ffi::c_int;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

use crate::arguments::Changed;
use crate::dr::{self, DrContext};
use crate::sys;

/// The call's number.
const BRK: c_int = 12;
/// Advice: the content is dropped, and reads as zeros from then on.
const DROP: u32 = 4;
const PAGE: u64 = 4096;

/// Where the heap begins. 0 before the first call, `ALONE` where that did not ask for it: calls stay as they are then.
static BASE: AtomicU64 = AtomicU64::new(0);
const ALONE: u64 = u64::MAX;
/// The heap's end for DynamoRIO.
static TOP: AtomicU64 = AtomicU64::new(0);
/// The heap's end for the program, at most that.
static END: AtomicU64 = AtomicU64::new(0);

/// Changes the argument of a call that is about to be made: where the memory is there, DynamoRIO is only asked for
/// the end.
///
/// # Safety
/// In the event before a system call.
pub unsafe fn before(context: DrContext, number: c_int) -> Option<Changed> {
    if number != BRK {
        return None;
    }
    // SAFETY: arguments may be asked for and changed here.
    unsafe {
        let wanted = dr::dr_syscall_get_param(context, 0);
        let passed = if there(wanted) && drop_behind(wanted) {
            0
        } else {
            wanted
        };
        Some(Changed::new(context, number, 0, passed))
    }
}

/// Gives a call that has returned the result that the kernel would have given. `wanted` is what the program asked for.
///
/// # Safety
/// In the event after a system call.
pub unsafe fn after(context: DrContext, number: c_int, wanted: u64) {
    if number != BRK {
        return;
    }
    // SAFETY: the result may be asked for and changed here.
    let result = unsafe { dr::dr_syscall_get_result(context) };
    match BASE.load(Relaxed) {
        0 => {
            BASE.store(if wanted == 0 { result } else { ALONE }, Relaxed);
            TOP.store(result, Relaxed);
            END.store(result, Relaxed);
        }
        ALONE => {}
        base => {
            // DynamoRIO gives whole pages, and less than what was asked for only where it failed.
            if (base..=result).contains(&wanted) {
                END.store(wanted, Relaxed);
            }
            TOP.store(result, Relaxed);
            // SAFETY: as above.
            unsafe { dr::dr_syscall_set_result(context, END.load(Relaxed)) };
        }
    }
}

/// Whether the heap's memory reaches as far.
fn there(wanted: u64) -> bool {
    let base = BASE.load(Relaxed);
    base != 0 && (base..=TOP.load(Relaxed)).contains(&wanted)
}

/// Gives back the heap's memory behind a new end. False if the system refuses, for example where it is locked.
fn drop_behind(wanted: u64) -> bool {
    let [from, end] = [wanted, END.load(Relaxed)].map(|to| to.next_multiple_of(PAGE));
    // SAFETY: the program gives these pages of its heap back.
    from >= end || unsafe { sys::advise(from, end - from, DROP) }.is_ok()
}
