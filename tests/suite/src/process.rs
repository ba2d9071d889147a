//! Child processes with a time limit, and work spread over two threads.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What a child process left behind.
#[derive(Debug)]
pub struct Finished {
    /// How it ended; `None` when the time limit was reached and its process group was killed.
    pub status: Option<ExitStatus>,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

impl Finished {
    /// Exit code, or 128 plus the signal's number, as a shell would say it.
    pub fn code(&self) -> Option<i32> {
        let status = self.status?;
        status.code().or_else(|| status.signal().map(|s| 128 + s))
    }

    /// Standard output as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Standard error as text.
    pub fn errors(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }
}

/// Whether a measurement comes out right in one of three attempts: what else runs on a machine disturbs some, what is
/// measured wrongly fails in all.
///
/// # Errors
/// That of the last attempt, if all fail.
pub fn in_some_attempt(mut measure: impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<()> {
    for _ in 1..3 {
        if measure().is_ok() {
            return Ok(());
        }
    }
    measure()
}

/// Runs a command in a process group of its own, with empty input, for at most `limit`.
///
/// # Errors
/// The command cannot be started, or its output cannot be kept.
pub fn run(command: &mut Command, limit: Duration) -> io::Result<Finished> {
    let (mut out, mut err) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(out.try_clone()?)
        .stderr(err.try_clone()?)
        .process_group(0)
        .spawn()?;
    let end = Instant::now() + limit;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if Instant::now() >= end {
            let group = rustix::process::Pid::from_child(&child);
            rustix::process::kill_process_group(group, rustix::process::Signal::KILL)?;
            child.wait()?;
            break None;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    Ok(Finished {
        status,
        stdout: contents(&mut out)?,
        stderr: contents(&mut err)?,
    })
}

/// Has child processes react to the terminal's signals, as they do when a user starts them: started by `nohup`, or in
/// the background of a script, this process ignores them, and children inherit that.
pub fn heed_signals() {
    for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT] {
        // SAFETY: the default disposition runs no code.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

fn contents(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Applies `work` to every item on two threads; results come in the items' order.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(items.len()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((index, item)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    items.get(index).map(|item| (index, item))
                } {
                    let result = work(item);
                    results
                        .lock()
                        .expect("no panic while held")
                        .push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no panic while held");
    results.sort_by_key(|r| r.0);
    results.into_iter().map(|r| r.1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_and_code_are_kept() {
        let done = run(
            Command::new("sh").args(["-c", "echo out; echo err >&2; exit 3"]),
            Duration::from_secs(20),
        )
        .unwrap();
        assert_eq!(
            (done.text().as_str(), done.errors().as_str(), done.code()),
            ("out\n", "err\n", Some(3))
        );
    }

    #[test]
    fn the_limit_ends_a_process_and_its_children() {
        let done = run(
            Command::new("sh").args(["-c", "sleep 100 | sleep 100"]),
            Duration::from_millis(50),
        )
        .unwrap();
        assert!(done.status.is_none());
    }

    #[test]
    fn results_keep_the_order() {
        let items: Vec<u32> = (0..100).collect();
        assert_eq!(
            in_parallel(&items, |i| i * 2),
            (0..200).step_by(2).collect::<Vec<_>>()
        );
    }
}
