//! The parallelization effort chart (PEC): which region to parallelize next, by speedup per line of code. p-ray,
//! section 6.1; decisions the paper leaves open stand in `docs/effort.md`.

mod greedy;
mod lines;
mod recursive;
mod times;

use std::collections::HashMap;
use std::sync::Arc;

use parascan_formats::module::RegionKind;
use parascan_formats::profile::{BlindSpot, Profile};
use serde::Serialize;

pub use lines::{CodeLines, LineCountMethod, RegionLines, Sources};

use crate::Error;
use crate::advice::Dialect;
use crate::class::{Classing, RegionClass};
use crate::model::{Model, ProfileInput};
use crate::plan;
use crate::plan::exclude::excluded;
use crate::regions::{RegionFigures, RegionSums, by_coverage};
use crate::tree::Instances;
use crate::types::{self, Label};
use greedy::{CandidateRegion, Chosen, GreedySearch};

/// Total parallelism below which a region counts as serial, unless given: the paper says "nearly 1".
pub const SERIAL_BELOW: f64 = 1.1;

/// Speedup in per cent that all regions left bring at least, unless given.
pub const MIN_SPEEDUP: f64 = 0.1;

/// How to make a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct EffortOptions {
    /// Regions that are not to be parallelized: ids or `file:line`.
    pub exclude: Vec<String>,
    /// Regions that are parallelized already, likewise.
    pub done: Vec<String>,
    /// Only the next so many regions, none of which runs inside another.
    pub team: Option<u32>,
    /// Total parallelism below which a region is serial and never chosen; 1 or more.
    pub serial_below: f64,
    /// The chart ends when all regions left together make the program faster by at most this, in per cent. With 0 it
    /// goes on as long as anything is gained.
    pub min_speedup: f64,
    /// The plan with which the chart is to agree: what that calls serial or unseen, or too small for its machine's
    /// threads, is no step. Without one total parallelism alone decides, as in the paper.
    pub plan: Option<plan::PlanOptions>,
}

impl Default for EffortOptions {
    fn default() -> Self {
        Self {
            exclude: Vec::new(),
            done: Vec::new(),
            team: None,
            serial_below: SERIAL_BELOW,
            min_speedup: MIN_SPEEDUP,
            plan: None,
        }
    }
}

impl EffortOptions {
    /// Checks the numbers.
    ///
    /// # Errors
    /// One is out of range.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |name, value, expected| Err(Error::threshold(name, value, expected));
        if self.team == Some(0) {
            return wrong("team", 0.0, "a team has 1 or more");
        }
        if !self.serial_below.is_finite() || self.serial_below < 1.0 {
            return wrong("serial", self.serial_below, "a parallelism of 1 or more");
        }
        if !self.min_speedup.is_finite() || self.min_speedup < 0.0 {
            return wrong("min-speedup", self.min_speedup, "0 per cent or more");
        }
        Ok(())
    }
}

/// The effort chart of p-ray (section 6.1): speedup over the lines of code that were made parallel.
#[derive(Clone, Debug, PartialEq)]
pub struct EffortChart {
    /// Name of the program.
    pub program: String,
    /// The profiles behind it.
    pub inputs: Vec<ProfileInput>,
    /// Work of all runs together: their serial time.
    pub work: u64,
    /// Length of the longest dependence chain of each run, added up; 0 where it was not measured.
    pub critical_path: u64,
    /// What was asked for.
    pub options: EffortOptions,
    /// Ids of the regions parallelized already.
    pub done: Vec<Arc<str>>,
    /// Speedup of the program by those.
    pub done_speedup: f64,
    /// Steps in order.
    pub steps: Vec<EffortStep>,
    /// Loops and functions that are no step, largest coverage first.
    pub left: Vec<SkippedRegion>,
    /// Calls that could not be looked into.
    pub blind_spots: Vec<BlindSpot>,
}

