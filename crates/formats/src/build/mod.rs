//! Logs into a profile: one log, or several of runs of the same program that tracked different depths.
//!
//! Each run tracks depths `start_level .. start_level + lanes`; ranges overlap by one depth, so that every context's
//! self-parallelism was measured inside of one run. It records one depth more, so that what it tracks has all its
//! children's figures, and folds deeper regions into the ones around them, which saves most of the time where recursion
//! is deep. Everything that does not depend on clocks must be the same in all runs, or nearly (`tolerant.rs`). Where it
//! is not, the runs are not merged: the profile is that of the first run and says so.

mod blind;
mod contexts;
mod difference;
mod full;
mod tolerant;
mod tree;

use std::collections::HashSet;

use parascan_abi::log as abi;
use thiserror::Error;

use crate::figures;
use crate::log::RawLog;
use crate::profile::{Caveat, Context, End, Module, Profile, Provenance, Region};
use crate::validate::Inconsistency;

/// Why there is no profile.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// No log was given.
    #[error("the program left no log: it was not built with parascan-cc, or ended before it began")]
    NoLog,
    /// The clocks were full before anything had been measured.
    #[error(
        "the run was too long for 32-bit clocks: before anything else could be measured, a loop or a stretch of code that is measured as one passed 2^31 units, and figures beyond that would be wrong; record it without --levels, of a build without --parascan-exact (with --exact all of the run is tracked then, in stretches), or use a smaller input"
    )]
    Overflow,
    /// The figures contradict each other.
    #[error("the log is damaged: {0}; the program probably wrote into memory that was not its own")]
    Inconsistent(#[from] Inconsistency),
}

/// The profile of one or several runs.
///
/// `runs`, `first_level`, `end_level` and `depth_reached` of the provenance are filled in here.
///
/// # Errors
/// See [`BuildError`].
pub fn build(logs: &[RawLog], provenance: Provenance, end: End) -> Result<Profile, BuildError> {
    let mut logs: Vec<&RawLog> = logs.iter().collect();
    logs.sort_by_key(|log| log.start_level);
    let first = *logs.first().ok_or(BuildError::NoLog)?;
    let full = full::leave_out(&mut logs)?;
    let mut profile = match merge(&logs, provenance.clone(), end.clone()) {
        Ok(profile) => profile,
        Err(difference) => match merge_nearly(&logs, &provenance, &end) {
            Some(profile) => profile,
            None => {
                let only = &[first];
                // One run never differs from itself.
                let mut profile = merge(only, provenance, end)
                    .unwrap_or_else(|_| unreachable!("a single run was compared"));
                profile.provenance.runs = logs.len() as u32;
                profile.caveats.push(Caveat::RunsDiffer(difference.0));
                profile
            }
        },
    };
    profile.caveats.extend(full);
    profile.validate()?;
    Ok(profile)
}

/// The profile of runs of which stretches were tracked, from what is estimated of them (`parascan_analysis::bursts`);
/// `log` is the first one's.
///
/// `first_level`, `end_level` and `depth_reached` of the provenance are filled in here.
///
/// # Errors
/// The estimates contradict each other.
pub fn in_bursts(
    estimated: Profile,
    log: &RawLog,
    provenance: Provenance,
    end: End,
) -> Result<Profile, BuildError> {
    // Functions that went on natively when a burst ended look as if they could not be looked into.
    let mut blind_spots = blind::spots(log);
    let known: HashSet<&str> = (estimated.regions.iter())
        .filter(|region| region.fixed.kind == crate::module::RegionKind::Function)
        .map(|region| region.fixed.function.as_str())
        .collect();
    blind_spots.retain(|spot| !known.contains(spot.callee.as_str()));
    // One burst that saw all of the run tracked depths from the outermost on, as a run without bursts does.
    let whole =
        (estimated.bursts.as_ref()).is_some_and(|bursts| bursts.count == 0 && !bursts.native);
    let end_level = Some(log.lanes).filter(|&lanes| whole && log.depth_reached > lanes);
    let mut caveats = caveats(&[log]);
    caveats.extend(end_level.map(Caveat::NotTracked));
    let profile = Profile {
        provenance: Provenance {
            first_level: 0,
            end_level,
            depth_reached: log.depth_reached,
            ..provenance
        },
        end,
        caveats,
        blind_spots,
        ..estimated
    };
    profile.validate()?;
    Ok(profile)
}

/// In words what was not the same in all runs.
struct Difference(String);

fn merge(logs: &[&RawLog], provenance: Provenance, end: End) -> Result<Profile, Difference> {
    difference::compare(logs)?;
    let contexts = contexts::merge(logs)?;
    let merged = if logs.len() > 1 && contexts::leaves_out(logs[0]) {
        tree::of_one(logs[0])?
    } else {
        tree::merge(logs)?
    };
    Ok(assemble(logs, contexts, merged, provenance, end))
}

