//! The classes, and what is said of those that have none of interest.

use serde::{Deserialize, Serialize};

/// How parallel a region is, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RegionClass {
    /// A loop of which no iteration read what an earlier one had written, or waited for an earlier one.
    Doall,
    /// The same once its reductions are broken.
    DoallReduction,
    /// A loop whose iterations overlap, but read what earlier ones wrote or wait for them.
    Doacross,
    /// A function or an iteration whose parts (calls, loops) overlap.
    Task,
    /// Nothing to gain, or not known.
    Serial,
    /// Only stretches of the run were tracked, and too little of it was in them to tell.
    Unseen,
}

impl RegionClass {
    /// The name used in JSON and CSV.
    pub fn name(self) -> &'static str {
        match self {
            Self::Doall => "DOALL",
            Self::DoallReduction => "DOALL_REDUCTION",
            Self::Doacross => "DOACROSS",
            Self::Task => "TASK",
            Self::Serial => "SERIAL",
            Self::Unseen => "UNSEEN",
        }
    }
}

/// Why a region is [`RegionClass::Serial`] or [`RegionClass::Unseen`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SerialReason {
    /// Its self-parallelism was not measured: its depth, or the one below, was not tracked.
    NotTracked,
    /// No stretch of the run that was tracked showed enough of it.
    Unseen,
    /// A loop that never ran two iterations in a row.
    FewIterations,
    /// A function without two calls or loops that could overlap.
    FewChildren,
    /// Its parts wait for each other.
    Dependences,
    /// A loop of which is not known whether iterations read what earlier ones wrote: profiles of format version 1, or a
    /// depth that was not tracked.
    NotObserved,
}
