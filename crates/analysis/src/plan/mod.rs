//! The plan: which regions to parallelize, in order of what they bring, and why not the others.
//!
//! Candidates and what each would save are a `forest`; `choose` picks at most one on any chain of open regions,
//! `nested` regions inside regions. `outlook` is what the choice brings on a machine, `targets` on vectors and devices,
//! `stages` in a pipeline; `nests` are loops whose directive runs inner loops as one. `reasons` says why the others are
//! left out.

mod choose;
pub(crate) mod exclude;
mod forest;
mod nested;
mod nests;
mod outlook;
mod reasons;
mod stages;
mod stats;
mod targets;

use parascan_formats::module::RegionKind;
use parascan_formats::profile::{BlindSpot, Profile};

pub(crate) use exclude::excluded as named;
pub use outlook::PlanOutlook;
pub use reasons::{RejectedRegion, RejectionReason};
pub use stats::{Stats, stats};
pub use targets::PlanTarget;

use crate::Error;
use crate::advice::Dialect;
use crate::class::RegionClass;
use crate::costs::TargetMachine;
use crate::model::{InstanceSums, Model, ProfileInput};
use crate::numbers::speedup;
use crate::personality::{Algorithm, Personality};
use crate::regions::{RegionFigures, RegionSums};
use outlook::PricedRegions;

/// Coverage from which a region that was not chosen is listed with the reason.
pub const REJECTED_MIN_COVERAGE: f64 = 0.001;

/// How a plan is made: for whom, for which machine, and from which coverage on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanOptions {
    /// The target, with its thresholds and costs.
    pub personality: Personality,
    /// Replaces the personality's least self-parallelism.
    pub min_sp: Option<f64>,
    /// Replaces its least speedup of the program by a DOALL loop, in per cent.
    pub min_speedup_doall: Option<f64>,
    /// The same for DOACROSS loops.
    pub min_speedup_doacross: Option<f64>,
    /// Adds ideal speedups for this many cores. Never changes what is chosen.
    pub cores: Option<u32>,
    /// Chooses what pays on this machine, at the costs of the personality; without, by ideal speedups, as the paper
    /// does.
    pub machine: Option<TargetMachine>,
    /// Regions ruled out: ids or `file:line`.
    pub exclude: Vec<String>,
}

impl PlanOptions {
    /// The personality with the thresholds given.
    ///
    /// # Errors
    /// A threshold out of range.
    pub fn effective(&self) -> Result<Personality, Error> {
        let mut personality = self.personality.clone();
        for (value, field) in [
            (self.min_sp, &mut personality.min_self_parallelism),
            (self.min_speedup_doall, &mut personality.min_speedup_doall),
            (
                self.min_speedup_doacross,
                &mut personality.min_speedup_doacross,
            ),
        ] {
            if let Some(value) = value {
                *field = value;
            }
        }
        if let Some(least) = self.min_sp {
            // Else no loop below the floor could be chosen, whatever is asked for.
            personality.doacross_from = personality.doacross_from.min(least);
        }
        personality
            .check()
            .map_err(|error| self.by_its_option(error))?;
        if self.cores == Some(0) || self.machine.is_some_and(|machine| machine.cores == 0) {
            return Err(Error::threshold("cores", 0.0, "a machine has 1 or more"));
        }
        if let Some(seconds) = self.machine.and_then(|machine| machine.serial_seconds)
            && !(seconds > 0.0 && seconds.is_finite())
        {
            return Err(Error::threshold(
                "serial-time",
                seconds,
                "a program takes some time, in seconds",
            ));
        }
        Ok(personality)
    }

    /// Names a threshold that was given here as such, not as what a personality calls it.
    fn by_its_option(&self, error: Error) -> Error {
        let given = [
            (self.min_sp, "min_self_parallelism", "min-sp"),
            (
                self.min_speedup_doall,
                "min_speedup_doall",
                "min-speedup-doall",
            ),
            (
                self.min_speedup_doacross,
                "min_speedup_doacross",
                "min-speedup-doacross",
            ),
        ];
        match error {
            Error::Threshold {
                name,
                value,
                expected,
            } => {
                let option = given
                    .iter()
                    .find(|(given, key, _)| given.is_some() && *key == name);
                Error::threshold(
                    option.map_or(name, |&(_, _, option)| option),
                    value,
                    expected,
                )
            }
            other => other,
        }
    }
}

