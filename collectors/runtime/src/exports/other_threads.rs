//! Threads that are not tracked: they run native code, with counters of their own where they can have some.

use core::sync::atomic::{AtomicU32, Ordering};

use parascan_abi::log::FLAG_THREADS;
use parascan_abi::{State, UNTRACKED_DEPTH, UNTRACKED_WORK};

use super::recorder::{COLD, RECORDING, STATUS, set_flag, tracker};
use crate::{handlers, init, switches, tls};

/// A region is entered in a thread that is not tracked.
#[cold]
pub(super) fn untracked(state: &mut State) {
    handlers::resume_if_left(state);
    let status = STATUS.load(Ordering::Acquire);
    if state.depth != UNTRACKED_DEPTH || status == COLD {
        return;
    }
    state.depth += 1;
    state.work = UNTRACKED_WORK;
    if status == RECORDING {
        // SAFETY: what happens is recorded; only words of the header are changed, atomically.
        unsafe {
            let header = tracker().log.header;
            AtomicU32::from_ptr(&raw mut (*header).threads).fetch_add(1, Ordering::Relaxed);
            set_flag(FLAG_THREADS);
        }
    }
    go_natively(state);
}

/// A function with which threads may begin is entered in one that was not seen before: whether to run its native
/// version.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_begins() -> u32 {
    // SAFETY: the thread's own state.
    let state = unsafe { &mut *tls::state() };
    untracked(state);
    state.native
}

/// Has a thread that is not measured run native code, with counters of its own, if it can have some.
pub(super) fn go_natively(state: &mut State) {
    let threads = init::threads();
    if state.native == 0 && switches::others_run_native() && threads.is_known() {
        threads.locked(|table| {
            table.give(state);
        });
    }
}

/// Other threads have their own instead of what lies there and native code counts in.
pub(super) fn count_apart(start: u64, end: u64) {
    let threads = init::threads();
    if start < end && threads.is_known() {
        while !threads.locked(|table| table.add(start, end)) {}
    }
}
