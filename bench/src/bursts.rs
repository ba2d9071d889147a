//! What a plan is worth that is made of stretches of a run (bursts), beside the one from all of it.
//!
//! Every program is recorded as a whole, and then in bursts at other moments for each seed. Nothing is faster by that:
//! the runtime tracks everything and throws away what lies outside of bursts (`collectors/runtime/src/bursts.rs`). With
//! native versions of its functions a program really runs native code between bursts, and the time that it takes is
//! compared too.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use parascan_abi::LANES;
use parascan_abi::log::{ENV_BURSTS, ENV_DIR, ENV_START_LEVEL};
use parascan_analysis::bursts::estimate;
use parascan_analysis::class::RegionClass;
use parascan_analysis::plan::{Plan, PlanOptions, plan};
use parascan_analysis::regions::{RegionFigures, regions};
use parascan_formats::codec::decode;
use parascan_formats::log::{BurstLog, ReadAt, together};
use parascan_formats::profile::Profile;

use crate::program::Workload;
use crate::subject::Subject;
use crate::tool::Tool;

/// How runs in bursts are compared with whole ones: how many runs, and how much of each is in bursts.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Runs with bursts.
    pub seeds: u64,
    /// Share of the work in bursts, in a thousand.
    pub share: u32,
    /// The same of what bursts may be prolonged by for outer loops.
    pub longer: u32,
    /// Length of the first, which begins with the program.
    pub first: String,
    /// Lengths of all others, in units of work: each burst has one of them, drawn at random.
    pub lengths: Vec<u64>,
    /// Whether native code runs between bursts.
    pub native: bool,
    /// Whether they are those of `parascan record`, as users have them; what is above says nothing then but the seeds.
    pub recorded: bool,
    /// Whether to say what differs, on standard error.
    pub verbose: bool,
}

/// Least coverage of the regions that are compared.
const COVERAGE: f64 = 0.01;

/// How bursts of one seed agree with the whole run.
#[derive(Clone, Debug, Default)]
pub struct Agreement {
    /// How many the run had, as its profile tells.
    pub bursts: u64,
    /// Share of the work within them.
    pub share: f64,
    /// Loops and functions of some coverage.
    pub regions: usize,
    /// Those of them that were seen.
    pub seen: usize,
    /// Those of these that have their class.
    pub same_class: usize,
    /// Of those that were seen: with an interval of self-parallelism that has an end, and where that holds.
    pub bounded: [usize; 2],
    /// Loops called DOALL that are not.
    pub wrong_doall: usize,
    /// Loops that are DOALL and not called so.
    pub missed_doall: usize,
    /// Regions of some coverage of which the profile from bursts has one.
    pub covered: usize,
    /// Those of them whose coverage lies in its interval.
    pub in_interval: usize,
    /// Sum of the halves of these intervals.
    pub interval: f64,
    /// Largest difference of a coverage.
    pub coverage_error: f64,
    /// Largest factor between self-parallelism as estimated and as it is, up to 64, of regions in the plan.
    pub parallelism_error: f64,
    /// Part of what the exact plan saves that the plan from bursts saves.
    pub gain: f64,
    /// Part of what the exact plan saves that the regions save which are in both.
    pub chosen: f64,
    /// The speedup that it promises over the one that it has.
    pub promise: f64,
    /// Processor time over that of the native build, where native code ran between bursts.
    pub slowdown: Option<f64>,
}

impl Agreement {
    /// Whether the interval of a region's coverage holds.
    fn compare_coverage(
        &mut self,
        estimated: &RegionFigures,
        exact: &RegionFigures,
        verbose: bool,
    ) {
        let error = (estimated.coverage - exact.coverage).abs();
        let half = estimated.sample.map_or(0.0, |sample| sample.coverage_error);
        // Figures are sums of whole units, and shares quotients of them.
        let holds = error <= half.max(1e-6);
        self.covered += 1;
        self.in_interval += usize::from(holds);
        self.interval += half;
        self.coverage_error = self.coverage_error.max(error);
        if verbose && !holds {
            eprintln!(
                "  coverage {:.1}% is not {:.1}% \u{b1}{:.1}%: {}",
                exact.coverage * 100.0,
                estimated.coverage * 100.0,
                half * 100.0,
                exact.id
            );
        }
    }

