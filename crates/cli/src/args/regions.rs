//! The options of `parascan regions`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{DEFAULT_PROFILE, Printing};

pub(super) const HELP: &str = "\
Examples:
  parascan regions parascan.prof | head -20
  parascan regions --format csv parascan.prof > regions.csv

The same as JSON and CSV; docs/json.md describes the fields.";

/// Arguments of `regions`.
#[derive(Debug, Args)]
pub struct RegionsArgs {
    /// Profiles written by `parascan record`; - is standard input
    #[arg(default_value = DEFAULT_PROFILE, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub profiles: Vec<PathBuf>,
    /// List loop iterations too
    #[arg(long)]
    pub iterations: bool,
    #[command(flatten)]
    pub printing: Printing,
}
