//! The log: what the runtime leaves behind for `parascan record`, readable at every moment of the run.
//!
//! A sparse file of [`FILE_SIZE`] bytes, mapped shared by the program. Sections sit at fixed offsets and grow only by
//! appending; the runtime writes zeros through the file before it touches a new stretch, so a full disk is an error
//! code and never `SIGBUS`, and sets [`FLAG_LOG_FULL`] then. Counts in the [`Header`] are written after the entries
//! they count. The file is named `log.<pid>` (`log.<pid>.<n>` after `exec`) in the directory [`ENV_DIR`]; without that
//! variable nothing is recorded and the program just runs.

use crate::Time;

/// Directory for logs; its presence switches recording on.
pub const ENV_DIR: &str = "PARASCAN_DIR";
/// First region depth to track (default 0): lane 0 is this depth.
pub const ENV_START_LEVEL: &str = "PARASCAN_START_LEVEL";
/// Regions at this depth and deeper fold into the enclosing one (default [`DEFAULT_MAX_DEPTH`]). With long clocks, but
/// for bursts, no more than one depth is recorded beyond those that are tracked.
pub const ENV_MAX_DEPTH: &str = "PARASCAN_MAX_DEPTH";
/// Default of [`ENV_MAX_DEPTH`].
pub const DEFAULT_MAX_DEPTH: u32 = 64;

/// Has the runtime look at stretches of the run only ([`FLAG_BURSTS`]); `record` sets it.
/// `SEED:SHARE:LONGER:FIRST:LENGTH:LENGTH...`: the first burst takes FIRST units of work from the program's beginning
/// on (0: the longest LENGTH; `2000ms`: so much processor time; `exact`: as long as clocks allow), later ones take
/// SHARE in a thousand of the time (of the work, where no native code runs), every LENGTH an equal part of that; LONGER
/// in a thousand more may go into bursts that are prolonged until they have seen two iterations in a row of a loop of
/// which no other burst has. Behind FIRST may stand `..60000ms`: the processor time after which no burst begins.
pub const ENV_BURSTS: &str = "PARASCAN_BURSTS";

/// First bytes of a log.
pub const MAGIC: [u8; 8] = *b"PSCNLOG\0";

/// Offset of [`Header`].
pub const OFF_HEADER: u64 = 0;
/// Offset of the open-region stack: [`OpenRegion`]s, `max_depth` of them at most ([`CAP_FRAMES`]).
pub const OFF_FRAMES: u64 = 1 << 16;
/// Capacity of the stack.
pub const CAP_FRAMES: u32 = 1 << 12;
/// Offset of blind-spot counters: `u64` each.
pub const OFF_BLIND: u64 = 1 << 20;
/// Capacity of blind-spot counters.
pub const CAP_BLIND: u32 = 1 << 17;
/// Offset of counters of native code: `u64` each. None without [`FLAG_BURSTS`].
pub const OFF_COUNTERS: u64 = 1 << 22;
/// Capacity of these counters.
pub const CAP_COUNTERS: u32 = 1 << 20;
/// Offset of module records: [`ModuleRecord`] followed by its blob, padded to 8 bytes.
pub const OFF_MODULES: u64 = 1 << 24;
/// Capacity in bytes.
pub const CAP_MODULES: u64 = 1 << 28;
/// Offset of contexts: [`Context`] each. Context 0 is the virtual root of the program.
pub const OFF_CONTEXTS: u64 = 1 << 30;
/// Capacity of contexts.
pub const CAP_CONTEXTS: u32 = 1 << 20;
/// Offset of dictionary symbols: [`Symbol`] each; symbol 0 is unused.
pub const OFF_SYMBOLS: u64 = 1 << 31;
/// Capacity of symbols.
pub const CAP_SYMBOLS: u32 = 1 << 16;
/// Offset of sequences: [`Sequence`] each; sequence 0 is the empty one.
pub const OFF_SEQUENCES: u64 = (1 << 31) + (1 << 28);
/// Offset of runs: [`EqualChildren`] each.
pub const OFF_RUNS: u64 = (1 << 31) + (1 << 29);
/// Capacity of runs over all sequences.
pub const CAP_RUNS: u32 = 1 << 19;
/// Offset of what bursts leave beside the contexts: [`BurstPart`] each, in the same order. Empty without
/// [`FLAG_BURSTS`].
pub const OFF_PARTS: u64 = 3 << 30;
/// Longest sequence kept in order; a longer list of children becomes one summary run per region.
pub const MAX_SEQUENCE: u32 = 1 << 10;
/// Size of the sparse file.
pub const FILE_SIZE: u64 = 1 << 32;
const _: () = assert!(OFF_PARTS + CAP_CONTEXTS as u64 * size_of::<BurstPart>() as u64 <= FILE_SIZE);

