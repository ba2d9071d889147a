//! Version 2 of recordings: without what a lack of processors did to waits.

use serde::{Deserialize, Serialize};

use super::{
    Boundary, CallNode, CountedInterval, FiguresPart, NodeFigures, Place, Record, Recording,
    RecordingGap, Run, STATES, Snapshot, ThinnedNode, Thread,
};

/// A recording as version 2 of the format has it.
#[derive(Serialize, Deserialize)]
pub struct Recording2 {
    run: Run,
    counters: Vec<String>,
    places: Vec<Place>,
    nodes: Vec<CallNode>,
    threads: Vec<Thread2>,
    snapshots: Vec<Snapshot2>,
    thinned: Vec<ThinnedNode>,
    blind: Vec<RecordingGap>,
}

#[derive(Serialize, Deserialize)]
struct Thread2 {
    started: u64,
    ended: u64,
    records: Vec<Record2>,
}

#[derive(Serialize, Deserialize)]
struct Record2 {
    node: u32,
    predecessors: Vec<(u32, u64)>,
    figures: Figures2,
}

#[derive(Serialize, Deserialize)]
struct Figures2 {
    executions: u64,
    time: [u64; STATES],
    iterations: u64,
    tasks: u64,
    no_processor: u64,
    no_processor_fork: u64,
}

#[derive(Serialize, Deserialize)]
struct Snapshot2 {
    time: u64,
    boundary: Boundary,
    parts: Vec<Part2>,
    counters: Vec<CountedInterval>,
    read: u64,
}

#[derive(Serialize, Deserialize)]
struct Part2 {
    thread: u32,
    node: u32,
    figures: Figures2,
}

impl From<Figures2> for NodeFigures {
    fn from(old: Figures2) -> Self {
        Self {
            executions: old.executions,
            time: old.time,
            iterations: old.iterations,
            tasks: old.tasks,
            no_processor: old.no_processor,
            no_processor_fork: old.no_processor_fork,
            held_up: 0,
            spared: 0,
            counters: Vec::new(),
        }
    }
}

impl From<Recording2> for Recording {
    fn from(old: Recording2) -> Self {
        let record = |r: Record2| Record {
            node: r.node,
            predecessors: r.predecessors,
            figures: r.figures.into(),
        };
        let thread = |t: Thread2| Thread {
            started: t.started,
            ended: t.ended,
            records: t.records.into_iter().map(record).collect(),
        };
        let part = |p: Part2| FiguresPart {
            thread: p.thread,
            node: p.node,
            figures: p.figures.into(),
        };
        let snapshot = |s: Snapshot2| Snapshot {
            time: s.time,
            boundary: s.boundary,
            parts: s.parts.into_iter().map(part).collect(),
            counters: s.counters,
            read: s.read,
        };
        let mut blind = old.blind;
        blind.push(RecordingGap::NoHoldUps);
        Self {
            run: old.run,
            counters: old.counters,
            region_counters: 0,
            places: old.places,
            nodes: old.nodes,
            threads: old.threads.into_iter().map(thread).collect(),
            snapshots: old.snapshots.into_iter().map(snapshot).collect(),
            thinned: old.thinned,
            blind,
        }
    }
}
