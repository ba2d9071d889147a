//! What an engine measures besides the figures of the whole stream.

use crate::program::RoutineId;

/// What to measure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Figures of routines; `None` for none.
    pub routines: Option<Routines>,
    /// Whether to follow values: lifetimes, sharing, storage.
    pub values: bool,
}

/// How routines are measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routines {
    /// Depths of calls whose critical path is measured; calls nested deeper are counted only. At least 1.
    pub lanes: usize,
    /// Whether to measure exclusive critical paths too.
    pub own: bool,
    /// Measure calls of these routines only; depth then counts only them. `None` for all.
    pub only: Option<Vec<RoutineId>>,
}

impl Default for Routines {
    fn default() -> Self {
        Self {
            lanes: 8,
            own: false,
            only: None,
        }
    }
}
