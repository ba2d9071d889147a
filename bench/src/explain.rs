//! What `parascan record --explain` costs in addition: the program once more, with every access reported.
//!
//! Native runs, recordings, and recordings with evidence alternate.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::hcpa::{LEVELS, ensure_same, keep_best};
use crate::machine::Machine;
use crate::measure::{Cost, run};
use crate::program::Workload;
use crate::report::geometric_mean;
use crate::subject::{LIMIT, Subject};
use crate::tool::Tool;

/// Costs of one program.
#[derive(Clone, Copy, Debug)]
pub struct Figures {
    /// Without parascan.
    pub native: Cost,
    /// Under `parascan record --levels 0..8`.
    pub recorded: Cost,
    /// The same with `--explain`.
    pub explained: Cost,
    /// The same with another parascan.
    pub other: Option<Cost>,
    /// Loops of the plan that are parallel.
    pub loops: usize,
    /// Those of them of which the whole run was observed.
    pub whole: usize,
}

impl Figures {
    /// Processor time that the evidence takes beside recording.
    fn observing(&self) -> f64 {
        (self.explained.cpu_seconds - self.recorded.cpu_seconds).max(1e-3)
    }

    /// The same over the time of recording.
    fn ratio(&self) -> f64 {
        self.observing() / self.recorded.cpu_seconds
    }

    /// Time of the other parascan for recording and evidence over this one's.
    fn faster(&self) -> Option<f64> {
        Some(self.other?.cpu_seconds / self.explained.cpu_seconds)
    }
}

/// One program's row: figures, or why there are none.
#[derive(Clone, Debug)]
pub struct Row {
    /// Program.
    pub name: &'static str,
    /// Figures or a message.
    pub result: Result<Figures, String>,
}

/// Builds and measures one program; `other` is a second parascan whose observing run is measured too.
pub fn measure(tool: &Tool, other: Option<&Tool>, program: &Workload, repetitions: u32) -> Row {
    Row {
        name: program.program.name,
        result: figures(tool, other, program, repetitions).map_err(|e| format!("{e:#}")),
    }
}

fn figures(
    tool: &Tool,
    other: Option<&Tool>,
    program: &Workload,
    repetitions: u32,
) -> Result<Figures> {
    let subject = Subject::prepare(tool, program, &[])?;
    let compared = other.map(|t| subject.of(t)).transpose()?;
    let profile = subject.folder().join("explained.prof");
    let explain = ["--levels", LEVELS, "--explain"];
    let (mut native, mut recorded, mut explained, mut before) = (None, None, None, None);
    for _ in 0..repetitions {
        let plain = subject.native()?;
        keep_best(&mut native, plain.cost);
        let record =
            subject.record(&["--levels", LEVELS], &subject.folder().join("levels.prof"))?;
        ensure_same(&plain, &record)?;
        keep_best(&mut recorded, record.cost);
        if let Some(subject) = &compared {
            let output = subject.record(&explain, &profile)?;
            ensure_same(&plain, &output)?;
            keep_best(&mut before, output.cost);
        }
        let output = subject.record(&explain, &profile)?;
        ensure_same(&plain, &output)?;
        keep_best(&mut explained, output.cost);
    }
    let (loops, whole) = planned(tool, &profile)?;
    Ok(Figures {
        native: native.context("at least one repetition")?,
        recorded: recorded.context("at least one repetition")?,
        explained: explained.context("at least one repetition")?,
        other: before,
        loops,
        whole,
    })
}

/// Parallel loops of the plan whose directive the source does not prove, and how many of them were observed in the
/// whole run.
fn planned(tool: &Tool, profile: &Path) -> Result<(usize, usize)> {
    let json = |command: &str| -> Result<Value> {
        let mut call = tool.parascan();
        let call = call.arg(command).arg(profile).args(["--format", "json"]);
        let output = run(call, LIMIT)?.success("parascan")?;
        serde_json::from_slice(&output.stdout).context("parascan printed something else than JSON")
    };
    let (plan, explained) = (json("plan")?, json("explain")?);
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let (plan, explained) = (list(&plan["plan"]), list(&explained["loops"]));
    let class = |entry: &Value| entry["class"].as_str().unwrap_or_default().to_owned();
    let open = |e: &Value| !e["certainty"].is_null() && e["certainty"] != "complete";
    let parallel = plan
        .iter()
        .filter(|e| class(e).starts_with("DOALL") && open(e));
    let whole = |entry: &&Value| {
        let same = |l: &&Value| l["id"] == entry["id"] && l["evidence"]["partial"] == false;
        explained.iter().any(|l| same(&l))
    };
    Ok((parallel.clone().count(), parallel.filter(whole).count()))
}