/// Which regions to parallelize, in order of what they bring, and why not the others (`docs/plan.md`).
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Name of the program.
    pub program: String,
    /// The profiles behind it.
    pub inputs: Vec<ProfileInput>,
    /// Work of all runs together.
    pub work: u64,
    /// Length of the longest dependence chain of each run, added up; 0 where it was not measured.
    pub critical_path: u64,
    /// The personality with the thresholds that were applied.
    pub personality: Personality,
    /// Cores that estimates are given for.
    pub cores: Option<u32>,
    /// Chosen regions, in order. `rank` and `cumulative_speedup` are set.
    pub entries: Vec<RegionFigures>,
    /// By entry: ideal speedup by this region alone on that many cores.
    pub on_cores: Vec<f64>,
    /// Ideal speedup by all of them.
    pub speedup: f64,
    /// The same on that many cores.
    pub speedup_on_cores: Option<f64>,
    /// What the plan is expected to bring on the machine that it is for; none of ideal plans.
    pub outlook: Option<PlanOutlook>,
    /// Whether no other choice under the same rules saves more.
    pub optimal: bool,
    /// Loops and functions that were not chosen, largest coverage first.
    pub rejected: Vec<RejectedRegion>,
    /// Calls that could not be looked into.
    pub blind_spots: Vec<BlindSpot>,
    /// Whether a run looked at every access, so that dependences are known by name and line.
    pub observed: bool,
}

impl Plan {
    /// By entry: speedup of the program by it and all before, as expected on the plan's machine, or ideal without one.
    #[must_use]
    pub fn so_far(&self) -> Vec<f64> {
        match &self.outlook {
            Some(outlook) => outlook.so_far.iter().map(|e| e.speedup).collect(),
            None => self
                .entries
                .iter()
                .filter_map(|e| e.cumulative_speedup)
                .collect(),
        }
    }
}

/// Plans a program from one or several profiles of it.
///
/// # Errors
/// No profile, profiles of different programs, thresholds out of range, or an exclusion that matches nothing.
pub fn plan(profiles: &[Profile], options: &PlanOptions) -> Result<Plan, Error> {
    plan_model(&Model::new(profiles)?, options)
}

/// The machine with the time that `record` made of all runs, where nobody gave one.
fn with_recorded_time(machine: TargetMachine, model: &Model) -> TargetMachine {
    let time = |input: &ProfileInput| input.bursts.as_ref()?.native_seconds;
    let all: Option<f64> = model.inputs.iter().map(time).sum();
    match machine.serial_seconds {
        None => TargetMachine {
            serial_seconds: all.filter(|seconds| *seconds > 0.0),
            recorded: true,
            ..machine
        },
        Some(_) => machine,
    }
}