    /// Whether the interval of a region's self-parallelism holds.
    fn compare_interval(
        &mut self,
        estimated: &RegionFigures,
        exact: &RegionFigures,
        verbose: bool,
    ) {
        let interval = estimated.sample.and_then(|sample| sample.self_parallelism);
        let (Some((least, Some(most))), Some(truth)) = (interval, exact.self_parallelism) else {
            return;
        };
        // Figures are quotients of rounded sums.
        let holds = (least * (1.0 - 1e-6)..=most * (1.0 + 1e-6)).contains(&truth);
        self.bounded[0] += 1;
        self.bounded[1] += usize::from(holds);
        if verbose && !holds {
            eprintln!(
                "  self-parallelism {truth:.3} is not in {least:.3}..{most:.3}: {}",
                exact.id
            );
        }
    }
}

/// One program's row.
#[derive(Clone, Debug)]
pub struct Row {
    /// Program.
    pub name: &'static str,
    /// Work of the run, depth, and what was found by seed; or a message.
    pub result: Result<(u64, u32, Vec<Agreement>), String>,
}

/// Records one program both ways.
pub fn measure(tool: &Tool, run: &Workload, settings: &Settings) -> Row {
    Row {
        name: run.program.name,
        result: figures(tool, run, settings).map_err(|error| format!("{error:#}")),
    }
}

fn figures(tool: &Tool, run: &Workload, settings: &Settings) -> Result<(u64, u32, Vec<Agreement>)> {
    let subject = Subject::with_bursts(tool, run, settings.native || settings.recorded)?;
    let path = subject.folder().join("whole.prof");
    let exact = if settings.recorded {
        subject.wide()?
    } else {
        subject.clone()
    };
    exact.record(&["--exact", "--jobs", "1"], &path)?;
    let exact = decode(&fs::read(&path)?)?;
    let depth = exact.provenance.depth_reached;
    let exact = Exact::new(exact)?;
    let agreements = (1..=settings.seeds)
        .map(|seed| {
            let (profile, time) = if settings.recorded {
                recorded(&subject, seed)?
            } else {
                let (log, time) = in_bursts(&subject, settings, seed, depth)?;
                (estimate(&log).profile, time)
            };
            let mut agreement = exact.compare(&profile, settings.verbose)?;
            if settings.native || settings.recorded {
                let native = subject.native()?.cost.least(subject.native()?.cost);
                agreement.slowdown = Some(time / native.cpu_seconds);
            }
            Ok(agreement)
        })
        .collect::<Result<_>>()?;
    Ok((exact.profile.work, depth, agreements))
}

/// What `parascan record` makes of a run, and its processor time.
fn recorded(subject: &Subject, seed: u64) -> Result<(Profile, f64)> {
    let path = subject.folder().join("bursts.prof");
    let output = subject.record(&["--seed", &seed.to_string()], &path)?;
    Ok((decode(&fs::read(&path)?)?, output.cost.cpu_seconds))
}

/// Records in bursts: a run for each range of depths with clocks, all with bursts at the same moments; with native
/// versions one, whose clocks are those of the first depths of each burst. Gives the processor time of the first as
/// well.
fn in_bursts(
    subject: &Subject,
    settings: &Settings,
    seed: u64,
    depth: u32,
) -> Result<(BurstLog, f64)> {
    let lengths: String = settings.lengths.iter().map(|l| format!(":{l}")).collect();
    let Settings {
        share,
        longer,
        first,
        ..
    } = settings;
    let schedule = format!("{seed}:{share}:{longer}:{first}{lengths}");
    let (mut logs, mut time) = (Vec::new(), None);
    // Ranges overlap by one depth, as those of `record`.
    for start in (0..depth).step_by(LANES - 1) {
        if start > 0 && (settings.native || start + 1 >= depth) {
            break;
        }
        let folder = tempfile::tempdir()?;
        let output = subject.run_with(&[
            (ENV_DIR, folder.path().display().to_string()),
            (ENV_START_LEVEL, format!("{start:04}")),
            (ENV_BURSTS, schedule.clone()),
        ])?;
        time.get_or_insert(output.cost.cpu_seconds);
        logs.push(read(folder.path())?);
    }
    let log = together(&logs).context("runs with bursts at the same moments were not the same")?;
    Ok((log, time.unwrap_or_default()))
}

/// The one log in a folder.
///
/// # Errors
/// There is none, there are several, or it is damaged.
pub fn read(folder: &Path) -> Result<BurstLog> {
    let mut entries = fs::read_dir(folder)?;
    let entry = entries.next().context("the run left no log")??;
    ensure!(entries.next().is_none(), "the run left several logs");
    Ok(BurstLog::parse(&Log(File::open(entry.path())?))?)
}

