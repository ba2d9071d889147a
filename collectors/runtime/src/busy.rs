//! Whether a region call of the tracked thread is at work.

use core::sync::atomic::{AtomicUsize, Ordering};

/// Stack pointer of the region call at work, 0, [`SUSPENDED`] or [`ENDED`].
pub(crate) static BUSY: AtomicUsize = AtomicUsize::new(0);
/// All regions were closed because the program announced its end.
pub(crate) const SUSPENDED: usize = 1;
/// The program's destructors ran; nothing more is recorded.
pub(crate) const ENDED: usize = 2;

/// Whether a region call is at work, or none will be any more.
pub(crate) fn is_at_work() -> bool {
    !matches!(BUSY.load(Ordering::Relaxed), 0 | SUSPENDED)
}
