//! Version 3 of recordings: without what counters counted at each node.

use serde::{Deserialize, Serialize};

use super::{
    Boundary, CallNode, CountedInterval, FiguresPart, NodeFigures, Place, Record, Recording,
    RecordingGap, Run, STATES, Snapshot, ThinnedNode, Thread,
};

/// A recording as version 3 of the format has it.
#[derive(Serialize, Deserialize)]
pub struct Recording3 {
    run: Run,
    counters: Vec<String>,
    places: Vec<Place>,
    nodes: Vec<CallNode>,
    threads: Vec<Thread3>,
    snapshots: Vec<Snapshot3>,
    thinned: Vec<ThinnedNode>,
    blind: Vec<RecordingGap>,
}

#[derive(Serialize, Deserialize)]
struct Thread3 {
    started: u64,
    ended: u64,
    records: Vec<Record3>,
}

#[derive(Serialize, Deserialize)]
struct Record3 {
    node: u32,
    predecessors: Vec<(u32, u64)>,
    figures: Figures3,
}

#[derive(Serialize, Deserialize)]
struct Figures3 {
    executions: u64,
    time: [u64; STATES],
    iterations: u64,
    tasks: u64,
    no_processor: u64,
    no_processor_fork: u64,
    held_up: u64,
    spared: u64,
}

#[derive(Serialize, Deserialize)]
struct Snapshot3 {
    time: u64,
    boundary: Boundary,
    parts: Vec<Part3>,
    counters: Vec<CountedInterval>,
    read: u64,
}

#[derive(Serialize, Deserialize)]
struct Part3 {
    thread: u32,
    node: u32,
    figures: Figures3,
}

impl From<Figures3> for NodeFigures {
    fn from(old: Figures3) -> Self {
        Self {
            executions: old.executions,
            time: old.time,
            iterations: old.iterations,
            tasks: old.tasks,
            no_processor: old.no_processor,
            no_processor_fork: old.no_processor_fork,
            held_up: old.held_up,
            spared: old.spared,
            counters: Vec::new(),
        }
    }
}

impl From<Recording3> for Recording {
    fn from(old: Recording3) -> Self {
        let record = |r: Record3| Record {
            node: r.node,
            predecessors: r.predecessors,
            figures: r.figures.into(),
        };
        let thread = |t: Thread3| Thread {
            started: t.started,
            ended: t.ended,
            records: t.records.into_iter().map(record).collect(),
        };
        let part = |p: Part3| FiguresPart {
            thread: p.thread,
            node: p.node,
            figures: p.figures.into(),
        };
        let snapshot = |s: Snapshot3| Snapshot {
            time: s.time,
            boundary: s.boundary,
            parts: s.parts.into_iter().map(part).collect(),
            counters: s.counters,
            read: s.read,
        };
        Self {
            run: old.run,
            counters: old.counters,
            region_counters: 0,
            places: old.places,
            nodes: old.nodes,
            threads: old.threads.into_iter().map(thread).collect(),
            snapshots: old.snapshots.into_iter().map(snapshot).collect(),
            thinned: old.thinned,
            blind: old.blind,
        }
    }
}
