//! The options of `parascan types`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{DEFAULT_PROFILE, Printing};

pub(super) const HELP: &str = "\
Examples:
  parascan types parascan.prof
  parascan types --p-dlp 16 --f-min 0.5 parascan.prof
  parascan types --format json | jq '.regions[] | {id, type, explanation}'

Labels: DLP (data level), perfect-TLP, partial-TLP, no-TLP, mixed-TLP (thread level), ILP (instruction
level). docs/types.md says how they are told apart.";

/// Arguments of `types`.
#[derive(Debug, Args)]
pub struct TypesArgs {
    /// Profiles written by `parascan record`; - is standard input
    #[arg(default_value = DEFAULT_PROFILE, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub profiles: Vec<PathBuf>,
    /// Parallelism above which a region without loops and calls inside is data parallel
    #[arg(long, value_name = "P", default_value_t = 8.0)]
    pub p_dlp: f64,
    /// Fitness above which loops and calls inside a region are thread parallel, 0 to 1
    #[arg(long, value_name = "F", default_value_t = 0.25)]
    pub f_min: f64,
    /// Relative difference up to which work, parallelism and critical paths count as equal
    #[arg(long, value_name = "PART", default_value_t = 0.05)]
    pub tolerance: f64,
    /// Share of a region's work whose instances must agree, or the region is mixed
    #[arg(long, value_name = "PART", default_value_t = 0.9)]
    pub agreement: f64,
    #[command(flatten)]
    pub printing: Printing,
}
