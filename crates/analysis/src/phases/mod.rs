//! Iterative phases of OpenMP programs (ompP): control flow, loops, phases, overheads.
//!
//! * [`tree`]: the call tree with equal source places joined, every layer's control-flow graph ([`flow`], [`label`]);
//! * [`loops`]: loops of a layer, [`sequence`]: those that only the order of snapshots tells; [`candidates`]: which of
//!   them make phases;
//! * [`cut`]: which snapshots begin and end a phase; [`figures`]: what happened in each, [`counts`]: what counters
//!   counted;
//! * [`intervals`]: slices of equal length instead of phases;
//! * [`busy`]: what was due to a busy machine;
//! * [`inside`]: what threads did in regions with everything inside: time, counters;
//! * [`naming`]: how regions are named, [`thread_times`]: whose time in one is meant;
//! * [`outliers`]: phases that are not like the others, and why;
//! * [`ranks`]: the same phases of several processes;
//! * [`conclusions`]: the largest losses of the run, and what is known of their causes.
//!
//! Definitions stand in `docs/phases.md`, what counts as which overhead in `docs/omp-overheads.md`.

pub mod busy;
pub mod candidates;
pub mod conclusions;
pub mod counts;
pub mod cut;
pub mod figures;
pub mod flow;
pub mod inside;
pub mod intervals;
pub mod label;
pub mod loops;
pub mod naming;
pub mod outliers;
pub mod ranks;
pub mod sequence;
pub mod thread_times;
pub mod tree;

use parascan_formats::omp::{Recording, RecordingGap, Run, ThinnedNode};

use crate::Error;
use busy::MachineLoad;
use candidates::{CandidateLoop, candidates, choose, marked, rule_of};
use conclusions::Loss;
use cut::{PartKind, PhaseRule, cut};
use figures::{RunPart, TimeSummary, pieces};
use intervals::Intervals;
use outliers::{Outlier, outliers};
use tree::JoinedTree;

/// How the user wants phases to be found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhaseOptions {
    /// The node at whose entries phases begin ([`naming::find`]); without it, marks or a loop.
    pub phase: Option<String>,
    /// Cut the run into slices of so many nanoseconds instead.
    pub interval: Option<u64>,
}

/// Everything that is known of a run's phases.
#[derive(Clone, Debug, PartialEq)]
pub struct Phases {
    /// Where the recording comes from.
    pub run: Run,
    /// Names of the counters.
    pub counters: Vec<String>,
    /// A bit for each that was read at entry and exit of regions, too; 0 when none was.
    pub region_counters: u64,
    /// Number of threads.
    pub threads: u32,
    /// Nodes and control flow.
    pub tree: JoinedTree,
    /// Loops as candidates, best first.
    pub candidates: Vec<CandidateLoop>,
    /// What phases were made of; None when there are none.
    pub choice: Option<PhaseChoice>,
    /// How the run was cut by time, if it was: its slices then stand for the phases.
    pub intervals: Option<Intervals>,
    /// The run in parts: phases and what is around them. One part when there are no phases.
    pub pieces: Vec<RunPart>,
    /// The paths that phases take: most frequent first.
    pub paths: Vec<PhasePath>,
    /// Phases that are not like the others.
    pub outliers: Vec<Outlier>,
    /// What the run loses most by, largest first.
    pub losses: Vec<Loss>,
    /// The whole run.
    pub total: TimeSummary,
    /// The phases' part of it.
    pub inside: TimeSummary,
    /// How busy the machine was.
    pub busy: MachineLoad,
    /// Nodes of the recording whose snapshots were thinned.
    pub thinned: Vec<ThinnedNode>,
    /// What could not be seen.
    pub blind: Vec<RecordingGap>,
}

/// What phases were made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseChoice {
    /// How it came about.
    pub how: PhaseMethod,
    /// How phases are cut.
    pub rule: PhaseRule,
}

/// How the loop or marks whose iterations are the phases were chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhaseMethod {
    /// The user named a node.
    Named,
    /// The program has marks.
    Marks,
    /// The loop [`Phases::candidates`]`[index]`.
    Loop(usize),
    /// The user gave a length of time ([`Phases::intervals`]); the rule says nothing.
    Interval,
}

/// Phases that enter the same children of the layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhasePath {
    /// The children, ascending.
    pub nodes: Vec<usize>,
    /// The phases' numbers, from 1.
    pub phases: Vec<u32>,
}

impl Phases {
    /// Whether what a counter counted in each region is known.
    pub fn counts_in_regions(&self, counter: usize) -> bool {
        counter < self.counters.len().min(64) && self.region_counters >> counter & 1 != 0
    }

    /// The phases among the parts.
    pub fn phases(&self) -> impl Iterator<Item = (u32, &RunPart)> {
        self.pieces.iter().filter_map(|piece| match piece.kind {
            PartKind::Phase(number) => Some((number, piece)),
            PartKind::Outside => None,
        })
    }
}

