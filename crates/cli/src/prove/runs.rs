//! Runs of variants, and what they leave.

use std::fs::{self, File};
use std::io::{IsTerminal, Read, stderr, stdin};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use indicatif::ProgressBar;
use parascan_analysis::proof;

use super::build::Built;
use super::config::ProveConfig;
use crate::exit::{Failure, FailureKind, Outcome};
use crate::process::limited::{self, ProcessResult};

/// For the first runs, whose time nobody knows.
pub const FOREVER: Duration = Duration::from_secs(24 * 3600);

/// What a run may take beside a serial one of so many seconds.
pub fn limit(seconds: f64) -> Duration {
    Duration::from_secs_f64(20.0 + 10.0 * seconds)
}

/// Standard input, the same for all runs.
#[derive(Debug)]
pub struct StandardInput(Option<tempfile::NamedTempFile>);

impl StandardInput {
    /// Reads it to its end, unless it is a terminal.
    pub fn take() -> Outcome<Self> {
        if stdin().is_terminal() {
            return Ok(Self(None));
        }
        let all = || -> std::io::Result<_> {
            let mut bytes = Vec::new();
            stdin().lock().read_to_end(&mut bytes)?;
            let file = tempfile::NamedTempFile::new()?;
            fs::write(file.path(), bytes)?;
            Ok(file)
        };
        all()
            .map(|file| Self(Some(file)))
            .map_err(|e| Failure::new(FailureKind::Io, format!("cannot keep standard input: {e}")))
    }

    /// Standard input of one run, from its beginning.
    pub fn stdin(&self) -> std::io::Result<Stdio> {
        Ok(match &self.0 {
            None => Stdio::null(),
            Some(file) => File::open(file.path())?.into(),
        })
    }
}

/// A program that was built, ready to run.
#[derive(Debug)]
pub struct BuiltProgram<'a> {
    config: &'a ProveConfig,
    built: Built,
    input: &'a StandardInput,
}

impl<'a> BuiltProgram<'a> {
    /// A program that was built, and the input that all its runs get.
    pub fn new(config: &'a ProveConfig, built: Built, input: &'a StandardInput) -> Self {
        Self {
            config,
            built,
            input,
        }
    }

    /// Runs it, on so many threads if it has any.
    pub fn run(
        &self,
        threads: Option<u32>,
        limit: Duration,
        scratch: &Path,
    ) -> Outcome<(ProcessResult, RunOutput)> {
        let io = |e: std::io::Error| {
            Failure::new(
                FailureKind::NoProgram,
                format!("cannot run {}: {e}", self.built.program.display()),
            )
        };
        let files: Vec<PathBuf> = self.config.files.iter().map(|f| self.file(f)).collect();
        for file in &files {
            let _ = fs::remove_file(file);
        }
        let mut command = Command::new(&self.built.program);
        command
            .args(&self.config.arguments)
            .current_dir(&self.built.folder)
            .stdin(self.input.stdin().map_err(io)?)
            .env("OMP_DYNAMIC", "false");
        if let Some(threads) = threads {
            command.env("OMP_NUM_THREADS", threads.to_string());
        }
        let done = limited::run(&mut command, limit, scratch).map_err(io)?;
        let results = RunOutput {
            code: done.code(),
            stdout: self.config.stdout.then(|| done.stdout.clone()),
            files: (self.config.files.iter().zip(&files))
                .map(|(name, file)| (name.clone(), fs::read(file).ok()))
                .collect(),
        };
        Ok((done, results))
    }

    /// A file of the tree, in this copy of it.
    fn file(&self, name: &Path) -> PathBuf {
        let up = self.config.run_folder.components().count();
        let root = self.built.folder.ancestors().nth(up);
        root.unwrap_or(&self.built.folder).join(name)
    }
}

/// What a run left: exit code, output and files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOutput {
    code: Option<i32>,
    /// What it printed; none if that does not count.
    stdout: Option<Vec<u8>>,
    /// Files by their names; without content if it did not write them.
    files: Vec<(PathBuf, Option<Vec<u8>>)>,
}

impl RunOutput {
    /// How they differ from those of the serial program, in words.
    pub fn difference(&self, expected: &Self, tolerance: Option<f64>) -> Option<String> {
        if self.code != expected.code {
            let code = |code: Option<i32>| match code {
                Some(code @ 129..=160) => format!("signal {}", code - 128),
                Some(code) => format!("code {code}"),
                None => "no code".to_owned(),
            };
            return Some(format!(
                "it ends with {} instead of {}",
                code(self.code),
                code(expected.code)
            ));
        }
        if let (Some(found), Some(expected)) = (&self.stdout, &expected.stdout)
            && let Some(what) = proof::difference(found, expected, tolerance)
        {
            return Some(format!("its output is another one: {what}"));
        }
        for ((name, found), (_, expected)) in self.files.iter().zip(&expected.files) {
            let what = match (found, expected) {
                (Some(found), Some(expected)) => proof::difference(found, expected, tolerance),
                (None, Some(_)) => Some("it is not written".to_owned()),
                (Some(_), None) => Some("the serial program does not write it".to_owned()),
                (None, None) => None,
            };
            if let Some(what) = what {
                return Some(format!("{} is another one: {what}", name.display()));
            }
        }
        None
    }

    /// Keeps them in a folder.
    pub fn save(&self, folder: &Path) -> Outcome<()> {
        let all = || -> std::io::Result<()> {
            let _ = fs::remove_dir_all(folder);
            fs::create_dir(folder)?;
            if let Some(stdout) = &self.stdout {
                fs::write(folder.join("stdout"), stdout)?;
            }
            for (number, (name, content)) in self.files.iter().enumerate() {
                let Some(content) = content else {
                    return Err(std::io::Error::other(format!(
                        "the serial program does not write {}, which is to be compared",
                        name.display()
                    )));
                };
                fs::write(folder.join(number.to_string()), content)?;
            }
            fs::write(folder.join("names"), self.names())
        };
        all().map_err(|e| Failure::new(FailureKind::NoProgram, e.to_string()))
    }

    fn names(&self) -> String {
        let names = self.files.iter().map(|(name, _)| name.to_string_lossy());
        names.map(|name| format!("{name}\n")).collect()
    }

    /// Reads the results that an earlier proof kept in a folder; none if there are none or not all.
    pub fn load(folder: &Path, code: i32) -> Option<Self> {
        let names = fs::read_to_string(folder.join("names")).ok()?;
        let file = |(number, name): (usize, &str)| {
            let content = fs::read(folder.join(number.to_string())).ok()?;
            Some((PathBuf::from(name), Some(content)))
        };
        Some(Self {
            code: Some(code),
            stdout: fs::read(folder.join("stdout")).ok(),
            files: names.lines().enumerate().map(file).collect::<Option<_>>()?,
        })
    }
}

/// What is being done, on a terminal.
#[derive(Debug)]
pub struct ProofProgress(ProgressBar);

impl ProofProgress {
    /// Shown only if somebody can see it.
    pub fn new(talks: bool) -> Self {
        if !talks || !stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let bar = ProgressBar::new_spinner();
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    /// Shows what is being done now.
    pub fn say(&self, what: &str) {
        self.0.set_message(format!("parascan prove {what}"));
    }
}

impl Drop for ProofProgress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
