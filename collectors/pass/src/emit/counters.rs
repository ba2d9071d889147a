//! Numbers of the counters that native versions of functions count with.

use indexmap::IndexMap;

use crate::ir::Value;

/// The counters with which a module's native versions count, function by function.
#[derive(Debug, Default)]
pub struct ModuleCounters {
    number: u32,
    /// Of functions whose tracked version is not made yet.
    pub(super) functions: IndexMap<Value, FunctionCounters>,
}

/// Counters of one function's native versions.
#[derive(Debug, Default)]
pub(super) struct FunctionCounters {
    /// Calls.
    pub(super) entry: u32,
    /// Instances by loop.
    pub(super) loops: IndexMap<usize, u32>,
    /// Iterations by loop.
    pub(super) iterations: IndexMap<usize, u32>,
    /// Calls of folded functions that no loop accounts for.
    pub(super) calls: Vec<(Value, u32)>,
}

impl ModuleCounters {
    /// How many numbers are given away: counters that a module has.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// A number that no other counter has. No two side by side, or LLVM adds to both at once, which takes longer where
    /// one of them is needed by itself soon.
    pub(super) fn another(&mut self) -> u32 {
        self.number += 2;
        self.number - 2
    }
}
