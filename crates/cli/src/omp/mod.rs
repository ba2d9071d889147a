//! `parascan omp`: runs an OpenMP program with the collector in it, and writes and summarises what it left.

mod counters;
mod events;
mod gnu;
mod launch;
mod logs;
mod messages;

use std::os::unix::process::ExitStatusExt;
use std::process::{ExitCode, ExitStatus};
use std::time::{SystemTime, UNIX_EPOCH};

use parascan_analysis::phases as analysis;
use parascan_formats::omp::log::OmpLog;
use parascan_formats::omp::{End, Recording, RecordingGap, Run, codec};
use parascan_symbols::omp::Resolver;
use parascan_views::{omp_text, phases_csv, phases_json};

use crate::args::{self, Format, Verbosity};
use crate::exit::{Failure, FailureKind, Outcome};
use crate::files::DiskFiles;
use crate::machine;
use crate::output::OutputFile;
use crate::process::scratch::Scratch;
use crate::process::{end, lookup};
use crate::{installation, print};

/// Records and summarises; the result is the program's own end.
pub fn run(raw: &args::OmpArgs) -> Outcome<ExitCode> {
    let output = OutputFile::check(&raw.output)?;
    let status = record(raw, &output)?;
    Ok(end::like(status))
}

fn record(raw: &args::OmpArgs, output: &OutputFile) -> Outcome<ExitStatus> {
    let counters = counters::parse(&raw.counters)?;
    let collector = installation::collector()?;
    let scratch = Scratch::new()?;
    let path = lookup::find(&raw.command[0]);
    let gnu = gnu::Route::of(path.as_deref(), &scratch)?;
    let started = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_secs());
    let folder = scratch.folder_named("logs")?;
    let settings = launch::CollectorSettings {
        collector: &collector,
        logs: &folder,
        library: gnu.library(),
        counters: &counters,
        region_counters: raw.region_counters,
    };
    let (pid, status) = launch::run(&raw.command, &settings)?;
    let run = provenance(raw, started, status);
    let found = logs::read_all(&folder, pid)?;
    if found.is_empty() {
        return Err(nothing(raw, path.as_deref(), status));
    }
    let recordings: Vec<_> = found
        .iter()
        .map(|log| recording(log, &run, pid, &gnu, &raw.counters))
        .collect();
    for (number, recording) in recordings.iter().enumerate() {
        let bytes = codec::encode(recording).map_err(|e| {
            let message = format!("the recording cannot be written: {e}");
            Failure::new(FailureKind::BadLog, message)
        })?;
        output.write_number(number, &bytes)?;
    }
    if raw.verbosity_args.verbosity() != Verbosity::Quiet {
        summary(raw, &recordings[0])?;
        messages::after(raw, output, &recordings);
    }
    Ok(status)
}

/// Prints what was found.
fn summary(raw: &args::OmpArgs, recording: &Recording) -> Outcome<()> {
    let phases = analysis::phases(recording, &analysis::PhaseOptions::default());
    let phases = phases?;
    print::out(&match raw.format {
        Format::Text => print::style().lay_out(|style| omp_text(&phases, style, raw.rows as usize)),
        Format::Json => phases_json(&phases),
        Format::Csv => phases_csv(&phases),
    })
}

fn provenance(raw: &args::OmpArgs, started: u64, status: ExitStatus) -> Run {
    let word = |w: &std::ffi::OsString| w.to_string_lossy().into_owned();
    Run {
        parascan: env!("CARGO_PKG_VERSION").to_owned(),
        command: raw.command.iter().map(word).collect(),
        directory: std::env::current_dir()
            .map(|d| d.to_string_lossy().into_owned())
            .unwrap_or_default(),
        started,
        end: match (status.code(), status.signal()) {
            (Some(code), _) => End::Exited(code),
            (None, Some(signal)) => End::Signalled(signal),
            _ => End::Unknown,
        },
        machine: machine::description(),
        processors: std::thread::available_parallelism().map_or(1, |n| n.get() as u32),
        ..Run::default()
    }
}

/// A log as a recording; `run` tells how process `pid` ended.
fn recording(
    log: &OmpLog,
    run: &Run,
    pid: i32,
    gnu: &gnu::Route,
    counters: &[String],
) -> Recording {
    let mut run = run.clone();
    let exited = matches!(run.end, End::Exited(_));
    if log.pid as i32 != pid {
        let code = log.exit.filter(|_| log.finished);
        run.end = code.map_or(End::Unknown, End::Exited);
    } else if exited && !log.finished {
        run.end = End::Unknown;
    }
    let files = DiskFiles::default();
    let mut resolver = Resolver::new(log, &files);
    let mut recording = log.recording(run, counters, |place| resolver.place(place));
    if !log.runtime_seen
        && let Some(reason) = gnu.why_not().or_else(why_not_watched)
    {
        let reason = reason.to_owned();
        recording.blind.retain(|b| *b != RecordingGap::NoRuntime);
        recording.blind.push(RecordingGap::NotWatched { reason });
    }
    if log.runtime_seen && (gnu.taken() || resolver.has_seen_gcc()) {
        recording.blind.push(RecordingGap::GnuStaticLoops);
    }
    // Where one region of gcc's is seen, calls of GNU's runtime found LLVM's in front of it.
    if log.runtime_seen
        && !resolver.has_seen_gcc()
        && let Some(path) = gnu::loaded(log)
    {
        let reason = format!(
            "that of GNU, {path}, which was loaded beside LLVM's. What runs on it is in no figure, and looks like serial code."
        );
        recording.blind.push(RecordingGap::NotWatched { reason });
    }
    recording
}

/// What in the environment may keep the runtime from taking the collector.
fn why_not_watched() -> Option<&'static str> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    if set("OMP_TOOL").is_some_and(|value| value.eq_ignore_ascii_case("disabled")) {
        return Some("OMP_TOOL=disabled keeps all tools away from OpenMP runtimes");
    }
    set("OMP_TOOL_LIBRARIES")
        .map(|_| "tools in OMP_TOOL_LIBRARIES were asked first and may have taken its events")
}

/// The program left no log: it has nothing that the collector sees.
fn nothing(raw: &args::OmpArgs, path: Option<&std::path::Path>, status: ExitStatus) -> Failure {
    let program = raw.command[0].display();
    let ended = end::in_brackets(status);
    let reason = path.and_then(gnu::why_nothing).or(why_not_watched());
    let reason = reason.unwrap_or(
        "it started no OpenMP runtime that supports tools (GNU's is replaced only where the program itself needs it, not a library or what a script starts), and has neither functions compiled with -finstrument-functions nor marks of parascan.h",
    );
    Failure::new(
        FailureKind::NotInstrumented,
        format!(
            "{program} left nothing to look at{ended}: {reason}. Build it with clang or flang and -fopenmp, for example: clang -O2 -g -fopenmp prog.c -o prog"
        ),
    )
}
