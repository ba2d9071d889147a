//! The sections of format version 1 as postcard values. Frozen: a change here is a new version of the format.

use serde::{Deserialize, Serialize};

use crate::codec::capped::CappedList;
use crate::validate::MAX_TREE_RUNS;

/// Section 1 of a profile: where it comes from, how the program ended, totals.
#[derive(Serialize, Deserialize)]
pub(in crate::codec) struct RunSection {
    pub(in crate::codec) provenance: Provenance,
    pub(in crate::codec) end: WireEnd,
    pub(in crate::codec) caveats: CappedList<WireCaveat>,
    pub(in crate::codec) work: u64,
    pub(in crate::codec) critical_path: u64,
    pub(in crate::codec) blind_spots: CappedList<(String, u64)>,
}

#[derive(Serialize, Deserialize)]
pub(in crate::codec) struct Provenance {
    pub(in crate::codec) parascan: String,
    pub(in crate::codec) command: CappedList<String>,
    pub(in crate::codec) directory: String,
    pub(in crate::codec) started: u64,
    pub(in crate::codec) duration_ms: u64,
    pub(in crate::codec) runs: u32,
    pub(in crate::codec) first_level: u32,
    pub(in crate::codec) end_level: Option<u32>,
    pub(in crate::codec) depth_reached: u32,
    pub(in crate::codec) machine: String,
}

#[derive(Serialize, Deserialize)]
pub(in crate::codec) enum WireEnd {
    Exited(i32),
    Signalled(i32),
    Unknown,
}

#[derive(Serialize, Deserialize)]
pub(in crate::codec) enum WireCaveat {
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
    /// Only in version 4.
    ClocksFull(u64, Option<u64>, Option<u32>),
    /// Only in version 4.
    RunsVary(u32),
}

/// Section 2 of a profile: the static side, modules and regions.
#[derive(Serialize, Deserialize)]
pub(in crate::codec) struct ProgramSection {
    pub(in crate::codec) modules: CappedList<Module>,
    pub(in crate::codec) regions: CappedList<Region>,
    pub(in crate::codec) broken: CappedList<WireBroken>,
}

#[derive(Serialize, Deserialize)]
pub(in crate::codec) struct Latency {
    pub(in crate::codec) name: String,
    pub(in crate::codec) source: String,
    /// In the order of [`crate::latency::LatencyTable::rows`] at version 1.
    pub(in crate::codec) units: [u32; 18],
}

#[derive(Serialize, Deserialize)]
pub(in crate::codec) struct Module {
    pub(in crate::codec) source: String,
    pub(in crate::codec) directory: String,
    pub(in crate::codec) producer: String,
    pub(in crate::codec) latency: Latency,
}

#[derive(Serialize, Deserialize)]
pub(in crate::codec) struct Region {
    pub(in crate::codec) module: u32,
    pub(in crate::codec) kind: WireKind,
    pub(in crate::codec) parent: Option<u32>,
    pub(in crate::codec) function: String,
    pub(in crate::codec) linkage_name: String,
    pub(in crate::codec) file: String,
    pub(in crate::codec) line: u32,
    pub(in crate::codec) column: u32,
    pub(in crate::codec) end_line: u32,
    pub(in crate::codec) counted: bool,
    pub(in crate::codec) folded: bool,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
pub(in crate::codec) enum WireKind {
    Function,
    Loop,
    Iteration,
}

#[derive(Serialize, Deserialize)]
pub(in crate::codec) struct WireBroken {
    pub(in crate::codec) region: u32,
    pub(in crate::codec) name: String,
    pub(in crate::codec) kind: WireBrokenKind,
    pub(in crate::codec) line: u32,
}

#[derive(Serialize, Deserialize)]
pub(in crate::codec) enum WireBrokenKind {
    Induction,
    Reduction(WireOperator),
    ArrayReduction(WireOperator),
}

#[derive(Serialize, Deserialize)]
pub(in crate::codec) enum WireOperator {
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
pub(in crate::codec) struct Contexts(pub(in crate::codec) CappedList<Context>);

#[derive(Serialize, Deserialize)]
pub(in crate::codec) struct Context {
    pub(in crate::codec) parent: u32,
    pub(in crate::codec) region: u32,
    pub(in crate::codec) depth: u32,
    pub(in crate::codec) tracked: bool,
    pub(in crate::codec) children_tracked: bool,
    pub(in crate::codec) instances: u64,
    pub(in crate::codec) work: u64,
    pub(in crate::codec) cp: u64,
    pub(in crate::codec) cp_max: u64,
    pub(in crate::codec) child_work: u64,
    pub(in crate::codec) child_cp: u64,
    pub(in crate::codec) children: u64,
    pub(in crate::codec) children_min: u64,
    pub(in crate::codec) children_max: u64,
    pub(in crate::codec) gap: u64,
    pub(in crate::codec) gap_max: u64,
    pub(in crate::codec) multi: u64,
    pub(in crate::codec) multi_flat: u64,
    pub(in crate::codec) parallel_time: f64,
}

/// Section 4.
#[derive(Serialize, Deserialize)]
pub(in crate::codec) struct Tree {
    /// Children and how often each in a row: the lists below one after the other.
    pub(in crate::codec) runs: CappedList<(u32, u64), MAX_TREE_RUNS>,
    /// Lengths of the distinct lists, in the order of their first use.
    pub(in crate::codec) sequences: CappedList<u32>,
    pub(in crate::codec) symbols: CappedList<Symbol>,
    /// Number of the root's list.
    pub(in crate::codec) root: u32,
}

#[derive(Serialize, Deserialize)]
pub(in crate::codec) struct Symbol {
    pub(in crate::codec) region: u32,
    pub(in crate::codec) work: u64,
    pub(in crate::codec) cp: u64,
    pub(in crate::codec) summarised: u64,
    pub(in crate::codec) sequence: u32,
}

/// Names the fields once for both directions.
macro_rules! context_fields {
    ($to:path, $from:expr, $($rest:tt)*) => {{
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
            $($rest)*
        }
    }};
}
pub(in crate::codec) use context_fields;
