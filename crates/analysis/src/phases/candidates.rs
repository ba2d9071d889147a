//! Loops as candidates for phases: confirmed on the sequence of snapshots, ranked, and one of them chosen.
//!
//! `docs/phases.md` explains the score and the rule of choice.

use parascan_formats::omp::{Construct, Recording, Snapshot};

use super::cut::{PartKind, PhaseRule, Slice, Start, cut};
use super::loops::FlowLoop;
use super::outliers::median;
use super::sequence;
pub use super::sequence::MIN_TRIPS;
use super::tree::JoinedTree;

/// Least share of the run that phases cover.
pub const MIN_COVERED: f64 = 0.1;
/// A loop with so many iterations is taken rather than one inside it.
pub const ENOUGH_TRIPS: u64 = 10;
/// Least regularity of a loop that is taken rather than one inside it.
pub const REGULAR: f64 = 0.5;

/// Share that counts as nearly all.
const SEEN: f64 = 0.9;
/// What the regularity of phases of several iterations each is worth: they hide how much those differ.
const UNCONFIRMED: f64 = 0.5;
/// Most other regions tried where the header has too few snapshots.
const ALTERNATIVES: usize = 16;
/// A round of a loop repeats its header at most so often.
pub const ROUND: u64 = 4;

/// A loop of the control flow as a candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidateLoop {
    /// The node in whose layer it is.
    pub layer: usize,
    /// The loop: its header and what belongs to it.
    pub found: FlowLoop,
    /// How phases are cut.
    pub rule: PhaseRule,
    /// How many phases that gives. Less than the trips when snapshots were thinned; 0 when there are no snapshots.
    pub phases: u64,
    /// Phases and trips agree.
    pub confirmed: bool,
    /// Share of the run's time in them, 0 to 1.
    pub covered: f64,
    /// 1 when the middle four fifths of the phases differ by no more than their median; less the more they differ, and
    /// half of that when they are not confirmed.
    pub regularity: f64,
    /// What it is ranked by, 0 to 1.
    pub score: f64,
    /// A reading whose phases nearly all enter the header the same number of times, [`ROUND`] at most: a region that is
    /// called several times in each iteration rather than one that sometimes has another after it.
    pub rounds: bool,
    /// Why it cannot be chosen.
    pub unfit: Option<UnfitReason>,
}

impl CandidateLoop {
    /// Whether its phases differ so much that they hardly are the program's steps.
    ///
    /// So it is, too, where phases hold several iterations and these may begin in several ways: nobody sees how much
    /// they differ.
    pub fn doubtful(&self) -> bool {
        let whole = if self.confirmed { 1.0 } else { UNCONFIRMED };
        let several = !self.confirmed
            && self.found.back.len() > 1
            && !matches!(self.rule.start, Start::Period { .. });
        self.regularity < REGULAR * whole || several
    }
}

/// Why a loop makes no phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnfitReason {
    /// Fewer iterations than [`MIN_TRIPS`].
    FewTrips,
    /// Less than [`MIN_COVERED`] of the run.
    LittleTime,
    /// No snapshots were taken there, or too few for the iterations.
    NoSnapshots,
}

/// All loops, highest score first.
pub fn candidates(recording: &Recording, tree: &JoinedTree) -> Vec<CandidateLoop> {
    let mut all: Vec<CandidateLoop> = tree
        .layers
        .iter()
        .flat_map(|layer| layer.loops.iter().map(|found| (layer.node, found)))
        .map(|(layer, found)| candidate(recording, tree, layer, found))
        .collect();
    all.extend(repeated(recording, tree, &all));
    all.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then(a.layer.cmp(&b.layer))
            .then(a.found.header.cmp(&b.found.header))
    });
    all
}

/// Loops of which no reading is regular, in readings whose iterations repeat a sequence of regions.
fn repeated(
    recording: &Recording,
    tree: &JoinedTree,
    known: &[CandidateLoop],
) -> Vec<CandidateLoop> {
    let whole = known.iter().filter(|c| !c.found.partial);
    let mut found = Vec::new();
    for one in whole.filter(|c| c.found.trips() >= MIN_TRIPS) {
        let same = |c: &&CandidateLoop| {
            (c.layer, c.found.header, c.found.depth)
                == (one.layer, one.found.header, one.found.depth)
        };
        let of_loop: Vec<&CandidateLoop> = known.iter().filter(same).collect();
        let regular = |c: &&CandidateLoop| {
            c.unfit != Some(UnfitReason::NoSnapshots) && c.regularity >= REGULAR && !c.doubtful()
        };
        if of_loop.iter().any(regular) {
            continue;
        }
        for (reading, rule) in sequence::readings(recording, tree, one.layer, &one.found) {
            let slices = cut(recording, tree, &rule);
            let number = phases(&slices).count() as u64;
            if of_loop.iter().all(|c| c.phases != number) {
                found.push(judged(recording, tree, &reading, rule, &slices));
            }
        }
    }
    found
}

