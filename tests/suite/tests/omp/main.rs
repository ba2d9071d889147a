//! OpenMP programs with known answers, and programs that make watching them hard: `parascan omp` from outside.

mod constructs;
mod losses;
mod process;
mod runtimes;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use parascan_suite::process::{Finished, in_some_attempt, run};
use parascan_suite::tool::{LIMIT, Setup, quiet, suite_dir};
use serde_json::Value;

/// Compiles a source of `omp/` with a compiler.
fn compile(setup: &Setup, compiler: &str, source: &str, flags: &[&str]) -> Result<PathBuf> {
    let program = setup.path(&source.replace(['/', '.'], "_"));
    let mut command = Command::new(compiler);
    command
        .args(["-O2", "-g", "-fopenmp", "-w"])
        .args(flags)
        .arg(suite_dir().join("omp").join(source))
        .arg("-lm")
        .arg("-o")
        .arg(&program)
        .current_dir(setup.folder.path());
    quiet(&mut command)?;
    Ok(program)
}

fn build(setup: &Setup, source: &str) -> Result<PathBuf> {
    let compiler = if source.ends_with(".cc") {
        "clang++-22"
    } else {
        "clang-22"
    };
    compile(setup, compiler, source, &[])
}

/// The command that watches a program, with its recording in the scratch folder.
fn watching(setup: &Setup, program: &Path, arguments: &[&str]) -> Command {
    let mut command = setup.tool.parascan();
    command
        .args(["omp", "--format", "json", "-o"])
        .arg(setup.path("run.omp"))
        .arg("--")
        .arg(program)
        .args(arguments);
    command
}

fn watch(setup: &Setup, program: &Path, arguments: &[&str]) -> Result<Watched> {
    Watched::of(run(&mut watching(setup, program, arguments), LIMIT)?)
}

/// A watched run.
#[derive(Debug)]
struct Watched {
    finished: Finished,
    /// What the program itself printed.
    output: String,
    result: Value,
}

impl Watched {
    fn of(finished: Finished) -> Result<Self> {
        let text = finished.text();
        let start = text
            .find("{\n")
            .with_context(|| format!("no result: {text}{}", finished.errors()))?;
        let (output, json) = text.split_at(start);
        Ok(Self {
            output: output.to_owned(),
            result: serde_json::from_str(json)?,
            finished,
        })
    }

    /// Milliseconds lost in a class (0 synchronization, 1 limited parallelism, 2 thread management, 3 imbalance).
    fn lost(&self, class: usize) -> f64 {
        self.result["total"]["lost"][class]
            .as_f64()
            .unwrap_or(f64::NAN)
            / 1e6
    }

    /// Milliseconds of threads outside parallel regions.
    fn idle(&self) -> f64 {
        self.result["total"]["idle"].as_f64().unwrap_or(f64::NAN) / 1e6
    }

    fn regions(&self) -> impl Iterator<Item = &Value> {
        self.result["regions"].as_array().into_iter().flatten()
    }

    /// Regions of a kind.
    fn of_kind(&self, kind: &str) -> Vec<&Value> {
        self.regions().filter(|r| r["kind"] == kind).collect()
    }

    /// Executions of all regions of a kind by all threads.
    fn executions(&self, kind: &str) -> u64 {
        let of_region = |r: &Value| -> u64 {
            let threads = r["threads"].as_array().into_iter().flatten();
            threads.filter_map(|t| t["executions"].as_u64()).sum()
        };
        self.of_kind(kind).into_iter().map(of_region).sum()
    }
}
