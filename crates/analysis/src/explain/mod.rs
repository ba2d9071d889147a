//! What stops which loop: the loops of a plan, or those that the user names, with their evidence.

mod paths;

use parascan_formats::module::{LeftOutDependence, RegionKind};
use parascan_formats::profile::Profile;

pub use paths::CallPaths;

use crate::Error;
use crate::advice;
use crate::class::{RegionClass, SerialReason};
use crate::evidence::{CarriedDependence, LoopFacts};
use crate::model::{Model, ProfileInput};
use crate::numbers::speedup;
use crate::plan::{self, PlanOptions};
use crate::regions::{RegionFigures, Regions};

/// Explanations in the order of the plan: chosen loops, then those left out, by coverage.
#[derive(Clone, Debug)]
pub struct Explanations {
    /// The program's name.
    pub program: String,
    /// The profiles behind it.
    pub inputs: Vec<ProfileInput>,
    /// Loops that were asked for, or all that ran, in the order of the list of regions.
    pub loops: Vec<Explained>,
    /// Functions that the observation could not look into.
    pub unseen: Vec<String>,
    /// Whether any profile has evidence.
    pub observed: bool,
}

/// What a loop that is not parallel would be if none of its iterations waited for another: all carried dependences
/// gone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WithoutDependences {
    /// What it would be then.
    pub class: RegionClass,
    /// Share of the loop's critical path that is waiting for earlier iterations, 0 to 1.
    pub waiting: f64,
    /// Self-parallelism. Exact where the instances of a context are alike; else an estimate, for which each instance
    /// waits for the same share of its critical path.
    pub self_parallelism: f64,
    /// Ideal speedup of the whole program by the loop alone, under the same condition.
    pub speedup: f64,
}

/// What a loop is in a build that leaves out dependences of it
/// ([`ModuleStatic::without`](parascan_formats::module::ModuleStatic::without)).
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOutCost {
    /// Names of what is left out.
    pub names: Vec<String>,
    /// By which share its critical path is shorter without the dependences than with them, 0 to 1; None where it was
    /// not measured.
    pub share: Option<f64>,
    /// Its class without them.
    pub class: RegionClass,
    /// Self-parallelism without them; none where it was not measured.
    pub self_parallelism: Option<f64>,
    /// Ideal speedup of the whole program by the loop alone.
    pub speedup: f64,
}

/// A loop and what was observed of it.
#[derive(Clone, Debug)]
pub struct Explained {
    /// Its figures.
    pub region: RegionFigures,
    /// Dependences; None where it was not observed.
    pub facts: Option<LoopFacts>,
    /// By which calls it reaches the functions in which dependences lie.
    pub paths: Vec<CallPaths>,
    /// What it is in builds that leave out one of its dependences.
    pub costs: Vec<LeftOutCost>,
    /// What it would be without dependences; None of parallel loops, and where its critical path was not measured or
    /// lacks the time of a chain ([`CarriedDependence::used`]).
    pub without: Option<WithoutDependences>,
}

/// Explains the loops that `given` names (ids, or places as in `--exclude`), or all of the plan with these options if
/// it is empty. `others` are profiles of builds that leave out dependences.
///
/// # Errors
/// Those of a plan, and a name that matches nothing.
pub fn explain(
    profiles: &[Profile],
    given: &[String],
    others: &[Profile],
    options: &PlanOptions,
) -> Result<Explanations, Error> {
    let others: Vec<Regions> = others
        .iter()
        .map(|p| Regions::new(Model::new(std::slice::from_ref(p))?, false, options))
        .collect::<Result<_, _>>()?;
    let model = Model::new(profiles)?;
    let wanted = plan::named(&model, given)?;
    let plan = plan::plan_model(&model, options)?;
    let chosen = plan.entries.iter().cloned();
    let mut rows: Vec<RegionFigures> = chosen
        .chain(plan.rejected.iter().map(|r| r.region.clone()))
        .collect();
    if !given.is_empty() {
        // Also what the plan says nothing of.
        let all = Regions::new(model.clone(), false, options)?.rows;
        let more: Vec<RegionFigures> = all
            .into_iter()
            .filter(|r| rows.iter().all(|known| known.id != r.id))
            .collect();
        rows.extend(more);
    }
    let number = |row: &RegionFigures| model.regions.iter().position(|r| r.id == row.id);
    let loops = rows.into_iter().filter_map(|region| {
        let number = number(&region)?;
        let fits = region.kind == RegionKind::Loop && (given.is_empty() || wanted[number]);
        let facts = model.evidence[number].as_ref();
        let untimed = |c: &CarriedDependence| c.used.is_some();
        let timed = !facts.is_some_and(|facts| facts.dependences.iter().any(untimed));
        fits.then(|| Explained {
            facts: facts.cloned(),
            costs: others
                .iter()
                .filter_map(|other| cost(&region, other))
                .collect(),
            paths: facts.map_or_else(Vec::new, |facts| paths::of(&model, number, facts)),
            without: without(&model, number, &region).filter(|_| timed),
            region,
        })
    });
    let loops = loops.collect();
    let evidence = || profiles.iter().filter_map(|p| p.evidence.as_ref());
    let mut unseen: Vec<String> = evidence().flat_map(|e| e.unseen.clone()).collect();
    unseen.sort();
    unseen.dedup();
    Ok(Explanations {
        program: model.program().to_owned(),
        observed: evidence().next().is_some(),
        inputs: model.inputs,
        loops,
        unseen,
    })
}

