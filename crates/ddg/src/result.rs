//! What an analysis finds; every figure is defined in `docs/ilp-model.md` ("Figures").

use parascan_isa::{HistogramClass, InstructionClass};

use crate::event::ThreadId;
use crate::program::RoutineId;

/// The figures of one graph under one model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelFigures {
    /// The model's name.
    pub model: String,
    /// Instances in the stream.
    pub instructions: u64,
    /// Instances counted by the model.
    pub operations: u64,
    /// Largest level of an operation.
    pub critical_path: u64,
    /// System calls among the instances.
    pub system_calls: u64,
    /// Conditional branches, indirect transfers and returns, and how often each was mispredicted.
    pub predictions: Predictions,
    /// Operations by level.
    pub profile: LevelHistogram,
    /// Operations by level in narrower bins, where they were asked for.
    pub detail: Option<Detail>,
    /// Values, where they were asked for.
    pub values: Option<ValueFigures>,
    /// What levels need, where it was asked for.
    pub resources: Option<Resources>,
    /// Who reads whose values, where it was asked for.
    pub flows: Option<Flows>,
    /// Routines, where they were asked for; in no particular order.
    pub routines: Vec<RoutineFigures>,
    /// What the live well took.
    pub live_well: LiveWellSize,
}

impl ModelFigures {
    /// Available parallelism: operations per level; 0 where there are none.
    pub fn parallelism(&self) -> f64 {
        if self.critical_path == 0 {
            0.0
        } else {
            self.operations as f64 / self.critical_path as f64
        }
    }
}

/// Predictions made, and those that were wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Predictions {
    /// Conditional branches that were predicted.
    pub branches: u64,
    /// Those of them that were mispredicted.
    pub branches_missed: u64,
    /// Indirect jumps and calls that were predicted.
    pub indirect: u64,
    /// Those of them that were mispredicted.
    pub indirect_missed: u64,
    /// Returns that were predicted.
    pub returns: u64,
    /// Those of them that were mispredicted.
    pub returns_missed: u64,
}

/// Operations by level and histogram class. Bin `i` holds the levels `i << shift` (levels begin at 1, so that level `l`
/// is at `(l - 1) >> shift`) onwards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LevelHistogram {
    /// Logarithm of the number of levels in a bin.
    pub shift: u32,
    /// Operations in the bin, by the number of the [`HistogramClass`].
    pub bins: Vec<[u64; HistogramClass::ALL.len()]>,
}

impl LevelHistogram {
    /// Most bins there are; the shift is the smallest with which no more are needed.
    pub const MOST_BINS: usize = 1024;

    /// The same in at most so many bins, each of which holds twice, four times, ... as many levels.
    pub fn within(&self, most: usize) -> Self {
        let mut more = 0;
        while self.bins.len().div_ceil(1 << more) > most.max(1) {
            more += 1;
        }
        let sum = |bins: &[[u64; HistogramClass::ALL.len()]]| {
            let mut sum = [0; HistogramClass::ALL.len()];
            for bin in bins {
                for (sum, count) in sum.iter_mut().zip(bin) {
                    *sum += count;
                }
            }
            sum
        };
        Self {
            shift: self.shift + more,
            bins: self.bins.chunks(1 << more).map(sum).collect(),
        }
    }
}

/// Operations by level in bins narrower than those of the [`LevelHistogram`] of the same graph, of all its levels or of
/// some.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detail {
    /// The first level that was asked for, from 1.
    pub first: u64,
    /// The last one; `u64::MAX` where no end was given.
    pub last: u64,
    /// The operations, with `first` as the first level. The shift is the smallest with which all operations of these
    /// levels fit into as many bins as were asked for.
    pub profile: LevelHistogram,
}

/// Counts by magnitude: exact below 64, then eight bins for each power of two.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    /// Lowest value of each bin that has one, and the number of values in it; ascending.
    pub bins: Vec<(u64, u64)>,
    /// Sum of all values.
    pub sum: u64,
    /// Largest value.
    pub largest: u64,
}

