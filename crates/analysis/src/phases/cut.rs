//! Cutting the run into phases: which of the recording's snapshots begin one, which end one.

use std::collections::BTreeSet;
use std::ops::Range;

use parascan_formats::omp::{Boundary, Recording};

use super::tree::JoinedTree;

/// What begins a phase, and where phases end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseRule {
    /// The node whose children are looked at.
    pub layer: usize,
    /// Children of the layer that belong to phases: entering anything else ends a phase.
    pub body: Vec<usize>,
    /// What begins one.
    pub start: Start,
}

/// What begins a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// Every entry of this node.
    Entry(usize),
    /// An entry of `header` from outside the loop, or after one of `sources` ran.
    Return {
        /// The loop's header.
        header: usize,
        /// The nodes from which an iteration begins anew.
        sources: Vec<usize>,
    },
    /// The user's mark, or another of its name; its end ends the phase.
    Mark(usize),
    /// Each time that a sequence of entries begins anew ([`super::sequence`]).
    Period {
        /// The node with which it begins.
        header: usize,
        /// Snapshots at entries of regions of the loop in one period.
        length: usize,
        /// Iterations that a period may be at most, each as many: more than 1 where not all entries had a snapshot.
        iterations: u64,
        /// The snapshots with which periods begin, ascending.
        begins: Vec<usize>,
    },
}

impl Start {
    /// The node whose entries are looked at.
    pub fn node(&self) -> usize {
        match *self {
            Self::Entry(node) | Self::Mark(node) => node,
            Self::Return { header, .. } | Self::Period { header, .. } => header,
        }
    }
}

/// What a part of the run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartKind {
    /// A phase, by its number from 1; or a slice of time, by the number of its first interval.
    Phase(u32),
    /// What lies before, between or after phases.
    Outside,
}

/// A part of the run: the intervals of some snapshots in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Whether it is a phase, lies between phases, or outside of all.
    pub kind: PartKind,
    /// Which snapshots' intervals.
    pub snapshots: Range<usize>,
    /// When it begins and ends, since the start of the recording.
    pub time: Range<u64>,
    /// A phase that no phase follows, and whose end no mark shows: it reaches to where something else was entered or
    /// the recording ended, so it may hold serial code that came after the loop.
    pub tail: bool,
    /// Of a slice of time, how many intervals of the given length it holds ([`super::intervals`]); 0 of a phase and
    /// what is around it.
    pub intervals: u64,
}

/// Cuts the run. Parts are in order, without gaps, and cover the whole recording.
pub fn cut(recording: &Recording, tree: &JoinedTree, rule: &PhaseRule) -> Vec<Slice> {
    let mut slices = Vec::new();
    let mut phases = 0;
    let mut kind = PartKind::Outside;
    let mut first = 0;
    let mut ran: BTreeSet<usize> = BTreeSet::new();
    let time = |number: usize| match number {
        0 => 0,
        _ => recording.snapshots[number - 1].time,
    };
    for (number, snapshot) in recording.snapshots.iter().enumerate() {
        if let Start::Return { sources, .. } = &rule.start {
            let initial = snapshot.parts.iter().take_while(|part| part.thread == 0);
            ran.extend(
                initial
                    .filter(|part| part.figures.executions > 0)
                    .map(|part| tree.joined[part.node as usize])
                    .filter(|node| sources.contains(node)),
            );
        }
        let next = match step(number, &snapshot.boundary, tree, rule, kind, &mut ran) {
            CutStep::Stay => continue,
            CutStep::Begin => {
                phases += 1;
                Some(PartKind::Phase(phases))
            }
            CutStep::Leave => Some(PartKind::Outside),
            CutStep::End => None,
        };
        let end = number + 1;
        let slice = Slice {
            kind,
            snapshots: first..end,
            time: time(first)..snapshot.time,
            tail: kind != PartKind::Outside
                && !matches!(next, Some(PartKind::Phase(_)))
                && !matches!(snapshot.boundary, Boundary::Finish { .. }),
            intervals: 0,
        };
        // Nothing happens before a phase that begins with the recording, or between marks side by side.
        let nothing = slice.time.is_empty()
            && recording.snapshots[first..end].iter().all(|s| {
                s.parts.is_empty() && s.counters.iter().all(|c| c.values.iter().all(|v| *v == 0))
            });
        if !(nothing && kind == PartKind::Outside) {
            slices.push(slice);
        }
        first = end;
        kind = next.unwrap_or(PartKind::Outside);
    }
    slices
}

enum CutStep {
    Stay,
    Begin,
    Leave,
    End,
}

/// What the boundary of a snapshot means while the run is in a part of this kind.
fn step(
    number: usize,
    boundary: &Boundary,
    tree: &JoinedTree,
    rule: &PhaseRule,
    kind: PartKind,
    ran: &mut BTreeSet<usize>,
) -> CutStep {
    let inside = kind != PartKind::Outside;
    let entered = match *boundary {
        Boundary::End => return CutStep::End,
        Boundary::Finish { node, .. } => {
            let ends = is_mark(tree, rule, tree.joined[node as usize]);
            return if ends && inside {
                CutStep::Leave
            } else {
                CutStep::Stay
            };
        }
        Boundary::Begin { node, .. } | Boundary::Enter { node, .. } => tree.joined[node as usize],
    };
    if matches!(rule.start, Start::Mark(_)) {
        return if is_mark(tree, rule, entered) {
            CutStep::Begin
        } else {
            CutStep::Stay
        };
    }
    if let Start::Period { begins, .. } = &rule.start {
        if begins.binary_search(&number).is_ok() {
            return CutStep::Begin;
        }
    } else if entered == rule.start.node() {
        let sources = std::mem::take(ran);
        let begins = !inside || matches!(rule.start, Start::Entry(_)) || !sources.is_empty();
        return if begins {
            CutStep::Begin
        } else {
            CutStep::Stay
        };
    }
    let child = tree.child_towards(rule.layer, entered);
    if inside && !child.is_some_and(|child| rule.body.contains(&child)) {
        CutStep::Leave
    } else {
        CutStep::Stay
    }
}

/// Marks of one name are one, wherever the program sets them.
fn is_mark(tree: &JoinedTree, rule: &PhaseRule, node: usize) -> bool {
    match rule.start {
        Start::Mark(mark) => {
            let (mark, node) = (&tree.nodes[mark].place, &tree.nodes[node].place);
            mark.construct == node.construct && mark.name == node.name
        }
        Start::Entry(_) | Start::Return { .. } | Start::Period { .. } => false,
    }
}
