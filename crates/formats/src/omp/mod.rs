//! What a run of an OpenMP program left: places, call tree, figures per thread, snapshots. The file `parascan.omp`.
//!
//! All threads share one *call tree* ([`Recording::nodes`]): a node is a place reached along a path of places, and has
//! the same number in every thread, so that threads are compared by number. What each thread did there is in its
//! [`Record`]s; a thread has none for nodes that it never entered. A worker's stay in a parallel region is recorded
//! below the path on which the encountering thread reached that region.
//!
//! Times are in nanoseconds. A thread's time is charged to exactly one node and one [`State`] at any moment, so times
//! add up: what a thread spent at a node with everything called from it is the sum over the subtree. Time that a worker
//! spends outside parallel regions is not charged; it is what is missing to the wall time.
//!
//! [`Recording::snapshots`] cut the run into intervals; each holds what was added since the one before. All intervals
//! together are exactly the threads' totals ([`Recording::validate`] checks that).

pub mod codec;
pub mod log;
mod place;
pub mod synthetic;
mod v1;
mod v2;
mod v3;
mod validate;

use serde::{Deserialize, Serialize};

pub use place::{CodePosition, Construct, Location, Place};
pub use validate::Contradiction;

/// Everything that one process left of a run under `parascan omp`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// Which program, when, where, how it ended.
    pub run: Run,
    /// Names of the counters kept per thread ([`Snapshot::counters`]), units in the name where they have one:
    /// `cpu-time-ns`, `minor-faults`, `context-switches`, `cycles`, ...
    pub counters: Vec<String>,
    /// A bit for each counter that threads read whenever they came to another node ([`NodeFigures::counters`]). 0: none
    /// was.
    pub region_counters: u64,
    /// Places of the program. No two are equal; place 0 is the program.
    pub places: Vec<Place>,
    /// The call tree. Node 0 is the program; parents come before their children; no two children have one place.
    pub nodes: Vec<CallNode>,
    /// The threads that were seen. Thread 0 is the initial one, which drives the program.
    pub threads: Vec<Thread>,
    /// The intervals of the run in order. The last one ends with the recording ([`Boundary::End`]); there is always
    /// one.
    pub snapshots: Vec<Snapshot>,
    /// Nodes at which not every visit of the initial thread has its snapshot.
    pub thinned: Vec<ThinnedNode>,
    /// What could not be seen, or was seen only in part.
    pub blind: Vec<RecordingGap>,
}

/// Where a recording comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Version of parascan.
    pub parascan: String,
    /// Program and arguments, lossily decoded.
    pub command: Vec<String>,
    /// Working directory.
    pub directory: String,
    /// Start, seconds since the epoch.
    pub started: u64,
    /// Time from the start of the recording to its end, in nanoseconds. [`Snapshot::time`] counts from the same start.
    pub duration: u64,
    /// How the process ended.
    pub end: End,
    /// The OpenMP runtime by its own words (`LLVM OMP version: 5.0.20140926`), empty when none was started.
    pub runtime: String,
    /// Kernel, processor model, number of processors.
    pub machine: String,
    /// Source of times: `tsc` (the processor's counter, calibrated) or `clock_monotonic`.
    pub clock: String,
    /// Processors that the program was allowed to use at its start.
    pub processors: u32,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// With an exit code, through `exit`, `_exit` or the end of `main`.
    Exited(i32),
    /// By a signal: the recording is partial, open constructs end at the last event of their thread.
    Signalled(i32),
    /// Without a trace (killed together with parascan, lost, replaced by `exec`): partial as well.
    #[default]
    Unknown,
}

impl End {
    /// Whether the recording covers only a part of the run.
    pub fn partial(self) -> bool {
        !matches!(self, Self::Exited(_))
    }
}

/// A node of the call tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallNode {
    /// The enclosing node; None for node 0.
    pub parent: Option<u32>,
    /// Index into [`Recording::places`].
    pub place: u32,
}

/// What one thread did during the whole recording.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Thread {
    /// When it was first seen, since the start of the recording.
    pub started: u64,
    /// When it was last seen.
    pub ended: u64,
    /// What it did, by ascending node.
    pub records: Vec<Record>,
}

impl Thread {
    /// The record of a node, if the thread was ever there.
    pub fn record(&self, node: u32) -> Option<&Record> {
        let at = self.records.binary_search_by_key(&node, |r| r.node).ok()?;
        self.records.get(at)
    }
}

