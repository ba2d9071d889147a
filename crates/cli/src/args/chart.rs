//! The options of `parascan chart`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{DEFAULT_PROFILE, Format};

pub(super) const HELP: &str = "\
Examples:
  parascan chart parascan.prof                     in the terminal
  parascan chart -o chart.svg parascan.prof        or chart.png
  parascan chart --together                        also what is small, often
  parascan chart --serial-below 0 --min-work 0 --format json parascan.prof

Work runs from left to right, parallelism upwards. A letter with xN is a row of
N instances. The chart shows one run, so it takes one profile. docs/chart.md
says how to read it and what is left out.";

/// Arguments of `chart`.
#[derive(Debug, Args)]
pub struct ChartArgs {
    /// Profile written by `parascan record`; - is standard input
    #[arg(default_value = DEFAULT_PROFILE, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub profile: PathBuf,
    /// Draw the chart into this file instead of printing it; its name ends in .svg or .png
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "format")]
    pub output: Option<PathBuf>,
    /// Height is self-parallelism, not total parallelism
    #[arg(long)]
    pub self_parallelism: bool,
    /// Leave out what is inside an instance of this parallelism or less; 0 leaves out nothing
    #[arg(long, value_name = "P", default_value_t = parascan_analysis::chart::SERIAL_BELOW)]
    pub serial_below: f64,
    /// Leave out instances with less than this share of the work, in per cent
    #[arg(long, value_name = "PERCENT", default_value_t = parascan_analysis::chart::MIN_WORK)]
    pub min_work: f64,
    /// Let --min-work look at rows of instances together, not at each instance
    #[arg(long)]
    pub together: bool,
    /// Most boxes; the narrowest beyond are left out
    #[arg(long, value_name = "N", default_value_t = parascan_analysis::chart::MAX_BOXES)]
    pub max_boxes: usize,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}
