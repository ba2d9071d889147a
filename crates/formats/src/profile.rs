//! The profile: everything `parascan record` learned, as one value. Its bytes are specified in
//! `docs/profile-format.md`.

use serde::{Deserialize, Serialize};

use crate::evidence::Evidence;
use crate::module::RegionStatic;

/// A whole profile of one process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// How it came about.
    pub provenance: Provenance,
    /// How the process ended.
    pub end: End,
    /// Remarks that must be shown beside results (threads, folding, full tables, shadow aliases, differing runs).
    pub caveats: Vec<Caveat>,
    /// Instrumented modules.
    pub modules: Vec<Module>,
    /// Static regions of all modules; the index is the region number used below.
    pub regions: Vec<Region>,
    /// Figures per chain of open regions. Entry 0 is the program; parents come before their children.
    pub contexts: Vec<Context>,
    /// Calls into code that was neither instrumented nor modelled, most frequent first.
    pub blind_spots: Vec<BlindSpot>,
    /// Work of the whole program in latency units.
    pub work: u64,
    /// Sum of the critical paths of the program's top-level regions.
    pub critical_path: u64,
    /// The compressed dynamic region tree.
    pub tree: Tree,
    /// Which dependences were observed, where a run for that was made.
    pub evidence: Option<Evidence>,
    /// What is behind the figures where only stretches of the run were tracked; none where all of it was.
    pub bursts: Option<Bursts>,
}

/// Stretches of a run that were tracked (bursts). What began and ended within one of them is measured, and its figures
/// stand for the rest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bursts {
    /// How many there were.
    pub count: u64,
    /// Seed of the moments at which they began.
    pub seed: u64,
    /// Work within them, of the run's.
    pub work: u64,
    /// Whether native code ran in between, so that the run's work is an estimate too.
    pub native: bool,
    /// Clocks were full: none began after that, and only counts go on to the end of the run.
    pub ended: bool,
    /// What the run takes by itself, in seconds of processor time: that of the native code in between, for all of the
    /// work. None where that was too little to tell, several runs were put together, and in profiles before format
    /// version 7.
    pub native_seconds: Option<f64>,
    /// By context, as many as there are of these.
    pub samples: Vec<Sample>,
}

/// What is behind the figures of one context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Instances that began and ended within one burst: their figures are exact. At most as many as there were, which
    /// are counted.
    pub whole: u64,
    /// Stretches that were seen of others.
    pub segments: u64,
    /// Half of the interval around the context's work in which that lies in 95 of 100 cases, in units; 0 where all of
    /// it was seen.
    pub error: u64,
    /// The same around the context's `parallel_time`; none where nothing is known of it (profiles before format version
    /// 6 among them).
    pub time_error: Option<f64>,
}

/// Where a profile comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Version of parascan.
    pub parascan: String,
    /// Program and arguments, lossily decoded.
    pub command: Vec<String>,
    /// Working directory.
    pub directory: String,
    /// Start, seconds since the epoch.
    pub started: u64,
    /// Wall time of all runs together in milliseconds.
    pub duration_ms: u64,
    /// Runs of the program that were merged.
    pub runs: u32,
    /// First depth tracked.
    pub first_level: u32,
    /// First depth not tracked any more (exclusive), or None when everything the program reached is covered.
    pub end_level: Option<u32>,
    /// Deepest depth reached plus one.
    pub depth_reached: u32,
    /// Kernel, processor model, number of processors.
    pub machine: String,
}

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// With an exit code.
    Exited(i32),
    /// By a signal: the profile is partial, open regions were closed at their last known state.
    Signalled(i32),
    /// Without telling the runtime (killed, lost): the profile is partial.
    Unknown,
}

impl End {
    /// Whether the profile covers only a part of the run.
    pub fn partial(&self) -> bool {
        !matches!(self, Self::Exited(_))
    }
}

