//! Results as text, charts, JSON, CSV and HTML, and in the formats of other tools. Pure: from results to strings, no
//! I/O.
//!
//! Text is for people and may change; JSON and CSV are described in `docs/json.md` and stable. Names that come from
//! programs (functions, files, commands) never reach a terminal raw: control characters are written as escapes.
//!
//! Each product has a file, or a folder with a file per form (`text.rs`, `json.rs`, `csv.rs`, `svg.rs`, ...); `export`
//! has formats of other tools, `shared` what products have in common, by form.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(feature = "ilp"),
    allow(
        dead_code,
        unused_imports,
        reason = "parts that only results of `parascan ilp` use"
    )
)]

mod apply;
mod calibration;
mod chart;
mod compare;
mod effort;
mod explain;
mod export;
#[cfg(feature = "ilp")]
pub mod ilp;
mod latencies;
mod patch;
mod phases;
mod plan;
mod proof;
mod regions;
mod report;
mod shared;
mod types;

pub use apply::{apply_json, apply_notes, apply_text};
pub use calibration::{calibration_csv, calibration_json, calibration_text};
pub use chart::{chart_csv, chart_json, chart_svg, chart_text};
pub use compare::{compare_csv, compare_json, compare_text};
pub use effort::{effort_csv, effort_json, effort_svg, effort_text};
pub use explain::{explain_csv, explain_json, explain_text};
pub use export::{firefox, flamegraph, gnu, sarif, speedscope};
pub use latencies::{latencies_csv, latencies_json, latencies_text, latencies_toml};
pub use patch::patch;
pub use phases::{
    Extent, HeatmapSubject, Measure, flow_dot, flow_svg, heat_svg, node_svg, omp_text,
    overheads_svg, phase_regions_csv, phases_csv, phases_html, phases_json, phases_text, ranks_csv,
    ranks_json, ranks_text,
};
pub use plan::{plan_csv, plan_json, plan_text, stats_csv, stats_json, stats_text};
pub use proof::{proof_csv, proof_from_json, proof_json, proof_text};
pub use regions::{regions_csv, regions_json, regions_text};
pub use report::{Report, Source, report_html};
pub use shared::header::{clocks_full, runs_vary};
pub use shared::style::Style;
#[cfg(feature = "png")]
pub use shared::svg::png;
pub use types::{types_csv, types_json, types_text};