/// A second thread ran instrumented code.
pub const FLAG_THREADS: u64 = 1;
/// A lane's clock came near its end: the log was closed as of the last region boundary before that, and the program ran
/// on unmeasured ([`Header::total`]). With [`FLAG_BURSTS`]: figures must not be used.
pub const FLAG_OVERFLOW: u64 = 2;
/// Regions deeper than the maximum depth were folded into their ancestors.
pub const FLAG_FOLDED: u64 = 4;
/// No space to reserve in the log: later contexts, symbols or modules are missing.
pub const FLAG_LOG_FULL: u64 = 8;
/// The dictionary was full: later instances are summarised (contexts stay exact).
pub const FLAG_DICTIONARY_FULL: u64 = 16;
/// The context table was full: deeper contexts are counted in their ancestors.
pub const FLAG_CONTEXTS_FULL: u64 = 32;
/// A module of another ABI version, or with other lanes, was loaded and is not recorded.
pub const FLAG_FOREIGN_MODULE: u64 = 64;
/// Two mappings of the process share their shadow addresses; times may mix.
pub const FLAG_SHADOW_ALIAS: u64 = 128;
/// A module was built without the observation of carried dependences (`PARASCAN_UNOBSERVED`): none is known of any
/// context.
pub const FLAG_UNOBSERVED: u64 = 256;

/// Only stretches of the run were looked at: contexts have the instances that began and ended within one,
/// [`BurstPart`]s the rest. There is no dictionary.
pub const FLAG_BURSTS: u64 = 512;

/// With [`FLAG_BURSTS`]: native code ran between bursts. Instances outside of them were not counted, nor was their
/// work, and contexts lack what native callers had open.
pub const FLAG_NATIVE: u64 = 1024;

/// State of the process that writes the log.
pub const RUNNING: u32 = 0;
/// It ended in an orderly way (`exit`, return from `main`, `_exit`, `exec`), or its clocks were full
/// ([`FLAG_OVERFLOW`]). Regions may still be open in the log if a thread other than the first one, or a signal handler
/// inside the runtime, ended it.
pub const FINISHED: u32 = 1;

/// First page of the log.
#[derive(Debug)]
#[repr(C)]
pub struct Header {
    /// [`MAGIC`]: what tells the log from other files.
    pub magic: [u8; 8],
    /// [`ABI_VERSION`](crate::ABI_VERSION).
    pub abi_version: u32,
    /// [`RUNNING`] or [`FINISHED`].
    pub state: u32,
    /// Process that writes.
    pub pid: u32,
    /// Process from which it was forked while recording, or 0.
    pub forked_from: u32,
    /// Width of the clocks that the runtime was built with: 32, or 64 for long runs.
    pub tick_bits: u32,
    /// Lanes tracked.
    pub lanes: u32,
    /// First region depth tracked.
    pub start_level: u32,
    /// Depth at which regions fold.
    pub max_depth: u32,
    /// `FLAG_*` bits.
    pub flags: u64,
    /// Entries in the context table.
    pub contexts: u32,
    /// Entries in the symbol table.
    pub symbols: u32,
    /// Entries in the sequence table.
    pub sequences: u32,
    /// Entries in the run table.
    pub runs: u32,
    /// Bytes of module records.
    pub module_bytes: u64,
    /// Regions registered.
    pub regions: u32,
    /// Blind-spot counters in use.
    pub blind: u32,
    /// Open regions (frames in use).
    pub frames: u32,
    /// Deepest region depth reached, folded ones included, plus one.
    pub depth_reached: u32,
    /// Region entries that were folded because of the maximum depth.
    pub folded: u64,
    /// Sequence of the program's top-level regions (set when finished).
    pub root_sequence: u32,
    /// Threads other than the first that ran instrumented code.
    pub threads: u32,
    /// Total work at the last region boundary.
    pub work: u64,
    /// Work done outside any region.
    pub work_outside: u64,
    /// `State::m` at the last region boundary.
    pub m: Time,
    /// `State::carried` at the last region boundary.
    pub carried: u32,
    /// With [`FLAG_OVERFLOW`]: work of the whole run, also of what was not measured; 0 while it is not known.
    pub total: u64,
}