/// Something a reader of the figures must know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caveat {
    /// This many further threads ran instrumented code; only the first is measured.
    Threads(u32),
    /// This many region entries at the maximum depth or deeper were folded into their ancestors.
    Folded {
        /// Entries folded.
        entries: u64,
        /// The maximum depth.
        depth: u32,
    },
    /// The dictionary was full: the tree is summarised in places; figures per region stay exact.
    TreeSummarised,
    /// The table of contexts was full: the deepest contexts are counted in their ancestors.
    ContextsFull,
    /// The scratch file system was full: parts of the profile are missing.
    LogFull,
    /// A module of another version of parascan was loaded and is not recorded.
    ForeignModule,
    /// Two memory mappings shared shadow addresses.
    ShadowAlias,
    /// The process ended with regions open.
    Partial,
    /// Runs of different level ranges did not do the same; what differed, in words.
    RunsDiffer(String),
    /// Runs of different level ranges did nearly the same and were put together.
    RunsVary {
        /// Largest difference, in millionths of the work.
        millionths: u32,
    },
    /// Depths from here on were not tracked although the program reached them. Regions at this depth have no critical
    /// paths, deeper ones count in those around them.
    NotTracked(u32),
    /// The clocks of a run were full: it was measured no further.
    ClocksFull {
        /// Work up to there.
        work: u64,
        /// Work of that run until its end, where that is known.
        total: Option<u64>,
        /// None: this profile is of that first part of the run. Otherwise that run is left out, and with it the depths
        /// from here on.
        left_out: Option<u32>,
    },
}

/// An instrumented module.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Module {
    /// Source file as given to the compiler.
    pub source: String,
    /// Directory of the compilation.
    pub directory: String,
    /// Compiler.
    pub producer: String,
    /// Latency table built in.
    pub latency: crate::latency::LatencyTable,
    /// Dependences that the build leaves out ([`ModuleStatic::without`](crate::module::ModuleStatic::without)).
    pub without: Vec<String>,
}

/// A static region and its module.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// Index into [`Profile::modules`].
    pub module: u32,
    /// Static facts; `parent` is a number in [`Profile::regions`] here.
    pub fixed: RegionStatic,
}

/// Figures of all instances of a region under one chain of open regions. Field meanings as in
/// `parascan_abi::log::Context`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Context {
    /// Enclosing context; 0's parent is 0.
    pub parent: u32,
    /// Region number; `u32::MAX` for entry 0, the program.
    pub region: u32,
    /// Depth; 0 for the program's top-level regions (and, by convention, for entry 0).
    pub depth: u32,
    /// Whether critical paths at this depth were measured.
    pub tracked: bool,
    /// Whether those of its children were measured too, so that self-parallelism is known.
    pub children_tracked: bool,
    /// How many instances ran in this context.
    pub instances: u64,
    /// Sum of work.
    pub work: u64,
    /// Sum of critical paths.
    pub cp: u64,
    /// Largest critical path.
    pub cp_max: u64,
    /// Sum of direct children's work.
    pub child_work: u64,
    /// Sum of direct children's critical paths.
    pub child_cp: u64,
    /// Direct children (a loop's iterations).
    pub children: u64,
    /// Fewest per instance.
    pub children_min: u64,
    /// Most per instance.
    pub children_max: u64,
    /// Sum of `cp - largest child's cp`.
    pub gap: u64,
    /// Largest such difference.
    pub gap_max: u64,
    /// Instances with two children or more.
    pub multi: u64,
    /// Of those, instances with gap 0.
    pub multi_flat: u64,
    /// Sum of `work / self-parallelism`.
    pub parallel_time: f64,
    /// Loops: instances in which an iteration read what an earlier one of the same instance had written. None where
    /// that was not observed: profiles of format version 1, depths that were not tracked.
    pub carried: Option<u64>,
}

/// Calls that could not be looked into.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlindSpot {
    /// Callee's name, demangled; `(indirect)` where unknown.
    pub callee: String,
    /// How often it was called in the whole run; 0 where the source calls it and the run did not.
    pub calls: u64,
}

/// The compressed dynamic region tree: a dictionary and its root sequence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    /// Distinct instances; children refer to earlier entries only.
    pub symbols: Vec<Symbol>,
    /// The program's top-level region instances in order.
    pub root: Vec<EqualChildren>,
}

/// A distinct region instance (or a summary of several).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Symbol {
    /// Region number.
    pub region: u32,
    /// Work of one instance, or the sum over `summarised` instances.
    pub work: u64,
    /// Critical path likewise.
    pub cp: u64,
    /// 1, or the number of instances of which this is a summary.
    pub summarised: u64,
    /// Children in order.
    pub children: Vec<EqualChildren>,
}

/// Consecutive equal children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EqualChildren {
    /// Index into [`Tree::symbols`].
    pub symbol: u32,
    /// How many in a row.
    pub count: u64,
}
