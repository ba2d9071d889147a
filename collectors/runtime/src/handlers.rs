//! Handlers of signals that arrive in the middle of tracked code.
//!
//! Tracked code keeps work, clocks and times in registers and puts its own back behind the handler: what that did would
//! count half. So a handler that interrupts tracked code, or the runtime, runs its native version and is not measured:
//! the thread's state is kept, and regions are ignored as those of other threads are, until it returns or has jumped
//! away. What it writes is older than all that is measured. One that arrives in a system call (`raise`, `pause`, a read
//! that waits) finds everything in its place and is measured as a function that the call called.
//!
//! Only functions that may be handlers ask, when the code at their return address is what C libraries have there
//! (`rt_sigreturn`). Not seen: handlers without instrumentation that call instrumented functions, and those in builds
//! for exact recordings alone.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicUsize, Ordering};

use parascan_abi::{State, UNTRACKED_DEPTH};

use crate::{busy, tls};

/// [`State::depth`] of the tracked thread in such a handler.
const HANDLER_DEPTH: i64 = UNTRACKED_DEPTH + 3;

/// Where `rip` of the interrupted code lies behind the return address of a handler: in the frame that Linux makes on
/// x86-64, a `ucontext_t` follows, whose registers begin at byte 40, `rip` as the seventeenth.
const RIP: usize = 8 + 40 + 16 * 8;

/// `syscall`.
const SYSCALL: [u8; 2] = [0x0f, 0x05];

/// The interrupted code's state.
struct InterruptedState(UnsafeCell<MaybeUninit<State>>);

// SAFETY: only the tracked thread uses it.
unsafe impl Sync for InterruptedState {}

static KEPT: InterruptedState = InterruptedState(UnsafeCell::new(MaybeUninit::uninit()));

/// Where the handler's return address lies, 0 without one.
static SLOT: AtomicUsize = AtomicUsize::new(0);

/// A function whose return address at `slot` leads to `rt_sigreturn` begins: whether it interrupts tracked code.
///
/// # Safety
/// The kernel must have made the frame around `slot`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_interrupts(slot: *const u8) -> u32 {
    // SAFETY: the thread's own state.
    let state = unsafe { &mut *tls::state() };
    if state.depth >= UNTRACKED_DEPTH {
        return 0;
    }
    if !busy::is_at_work() {
        // SAFETY: the caller vouches for the frame; the instruction before was executed, or belongs to the same code.
        let before = unsafe {
            let rip = slot.add(RIP).cast::<*const [u8; 2]>().read_unaligned();
            rip.sub(1).read_unaligned()
        };
        if before == SYSCALL {
            return 0;
        }
    }
    // SAFETY: the tracked thread, and no other handler keeps a state, for the depth would say so.
    unsafe { core::ptr::copy_nonoverlapping(state, (*KEPT.0.get()).as_mut_ptr(), 1) };
    SLOT.store(slot as usize, Ordering::Relaxed);
    state.depth = HANDLER_DEPTH;
    1
}

/// A handler that interrupted tracked code returns to it.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_returns() {
    // SAFETY: the thread's own state.
    resume(unsafe { &mut *tls::state() });
}

/// Whether the thread is in such a handler: its native code is not to change versions, while all other functions run
/// tracked.
pub(crate) fn interrupts(state: &State) -> bool {
    state.depth == HANDLER_DEPTH
}

/// Gives the interrupted code its state back, if it is a handler's.
pub(crate) fn resume(state: &mut State) {
    if interrupts(state) {
        // SAFETY: the depth says that there is one.
        unsafe { core::ptr::copy_nonoverlapping((*KEPT.0.get()).as_ptr(), state, 1) };
        SLOT.store(0, Ordering::Relaxed);
    }
}

/// The same where the handler has jumped away: its frame was below the caller's.
pub(crate) fn resume_if_left(state: &mut State) {
    if tls::stack_pointer() > SLOT.load(Ordering::Relaxed) {
        resume(state);
    }
}