fn candidate(
    recording: &Recording,
    tree: &JoinedTree,
    layer: usize,
    found: &FlowLoop,
) -> CandidateLoop {
    let (rule, slices) = best_cut(recording, tree, layer, found);
    judged(recording, tree, found, rule, &slices)
}

/// What phases that are cut so are worth.
fn judged(
    recording: &Recording,
    tree: &JoinedTree,
    found: &FlowLoop,
    rule: PhaseRule,
    slices: &[Slice],
) -> CandidateLoop {
    let trips = found.trips();
    let layer = rule.layer;
    let phases: Vec<&Slice> = phases(slices).collect();
    let duration = recording.run.duration.max(1) as f64;
    let header = rule.start.node();
    let visits: Vec<u64> = phases
        .iter()
        .map(|slice| visits(recording, tree, slice, header))
        .collect();
    // Phases that hold all visits show the loop's time; else the time in its regions is what is known.
    let seen = visits.iter().sum::<u64>() as f64;
    let complete = seen >= SEEN * tree.nodes[header].executions_of(0) as f64;
    let length = if complete {
        length(&phases)
    } else {
        found
            .body
            .iter()
            .map(|&node| tree.nodes[node].initial)
            .sum()
    };
    let covered = length as f64 / duration;
    let count = phases.len() as u64;
    let whole = !matches!(
        rule.start,
        Start::Period {
            iterations: 2..,
            ..
        }
    );
    let confirmed = whole && count == trips;
    let regularity = match regularity(recording, &phases) {
        regularity if confirmed => regularity,
        regularity => regularity * UNCONFIRMED,
    };
    let per_entry = trips as f64 / found.entries.max(1) as f64;
    let period = matches!(rule.start, Start::Period { .. });
    let rounds = found.partial && !period && are_rounds(visits);
    // Where entries of the header between two snapshots are not seen, what ran before them is taken for what came right
    // before the next: returns from elsewhere seem to be those that begin an iteration.
    let parts = matches!(rule.start, Start::Return { .. }) && count > trips;
    let unfit = if count == 0 || !complete || parts {
        Some(UnfitReason::NoSnapshots)
    } else if trips < MIN_TRIPS || count < MIN_TRIPS {
        Some(UnfitReason::FewTrips)
    } else if covered < MIN_COVERED {
        Some(UnfitReason::LittleTime)
    } else {
        None
    };
    CandidateLoop {
        layer,
        found: found.clone(),
        rule,
        phases: count,
        confirmed,
        covered,
        regularity,
        score: covered * per_entry / (per_entry + 2.0) * regularity,
        rounds,
        unfit,
    }
}

/// How often the initial thread entered a node.
fn visits(recording: &Recording, tree: &JoinedTree, slice: &Slice, node: usize) -> u64 {
    let of_node = |snapshot: &Snapshot| -> u64 {
        let initial = snapshot.parts.iter().take_while(|p| p.thread == 0);
        initial
            .filter(|p| tree.joined[p.node as usize] == node)
            .map(|p| p.figures.executions)
            .sum()
    };
    recording.snapshots[slice.snapshots.clone()]
        .iter()
        .map(of_node)
        .sum()
}

/// Whether nearly all of these are one small number above 1.
fn are_rounds(visits: Vec<u64>) -> bool {
    let usual = median(visits.clone());
    let alike = visits.iter().filter(|&&v| v == usual).count();
    (2..=ROUND).contains(&usual) && alike as f64 >= SEEN * visits.len() as f64
}

/// The slices that are phases.
pub fn phases(slices: &[Slice]) -> impl Iterator<Item = &Slice> {
    slices.iter().filter(|s| s.kind != PartKind::Outside)
}

/// Phases begin at the header; where not every entry of it has its snapshot, at another node that runs once in each
/// iteration, if that gives all of them, or if the header gives phases that do not hold whole iterations.
fn best_cut(
    recording: &Recording,
    tree: &JoinedTree,
    layer: usize,
    found: &FlowLoop,
) -> (PhaseRule, Vec<Slice>) {
    let trips = found.trips();
    let header = if found.partial {
        Start::Return {
            header: found.header,
            sources: found.back.iter().map(|b| b.0).collect(),
        }
    } else {
        Start::Entry(found.header)
    };
    let once = found
        .body
        .iter()
        .filter(|&&node| node != found.header && tree.nodes[node].executions_of(0) == trips)
        .map(|&node| Start::Entry(node))
        .take(ALTERNATIVES);
    let mut best: Option<((bool, u64), PhaseRule, Vec<Slice>)> = None;
    for start in std::iter::once(header).chain(once) {
        let rule = PhaseRule {
            layer,
            body: found.body.clone(),
            start,
        };
        let slices = cut(recording, tree, &rule);
        let found = phases(&slices).count() as u64;
        let away = trips.abs_diff(found);
        // Between two entries of a node that runs once in each iteration there are whole iterations. Between two
        // returns that have a snapshot there are some, and parts of others.
        let whole = matches!(rule.start, Start::Entry(_)) && found >= MIN_TRIPS;
        let rank = (away > 0 && !whole, away);
        if best.as_ref().is_none_or(|best| rank < best.0) {
            best = Some((rank, rule, slices));
        }
        if away == 0 {
            break;
        }
    }
    let (_, rule, slices) = best.expect("there is a rule for the header");
    (rule, slices)
}

