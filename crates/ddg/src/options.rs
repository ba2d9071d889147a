//! What an engine measures besides the figures of the whole stream.

use crate::error::ModelError;
use crate::program::RoutineId;

/// What the engine measures besides critical paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineOptions {
    /// Figures of routines; `None` for none.
    pub routines: Option<Routines>,
    /// Whether to follow values: lifetimes, sharing, storage.
    pub values: bool,
    /// Up to which level to count what levels need ([`crate::result::Resources`]); at least 1. `None` for not at all.
    pub resources: Option<u64>,
    /// Whether to count which routines and threads read whose values.
    pub flows: bool,
    /// Which levels to count operations of in narrower bins than those of the profile ([`crate::result::Detail`]);
    /// `None` for none.
    pub closely: Option<NarrowBins>,
}

/// Levels of which operations are counted in bins as narrow as fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NarrowBins {
    /// The first level; at least 1.
    pub first: u64,
    /// The last level; `u64::MAX` for no end.
    pub last: u64,
    /// Most bins (56 bytes each, for each model and graph); at least 1.
    pub bins: usize,
}

impl EngineOptions {
    /// Whether there is something to measure.
    ///
    /// # Errors
    /// Calls are to be measured in no lanes, resources of no levels, or no levels closely.
    pub fn check(&self) -> Result<(), ModelError> {
        if self.routines.as_ref().is_some_and(|it| it.lanes == 0) {
            return Err(ModelError::new(
                "routines",
                "with 0 lanes no call is measured",
                "give at least 1",
            ));
        }
        if self.resources == Some(0) {
            return Err(ModelError::new(
                "resources",
                "of 0 levels nothing is counted",
                "give at least 1",
            ));
        }
        if let Some(NarrowBins { first, last, bins }) = self.closely
            && (first == 0 || last < first || bins == 0)
        {
            return Err(ModelError::new(
                "closely",
                format!("levels {first} to {last} in {bins} bins are none"),
                "give levels from 1 on, and at least 1 bin",
            ));
        }
        Ok(())
    }
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
