//! Children of this process: started, watched, waited for.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::Duration;
use std::{fs, mem};

use rustix::process::{Pid, Signal, WaitOptions};

use super::signals;
use crate::exit::{Failure, FailureKind};

/// Starts a command; signals of this process are its, too, until it was waited for with [`wait`] or [`wait_any`]. Gives
/// its process id.
///
/// # Errors
/// As [`Command::spawn`] has them.
pub fn start(command: &mut Command) -> io::Result<i32> {
    Ok(watched(&command.spawn()?))
}

/// Watches a child that was started in another way; returns its process id.
pub fn watched(child: &std::process::Child) -> i32 {
    let pid = child.id() as i32;
    signals::watch(pid);
    if signals::interrupted() {
        // The signal came before there was a child to pass it on to.
        end(pid, Signal::TERM);
    }
    pid
}

/// Waits for a child that [`start`] gave.
///
/// # Errors
/// There is no such child.
pub fn wait(pid: i32) -> io::Result<ExitStatus> {
    ended(Some(pid))?;
    reap(pid)
}

/// Waits for any child; gives its process id, too.
///
/// # Errors
/// There is none.
pub fn wait_any() -> io::Result<(i32, ExitStatus)> {
    let pid = ended(None)?;
    Ok((pid, reap(pid)?))
}

/// Waits until a child, or any, has ended. Its process id stays its own.
fn ended(child: Option<i32>) -> io::Result<i32> {
    let (kind, id) = match child {
        Some(pid) => (libc::P_PID, pid as libc::id_t),
        None => (libc::P_ALL, 0),
    };
    loop {
        // SAFETY: a structure of numbers alone, which the kernel writes where it finds a child.
        let (done, pid) = unsafe {
            let mut about: libc::siginfo_t = mem::zeroed();
            let options = libc::WEXITED | libc::WNOWAIT;
            let done = libc::waitid(kind, id, &raw mut about, options);
            (done == 0, about.si_pid())
        };
        if done {
            return Ok(pid);
        }
        let error = io::Error::last_os_error();
        if error.kind() != ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Takes the status of a child that has ended. Before that no signal goes to it any more: its process id may be
/// another's after it.
fn reap(pid: i32) -> io::Result<ExitStatus> {
    signals::unwatch(pid);
    loop {
        match rustix::process::waitpid(Pid::from_raw(pid), WaitOptions::empty()) {
            Ok(Some((_, status))) => return Ok(ExitStatus::from_raw(status.as_raw())),
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Sends a signal to a child that has not been waited for.
pub fn end(pid: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = rustix::process::kill_process(pid, signal);
    }
}

/// The failure that a child could not be waited for.
pub fn cannot_wait(error: &io::Error) -> Failure {
    Failure::new(
        FailureKind::Io,
        format!("cannot wait for the program: {error}"),
    )
}

/// What all children that have ended took, and theirs: processor time together, and the most bytes of memory of one.
pub fn taken() -> (Duration, u64) {
    // SAFETY: a structure of numbers alone, which the kernel writes.
    let usage = unsafe {
        let mut usage: libc::rusage = mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage
    };
    let time = |t: libc::timeval| Duration::new(t.tv_sec as u64, t.tv_usec as u32 * 1000);
    let bytes = usage.ru_maxrss as u64 * 1024;
    (time(usage.ru_utime) + time(usage.ru_stime), bytes)
}

/// Why the program that `parascan COMMAND -- WORD` was to run at `path` could not be started.
pub fn cannot_start(command: &str, word: &OsStr, path: &Path, error: &std::io::Error) -> Failure {
    let shown = word.display();
    if error.kind() == ErrorKind::NotFound {
        if fs::metadata(path).is_ok() {
            return Failure::new(
                FailureKind::CannotExecute,
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
        return Failure::new(FailureKind::NotFound, format!("{shown} not found{hint}"));
    }
    Failure::new(
        FailureKind::CannotExecute,
        format!("{shown} cannot be executed: {error}"),
    )
}

/// What all children inherit: the same addresses in every run, and a stack whose limit leaves room for shadow memory.
pub fn prepare_process() {
    // SAFETY: changes nothing but flags for processes executed later. Where it is refused, the runtime still checks
    // addresses.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_child_is_watched_until_it_is_waited_for() {
        let pid = start(&mut shell("exit 3")).unwrap();
        ended(Some(pid)).unwrap();
        assert!(signals::is_watched(pid));
        assert_eq!(wait(pid).unwrap().code(), Some(3));
        assert!(!signals::is_watched(pid));
        assert!(wait(pid).is_err());
    }

    #[test]
    fn a_signal_ends_a_child() {
        let pid = start(&mut shell("sleep 60")).unwrap();
        end(pid, Signal::TERM);
        assert_eq!(wait(pid).unwrap().signal(), Some(libc::SIGTERM));
    }

    #[test]
    fn why_a_program_could_not_be_started() {
        let message = |word: &str, kind| {
            let error = io::Error::from(kind);
            cannot_start("record", OsStr::new(word), Path::new(word), &error).to_string()
        };
        let missing = message("nonexistent", ErrorKind::NotFound);
        assert_eq!(
            missing,
            "nonexistent not found; give the program's path, for example: parascan record -- ./nonexistent"
        );
        assert_eq!(
            message("./nonexistent", ErrorKind::NotFound),
            "./nonexistent not found"
        );
        assert!(message("/dev/null", ErrorKind::NotFound).contains("its interpreter"));
        assert!(message("x", ErrorKind::PermissionDenied).starts_with("x cannot be executed: "));
    }
}
