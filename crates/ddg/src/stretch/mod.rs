//! A chosen stretch of a stream, instance by instance under one model: what the figures of a whole run do not show.
//!
//! A [`Recorder`] is given the same program and events as an engine. Of the stretch it keeps each instance's level and
//! *critical predecessor*: the instance whose level was the largest among everything that held it back. From these
//! follow the longest dependence chains ([`Recording::chains`]), the instructions per step ([`Recording::histogram`])
//! and, when asked for, the data-flow graph ([`Recording::graph`]). The meaning of levels stands in
//! `docs/ilp-model.md`; a stretch is measured from its own beginning, as a call is.

mod calls;
mod chains;
mod collector;
mod dependences;
mod graph;
mod grouped;
mod histogram;
mod instance;
mod levels;
mod loops;
mod memory;
mod offered;
mod open;
mod record;
mod statics;
mod thread;
mod units;

pub use chains::{Branching, ChainEdge, DependenceChain, Segment};
pub use graph::{CodeGroup, DataFlowGraph, Edge, GraphNode, GraphSettings, IterationOffer};
pub use instance::{DependenceVia, Instance};
pub use offered::{GraphLoop, OpenedIteration};
pub use open::{IterationRequest, LoopCounts};
pub use record::Recorder;
pub use statics::{Static, StaticId};

use crate::event::ThreadId;
use crate::program::RoutineId;

/// Which part of a stream is recorded instance by instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamPart {
    /// Instances by their position in the stream as it is given, all threads together.
    Instances {
        /// How many come before the stretch.
        skip: u64,
        /// How many are in it; `None` for all that follow.
        count: Option<u64>,
    },
    /// One call of a routine, callees included, of the thread that makes it.
    Call {
        /// The routine, or the first of several.
        first: RoutineId,
        /// The same, or the last of several with neighbouring numbers.
        last: RoutineId,
        /// Which of their calls, from 1, in the order in which they are entered.
        number: u64,
    },
}

/// Which part of a stream is recorded, and what is kept of it.
#[derive(Clone, Debug)]
pub struct StretchSettings {
    /// The stretch.
    pub part: StreamPart,
    /// Most instances (12 bytes each).
    pub limit: u32,
    /// Whether to keep the graph's edges, and which.
    pub graph: Option<GraphSettings>,
}

/// How a recording came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordingEnd {
    /// The stretch is not in the stream: so few instances, or calls of the routine, were seen.
    NotReached {
        /// Instances before the end of the stream, or calls of the routine.
        seen: u64,
    },
    /// The stretch was still going on when the stream ended.
    WithStream,
    /// All of the stretch was recorded.
    Complete,
    /// The stretch has more instances than may be kept, or levels beyond 32 bits.
    AtLimit,
}

/// A stretch of a stream, recorded instance by instance.
#[derive(Debug)]
pub struct Recording {
    /// The thread and the routine of the call, where the stretch is one that was entered.
    pub call: Option<(ThreadId, RoutineId)>,
    /// How it ended.
    pub ended: RecordingEnd,
    /// Instances, in the order of the stream.
    pub instances: Vec<Instance>,
    /// Instructions, by the numbers in the instances.
    pub statics: Vec<Static>,
    /// The graph, where it was asked for.
    pub graph: Option<DataFlowGraph>,
    /// The graph with an iteration of a loop instance by instance, where that was asked for and executed.
    pub opened: Option<DataFlowGraph>,
    /// What was found of the loop, where one was to be opened.
    pub found: Option<LoopCounts>,
    /// Loops that the graph has put together, those of most instances first, with some iterations that can be opened.
    pub loops: Vec<GraphLoop>,
    /// Whether there are none of these since [`IterationOffer::bytes`] were not enough.
    pub no_room: bool,
}

impl Recording {
    /// Operations among the instances.
    pub fn operations(&self) -> u64 {
        self.instances
            .iter()
            .filter(|instance| self.statics[instance.statics().index()].counted)
            .count() as u64
    }

    /// Largest level of an operation; 0 if there are none.
    pub fn critical_path(&self) -> u32 {
        self.instances
            .iter()
            .filter(|instance| self.statics[instance.statics().index()].counted)
            .map(|instance| instance.level)
            .max()
            .unwrap_or(0)
    }
}
