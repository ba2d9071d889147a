//! `parascan calibrate`: what threads cost on this machine, measured and kept for plans.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use parascan_analysis::costs::{Calibration, Measured};
use parascan_analysis::memory::MemorySpeed;
use parascan_views::{calibration_csv, calibration_json, calibration_text};

use crate::args::{CalibrateArgs, Format};
use crate::driver::Language;
use crate::exit::{Failure, FailureKind, Outcome};
use crate::machine::{self, processors};
use crate::output::OutputFile;
use crate::print;
use crate::process::end;

/// Names another file for the costs.
const ENV: &str = "PARASCAN_COSTS";
/// No start of a parallel loop takes so long where every thread has a processor.
const WAITING_NS: f64 = 100_000.0;
/// What is measured, and how.
const PROGRAM: &str = include_str!("calibrate/costs.c");

/// Runs `parascan calibrate`: measures what threads and memory cost, and keeps the figures in a file.
pub fn run(raw: &CalibrateArgs) -> Outcome<()> {
    let path = place().ok_or_else(|| {
        let message =
            format!("no place to keep the costs: set {ENV}=FILE, XDG_CONFIG_HOME or HOME");
        Failure::new(FailureKind::CannotCreate, message)
    })?;
    if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|e| {
            let message = format!("cannot create {}: {e}; set {ENV}=FILE", folder.display());
            Failure::new(FailureKind::CannotCreate, message)
        })?;
    }
    let output = OutputFile::check_for("PARASCAN_COSTS=FILE", &path)?;
    let threads = raw.threads.unwrap_or_else(machine::cores);
    let (measured, memory) = measure(threads)?;
    let found = Calibration::fit(processors(), measured, memory).ok_or_else(|| unreadable(""))?;
    output.write(found.to_toml().as_bytes())?;
    let cores = machine::cores();
    let mut in_cores = found.measured.iter().filter(|m| m.threads <= cores);
    if in_cores.any(|m| m.start_ns > WAITING_NS) {
        print::error(
            "parascan: warning: threads waited for processors, so that costs are too high: something else runs on this machine; measure again when it \
             does not\n",
        )?;
    }
    let place = path.display().to_string();
    print::out(&match raw.format {
        Format::Text => print::style().lay_out(|style| calibration_text(&found, &place, style)),
        Format::Json => calibration_json(&found, &place),
        Format::Csv => calibration_csv(&found),
    })
}

/// Costs that were measured on this machine; none where nobody did, or only on another.
pub fn kept() -> Outcome<Option<Calibration>> {
    let Some(path) = place() else { return Ok(None) };
    let shown = path.display();
    let wrong = |message: String| {
        let remedy = "measure them again with `parascan calibrate`, or remove the file";
        Failure::new(
            FailureKind::Config,
            format!("costs of threads, {shown}: {message}; {remedy}"),
        )
    };
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(e) => return Err(wrong(e.to_string())),
    };
    let found = Calibration::parse(&text).map_err(|e| wrong(e.to_string()))?;
    Ok((found.machine == processors()).then_some(found))
}

/// Where costs are kept.
fn place() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value: &OsString| !value.is_empty());
    if let Some(file) = set(ENV) {
        return Some(file.into());
    }
    let folder = match set("XDG_CONFIG_HOME").map(PathBuf::from) {
        Some(folder) if folder.is_absolute() => folder,
        _ => Path::new(&set("HOME")?).join(".config"),
    };
    Some(folder.join("parascan/costs.toml"))
}

/// Costs of threads, and how fast memory is.
fn measure(threads: u32) -> Outcome<(Vec<Measured>, Option<MemorySpeed>)> {
    let io = |e: std::io::Error| {
        Failure::new(
            FailureKind::Io,
            format!("cannot make a folder: {e}; set TMPDIR"),
        )
    };
    let folder = tempfile::tempdir().map_err(io)?;
    let source = folder.path().join("costs.c");
    fs::write(&source, PROGRAM).map_err(io)?;
    let program = folder.path().join("costs");
    let mut compile = Language::C.plain();
    compile
        .args(["-O2", "-fopenmp", "-o"])
        .arg(&program)
        .arg(&source);
    let done = compile
        .output()
        .map_err(|e| Language::C.missing(&compile, &e))?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        let message = format!(
            "clang cannot build a program with -fopenmp: {}; install libomp-22-dev",
            said.trim_end()
        );
        return Err(Failure::new(FailureKind::Unavailable, message));
    }
    let mut run = Command::new(&program);
    let cache = last_cache();
    run.arg(threads.to_string()).arg(cache.to_string());
    // The user's settings are for programs as they run; these would change what is asked for here.
    run.env_remove("OMP_NUM_THREADS")
        .env_remove("OMP_THREAD_LIMIT");
    let done = run.output().map_err(|e| {
        Failure::new(
            FailureKind::CannotExecute,
            format!(
                "{}: {e}; set TMPDIR to a folder from which programs run",
                program.display()
            ),
        )
    })?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        let ended = end::in_words(done.status);
        return Err(unreadable(&format!("{ended} {}", said.trim_end())));
    }
    let text = String::from_utf8_lossy(&done.stdout);
    let (of_memory, of_threads): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.starts_with("memory "));
    let costs: Outcome<Vec<Measured>> = of_threads
        .into_iter()
        .map(|line| measured(line).ok_or_else(|| unreadable(line)))
        .collect();
    let moved: Option<Vec<(u32, f64)>> = of_memory.into_iter().map(moved).collect();
    let memory = moved.as_deref().and_then(|moved| match moved {
        &[(1, one_thread), .., (threads, all_threads)] => Some(MemorySpeed {
            cache_bytes: cache,
            one_thread,
            threads,
            all_threads,
        }),
        _ => None,
    });
    Ok((costs?, memory.filter(|memory| memory.check().is_ok())))
}

/// Bytes of the last cache, as the kernel knows it; a guess where it does not say.
fn last_cache() -> u64 {
    let size = |index: u32| {
        let folder = format!("/sys/devices/system/cpu/cpu0/cache/index{index}");
        let text = fs::read_to_string(format!("{folder}/size")).ok()?;
        let (number, unit) = text
            .trim()
            .split_at_checked(text.trim().len().checked_sub(1)?)?;
        let number: u64 = number.parse().ok()?;
        Some(match unit {
            "K" => number << 10,
            "M" => number << 20,
            _ => return None,
        })
    };
    let largest = (0..8).filter_map(size).max();
    largest.unwrap_or_else(|| MemorySpeed::default().cache_bytes)
}

/// One line of the program about memory: threads, and bytes in a nanosecond.
fn moved(line: &str) -> Option<(u32, f64)> {
    let (threads, bytes) = line.strip_prefix("memory ")?.split_once(' ')?;
    Some((threads.parse().ok()?, bytes.parse().ok()?))
}

fn unreadable(said: &str) -> Failure {
    Failure::new(
        FailureKind::Internal,
        format!("the program that measures costs failed: {said}"),
    )
}

/// One line of the program.
fn measured(line: &str) -> Option<Measured> {
    let mut words = line.split(' ');
    let threads = words.next()?.parse().ok()?;
    let figures: Vec<f64> = words.map(str::parse).collect::<Result<_, _>>().ok()?;
    let [start_ns, reduction_ns, ordered_ns, task_ns] = figures[..] else {
        return None;
    };
    Some(Measured {
        threads,
        start_ns,
        reduction_ns,
        ordered_ns,
        task_ns,
    })
}
