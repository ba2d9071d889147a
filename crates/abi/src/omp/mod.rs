//! The log of the OpenMP collector: what its tool library leaves behind for `parascan omp`, readable at every moment.
//!
//! A sparse file, mapped shared by the program, named `omp.<pid>` in the directory [`ENV_DIR`]. It starts with a
//! [`Header`] in its first [`BLOCKS`] bytes; blocks follow one after the other up to [`Header::used`], each a
//! [`LogBlock`] with entries of one kind behind it. Entries are only appended, and counted in [`LogBlock::used`] after
//! they were written. The file system's space for a block is reserved before the block is used, so that a full disk is
//! an error code and never `SIGBUS`. Times are ticks; two pairs of ticks and nanoseconds in the header give the scale.

mod kinds;

use core::sync::atomic::{AtomicU32, AtomicU64};

/// Directory for logs; its presence switches recording on.
pub const ENV_DIR: &str = "PARASCAN_OMP_DIR";
/// When set, the preloaded library declines the first call of `ompt_start_tool`, so that tools which the user named in
/// `OMP_TOOL_LIBRARIES` come first.
pub const ENV_YIELD: &str = "PARASCAN_OMP_YIELD";

/// First bytes of a log.
pub const MAGIC: [u8; 8] = *b"PSCNOMP\0";
/// Version of the layout.
pub const VERSION: u32 = 4;
/// Offset of the first block.
pub const BLOCKS: u64 = 4096;
/// Largest size of the file.
pub const FILE_SIZE: u64 = 1 << 31;
/// Size of most blocks.
pub const BLOCK_SIZE: u64 = 1 << 16;

/// The log had no space left, or a table was full.
pub const FLAG_FULL: u32 = 1;
/// An OpenMP runtime called the tool.
pub const FLAG_RUNTIME: u32 = 2;
/// Times are processor ticks, else nanoseconds.
pub const FLAG_TSC: u32 = 4;
/// The kernel does not tell how long threads waited for a processor: [`NO_PROCESSOR`] stays 0.
pub const FLAG_NO_SCHEDULE: u32 = 8;
/// Counters were read whenever a thread came to another node: [`COUNTS`].
pub const FLAG_REGION_COUNTERS: u32 = 16;

/// The process runs, or ended without notice.
pub const RUNNING: u32 = 0;
/// It ended through `exit`, `_exit` or the end of `main`.
pub const FINISHED: u32 = 1;

/// Set in [`Header::exit`] beside the exit code.
pub const EXIT_KNOWN: u64 = 1 << 32;

/// The head of a recording's file.
#[derive(Debug)]
#[repr(C)]
pub struct Header {
    /// [`MAGIC`]: what tells the log from other files.
    pub magic: [u8; 8],
    /// [`VERSION`] of the layout; a reader refuses others.
    pub version: u32,
    /// [`RUNNING`] or [`FINISHED`].
    pub state: AtomicU32,
    /// The process.
    pub pid: u32,
    /// Bits `FLAG_*`: what was left out, and how the process ended.
    pub flags: AtomicU32,
    /// End of the last block.
    pub used: AtomicU64,
    /// Ticks and nanoseconds (`CLOCK_MONOTONIC`) at the start.
    pub start: [AtomicU64; 2],
    /// The same some time later.
    pub latest: [AtomicU64; 2],
    /// Ticks of the last moment recorded.
    pub end: AtomicU64,
    /// Ticks at which [`FLAG_FULL`] was set.
    pub full_at: AtomicU64,
    /// Entries that were charged to the node above because the stack was full.
    pub too_deep: AtomicU64,
    /// Children made by `fork`.
    pub forks: AtomicU64,
    /// Counters asked for that could not be opened, one bit each by their position.
    pub no_counter: AtomicU64,
    /// Callbacks that the runtime refused, one bit each by OMPT's number.
    pub refused: AtomicU64,
    /// The exit code of a process that [`FINISHED`], with [`EXIT_KNOWN`] where it is known.
    pub exit: AtomicU64,
}

/// Kinds of blocks.
pub mod kind {
    /// [`Place`](super::Place)s.
    pub const PLACES: u32 = 1;
    /// [`CallNode`](super::CallNode)s.
    pub const NODES: u32 = 2;
    /// [`Thread`](super::Thread)s.
    pub const THREADS: u32 = 3;
    /// [`Record`](super::Record)s of thread [`LogBlock::owner`](super::LogBlock::owner).
    pub const RECORDS: u32 = 4;
    /// [`Predecessor`](super::Predecessor)s of the owner's records beyond the first few.
    pub const PREDECESSORS: u32 = 5;
    /// [`Snapshot`](super::Snapshot)s, each with its parts behind it.
    pub const SNAPSHOTS: u32 = 6;
    /// Names of places, without separators.
    pub const NAMES: u32 = 7;
    /// `/proc/self/maps` at some moment; every block is a whole text, later ones count more.
    pub const MAPS: u32 = 8;
    /// The runtime's own name.
    pub const RUNTIME: u32 = 9;
}

/// The head of a block: what follows it in the file, and whose it is.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct LogBlock {
    /// What the entries behind this header are: one of [`kind`].
    pub kind: u32,
    /// Number of the thread to which it belongs.
    pub owner: u32,
    /// Its size with this header, a multiple of 64.
    pub size: u64,
    /// Bytes of entries behind this header.
    pub used: AtomicU64,
}

/// A place. Its number is its position among all places.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Place {
    /// The construct (`parascan_formats::omp::Construct`).
    pub construct: u32,
    /// Length of its name in bytes; 0 where it has none.
    pub name_length: u32,
    /// Where its name starts in the file.
    pub name: u64,
    /// Return address of the call that began it, first address of a function with [`FIRST_ADDRESS`], or 0.
    pub address: u64,
    /// First address of the function that the construct was outlined to, or 0.
    pub outlined: u64,
}

