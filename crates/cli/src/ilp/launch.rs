//! Starts a program under DynamoRIO, with the tracer as its client, and waits for it.

use std::path::Path;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use super::ring::{RingReader, Waker};
use super::{RecordingScope, TracedProgram};
use crate::exit::{Failure, FailureKind, Outcome};
use crate::installation::Tracer;
use crate::process::{child, environment, signals};

/// DynamoRIO's options.
///
/// Pages that the program can write to are not protected while code in them is executed: where such a write faults,
/// DynamoRIO goes on at that instruction without giving back the registers that the tracer uses (`signal.c`,
/// `check_for_modified_code` translates no more than the place). Instead code in such pages checks itself.
///
/// Blocks are not joined to DynamoRIO's traces: a third of the time of a short program under the tracer (python3) went
/// into making them, and code that stays is hardly slower without (`docs/bench-ilp.md`).
const DYNAMORIO: &str = "-code_api -disable_traces -sandbox_writable";

/// A program that runs under the tracer, and is waited for by a thread of its own.
#[derive(Debug)]
pub struct TracedProcess {
    ended: Arc<AtomicBool>,
    waiter: JoinHandle<std::io::Result<ExitStatus>>,
}

/// Starts a program that writes to `ring`.
pub fn start(
    program: &TracedProgram,
    scope: RecordingScope,
    ring: &RingReader,
) -> Outcome<TracedProcess> {
    let tracer = Tracer::find()?;
    let mut options = format!("ring={}", ring.path());
    if let Some(offset) = scope.from {
        options += &format!(" from={offset}");
    }
    if scope.children {
        options += " follow";
    }
    let client = plain(&tracer.client)?;
    let children = if scope.children {
        ""
    } else {
        " -no_follow_children"
    };
    let options = format!("{DYNAMORIO}{children} -client_lib '{client};0;{options}'");
    let variables = [
        ("DYNAMORIO_EXE_PATH", program.executable.clone().into()),
        ("DYNAMORIO_OPTIONS", options.into()),
    ];
    signals::install();
    let started = environment::spawn(&tracer.dynamorio, &program.arguments, &variables);
    let child = started.map_err(|error| {
        Failure::new(
            FailureKind::CannotExecute,
            format!(
                "{} cannot be started under {}: {error}",
                program.executable.display(),
                tracer.dynamorio.display()
            ),
        )
    })?;
    let pid = child::watched(&child);
    let ended = Arc::new(AtomicBool::new(false));
    let (done, waker) = (Arc::clone(&ended), ring.waker());
    let waiter = std::thread::spawn(move || {
        let status = child::wait(pid);
        done.store(true, Ordering::Release);
        Waker::wake(&waker);
        status
    });
    Ok(TracedProcess { ended, waiter })
}

/// DynamoRIO's options know no quoting of quotes: a path with odd characters is given as one of this process's files.
fn plain(path: &Path) -> Outcome<String> {
    let odd = |c: char| !(c.is_ascii_alphanumeric() || "/._-+@,=:~".contains(c));
    if let Some(text) = path.to_str().filter(|text| !text.contains(odd)) {
        return Ok(text.to_owned());
    }
    let file = std::fs::File::open(path).map_err(|error| {
        let path = path.display();
        Failure::new(
            FailureKind::Unavailable,
            format!("cannot read {path}: {error}"),
        )
    })?;
    let number = std::os::fd::IntoRawFd::into_raw_fd(file);
    Ok(format!("/proc/{}/fd/{number}", std::process::id()))
}

impl TracedProcess {
    /// Whether the program has ended.
    pub fn ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Waits for the program's end, and says how it ended.
    pub fn status(self) -> Outcome<ExitStatus> {
        match self.waiter.join() {
            Ok(Ok(status)) => Ok(status),
            Ok(Err(error)) => Err(child::cannot_wait(&error)),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}
