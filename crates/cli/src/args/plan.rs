//! The options of `parascan plan`, and those of every command that plans.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Args, Command, Error, ValueHint};
use parascan_analysis::personality::BUILT_IN;

use super::{DEFAULT_PROFILE, Printing};

pub(super) const HELP: &str = "\
Examples:
  parascan plan parascan.prof
  parascan plan --cores 8 --serial-time 12.5 parascan.prof
  parascan plan --exclude deflate.c:1020 small.prof large.prof
  parascan plan --format json parascan.prof | jq '.plan[0].pragma'

Several profiles of one program are added up: each input weighs as much as its work. A region is
named by its id, as `parascan regions` prints it, or by file:line. The file of --exclude-file has
one region a line; empty lines and lines that start with # do not count.";

/// Arguments of `plan`.
#[derive(Debug, Args)]
pub struct PlanArgs {
    /// Profiles written by `parascan record`; - is standard input
    #[arg(default_value = DEFAULT_PROFILE, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub profiles: Vec<PathBuf>,
    #[command(flatten)]
    pub planning: Planning,
    /// Print how much the plan spares its reader instead: regions left by work, by self-parallelism and in the plan
    #[arg(long)]
    pub stats: bool,
    #[command(flatten)]
    pub printing: Printing,
}

/// Options of all commands that make a plan.
#[derive(Debug, Args)]
pub struct Planning {
    /// Target: openmp, tasks, pipeline, simd, gpu, cilk, greedy, or a TOML file
    #[arg(long, value_name = "NAME", default_value = "openmp", value_parser = PersonalityName, hide_possible_values = true)]
    pub personality: String,
    /// Least self-parallelism of a region
    #[arg(long, value_name = "SP")]
    pub min_sp: Option<f64>,
    /// Least speedup of the whole program by a DOALL loop, in per cent
    #[arg(long, value_name = "PERCENT")]
    pub min_speedup_doall: Option<f64>,
    /// Least speedup of the whole program by a DOACROSS loop, in per cent
    #[arg(long, value_name = "PERCENT")]
    pub min_speedup_doacross: Option<f64>,
    /// Plan for a machine with N cores (default: this one's, 2 at least)
    #[arg(long, value_name = "N")]
    pub cores: Option<u32>,
    /// What the program takes by itself, with the recorded inputs together: makes costs of threads comparable to its
    /// work
    #[arg(long, value_name = "SECONDS", conflicts_with = "ideal")]
    pub serial_time: Option<f64>,
    /// Plan for processors without end whose threads cost nothing, as Kremlin does; --cores adds ideal speedups on N of
    /// them
    #[arg(long)]
    pub ideal: bool,
    /// Rule a region out (repeatable)
    #[arg(long, value_name = "REGION")]
    pub exclude: Vec<String>,
    /// Rule out the regions that a file lists (repeatable)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub exclude_file: Vec<PathBuf>,
}

/// Any name, of which completions offer the built-in ones.
#[derive(Clone, Copy, Debug)]
struct PersonalityName;

impl TypedValueParser for PersonalityName {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(BUILT_IN.iter().map(PossibleValue::new)))
    }
}
