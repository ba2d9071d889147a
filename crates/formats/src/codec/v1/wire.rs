//! The sections of format version 1 as postcard values. Frozen: a change here is a new version of the format.

use serde::{Deserialize, Serialize};

use super::capped::Capped;
use crate::validate::MAX_TREE_RUNS;

/// Section 1.
#[derive(Serialize, Deserialize)]
pub(super) struct Run {
    pub(super) provenance: Provenance,
    pub(super) end: WireEnd,
    pub(super) caveats: Capped<WireCaveat>,
    pub(super) work: u64,
    pub(super) critical_path: u64,
    pub(super) blind_spots: Capped<(String, u64)>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Provenance {
    pub(super) parascan: String,
    pub(super) command: Capped<String>,
    pub(super) directory: String,
    pub(super) started: u64,
    pub(super) duration_ms: u64,
    pub(super) runs: u32,
    pub(super) first_level: u32,
    pub(super) end_level: Option<u32>,
    pub(super) depth_reached: u32,
    pub(super) machine: String,
}

#[derive(Serialize, Deserialize)]
pub(super) enum WireEnd {
    Exited(i32),
    Signalled(i32),
    Unknown,
}

#[derive(Serialize, Deserialize)]
pub(super) enum WireCaveat {
    Threads(u32),
    Folded(u64, u32),
    TreeSummarised,
    ContextsFull,
    LogFull,
    ForeignModule,
    ShadowAlias,
    Partial,
    RunsDiffer(String),
    NotTracked(u32),
}

/// Section 2.
#[derive(Serialize, Deserialize)]
pub(super) struct Program {
    pub(super) modules: Capped<Module>,
    pub(super) regions: Capped<Region>,
    pub(super) broken: Capped<WireBroken>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Latency {
    pub(super) name: String,
    pub(super) source: String,
    /// In the order of [`LatencyTable::rows`] at version 1.
    pub(super) units: [u32; 18],
}

#[derive(Serialize, Deserialize)]
pub(super) struct Module {
    pub(super) source: String,
    pub(super) directory: String,
    pub(super) producer: String,
    pub(super) latency: Latency,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Region {
    pub(super) module: u32,
    pub(super) kind: WireKind,
    pub(super) parent: Option<u32>,
    pub(super) function: String,
    pub(super) linkage_name: String,
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) end_line: u32,
    pub(super) counted: bool,
    pub(super) folded: bool,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) enum WireKind {
    Function,
    Loop,
    Iteration,
}

#[derive(Serialize, Deserialize)]
pub(super) struct WireBroken {
    pub(super) region: u32,
    pub(super) name: String,
    pub(super) kind: WireBrokenKind,
    pub(super) line: u32,
}

#[derive(Serialize, Deserialize)]
pub(super) enum WireBrokenKind {
    Induction,
    Reduction(WireOperator),
    ArrayReduction(WireOperator),
}

#[derive(Serialize, Deserialize)]
pub(super) enum WireOperator {
    Add,
    Mul,
    And,
    Or,
    Xor,
    Min,
    Max,
}

/// Section 3.
#[derive(Serialize, Deserialize)]
pub(super) struct Contexts(pub(super) Capped<Context>);

#[derive(Serialize, Deserialize)]
pub(super) struct Context {
    pub(super) parent: u32,
    pub(super) region: u32,
    pub(super) depth: u32,
    pub(super) tracked: bool,
    pub(super) children_tracked: bool,
    pub(super) instances: u64,
    pub(super) work: u64,
    pub(super) cp: u64,
    pub(super) cp_max: u64,
    pub(super) child_work: u64,
    pub(super) child_cp: u64,
    pub(super) children: u64,
    pub(super) children_min: u64,
    pub(super) children_max: u64,
    pub(super) gap: u64,
    pub(super) gap_max: u64,
    pub(super) multi: u64,
    pub(super) multi_flat: u64,
    pub(super) parallel_time: f64,
}

/// Section 4.
#[derive(Serialize, Deserialize)]
pub(super) struct Tree {
    /// Children and how often each in a row: the lists below one after the other.
    pub(super) runs: Capped<(u32, u64), MAX_TREE_RUNS>,
    /// Lengths of the distinct lists, in the order of their first use.
    pub(super) sequences: Capped<u32>,
    pub(super) symbols: Capped<Symbol>,
    /// Number of the root's list.
    pub(super) root: u32,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Symbol {
    pub(super) region: u32,
    pub(super) work: u64,
    pub(super) cp: u64,
    pub(super) summarised: u64,
    pub(super) sequence: u32,
}

/// Names the fields once for both directions.
macro_rules! context_fields {
    ($to:path, $from:expr) => {{
        let c = $from;
        $to {
            parent: c.parent,
            region: c.region,
            depth: c.depth,
            tracked: c.tracked,
            children_tracked: c.children_tracked,
            instances: c.instances,
            work: c.work,
            cp: c.cp,
            cp_max: c.cp_max,
            child_work: c.child_work,
            child_cp: c.child_cp,
            children: c.children,
            children_min: c.children_min,
            children_max: c.children_max,
            gap: c.gap,
            gap_max: c.gap_max,
            multi: c.multi,
            multi_flat: c.multi_flat,
            parallel_time: c.parallel_time,
        }
    }};
}
pub(super) use context_fields;
