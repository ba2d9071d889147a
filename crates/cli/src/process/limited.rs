//! Processes with a time limit, whose output goes to files.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::{end, signals};

/// Between two looks at whether somebody wants an end.
const LOOK: Duration = Duration::from_millis(50);

/// How a process ended.
#[derive(Debug)]
pub struct ProcessResult {
    /// None: it did not end in time, or was interrupted.
    pub status: Option<ExitStatus>,
    /// Wall time in seconds.
    pub seconds: f64,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// Messages.
    pub stderr: String,
}

impl ProcessResult {
    /// Exit code, or 128 and the number of the signal, as shells have it.
    pub fn code(&self) -> Option<i32> {
        end::code(self.status?)
    }

    /// How it ended, in words.
    pub fn end(&self) -> String {
        match self.status {
            None => format!("it did not end within {:.0} s", self.seconds),
            Some(status) => end::in_words(status),
        }
    }
}

/// Runs a command to its end, with everything that it starts, in a process group of its own; `scratch` is a folder for
/// its output.
///
/// # Errors
/// It cannot be started, or its output not kept.
pub fn run(
    command: &mut Command,
    limit: Duration,
    scratch: &Path,
) -> std::io::Result<ProcessResult> {
    let (stdout, stderr) = (scratch.join("stdout"), scratch.join("stderr"));
    command
        .stdout(Stdio::from(File::create(&stdout)?))
        .stderr(Stdio::from(File::create(&stderr)?))
        .process_group(0);
    let start = Instant::now();
    let mut child = command.spawn()?;
    let group = rustix::process::Pid::from_child(&child);
    let (ended, wait) = channel::<()>();
    let watch = std::thread::spawn(move || {
        let mut killed = false;
        while wait.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            if start.elapsed() > limit || signals::interrupted() {
                killed = true;
                let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            }
        }
        killed
    });
    let status = child.wait();
    let seconds = start.elapsed().as_secs_f64();
    drop(ended);
    let killed = watch.join().unwrap_or(true);
    // What it left running would disturb the next one.
    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    Ok(ProcessResult {
        status: Some(status?).filter(|_| !killed),
        seconds,
        stdout: fs::read(&stdout)?,
        stderr: String::from_utf8_lossy(&fs::read(&stderr)?).into_owned(),
    })
}
