//! Starts the program with the collector in it, and waits for its end.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitStatus};

use parascan_abi::omp::{ENV_COUNTERS, ENV_DIR, ENV_REGION_COUNTERS, ENV_YIELD};

use crate::exit::Outcome;
use crate::process::{child, signals};

/// What the program gets beside its own environment.
#[derive(Debug)]
pub struct CollectorSettings<'a> {
    /// The library that watches it.
    pub collector: &'a Path,
    /// Folder for its logs.
    pub logs: &'a Path,
    /// Folder to look for libraries in first.
    pub library: Option<&'a Path>,
    /// Counters, as the collector takes them.
    pub counters: &'a str,
    /// Whether they are read at entry and exit of every region.
    pub region_counters: bool,
}

/// Runs the program with the collector loaded, and returns its process id and how it ended.
pub fn run(words: &[OsString], settings: &CollectorSettings) -> Outcome<(i32, ExitStatus)> {
    let collector = settings.collector;
    let mut command = Command::new(&words[0]);
    command.arg0(&words[0]).args(&words[1..]);
    command.env(ENV_DIR, settings.logs);
    command.env(ENV_COUNTERS, settings.counters);
    if settings.region_counters {
        command.env(ENV_REGION_COUNTERS, "1");
    } else {
        command.env_remove(ENV_REGION_COUNTERS);
    }
    command.env("LD_PRELOAD", joined("LD_PRELOAD", collector, Order::First));
    let tools = "OMP_TOOL_LIBRARIES";
    if std::env::var_os(tools).is_some_and(|t| !t.is_empty()) {
        command.env(ENV_YIELD, "1");
    }
    command.env(tools, joined(tools, collector, Order::Last));
    // Programs with marks for other tools look for the tool by these.
    for marks in ["INTEL_LIBITTNOTIFY64", "NVTX_INJECTION64_PATH"] {
        if std::env::var_os(marks).is_none() {
            command.env(marks, collector);
        }
    }
    if let Some(library) = settings.library {
        let paths = "LD_LIBRARY_PATH";
        command.env(paths, joined(paths, library, Order::First));
    }
    signals::install();
    let pid = child::start(&mut command)
        .map_err(|e| child::cannot_start("omp", &words[0], Path::new(&words[0]), &e))?;
    let status = child::wait(pid).map_err(|e| child::cannot_wait(&e))?;
    Ok((pid, status))
}

enum Order {
    First,
    Last,
}

/// A list in the environment with one more entry.
fn joined(variable: &str, entry: &Path, order: Order) -> OsString {
    let old = std::env::var_os(variable).filter(|v| !v.is_empty());
    let Some(old) = old else {
        return entry.as_os_str().to_owned();
    };
    let (mut first, last) = match order {
        Order::First => (entry.as_os_str().to_owned(), old.as_os_str()),
        Order::Last => (old.clone(), entry.as_os_str()),
    };
    first.push(":");
    first.push(last);
    first
}
