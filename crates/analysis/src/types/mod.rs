//! The parallelism-type scan (PT scan): data, thread or instruction level, and the numbers that decided. p-ray, section
//! 6.2; decisions the paper leaves open stand in `docs/types.md`.

mod children;
mod decide;
mod explain;
mod observed;
mod pipeline;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use parascan_formats::module::RegionKind;
use parascan_formats::profile::{BlindSpot, Profile};
use serde::Serialize;

pub use decide::{DecidingRule, Label};
pub use observed::StageFlow;
pub use pipeline::Pipeline;

use crate::Error;
use crate::advice::Dialect;
use crate::class::Classing;
use crate::model::{Model, ProfileInput};
use crate::regions::{RegionFigures, RegionSums, by_coverage};
use crate::tree::Instances;
use children::ChildSums;

/// Parameters of the scan.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TypeOptions {
    /// Total parallelism above which a region without children has data-level parallelism (the paper: 8 to 16).
    pub p_dlp: f64,
    /// Fitness above which children that are not alike have thread-level parallelism.
    pub f_min: f64,
    /// Relative difference up to which work, parallelism and critical paths count as equal.
    pub tolerance: f64,
    /// Share of the work whose instances must agree on a label; otherwise the region is mixed.
    pub agreement: f64,
}

impl Default for TypeOptions {
    fn default() -> Self {
        Self {
            p_dlp: 8.0,
            f_min: 0.25,
            tolerance: 0.05,
            agreement: 0.9,
        }
    }
}

impl TypeOptions {
    /// Checks the numbers.
    ///
    /// # Errors
    /// One is out of range.
    pub fn check(&self) -> Result<(), Error> {
        for (name, value, possible, expected) in [
            (
                "p-dlp",
                self.p_dlp,
                1.0..=f64::MAX,
                "a parallelism of 1 or more",
            ),
            ("f-min", self.f_min, 0.0..=1.0, "0 to 1"),
            ("tolerance", self.tolerance, 0.0..=0.5, "0 to 0.5"),
            ("agreement", self.agreement, 0.5..=1.0, "0.5 to 1"),
        ] {
            if !possible.contains(&value) {
                return Err(Error::threshold(name, value, expected));
            }
        }
        Ok(())
    }
}

/// Types of all loops and functions of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionTypes {
    /// Name of the program.
    pub program: String,
    /// The profiles behind it.
    pub inputs: Vec<ProfileInput>,
    /// Work of all runs together.
    pub work: u64,
    /// Length of the longest dependence chain of each run, added up; 0 where it was not measured.
    pub critical_path: u64,
    /// Parameters applied.
    pub options: TypeOptions,
    /// Regions, largest coverage first.
    pub rows: Vec<TypedRegion>,
    /// Calls that could not be looked into.
    pub blind_spots: Vec<BlindSpot>,
}

/// A region and its type of parallelism.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedRegion {
    /// The region, with all figures of the list.
    pub region: RegionFigures,
    /// Its label; none where critical paths were not measured, or where nothing was done.
    pub label: Option<Label>,
    /// Labels of its instances, most work first.
    pub votes: Vec<LabelWork>,
    /// What decided in the instances that have the first label of `votes`.
    pub decision: Option<Decision>,
    /// Loops directly inside it that form a pipeline. An inference, except for what was observed of it.
    pub pipeline: Option<Pipeline>,
    /// The decision in a sentence.
    pub explanation: String,
}

/// The instances that have a label.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LabelWork {
    /// What these instances were found to be.
    pub label: Label,
    /// Share of the region's work.
    pub share: f64,
    /// How many instances have it.
    pub instances: u64,
}

/// The numbers that decided, summed over the instances that were decided by the same rule to the same label.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Decision {
    /// Which step of the scan decided ([`DecidingRule`], `docs/types.md`).
    pub rule: DecidingRule,
    /// Instances decided by it.
    pub instances: u64,
    /// Loops and functions directly inside.
    pub children: u64,
    /// Total parallelism of the region in these instances.
    pub parallelism: f64,
    /// Total parallelism of the children.
    pub child_parallelism: Option<f64>,
    /// Sum of the children's critical paths.
    pub cp_no_tlp: u64,
    /// The longest child's critical path.
    pub cp_perfect: u64,
    /// Sum of the region's own critical paths.
    pub cp_actual: u64,
    /// `(cp_no_tlp - cp_actual) / (cp_no_tlp - cp_perfect)`; none where both are the same.
    pub fitness: Option<f64>,
    /// Whether children were lost where the tree is summarised, so that the numbers on them come from sums.
    pub estimated: bool,
}

/// Sums over instances decided alike.
#[derive(Clone, Copy, Debug, Default)]
struct DecisionSums {
    instances: u64,
    work: u128,
    child_work: u128,
    children: u128,
    no_tlp: u128,
    perfect: u128,
    actual: u128,
    estimated: bool,
}

