//! The command line of `parascan ilp` as it is given; `config.rs` checks it.

use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use parascan_ddg::model::TextForm;

use super::open::{self, OpenRequest};
use crate::args::Format;

/// Examples and remarks below the options.
pub const HELP: &str = "\
Examples:
  parascan ilp -- gzip -k big.txt    I, C and ILP of every routine and the run
  parascan ilp --window 16,64,256,1k,10k,100k,1M -- ./prog
  parascan ilp --rename none,regs,regs+stack,all --model paragraph -- ./prog
  parascan ilp --routine dot --histogram h.svg --graph g.svg -- ./prog
  parascan ilp --report ilp.html --values -- ./prog
  parascan ilp --save-trace prog.trace -- ./prog
  parascan ilp --trace prog.trace --branches tage

The program runs as it always does: its input, output and exit code are its own. Results go to standard
error, or to the file of -o; those of a recorded trace to standard output. Options that take a list
make one model for every combination, and all models are measured in one run. docs/ilp.md is the
guide, docs/ilp-models.md describes models and their files, docs/ilp-model.md defines every figure.

Exit code: the program's own; 126 and 127 when it cannot be run; see parascan --help for others.";

/// Arguments of `ilp`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    pub machine: MachineArgs,
    #[command(flatten)]
    pub scope: ScopeArgs,
    #[command(flatten)]
    pub results: ResultArgs,
    #[command(flatten)]
    pub output: Outputs,
    /// The program and its arguments
    #[arg(required_unless_present = "trace", conflicts_with = "trace", trailing_var_arg = true, allow_hyphen_values = false, value_name = "PROGRAM", value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,
}

/// What limits the machine.
#[derive(Debug, Args)]
#[command(next_help_heading = "Machine")]
pub struct MachineArgs {
    /// perpi, paragraph, or a TOML file (repeatable; perpi without it)
    #[arg(long, value_name = "MODEL", value_hint = ValueHint::FilePath)]
    pub model: Vec<PathBuf>,
    /// Instructions in the window: numbers (16, 1k, 10M), or all
    #[arg(long, value_name = "LIST")]
    pub window: Option<String>,
    /// What is renamed: none, all, or regs, stack, memory joined by +
    #[arg(long, value_name = "LIST")]
    pub rename: Option<String>,
    /// System calls: conservative, optimistic
    #[arg(long, value_name = "LIST")]
    pub syscalls: Option<String>,
    /// Latencies: unit, paragraph, x86, or TOML files
    #[arg(long, value_name = "LIST")]
    pub latency: Option<String>,
    /// Functional units: unlimited, a number, or numbers by class (float-add=2,load=1)
    #[arg(long, value_name = "LIST")]
    pub units: Option<String>,
    /// Registers to rename to: unlimited, a number, or numbers by kind (general=180,vector=168)
    #[arg(long, value_name = "LIST")]
    pub physical_registers: Option<String>,
    /// Conditional branches: perfect, none, taken, 2bit, gshare, tage, the last three with sizes
    #[arg(long, value_name = "LIST")]
    pub branches: Option<String>,
    // Not as documentation, which takes what is in brackets for a link.
    #[arg(
        long,
        value_name = "LIST",
        help = "Targets of indirect jumps and calls: perfect, none, last[:BITS]"
    )]
    pub indirect: Option<String>,
    #[arg(
        long,
        value_name = "LIST",
        help = "Targets of returns: perfect, none, stack[:ENTRIES]"
    )]
    pub returns: Option<String>,
    /// Memory disambiguation: perfect, none
    #[arg(long, value_name = "LIST")]
    pub memory: Option<String>,
    /// Pushes, pops, calls, returns and constants added to the stack pointer: chain (each waits for the last), engine
    /// (at no cost)
    #[arg(long, value_name = "LIST")]
    pub stack_pointer: Option<String>,
    /// Constants added to other registers (counters of loops): chain, break (each waits for what was there before the
    /// first)
    #[arg(long, value_name = "LIST")]
    pub induction: Option<String>,
    /// Which instructions are operations: all, values, float
    #[arg(long, value_name = "LIST")]
    pub counted: Option<String>,
}

