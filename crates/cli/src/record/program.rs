//! The program that is recorded, and one run of it.

use std::ffi::OsString;
use std::ops::Range;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use super::bursts::BurstSettings;
use super::config::RecordConfig;
use crate::exit::Outcome;
use crate::process::child;
use parascan_abi::log::{ENV_BURSTS, ENV_DIR, ENV_MAX_DEPTH, ENV_START_LEVEL};

/// The program, ready to be started any number of times.
#[derive(Debug)]
pub struct RecordedProgram {
    /// The program and its arguments, as the user wrote them.
    pub words: Vec<OsString>,
    /// A relative path made absolute, so that it is found from other directories too.
    pub path: PathBuf,
    /// Depth at which regions fold.
    pub max_depth: u32,
    /// When the runtime looks in runs that are not tracked as a whole.
    pub bursts: Option<BurstSettings>,
}

/// A child that has been started.
#[derive(Debug)]
pub struct RunningProgram {
    /// Its process.
    pub pid: i32,
    /// Place among the runs.
    pub number: usize,
    /// Depths it tracks.
    pub levels: Range<u32>,
    /// Folder with its logs.
    pub logs: PathBuf,
}

/// Where a run reads, writes and stands.
#[derive(Debug)]
pub struct RunSetup {
    /// Standard input.
    pub stdin: Stdio,
    /// Its output is thrown away.
    pub silent: bool,
    /// Working directory, if not this process's own.
    pub directory: Option<PathBuf>,
}

impl RunSetup {
    /// Has a command run in them.
    pub fn apply(self, command: &mut Command) {
        command.stdin(self.stdin);
        if self.silent {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        }
        if let Some(directory) = self.directory {
            command.current_dir(directory);
        }
    }
}

impl RecordedProgram {
    /// The program as `record` runs it first.
    pub fn new(config: &RecordConfig) -> Self {
        Self {
            bursts: config.bursts.clone(),
            ..Self::whole(config.command.clone(), config.max_depth)
        }
    }

    /// A program by its command line, which is not empty; it is recorded as a whole.
    pub fn whole(words: Vec<OsString>, max_depth: u32) -> Self {
        let given = Path::new(&words[0]);
        let path = match std::path::absolute(given) {
            Ok(absolute) if words[0].as_encoded_bytes().contains(&b'/') => absolute,
            _ => given.to_owned(),
        };
        Self {
            words,
            path,
            max_depth,
            bursts: None,
        }
    }

    /// Starts a run; `whole`: all of it is tracked.
    pub fn start(
        &self,
        number: usize,
        (levels, whole): (Range<u32>, bool),
        logs: PathBuf,
        around: RunSetup,
    ) -> Outcome<RunningProgram> {
        let mut command = Command::new(&self.path);
        command.arg0(&self.words[0]).args(&self.words[1..]);
        // Three digits: environments of one size give all runs the same stack layout.
        command.env(ENV_DIR, &logs);
        command.env(ENV_START_LEVEL, format!("{:04}", levels.start));
        // What is tracked needs all its children recorded, and nothing deeper. Bursts track other depths each.
        let max_depth = match self.bursts.as_ref().filter(|_| !whole) {
            Some(bursts) => {
                command.env(ENV_BURSTS, bursts.schedule(number));
                self.max_depth
            }
            None => {
                command.env_remove(ENV_BURSTS);
                self.max_depth.min(levels.end.saturating_add(1))
            }
        };
        command.env(ENV_MAX_DEPTH, format!("{max_depth:04}"));
        around.apply(&mut command);
        let pid = child::start(&mut command)
            .map_err(|e| child::cannot_start("record", &self.words[0], &self.path, &e))?;
        Ok(RunningProgram {
            pid,
            number,
            levels,
            logs,
        })
    }
}

/// Waits for any of the children.
pub fn wait_any(running: &mut Vec<RunningProgram>) -> Outcome<(RunningProgram, ExitStatus)> {
    loop {
        let (pid, status) = child::wait_any().map_err(|e| child::cannot_wait(&e))?;
        if let Some(place) = running.iter().position(|r| r.pid == pid) {
            return Ok((running.swap_remove(place), status));
        }
    }
}
