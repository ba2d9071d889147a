//! The command line of parascan: the only part that touches files, processes and the terminal.

mod args;
mod driver;
mod exit;
mod installation;
mod latency;
mod record;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use driver::Language;
use exit::Outcome;

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
    let language = match arguments.get(1).and_then(|a| a.to_str()) {
        Some("cc") => Some(Language::C),
        Some("c++") => Some(Language::Cxx),
        _ => None,
    };
    if let Some(language) = language {
        return driver::exec(language, arguments.split_off(2), true).report(language.driver());
    }
    run(Cli::parse().command).unwrap_or_else(|failure| failure.report("parascan"))
}

fn run(command: Command) -> Outcome<ExitCode> {
    match command {
        Command::Record(raw) => record::run(raw),
        Command::Cc(_) | Command::Cxx(_) => unreachable!("taken before"),
        Command::Completions { .. } | Command::Man => todo!(),
    }
}