struct Log(File);

impl ReadAt for Log {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.0.read_exact_at(buffer, offset)
    }
}

/// The whole run.
struct Exact {
    profile: Profile,
    rows: HashMap<String, RegionFigures>,
    plan: Plan,
}

impl Exact {
    fn new(profile: Profile) -> Result<Self> {
        let list = std::slice::from_ref(&profile);
        let rows = regions(list)?.rows;
        Ok(Self {
            rows: rows
                .into_iter()
                .map(|row| (row.id.to_string(), row))
                .collect(),
            plan: plan(list, &PlanOptions::default())?,
            profile,
        })
    }

    fn compare(&self, estimate: &Profile, verbose: bool) -> Result<Agreement> {
        let (bursts, work) = (estimate.bursts.as_ref()).map_or((0, 0), |b| (b.count, b.work));
        let mut agreement = Agreement {
            bursts,
            share: work as f64 / (estimate.work as f64).max(1.0),
            parallelism_error: 1.0,
            ..Agreement::default()
        };
        let list = std::slice::from_ref(estimate);
        let found: HashMap<String, RegionFigures> = regions(list)?
            .rows
            .into_iter()
            .map(|row| (row.id.to_string(), row))
            .collect();
        for (id, row) in &self.rows {
            if row.coverage < COVERAGE || row.self_parallelism.is_none() {
                continue;
            }
            agreement.regions += 1;
            if let Some(other) = found.get(id) {
                agreement.compare_coverage(other, row, verbose);
            }
            let seen = found.get(id).filter(|row| row.self_parallelism.is_some());
            let Some(other) = seen else {
                if verbose {
                    eprintln!("  unseen {:.1}% {:?} {id}", row.coverage * 100.0, row.class);
                }
                continue;
            };
            agreement.seen += 1;
            agreement.compare_interval(other, row, verbose);
            let doall = |row: &RegionFigures| {
                matches!(row.class, RegionClass::Doall | RegionClass::DoallReduction)
            };
            if row.class == other.class {
                agreement.same_class += 1;
            } else if verbose {
                eprintln!(
                    "  class {:.1}% {:?} for {:?} (SP {:.2} for {:.2}) {id}",
                    row.coverage * 100.0,
                    other.class,
                    row.class,
                    other.self_parallelism.unwrap_or(0.0),
                    row.self_parallelism.unwrap_or(0.0),
                );
            }
            agreement.wrong_doall += usize::from(doall(other) && !doall(row));
            agreement.missed_doall += usize::from(!doall(other) && doall(row));
        }
        let chosen = plan(list, &PlanOptions::default())?;
        let saved = |speedup: f64| 1.0 - 1.0 / speedup;
        let best = saved(self.plan.speedup);
        let mut gained = 0.0;
        for entry in &chosen.entries {
            let Some(row) = self
                .rows
                .get(&*entry.id)
                .filter(|r| r.class != RegionClass::Serial)
            else {
                if verbose {
                    eprintln!("  in the plan, but serial: {}", entry.id);
                }
                continue;
            };
            gained += saved(row.speedup);
            let sp = |row: &RegionFigures| row.self_parallelism.unwrap_or(1.0).min(64.0);
            let factor = sp(entry) / sp(row);
            agreement.parallelism_error = agreement.parallelism_error.max(factor.max(1.0 / factor));
        }
        if verbose {
            for entry in self
                .plan
                .entries
                .iter()
                .filter(|e| chosen.entries.iter().all(|c| c.id != e.id))
            {
                eprintln!("  not in the plan: {} ({:.3})", entry.id, entry.speedup);
            }
        }
        let both = self.plan.entries.iter();
        let both = both.filter(|e| chosen.entries.iter().any(|c| c.id == e.id));
        let both: f64 = both.map(|entry| saved(entry.speedup)).sum();
        agreement.chosen = if best > 0.0 { both / best } else { 1.0 };
        agreement.gain = if best > 0.0 { gained / best } else { 1.0 };
        agreement.promise = chosen.speedup * (1.0 - gained.min(1.0 - 1e-9));
        Ok(agreement)
    }
}

