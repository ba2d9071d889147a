//! The options of `parascan compare`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{Planning, Printing};

pub(super) const HELP: &str = "\
Examples:
  parascan compare small.prof large.prof
  parascan compare --exit-code before.prof after.prof  1 if they differ: for CI
  parascan compare --format json a.prof b.prof | jq '.differences[].ways'

Each profile gets a plan of its own, by the same rules. Regions are the same by
their ids; others by file, function, kind and order, so that lines may have
moved between versions. Profiles that have no region in common are refused
(exit code 85), whether --exit-code is given or not.";

/// Arguments of `compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// One profile
    #[arg(required = true, value_name = "A", value_hint = ValueHint::FilePath)]
    pub first: PathBuf,
    /// The other
    #[arg(required = true, value_name = "B", value_hint = ValueHint::FilePath)]
    pub second: PathBuf,
    #[command(flatten)]
    pub planning: Planning,
    /// End with 1 if an entry holds for one plan only or a region has another class
    #[arg(long)]
    pub exit_code: bool,
    #[command(flatten)]
    pub printing: Printing,
}
