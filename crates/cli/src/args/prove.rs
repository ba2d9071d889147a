//! The options of `parascan prove`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{DEFAULT_PROFILE, Format, Planning, VerbosityArgs};
use crate::apply::entries::Entries;

pub(super) const HELP: &str = "\
Examples:
  parascan prove parascan.prof --build 'make CC={cc}' -- ./prog input
  parascan prove --build 'make CC={cc}' --compare out.dat \\
      --race-input small.dat -- ./prog big.dat
  parascan prove --build '{cc} -O2 p.c -o p' --drop-losers good.patch -- ./p
  parascan prove --build 'cmake -S . -B b -DCMAKE_C_COMPILER={cc} && \\
      cmake --build b' -- b/prog

In copies of the source tree the build command makes the serial program, one with each entry of the plan
that has code, and one with all; {cc} and {c++} are the compilers that it has to use. All run in turn, in rounds:
the serial program, then each of the others on 1, 2, 4 ... threads. Results must be those of the serial program,
byte for byte; where sums are reordered numbers may differ by the tolerance. An entry is kept if all its results
are right, no race was found, and threads make the program 2% faster at least, and faster in four of five rounds.
What is kept is built and run together.
Nothing outside of the copies is changed, unless the program itself does that by absolute names. Interrupted,
the same command goes on where it stopped.

Exit code: 0 also when nothing is kept; 89 when the serial program cannot be built or run.";

/// Arguments of `prove`.
#[derive(Debug, Args)]
pub struct ProveArgs {
    /// Profile written by `parascan record`
    #[arg(default_value = DEFAULT_PROFILE, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub profile: PathBuf,
    /// Command that builds the program, for a shell; {cc} and {c++} are the compilers
    #[arg(long, value_name = "COMMAND")]
    pub build: String,
    /// Where the build command runs (default: here)
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub build_dir: Option<PathBuf>,
    /// Folder with source, build and program, which is copied for each of them
    #[arg(long, value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub root: PathBuf,
    /// Only these entries of the plan, by their numbers: 1,3-5
    #[arg(long, value_name = "LIST")]
    pub entries: Option<Entries>,
    /// What must be as in the serial run: stdout, and files that the program writes (default: stdout)
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub compare: Vec<PathBuf>,
    /// Relative difference that numbers may have where sums are reordered
    #[arg(long, value_name = "X", default_value_t = 1e-9)]
    pub tolerance: f64,
    /// Numbers of threads (default: 1, 2, 4 ... and as many as there are cores)
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Vec<u32>,
    /// Rounds of runs
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: u32,
    /// Look for races (ThreadSanitizer with Archer) in a run with these arguments, as a shell reads them (default: with
    /// the program's own, if that takes less than two seconds)
    #[arg(long, value_name = "ARGUMENTS", allow_hyphen_values = true)]
    pub race_input: Option<String>,
    /// Do not look for races
    #[arg(long, conflicts_with = "race_input")]
    pub no_race_check: bool,
    /// Write the patch of what is proven and pays
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub drop_losers: Option<PathBuf>,
    #[command(flatten)]
    pub planning: Planning,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
    #[command(flatten)]
    pub verbosity_args: VerbosityArgs,
    /// The program and its input
    #[arg(required = true, last = true, value_name = "PROGRAM", value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,
}
