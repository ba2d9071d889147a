//! The options of `parascan calibrate`.

use clap::Args;

use super::Format;

pub(super) const HELP: &str = "\
Examples:
  parascan calibrate
  parascan calibrate --threads 8 --format json
  PARASCAN_COSTS=node.toml parascan calibrate
  PARASCAN_COSTS=node.toml parascan plan parascan.prof

Compiles a small OpenMP program with clang-22 and runs it for some seconds; nothing else should run
meanwhile. The costs are kept in PARASCAN_COSTS, or else in parascan/costs.toml of XDG_CONFIG_HOME or
~/.config, and count for plans of the personalities openmp and greedy on this machine. Without them
plans count with rounded published ones.";

/// Arguments of `calibrate`.
#[derive(Debug, Args)]
pub struct CalibrateArgs {
    /// Measure up to N threads (default: as many as there are cores)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=4096))]
    pub threads: Option<u32>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}
