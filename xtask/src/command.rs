//! Child processes: run, or say what failed.

use std::ffi::OsStr;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::places::WorkFolders;

/// Runs a command; its failure is an error that shows the command line.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| shown(command))?;
    if !status.success() {
        bail!("{}: {status}", shown(command));
    }
    Ok(())
}

/// Runs a command and returns what it printed.
pub fn output(command: &mut Command) -> Result<String> {
    let done = command
        .stderr(std::process::Stdio::inherit())
        .output()
        .with_context(|| shown(command))?;
    if !done.status.success() {
        bail!("{}: {}", shown(command), done.status);
    }
    String::from_utf8(done.stdout).with_context(|| shown(command))
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(OsStr::to_string_lossy)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Options of cargo that select packages.
pub fn selected(packages: &[&'static str]) -> Vec<&'static str> {
    packages.iter().flat_map(|p| ["--package", p]).collect()
}

/// A cargo command in the workspace.
#[derive(Debug)]
pub struct Cargo(Command);

impl Cargo {
    /// `cargo WORDS...`, by the cargo that runs this program.
    pub fn new(places: &WorkFolders, words: &[&str]) -> Self {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command
            .args(words)
            .current_dir(&places.root)
            .env("CARGO_TARGET_DIR", &places.target);
        Self(command)
    }

    /// Adds arguments.
    pub fn args(mut self, words: &[&str]) -> Self {
        self.0.args(words);
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.0.env(name, value);
        self
    }

    /// Runs the command; an error if it fails.
    pub fn run(mut self) -> Result<()> {
        run(&mut self.0)
    }

    /// Runs it and returns what it printed.
    pub fn output(mut self) -> Result<String> {
        output(&mut self.0)
    }
}
