//! The options of `parascan explain`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{DEFAULT_PROFILE, Printing};

pub(super) const HELP: &str = "\
Examples:
  parascan explain
  parascan explain solver.c:120
  parascan explain parascan.prof solver.c:120 -- ./solver small.dat
  parascan explain --format json parascan.prof | jq '.loops[] | {id, evidence}'
  PARASCAN_WITHOUT=solver.c:120:sum make CC=parascan-cc
  parascan record -o other.prof ./solver small.dat     without that dependence
  parascan explain parascan.prof --without other.prof solver.c:120

Without a region: the loops of the plan, in its order. Evidence comes from a run of the same program in
which it reports every access (no rebuild); it is kept in the profile. The run is made when the
profile has no evidence: of the program behind --, or else of the recorded command in its folder. What
it prints is thrown away. The whole run is observed of loops that are named and of the parallel ones of
the plan, of others the first iterations; naming one of those makes a new run.";

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Profile written by `parascan record`
    #[arg(default_value = DEFAULT_PROFILE, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub profile: PathBuf,
    /// Loops, by id (as `parascan regions` prints it) or file:line
    #[arg(value_name = "REGION")]
    pub regions: Vec<String>,
    #[arg(long, value_name = "N", help = format!(
        "Observe only the first N iterations, of all loops together [default: {}]",
        crate::record::config::LIMIT
    ))]
    pub limit: Option<u32>,
    /// Profile of a build with PARASCAN_WITHOUT=FILE:LINE:NAME: say what the loop on that line costs less without
    /// what it calls by that name (repeatable)
    #[arg(long, value_name = "PROFILE", value_hint = ValueHint::FilePath)]
    pub without: Vec<PathBuf>,
    #[command(flatten)]
    pub printing: Printing,
    /// The program and its arguments
    #[arg(last = true, value_name = "PROGRAM", value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,
}
