//! The built parascan: where it is, and its commands as functions.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize as _;
use serde_json::Value;

use crate::process::{Finished, heed_signals, run};
use crate::regions::{PlanOutput, Regions};

/// Longest time any single command of the suite may take.
pub const LIMIT: Duration = Duration::from_secs(120);

/// Folder of this crate, where the annotated sources are.
pub fn suite_dir() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Line of a source, below [`suite_dir`], that ends with this word as its comment.
///
/// # Errors
/// No file, or no such line.
pub fn marked_line(source: &str, word: &str) -> Result<u32> {
    let text = std::fs::read_to_string(suite_dir().join(source))?;
    let mark = format!("// {word}");
    let mut lines = (1..).zip(text.lines());
    let found = lines.find(|(_, content)| content.ends_with(&mark));
    found
        .map(|(line, _)| line)
        .with_context(|| format!("{source} has no line marked `{word}`"))
}

/// A laid-out parascan.
#[derive(Clone, Debug)]
pub struct Tool {
    bin: PathBuf,
}

impl Tool {
    /// Finds the tool: `PARASCAN_HOME`, else `parascan` in the workspace's target directory.
    ///
    /// # Errors
    /// It is not there; the message says how to build it.
    pub fn find() -> Result<Self> {
        let home = match std::env::var_os("PARASCAN_HOME") {
            Some(home) => PathBuf::from(home),
            None => {
                let root = suite_dir()
                    .ancestors()
                    .nth(2)
                    .context("the suite lies in tests/suite")?;
                let target = std::env::var_os("CARGO_TARGET_DIR")
                    .map_or_else(|| root.join("target"), |dir| root.join(dir));
                target.join("parascan")
            }
        };
        let bin = home.join("bin");
        for name in ["parascan", "parascan-cc", "parascan-c++", "parascan-fc"] {
            let path = bin.join(name);
            if !path.is_file() {
                bail!(
                    "{} does not exist: run `cargo xtask build` first, or set PARASCAN_HOME to a folder with bin/",
                    path.display()
                );
            }
        }
        Ok(Self { bin })
    }

    /// The `parascan` command.
    pub fn parascan(&self) -> Command {
        Command::new(self.bin.join("parascan"))
    }

    /// The compiler driver for a source: `parascan-c++` for `.cc` and `.cpp`, `parascan-fc` for `.f90` and `.f`, else
    /// `parascan-cc`.
    pub fn driver(&self, source: &Path) -> Command {
        Command::new(self.bin.join(if is_cpp(source) {
            "parascan-c++"
        } else if source.extension().is_some_and(|e| e == "f90" || e == "f") {
            "parascan-fc"
        } else {
            "parascan-cc"
        }))
    }

    /// Compiles and links one source.
    ///
    /// # Errors
    /// The compiler fails or is not silent; its messages are in the error.
    pub fn compile<S: AsRef<OsStr>>(
        &self,
        source: &Path,
        flags: &[S],
        output: &Path,
    ) -> Result<()> {
        let mut command = self.driver(source);
        command.args(flags).arg(source).arg("-o").arg(output);
        if !flags.iter().any(|flag| flag.as_ref() == "-c") {
            command.arg("-lm");
        }
        quiet(&mut command)
    }

    /// Runs a program under `parascan record`; the caller judges how it ended.
    ///
    /// # Errors
    /// `record` cannot be started.
    pub fn record(&self, program: &Path, arguments: &[&str], profile: &Path) -> Result<Finished> {
        self.record_with(&[], program, arguments, profile)
    }

    /// The same with flags.
    ///
    /// # Errors
    /// `parascan` cannot be run.
    pub fn record_with(
        &self,
        flags: &[&str],
        program: &Path,
        arguments: &[&str],
        profile: &Path,
    ) -> Result<Finished> {
        let mut command = self.parascan();
        command
            .arg("record")
            .args(flags)
            .arg("-o")
            .arg(profile)
            .arg("--")
            .arg(program)
            .args(arguments);
        run(&mut command, LIMIT).context("parascan record")
    }

    /// All regions of a profile.
    ///
    /// # Errors
    /// The command fails or prints something else than the documented JSON.
    pub fn regions(&self, profile: &Path) -> Result<Regions> {
        let printed = self.json("regions", profile, &[])?;
        Regions::deserialize(&printed)
            .with_context(|| format!("parascan regions printed {printed}"))
    }

    /// The ideal plan for a profile: programs of tests are too small for threads.
    ///
    /// # Errors
    /// As for [`Tool::regions`].
    pub fn plan(&self, profile: &Path, flags: &[&str]) -> Result<PlanOutput> {
        let printed = self.json("plan", profile, &[&["--ideal"], flags].concat())?;
        PlanOutput::deserialize(&printed)
            .with_context(|| format!("parascan plan printed {printed}"))
    }

    /// What a command prints of a profile as JSON.
    ///
    /// # Errors
    /// The command fails or prints something else.
    pub fn json(&self, command: &str, profile: &Path, flags: &[&str]) -> Result<Value> {
        let done = run(
            self.parascan()
                .arg(command)
                .arg(profile)
                .args(["--format", "json"])
                .args(flags),
            LIMIT,
        )?;
        ensure!(
            done.code() == Some(0),
            "parascan {command}: exit code {:?}: {}",
            done.code(),
            done.errors()
        );
        let text = done.text();
        serde_json::from_str(&text).with_context(|| format!("parascan {command} printed {text}"))
    }
}

/// What a test works with: the tool, and a folder of its own that goes away with it.
#[derive(Debug)]
pub struct Setup {
    /// The installed parascan that is tested.
    pub tool: Tool,
    /// Where the test's programs and what they leave behind are, until this is dropped.
    pub folder: tempfile::TempDir,
}

impl Setup {
    /// Finds the tool, makes the folder, and has what the test starts heed the terminal's signals.
    ///
    /// # Errors
    /// There is no tool, or no folder can be made.
    pub fn new() -> Result<Self> {
        heed_signals();
        Ok(Self {
            tool: Tool::find()?,
            folder: tempfile::tempdir()?,
        })
    }

    /// A file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program of a C source, built in the folder; the one before is overwritten.
    ///
    /// # Errors
    /// As for [`Tool::compile`].
    pub fn build(&self, text: &str, flags: &[&str]) -> Result<PathBuf> {
        let (source, program) = (self.path("a.c"), self.path("a"));
        std::fs::write(&source, text)?;
        self.tool.compile(&source, flags, &program)?;
        Ok(program)
    }
}

/// Whether a source is C++ by its name.
pub fn is_cpp(source: &Path) -> bool {
    source.extension().is_some_and(|e| e == "cc" || e == "cpp")
}

/// Exit code of flang 22.1.8 where it crashes, as it does now and then with OpenMP (`OpenMPIRBuilder::finalize`; seen
/// once, and not in 30 runs after that).
const FLANG_CRASHED: i32 = 254;

/// Runs a command that must succeed without a word.
///
/// # Errors
/// It fails, says something, or takes too long.
pub fn quiet(command: &mut Command) -> Result<()> {
    let mut again = || run(command, LIMIT).with_context(|| format!("{command:?}"));
    let mut done = again()?;
    if done.code() == Some(FLANG_CRASHED) {
        done = again()?;
    }
    let messages = done.text() + &done.errors();
    ensure!(
        done.code() == Some(0) && messages.is_empty(),
        "{command:?}: exit code {:?}\n{messages}",
        done.code()
    );
    Ok(())
}
