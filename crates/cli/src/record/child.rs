//! One run of the program as a child process.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::ErrorKind;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use parascan_abi::log::{ENV_BURSTS, ENV_DIR, ENV_MAX_DEPTH, ENV_START_LEVEL};
use rustix::process::{Pid, Signal, WaitOptions};

use super::bursts::Bursts;
use super::config::Config;
use super::signals;
use crate::exit::{Failure, Kind, Outcome};

/// The program, ready to be started any number of times.
#[derive(Debug)]
pub struct Program {
    /// As given.
    pub words: Vec<OsString>,
    /// A relative path made absolute, so that it is found from other directories too.
    pub path: PathBuf,
    /// Depth at which regions fold.
    pub max_depth: u32,
    /// When the runtime looks in runs that are not tracked as a whole.
    pub bursts: Option<Bursts>,
}

/// A child that has been started.
#[derive(Debug)]
pub struct Running {
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
pub struct Surroundings {
    /// Standard input.
    pub stdin: Stdio,
    /// Its output is thrown away.
    pub silent: bool,
    /// Working directory, if not this process's own.
    pub directory: Option<PathBuf>,
}

impl Program {
    /// To record it.
    pub fn new(config: &Config) -> Self {
        Self {
            bursts: config.bursts.clone(),
            ..Self::whole(config.command.clone(), config.max_depth)
        }
    }

    /// From the command line, which is not empty; recorded as a whole.
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
        around: Surroundings,
    ) -> Outcome<Running> {
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
        command.stdin(around.stdin);
        if around.silent {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        }
        if let Some(directory) = around.directory {
            command.current_dir(directory);
        }
        let child = command
            .spawn()
            .map_err(|e| cannot_start("record", &self.words[0], &self.path, &e))?;
        let pid = child.id() as i32;
        signals::watch(pid);
        if signals::interrupted() {
            // The signal came before there was a child to pass it on to.
            end(pid, Signal::TERM);
        }
        Ok(Running {
            pid,
            number,
            levels,
            logs,
        })
    }
}

/// Why the program that `parascan COMMAND -- WORD` was to run at `path` could not be started.
pub fn cannot_start(command: &str, word: &OsStr, path: &Path, error: &std::io::Error) -> Failure {
    let shown = word.display();
    if error.kind() == ErrorKind::NotFound {
        if fs::metadata(path).is_ok() {
            return Failure::new(
                Kind::CannotExecute,
                format!(
                    "{shown} cannot be executed: its interpreter (first line, or dynamic loader) does not exist"
                ),
            );
        }
        let hint = if word.as_bytes().contains(&b'/') {
            String::new()
        } else {
            format!("; give the program's path, for example: parascan {command} -- ./{shown}")
        };
        return Failure::new(Kind::NotFound, format!("{shown} not found{hint}"));
    }
    Failure::new(
        Kind::CannotExecute,
        format!("{shown} cannot be executed: {error}"),
    )
}

/// Waits for any of the children.
pub fn wait_any(running: &mut Vec<Running>) -> Outcome<(Running, ExitStatus)> {
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) => {
                let pid = pid.as_raw_nonzero().get();
                if let Some(place) = running.iter().position(|r| r.pid == pid) {
                    signals::unwatch(pid);
                    return Ok((
                        running.swap_remove(place),
                        ExitStatus::from_raw(status.as_raw()),
                    ));
                }
            }
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            Err(e) => {
                return Err(Failure::new(
                    Kind::Io,
                    format!("cannot wait for the program: {e}"),
                ));
            }
        }
    }
}

/// What all children that have ended took, and theirs: processor time together, and the most bytes of memory of one.
pub fn taken() -> (Duration, u64) {
    // SAFETY: a structure of numbers alone, which the kernel writes.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage
    };
    let time = |t: libc::timeval| Duration::new(t.tv_sec as u64, t.tv_usec as u32 * 1000);
    let bytes = usage.ru_maxrss as u64 * 1024;
    (time(usage.ru_utime) + time(usage.ru_stime), bytes)
}

/// Sends a signal to a child that has not been waited for.
pub fn end(pid: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = rustix::process::kill_process(pid, signal);
    }
}

/// What all children inherit: the same addresses in every run, and a stack whose limit leaves room for shadow memory.
pub fn prepare_process() {
    // SAFETY: changes nothing but flags for processes executed later. Where it is refused, the runtime still checks addresses.
    unsafe {
        let now = libc::personality(0xffff_ffff);
        if now >= 0 {
            libc::personality(now as libc::c_ulong | libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
        }
    }
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut stack = getrlimit(Resource::Stack);
    if stack.current.is_none() {
        // "Unlimited" makes Linux lay out mappings upwards from a low address, where shadow memory lies.
        stack.current = Some(4 << 30);
        let _ = setrlimit(Resource::Stack, stack);
    }
}
