//! Pipelines between sibling loops, inferred from critical paths: later loops wait for earlier ones, yet they overlap.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use parascan_formats::module::RegionKind;
use parascan_formats::profile::Profile;

use crate::model::Model;
use crate::tree::{Distinct, Instances};
use crate::types::observed::{self, StageFlow};
use crate::types::{TypeOptions, decide, ids};

/// Loops one after the other in one body whose iterations can work as stages of a pipeline.
///
/// The profile has the critical paths of the loops and of the body around them, but no single dependences. Two things
/// follow from them for certain. If the body's critical path is longer than the longest loop and everything that is no
/// loop together, some chain of dependences leads through two of the loops: they are not independent. If it is shorter
/// than the loops' critical paths added up, two of them overlap when everything runs as early as it can. That the
/// overlap is that of stages, iteration by iteration, is an inference. A recording with evidence can confirm the first
/// of the two by naming what goes from one stage to another ([`Pipeline::observed`]).
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// Ids of the loops, in the order in which they run.
    pub stages: Vec<Arc<str>>,
    /// Share of the region's work done in bodies that show it.
    pub share: f64,
    /// Whether all stages have the same number of iterations, always.
    pub equal_iterations: bool,
    /// Sum of the stages' critical paths, over these bodies.
    pub cp_no_tlp: u64,
    /// The longest stage's.
    pub cp_perfect: u64,
    /// The bodies' critical paths.
    pub cp_actual: u64,
    /// What evidence saw going from one stage to a later one; empty where there is none, or where it cannot tell.
    pub observed: Vec<StageFlow>,
}

impl Pipeline {
    /// Where the critical path lies between the stages one after the other (0) and all at once (1).
    pub fn fitness(&self) -> f64 {
        let (no_tlp, perfect) = (self.cp_no_tlp as f64, self.cp_perfect as f64);
        decide::fitness(no_tlp, perfect, self.cp_actual as f64).unwrap_or(0.0)
    }
}

/// Share of a region's work whose bodies must show a pipeline.
const LEAST_SHARE: f64 = 0.5;

/// What one body shows.
struct BodyFindings {
    stages: Vec<u32>,
    equal_iterations: bool,
    no_tlp: u64,
    perfect: u64,
    actual: u64,
}

#[derive(Default)]
struct StageSums {
    work: u128,
    unequal: bool,
    no_tlp: u128,
    perfect: u128,
    actual: u128,
}

/// Pipelines by the loop or function in whose iterations or body they run.
pub(super) fn pipelines(
    profiles: &[Profile],
    instances: &Instances,
    occurrences: &[u64],
    model: &Model,
    options: &TypeOptions,
) -> HashMap<u32, Pipeline> {
    let mut work: HashMap<u32, u128> = HashMap::new();
    let mut found: BTreeMap<(u32, Vec<u32>), StageSums> = BTreeMap::new();
    for (one, &times) in instances.all.iter().zip(occurrences) {
        let owner = match one.kind {
            RegionKind::Function => one.region,
            RegionKind::Iteration => match model.regions[one.region as usize].fixed.parent {
                Some(parent) => parent,
                None => continue,
            },
            RegionKind::Loop => continue,
        };
        let weighted = |value: u64| u128::from(value) * u128::from(times);
        let total = work.entry(owner).or_default();
        *total = total.saturating_add(weighted(one.work));
        let Some(shown) = look(one, instances, options) else {
            continue;
        };
        let sums = found.entry((owner, shown.stages)).or_default();
        sums.unequal |= !shown.equal_iterations;
        for (sum, value) in [
            (&mut sums.work, one.work),
            (&mut sums.no_tlp, shown.no_tlp),
            (&mut sums.perfect, shown.perfect),
            (&mut sums.actual, shown.actual),
        ] {
            *sum = sum.saturating_add(weighted(value));
        }
    }
    let mut out: HashMap<u32, Pipeline> = HashMap::new();
    for ((owner, stages), sums) in found {
        let share = sums.work as f64 / work[&owner].max(1) as f64;
        if share < LEAST_SHARE || out.get(&owner).is_some_and(|known| known.share >= share) {
            continue;
        }
        let whole = |sum: u128| u64::try_from(sum).unwrap_or(u64::MAX);
        let pipeline = Pipeline {
            stages: ids(model, &stages),
            share,
            equal_iterations: !sums.unequal,
            cp_no_tlp: whole(sums.no_tlp),
            cp_perfect: whole(sums.perfect),
            cp_actual: whole(sums.actual),
            observed: observed::flows(profiles, model, &stages),
        };
        out.insert(owner, pipeline);
    }
    out
}

/// What a function's body or an iteration shows, if it is a pipeline.
fn look(body: &Distinct, instances: &Instances, options: &TypeOptions) -> Option<BodyFindings> {
    let cp = body.cp.filter(|_| body.stands_for == 1)?;
    let (mut sum, mut longest, mut rest) = (0u64, 0u64, body.self_work);
    for (index, times) in body.children() {
        let child = &instances.all[index];
        let path = child.cp.filter(|_| child.stands_for == 1)?;
        let all = path.saturating_mul(times);
        if child.kind == RegionKind::Loop {
            sum = sum.saturating_add(all);
            longest = longest.max(path);
        } else {
            rest = rest.saturating_add(all);
        }
    }
    let fit = decide::fitness(sum as f64, longest as f64, cp as f64)?;
    if cp <= longest.saturating_add(rest) || cp >= sum || fit <= options.f_min {
        return None;
    }
    // Loops too short to matter are no stages.
    let mut stages: Vec<u32> = Vec::new();
    let mut iterations: Vec<u64> = Vec::new();
    for (index, _) in body.children() {
        let child = &instances.all[index];
        let path = child.cp.unwrap_or(0) as f64;
        if child.kind == RegionKind::Loop && path > options.tolerance * longest as f64 {
            if !stages.contains(&child.region) {
                stages.push(child.region);
            }
            iterations.push(child.children().map(|(_, times)| times).sum());
        }
    }
    let several = iterations.iter().all(|&count| count >= 2);
    (stages.len() >= 2 && several).then(|| BodyFindings {
        equal_iterations: iterations.iter().all(|count| *count == iterations[0]),
        stages,
        no_tlp: sum,
        perfect: longest,
        actual: cp,
    })
}
