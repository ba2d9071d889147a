//! What `parascan record --explain` runs in addition: the program once more, with every access reported.
//!
//! The run that observes is started as `record` starts it (environment, limit); native, recorded and observing runs alternate.

use std::fmt::Write as _;
use std::fs;
use std::mem::offset_of;

use anyhow::{Context, Result, ensure};
use parascan_abi::deps::{FLAG_LIMIT, Header};

use crate::hcpa::{LEVELS, ensure_same, keep_best};
use crate::machine::Machine;
use crate::measure::Cost;
use crate::program::Run;
use crate::report::geometric_mean;
use crate::subject::Subject;
use crate::tool::Tool;

/// Iterations observed at most, as `record --explain` has it.
const LIMIT: u32 = 50_000_000;

/// Costs of one program.
#[derive(Clone, Copy, Debug)]
pub struct Figures {
    /// Without parascan.
    pub native: Cost,
    /// Under `parascan record --levels 0..8`.
    pub recorded: Cost,
    /// The run that observes dependences.
    pub observing: Cost,
    /// The same with another parascan.
    pub other: Option<Cost>,
    /// Iterations, begins and ends of loops observed.
    pub steps: u64,
    /// Observation ended before the program did.
    pub limited: bool,
}

impl Figures {
    /// Processor time of the observing run over that of recording.
    fn ratio(&self) -> f64 {
        self.observing.cpu_seconds / self.recorded.cpu_seconds
    }

    /// Processor time of the other parascan's observing run over this one's.
    fn faster(&self) -> Option<f64> {
        Some(self.other?.cpu_seconds / self.observing.cpu_seconds)
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
pub fn measure(tool: &Tool, other: Option<&Tool>, program: &Run, repetitions: u32) -> Row {
    Row {
        name: program.program.name,
        result: figures(tool, other, program, repetitions).map_err(|e| format!("{e:#}")),
    }
}

fn figures(tool: &Tool, other: Option<&Tool>, program: &Run, repetitions: u32) -> Result<Figures> {
    let subject = Subject::prepare(tool, program, &[])?;
    let compared = other.map(|t| subject.of(t)).transpose()?;
    let evidence = subject.folder().join("bench.evidence");
    let (mut native, mut recorded, mut observing, mut before) = (None, None, None, None);
    for _ in 0..repetitions {
        let plain = subject.native()?;
        keep_best(&mut native, plain.cost);
        let record =
            subject.record(&["--levels", LEVELS], &subject.folder().join("levels.prof"))?;
        ensure_same(&plain, &record)?;
        keep_best(&mut recorded, record.cost);
        if let Some(subject) = &compared {
            let output = subject.observe(&evidence, LIMIT)?;
            ensure_same(&plain, &output)?;
            keep_best(&mut before, output.cost);
        }
        let output = subject.observe(&evidence, LIMIT)?;
        ensure_same(&plain, &output)?;
        keep_best(&mut observing, output.cost);
    }
    let head = fs::read(&evidence).context("the run left no evidence")?;
    ensure!(
        head.len() >= size_of::<Header>(),
        "the evidence is no file of evidence"
    );
    let word = |at: usize| u32::from_ne_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let steps = offset_of!(Header, steps);
    Ok(Figures {
        native: native.context("at least one repetition")?,
        recorded: recorded.context("at least one repetition")?,
        observing: observing.context("at least one repetition")?,
        other: before,
        steps: u64::from(word(steps)) | u64::from(word(steps + 4)) << 32,
        limited: word(offset_of!(Header, flags)) & FLAG_LIMIT != 0,
    })
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
        text += "| program | native s | recorded s | observing s | of recorded | MB | million boundaries |";
        text += if compared {
            " before s | before / now |\n"
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
                "| {} | {:.3} | {:.3} | {:.3} | {:.2}x | {:.0} | {:.1}{} |",
                row.name,
                f.native.cpu_seconds,
                f.recorded.cpu_seconds,
                f.observing.cpu_seconds,
                f.ratio(),
                f.observing.peak_bytes as f64 / 1e6,
                f.steps as f64 / 1e6,
                if f.limited { " (limit)" } else { "" },
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
        let row = |name, recorded, observing, limited| Row {
            name,
            result: Ok(Figures {
                native: cost(0.1),
                recorded: cost(recorded),
                observing: cost(observing),
                other: Some(cost(2.0 * observing)),
                steps: 1_500_000,
                limited,
            }),
        };
        let report = Report {
            machine: Machine::here(),
            repetitions: 2,
            rows: vec![row("a", 1.0, 2.0, false), row("b", 1.0, 8.0, true)],
        };
        let text = report.markdown();
        assert!(
            text.contains("| a | 0.100 | 1.000 | 2.000 | 2.00x | 7 | 1.5 | 4.000 | 2.00 |"),
            "{text}"
        );
        assert!(text.contains("| 1.5 (limit) |"), "{text}");
        assert!(text.contains("2 programs: 4.00 times"), "{text}");
    }
}
