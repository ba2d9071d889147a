//! The options of `parascan record`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{DEFAULT_PROFILE, VerbosityArgs};
use crate::record::TrackedDepths;

pub(super) const HELP: &str = "\
Examples:
  parascan record -- ./prog input > output
  parascan record -o large.prof --jobs 2 -- ./prog large-input
  parascan record --levels 0..4 -- ./prog          one run, outer regions only
  parascan record --overhead 20 -- ./prog          more of a long run is tracked
  parascan record --exact -- ./prog                all of it

The program runs as it always does: its input, output and exit code are its own. It is tracked at
its beginning and, if it runs longer than that, in short stretches (bursts); in between it runs
natively. Figures are estimates then, and say so; --exact tracks all of the run.

A program that ends within its beginning, or that is recorded exactly, runs several times if its
regions are nested more than 8 deep, each time tracking other depths; its output is shown once, its
input is kept for the later runs. A terminal as input cannot be kept: later runs find it empty.

Exit code: the program's own; 126 and 127 when it cannot be run; see parascan --help for others.";

/// Arguments of `record`.
#[derive(Debug, Args)]
pub struct RecordArgs {
    /// File for the profile; replaced as a whole when the program has ended
    #[arg(short, long, value_name = "FILE", default_value = DEFAULT_PROFILE, value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Track only region depths A to B-1 (main is 0; loops, their iterations and functions each add one)
    #[arg(long, value_name = "A..B")]
    pub levels: Option<TrackedDepths>,
    /// Run up to N level ranges at the same time
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<u32>,
    /// Run the program only once: depths that this run does not track are left out
    #[arg(long)]
    pub once: bool,
    /// Track all of the run: at once for as long as clocks can count, in stretches without gaps from there on
    #[arg(long, conflicts_with_all = ["beginning", "until", "overhead", "seed", "repeat"])]
    pub exact: bool,
    /// Track the run's beginning for SECONDS of processor time (default 1.5)
    #[arg(long, value_name = "SECONDS")]
    pub beginning: Option<f64>,
    /// Track nothing after SECONDS of processor time: the program runs on to its end, and is only counted
    #[arg(long, value_name = "SECONDS")]
    pub until: Option<f64>,
    /// Bursts may take PERCENT of the native time, after the program's beginning (default 10)
    #[arg(long, value_name = "PERCENT")]
    pub overhead: Option<u32>,
    /// Begin bursts at other moments (default 1)
    #[arg(long, value_name = "N")]
    pub seed: Option<u32>,
    /// Run the program N times, with bursts at other moments each, and add up what they saw
    #[arg(long, value_name = "N", conflicts_with = "once")]
    pub repeat: Option<u32>,
    /// Give every run but the first a copy of the working directory, as it was before the first
    #[arg(long)]
    pub scratch_dirs: bool,
    /// Run the program once more afterwards, to observe which dependences stop its loops (parascan explain)
    #[arg(long)]
    pub explain: bool,
    #[arg(long, value_name = "N", requires = "explain", help = format!(
        "In that run observe only the first N iterations, of all loops together [default: {}]",
        crate::record::config::LIMIT
    ))]
    pub limit: Option<u32>,
    /// Count regions at depth N and deeper as part of the ones around them (default 64)
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u32>,
    #[command(flatten)]
    pub verbosity_args: VerbosityArgs,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = false, value_name = "PROGRAM", value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,
}