/// Like [`plan`], for profiles already brought together.
///
/// # Errors
/// Thresholds out of range, or an exclusion that matches nothing.
pub fn plan_model(model: &Model, options: &PlanOptions) -> Result<Plan, Error> {
    let personality = options.effective()?;
    let excluded = exclude::excluded(model, &options.exclude)?;
    let gathered = RegionSums::new(model);
    let classing = personality.classing();
    let mut rows: Vec<Option<RegionFigures>> = (0..model.regions.len())
        .map(|number| {
            let listed = model.regions[number].fixed.kind != RegionKind::Iteration;
            (listed && gathered.all[number].instances > 0)
                .then(|| gathered.figures(model, number, classing, personality.dialect))
        })
        .collect();
    let mut nests = nests::Nests::find(model, &gathered, &mut rows);
    if personality.dialect == Dialect::Pipeline {
        nests.add_stages(model, &gathered, &mut rows);
    }
    let nested = personality.nests();
    if nested {
        speedups_with_nesting(model, &mut rows);
    }
    let market = options
        .machine
        .map(|machine| with_recorded_time(machine, model))
        .map(|machine| {
            PricedRegions::new(model, (&gathered, &nests), &rows, &personality, machine)
        });
    let mut verdicts: Vec<Option<RejectionReason>> = vec![None; rows.len()];
    let mut candidates: Vec<u32> = Vec::new();
    // By region: its speedup alone, by which candidates are ordered.
    let mut speedups = vec![1.0; rows.len()];
    for (number, row) in (0..).zip(&rows) {
        let Some(row) = row else { continue };
        speedups[number as usize] = row.speedup;
        let fixed = &model.regions[number as usize].fixed;
        let innermost = gathered.is_innermost(number);
        let unfit = unfit(row, excluded[number as usize], &personality, innermost);
        let vectorized = personality.vector_bytes.is_some() && fixed.vectorized == Some(true);
        match unfit.or(vectorized.then_some(RejectionReason::Vectorized)) {
            Some(reason) => verdicts[number as usize] = Some(reason),
            None => candidates.push(number),
        }
    }
    if let Some(market) = &market {
        let all = std::mem::take(&mut candidates);
        for (&number, alone) in all.iter().zip(market.alone(&all)) {
            let index = number as usize;
            speedups[index] = alone.speedup;
            let class = rows[index]
                .as_ref()
                .map_or(RegionClass::Serial, |row| row.class);
            match market.unfit(number, personality.min_speedup(class), alone) {
                Some(reason) => verdicts[index] = Some(reason),
                None => candidates.push(number),
            }
        }
    }
    let ordered = |numbers: Vec<u32>| in_order(&rows, &speedups, numbers);
    let (chosen, optimal) = if nested {
        let team = match &market {
            Some(market) => market.team(),
            None => nested::Team::ideal(model),
        };
        let candidates = ordered(candidates);
        let chosen = choose_nested(team, &rows, &candidates, &personality, &mut verdicts);
        (chosen, true)
    } else {
        let counts_for = |region: u32| match &rows[region as usize] {
            Some(row) if row.certainty.is_none() => personality.rewriting_counts_for,
            _ => 1.0,
        };
        let saving = |region: u32, sums: &InstanceSums| match &market {
            Some(market) => counts_for(region) * market.saving_here(region, sums),
            None => nests.saving(region, sums),
        };
        let forest = forest::Forest::new(model, &candidates, saving);
        let choice = match personality.algorithm {
            Algorithm::Greedy => choose::greedy(&forest),
            Algorithm::Dynamic | Algorithm::All => choose::best(&forest, choose::BUDGET),
        };
        let choice = match (&market, personality.algorithm) {
            (Some(_), Algorithm::Dynamic) => choose::outermost(&forest, choice),
            _ => choice,
        };
        reasons::conflicts(model, &forest, &candidates, &choice.chosen, &mut verdicts);
        let numbers = choice.chosen.iter().map(|&c| candidates[c as usize]);
        (ordered(numbers.collect()), choice.optimal)
    };
    let cumulative = if nested {
        nested_speedups(model, &chosen)
    } else {
        flat_speedups(model, (&gathered, &nests), &chosen)
    };
    let (on_cores, speedup_on_cores) = match options.cores {
        None => (Vec::new(), None),
        Some(cores) if nested => nested_on_cores(model, &chosen, cores),
        Some(cores) => flat_on_cores(model, (&gathered, &nests), &chosen, cores),
    };
    let outlook = market.map(|market| {
        let row = |&number: &u32| Some((number, rows[number as usize].as_ref()?));
        market.outlook(&chosen.iter().filter_map(row).collect::<Vec<_>>())
    });
    if personality.dialect == Dialect::Tasks {
        nested::within_tasks(model, &chosen, &mut rows);
    }
    let target = PlanTarget::of(&personality);
    let touched = targets::touched(model, &target);
    let mut entries = Vec::with_capacity(chosen.len());
    for (rank, &number) in chosen.iter().enumerate() {
        let mut row = rows[number as usize]
            .take()
            .expect("a candidate has figures");
        row.rank = Some(rank as u32 + 1);
        row.cumulative_speedup = Some(cumulative[rank]);
        if let Some(outlook) = &outlook
            && let Some(bound) = outlook.memory[rank]
        {
            let TargetMachine { cores, memory, .. } = outlook.machine;
            row.hints.push(bound.words(cores, memory.is_some()));
        }
        row.hints
            .extend(targets::words(model, number, &target, &touched));
        entries.push(row);
    }
    Ok(Plan {
        program: model.program().to_owned(),
        inputs: model.inputs.clone(),
        work: model.work,
        critical_path: model.critical_path,
        personality,
        cores: options.cores,
        speedup: cumulative.last().copied().unwrap_or(1.0),
        speedup_on_cores,
        outlook,
        entries,
        on_cores,
        optimal,
        rejected: reasons::rejected(rows, verdicts),
        blind_spots: model.blind_spots.clone(),
        observed: model.evidence.iter().any(Option::is_some),
    })
}

/// Whether parallelism is below a threshold. It is a sum of quotients: what is 5 may come out a few units in the last
/// place below.
fn is_low(parallelism: f64, least: f64) -> bool {
    parallelism < least * (1.0 - 1e-9)
}

/// Why a region cannot be chosen whatever else is, if so.
fn unfit(
    row: &RegionFigures,
    excluded: bool,
    personality: &Personality,
    innermost: bool,
) -> Option<RejectionReason> {
    if excluded {
        return Some(RejectionReason::Excluded);
    }
    if let Some(reason) = row.serial_reason {
        return Some(RejectionReason::Serial(reason));
    }
    if let Some(why) = personality.against(row.kind, row.class, innermost) {
        return Some(RejectionReason::KindNotPlanned(why));
    }
    let (sp, least) = (
        row.self_parallelism.unwrap_or(1.0),
        personality.min_self_parallelism,
    );
    if is_low(sp, least) {
        return Some(RejectionReason::LowSelfParallelism { least });
    }
    let least = personality.min_speedup(row.class);
    if (row.speedup - 1.0) * 100.0 < least * (1.0 - 1e-9) || row.speedup <= 1.0 {
        return Some(RejectionReason::LowSpeedup { least });
    }
    None
}

