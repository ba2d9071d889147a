//! Which process this is: by the system, and in the trace.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use crate::{ring, sys};

static PID: AtomicU32 = AtomicU32::new(0);
static NUMBER: AtomicU32 = AtomicU32::new(0);

/// The id of this process; 0 before [`begin`].
pub fn pid() -> u32 {
    PID.load(Relaxed)
}

/// The number of this process in the trace: in the order in which processes began, from 0.
pub fn number() -> u32 {
    NUMBER.load(Relaxed)
}

/// A process begins, and is the trace's next. Returns the process id of its parent.
pub fn begin(forked: bool) -> u32 {
    let parent = if forked { pid() } else { sys::parent() };
    PID.store(sys::pid(), Relaxed);
    NUMBER.store(ring::ring().processes.fetch_add(1, Relaxed), Relaxed);
    parent
}
