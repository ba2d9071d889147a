//! Runs of some seconds: what they take when they are recorded as users record them, in bursts, and when they are not
//! recorded.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::hcpa::ensure_same;
use crate::machine::Machine;
use crate::measure::{Cost, run};
use crate::program::Workload;
use crate::report::geometric_mean;
use crate::subject::{LIMIT, Subject};
use crate::tool::Tool;

/// Coverage from which on a region counts.
const COVERAGE: f64 = 0.01;

/// Figures of one program; of costs the least of all repetitions.
#[derive(Clone, Debug)]
pub struct Figures {
    native: Cost,
    unrecorded: Cost,
    recorded: Cost,
    /// Bursts after the first.
    bursts: u64,
    /// Share of the work in all of them.
    share: f64,
    /// Regions of [`COVERAGE`], and how many of them have a self-parallelism.
    regions: (usize, usize),
}

/// One program's row.
#[derive(Clone, Debug)]
pub struct Row {
    name: &'static str,
    arguments: Vec<String>,
    /// Figures or a message.
    pub result: Result<Figures, String>,
}

/// Builds and measures one program.
pub fn measure(tool: &Tool, program: &Workload, repetitions: u32) -> Row {
    Row {
        name: program.program.name,
        arguments: program.arguments.clone(),
        result: figures(tool, program, repetitions).map_err(|error| format!("{error:#}")),
    }
}

fn figures(tool: &Tool, program: &Workload, repetitions: u32) -> Result<Figures> {
    let subject = Subject::with_bursts(tool, program, true)?;
    let profile = subject.folder().join("long.prof");
    let mut costs: Option<[Cost; 3]> = None;
    for _ in 0..repetitions.max(1) {
        let native = subject.native()?;
        let unrecorded = subject.unrecorded()?;
        ensure_same(&native, &unrecorded)?;
        let recorded = subject.record(&[], &profile)?;
        ensure_same(&native, &recorded)?;
        let new = [native.cost, unrecorded.cost, recorded.cost];
        costs = Some(match costs {
            None => new,
            Some(old) => [0, 1, 2].map(|i| old[i].least(new[i])),
        });
    }
    let [native, unrecorded, recorded] = costs.context("at least one repetition")?;
    let mut command = tool.parascan();
    command.args(["regions", "--format", "json"]).arg(&profile);
    let printed = run(&mut command, LIMIT)?.success("parascan regions")?;
    let printed: Value = serde_json::from_slice(&printed.stdout)?;
    let bursts = &printed["profiles"][0]["bursts"];
    let rows = printed["regions"].as_array().context("regions")?;
    let large = |row: &&Value| row["coverage"].as_f64() >= Some(COVERAGE);
    let seen = |row: &&Value| row["self_parallelism"].is_number();
    Ok(Figures {
        native,
        unrecorded,
        recorded,
        bursts: bursts["count"].as_u64().unwrap_or(0),
        share: bursts["work"].as_f64().unwrap_or(0.0) / printed["work"].as_f64().unwrap_or(1.0),
        regions: (
            rows.iter().filter(large).count(),
            rows.iter().filter(large).filter(seen).count(),
        ),
    })
}

impl Figures {
    /// Processor time over the native one: not recorded, recorded.
    fn ratios(&self) -> [f64; 2] {
        [self.unrecorded, self.recorded].map(|cost| cost.cpu_seconds / self.native.cpu_seconds)
    }

    /// Bytes that recording adds to the peak.
    fn added(&self) -> u64 {
        let native = self.native.peak_bytes;
        self.recorded.peak_bytes.saturating_sub(native)
    }
}

/// The table.
pub fn markdown(machine: &Machine, repetitions: u32, rows: &[Row]) -> String {
    let mut text = format!(
        "{}. Processor time; that of recording includes what `parascan record` takes itself.\n\n\
         | program and input | native, s | not recorded | recorded | memory added, MB | bursts | of the work in them | regions of {:.0}% seen |\n\
         |---|---|---|---|---|---|---|---|\n",
        machine.measured(repetitions),
        100.0 * COVERAGE
    );
    let mut all = Vec::new();
    for row in rows {
        let name = format!("{} {}", row.name, row.arguments.join(" "));
        let figures = match &row.result {
            Ok(figures) => figures,
            Err(message) => {
                let _ = writeln!(text, "| {name} | {} |", message.replace('\n', " "));
                continue;
            }
        };
        let [idle, recorded] = figures.ratios();
        let _ = writeln!(
            text,
            "| {name} | {:.2} | {idle:.2} | {recorded:.2} | {:.0} | {} | {:.1}% | {} of {} |",
            figures.native.cpu_seconds,
            figures.added() as f64 / 1e6,
            figures.bursts,
            100.0 * figures.share,
            figures.regions.1,
            figures.regions.0,
        );
        all.push(figures.ratios());
    }
    let [idle, recorded] = [0, 1].map(|i| {
        let mean = geometric_mean(all.iter().map(|ratios| ratios[i]));
        let worst = all.iter().map(|ratios| ratios[i]).fold(0.0, f64::max);
        (mean, worst)
    });
    let _ = writeln!(
        text,
        "\n{} programs: not recorded {:.2} in the geometric mean, {:.2} at most; recorded {:.2} and {:.2}.",
        all.len(),
        idle.0,
        idle.1,
        recorded.0,
        recorded.1
    );
    text
}