/// The table.
pub fn markdown(rows: &[Row], settings: &Settings) -> String {
    let how = if settings.recorded {
        "as `parascan record` does".to_owned()
    } else {
        format!(
            "{:.1}% of the {} in bursts of {:?} units, {:.1}% more for outer loops",
            f64::from(settings.share) / 10.0,
            if settings.native { "time" } else { "work" },
            settings.lengths,
            f64::from(settings.longer) / 10.0
        )
    };
    let mut text = format!(
        "{} seeds, {how}. Regions of {:.0}% coverage or more.\n\n",
        settings.seeds,
        COVERAGE * 100.0
    );
    text.push_str(
        "| program | work, 10^9 | depth | bursts | in bursts | regions | seen | same class of these | SP in its interval, where that has an end | wrong, missed DOALL | coverage in its interval | half of that | largest error of coverage | SP in the plan off by | gain of the plan: mean, least | by the same regions | promise over gain | time over native |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let (mut gains, mut held, mut covered) = (Vec::new(), 0, 0);
    let (mut seen, mut same, mut bounded) = (0, 0, [0, 0]);
    for row in rows {
        let (work, depth, agreements) = match &row.result {
            Ok(result) => result,
            Err(message) => {
                let message = message.replace('\n', " ");
                let _ = writeln!(text, "| {} | {message} |", row.name);
                continue;
            }
        };
        let count = agreements.len() as f64;
        let sum = |f: fn(&Agreement) -> f64| agreements.iter().map(f).sum::<f64>();
        let largest = |f: fn(&Agreement) -> f64| agreements.iter().map(f).fold(0.0, f64::max);
        let least = agreements
            .iter()
            .map(|a| a.gain)
            .fold(f64::INFINITY, f64::min);
        gains.extend(agreements.iter().map(|a| a.gain));
        held += agreements.iter().map(|a| a.in_interval).sum::<usize>();
        covered += agreements.iter().map(|a| a.covered).sum::<usize>();
        seen += agreements.iter().map(|a| a.seen).sum::<usize>();
        same += agreements.iter().map(|a| a.same_class).sum::<usize>();
        for (sum, at) in bounded.iter_mut().zip(0..) {
            *sum += agreements.iter().map(|a| a.bounded[at]).sum::<usize>();
        }
        let _ = writeln!(
            text,
            "| {} | {:.2} | {depth} | {:.0} | {:.1}% | {:.0} | {:.1} | {:.1} | {} of {} | {:.1}, {:.1} | {} of {} | {:.1}% | {:.1}% | {:.2} | {:.1}%, {:.1}% | {:.0}% | {:.2} | {} |",
            row.name,
            *work as f64 / 1e9,
            sum(|a| a.bursts as f64) / count,
            100.0 * sum(|a| a.share) / count,
            sum(|a| a.regions as f64) / count,
            sum(|a| a.seen as f64) / count,
            sum(|a| a.same_class as f64) / count,
            sum(|a| a.bounded[1] as f64),
            sum(|a| a.bounded[0] as f64),
            sum(|a| a.wrong_doall as f64) / count,
            sum(|a| a.missed_doall as f64) / count,
            sum(|a| a.in_interval as f64),
            sum(|a| a.covered as f64),
            100.0 * sum(|a| a.interval) / sum(|a| a.covered as f64).max(1.0),
            100.0 * largest(|a| a.coverage_error),
            largest(|a| a.parallelism_error),
            100.0 * sum(|a| a.gain) / count,
            100.0 * least,
            100.0 * sum(|a| a.chosen) / count,
            sum(|a| a.promise) / count,
            match largest(|a| a.slowdown.unwrap_or(0.0)) {
                0.0 => "-".to_owned(),
                _ => format!("{:.2}", sum(|a| a.slowdown.unwrap_or(0.0)) / count),
            },
        );
    }
    let share = |a: usize, b: usize| 100.0 * a as f64 / (b as f64).max(1.0);
    let mean = gains.iter().sum::<f64>() / (gains.len() as f64).max(1.0);
    let enough = gains.iter().filter(|g| **g >= 0.95).count();
    let _ = writeln!(
        text,
        "\nAll together: {:.1}% of the exact plans' gain in the mean, 95% of it or more in {enough} of {} runs; {:.1}% of the regions that were seen have their class; {:.1}% of the coverages lie in their intervals, and {:.1}% of the self-parallelism whose interval has an end.",
        100.0 * mean,
        gains.len(),
        share(same, seen),
        share(held, covered),
        share(bounded[1], bounded[0]),
    );
    text
}
