//! Random programs must behave the same with and without instrumentation, and wherever they change between their
//! versions.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use parascan_abi::log::{ENV_BURSTS, ENV_DIR};

use crate::generator;
use crate::process::{Finished, run};
use crate::tool::Tool;

/// Levels at which every program is tried.
pub const LEVELS: [&str; 4] = ["O0", "O1", "O2", "O3"];
/// A program that runs longer than this uninstrumented is skipped.
pub const NATIVE_LIMIT: Duration = Duration::from_secs(2);
/// A program that runs longer than this instrumented is skipped, and counted.
pub const INSTRUMENTED_LIMIT: Duration = Duration::from_secs(40);

/// Where programs come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramSource {
    /// Csmith: expressions, pointers, structs, bit fields, `goto`.
    Csmith,
    /// [`generator`]: loop nests over arrays of all types, as YARPGen writes them.
    Loops,
}

impl fmt::Display for ProgramSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Csmith => "--csmith",
            Self::Loops => "--yarpgen-like",
        })
    }
}

/// Whether one program at one level behaved the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// Same output and exit code, recorded and not, and in bursts; figures consistent.
    Same,
    /// Took too long, natively or instrumented.
    Timeout,
    /// Something differs; what.
    Differs(String),
}

/// Tries the program of one seed at all levels, up to the first at which it takes too long.
///
/// # Errors
/// Programs cannot be generated or run at all, for example because Csmith is not installed.
pub fn try_seed(
    tool: &Tool,
    source: ProgramSource,
    seed: u64,
    directory: &Path,
) -> Result<Vec<(&'static str, Agreement)>> {
    let program = write_program(source, seed, directory)?;
    let mut outcomes = Vec::new();
    for level in LEVELS {
        let outcome = try_level(tool, &program, level, directory)?;
        let endless = outcome == Agreement::Timeout;
        outcomes.push((level, outcome));
        if endless {
            break;
        }
    }
    Ok(outcomes)
}

fn write_program(source: ProgramSource, seed: u64, directory: &Path) -> Result<PathBuf> {
    let path = directory.join(format!("seed{seed}.c"));
    match source {
        ProgramSource::Loops => std::fs::write(&path, generator::program(seed))?,
        ProgramSource::Csmith => {
            let arguments = [
                "--max-funcs",
                "4",
                "--max-block-depth",
                "3",
                "--no-packed-struct",
                "--output",
            ];
            let mut command = Command::new("csmith");
            command
                .args(["--seed", &seed.to_string()])
                .args(arguments)
                .arg(&path)
                .current_dir(directory);
            let done = run(&mut command, NATIVE_LIMIT * 10)
                .context("csmith (Debian package `csmith`) cannot be started")?;
            ensure!(
                done.code() == Some(0),
                "csmith --seed {seed}: {}",
                done.errors()
            );
        }
    }
    Ok(path)
}

fn try_level(tool: &Tool, source: &Path, level: &str, directory: &Path) -> Result<Agreement> {
    let native = directory.join(format!("native-{level}"));
    let instrumented = directory.join(format!("instrumented-{level}"));
    let flags = [
        format!("-{level}"),
        "-w".into(),
        "-I/usr/include/csmith".into(),
    ];
    let done = run(
        Command::new("clang-22")
            .args(&flags)
            .arg(source)
            .arg("-o")
            .arg(&native),
        INSTRUMENTED_LIMIT,
    )?;
    ensure!(
        done.code() == Some(0),
        "clang-22 refuses {}: {}",
        source.display(),
        done.errors()
    );
    let expected = run(&mut Command::new(&native), NATIVE_LIMIT)?;
    if expected.status.is_none() {
        return Ok(Agreement::Timeout);
    }
    if let Err(error) = tool.compile(source, &flags, &instrumented) {
        return Ok(Agreement::Differs(format!("does not compile: {error:#}")));
    }
    let plain = run(&mut Command::new(&instrumented), INSTRUMENTED_LIMIT)?;
    let profile = directory.join(format!("{level}.prof"));
    let recorded = tool.record(&instrumented, &[], &profile)?;
    let every = in_bursts(&instrumented, "1:1000:0:0:1")?;
    let half = in_bursts(&instrumented, "2:500:0:0:300")?;
    for (how, found) in [
        ("not recorded", &plain),
        ("recorded", &recorded),
        ("switched at every check", &every),
        ("half of it in bursts", &half),
    ] {
        if found.status.is_none() {
            return Ok(Agreement::Timeout);
        }
        if let Some(difference) = difference(&expected, found) {
            return Ok(Agreement::Differs(format!("{how}: {difference}")));
        }
    }
    Ok(tool
        .regions(&profile)
        .and_then(|regions| regions.consistent())
        .map_or_else(
            |e| Agreement::Differs(format!("{e:#}")),
            |()| Agreement::Same,
        ))
}

/// Runs a program with bursts at these moments: its versions change where a burst begins or ends.
fn in_bursts(program: &Path, schedule: &str) -> Result<Finished> {
    let folder = tempfile::tempdir()?;
    let mut command = Command::new(program);
    command
        .env(ENV_DIR, folder.path())
        .env(ENV_BURSTS, schedule);
    let done = run(&mut command, INSTRUMENTED_LIMIT)?;
    let left = std::fs::read_dir(folder.path())?.next();
    ensure!(left.is_some(), "{} was not recorded", program.display());
    Ok(done)
}

fn difference(expected: &Finished, found: &Finished) -> Option<String> {
    if expected.code() != found.code() {
        return Some(format!(
            "exit code {:?} instead of {:?}: {}",
            found.code(),
            expected.code(),
            found.errors()
        ));
    }
    (expected.stdout != found.stdout)
        .then(|| format!("output {:?} instead of {:?}", found.text(), expected.text()))
}

/// Tally over many programs.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Program/level combinations that agreed.
    pub same: usize,
    /// Combinations that took too long.
    pub timeouts: usize,
    /// Descriptions of combinations that differed, with the command to repeat them.
    pub failures: Vec<String>,
}

/// Tries `count` seeds from `first` on, in two workers; programs of failing seeds are copied to `keep`.
///
/// # Errors
/// As for [`try_seed`], or a failing program cannot be kept.
pub fn campaign(
    tool: &Tool,
    source: ProgramSource,
    first: u64,
    count: u64,
    keep: &Path,
) -> Result<Tally> {
    let seeds: Vec<u64> = (first..first + count).collect();
    let results = crate::process::in_parallel(&seeds, |&seed| -> Result<Tally> {
        let directory = tempfile::tempdir()?;
        let mut tally = Tally::default();
        for (level, outcome) in try_seed(tool, source, seed, directory.path())? {
            match outcome {
                Agreement::Same => tally.same += 1,
                Agreement::Timeout => tally.timeouts += 1,
                Agreement::Differs(what) => tally.failures.push(format!(
                    "seed {seed} -{level}: {what}\n  repeat: cargo run -p parascan-suite --bin fuzz -- {source} --count 1 --seed {seed}"
                )),
            }
        }
        if !tally.failures.is_empty() {
            std::fs::create_dir_all(keep)?;
            let name = format!("seed{seed}.c");
            std::fs::copy(directory.path().join(&name), keep.join(&name))?;
        }
        Ok(tally)
    });
    let mut total = Tally::default();
    for result in results {
        let tally = result?;
        total.same += tally.same;
        total.timeouts += tally.timeouts;
        total.failures.extend(tally.failures);
    }
    Ok(total)
}
