//! Which of its versions code takes, and when it asks again: variables that it looks at by itself.

use core::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};

use crate::schedule::NextMode;

/// Checks of native versions that are left before `__ps_turn` is called. Below 0 in a burst.
#[unsafe(no_mangle)]
pub static __ps_left: AtomicI64 = AtomicI64::new(0);
/// Not 0 while functions run their native versions.
#[unsafe(no_mangle)]
pub static __ps_off: AtomicU32 = AtomicU32::new(0);

/// Work of the thread from which on tracked loops that are counted in registers ask whether the burst is over.
#[unsafe(no_mangle)]
pub static __ps_due: AtomicU64 = AtomicU64::new(u64::MAX);

/// Sets [`__ps_due`].
pub(crate) fn ask_from(work: u64) {
    __ps_due.store(work, Ordering::Relaxed);
}

/// Has code take one of its versions.
pub(crate) fn go(next: NextMode) {
    let (off, left) = match next {
        NextMode::Tracked => (0, -1),
        NextMode::Native(checks) => (1, checks),
    };
    __ps_off.store(off, Ordering::Relaxed);
    __ps_left.store(left, Ordering::Relaxed);
}
