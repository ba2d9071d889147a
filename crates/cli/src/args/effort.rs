//! The options of `parascan effort`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{DEFAULT_PROFILE, Format};

pub(super) const HELP: &str = "\
Examples:
  parascan effort parascan.prof
  parascan effort -o effort.svg parascan.prof
  parascan effort --done image.c:120 --exclude main.c:40:main parascan.prof
  parascan effort --team 3 parascan.prof          three regions for three people
  parascan effort --min-speedup 0 --format csv parascan.prof

Lines of code are counted in the source files, without blank lines and comments,
where the compiler found them; a region whose source is not there counts all
lines from first to last. A region is named by its id, as `parascan regions`
prints it, or by file:line. docs/effort.md says how the steps are chosen.";

/// Arguments of `effort`.
#[derive(Debug, Args)]
pub struct EffortArgs {
    /// Profiles written by `parascan record`; - is standard input
    #[arg(default_value = DEFAULT_PROFILE, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub profiles: Vec<PathBuf>,
    /// Draw the chart into this file instead of printing it; its name ends in .svg or .png
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "format")]
    pub output: Option<PathBuf>,
    /// Never parallelize this region (repeatable)
    #[arg(long, value_name = "REGION")]
    pub exclude: Vec<String>,
    /// Count this region as parallelized already (repeatable)
    #[arg(long, value_name = "REGION")]
    pub done: Vec<String>,
    /// Only the next N regions of which none runs inside another
    #[arg(long, value_name = "N")]
    pub team: Option<u32>,
    /// Total parallelism below which a region is serial and left alone
    #[arg(long, value_name = "P", default_value_t = parascan_analysis::effort::SERIAL_BELOW)]
    pub serial: f64,
    /// Let total parallelism alone decide what can be a step, as in the p-ray paper, and not the plan's classes and
    /// costs
    #[arg(long)]
    pub paper: bool,
    /// End the chart when all regions left together bring no more than this, in per cent
    #[arg(long, value_name = "PERCENT", default_value_t = parascan_analysis::effort::MIN_SPEEDUP)]
    pub min_speedup: f64,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}