/// Loops of which evidence is wanted from the whole run, by region number of the profile: those that `given` names, and
/// the parallel ones of the plan with these options, and of the ideal one, whose directive the source alone does not
/// prove, in their order. (What stops a loop is seen in a part of the run; that nothing does, only in all of it.)
///
/// # Errors
/// As for [`explain`].
pub fn focus(
    profile: &Profile,
    given: &[String],
    options: &PlanOptions,
) -> Result<Vec<u32>, Error> {
    let model = Model::new(std::slice::from_ref(profile))?;
    let wanted = plan::named(&model, given)?;
    let plans = [options, &PlanOptions::default()].map(|options| plan::plan_model(&model, options));
    let mut entries: Vec<RegionFigures> = Vec::new();
    for plan in plans {
        let all = plan?.entries;
        let new = |e: &RegionFigures| entries.iter().all(|known| known.id != e.id);
        let new: Vec<RegionFigures> = all.into_iter().filter(new).collect();
        entries.extend(new);
    }
    let parallel = |class| matches!(class, RegionClass::Doall | RegionClass::DoallReduction);
    let open = |e: &&RegionFigures| {
        let mut regions = model.regions.iter().filter(|r| r.id == e.id);
        parallel(e.class) && regions.any(|r| advice::depends_on_evidence(&r.fixed, e.certainty))
    };
    let mut ids: Vec<&str> = entries.iter().filter(open).map(|e| &*e.id).collect();
    let named = model
        .regions
        .iter()
        .zip(wanted)
        .filter(|(_, wanted)| *wanted);
    ids.splice(0..0, named.map(|(region, _)| &*region.id));
    let mut found = Vec::new();
    for id in ids {
        for (region, number) in (0..).zip(&model.numbers[0]) {
            if *model.regions[*number as usize].id == *id {
                found.push(region);
            }
        }
    }
    Ok(found)
}

/// What a loop is in another build, if that leaves out something of it.
fn cost(region: &RegionFigures, other: &Regions) -> Option<LeftOutCost> {
    let all = other.model.inputs.iter().flat_map(|i| &i.without);
    let mut names: Vec<String> = Vec::new();
    for left_out in all.filter_map(|text| LeftOutDependence::parse(text)) {
        if left_out.is_of(&region.file, region.line) && !names.contains(&left_out.name) {
            names.push(left_out.name);
        }
    }
    let row = other.rows.iter().find(|r| r.id == region.id)?;
    let share = |with: u64, without: u64| with.saturating_sub(without) as f64 / with.max(1) as f64;
    let paths = region.critical_path.zip(row.critical_path);
    let share = paths.map(|(with, without)| share(with, without));
    (!names.is_empty()).then_some(LeftOutCost {
        names,
        share,
        class: row.class,
        self_parallelism: row.self_parallelism,
        speedup: row.speedup,
    })
}

/// The loop's figures with critical paths as long as those of its longest iterations: self-parallelism is
/// `(sum of iterations' critical paths + own work) / critical path` (Kremlin, section 3), so that `work / SP` shrinks
/// as the critical path does.
fn without(model: &Model, number: usize, region: &RegionFigures) -> Option<WithoutDependences> {
    let stopped = match region.class {
        RegionClass::Doacross => true,
        RegionClass::Serial => region.serial_reason == Some(SerialReason::Dependences),
        _ => false,
    };
    let (mut work, mut saved) = (0.0, 0.0);
    let (mut time, mut path, mut gap) = (0.0, 0.0, 0.0);
    for (_, node) in model.contexts() {
        if node.region as usize != number || node.sums.known_cp == 0 {
            continue;
        }
        let sums = &node.sums;
        let shorter = sums.known_cp.saturating_sub(sums.gap) as f64 / sums.known_cp as f64;
        let alone = sums.parallel_time * shorter;
        work += sums.known_work as f64;
        time += alone;
        path += sums.known_cp as f64;
        gap += sums.gap as f64;
        if node.outermost {
            saved += (sums.known_work as f64 - alone).max(0.0);
        }
    }
    (stopped && time > 0.0 && path > 0.0).then(|| WithoutDependences {
        class: match advice::reductions(
            &model.regions[number].fixed,
            model.evidence[number].as_ref(),
        ) {
            none if none.is_empty() => RegionClass::Doall,
            _ => RegionClass::DoallReduction,
        },
        waiting: (gap / path).min(1.0),
        self_parallelism: work / time,
        speedup: speedup(model.work as f64, saved),
    })
}
