//! Latency tables by name or file, and `parascan latencies`.

use std::ffi::OsStr;
use std::path::Path;

use parascan_formats::latency::{LatencyTable, PRESETS};

use parascan_views::{latencies_csv, latencies_json, latencies_text, latencies_toml};

use crate::args::{LatenciesArgs, TableFormat};
use crate::exit::{Failure, FailureKind, Outcome};
use crate::print;

/// The variable that hands the table to the pass, and with which a user may choose one for a whole build.
pub const ENV: &str = "PARASCAN_LATENCY";

/// Whether it names a built-in table.
pub fn is_preset(name: &OsStr) -> bool {
    PRESETS.iter().any(|preset| name == *preset)
}

/// The table of that name, or in that file.
pub fn table(name: &Path) -> Outcome<LatencyTable> {
    if let Some(table) = name.to_str().and_then(LatencyTable::preset) {
        return Ok(table);
    }
    let shown = name.display();
    let text = std::fs::read_to_string(name).map_err(|e| {
        let presets = PRESETS.join(", ");
        Failure::new(FailureKind::Config, format!("latency table {shown}: {e}; give one of {presets}, or a TOML file (`parascan latencies --format toml` prints one to start from)"))
    })?;
    LatencyTable::parse(&text).map_err(|e| {
        Failure::new(
            FailureKind::Config,
            format!("latency table {shown}: {}", e.trim_end()),
        )
    })
}

/// Runs `parascan latencies`: prints the tables of latencies.
pub fn run(raw: &LatenciesArgs) -> Outcome<()> {
    let table = table(&raw.latency)?;
    print::out(&match raw.format {
        TableFormat::Text => print::style().lay_out(|style| latencies_text(&table, style)),
        TableFormat::Json => latencies_json(&table),
        TableFormat::Csv => latencies_csv(&table),
        TableFormat::Toml => latencies_toml(&table),
    })
}
