//! What `parascan regions` is given.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::Format;

pub(super) const HELP: &str = "\
Examples:
  parascan regions parascan.prof | head -20
  parascan regions --format csv parascan.prof > regions.csv

The same as JSON and CSV; docs/json.md describes the fields.";

/// Arguments of `regions`.
#[derive(Debug, Args)]
pub struct Regions {
    /// Profiles written by `parascan record`; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub profiles: Vec<PathBuf>,
    /// List loop iterations too
    #[arg(long)]
    pub iterations: bool,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}