/// What a thread did at a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Index into [`Recording::nodes`].
    pub node: u32,
    /// How often each node preceded it: the parent, or a sibling (itself included), by ascending node. Counts add up to
    /// [`NodeFigures::executions`], but for node 0 and for visits still open where they began before the recording.
    /// Explicit tasks have their parent only: which task ran before which is the scheduler's choice.
    pub predecessors: Vec<(u32, u64)>,
    /// Totals over the whole recording.
    pub figures: NodeFigures,
}

/// Number of [`State`]s.
pub const STATES: usize = parascan_abi::omp::STATES;
const _: () = assert!(State::ALL.len() == STATES);

/// Additive figures of one thread at one node, or a part of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeFigures {
    /// Times the node was entered.
    pub executions: u64,
    /// Time by [`State`] (index `state as usize`), exclusive of the node's children.
    pub time: [u64; STATES],
    /// Iterations of loops, sections or taskloops handed to the thread here.
    pub iterations: u64,
    /// Explicit tasks created here.
    pub tasks: u64,
    /// The part of [`State::Work`], in nanoseconds, during which the thread was ready to run and had no processor,
    /// because others had them all. At least so much: `docs/omp-overheads.md` says what is not seen. 0 with
    /// [`RecordingGap::NoSchedule`].
    pub no_processor: u64,
    /// The same part of [`State::Fork`]: the thread was to come to the region.
    pub no_processor_fork: u64,
    /// By how much the thread's waits here ended later, in nanoseconds, because threads had no processor: those it
    /// waited for before, or it itself when the wait was over. Part of the times of states that wait. An estimate:
    /// `docs/omp-overheads.md` says how it is made. 0 with [`RecordingGap::NoSchedule`] and
    /// [`RecordingGap::NoHoldUps`].
    pub held_up: u64,
    /// By how much longer the thread would have waited here, in nanoseconds, had it not come late itself for want of a
    /// processor. In no state's time.
    pub spared: u64,
    /// What each of [`Recording::counters`] counted here, exclusive of the node's children; empty without
    /// [`Recording::region_counters`], and 0 where its bit is not set there. Those that [count time](counts_time) never
    /// count more than the times here. `docs/omp-overheads.md` says which part of a worker's stay is not counted.
    pub counters: Vec<u64>,
}

/// Whether a counter of this name counts nanoseconds that a thread had a processor.
pub fn counts_time(name: &str) -> bool {
    matches!(name, "cpu-time-ns" | "task-clock")
}

impl NodeFigures {
    /// Time in all states, without the children's.
    pub fn exclusive(&self) -> u64 {
        self.time.iter().sum()
    }

    /// Time lost to a class.
    pub fn lost(&self, class: OverheadClass) -> u64 {
        let of_class = |state: &&State| state.class() == Some(class);
        let states = State::ALL.iter().filter(of_class);
        states.map(|&state| self.time[state as usize]).sum()
    }

    /// Adds another part; saturating.
    pub fn add(&mut self, other: &Self) {
        self.executions = self.executions.saturating_add(other.executions);
        for (mine, others) in self.time.iter_mut().zip(&other.time) {
            *mine = mine.saturating_add(*others);
        }
        self.iterations = self.iterations.saturating_add(other.iterations);
        self.tasks = self.tasks.saturating_add(other.tasks);
        self.no_processor = self.no_processor.saturating_add(other.no_processor);
        let fork = other.no_processor_fork;
        self.no_processor_fork = self.no_processor_fork.saturating_add(fork);
        self.held_up = self.held_up.saturating_add(other.held_up);
        self.spared = self.spared.saturating_add(other.spared);
        if self.counters.len() < other.counters.len() {
            self.counters.resize(other.counters.len(), 0);
        }
        for (mine, others) in self.counters.iter_mut().zip(&other.counters) {
            *mine = mine.saturating_add(*others);
        }
    }

    /// Whether all figures are 0.
    pub fn is_zero(&self) -> bool {
        let counters = vec![0; self.counters.len()];
        *self
            == Self {
                counters,
                ..Self::default()
            }
    }
}

parascan_abi::omp_states! {
    /// What a thread was doing. `docs/omp-overheads.md` is the law for which moment belongs to which state.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
}

impl State {
    /// The overhead class that time in this state counts for; None for work.
    pub fn class(self) -> Option<OverheadClass> {
        Some(match self {
            Self::Work => return None,
            Self::Barrier
            | Self::Critical
            | Self::Lock
            | Self::Ordered
            | Self::Atomic
            | Self::TaskWait
            | Self::Reduction => OverheadClass::Synchronization,
            Self::ImplicitBarrier => OverheadClass::Imbalance,
            Self::Serial => OverheadClass::LimitedParallelism,
            Self::Fork | Self::Join | Self::Tasking => OverheadClass::ThreadManagement,
        })
    }
}