/// A number of instructions, as windows have it.
fn instructions(text: &str) -> Result<u64, String> {
    match <Option<u64> as TextForm>::parse(text) {
        Some(Some(number)) => Ok(number),
        Some(None) | None => Err("write a number of instructions (16, 1k, 10M)".to_owned()),
    }
}

/// What is looked at.
#[derive(Debug, Args)]
#[command(next_help_heading = "Scope")]
pub struct ScopeArgs {
    /// Begin at this function of the program, or offset in it; `start` is its first instruction [default: main, if it
    /// is found]
    #[arg(long, value_name = "SYMBOL")]
    pub from: Option<String>,
    /// Measure these routines only; * and ? stand for any letters (repeatable)
    #[arg(long, value_name = "NAME")]
    pub routine: Vec<String>,
    /// Leave out the first N instructions (16, 1k, 10M)
    #[arg(long, value_name = "N", value_parser = instructions)]
    pub skip: Option<u64>,
    /// Stop after N instructions (16, 1k, 10M); the program runs on unmeasured
    #[arg(long, value_name = "N", value_parser = instructions)]
    pub count: Option<u64>,
    /// Measure the processes that the program starts, too
    #[arg(long, alias = "children")]
    pub follow: bool,
    /// One graph of all threads, or besides it each thread's own
    #[arg(long, value_name = "VIEW", default_value = "merged")]
    pub threads: Threads,
}

/// What graphs are made of where a program has several threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Threads {
    /// One graph, with dependences through memory.
    Merged,
    /// That, and each thread's own.
    Each,
}

/// What is asked.
#[derive(Debug, Args)]
#[command(next_help_heading = "Results")]
pub struct ResultArgs {
    /// Lifetimes and sharing of values, and storage over time
    #[arg(long)]
    pub values: bool,
    /// Values alive at most, the widest step, and units of each class that are enough, counted step by step for the
    /// first N of the critical path (10M without a number; at most 50 bytes each)
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "10M", value_parser = levels)]
    pub resources: Option<u64>,
    /// How often routines and threads read values that others made, the most frequent first
    #[arg(long)]
    pub flow: bool,
    /// Figures of routines also when there are several models
    #[arg(long)]
    pub routines: bool,
    /// No figures of routines: those of the run alone take about half the time
    #[arg(long, conflicts_with_all = ["routines", "routine", "own"])]
    pub no_routines: bool,
    /// Critical paths of routines without their callees, too
    #[arg(long)]
    pub own: bool,
    /// Depths of calls whose critical paths are measured
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub depth: u8,
    /// Model of details, chains and pictures: its name, or its number among the models; all for chains and pictures of
    /// each [default: the least limited]
    #[arg(long, value_name = "MODEL")]
    pub focus: Option<String>,
    /// The N longest dependence chains, with source lines
    #[arg(long, value_name = "N")]
    pub chains: Option<usize>,
    /// Draw the instructions per step into this SVG file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub histogram: Option<PathBuf>,
    /// Draw the data-flow graph into this file; its name ends in .svg or .dot
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub graph: Option<PathBuf>,
    /// Chains, histogram and graph of the N-th call of each --routine
    #[arg(long, value_name = "N", default_value_t = 1, requires = "routine", value_parser = clap::value_parser!(u64).range(1..))]
    pub call: u64,
    /// Only steps A to B in profile, histogram and graph, a bar and a row each where they fit
    #[arg(long, value_name = "A..B", value_parser = steps)]
    pub steps: Option<RangeInclusive<u64>>,
    /// Most nodes of the graph; beyond, instances of one instruction are one node, or those of one loop
    #[arg(long, value_name = "N", default_value_t = 160, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub nodes: u32,
    /// Put instances of one instruction together in the graph, however few they are, and no more than these
    #[arg(long, requires = "graph")]
    pub collapse: bool,
    /// Open a loop in the graph: its K-th iteration instance by instance, the rest put together. ADDRESS is that of its
    /// first instruction, LINE (FILE:LINE:K) a source line that it is the innermost loop of, in program or library
    #[arg(long, value_name = "[MODULE:]ADDRESS:K", value_parser = open::parsed)]
    pub open: Option<OpenRequest>,
    /// Of the N-th time that the loop of --open is entered
    #[arg(long, value_name = "N", default_value_t = 1, requires = "open", value_parser = clap::value_parser!(u64).range(1..))]
    pub entry: u64,
    /// Most instructions looked at one by one for chains, histogram and graph (16 bytes each, with --report up to 32)
    #[arg(long, value_name = "N", default_value = "20M", value_parser = limit)]
    pub limit: u32,
}

