//! One C program through both: compiled and recorded by the laid-out tool, and interpreted.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use parascan_formats::codec;
use parascan_formats::prepared::PreparedModule;
use parascan_formats::profile::{End, Profile};

use crate::generate::ProgramSample;
use crate::machine::{self, Execution};
use crate::{compare, load};

/// Longest time that a compilation or a recorded run may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// Stack of the interpreter's thread: it calls itself where the program does.
const STACK: usize = 1 << 30;

/// A laid-out parascan.
#[derive(Clone, Debug)]
pub struct Tool {
    bin: PathBuf,
}

/// What both said about a program.
#[derive(Debug)]
pub struct CheckReport {
    /// Differences, one a line; none when they agree.
    pub differences: Vec<String>,
    /// The program as the reference sees it.
    pub subject: InterpretedProgram,
}

/// A program that was interpreted.
#[derive(Debug)]
pub struct InterpretedProgram {
    /// The pass's notes.
    pub notes: PreparedModule,
    /// What came of it.
    pub outcome: Execution,
}

impl Tool {
    /// Finds the tool: `PARASCAN_HOME`, else `parascan` in the workspace's target directory.
    ///
    /// # Errors
    /// It is not there; the message says how to build it.
    pub fn find() -> Result<Self> {
        let home = std::env::var_os("PARASCAN_HOME").map_or_else(
            || {
                let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(
                    || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"),
                    PathBuf::from,
                );
                target.join("parascan")
            },
            PathBuf::from,
        );
        let bin = home.join("bin");
        ensure!(
            bin.join("parascan-cc").is_file(),
            "{} has no parascan-cc: run `cargo xtask build` first, or set PARASCAN_HOME",
            bin.display()
        );
        Ok(Self { bin })
    }

    /// Compiles a program at an optimization level (such as `-O1`) and says in what reference and profile differ.
    ///
    /// # Errors
    /// It cannot be compiled, run or interpreted.
    pub fn check(&self, source: &Path, level: &str) -> Result<CheckReport> {
        let directory = tempfile::tempdir()?;
        let prefix = directory.path().join("program");
        let (notes, module) = self.prepare(source, level, &prefix)?;
        let (output, profile) = self.record(&prefix)?;
        let outcome = interpret(&module, &notes)?;
        let mut differences = Vec::new();
        if output.stdout != outcome.output {
            differences.push(format!(
                "output: reference {:?}, program {:?}",
                String::from_utf8_lossy(&outcome.output),
                String::from_utf8_lossy(&output.stdout)
            ));
        }
        if profile.end != End::Exited(outcome.code) {
            differences.push(format!(
                "end: reference exit code {}, program {:?}",
                outcome.code, profile.end
            ));
        }
        differences.extend(compare::differences(&outcome, &notes, &profile)?);
        Ok(CheckReport {
            differences,
            subject: InterpretedProgram { notes, outcome },
        })
    }

    /// [`Tool::check`] of a random program.
    ///
    /// # Errors
    /// As there.
    pub fn check_sample(&self, sample: &ProgramSample) -> Result<CheckReport> {
        let directory = tempfile::tempdir()?;
        let source = directory.path().join("random.c");
        std::fs::write(&source, &sample.text)?;
        self.check(&source, sample.level)
    }

    /// Compiles a program to `prefix`, with what the reference needs beside it.
    fn prepare(
        &self,
        source: &Path,
        level: &str,
        prefix: &Path,
    ) -> Result<(PreparedModule, PathBuf)> {
        let done = run(Command::new(self.bin.join("parascan-cc"))
            .env("PARASCAN_DUMP", prefix)
            .args([level, "-w", "-g"])
            .arg(source)
            .arg("-o")
            .arg(prefix)
            .arg("-lm"))?;
        ensure!(
            done.status.success(),
            "parascan-cc: {}",
            String::from_utf8_lossy(&done.stderr)
        );
        let text = std::fs::read(prefix.with_extension("json")).context("the pass's notes")?;
        let notes = serde_json::from_slice(&text).context("the pass's notes")?;
        Ok((notes, prefix.with_extension("bc")))
    }

    fn record(&self, program: &Path) -> Result<(Output, Profile)> {
        let path = program.with_extension("profile");
        let output = run(Command::new(self.bin.join("parascan"))
            .arg("record")
            .arg("-o")
            .arg(&path)
            .arg("--")
            .arg(program))?;
        let bytes = std::fs::read(&path).with_context(|| {
            format!(
                "parascan record: {}",
                String::from_utf8_lossy(&output.stderr)
            )
        })?;
        Ok((output, codec::decode(&bytes)?))
    }
}

/// Interprets a prepared program, on a thread with much stack.
///
/// # Errors
/// The program does something that the interpreter does not know, or something undefined.
pub fn interpret(module: &Path, notes: &PreparedModule) -> Result<Execution> {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, || machine::run(&load::load(module)?, notes))
            .context("a thread")?
            .join()
            .unwrap_or_else(|_| bail!("the interpreter panicked"))
    })
}

/// Runs a command to its end, or for as long as it may take.
fn run(command: &mut Command) -> Result<Output> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("{command:?}"))?;
    let start = Instant::now();
    while child.try_wait()?.is_none() {
        if start.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            bail!("{command:?} takes too long");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(child.wait_with_output()?)
}