/// Set in [`Place::address`] where it is the first address of a function (the program's, or the one that a construct
/// was outlined to).
pub const FIRST_ADDRESS: u64 = 1 << 63;

/// A node of the call tree. Its number is its position among all nodes; node 0 is the program, its own parent.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CallNode {
    /// The enclosing node.
    pub parent: u32,
    /// Number of the [`Place`] that the node is a visit of.
    pub place: u32,
}

/// Counters of the kernel's that the user asked for: `type:config` pairs of `perf_event_open` in decimal, with commas
/// between.
pub const ENV_COUNTERS: &str = "PARASCAN_OMP_COUNTERS";
/// When set, every thread reads its counters whenever it comes to another node.
pub const ENV_REGION_COUNTERS: &str = "PARASCAN_OMP_REGION_COUNTERS";
/// Counters per thread that are always there.
pub const PLAIN_COUNTERS: usize = 5;
/// Most counters that the user may ask for.
pub const ASKED_COUNTERS: usize = 4;
/// Counters per thread: the plain ones, then those asked for.
pub const COUNTERS: usize = PLAIN_COUNTERS + ASKED_COUNTERS;
/// Names of the plain ones.
pub const COUNTER_NAMES: [&str; PLAIN_COUNTERS] = [
    "cpu-time-ns",
    "minor-faults",
    "major-faults",
    "voluntary-switches",
    "involuntary-switches",
];

/// A thread. Its number is its position among all threads; thread 0 is the initial one.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Thread {
    /// Its system-wide number.
    pub id: AtomicU32,
    /// Constructs that it is in, the program left out.
    pub depth: AtomicU32,
    /// Ticks when it was first seen.
    pub started: AtomicU64,
    /// Ticks of its last event.
    pub last: AtomicU64,
    /// Its counters since it was first seen, as they were last read.
    pub counters: [AtomicU64; COUNTERS],
    /// Which of them are as they were at the end of the recording, or when the thread ended: a bit each.
    pub known: AtomicU64,
}

/// States of a thread (`parascan_formats::omp::State`).
pub const STATES: usize = 13;
/// How many predecessors a record itself has room for.
pub const INLINE: usize = 3;
/// Figures of a record: executions, times by state, iterations, tasks, times without a processor, what that did to
/// waits, and what counters counted.
pub const FIGURES: usize = COUNTS + COUNTERS;
/// Index of the executions.
pub const EXECUTIONS: usize = 0;
/// Index of the first time.
pub const TIMES: usize = 1;
/// Index of the iterations.
pub const ITERATIONS: usize = TIMES + STATES;
/// Index of the tasks.
pub const TASKS: usize = ITERATIONS + 1;
/// Index of the ticks of work during which the thread was ready to run and had no processor.
pub const NO_PROCESSOR: usize = TASKS + 1;
/// Index of the same ticks of forks: it was to come to a region.
pub const NO_PROCESSOR_FORK: usize = TASKS + 2;
/// Index of the ticks by which waits were longer because some thread had no processor.
pub const HELD_UP: usize = TASKS + 3;
/// Index of the ticks by which waits were shorter because the thread itself had none before.
pub const SPARED: usize = TASKS + 4;
/// Index of what the first counter counted here; all of them stay 0 without [`FLAG_REGION_COUNTERS`].
pub const COUNTS: usize = SPARED + 1;

/// What a thread did at a node.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Record {
    /// Number of the [`CallNode`] that the figures are of.
    pub node: AtomicU32,
    /// Predecessors in use, those in [`Predecessor`] entries not counted.
    pub inline: AtomicU32,
    /// The figures, by the indices above.
    pub figures: [AtomicU64; FIGURES],
    /// Nodes that preceded it.
    pub before: [AtomicU32; INLINE + 1],
    /// How often each did.
    pub counts: [AtomicU64; INLINE],
}

/// How often one node preceded another, in the owner's records.
#[derive(Debug)]
#[repr(C)]
pub struct Predecessor {
    /// The node that follows.
    pub node: AtomicU32,
    /// The node that precedes.
    pub before: AtomicU32,
    /// How often.
    pub count: AtomicU64,
}

/// A boundary. Behind it follow [`Snapshot::parts`] parts and then [`Snapshot::counters`] counter parts. A part is a
/// word `thread << 32 | node`, a word with a bit for each figure that follows, and one word per bit set with what was
/// added. A counter part is a word with the thread, a word `known << 32 | news`, and one word per bit set in `news`
/// with what was added since the counter's part before. A bit in `known` means that the counter is as it was at this
/// boundary; others were last read some time before, and what they counted since then comes with a later boundary.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Snapshot {
    /// Ticks.
    pub time: u64,
    /// Why: one of [`boundary`].
    pub boundary: u32,
    /// Number of the [`CallNode`] at which the boundary lies.
    pub node: u32,
    /// Number of the visit, from 1.
    pub visit: u64,
    /// How many parts follow: what was added to the figures of a thread at a node since the boundary before.
    pub parts: u32,
    /// Counter parts.
    pub counters: u32,
    /// Ticks from [`Snapshot::time`] until all counters were read.
    pub read: u64,
}

/// Kinds of boundaries.
pub mod boundary {
    /// The initial thread is about to enter the node.
    pub const ENTER: u32 = 0;
    /// A phase begins.
    pub const BEGIN: u32 = 1;
    /// A phase ended.
    pub const FINISH: u32 = 2;
}
