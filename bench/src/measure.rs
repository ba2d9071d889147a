//! Runs a command and takes its wall time, processor time and peak memory, children included.

use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde::Serialize;

/// Time and memory that a run took.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Cost {
    /// Wall time in seconds.
    pub seconds: f64,
    /// Processor time, user and system, in seconds.
    pub cpu_seconds: f64,
    /// Largest resident set among the processes of the run, in bytes. Linux counts a process's memory before `exec`
    /// too, so a very small program shows the few megabytes of the one that started it.
    pub peak_bytes: u64,
}

impl Cost {
    /// The least of both in every respect.
    pub fn least(self, other: Self) -> Self {
        Self {
            seconds: self.seconds.min(other.seconds),
            cpu_seconds: self.cpu_seconds.min(other.cpu_seconds),
            peak_bytes: self.peak_bytes.min(other.peak_bytes),
        }
    }
}

/// A finished run.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: String,
    /// What it took.
    pub cost: Cost,
}

impl Finished {
    /// Itself, if the command succeeded.
    ///
    /// # Errors
    /// It did not; its standard error is in the message.
    pub fn success(self, what: &str) -> Result<Self> {
        ensure!(
            self.status.success(),
            "{what}: {}\n{}",
            self.status,
            self.stderr.trim_end()
        );
        Ok(self)
    }
}

/// Runs a command without input, for at most `limit`.
///
/// # Errors
/// It cannot be started, or its output cannot be kept. A run over the limit is killed, which its status shows.
pub fn run(command: &mut Command, limit: Duration) -> Result<Finished> {
    let (mut out, mut err) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command
        .stdin(Stdio::null())
        .stdout(out.try_clone()?)
        .stderr(err.try_clone()?);
    let start = Instant::now();
    // The child is reaped by `wait4` below, which alone gives its resource usage.
    let child = command
        .spawn()
        .with_context(|| format!("cannot run {command:?}"))?;
    let pid = i32::try_from(child.id()).context("process ids are positive")?;
    let (status, usage, seconds) = std::thread::scope(|scope| {
        let (done, waiting) = std::sync::mpsc::channel::<()>();
        scope.spawn(move || {
            if waiting.recv_timeout(limit) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                // SAFETY: no memory is involved; `pid` is our child, not yet reaped since `done` was not dropped.
                unsafe { libc::kill(pid, libc::SIGKILL) };
            }
        });
        let result = wait(pid);
        let seconds = start.elapsed().as_secs_f64();
        drop(done);
        result.map(|(status, usage)| (status, usage, seconds))
    })?;
    let time = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
    let mut stderr = Vec::new();
    read_all(&mut err, &mut stderr)?;
    let mut stdout = Vec::new();
    read_all(&mut out, &mut stdout)?;
    Ok(Finished {
        status,
        stdout,
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
        cost: Cost {
            seconds,
            cpu_seconds: time(usage.ru_utime) + time(usage.ru_stime),
            peak_bytes: u64::try_from(usage.ru_maxrss)? * 1024,
        },
    })
}

fn wait(pid: i32) -> Result<(ExitStatus, libc::rusage)> {
    let mut status = 0;
    // SAFETY: all-zero bytes are a valid `rusage`, a struct of integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to live, exclusively borrowed values of the right types.
        let waited = unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) };
        if waited == pid {
            return Ok((ExitStatus::from_raw(status), usage));
        }
        let error = std::io::Error::last_os_error();
        ensure!(
            error.kind() == std::io::ErrorKind::Interrupted,
            "cannot wait for a child: {error}"
        );
    }
}

fn read_all(file: &mut File, bytes: &mut Vec<u8>) -> Result<()> {
    file.rewind()?;
    file.read_to_end(bytes)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_status_and_memory_are_taken() {
        let script =
            "head -c 30000000 /dev/zero | tail -c 30000000 | wc -c; echo complaint >&2; exit 3";
        let done = run(
            Command::new("sh").args(["-c", script]),
            Duration::from_secs(20),
        )
        .unwrap();
        assert_eq!(
            (done.status.code(), done.stdout.as_slice()),
            (Some(3), b"30000000\n".as_slice())
        );
        assert_eq!(done.stderr, "complaint\n");
        // `tail` must hold what it is asked for.
        assert!(done.cost.peak_bytes > 30_000_000, "{:?}", done.cost);
        assert!(done.success("script").is_err());
    }

    #[test]
    fn the_limit_ends_a_run() {
        let done = run(Command::new("sleep").arg("100"), Duration::from_millis(20)).unwrap();
        assert_eq!(done.status.signal(), Some(libc::SIGKILL));
    }
}