/// ompP's four classes of overhead (FACTS P4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OverheadClass {
    /// Threads coordinate: explicit barriers, critical regions, locks, ordered, atomics, taskwait without work.
    Synchronization,
    /// There is not enough parallel work: single, masked, fewer sections than threads.
    LimitedParallelism,
    /// Making and ending teams, creating and fetching tasks.
    ThreadManagement,
    /// Waiting for slower threads at the end of worksharing constructs and parallel regions.
    Imbalance,
}

impl OverheadClass {
    /// All classes, in ompP's order.
    pub const ALL: [Self; 4] = [
        Self::Synchronization,
        Self::LimitedParallelism,
        Self::ThreadManagement,
        Self::Imbalance,
    ];
}

/// The end of an interval of the run, and what happened in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// When the interval ended, since the start of the recording; never decreases.
    pub time: u64,
    /// Why it ended there.
    pub boundary: Boundary,
    /// What was added since the snapshot before, by thread, then node; no part is zero.
    pub parts: Vec<FiguresPart>,
    /// What was added to each thread's counters since the snapshot before, by ascending thread.
    pub counters: Vec<CountedInterval>,
    /// Time from [`Snapshot::time`] until all counters were read.
    pub read: u64,
}

/// What a thread's counters counted, as far as it was known at a snapshot. All intervals together have what was known
/// last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedInterval {
    /// Index into [`Recording::threads`].
    pub thread: u32,
    /// A bit for each counter that was read at this snapshot: all that it counted up to then is in this interval and
    /// those before. Without it, some of that comes in later ones.
    pub known: u64,
    /// What was added, as many as [`Recording::counters`].
    pub values: Vec<u64>,
}

/// A part of a thread's figures at a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FiguresPart {
    /// Index into [`Recording::threads`].
    pub thread: u32,
    /// Index into [`Recording::nodes`].
    pub node: u32,
    /// What was added.
    pub figures: NodeFigures,
}

/// Where an interval ends. Boundaries are drawn by the initial thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Boundary {
    /// The initial thread is about to enter a node: what follows belongs to that visit.
    Enter {
        /// The node.
        node: u32,
        /// Number of the visit, from 1.
        visit: u64,
    },
    /// A user mark begins ([`Construct::Phase`]).
    Begin {
        /// The phase's node.
        node: u32,
        /// Number of the visit, from 1.
        visit: u64,
    },
    /// A user mark ends.
    Finish {
        /// The phase's node.
        node: u32,
        /// Number of the visit that ended, from 1.
        visit: u64,
    },
    /// The recording ends.
    #[default]
    End,
}

/// A node that was entered too often for a snapshot at every visit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThinnedNode {
    /// Index into [`Recording::nodes`].
    pub node: u32,
    /// There are snapshots at visits 1, 1 + stride, 1 + 2 x stride, ... only; a power of two, at least 2.
    pub stride: u64,
    /// How often the initial thread entered it.
    pub visits: u64,
}

/// Something that a reader of the figures must know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordingGap {
    /// The program never started an OpenMP runtime; only functions and marks can be there.
    NoRuntime,
    /// The runtime did not accept a tool (another one was first, or it does not support tools).
    NotWatched {
        /// What is known of the reason, in words.
        reason: String,
    },
    /// The program was compiled for GNU's runtime and ran on LLVM's: loops with static schedule make no calls.
    GnuStaticLoops,
    /// The log had no space left: events of new places, nodes or threads after this time are missing.
    LogFull {
        /// When, since the start of the recording.
        time: u64,
    },
    /// Constructs were nested too deeply; this many entries were charged to the node above.
    TooDeep {
        /// Entries.
        entries: u64,
    },
    /// The process forked; this many children are not in the recording.
    Forked {
        /// Children.
        children: u64,
    },
    /// A callback that the runtime does not offer.
    NoCallback {
        /// Its name in OMPT.
        name: String,
    },
    /// Threads still waited in, or worked on, constructs when the recording ended.
    OpenAtEnd {
        /// How many.
        threads: u32,
    },
    /// Addresses that no debug information covers; their places are named by module and offset.
    NoDebugInfo {
        /// Places concerned.
        places: u32,
    },
    /// A counter was asked for that the machine does not have.
    NoCounter {
        /// Its name.
        name: String,
    },
    /// The kernel does not tell how long threads waited for a processor ([`NodeFigures::no_processor`]), or the
    /// recording is of a version that does not have it.
    NoSchedule,
    /// The recording is of a version that does not have what a lack of processors did to waits
    /// ([`NodeFigures::held_up`]).
    NoHoldUps,
}