/// Time in phases. One whose end was not seen counts as the median of the others at most.
fn length(phases: &[&Slice]) -> u64 {
    let wall = |slice: &Slice| slice.time.end - slice.time.start;
    let seen = phases.iter().filter(|s| !s.tail).map(|s| wall(s));
    let most = median(seen.collect());
    phases
        .iter()
        .map(|s| if s.tail { wall(s).min(most) } else { wall(s) })
        .sum()
}

/// By the iterations that worksharing handed out, which are the same in every run, where all phases have some; else by
/// time.
fn regularity(recording: &Recording, phases: &[&Slice]) -> f64 {
    let handed = |slice: &&Slice| -> u64 {
        recording.snapshots[slice.snapshots.clone()]
            .iter()
            .flat_map(|s| &s.parts)
            .fold(0, |sum, part| sum.saturating_add(part.figures.iterations))
    };
    let mut sizes: Vec<u64> = phases.iter().map(handed).collect();
    if sizes.contains(&0) {
        sizes = phases.iter().map(|s| s.time.end - s.time.start).collect();
    }
    sizes.sort_unstable();
    let at = |share: f64| sizes[((sizes.len() - 1) as f64 * share).round() as usize] as f64;
    if sizes.is_empty() || at(0.5) <= 0.0 {
        return 1.0;
    }
    let spread = (at(0.9) - at(0.1)) / at(0.5);
    1.0 / spread.max(1.0)
}

/// The index of the candidate that phases are made of: the best one, its reading in rounds if it has one or by the
/// order of regions if it is doubtful, or a loop around it with [`ENOUGH_TRIPS`].
pub fn choose(tree: &JoinedTree, candidates: &[CandidateLoop]) -> Option<usize> {
    let fit = |c: &&CandidateLoop| c.unfit.is_none();
    let mut chosen = candidates.iter().position(|c| fit(&c))?;
    loop {
        let one = &candidates[chosen];
        let rounds = candidates.iter().position(|c| {
            c.rounds
                && fit(&c)
                && (c.layer, c.found.header) == (one.layer, one.found.header)
                && c.found.back.len() < one.found.back.len()
        });
        let repeated = candidates.iter().position(|c| {
            matches!(c.rule.start, Start::Period { .. })
                && one.doubtful()
                && !c.doubtful()
                && fit(&c)
                && (c.layer, &c.found.body) == (one.layer, &one.found.body)
        });
        chosen = repeated.or(rounds).unwrap_or(chosen);
        let inner = &candidates[chosen];
        let outer = candidates.iter().position(|c| {
            c.unfit.is_none()
                && around(tree, c, inner)
                && c.found.trips() >= ENOUGH_TRIPS
                && c.regularity >= REGULAR
        });
        match outer {
            Some(outer) => chosen = outer,
            None => return Some(chosen),
        }
    }
}

/// Whether a loop holds another one: on the same layer, with more nodes, or with the other's layer inside a node.
fn around(tree: &JoinedTree, outer: &CandidateLoop, inner: &CandidateLoop) -> bool {
    if outer.layer == inner.layer {
        return outer.found.depth < inner.found.depth
            && outer.found.body.contains(&inner.found.header);
    }
    tree.child_towards(outer.layer, inner.layer)
        .is_some_and(|child| outer.found.body.contains(&child))
}

/// The mark of the user's that covers most time, if there are any; one that was met once only where none was met again.
pub fn marked(recording: &Recording, tree: &JoinedTree) -> Option<PhaseRule> {
    let marks =
        (0..tree.nodes.len()).filter(|&node| tree.nodes[node].place.construct == Construct::Phase);
    marks
        .filter_map(|node| {
            let rule = rule_of(tree, node);
            let slices = cut(recording, tree, &rule);
            let inside: u64 = phases(&slices).map(|s| s.time.end - s.time.start).sum();
            let repeats = phases(&slices).nth(1).is_some();
            // Outer marks come first in the tree and win where both cover the same.
            let rank = (repeats, inside, std::cmp::Reverse(node));
            (inside > 0).then_some((rank, rule))
        })
        .max_by_key(|&(rank, _)| rank)
        .map(|(_, rule)| rule)
}

/// Phases that begin at each entry of a node: within the widest loop around it, or else until the layer is left.
pub fn rule_of(tree: &JoinedTree, node: usize) -> PhaseRule {
    let layer = tree.nodes[node].parent.unwrap_or(0);
    let start = if tree.nodes[node].place.construct == Construct::Phase {
        Start::Mark(node)
    } else {
        Start::Entry(node)
    };
    let loops = tree.layer(layer).map_or(&[][..], |l| &l.loops);
    let body = loops
        .iter()
        .find(|l| l.body.contains(&node))
        .map_or_else(|| tree.nodes[layer].children.clone(), |l| l.body.clone());
    PhaseRule { layer, body, start }
}
