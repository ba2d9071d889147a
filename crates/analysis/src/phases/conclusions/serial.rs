//! The serial part of a run: how long it is, where it lies, and what limit it sets (Amdahl's law).

use std::collections::BTreeMap;

use parascan_formats::omp::{Boundary, Construct, Recording};

use super::TreeSums;
use crate::phases::busy::undisturbed;
use crate::phases::figures::TimeSummary;

/// Most stretches named.
const STRETCHES: usize = 3;

/// The initial thread's time outside of parallel regions.
#[derive(Clone, Debug, PartialEq)]
pub struct Serial {
    /// How long it is, in nanoseconds of wall time.
    pub time: u64,
    /// The run's time over it: no number of threads makes the run faster by more than this factor while it stays.
    pub limit: f64,
    /// Where most of it is, longest first.
    pub stretches: Vec<SerialTime>,
}

/// Serial time at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SerialTime {
    /// Where the initial thread was meanwhile.
    pub part: SerialPlace,
    /// Time there, in nanoseconds.
    pub time: u64,
}

/// Where the initial thread executes serial code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SerialPlace {
    /// In a function, named region or mark, without what is inside.
    In(usize),
    /// In the program itself, after this node and before that one; None: from its begin, to its end.
    Between(Option<usize>, Option<usize>),
    /// In the program itself; snapshots were too few to know where.
    Somewhere,
}

/// Time lost to it, what it could bring at most, and what it is; None when there is none.
pub(super) fn serial(
    recording: &Recording,
    run: &TreeSums,
    total: &TimeSummary,
) -> Option<(u64, u64, Serial)> {
    let nodes = &run.tree.nodes;
    let parallel: u64 = run.outermost().map(|n| nodes[n].initial).sum();
    let time = nodes[0].initial.saturating_sub(parallel);
    if time == 0 || run.outermost().next().is_none() {
        return None;
    }
    let others = u64::from(total.threads) - 1;
    // Threads may be outside of regions for other reasons, too: smaller teams.
    let lost = time.saturating_mul(others).min(total.idle);
    let serial = Serial {
        time,
        limit: total.wall as f64 / time as f64,
        stretches: stretches(recording, run),
    };
    Some((lost, lost / u64::from(total.threads), serial))
}

/// Each snapshot holds what followed its predecessor's boundary: serial time that belongs to the program itself lies
/// between these two.
fn stretches(recording: &Recording, run: &TreeSums) -> Vec<SerialTime> {
    let joined = |node: u32| run.tree.joined[node as usize];
    // What a boundary enters, as seen from outside of parallel regions.
    let seen = |node: usize| run.regions(node).map_or(node, |(_, outer)| outer);
    let mut parts: BTreeMap<SerialPlace, u64> = BTreeMap::new();
    let mut before: Option<usize> = None;
    for snapshot in &recording.snapshots {
        let next = match snapshot.boundary {
            Boundary::Enter { node, .. } | Boundary::Begin { node, .. } => Some(joined(node)),
            Boundary::Finish { .. } | Boundary::End => None,
        };
        let next = next.map(seen);
        let initial = || snapshot.parts.iter().take_while(|p| p.thread == 0);
        // Thinned snapshots may have passed over others.
        let passed = initial().any(|part| {
            let node = joined(part.node);
            let is_outer = run.regions(node) == Some((node, node));
            is_outer && part.figures.executions > u64::from(Some(node) == before)
        });
        for part in initial() {
            let node = joined(part.node);
            let time = undisturbed(&part.figures).exclusive();
            if time == 0 || run.regions(node).is_some() {
                continue;
            }
            let part = match run.construct(node) {
                Construct::Program if passed => SerialPlace::Somewhere,
                Construct::Program => SerialPlace::Between(before, next),
                _ => SerialPlace::In(node),
            };
            let sum = parts.entry(part).or_default();
            *sum = sum.saturating_add(time);
        }
        if !matches!(snapshot.boundary, Boundary::Finish { .. }) {
            before = next;
        }
    }
    let mut stretches: Vec<SerialTime> = parts
        .into_iter()
        .map(|(part, time)| SerialTime { part, time })
        .collect();
    stretches.sort_by_key(|s| (std::cmp::Reverse(s.time), s.part));
    stretches.truncate(STRETCHES);
    stretches
}
