//! Which regions are open around calls, until these have numbers.

use indexmap::IndexMap;

use crate::ir::Value;

/// Innermost region around a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum InnermostRegion {
    Function,
    Loop(usize),
    Iteration(usize),
}

/// Lists of open regions, by function and innermost region: until the regions have numbers, globals that stand for
/// them.
#[derive(Debug, Default)]
pub struct OpenRegionLists {
    pub(super) functions: IndexMap<Value, IndexMap<InnermostRegion, Value>>,
}
