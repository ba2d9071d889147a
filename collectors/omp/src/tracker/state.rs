//! What a thread does at a moment.

parascan_abi::omp_states! {
    /// What a thread does.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