/// One step: a region to parallelize, after all those before.
#[derive(Clone, Debug, PartialEq)]
pub struct EffortStep {
    /// The region. Its `rank` is the step's number, from 1.
    pub region: RegionFigures,
    /// Its type of parallelism by the type scan with its default parameters; none where it is not known.
    pub label: Option<Label>,
    /// Its lines of code.
    pub lines: RegionLines,
    /// Lines of code of this and all earlier steps; lines that lie in two of them count twice.
    pub lines_so_far: u64,
    /// Time of the program after this step, in latency units.
    pub time: u64,
    /// How much faster the program is than before this step.
    pub relative_speedup: f64,
    /// How much faster the program is than without any parallelization.
    pub overall_speedup: f64,
}

/// A region that is no step.
#[derive(Clone, Debug, PartialEq)]
pub struct SkippedRegion {
    /// The region, with all figures of the list.
    pub region: RegionFigures,
    /// Its type of parallelism, likewise.
    pub label: Option<Label>,
    /// Its lines of code.
    pub lines: RegionLines,
    /// What keeps it from being a step.
    pub why: SkipReason,
}

/// Why a region is no step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// By `--exclude`.
    Excluded,
    /// By `--done`.
    Done,
    /// Its critical path was not measured.
    NotMeasured,
    /// Its total parallelism is nearly 1.
    Serial,
    /// Class SERIAL in plans: what is parallel is inside of it.
    SerialClass,
    /// Class UNSEEN in plans.
    Unseen,
    /// Threads would cost more than they bring, on the plan's machine.
    TooLittleWork,
    /// Threads would wait for memory, on the plan's machine.
    MemoryBound,
    /// After the steps chosen it brings nothing, or too little.
    BringsLittle,
    /// It runs inside a region of the team, or one of the team inside it.
    Nested,
    /// The team is complete without it.
    TeamComplete,
}

/// Makes the chart of a program from one or several profiles of it.
///
/// # Errors
/// No profile, profiles of different programs, numbers out of range, or a region that does not exist.
pub fn effort(
    profiles: &[Profile],
    sources: &Sources,
    options: &EffortOptions,
) -> Result<EffortChart, Error> {
    options.check()?;
    let model = Model::new(profiles)?;
    let exclude = excluded(&model, &options.exclude)?;
    let done = excluded(&model, &options.done)?;
    let gathered = RegionSums::new(&model);
    let instances = Instances::new(profiles, &model);
    let agreed = options
        .plan
        .as_ref()
        .map(|plan| PlanFindings::new(&model, plan))
        .transpose()?;
    let classing = agreed
        .as_ref()
        .map_or_else(Classing::default, |agreed| agreed.classing);
    let mut rows: Vec<Option<(RegionFigures, RegionLines, Option<SkipReason>)>> =
        (0..model.regions.len())
            .map(|number| {
                let fixed = &model.regions[number].fixed;
                let listed = fixed.kind != RegionKind::Iteration;
                (listed && gathered.all[number].instances > 0).then(|| {
                    let row = gathered.figures(&model, number, classing, Dialect::Openmp);
                    let why = match row.total_parallelism {
                        _ if done[number] => Some(SkipReason::Done),
                        _ if exclude[number] => Some(SkipReason::Excluded),
                        None => Some(SkipReason::NotMeasured),
                        Some(parallelism) if parallelism < options.serial_below => {
                            Some(SkipReason::Serial)
                        }
                        Some(_) => agreed.as_ref().and_then(|agreed| agreed.against(&row)),
                    };
                    (row, lines::lines_of(fixed, sources), why)
                })
            })
            .collect();
    let candidates: Vec<CandidateRegion> = rows
        .iter()
        .enumerate()
        .filter_map(|(number, row)| match row {
            Some((_, lines, None)) => Some(CandidateRegion {
                region: number as u32,
                lines: lines.count,
            }),
            _ => None,
        })
        .collect();
    let mut search = GreedySearch::new(&instances, done.clone(), candidates);
    let before = search.time();
    let overall = |time: u64| speedup(model.work, time);
    let labels = types::labels(profiles)?;
    let (mut steps, mut lines_so_far) = (Vec::new(), 0u64);
    while options.team.is_none_or(|team| steps.len() < team as usize)
        && let Some(Chosen {
            region,
            time_before,
            time,
        }) = search.step(options.min_speedup / 100.0)
    {
        let (mut row, lines, _) = rows[region as usize].take().expect("a candidate has a row");
        row.rank = Some(steps.len() as u32 + 1);
        lines_so_far += u64::from(lines.count);
        steps.push(EffortStep {
            label: labels.get(&row.id).copied(),
            region: row,
            lines,
            lines_so_far,
            time,
            relative_speedup: speedup(time_before, time),
            overall_speedup: overall(time),
        });
        if options.team.is_some() {
            for other in search.without_nested(region) {
                if let Some((_, _, why)) = &mut rows[other as usize] {
                    *why = Some(SkipReason::Nested);
                }
            }
        }
    }
    let complete = options
        .team
        .is_some_and(|team| steps.len() >= team as usize);
    let rest = if complete {
        SkipReason::TeamComplete
    } else {
        SkipReason::BringsLittle
    };
    Ok(EffortChart {
        program: model.program().to_owned(),
        inputs: model.inputs.clone(),
        work: model.work,
        critical_path: model.critical_path,
        options: options.clone(),
        done: ids(&model, &done),
        done_speedup: overall(before),
        steps,
        left: left(rows, &labels, rest),
        blind_spots: model.blind_spots.clone(),
    })
}

