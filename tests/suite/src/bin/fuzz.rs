//! Tries random programs with and without instrumentation; prints failing seeds and how to repeat them.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use parascan_suite::csmith::{ProgramSource, campaign};
use parascan_suite::tool::Tool;

/// Random programs must behave the same instrumented and not.
#[derive(Parser)]
struct Arguments {
    /// Number of programs; each is tried at -O0 to -O3.
    #[arg(long, default_value_t = 100)]
    count: u64,
    /// First seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Programs by Csmith (the default).
    #[arg(long, conflicts_with = "yarpgen_like")]
    csmith: bool,
    /// Loop nests over arrays by the suite's own generator.
    #[arg(long)]
    yarpgen_like: bool,
    /// Where programs of failing seeds are kept.
    #[arg(long, default_value = "target/fuzz-failures")]
    keep: PathBuf,
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let source = if arguments.yarpgen_like {
        ProgramSource::Loops
    } else {
        ProgramSource::Csmith
    };
    let tally = campaign(
        &Tool::find()?,
        source,
        arguments.seed,
        arguments.count,
        &arguments.keep,
    )?;
    for failure in &tally.failures {
        println!("{failure}");
    }
    println!(
        "{} combinations agree, {} took too long, {} differ",
        tally.same,
        tally.timeouts,
        tally.failures.len()
    );
    if !tally.failures.is_empty() {
        println!("programs kept in {}", arguments.keep.display());
    }
    Ok(if tally.failures.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
