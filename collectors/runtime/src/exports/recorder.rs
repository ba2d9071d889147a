//! The recorder, and who may use it when.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering, compiler_fence};

use parascan_abi::{State, UNTRACKED_DEPTH};

use crate::busy::{BUSY, ENDED, SUSPENDED};
use crate::init::Directory;
use crate::tls;
use crate::tracker::RegionTracker;

/// A static that the runtime's own rules protect.
pub(super) struct Global<T>(pub(super) UnsafeCell<T>);

// SAFETY: each use says why nothing else uses the value at that time.
unsafe impl<T> Sync for Global<T> {}

/// The recorder; initialized while [`STATUS`] is [`RECORDING`]. Used by the tracked thread, and by whoever loads a
/// module.
pub(super) static TRACKER: Global<MaybeUninit<(RegionTracker, Directory)>> =
    Global(UnsafeCell::new(MaybeUninit::uninit()));

/// How far the start has come.
pub(super) static STATUS: AtomicU32 = AtomicU32::new(COLD);

/// Not started.
pub(super) const COLD: u32 = 0;

/// Started, without recording.
pub(super) const IDLE: u32 = 1;

/// Started, recording.
pub(super) const RECORDING: u32 = 2;

/// Whether the runtime has started and records.
#[inline(always)]
pub(super) fn is_recording() -> bool {
    STATUS.load(Ordering::Acquire) == RECORDING
}

/// The recorder.
///
/// # Safety
/// [`STATUS`] must be [`RECORDING`], and the caller the only one at work on the parts that it uses.
#[inline(always)]
pub(super) unsafe fn tracker() -> &'static mut RegionTracker {
    // SAFETY: the caller vouches.
    unsafe { &mut (*TRACKER.0.get()).assume_init_mut().0 }
}

/// Claims the recorder for a region call of the tracked thread.
#[inline(always)]
pub(super) fn begin(state: &mut State) -> bool {
    let sp = tls::stack_pointer();
    let busy = BUSY.load(Ordering::Relaxed);
    if busy != 0 && !interrupt(busy, sp, state) {
        return false;
    }
    BUSY.store(sp, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    true
}

/// Releases it.
#[inline(always)]
pub(super) fn end(next: usize) {
    compiler_fence(Ordering::SeqCst);
    BUSY.store(next, Ordering::Relaxed);
}

/// A signal handler runs at least this far below what it interrupts: red zone and saved registers.
const SIGNAL_FRAME: usize = 1024;

/// Whether a call may go on although `busy` is set.
#[cold]
#[inline(never)]
fn interrupt(busy: usize, sp: usize, state: &mut State) -> bool {
    match busy {
        ENDED => false,
        SUSPENDED => {
            // SAFETY: the tracked thread, and no other call is at work.
            unsafe { tracker() }.resume();
            true
        }
        _ if sp.saturating_add(SIGNAL_FRAME) <= busy => false,
        _ => {
            // SAFETY: the tracked thread, and the call at work was abandoned.
            unsafe { tracker() }.repair(state);
            true
        }
    }
}

/// Has the recorder do something in the tracked thread.
#[inline(always)]
pub(super) fn record(call: impl FnOnce(&mut RegionTracker, &mut State)) {
    // SAFETY: the thread's own state.
    let state = unsafe { &mut *tls::state() };
    if state.depth < UNTRACKED_DEPTH && begin(state) {
        // SAFETY: a tracked thread means recording; `begin` claimed the recorder.
        call(unsafe { tracker() }, state);
        end(0);
    }
}

/// Has the recorder do what is short and frequent, as far as a look at it says that it applies and no other call is at
/// work; false if it does not. What calls this keeps everything else in functions of its own, or pays for the registers
/// they save.
#[inline(always)]
pub(super) fn record_briefly(
    state: &mut State,
    call: impl FnOnce(&mut RegionTracker, &mut State) -> bool,
) -> bool {
    // SAFETY: the caller knows that the thread is tracked, which means recording; one word is read.
    if unsafe { tracker() }.folded == 0 || BUSY.load(Ordering::Relaxed) != 0 {
        return false;
    }
    BUSY.store(tls::stack_pointer(), Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    // SAFETY: as above, and the recorder was claimed.
    let done = call(unsafe { tracker() }, state);
    end(0);
    done
}

/// Sets a flag of the log.
///
/// # Safety
/// [`STATUS`] must be [`RECORDING`].
pub(super) unsafe fn set_flag(flag: u64) {
    // SAFETY: the header is mapped for ever; one word of it, atomically.
    unsafe {
        let header = tracker().log.header;
        AtomicU64::from_ptr(&raw mut (*header).flags).fetch_or(flag, Ordering::Relaxed);
    }
}