/// A frame of the log: an instance that has begun and not ended.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct OpenRegion {
    /// Number of the context that the instance belongs to.
    pub context: u32,
    /// Process-wide number of the region.
    pub region: u32,
    /// Total work at entry.
    pub work: u64,
    /// Clock at entry (its lane's base), 0 when its depth is not tracked.
    pub base: u64,
    /// Sum of the work of children closed so far.
    pub child_work: u64,
    /// Sum of their critical paths.
    pub child_cp: u64,
    /// Largest of their critical paths.
    pub child_cp_max: u64,
    /// Their number.
    pub children: u64,
    /// The runtime's own.
    pub scratch: [u64; 9],
}

/// Figures of all instances of one region under one chain of open regions.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Context {
    /// Context of the enclosing region; 0 (the virtual root) for top-level ones. Of the root's own figures only those
    /// of its children (`child_work`, `child_cp`, `children`) are kept.
    pub parent: u32,
    /// Region number; `u32::MAX` for the virtual root.
    pub region: u32,
    /// Depth: 0 for children of the virtual root.
    pub depth: u32,
    /// First context below it, or 0.
    pub first_child: u32,
    /// Next context with the same parent, or 0.
    pub next_sibling: u32,
    /// Kind of its region, as in [`crate::module::RegionDesc`].
    pub kind: u32,
    /// Instances that ended.
    pub instances: u64,
    /// Sum of their work, children included.
    pub work: u64,
    /// Sum of their critical paths. Valid only when the depth is tracked.
    pub cp: u64,
    /// Largest critical path.
    pub cp_max: u64,
    /// Sum of their direct children's work.
    pub child_work: u64,
    /// Sum of their direct children's critical paths. Valid when the depth below is tracked too.
    pub child_cp: u64,
    /// Direct child instances (for a loop: iterations), summed over instances.
    pub children: u64,
    /// Fewest in one instance.
    pub children_min: u64,
    /// Most in one instance.
    pub children_max: u64,
    /// Sum over instances of `cp - largest child's cp` (of `cp` without children, never less than 0): what keeps the
    /// loop from being DOALL. Valid as `child_cp`.
    pub gap: u64,
    /// Largest such difference in one instance.
    pub gap_max: u64,
    /// Instances with at least two children.
    pub multi: u64,
    /// Of those, instances whose critical path equals their largest child's.
    pub multi_flat: u64,
    /// Sum over instances of `work / self-parallelism` (IEEE double, added in order of exit, instances that are
    /// reported together as one product). Valid only when the depth
    /// and the one below are tracked. An instance counts as its work when its cp is 0.
    pub parallel_time: f64,
    /// Loops: instances in which an iteration read what an earlier one of the same instance had written (carried flow
    /// dependence), recognised inductions and reductions excepted. Valid as `child_cp`.
    pub carried: u64,
    /// The runtime's own.
    pub scratch: [u64; 6],
}

/// Groups of bursts: each burst belongs to the one of its number modulo this.
pub const GROUPS: usize = 8;

/// What one group of bursts adds to a context's figures and to those of its segments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct BurstGroup {
    /// Work of instances that began and ended within one burst.
    pub work: u64,
    /// Their `work / self-parallelism` (IEEE double).
    pub parallel_time: f64,
    /// Number of segments: stretches of instances that were open when a burst began or ended.
    pub segments: u64,
    /// Work of the segments, that of everything inside included.
    pub segment_work: u64,
    /// The work of their children.
    pub segment_child_work: u64,
    /// Number of children in the segments.
    pub segment_children: u64,
    /// Their critical paths.
    pub segment_cp: u64,
    /// The critical paths of their children.
    pub segment_child_cp: u64,
    /// Sum of `critical path - largest child's`.
    pub segment_gap: u64,
    /// Their `work / self-parallelism` (IEEE double).
    pub segment_time: f64,
}

