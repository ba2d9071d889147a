//! What a thread does at a moment.

/// What a thread does; the numbers are those of `parascan_formats::omp::State`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
    /// Working.
    Work = 0,
    /// Waiting in an explicit barrier.
    Barrier = 1,
    /// Waiting in an implicit barrier.
    ImplicitBarrier = 2,
    /// Waiting in a barrier for lack of parallel work.
    Serial = 3,
    /// Waiting to enter a critical region.
    Critical = 4,
    /// Waiting for a lock.
    Lock = 5,
    /// Waiting for its turn.
    Ordered = 6,
    /// Waiting for an atomic.
    Atomic = 7,
    /// Waiting for tasks.
    TaskWait = 8,
    /// Waiting in a reduction.
    Reduction = 9,
    /// Team being made.
    Fork = 10,
    /// Team being ended.
    Join = 11,
    /// Making or fetching tasks.
    Tasking = 12,
}

impl State {
    /// Whether tasks may be executed meanwhile.
    pub(super) fn waits_for_tasks(self) -> bool {
        matches!(
            self,
            Self::Barrier | Self::ImplicitBarrier | Self::Serial | Self::TaskWait | Self::Reduction
        )
    }
}
