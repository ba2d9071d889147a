//! Several processes of one run, as MPI starts them: the same phases side by side, and which rank they wait for.
//!
//! The first recording's phases are looked for in all others, by places of the source: numbers of nodes belong to one
//! recording. Where snapshots were thinned differently, phases are joined until they begin at the same iterations
//! everywhere.

use std::collections::{BTreeMap, BTreeSet};

use parascan_formats::omp::Recording;

use super::cut::{PartKind, PhaseRule, Start};
use super::naming::{base, id, title};
use super::sequence;
use super::tree::JoinedTree;
use super::{PhaseChoice, PhaseMethod, PhaseOptions, Phases, analysed, phases};
use crate::Error;

/// The processes of a run with the same phases.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranks {
    /// Each process's own results, in the order given; its place is its rank.
    pub each: Vec<Phases>,
    /// The phases, with the time that each rank took.
    pub phases: Vec<RankPhase>,
    /// Sum of the phases' longest times over the sum of their means: 1 where all ranks take the same time in each
    /// phase. None where no time passed.
    pub imbalance: Option<f64>,
    /// The same had the threads of all ranks always had a processor: an estimate ([`super::busy`]). None where they
    /// had, as far as is known.
    pub without: Option<f64>,
}

/// The same phase in all processes of a run, side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankPhase {
    /// Its first iteration, from 1; also its number, where each phase is one iteration.
    pub first: u64,
    /// Its last iteration; the same as `first` where each phase is one iteration.
    pub last: u64,
    /// Wall time of each rank in nanoseconds.
    pub times: Vec<u64>,
    /// The same had its threads always had a processor, an estimate; of a rank whose threads had, as far as is known,
    /// its wall time.
    pub undisturbed: Vec<u64>,
}

impl RankPhase {
    /// The rank that takes longest, and its time in nanoseconds; the first of several.
    pub fn slowest(&self) -> (usize, u64) {
        let longest = self.times.iter().copied().max().unwrap_or(0);
        let rank = self.times.iter().position(|&time| time == longest);
        (rank.unwrap_or(0), longest)
    }

    /// Mean time of a rank, in nanoseconds.
    pub fn mean(&self) -> f64 {
        mean(&self.times)
    }

    /// The longest time over the mean; None where no time passed.
    pub fn imbalance(&self) -> Option<f64> {
        let mean = self.mean();
        (mean > 0.0).then(|| self.slowest().1 as f64 / mean)
    }
}

impl Ranks {
    /// In how many phases each rank takes longest.
    pub fn slowest(&self) -> Vec<u64> {
        let mut counts = vec![0; self.each.len()];
        for side in &self.phases {
            counts[side.slowest().0] += 1;
        }
        counts
    }
}

/// Phases of several processes, side by side. Each recording comes with the name under which errors speak of it.
///
/// # Errors
/// Those of [`phases`] for the first recording; [`Error::Ranks`] where the recordings do not belong together, or there
/// are no phases.
pub fn ranks(recordings: &[(String, Recording)], options: &PhaseOptions) -> Result<Ranks, Error> {
    let Some(((first_name, first), others)) = recordings.split_first() else {
        return Err(Error::NoProfiles);
    };
    let wrong = |why: String| Error::Ranks { why };
    let leader = phases(first, options)?;
    let Some(choice) = leader.choice.clone() else {
        return Err(wrong(format!(
            "{first_name} has no phases; --phase NODE names the region with which they begin"
        )));
    };
    let program = |recording: &Recording| {
        let command = recording.run.command.first();
        command.map_or(String::new(), |name| base(name).to_owned())
    };
    let start = choice.rule.start.node();
    let mut each = vec![leader];
    for (name, recording) in others {
        let (mine, theirs) = (program(recording), program(first));
        if mine != theirs {
            return Err(wrong(format!(
                "{name} is of the program `{mine}`, {first_name} of `{theirs}`"
            )));
        }
        let tree = JoinedTree::new(recording);
        let found = counterparts(&each[0].tree, &tree);
        let rule =
            translated(&choice.rule, &found).and_then(|rule| repeated(recording, &tree, rule));
        let Some(rule) = rule else {
            return Err(wrong(format!(
                "{name} was never where the phases of {first_name} begin, at {} ({})",
                id(start),
                title(&each[0].tree.nodes[start].place)
            )));
        };
        let how = match choice.how {
            PhaseMethod::Loop(_) => PhaseMethod::Named,
            how => how,
        };
        let chosen = PhaseChoice { how, rule };
        each.push(analysed(recording, options, tree, Some(chosen))?);
    }
    let names: Vec<&str> = recordings.iter().map(|r| r.0.as_str()).collect();
    let phases = sides(&each, &names)?;
    let disturbed = each.iter().any(|rank| rank.busy.without.is_some());
    Ok(Ranks {
        imbalance: imbalance(phases.iter().map(|side| &side.times)),
        without: disturbed
            .then(|| imbalance(phases.iter().map(|side| &side.undisturbed)))
            .flatten(),
        each,
        phases,
    })
}

