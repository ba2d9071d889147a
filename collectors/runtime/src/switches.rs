//! Which of its versions code takes, and when it asks again: variables that it looks at by itself.

use core::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use parascan_abi::{State, UNTRACKED_WORK};

use crate::schedule::NextMode;

/// Checks of native versions that are left before `__ps_turn` is called, in the measured thread; others have theirs
/// elsewhere (`threads.rs`). Below 0 in a burst.
#[unsafe(no_mangle)]
pub static __ps_left: AtomicI64 = AtomicI64::new(0);

/// Work of the thread from which on tracked loops that are counted in registers ask whether the burst is over.
#[unsafe(no_mangle)]
pub static __ps_due: AtomicU64 = AtomicU64::new(UNTRACKED_WORK);

/// Sets [`__ps_due`].
pub(crate) fn ask_from(work: u64) {
    __ps_due.store(work.min(UNTRACKED_WORK), Ordering::Relaxed);
}

/// Has the measured thread's code take one of its versions; checks that are left.
pub(crate) fn go(state: &mut State, next: NextMode) -> i64 {
    let (native, left) = match next {
        NextMode::Tracked => (0, -1),
        NextMode::Native(checks) => (1, checks),
    };
    state.native = native;
    state.turns = state.turns.wrapping_add(1);
    __ps_left.store(left, Ordering::Relaxed);
    left
}

/// Whether threads that are not measured run native code, too.
static OTHERS_RUN_NATIVE: AtomicBool = AtomicBool::new(true);

pub(crate) fn others_run_native() -> bool {
    OTHERS_RUN_NATIVE.load(Ordering::Relaxed)
}

/// Dependences are observed, of which native code says nothing: all threads run tracked functions.
pub(crate) fn all_run_tracked(state: &mut State) {
    OTHERS_RUN_NATIVE.store(false, Ordering::Relaxed);
    go(state, NextMode::Tracked);
}