/// Scans a program from one or several profiles of it.
///
/// # Errors
/// No profile, profiles of different programs, or numbers out of range.
pub fn types(profiles: &[Profile], options: &TypeOptions) -> Result<RegionTypes, Error> {
    options.check()?;
    let model = Model::new(profiles)?;
    let gathered = RegionSums::new(&model);
    let instances = Instances::new(profiles, &model);
    let occurrences = instances.occurrences();
    let all_children = ChildSums::all(&instances);
    let mut tallies: Vec<BTreeMap<(Label, DecidingRule), DecisionSums>> =
        vec![BTreeMap::new(); model.regions.len()];
    for ((one, children), &times) in instances.all.iter().zip(&all_children).zip(&occurrences) {
        // What is part of a context's summary is counted with that one.
        let counted = one.kind != RegionKind::Iteration && one.part_of.is_none();
        if !counted || one.work == 0 || times == 0 {
            continue;
        }
        let (Some(cp), Some(verdict)) = (one.cp, decide::decide(one, children, options)) else {
            continue;
        };
        let tally = tallies[one.region as usize].entry(verdict).or_default();
        let add = |sum: &mut u128, one: u64| {
            *sum = sum.saturating_add(u128::from(one) * u128::from(times));
        };
        tally.instances = tally
            .instances
            .saturating_add(times.saturating_mul(one.stands_for));
        add(&mut tally.work, one.work);
        add(&mut tally.child_work, children.work);
        add(&mut tally.children, children.count);
        add(&mut tally.no_tlp, children.cp);
        add(&mut tally.perfect, children.perfect);
        tally.estimated |= one.made_up || children.estimated;
        add(&mut tally.actual, cp);
    }
    let mut pipelines = pipeline::pipelines(profiles, &instances, &occurrences, &model, options);
    let mut rows: Vec<TypedRegion> = (0..model.regions.len())
        .filter(|&number| {
            model.regions[number].fixed.kind != RegionKind::Iteration
                && gathered.all[number].instances > 0
        })
        .map(|number| {
            let region = gathered.figures(&model, number, Classing::default(), Dialect::Openmp);
            typed(
                region,
                &tallies[number],
                pipelines.remove(&(number as u32)),
                options,
            )
        })
        .collect();
    rows.sort_by(|a, b| by_coverage(&a.region, &b.region));
    Ok(RegionTypes {
        program: model.program().to_owned(),
        inputs: model.inputs.clone(),
        work: model.work,
        critical_path: model.critical_path,
        options: *options,
        rows,
        blind_spots: model.blind_spots,
    })
}

/// Types of parallelism of regions by their ids, with the default parameters.
pub(crate) fn labels(profiles: &[Profile]) -> Result<HashMap<Arc<str>, Label>, Error> {
    let typed = types(profiles, &TypeOptions::default())?;
    let known = typed.rows.into_iter();
    Ok(known
        .filter_map(|row| Some((row.region.id, row.label?)))
        .collect())
}

fn typed(
    region: RegionFigures,
    tallies: &BTreeMap<(Label, DecidingRule), DecisionSums>,
    pipeline: Option<Pipeline>,
    options: &TypeOptions,
) -> TypedRegion {
    let mut by_label: BTreeMap<Label, (u128, u64)> = BTreeMap::new();
    for (&(label, _), tally) in tallies {
        let (work, instances) = by_label.entry(label).or_default();
        *work = work.saturating_add(tally.work);
        *instances = instances.saturating_add(tally.instances);
    }
    let total: u128 = by_label.values().map(|(work, _)| work).sum();
    let mut votes: Vec<LabelWork> = by_label
        .into_iter()
        .map(|(label, (work, instances))| LabelWork {
            label,
            share: work as f64 / total as f64,
            instances,
        })
        .collect();
    votes.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.label.cmp(&b.label)));
    let decision = votes.first().and_then(|first| {
        let of_label = tallies
            .iter()
            .filter(|((label, _), _)| *label == first.label);
        let ((_, rule), tally) =
            of_label.max_by_key(|(key, tally)| (tally.work, std::cmp::Reverse(**key)))?;
        Some(tally.decision(*rule))
    });
    let label = votes.first().map(|first| {
        let overlapping: f64 = votes
            .iter()
            .filter(|vote| vote.label.is_tlp())
            .map(|vote| vote.share)
            .sum();
        // Where instances without thread-level parallelism disagree (a loop with more or fewer iterations), the vote
        // decides.
        if first.share < options.agreement && overlapping > 1.0 - options.agreement {
            Label::MixedTlp
        } else {
            first.label
        }
    });
    let mut typed = TypedRegion {
        region,
        label,
        votes,
        decision,
        pipeline,
        explanation: String::new(),
    };
    typed.explanation = explain::explain(&typed, options);
    typed
}

impl DecisionSums {
    fn decision(&self, rule: DecidingRule) -> Decision {
        let whole = |sum: u128| u64::try_from(sum).unwrap_or(u64::MAX);
        let has_children = self.children > 0 && self.no_tlp > 0;
        Decision {
            rule,
            instances: self.instances,
            children: whole(self.children),
            parallelism: self.work as f64 / self.actual as f64,
            child_parallelism: has_children.then(|| self.child_work as f64 / self.no_tlp as f64),
            cp_no_tlp: whole(self.no_tlp),
            cp_perfect: whole(self.perfect),
            cp_actual: whole(self.actual),
            estimated: self.estimated,
            fitness: decide::fitness(self.no_tlp as f64, self.perfect as f64, self.actual as f64),
        }
    }
}

/// Ids of regions.
fn ids(model: &Model, regions: &[u32]) -> Vec<Arc<str>> {
    let id = |&number: &u32| model.regions[number as usize].id.clone();
    regions.iter().map(id).collect()
}