impl BurstGroup {
    /// Adds the figures of another group.
    pub fn add(&mut self, other: &Self) {
        for (sum, more) in [
            (&mut self.work, other.work),
            (&mut self.segments, other.segments),
            (&mut self.segment_work, other.segment_work),
            (&mut self.segment_child_work, other.segment_child_work),
            (&mut self.segment_children, other.segment_children),
            (&mut self.segment_cp, other.segment_cp),
            (&mut self.segment_child_cp, other.segment_child_cp),
            (&mut self.segment_gap, other.segment_gap),
        ] {
            *sum = sum.wrapping_add(more);
        }
        self.parallel_time += other.parallel_time;
        self.segment_time += other.segment_time;
    }
}

/// What bursts tell of a context beside the instances that began and ended within one. Of the virtual root: `instances`
/// is the number of bursts but the first, which begins with the program, `sampled` their work together, `work` that of
/// all bursts, and `shares` the share of the time up to the end of the last one that all of them took.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BurstPart {
    /// Figures of *segments*: stretches of instances that were open when a burst began or ended. Of a loop these are
    /// the consecutive iterations that began and ended within the burst, without any segment where there are none; what
    /// is older than the first was there at its start. Of functions and iterations they are all that was seen, and
    /// children that were open when the burst began or ended are children with what was seen of them.
    pub segments: Context,
    /// Instances in the whole run, looked at or not; where native code ran, of those that began in tracked code.
    pub instances: u64,
    /// Work of these instances, that of everything inside included.
    pub work: u64,
    /// Work within bursts but the first, that of everything inside included.
    pub sampled: u64,
    /// Sum over bursts of that divided by the burst's work (IEEE double).
    pub shares: f64,
    /// Sum of the squares of these quotients (IEEE double).
    pub squares: f64,
    /// Instances of the run's beginning, which is recorded as a whole run is, that ended there: they are among those
    /// that began and ended within one burst, but how their work varies is not known.
    pub early: u64,
    /// Their work outside of their children.
    pub early_own: u64,
    /// Sum over the other instances that began and ended within one burst of the square of their work outside of their
    /// children (IEEE double).
    pub own_squares: f64,
    /// Bursts that have seen it, the first among them.
    pub bursts: u64,
    /// The same figures by group of bursts, as far as self-parallelism follows from them: how much groups differ says
    /// how sure it is. The run's beginning belongs to no group.
    pub groups: [BurstGroup; GROUPS],
    /// Work within the burst that goes on.
    pub now: u64,
    /// Next context that the burst has seen, plus one; 0 for the last, and for those that it has not seen.
    pub next: u64,
}

/// One distinct region instance: a dictionary entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Symbol {
    /// Region number.
    pub region: u32,
    /// Its children, in order.
    pub sequence: u32,
    /// Work of one instance.
    pub work: u64,
    /// Critical path of one instance.
    pub cp: u64,
    /// Instances this symbol stands for: 1, or more for a summary, whose work and cp are sums.
    pub summarised: u64,
}

/// A list of children, as a range of the table of [`EqualChildren`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Sequence {
    /// First run.
    pub start: u32,
    /// Number of runs.
    pub len: u32,
}

/// `count` consecutive equal children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct EqualChildren {
    /// The child.
    pub symbol: u32,
    /// Padding.
    pub reserved: u32,
    /// How many in a row.
    pub count: u64,
}

/// Precedes each module's blob.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ModuleRecord {
    /// Number of its first region.
    pub first_region: u32,
    /// How many regions the module has, from `first_region` on.
    pub regions: u32,
    /// Its first blind-spot counter.
    pub first_blind: u32,
    /// Its blind-spot counters.
    pub blind: u32,
    /// Its first counter of native code.
    pub first_counter: u32,
    /// Its counters of native code; 0 where there was no room for them.
    pub counters: u32,
    /// Length of the blob that follows, in bytes (padded to 8 in the file).
    pub blob_len: u64,
}