/// Puts runs together that differ by little; None if that is not so.
fn merge_nearly(logs: &[&RawLog], provenance: &Provenance, end: &End) -> Option<Profile> {
    let tolerant::MergedContexts { contexts, caveat } = tolerant::merge(logs)?;
    let tree = tree::of_one(logs[0]).ok()?;
    let contexts = figures::depth_first(&contexts);
    let mut profile = assemble(logs, contexts, tree, provenance.clone(), end.clone());
    profile.caveats.push(caveat);
    Some(profile)
}

/// A profile of contexts and a tree that were merged from runs.
fn assemble(
    logs: &[&RawLog],
    mut contexts: Vec<Context>,
    merged: tree::MergedTree,
    provenance: Provenance,
    end: End,
) -> Profile {
    let first = logs[0];
    let largest_cp = contexts
        .iter()
        .skip(1)
        .filter(|c| c.parent == 0)
        .map(|c| c.cp_max)
        .max();
    figures::close_root(&mut contexts, first.work, largest_cp.unwrap_or(0));
    let (modules, regions) = static_part(first);
    let covered = covered(logs);
    let untracked = contexts
        .iter()
        .skip(1)
        .any(|c| !c.tracked && c.depth >= covered);
    let end_level = untracked.then_some(covered);
    let mut caveats = caveats(logs);
    if merged.summarised && !caveats.contains(&Caveat::TreeSummarised) {
        caveats.push(Caveat::TreeSummarised);
    }
    caveats.extend(end_level.map(Caveat::NotTracked));
    Profile {
        provenance: Provenance {
            runs: logs.len() as u32,
            first_level: first.start_level,
            end_level,
            depth_reached: first.depth_reached,
            ..provenance
        },
        end,
        caveats,
        modules,
        regions,
        blind_spots: blind::spots(first),
        work: first.work,
        critical_path: contexts[0].cp,
        contexts,
        tree: merged.tree,
        evidence: None,
        bursts: None,
    }
}

/// Modules and regions, concatenated.
fn static_part(log: &RawLog) -> (Vec<Module>, Vec<Region>) {
    let (mut modules, mut regions) = (Vec::new(), Vec::new());
    for (number, module) in (0u32..).zip(&log.modules) {
        let content = &module.content;
        let base = regions.len() as u32;
        regions.extend(content.regions.iter().cloned().map(|mut fixed| {
            fixed.parent = fixed.parent.map(|parent| base + parent);
            Region {
                module: number,
                fixed,
            }
        }));
        modules.push(Module {
            source: content.source.clone(),
            directory: content.directory.clone(),
            producer: content.producer.clone(),
            latency: content.latency.clone(),
            without: content.without.clone(),
        });
    }
    (modules, regions)
}

/// First depth beyond those that the runs track without a hole.
fn covered(logs: &[&RawLog]) -> u32 {
    logs.iter().fold(logs[0].start_level, |end, log| {
        if log.start_level <= end {
            end.max(log.start_level + log.lanes)
        } else {
            end
        }
    })
}

fn caveats(logs: &[&RawLog]) -> Vec<Caveat> {
    let flagged = |flag| logs.iter().any(|log| log.flags & flag != 0);
    let threads = logs.iter().map(|log| log.threads).max().unwrap_or(0).max(1);
    // That a run folds below the depths it tracks is told by the depths that are not tracked.
    let deepest = difference::deepest(logs).unwrap_or(logs[0]);
    let too_deep =
        deepest.flags & abi::FLAG_FOLDED != 0 && deepest.max_depth != deepest.end_of_record();
    let folded = Caveat::Folded {
        entries: deepest.folded,
        depth: deepest.max_depth,
    };
    let all = [
        (flagged(abi::FLAG_THREADS), Caveat::Threads(threads)),
        (too_deep, folded),
        (flagged(abi::FLAG_DICTIONARY_FULL), Caveat::TreeSummarised),
        (flagged(abi::FLAG_CONTEXTS_FULL), Caveat::ContextsFull),
        (flagged(abi::FLAG_LOG_FULL), Caveat::LogFull),
        (flagged(abi::FLAG_FOREIGN_MODULE), Caveat::ForeignModule),
        (flagged(abi::FLAG_SHADOW_ALIAS), Caveat::ShadowAlias),
        (logs.iter().any(|log| !log.finished), Caveat::Partial),
    ];
    all.into_iter()
        .filter_map(|(holds, caveat)| holds.then_some(caveat))
        .collect()
}