/// Sum of the longest times over the sum of the means.
fn imbalance<'a>(phases: impl Iterator<Item = &'a Vec<u64>>) -> Option<f64> {
    let (longest, means) = phases.fold((0.0, 0.0), |sums, times| {
        let longest = times.iter().copied().max().unwrap_or(0);
        (sums.0 + longest as f64, sums.1 + mean(times))
    });
    (means > 0.0).then(|| longest / means)
}

fn mean(times: &[u64]) -> f64 {
    times.iter().sum::<u64>() as f64 / times.len().max(1) as f64
}

/// For each node of one tree the node of another with equal places on the path to it.
fn counterparts(from: &JoinedTree, to: &JoinedTree) -> Vec<Option<usize>> {
    let mut found: Vec<Option<usize>> = Vec::with_capacity(from.nodes.len());
    for node in &from.nodes {
        let counterpart = match node.parent {
            None => Some(0),
            // Parents come before their children.
            Some(parent) => found[parent].and_then(|parent| to.child_at(parent, &node.place)),
        };
        found.push(counterpart);
    }
    found
}

/// A rule in terms of another tree. Regions of a loop's body that are not there are left out; what begins phases must
/// be.
fn translated(rule: &PhaseRule, found: &[Option<usize>]) -> Option<PhaseRule> {
    let all = |nodes: &[usize]| nodes.iter().filter_map(|&node| found[node]).collect();
    Some(PhaseRule {
        layer: found[rule.layer]?,
        body: all(&rule.body),
        start: match &rule.start {
            Start::Entry(node) => Start::Entry(found[*node]?),
            Start::Mark(node) => Start::Mark(found[*node]?),
            Start::Return { header, sources } => Start::Return {
                header: found[*header]?,
                sources: all(sources),
            },
            Start::Period {
                header,
                length,
                iterations,
                begins,
            } => Start::Period {
                header: found[*header]?,
                length: *length,
                iterations: *iterations,
                begins: begins.clone(),
            },
        },
    })
}

/// Where phases are periods of a sequence, those of this recording: as many as in the one that the rule is of, if one
/// of the readings has.
fn repeated(recording: &Recording, tree: &JoinedTree, rule: PhaseRule) -> Option<PhaseRule> {
    let Start::Period { begins, .. } = &rule.start else {
        return Some(rule);
    };
    let loops = tree.layer(rule.layer).map_or(&[][..], |layer| &layer.loops);
    let around = loops.iter().filter(|one| !one.partial);
    let around = around.filter(|one| one.body == rule.body);
    let mut readings: Vec<PhaseRule> = around
        .flat_map(|one| sequence::readings(recording, tree, rule.layer, one))
        .map(|(_, rule)| rule)
        .collect();
    let number = |rule: &PhaseRule| match &rule.start {
        Start::Period { begins, .. } => begins.len(),
        _ => 0,
    };
    readings.sort_by_key(|one| number(one).abs_diff(begins.len()));
    readings.into_iter().next()
}

/// The phases of all ranks, joined until they begin at the same iterations.
fn sides(each: &[Phases], names: &[&str]) -> Result<Vec<RankPhase>, Error> {
    // Of each rank, by the iteration after it: the time of each phase, and the same undisturbed.
    let mut walls: Vec<BTreeMap<u64, [u64; 2]>> = Vec::with_capacity(each.len());
    for of_rank in each {
        let mut ends = BTreeMap::new();
        let mut end = 0;
        for (_, piece) in of_rank.phases() {
            debug_assert!(piece.kind != PartKind::Outside);
            end += piece.iterations.max(1);
            let undisturbed = piece.without.map_or(piece.wall(), |without| without.wall);
            ends.insert(end, [piece.wall(), undisturbed]);
        }
        walls.push(ends);
    }
    let number = |ends: &BTreeMap<u64, [u64; 2]>| ends.keys().next_back().copied().unwrap_or(0);
    let expected = walls.first().map_or(0, number);
    for (ends, name) in walls.iter().zip(names) {
        if number(ends) != expected {
            return Err(Error::Ranks {
                why: format!(
                    "{name} has {} iterations of the phases' loop, {} has {expected}",
                    number(ends),
                    names[0]
                ),
            });
        }
    }
    let mut common: BTreeSet<u64> = walls
        .first()
        .map_or(BTreeSet::new(), |ends| ends.keys().copied().collect());
    common.retain(|end| walls.iter().all(|ends| ends.contains_key(end)));
    let mut sides = Vec::with_capacity(common.len());
    let mut before = 0;
    for end in common {
        let times = |which: usize| {
            let ranks = walls.iter().map(|ends| ends.range(before + 1..=end));
            ranks.map(|ends| ends.map(|e| e.1[which]).sum()).collect()
        };
        sides.push(RankPhase {
            first: before + 1,
            last: end,
            times: times(0),
            undisturbed: times(1),
        });
        before = end;
    }
    Ok(sides)
}