/// What a plan says of regions before it chooses.
struct PlanFindings {
    classing: Classing,
    /// Ids of regions whose threads do not pay, and why.
    unfit: HashMap<Arc<str>, SkipReason>,
}

impl PlanFindings {
    fn new(model: &Model, options: &plan::PlanOptions) -> Result<Self, Error> {
        let classing = options.effective()?.classing();
        // A loop below the plan's least self-parallelism may be too small as well, which is what counts here.
        let options = plan::PlanOptions {
            min_sp: Some(1.0),
            ..options.clone()
        };
        let plan = plan::plan_model(model, &options)?;
        let unfit = plan.rejected.iter().filter_map(|one| {
            let why = match one.reason {
                plan::RejectionReason::TooLittleWork { .. } => SkipReason::TooLittleWork,
                plan::RejectionReason::MemoryBound { .. } => SkipReason::MemoryBound,
                _ => return None,
            };
            Some((one.region.id.clone(), why))
        });
        Ok(Self {
            classing,
            unfit: unfit.collect(),
        })
    }

    /// Why a region is no step.
    fn against(&self, row: &RegionFigures) -> Option<SkipReason> {
        match row.class {
            RegionClass::Serial => Some(SkipReason::SerialClass),
            RegionClass::Unseen => Some(SkipReason::Unseen),
            _ => self.unfit.get(&row.id).copied(),
        }
    }
}

/// How much faster; 1 where there is nothing to do.
fn speedup(before: u64, after: u64) -> f64 {
    if before == 0 || after == 0 {
        1.0
    } else {
        before as f64 / after as f64
    }
}

fn ids(model: &Model, marked: &[bool]) -> Vec<Arc<str>> {
    let regions = model.regions.iter().zip(marked);
    regions
        .filter(|(_, marked)| **marked)
        .map(|(region, _)| region.id.clone())
        .collect()
}

fn left(
    rows: Vec<Option<(RegionFigures, RegionLines, Option<SkipReason>)>>,
    labels: &HashMap<Arc<str>, Label>,
    rest: SkipReason,
) -> Vec<SkippedRegion> {
    let mut left: Vec<SkippedRegion> = rows
        .into_iter()
        .flatten()
        .map(|(region, lines, why)| SkippedRegion {
            label: labels.get(&region.id).copied(),
            region,
            lines,
            why: why.unwrap_or(rest),
        })
        .collect();
    left.sort_by(|a, b| by_coverage(&a.region, &b.region));
    left
}