/// Analyses a recording.
///
/// # Errors
/// [`Error::UnknownNode`] when the node for the phases does not exist, [`Error::NoVisits`] when the recording has no
/// snapshot at it, [`Error::Interval`] when it cannot be cut into slices of that length.
pub fn phases(recording: &Recording, options: &PhaseOptions) -> Result<Phases, Error> {
    analysed(recording, options, JoinedTree::new(recording), None)
}

/// The same with the recording's tree, and phases that are chosen already.
fn analysed(
    recording: &Recording,
    options: &PhaseOptions,
    tree: JoinedTree,
    chosen: Option<PhaseChoice>,
) -> Result<Phases, Error> {
    let candidates = candidates(recording, &tree);
    let choice = if chosen.is_some() {
        chosen
    } else if options.interval.is_some() {
        Some(PhaseChoice {
            how: PhaseMethod::Interval,
            rule: PhaseRule {
                layer: 0,
                body: Vec::new(),
                start: cut::Start::Mark(0),
            },
        })
    } else if let Some(given) = &options.phase {
        let node = naming::find(&tree, given)?;
        Some(PhaseChoice {
            how: PhaseMethod::Named,
            rule: rule_of(&tree, node),
        })
    } else if let Some(rule) = marked(recording, &tree) {
        Some(PhaseChoice {
            how: PhaseMethod::Marks,
            rule,
        })
    } else {
        choose(&tree, &candidates).map(|index| PhaseChoice {
            how: PhaseMethod::Loop(index),
            rule: candidates[index].rule.clone(),
        })
    };
    // Without phases, a rule that never begins one.
    let rule = choice.as_ref().map_or_else(
        || PhaseRule {
            layer: 0,
            body: Vec::new(),
            start: cut::Start::Entry(0),
        },
        |choice| choice.rule.clone(),
    );
    let (slices, intervals) = match options.interval {
        Some(length) => {
            let (slices, intervals) = intervals::slices(recording, length)?;
            (slices, Some(intervals))
        }
        None => (cut(recording, &tree, &rule), None),
    };
    let mut pieces = pieces(recording, &tree, &slices, &rule.start);
    if let Some(given) = &options.phase
        && candidates::phases(&slices).next().is_none()
    {
        return Err(Error::NoVisits {
            given: given.clone(),
        });
    }
    let threads = recording.threads.len() as u32;
    let tells = busy::tells(recording);
    for piece in &mut pieces {
        let figures = piece.cells.iter().map(|c| (c.thread, &c.figures));
        piece.without = tells
            .then(|| busy::without(piece.wall(), threads, figures))
            .flatten();
    }
    let figures = tree.nodes.iter().flat_map(|n| &n.threads);
    let without = tells
        .then(|| {
            let figures = figures.map(|(thread, figures)| (*thread, figures));
            busy::without(recording.run.duration, threads, figures)
        })
        .flatten();
    let cells = pieces.iter().flat_map(|p| &p.cells);
    let total = TimeSummary::new(
        recording.run.duration,
        threads,
        cells.map(|c| (c.thread, &c.figures)),
    );
    let within = || pieces.iter().filter(|p| p.kind != PartKind::Outside);
    let inside = TimeSummary::new(
        within().map(RunPart::wall).sum(),
        threads,
        within()
            .flat_map(|p| &p.cells)
            .map(|c| (c.thread, &c.figures)),
    );
    Ok(Phases {
        run: recording.run.clone(),
        counters: recording.counters.clone(),
        region_counters: recording.region_counters,
        threads,
        // Slices of time do not repeat anything.
        paths: match intervals {
            Some(_) => Vec::new(),
            None => paths(&tree, &rule, &pieces),
        },
        outliers: match intervals {
            Some(_) => Vec::new(),
            None => outliers(&pieces),
        },
        intervals,
        losses: match &without {
            Some(without) => {
                let tree = busy::undisturbed_tree(&tree);
                conclusions::losses(recording, &tree, without)
            }
            None => conclusions::losses(recording, &tree, &total),
        },
        busy: busy::busy(recording, &total, without),
        tree,
        candidates,
        choice,
        pieces,
        total,
        inside,
        thinned: recording.thinned.clone(),
        blind: recording.blind.clone(),
    })
}

/// Groups the phases by the children of the layer that the initial thread entered.
fn paths(tree: &JoinedTree, rule: &PhaseRule, pieces: &[RunPart]) -> Vec<PhasePath> {
    let mut paths: Vec<PhasePath> = Vec::new();
    for piece in pieces {
        let PartKind::Phase(number) = piece.kind else {
            continue;
        };
        let initial = piece.cells.iter().take_while(|c| c.thread == 0);
        let nodes: Vec<usize> = initial
            .filter(|c| c.figures.executions > 0)
            .filter(|c| tree.nodes[c.node].parent == Some(rule.layer))
            .map(|c| c.node)
            .collect();
        match paths.iter_mut().find(|path| path.nodes == nodes) {
            Some(path) => path.phases.push(number),
            None => paths.push(PhasePath {
                nodes,
                phases: vec![number],
            }),
        }
    }
    paths.sort_by_key(|path| (std::cmp::Reverse(path.phases.len()), path.phases[0]));
    paths
}