/// What became of the values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValueFigures {
    /// Values created.
    pub created: u64,
    /// Values that nothing read.
    pub unread: u64,
    /// Lifetimes of those that were read, in levels.
    pub lifetimes: Distribution,
    /// Degrees of sharing of those that were read.
    pub sharing: Distribution,
    /// Values alive, summed over the levels of each bin; bins as in the [`LevelHistogram`] of the same graph.
    pub storage: Vec<u64>,
    /// Most values alive in one bin, as the mean over its levels.
    pub most_alive: f64,
}

/// What a machine needs to execute the graph as it is, counted level by level: exact, and for whole levels only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// Levels that were counted, from 1 on: all of the critical path, or as many as were asked for. All figures are of
    /// these.
    pub levels: u64,
    /// Most values alive in one level.
    pub alive: LevelMaximum,
    /// Operations of all classes, as if units were fit for all.
    pub all: OperationsPerLevel,
    /// Operations of each class that has some, in the order of the classes.
    pub classes: Vec<(InstructionClass, OperationsPerLevel)>,
}

impl Resources {
    /// Of how many levels in a hundred [`OperationsPerLevel::enough`] speaks.
    pub const SHARES: [u64; 3] = [90, 99, 100];
}

/// Who reads whose values. Each instance that reads a value counts once for it, so that either list has as many reads
/// as all values have readers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flows {
    /// Between the routines that instructions belong to, a routine's with itself among them: most reads first, then by
    /// number.
    pub routines: Vec<Flow<RoutineId>>,
    /// Between threads, in the same order.
    pub threads: Vec<Flow<ThreadId>>,
}

/// Values of one that another, or the same, reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow<T> {
    /// Who made the values.
    pub from: T,
    /// Who read them.
    pub to: T,
    /// Reads: an instance that reads a value counts once for it.
    pub reads: u64,
}

/// The most there is of something in one level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelMaximum {
    /// How many there are in that level.
    pub number: u64,
    /// The first level with so much; 0 where there is nothing.
    pub level: u64,
}

/// How many operations begin in levels. Those that take no steps are left out: they need no unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperationsPerLevel {
    /// Operations that begin in the levels counted.
    pub operations: u64,
    /// Most that begin in one level.
    pub most: LevelMaximum,
    /// The fewest units with which at least 90, 99 and 100% of the levels ([`Resources::SHARES`]) have one for each
    /// operation that begins in them.
    pub enough: [u64; 3],
}

/// How many operations and steps the calls of a routine take, each measured from its own entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoutineFigures {
    /// Its number in the [`Program`](crate::program::Program).
    pub routine: RoutineId,
    /// Calls that were entered.
    pub calls: u64,
    /// Calls whose critical path was measured (calls deeper than there are lanes are not).
    pub measured: u64,
    /// Operations of the measured calls, callees included: the sum of their I.
    pub operations: u64,
    /// Sum of their C.
    pub steps: u64,
    /// Operations of the routine's own instances, in all calls.
    pub own_operations: u64,
    /// Operations of the routine's own instances in measured calls.
    pub own_measured: u64,
    /// Sum of the measured calls' C with those of callees taking 0 steps; `None` where it was not asked for.
    pub own_steps: Option<u64>,
    /// Operations of its calls that are in no other call of the same routine: its inclusive share of the run.
    pub outermost_operations: u64,
}

impl RoutineFigures {
    /// Whether [`Self::operations`] has some more than once: the routine runs inside itself, and each of its calls
    /// counts what its callees do.
    pub fn counts_nested(&self) -> bool {
        self.operations > self.outermost_operations
    }

    /// Adds the calls of the same routine in another thread, or in another run.
    pub fn add(&mut self, more: &Self) {
        self.calls += more.calls;
        self.measured += more.measured;
        self.operations += more.operations;
        self.steps += more.steps;
        self.own_operations += more.own_operations;
        self.own_measured += more.own_measured;
        self.own_steps = self.own_steps.zip(more.own_steps).map(|(a, b)| a + b);
        self.outermost_operations += more.outermost_operations;
    }
}

/// Memory taken by the live well of memory locations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LiveWellSize {
    /// Bytes of the program's memory that were written, in whole pages of 512 bytes.
    pub touched: u64,
    /// Bytes of the live well of the whole run: all it allocated, tables included. Models that run together share one,
    /// which is counted for each of them.
    pub size: u64,
    /// Bytes of the live wells of the graphs of calls, which hold several levels for each place.
    pub of_calls: u64,
}
