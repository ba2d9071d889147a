//! The race check: ThreadSanitizer, with LLVM's Archer, which tells it how OpenMP orders threads.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use parascan_analysis::proof::Races;

use super::build::Built;
use super::config::ProveConfig;
use super::runs::StandardInput;
use crate::driver::Language;
use crate::exit::{Failure, FailureKind, Outcome};
use crate::process::limited;

/// Threads of the checked run.
const THREADS: &str = "4";
/// Checked code takes up to so many times as long.
const SLOWER: u32 = 50;

/// A run that takes more seconds than this is not checked unasked.
pub const SHORT: f64 = 2.0;

/// The command of the check: with its own arguments, as a shell reads them, or with these.
pub fn command(own: Option<&str>, config: &ProveConfig, built: &Built) -> Command {
    let Some(own) = own else {
        let mut command = Command::new(&built.program);
        command.args(&config.arguments);
        return command;
    };
    let mut command = Command::new("sh");
    let script = format!("exec \"$0\" {own}");
    command.arg("-c").arg(script).arg(&built.program);
    command
}

/// Runs a program that was built for it.
pub fn look(
    mut command: Command,
    built: &Built,
    input: &StandardInput,
    limit: Duration,
    scratch: &Path,
) -> Outcome<Races> {
    let io = |e: std::io::Error| {
        let program = built.program.display();
        Failure::new(FailureKind::Io, format!("cannot run {program}: {e}"))
    };
    let archer = asked("-print-file-name=libarcher.so");
    let Some(archer) = archer.filter(|path| path.contains('/')) else {
        return Ok(Races::Unchecked(
            "libarcher.so is missing: install libomp-22-dev".to_owned(),
        ));
    };
    let mut options = "ignore_noninstrumented_modules=1 exitcode=66".to_owned();
    if let Some(symbolizer) = asked("-print-prog-name=llvm-symbolizer") {
        options += &format!(" external_symbolizer_path={symbolizer}");
    }
    command
        .current_dir(&built.folder)
        .env("TSAN_OPTIONS", options)
        .env("OMP_TOOL_LIBRARIES", archer)
        .env("OMP_NUM_THREADS", THREADS)
        .env("OMP_DYNAMIC", "false")
        .stdin(input.stdin().map_err(io)?);
    let done = limited::run(&mut command, limit * SLOWER, scratch).map_err(io)?;
    Ok(match first_race(&done.stderr) {
        Some(places) => Races::Found(places),
        None if done.stderr.contains("FATAL: ThreadSanitizer") => {
            Races::Unchecked("ThreadSanitizer does not run here".to_owned())
        }
        None if done.code().is_none_or(|code| code >= 126) => {
            Races::Unchecked(format!("under ThreadSanitizer {}", done.end()))
        }
        None => Races::None,
    })
}

/// What clang says of its own files.
fn asked(question: &str) -> Option<String> {
    let mut command: Command = Language::C.plain();
    let answer = command.arg(question).output().ok()?;
    let text = String::from_utf8(answer.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The two places of the first race in a report.
fn first_race(messages: &str) -> Option<String> {
    let at = messages.find("WARNING: ThreadSanitizer: data race")?;
    let frames = messages[at..]
        .lines()
        .filter_map(|line| line.trim().strip_prefix("#0 "));
    let places: Vec<&str> = frames.take(2).map(place).collect();
    Some(places.join(" against "))
}

/// `file:line:column` of a frame.
fn place(frame: &str) -> &str {
    let frame = frame.split(" (").next().unwrap_or(frame);
    frame.rsplit('/').next().unwrap_or(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_race_is_read_from_the_report() {
        let text = "WARNING: ThreadSanitizer: data race (pid=1)\n  Write of size 4 at 0x1 by thread T1:\n    #0 f.omp_outlined /a/x.c:5:7 (p+0x1)\n  Previous read of size 4:\n    #0 f.omp_outlined /a/x.c:6:7 (p+0x2)\n";
        assert_eq!(first_race(text).unwrap(), "x.c:5:7 against x.c:6:7");
        assert_eq!(first_race("nothing"), None);
    }
}
