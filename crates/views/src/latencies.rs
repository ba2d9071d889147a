//! Latency tables as text, JSON, CSV and TOML.

use parascan_formats::latency::LatencyTable;

use crate::shared::style::{Style, TextTone, safe};
use crate::shared::table;

/// What an operation class holds.
fn meaning(class: &str) -> &'static str {
    match class {
        "int_add" => "integer add, subtract, negate, abs, min, max",
        "int_logic" => "integer and, or, xor, shifts, rotates, byte swap, bit counts",
        "int_compare" => "integer compare",
        "int_mul" => "integer multiply",
        "int_div" => "integer divide and remainder",
        "fp_add" => "floating-point add, subtract, negate, abs, min, max, round",
        "fp_compare" => "floating-point compare",
        "fp_mul" => "floating-point multiply",
        "fp_fma" => "fused multiply-add",
        "fp_div" => "floating-point divide and remainder",
        "fp_sqrt" => "square root",
        "fp_convert" => "conversion from, to or between floating-point formats",
        "load" => "load of any width",
        "store" => "store of any width",
        "atomic" => "atomic read-modify-write and compare-exchange",
        "select" => "select (conditional move)",
        "math" => "an elementary function of the mathematical library",
        "external" => "any other call into code that was not instrumented",
        _ => "",
    }
}

/// The table as text.
pub fn latencies_text(latencies: &LatencyTable, style: &Style) -> String {
    let title = format!("Latency table {}", safe(&latencies.name));
    let mut out = style.paragraph(Some(TextTone::Heading), "", "", &title);
    out += &style.paragraph(None, "  ", "  ", &safe(latencies.source.trim()));
    out.push('\n');
    let columns = [
        table::name("Operation", usize::MAX),
        table::number("Units"),
        table::name("Meaning", 20).goes(1),
    ];
    out += &table::layout(&columns, rows(latencies), style);
    out
}

/// The table as JSON: `name`, `source` and one number per operation class.
pub fn latencies_json(latencies: &LatencyTable) -> String {
    crate::shared::json::to_string(latencies)
}

/// The table as CSV: columns `operation`, `units`, `meaning`.
pub fn latencies_csv(latencies: &LatencyTable) -> String {
    crate::shared::csv::document(
        ["operation", "units", "meaning"].into_iter(),
        rows(latencies).into_iter(),
    )
}

/// A row for each operation class: its name, its units, what it holds.
fn rows(latencies: &LatencyTable) -> Vec<Vec<String>> {
    let row = |(class, units): (&str, u32)| {
        vec![
            class.to_owned(),
            units.to_string(),
            meaning(class).to_owned(),
        ]
    };
    latencies.rows().map(row).to_vec()
}

/// The table as TOML, ready to be edited and given back as `--latency FILE.toml`.
pub fn latencies_toml(latencies: &LatencyTable) -> String {
    toml::to_string(latencies).expect("plain data becomes TOML")
}
