//! The command line of parascan: the only part that touches files, processes and the terminal.
//!
//! Every command has a file or folder of its name (`manual` has `man` and `completions`), with a function `run`; its
//! options are in `args`. `driver` is the compilers, `rust` is `cargo parascan`. What commands share: `process` runs
//! programs, `planning` makes plans of options, `profile` and `sources` read, `output`, `picture` and `print` write,
//! `progress` shows how far work has come, `exit` has exit codes and messages.

#![cfg_attr(
    not(feature = "ilp"),
    allow(dead_code, reason = "parts that only `parascan ilp` uses")
)]

mod apply;
mod args;
mod calibrate;
mod chart;
mod compare;
mod driver;
mod effort;
mod exit;
mod explain;
mod export;
mod files;
#[cfg(feature = "ilp")]
mod ilp;
mod installation;
mod latencies;
mod machine;
mod manual;
mod omp;
mod output;
mod phases;
mod picture;
mod plan;
mod planning;
mod print;
mod process;
mod profile;
mod progress;
mod prove;
mod record;
mod regions;
mod report;
mod rust;
mod shell;
mod sources;
mod types;

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use clap::CommandFactory;
use parascan_formats::magic;

use args::{Cli, Command};
use driver::Language;
use exit::{Failure, FailureKind, Outcome};

fn main() -> ExitCode {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    let name = arguments
        .first()
        .and_then(|a| Path::new(a).file_name()?.to_str())
        .unwrap_or_default();
    if let Some(language) = Language::of_driver(name) {
        arguments.remove(0);
        return driver::exec(language, arguments, false).report(language.driver());
    }
    if name == rust::LINKER {
        return rust::link(&arguments[1..]).unwrap_or_else(|failure| failure.report(rust::LINKER));
    }
    if name == rust::CARGO_COMMAND {
        // cargo repeats the command's name.
        let skip = 1 + usize::from(arguments.get(1).is_some_and(|a| a == "parascan"));
        return rust::exec(&arguments[skip.min(arguments.len())..])
            .unwrap_or_else(|failure| failure.report("cargo parascan"));
    }
    let language = match arguments.get(1).and_then(|a| a.to_str()) {
        Some("cc") => Some(Language::C),
        Some("c++") => Some(Language::Cxx),
        Some("fc") => Some(Language::Fortran),
        _ => None,
    };
    if let Some(language) = language {
        return driver::exec(language, arguments.split_off(2), true).report(language.driver());
    }
    let parsed = match args::parse(&arguments) {
        Ok(cli) => run(cli.command),
        Err(error) => match meant(&arguments) {
            Some(failure) => Err(failure),
            None => error.exit(),
        },
    };
    parsed.unwrap_or_else(|failure| failure.report("parascan"))
}

/// What was meant where a file stands in the place of a command.
fn meant(arguments: &[OsString]) -> Option<Failure> {
    let first = arguments.get(1)?;
    let shown = first.to_string_lossy();
    if shown.starts_with('-') || Cli::command().find_subcommand(first).is_some() {
        return None;
    }
    let mut start = [0; magic::PROFILE.len()];
    // A shorter file is none of ours.
    let _ = File::open(first).ok()?.read_exact(&mut start);
    let (what, remedy) = match start {
        magic::PROFILE => ("a profile", format!("`parascan plan {shown}`")),
        magic::RECORDING => ("a recording", format!("`parascan phases {shown}`")),
        magic::TRACE => ("a trace", format!("`parascan ilp --trace {shown}`")),
        _ => (
            "a file",
            format!("`parascan record -- {shown}` or `parascan ilp -- {shown}`"),
        ),
    };
    Some(Failure::new(
        FailureKind::Usage,
        format!("{shown} is {what}, and no command of parascan: did you mean {remedy}?"),
    ))
}

fn run(command: Command) -> Outcome<ExitCode> {
    match command {
        Command::Record(raw) => return record::run(raw),
        #[cfg(feature = "ilp")]
        Command::Ilp(raw) => return ilp::run(*raw),
        #[cfg(not(feature = "ilp"))]
        Command::Ilp { .. } => {
            let remedy = "`cargo xtask tracer` builds the whole of it";
            let message = format!("this parascan was built without `parascan ilp`; {remedy}");
            return Err(Failure::new(FailureKind::Unavailable, message));
        }
        Command::Omp(raw) => return omp::run(&raw),
        // Called by path these never come here; `parascan help cc` is answered before.
        Command::Cc(raw) => return Err(driver::exec(Language::C, raw.arguments, true)),
        Command::Cxx(raw) => return Err(driver::exec(Language::Cxx, raw.arguments, true)),
        Command::Fc(raw) => return Err(driver::exec(Language::Fortran, raw.arguments, true)),
        Command::Apply(raw) => return apply::run(&raw),
        Command::Prove(raw) => return prove::run(&raw),
        Command::Compare(raw) => return compare::run(&raw),
        Command::Plan(raw) => plan::run(&raw)?,
        Command::Explain(raw) => explain::run(raw)?,
        Command::Regions(raw) => regions::run(&raw)?,
        Command::Effort(raw) => effort::run(&raw)?,
        Command::Types(raw) => types::run(&raw)?,
        Command::Export(raw) => export::run(&raw)?,
        Command::Chart(raw) => chart::run(&raw)?,
        Command::Phases(raw) => phases::run(&raw)?,
        Command::Report(raw) => report::run(&raw)?,
        Command::Calibrate(raw) => calibrate::run(&raw)?,
        Command::Latencies(raw) => latencies::run(&raw)?,
        Command::Completions { shell } => manual::completions(shell)?,
        Command::Man { command, all } => match all {
            Some(folder) => manual::write_all(&folder)?,
            None => manual::print_page(command.as_deref())?,
        },
    }
    Ok(ExitCode::SUCCESS)
}
