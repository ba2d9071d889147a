//! The command line as it is given; every command checks its own part afterwards.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueHint};

use crate::exit::EXIT_CODES;
use crate::record::Levels;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const MAIN_EXAMPLES: &str = "\
Examples:
  make CC=parascan-cc CXX=parascan-c++      build a program (or: parascan cc -O2 a.c b.c -o prog)
  parascan record -- ./prog input           run it as always; writes parascan.prof
  parascan plan parascan.prof               what to parallelize, in which order, and how
  parascan regions parascan.prof            every function and loop with its figures
";

/// Where is the parallelism in a program, what is it worth, and what stops it?
#[derive(Debug, Parser)]
#[command(
    name = "parascan",
    version,
    styles = STYLES,
    subcommand_required = true,
    arg_required_else_help = true,
    disable_help_subcommand = false,
    after_help = format!("{MAIN_EXAMPLES}\n{EXIT_CODES}")
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compile or link C as clang does, with instrumentation (also callable as parascan-cc)
    #[command(after_help = CC_HELP)]
    Cc(Compile),
    /// Compile or link C++ as clang++ does, with instrumentation (also callable as parascan-c++)
    #[command(name = "c++", after_help = CC_HELP)]
    Cxx(Compile),
    /// Run an instrumented program and write its profile
    #[command(after_help = RECORD_HELP)]
    Record(Record),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, in roff
    Man,
}

const CC_HELP: &str = "\
All options are clang's own, except:
  --latency TABLE   latencies of operations: x86 (default), kremlin, unit, or a TOML file
  --dump PREFIX     write the measured program to PREFIX.bc and notes on it to PREFIX.json
As parascan-cc and parascan-c++ they are called --parascan-latency=TABLE and --parascan-dump=PREFIX;
the environment variable PARASCAN_LATENCY sets the table for a whole build.
PARASCAN_CLANG and PARASCAN_CLANGXX name other compilers than clang-22 and clang++-22.

Examples:
  parascan cc -O2 a.c b.c -o prog
  parascan-c++ -std=c++20 -c a.cc
  cmake -DCMAKE_C_COMPILER=parascan-cc -DCMAKE_CXX_COMPILER=parascan-c++ ..
  PARASCAN_LATENCY=unit make CC=parascan-cc";

/// Arguments of a compiler driver: taken before clap sees them, listed here for the help.
#[derive(Debug, Args)]
pub struct Compile {
    /// clang's arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<OsString>,
}

const RECORD_HELP: &str = "\
Examples:
  parascan record -- ./prog input > output
  parascan record -o large.prof --jobs 2 -- ./prog large-input
  parascan record --levels 0..4 -- ./prog          one run, outer regions only

The program runs as it always does: its input, output and exit code are its own. A program with
regions nested more than 8 deep runs several times, each time tracking other depths; its output is
shown once, its input is kept for the later runs. A terminal as input cannot be kept: later runs
find it empty.

Exit code: the program's own; 126 and 127 when it cannot be run; see parascan --help for others.";

/// Arguments of `record`.
#[derive(Debug, Args)]
pub struct Record {
    /// File for the profile; replaced as a whole when the program has ended
    #[arg(short, long, value_name = "FILE", default_value = "parascan.prof", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Track only region depths A to B-1 (main is 0; loops, their iterations and functions each add one)
    #[arg(long, value_name = "A..B")]
    pub levels: Option<Levels>,
    /// Run up to N level ranges at the same time
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<u32>,
    /// Give every run but the first a copy of the working directory, as it was before the first
    #[arg(long)]
    pub scratch_dirs: bool,
    /// Count regions at depth N and deeper as part of the ones around them (default 64)
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u32>,
    #[command(flatten)]
    pub talk: Talk,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = false, value_name = "PROGRAM", value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,
}

/// How much to say.
#[derive(Clone, Copy, Debug, Args)]
pub struct Talk {
    /// Say nothing but errors
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
    /// Say what was done
    #[arg(short, long)]
    verbose: bool,
}

/// How much to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbosity {
    /// Errors only.
    Quiet,
    /// What a reader of the figures must know.
    Normal,
    /// Everything.
    Verbose,
}

impl Talk {
    /// Both options as one.
    pub fn verbosity(self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        }
    }
}
