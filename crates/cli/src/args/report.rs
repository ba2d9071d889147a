//! The options of `parascan report`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{DEFAULT_PROFILE, Planning};

pub(super) const HELP: &str = "\
Examples:
  parascan report parascan.prof -o report.html
  parascan report --cores 8 --source-root ~/src -o r.html small.prof big.prof

The file holds everything, also the source of the regions that ran, and needs no server and no
network: send it to whom you like. Sources are looked for where they were compiled, after every
DIR of --source-root: there as DIR/path/to/file.c, DIR/to/file.c or DIR/file.c.";

/// Arguments of `report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Profiles written by `parascan record`; - is standard input
    #[arg(default_value = DEFAULT_PROFILE, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub profiles: Vec<PathBuf>,
    /// File for the report; replaced as a whole
    #[arg(short, long, value_name = "FILE", default_value = "report.html", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// What parascan prove --format json printed, as a section
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub proof: Option<PathBuf>,
    /// What differs from another profile, as a section
    #[arg(long, value_name = "PROFILE", value_hint = ValueHint::FilePath)]
    pub compare: Option<PathBuf>,
    /// Look for sources below DIR first (repeatable)
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub source_root: Vec<PathBuf>,
    /// Leave the source out
    #[arg(long, conflicts_with = "source_root")]
    pub no_source: bool,
    #[command(flatten)]
    pub planning: Planning,
}