/// Where results go.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct Outputs {
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
    /// Routines in tables; 0 for all
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
    /// Print into this file; replaced as a whole
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Write everything as one HTML file to read in a browser
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<PathBuf>,
    /// Draw all plots as SVG files in this folder, those of --values, --histogram and --graph among them
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub plots: Option<PathBuf>,
    /// Keep the trace in this file, compressed
    #[arg(long, value_name = "FILE", conflicts_with = "trace", value_hint = ValueHint::FilePath)]
    pub save_trace: Option<PathBuf>,
    /// Analyse a trace written by --save-trace instead of running a program
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub trace: Option<PathBuf>,
    /// Write counts of what was executed to FILE, as JSON, and measure nothing
    #[arg(long, value_name = "FILE", hide = true, value_hint = ValueHint::FilePath)]
    pub count_only: Option<PathBuf>,
}

/// A number of steps that are counted, with a unit as instructions have it.
fn limit(text: &str) -> Result<u32, String> {
    let number = instructions(text)?;
    let fits = u32::try_from(number).ok();
    fits.filter(|n| (1..4_000_000_000).contains(n))
        .ok_or_else(|| "possible are 1 to 4 thousand million instructions".to_owned())
}

fn levels(text: &str) -> Result<u64, String> {
    match <Option<u64> as TextForm>::parse(text) {
        Some(Some(number)) if number > 0 => Ok(number),
        _ => Err("write a number of steps, at least 1 (100, 1k, 10M)".to_owned()),
    }
}

fn steps(text: &str) -> Result<RangeInclusive<u64>, String> {
    let range = text
        .split_once("..")
        .and_then(|(first, last)| Some(first.parse().ok()?..=last.parse().ok()?));
    match range {
        Some(range) if *range.start() >= 1 && !range.is_empty() => Ok(range),
        _ => Err("write two steps, the first at least 1, as in 10..25".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_at_least_one() {
        assert_eq!(levels("1"), Ok(1));
        assert_eq!(levels("10M"), Ok(10_000_000));
        for wrong in ["", "0", "all", "-1", "ten"] {
            assert!(levels(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn limits_are_numbers_of_instructions() {
        assert_eq!(limit("1"), Ok(1));
        assert_eq!(limit("100k"), Ok(100_000));
        for wrong in ["0", "all", "4000M", "5000M", "-1"] {
            assert!(limit(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn steps_are_a_range_from_one() {
        assert_eq!(steps("1..1"), Ok(1..=1));
        assert_eq!(steps("10..25"), Ok(10..=25));
        assert_eq!(steps("1..99999999999"), Ok(1..=99_999_999_999));
        for wrong in [
            "",
            "3",
            "0..4",
            "5..4",
            "a..b",
            "1..",
            "-1..3",
            "1..99999999999999999999",
        ] {
            assert!(steps(wrong).is_err(), "{wrong}");
        }
    }
}
