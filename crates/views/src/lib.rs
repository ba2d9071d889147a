//! Results as text, JSON, CSV and HTML. Pure: from results to strings, no I/O.
//!
//! Text is for people and may change; JSON and CSV are described in `docs/json.md` and stable. Names that come from
//! programs (functions, files, commands) never reach a terminal raw: control characters are written as escapes.

mod csv;
mod header;
mod json;
mod latencies;
mod plan_text;
mod regions_text;
mod report;
mod style;
mod table;

pub use csv::{plan_csv, regions_csv};
pub use json::{plan_json, regions_json};
pub use latencies::{latencies_csv, latencies_json, latencies_text, latencies_toml};
pub use plan_text::plan_text;
pub use regions_text::regions_text;
pub use report::{Report, Source, report_html};
pub use style::Style;
