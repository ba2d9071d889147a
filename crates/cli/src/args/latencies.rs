//! The options of `parascan latencies`.

use std::path::PathBuf;

use clap::Args;

use super::TableFormat;

pub(super) const HELP: &str = "\
Examples:
  parascan latencies
  parascan latencies --latency kremlin
  parascan latencies --format toml > mine.toml
  parascan cc --latency mine.toml -O2 a.c

Work and critical paths are sums of these latencies. They are built into a program by the compiler
drivers: choose another table with --latency (parascan cc) or PARASCAN_LATENCY.";

/// Arguments of `latencies`.
#[derive(Debug, Args)]
pub struct LatenciesArgs {
    /// x86, kremlin, unit, or a TOML file
    #[arg(long, value_name = "TABLE", default_value = "x86")]
    pub latency: PathBuf,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: TableFormat,
}
