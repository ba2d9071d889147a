//! Figures of parts of the run: what every thread did at every node, overheads by class, efficiencies.
//!
//! A part's figures are the sums over its snapshots' intervals, so all parts together are exactly the recording's
//! totals.

use std::collections::BTreeMap;
use std::ops::Range;

use parascan_formats::omp::{NodeFigures, OverheadClass, Recording, State};
use serde::Serialize;

use super::counts::{PartCounts, counts};
use super::cut::{PartKind, Slice, Start};
use super::tree::JoinedTree;

/// A part of the run with its figures.
#[derive(Clone, Debug, PartialEq)]
pub struct RunPart {
    /// A phase, a slice of time, or what lies outside of phases.
    pub kind: PartKind,
    /// When it begins and ends, in nanoseconds since the start of the recording.
    pub time: Range<u64>,
    /// It may hold serial code that came after the loop ([`Slice::tail`]).
    pub tail: bool,
    /// How often the initial thread entered the node with which phases begin: more than once where snapshots were
    /// thinned. 1 in phases of marks, and of a reading in which other entries of that node do not begin an iteration
    /// ([`Start::Return`], [`Start::Period`]).
    pub iterations: u64,
    /// Of a slice of time, how many intervals it holds ([`Slice::intervals`]).
    pub intervals: u64,
    /// What was done, by thread, then node.
    pub cells: Vec<ThreadAtNode>,
    /// What counters counted.
    pub counts: PartCounts,
    /// The part had all threads always had a processor: an estimate ([`super::busy`]). None where they had one, as far
    /// as is known.
    pub without: Option<TimeSummary>,
}

/// What a thread did at a node during a part of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadAtNode {
    /// Number of the thread in the recording, from 0; 0 is the initial thread.
    pub thread: u32,
    /// The node of the joined tree.
    pub node: usize,
    /// Its figures; times without those of nodes inside.
    pub figures: NodeFigures,
}

impl RunPart {
    /// How long it took, in nanoseconds.
    pub fn wall(&self) -> u64 {
        self.time.end - self.time.start
    }

    /// A thread's figures at a node.
    pub fn cell(&self, thread: u32, node: usize) -> Option<&NodeFigures> {
        let at = self
            .cells
            .binary_search_by_key(&(thread, node), |c| (c.thread, c.node))
            .ok()?;
        Some(&self.cells[at].figures)
    }

    /// The summary of this part of a run that has `threads` threads.
    pub fn summary(&self, threads: u32) -> TimeSummary {
        let figures = self.cells.iter().map(|c| (c.thread, &c.figures));
        TimeSummary::new(self.wall(), threads, figures)
    }

    /// Nanoseconds during which a thread worked, or was to come to a region, and had no processor.
    pub fn no_processor(&self, thread: u32) -> u64 {
        let cells = self.cells.iter().filter(|c| c.thread == thread);
        let each = cells.map(|c| c.figures.no_processor + c.figures.no_processor_fork);
        each.sum()
    }

    /// The summary of one thread.
    pub fn of_thread(&self, thread: u32) -> TimeSummary {
        let cells = self.cells.iter().filter(|c| c.thread == thread);
        TimeSummary::new(self.wall(), 1, cells.map(|c| (c.thread, &c.figures)))
    }
}

/// Where the threads' time went during a part of the run, and how efficiently they were used.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TimeSummary {
    /// Wall-clock time in nanoseconds.
    pub wall: u64,
    /// Threads; all of the run, whether they took part or not.
    pub threads: u32,
    /// Time of all threads in which they executed the program.
    pub work: u64,
    /// Time lost to each class, in the order of [`OverheadClass::ALL`].
    pub lost: [u64; 4],
    /// What remains of `wall x threads`: threads outside of parallel regions.
    pub idle: u64,
    /// `work / (wall x threads)`; None when no time passed.
    pub parallel_efficiency: Option<f64>,
    /// Mean work of a thread over that of the busiest; None when nobody worked.
    pub load_balance: Option<f64>,
    /// Work of the busiest thread over wall time: what was not lost to all threads waiting at the same time. Parallel
    /// efficiency is load balance times this.
    pub serialization: Option<f64>,
}

impl TimeSummary {
    /// Sums up the figures of threads.
    pub fn new<'a>(
        wall: u64,
        threads: u32,
        figures: impl IntoIterator<Item = (u32, &'a NodeFigures)>,
    ) -> Self {
        let mut works: BTreeMap<u32, u64> = BTreeMap::new();
        let mut lost = [0u64; 4];
        for (thread, figures) in figures {
            let work = works.entry(thread).or_default();
            *work = work.saturating_add(figures.time[State::Work as usize]);
            for (sum, class) in lost.iter_mut().zip(OverheadClass::ALL) {
                *sum = sum.saturating_add(figures.lost(class));
            }
        }
        Self::of(wall, threads, works, lost)
    }

    /// From work of threads, and time lost to each class.
    pub(super) fn of(
        wall: u64,
        threads: u32,
        works: impl IntoIterator<Item = (u32, u64)>,
        lost: [u64; 4],
    ) -> Self {
        let (mut work, mut most) = (0u64, 0);
        for (_, one) in works {
            work = work.saturating_add(one);
            most = most.max(one);
        }
        let available = wall.saturating_mul(threads.into());
        let used = lost.iter().fold(work, |sum, l| sum.saturating_add(*l));
        let share = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
        Self {
            wall,
            threads,
            work,
            lost,
            idle: available.saturating_sub(used),
            parallel_efficiency: share(work as f64, available as f64),
            load_balance: share(work as f64 / f64::from(threads.max(1)), most as f64),
            serialization: share(most as f64, wall as f64),
        }
    }

    /// A class's share of `wall x threads`, 0 to 1.
    pub fn share(&self, class: OverheadClass) -> f64 {
        self.part(self.lost[class as usize])
    }

    /// Share of `wall x threads` of a time, 0 when no time passed.
    pub fn part(&self, time: u64) -> f64 {
        let available = self.wall as f64 * f64::from(self.threads);
        if available > 0.0 {
            time as f64 / available
        } else {
            0.0
        }
    }
}

/// Figures of every slice of the run, times in nanoseconds.
pub fn pieces(
    recording: &Recording,
    tree: &JoinedTree,
    slices: &[Slice],
    start: &Start,
) -> Vec<RunPart> {
    let one = |(slice, counts): (&Slice, PartCounts)| {
        let mut cells: BTreeMap<(u32, usize), NodeFigures> = BTreeMap::new();
        for snapshot in &recording.snapshots[slice.snapshots.clone()] {
            for part in &snapshot.parts {
                let node = tree.joined[part.node as usize];
                cells
                    .entry((part.thread, node))
                    .or_default()
                    .add(&part.figures);
            }
        }
        RunPart {
            kind: slice.kind,
            time: slice.time.clone(),
            tail: slice.tail,
            intervals: slice.intervals,
            iterations: match start {
                Start::Return { .. } | Start::Mark(_) | Start::Period { .. } => {
                    u64::from(slice.kind != PartKind::Outside)
                }
                Start::Entry(node) => cells
                    .get(&(0, *node))
                    .map_or(0, |figures| figures.executions),
            },
            cells: cells
                .into_iter()
                .map(|((thread, node), figures)| ThreadAtNode {
                    thread,
                    node,
                    figures,
                })
                .collect(),
            counts,
            without: None,
        }
    };
    let counts = counts(recording, slices);
    slices.iter().zip(counts).map(one).collect()
}