/// Largest of these speedups first; ties by coverage and place.
fn in_order(rows: &[Option<RegionFigures>], speedups: &[f64], mut numbers: Vec<u32>) -> Vec<u32> {
    let row = |number: u32| {
        rows[number as usize]
            .as_ref()
            .expect("candidates have figures")
    };
    let speedup = |number: u32| speedups[number as usize];
    numbers.sort_by(|&a, &b| {
        let (x, y) = (row(a), row(b));
        (speedup(b).total_cmp(&speedup(a)))
            .then_with(|| y.coverage.total_cmp(&x.coverage))
            .then_with(|| (&x.file, x.line, x.column).cmp(&(&y.file, y.line, y.column)))
            .then_with(|| x.id.cmp(&y.id))
    });
    numbers
}

/// Where regions nest, a recursive one is parallel at all its levels: that counts for its speedup alone.
fn speedups_with_nesting(model: &Model, rows: &mut [Option<RegionFigures>]) {
    let mut times = nested::ContextTimes::new(model, None);
    for (number, row) in rows.iter_mut().enumerate() {
        let parallel = |row: &&mut RegionFigures| {
            row.recursive && !matches!(row.class, RegionClass::Serial | RegionClass::Unseen)
        };
        if let Some(row) = row.as_mut().filter(parallel) {
            times.set(number as u32, true);
            row.speedup = speedup(model.work as f64, model.work as f64 - times.program());
            times.set(number as u32, false);
        }
    }
}

/// Ideal speedups by each region and all before it, of which none lies inside another: what they save adds up.
fn flat_speedups(
    model: &Model,
    (gathered, nests): (&RegionSums, &nests::Nests),
    chosen: &[u32],
) -> Vec<f64> {
    let mut saved = 0.0;
    let mut after = |number: u32| {
        saved += nests.saving(number, &gathered.outer[number as usize]);
        speedup(model.work as f64, saved)
    };
    chosen.iter().map(|&number| after(number)).collect()
}

/// The same where they may.
fn nested_speedups(model: &Model, chosen: &[u32]) -> Vec<f64> {
    let mut times = nested::ContextTimes::new(model, None);
    let work = model.work as f64;
    let mut after = |number: u32| {
        times.set(number, true);
        speedup(work, work - times.program())
    };
    chosen.iter().map(|&number| after(number)).collect()
}

/// Chooses every candidate, in this order, that adds enough to the ones before it.
fn choose_nested(
    mut team: nested::Team,
    rows: &[Option<RegionFigures>],
    candidates: &[u32],
    personality: &Personality,
    verdicts: &mut [Option<RejectionReason>],
) -> Vec<u32> {
    let mut chosen = Vec::new();
    for &number in candidates {
        let before = team.program();
        team.add(number);
        let after = team.program();
        let adds = (before / after.max(f64::MIN_POSITIVE) - 1.0) * 100.0;
        let row = rows[number as usize].as_ref();
        let least = personality.min_speedup(row.map_or(RegionClass::Serial, |r| r.class));
        if adds > 0.0 && adds >= least * (1.0 - 1e-9) {
            chosen.push(number);
        } else {
            team.remove(number);
            verdicts[number as usize] = Some(RejectionReason::AddsLittle { adds, least });
        }
    }
    chosen
}

/// Speedups by each alone, and by all, on so many cores.
fn nested_on_cores(model: &Model, chosen: &[u32], cores: u32) -> (Vec<f64>, Option<f64>) {
    let work = model.work as f64;
    let mut times = nested::ContextTimes::new(model, Some(cores));
    let mut alone = Vec::with_capacity(chosen.len());
    for &number in chosen {
        times.set(number, true);
        alone.push(speedup(work, work - times.program()));
        times.set(number, false);
    }
    chosen.iter().for_each(|&number| times.set(number, true));
    (alone, Some(speedup(work, work - times.program())))
}

/// The same for regions of which none lies inside another.
fn flat_on_cores(
    model: &Model,
    (gathered, nests): (&RegionSums, &nests::Nests),
    chosen: &[u32],
    cores: u32,
) -> (Vec<f64>, Option<f64>) {
    let work = model.work as f64;
    let saving = |&number: &u32| {
        let sums = &gathered.outer[number as usize];
        let known = sums.known_work as f64;
        (known - nests.time(number, sums).max(known / f64::from(cores))).max(0.0)
    };
    let savings: Vec<f64> = chosen.iter().map(saving).collect();
    let alone = savings.iter().map(|&saved| speedup(work, saved)).collect();
    (alone, Some(speedup(work, savings.iter().sum())))
}
