//! What `parascan omp` costs: per event, on programs with regions of 100 µs, and in memory.
//!
//! Native and watched runs alternate, and the best of each counts. An event is a callback that the runtime delivers.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::machine::Machine;
use crate::measure::{Finished, run};
use crate::tool::{Tool, workspace_dir};

/// Longest run.
const LIMIT: Duration = Duration::from_secs(300);
/// Kinds of constructs in `events.c`, and the callbacks that each delivers on one thread.
const KINDS: [(&str, f64); 7] = [
    ("critical", 3.0),
    ("lock", 3.0),
    ("loop", 2.0),
    ("barrier", 4.0),
    ("single", 2.0),
    ("task", 3.0),
    ("parallel", 4.0),
];
/// Events of the run whose memory is measured.
const MANY: u64 = 10_000_000;
/// Most nanoseconds per event in the median over the kinds.
const EVENT_LIMIT: f64 = 50.0;
/// Most time of a watched program with regions of 100 µs, over that of the native one.
const RATIO_LIMIT: f64 = 1.03;
/// Most memory that watching may add, in bytes.
const MEMORY_LIMIT: u64 = 64 << 20;

/// What was measured.
#[derive(Debug)]
pub struct Report {
    machine: Machine,
    repetitions: u32,
    /// Nanoseconds per construct, native and watched, and events per construct.
    kinds: Vec<(&'static str, f64, f64, f64)>,
    /// Threads, and seconds, native and watched.
    regions: Vec<(u32, f64, f64)>,
    /// Peak memory, native and watched, and size of the recording.
    memory: (u64, u64, u64),
}

/// Measures everything.
///
/// # Errors
/// A compiler or a program fails.
pub fn measure(tool: &Tool, repetitions: u32) -> Result<Report> {
    let folder = tempfile::tempdir()?;
    let sources = workspace_dir().join("bench/programs/omp");
    let events = compile(&sources.join("events.c"), &[], folder.path())?;
    let regions = compile(&sources.join("regions.c"), &[], folder.path())?;
    let mut report = Report {
        machine: Machine::here(),
        repetitions,
        kinds: Vec::new(),
        regions: Vec::new(),
        memory: (0, 0, 0),
    };
    let setup = Setup {
        tool,
        recording: folder.path().join("bench.omp"),
    };
    for (kind, per_construct) in KINDS {
        eprintln!("{kind} ...");
        let (native, watched) = setup.pair(&events, &[kind, "20000", "40"], repetitions)?;
        report.kinds.push((kind, native, watched, per_construct));
    }
    for threads in [1, 2] {
        eprintln!("regions on {threads} ...");
        let threads_word = threads.to_string();
        // Short runs, and many of them: on a busy machine some find both processors free.
        let (native, watched) = setup.pair(&regions, &[&threads_word, "2000"], 8 * repetitions)?;
        report.regions.push((threads, native, watched));
    }
    eprintln!("memory ...");
    let constructs = (MANY / 3).to_string();
    let arguments = ["critical", &constructs, "1"];
    let native = run(Command::new(&events).args(arguments), LIMIT)?.success("events")?;
    let watched = setup.watched(&events, &arguments)?;
    report.memory = (
        native.cost.peak_bytes,
        watched.cost.peak_bytes,
        std::fs::metadata(&setup.recording)?.len(),
    );
    Ok(report)
}

/// The tool, and the file that recordings go to.
struct Setup<'a> {
    tool: &'a Tool,
    recording: PathBuf,
}

impl Setup<'_> {
    /// The best figures that a program prints, native and watched.
    fn pair(&self, program: &Path, arguments: &[&str], repetitions: u32) -> Result<(f64, f64)> {
        let mut best = (f64::INFINITY, f64::INFINITY);
        for _ in 0..repetitions {
            let native = run(Command::new(program).args(arguments), LIMIT)?;
            best.0 = best.0.min(figure(&native.success("native")?)?);
            best.1 = best.1.min(figure(&self.watched(program, arguments)?)?);
        }
        Ok(best)
    }

    fn watched(&self, program: &Path, arguments: &[&str]) -> Result<Finished> {
        let mut command = self.tool.parascan();
        command
            .args(["omp", "-q", "-o"])
            .arg(&self.recording)
            .arg("--")
            .arg(program)
            .args(arguments);
        run(&mut command, LIMIT)?.success("parascan omp")
    }
}

fn figure(finished: &Finished) -> Result<f64> {
    let text = String::from_utf8_lossy(&finished.stdout);
    let number = text.trim().parse();
    number.with_context(|| format!("the program printed {text}"))
}

/// Builds a C program with clang's `-O2 -g -fopenmp` and these flags into a folder, under the source's name.
pub(crate) fn compile(source: &Path, flags: &[&str], folder: &Path) -> Result<PathBuf> {
    let name = source.file_stem().context("the source has no name")?;
    let program = folder.join(name);
    let done = run(
        Command::new("clang-22")
            .args(["-O2", "-g", "-fopenmp"])
            .args(flags)
            .arg(source)
            .arg("-lm")
            .arg("-o")
            .arg(&program),
        LIMIT,
    )?;
    ensure!(done.status.success(), "clang-22: {}", done.stderr);
    Ok(program)
}

impl Report {
    /// Nanoseconds per event in the median over the kinds.
    fn median(&self) -> f64 {
        let mut all: Vec<f64> = self.kinds.iter().map(per_event).collect();
        all.sort_by(f64::total_cmp);
        (all[(all.len() - 1) / 2] + all[all.len() / 2]) / 2.0
    }

    /// Memory that watching added.
    fn added(&self) -> u64 {
        self.memory.1.saturating_sub(self.memory.0)
    }

    /// Whether all limits were kept.
    pub fn passes(&self) -> bool {
        self.median() <= EVENT_LIMIT
            && self.regions.iter().all(|(_, n, w)| w / n <= RATIO_LIMIT)
            && self.added() <= MEMORY_LIMIT
    }

    /// The tables of `docs/bench-omp.md`, with the limits that figures are held against.
    pub fn markdown(&self) -> String {
        let mut out = self.machine.measured(self.repetitions) + ".\n\n";
        out += "| construct | native ns | watched ns | events | ns per event |\n|---|--:|--:|--:|--:|\n";
        for kind @ (name, native, watched, events) in &self.kinds {
            let _ = writeln!(
                out,
                "| {name} | {native:.1} | {watched:.1} | {events} | {:.1} |",
                per_event(kind)
            );
        }
        let _ = writeln!(
            out,
            "\nMedian: {:.1} ns per event (limit {EVENT_LIMIT}).\n",
            self.median()
        );
        out += "| regions of 100 µs, threads | native s | watched s | ratio |\n|--:|--:|--:|--:|\n";
        for (threads, native, watched) in &self.regions {
            let ratio = watched / native;
            let _ = writeln!(
                out,
                "| {threads} | {native:.3} | {watched:.3} | {ratio:.3} |"
            );
        }
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        let _ = writeln!(
            out,
            "\n{MANY} events: {:.1} MB native, {:.1} MB watched, a recording of {:.1} kB.",
            megabytes(self.memory.0),
            megabytes(self.memory.1),
            self.memory.2 as f64 / 1e3
        );
        out
    }
}

fn per_event((_, native, watched, events): &(&str, f64, f64, f64)) -> f64 {
    (watched - native) / events
}
