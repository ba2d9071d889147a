//! What `parascan ilp` costs: tracing only, one model, eight windows, against the program alone.

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use serde_json::Value;

use crate::inputs::Input;
use crate::machine::Machine;
use crate::measure::Cost;
use crate::program::{BenchProgram, Workload};
use crate::real::RealPrograms;
use crate::small;
use crate::subject::{Native, Output};
use crate::tool::Tool;

/// Eight window sizes: as many models in one run.
const WINDOWS: &str = "16,64,256,1k,10k,100k,1M,all";

/// The figures of one program.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Short name of the program, as tables have it.
    pub name: &'static str,
    /// What the run shows, for tables: its input, or what it computes.
    pub label: &'static str,
    /// The figures, or why there are none.
    pub result: Result<Figures, String>,
}

/// Best of all repetitions.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// Instructions executed, as counted by the default run.
    pub instructions: u64,
    /// The program alone.
    pub native: Cost,
    /// `--count-only`.
    pub tracing: Cost,
    /// One model alone: `--no-routines`.
    pub alone: Cost,
    /// The default: one model, and its routines.
    pub one: Cost,
    /// Eight windows in one run, whose routines are then not measured.
    pub eight: Cost,
    /// Bytes of live well for each byte of memory that the program touched, under the default model.
    pub live_well: f64,
}

/// A whole measurement.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Where and when.
    pub machine: Machine,
    /// Repetitions, of which the best counted.
    pub repetitions: u32,
    /// One row for each program.
    pub rows: Vec<Row>,
}

/// The programs: installed ones as they are, and some of `parascan-bench native`.
///
/// # Errors
/// An installed program is not there, or packages of the others cannot be had.
pub fn subjects() -> Result<Vec<(Workload, Option<&'static str>)>> {
    let text = |size| Input::MixedText { name: "text", size };
    let mut subjects = vec![
        (
            installed("gzip", "10 MB, level 6", &["-kf", "text"]).with(text(10_000_000)),
            Some("gzip"),
        ),
        (
            installed("sort", "2 MB of text", &["-o", "sorted", "text"])
                .with(text(2_000_000))
                .writes("sorted"),
            Some("sort"),
        ),
        (
            installed(
                "python3",
                "sum of primes",
                &[
                    "-S",
                    "-c",
                    "print(sum(n for n in range(2, 12000) if all(n % d for d in range(2, int(n ** 0.5) + 1))))",
                ],
            ),
            Some("python3"),
        ),
    ];
    subjects[0].0.outputs.push("text.gz");
    let mut built = small::runs();
    built.extend(RealPrograms::locate()?.runs());
    built.retain(|run| {
        ["gemm", "fft", "quicksort", "bzip2", "lua", "sqlite"].contains(&run.program.name)
    });
    subjects.extend(built.into_iter().map(|run| (run, None)));
    Ok(subjects)
}

/// A run of a program that is on the machine.
pub(crate) fn installed(name: &'static str, label: &'static str, arguments: &[&str]) -> Workload {
    Workload {
        program: BenchProgram {
            name,
            sources: Vec::new(),
            flags: Vec::new(),
            link: Vec::new(),
        },
        label,
        arguments: arguments.iter().map(|&word| word.to_owned()).collect(),
        inputs: Vec::new(),
        outputs: Vec::new(),
        before: Vec::new(),
    }
}

/// Measures one program; every output must be what it is without parascan.
pub fn measure(tool: &Tool, run: &Workload, path: Option<&str>, repetitions: u32) -> Row {
    Row {
        name: run.program.name,
        label: run.label,
        result: figures(tool, run, path, repetitions).map_err(|error| format!("{error:#}")),
    }
}

fn figures(tool: &Tool, run: &Workload, path: Option<&str>, repetitions: u32) -> Result<Figures> {
    let subject = match path {
        Some(name) => Native::installed(name, run)?,
        None => Native::prepare(run)?,
    };
    let report = subject.folder().join("ilp.json");
    let ilp = |options: &[&str]| -> Result<Output> {
        let mut command = tool.parascan();
        command
            .args(["ilp", "--from", "start"])
            .args(options)
            .arg(&report)
            .arg("--");
        subject.run_under(command)
    };
    let mut best: Option<Figures> = None;
    for _ in 0..repetitions {
        let native = subject.run()?;
        let tracing = ilp(&["--count-only"])?;
        let eight = ilp(&["--window", WINDOWS, "--format", "json", "-o"])?;
        let alone = ilp(&["--no-routines", "--format", "json", "-o"])?;
        let one = ilp(&["--format", "json", "-o"])?;
        let outputs = [
            (&tracing, "tracing"),
            (&eight, "eight"),
            (&alone, "alone"),
            (&one, "one"),
        ];
        for (output, what) in outputs {
            ensure!(
                output.stdout == native.stdout && output.files == native.files,
                "output differs under parascan ilp ({what})"
            );
        }
        let json: Value = serde_json::from_slice(&fs::read(&report)?).context("ilp's JSON")?;
        let result = &json["graphs"][0]["results"][0];
        let number = |value: &Value| value.as_u64().context("a figure is missing in ilp's JSON");
        let new = Figures {
            instructions: number(&result["instructions"])?,
            native: native.cost,
            tracing: tracing.cost,
            alone: alone.cost,
            one: one.cost,
            eight: eight.cost,
            live_well: number(&result["live_well"]["size"])? as f64
                / number(&result["live_well"]["touched"])?.max(1) as f64,
        };
        best = Some(match best {
            None => new,
            Some(old) => Figures {
                native: old.native.least(new.native),
                tracing: old.tracing.least(new.tracing),
                alone: old.alone.least(new.alone),
                one: old.one.least(new.one),
                eight: old.eight.least(new.eight),
                ..new
            },
        });
    }
    best.context("no repetitions")
}

impl Report {
    /// As a Markdown table.
    pub fn markdown(&self) -> String {
        let machine = &self.machine;
        let mut text = format!(
            "\nMeasured on {} on {}, {} cores, {:.1} GiB of memory, {}.\nBest of {} alternating repetitions.\n\n\
             | program | million instr. | native s | tracing | M/s | one model | M/s | and routines | M/s | eight windows | of one | live well B/B |\n\
             |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
            machine.date,
            machine.processor,
            machine.cores,
            machine.memory_bytes as f64 / f64::from(1 << 30),
            machine.kernel,
            self.repetitions,
        );
        for row in &self.rows {
            match &row.result {
                Ok(f) => {
                    let times = |cost: Cost| format!("{:.1}x", cost.seconds / f.native.seconds);
                    let rate =
                        |cost: Cost| format!("{:.0}", f.instructions as f64 / cost.seconds / 1e6);
                    let _ = writeln!(
                        text,
                        "| {} ({}) | {:.0} | {:.3} | {} | {} | {} | {} | {} | {} | {} | {:.2} | {:.1} |",
                        row.name,
                        row.label,
                        f.instructions as f64 / 1e6,
                        f.native.seconds,
                        times(f.tracing),
                        rate(f.tracing),
                        times(f.alone),
                        rate(f.alone),
                        times(f.one),
                        rate(f.one),
                        times(f.eight),
                        f.eight.seconds / f.alone.seconds,
                        f.live_well,
                    );
                }
                Err(message) => {
                    let _ = writeln!(text, "| {} ({}) | failed: {message} |", row.name, row.label);
                }
            }
        }
        text
    }
}