/// A whole measurement.
#[derive(Clone, Debug)]
pub struct Report {
    /// Where and when.
    pub machine: Machine,
    /// Repetitions, of which the best counted.
    pub repetitions: u32,
    /// One row for each program.
    pub rows: Vec<Row>,
}

impl Report {
    /// As Markdown: machine, table, means.
    pub fn markdown(&self) -> String {
        let mut text = self.machine.measured(self.repetitions) + ".\n\n";
        let found: Vec<&Figures> = self
            .rows
            .iter()
            .filter_map(|r| r.result.as_ref().ok())
            .collect();
        let compared = found.iter().any(|f| f.other.is_some());
        text += "| program | native s | recorded s | evidence s | of recorded | MB | loops of the plan |";
        text += if compared {
            " both before s | before / now |\n"
        } else {
            "\n"
        };
        text += "|---|--:|--:|--:|--:|--:|--:|";
        text += if compared { "--:|--:|\n" } else { "\n" };
        for row in &self.rows {
            let f = match &row.result {
                Ok(f) => f,
                Err(message) => {
                    let _ = writeln!(
                        text,
                        "| {} | failed: {} |",
                        row.name,
                        message.replace('\n', " ")
                    );
                    continue;
                }
            };
            let _ = write!(
                text,
                "| {} | {:.3} | {:.3} | {:.3} | {:.2}x | {:.0} | {} of {} |",
                row.name,
                f.native.cpu_seconds,
                f.recorded.cpu_seconds,
                f.observing(),
                f.ratio(),
                f.explained.peak_bytes as f64 / 1e6,
                f.whole,
                f.loops,
            );
            if let (Some(other), Some(faster)) = (f.other, f.faster()) {
                let _ = write!(text, " {:.3} | {faster:.2} |", other.cpu_seconds);
            }
            text.push('\n');
        }
        if found.is_empty() {
            return text + "\nNothing could be measured.\n";
        }
        let mean = geometric_mean(found.iter().map(|f| f.ratio()));
        let worst = found.iter().map(|f| f.ratio()).fold(0.0, f64::max);
        let _ = writeln!(
            text,
            "\nGeometric mean over {} programs: {mean:.2} times the processor time of recording (target 1), worst {worst:.2}.",
            found.len()
        );
        let faster: Vec<f64> = found.iter().filter_map(|f| f.faster()).collect();
        if !faster.is_empty() {
            let mean = geometric_mean(faster.into_iter());
            let _ = writeln!(
                text,
                "The parascan compared with took {mean:.2} times as long."
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_of_processor_time() {
        let cost = |seconds| Cost {
            seconds: 100.0,
            cpu_seconds: seconds,
            peak_bytes: 7_000_000,
        };
        let row = |name, recorded, explained, whole| Row {
            name,
            result: Ok(Figures {
                native: cost(0.1),
                recorded: cost(recorded),
                explained: cost(explained),
                other: Some(cost(2.0 * explained)),
                loops: 3,
                whole,
            }),
        };
        let report = Report {
            machine: Machine::here(),
            repetitions: 2,
            rows: vec![row("a", 1.0, 3.0, 2), row("b", 1.0, 9.0, 3)],
        };
        let text = report.markdown();
        assert!(
            text.contains("| a | 0.100 | 1.000 | 2.000 | 2.00x | 7 | 2 of 3 | 6.000 | 2.00 |"),
            "{text}"
        );
        assert!(text.contains("2 programs: 4.00 times"), "{text}");
    }
}
