//! The measurement of parascan's first lens: every program natively and recorded, in turn, with time and memory of
//! both.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use crate::measure::{Cost, run};
use crate::program::Workload;
use crate::subject::{LIMIT, Output, Subject};
use crate::tool::Tool;

/// Levels of the main measurement.
pub const LEVELS: &str = "0..8";

/// How to measure.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Repetitions; the best counts.
    pub repetitions: u32,
    /// Further flags for `parascan-cc`.
    pub flags: Vec<String>,
    /// Whether the whole depth is measured too.
    pub whole_depth: bool,
    /// Whether the cost of observing carried dependences is measured too.
    pub observation: bool,
}

/// Figures of one program.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// Without parascan.
    pub native: Cost,
    /// Under `parascan record --levels 0..8`, the recorder's own work included.
    pub recorded: Cost,
    /// The same of a build that does not observe carried dependences.
    pub unobserved: Option<Cost>,
    /// Under `parascan record --jobs 2`: all depths.
    pub whole_depth: Option<Cost>,
    /// Size of the file that the run of [`Figures::recorded`] wrote.
    pub profile_bytes: u64,
    /// Wall time of `parascan plan` in seconds.
    pub plan_seconds: f64,
    /// Regions that `parascan regions` lists.
    pub regions: usize,
    /// Work in latency units.
    pub work: f64,
}

impl Figures {
    /// Slowdown in wall time.
    pub fn time_ratio(&self) -> f64 {
        self.recorded.seconds / self.native.seconds
    }

    /// Slowdown in processor time.
    pub fn cpu_ratio(&self) -> f64 {
        self.recorded.cpu_seconds / self.native.cpu_seconds
    }

    /// Processor time of recording over that of recording without observing carried dependences.
    pub fn observation_ratio(&self) -> Option<f64> {
        Some(self.recorded.cpu_seconds / self.unobserved?.cpu_seconds)
    }

    /// Slowdown in wall time of the run over the whole depth.
    pub fn whole_depth_ratio(&self) -> Option<f64> {
        Some(self.whole_depth?.seconds / self.native.seconds)
    }

    /// Peak memory over native peak memory.
    pub fn memory_ratio(&self) -> f64 {
        self.recorded.peak_bytes as f64 / self.native.peak_bytes as f64
    }

    /// Peak memory over what is allowed: 8 times the program's plus 64 MB.
    pub fn memory_of_allowed(&self) -> f64 {
        self.recorded.peak_bytes as f64 / (8.0 * self.native.peak_bytes as f64 + 64e6)
    }
}

/// One program's row: figures, or why there are none.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Program.
    pub name: &'static str,
    /// What it stands for.
    pub label: &'static str,
    /// With which it was run; relative file names lie in the run's own scratch folder.
    pub arguments: Vec<String>,
    /// Figures or a message.
    pub result: Result<Figures, String>,
}

/// Builds and measures one program.
pub fn measure(tool: &Tool, program: &Workload, settings: &Settings) -> Row {
    Row {
        name: program.program.name,
        label: program.label,
        arguments: program.arguments.clone(),
        result: figures(tool, program, settings).map_err(|error| format!("{error:#}")),
    }
}

fn figures(tool: &Tool, program: &Workload, settings: &Settings) -> Result<Figures> {
    let subject = Subject::prepare(tool, program, &settings.flags)?;
    let unobserving = settings
        .observation
        .then(|| subject.unobserved())
        .transpose()?;
    let profile = subject.folder().join("levels.prof");
    let (mut native, mut recorded, mut whole_depth, mut unobserved) = (None, None, None, None);
    for _ in 0..settings.repetitions.max(1) {
        let plain = subject.native()?;
        let record = subject.record(&["--levels", LEVELS], &profile)?;
        ensure_same(&plain, &record)?;
        keep_best(&mut native, plain.cost);
        keep_best(&mut recorded, record.cost);
        if let Some(subject) = &unobserving {
            let other = subject.folder().join("unobserved.prof");
            let record = subject.record(&["--levels", LEVELS], &other)?;
            ensure_same(&plain, &record)?;
            keep_best(&mut unobserved, record.cost);
        }
        if settings.whole_depth {
            let deep = subject.record(&["--jobs", "2"], &subject.folder().join("whole.prof"))?;
            ensure_same(&plain, &deep)?;
            keep_best(&mut whole_depth, deep.cost);
        }
    }
    let mut plan_seconds = f64::INFINITY;
    for _ in 0..settings.repetitions.max(1) {
        let plan =
            run(tool.parascan().arg("plan").arg(&profile), LIMIT)?.success("parascan plan")?;
        plan_seconds = plan_seconds.min(plan.cost.seconds);
    }
    let (regions, work) = regions(tool, &profile)?;
    Ok(Figures {
        native: native.context("at least one repetition")?,
        recorded: recorded.context("at least one repetition")?,
        unobserved,
        whole_depth,
        profile_bytes: fs::metadata(&profile)?.len(),
        plan_seconds,
        regions,
        work,
    })
}

pub(crate) fn keep_best(best: &mut Option<Cost>, cost: Cost) {
    *best = Some(best.map_or(cost, |old| old.least(cost)));
}

pub(crate) fn ensure_same(plain: &Output, recorded: &Output) -> Result<()> {
    ensure!(
        plain.stdout == recorded.stdout,
        "the recorded program printed something else"
    );
    for (a, b) in plain.files.iter().zip(&recorded.files) {
        ensure!(a == b, "the recorded program wrote another file");
    }
    Ok(())
}

fn regions(tool: &Tool, profile: &Path) -> Result<(usize, f64)> {
    let output = run(
        tool.parascan()
            .arg("regions")
            .arg(profile)
            .args(["--format", "json"]),
        LIMIT,
    )?
    .success("parascan regions")?;
    let value: serde_json::Value = serde_json::from_slice(&output.stdout)
        .context("parascan regions printed something else than JSON")?;
    let list = value["regions"]
        .as_array()
        .context("no list of regions in parascan's JSON")?;
    Ok((
        list.len(),
        value["work"]
            .as_f64()
            .context("no work in parascan's JSON")?,
    ))
}
