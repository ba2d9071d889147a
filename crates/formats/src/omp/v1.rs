//! Version 1 of recordings: counters as threads read them now and then, which belong to no moment.

use serde::{Deserialize, Serialize};

use super::{
    Boundary, CallNode, CountedInterval, FiguresPart, NodeFigures, Place, Record, Recording,
    RecordingGap, Run, STATES, Snapshot, ThinnedNode, Thread,
};

/// A recording as version 1 of the format has it.
#[derive(Serialize, Deserialize)]
pub struct Recording1 {
    run: Run,
    counters: Vec<String>,
    places: Vec<Place>,
    nodes: Vec<CallNode>,
    threads: Vec<Thread1>,
    snapshots: Vec<Snapshot1>,
    thinned: Vec<ThinnedNode>,
    blind: Vec<RecordingGap>,
}

#[derive(Serialize, Deserialize)]
struct Thread1 {
    started: u64,
    ended: u64,
    records: Vec<Record1>,
}

#[derive(Serialize, Deserialize)]
struct Record1 {
    node: u32,
    predecessors: Vec<(u32, u64)>,
    figures: Figures1,
}

#[derive(Serialize, Deserialize)]
struct Figures1 {
    executions: u64,
    time: [u64; STATES],
    iterations: u64,
    tasks: u64,
}

#[derive(Serialize, Deserialize)]
struct Snapshot1 {
    time: u64,
    boundary: Boundary,
    parts: Vec<Part1>,
    counters: Vec<(u32, Vec<u64>)>,
}

#[derive(Serialize, Deserialize)]
struct Part1 {
    thread: u32,
    node: u32,
    figures: Figures1,
}

impl From<Figures1> for NodeFigures {
    fn from(old: Figures1) -> Self {
        Self {
            executions: old.executions,
            time: old.time,
            iterations: old.iterations,
            tasks: old.tasks,
            no_processor: 0,
            no_processor_fork: 0,
            held_up: 0,
            spared: 0,
            counters: Vec::new(),
        }
    }
}

impl From<Recording1> for Recording {
    fn from(old: Recording1) -> Self {
        let record = |r: Record1| Record {
            node: r.node,
            predecessors: r.predecessors,
            figures: r.figures.into(),
        };
        let thread = |t: Thread1| Thread {
            started: t.started,
            ended: t.ended,
            records: t.records.into_iter().map(record).collect(),
        };
        let part = |p: Part1| FiguresPart {
            thread: p.thread,
            node: p.node,
            figures: p.figures.into(),
        };
        // Each was read up to a millisecond before: of no boundary.
        let counted = |(thread, values)| CountedInterval {
            thread,
            known: 0,
            values,
        };
        let snapshot = |s: Snapshot1| Snapshot {
            time: s.time,
            boundary: s.boundary,
            parts: s.parts.into_iter().map(part).collect(),
            counters: s.counters.into_iter().map(counted).collect(),
            read: 0,
        };
        let mut blind = old.blind;
        blind.push(RecordingGap::NoSchedule);
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
