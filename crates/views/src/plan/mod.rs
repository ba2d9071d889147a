//! The plan: text, JSON and CSV, and how much it spares its reader.

mod csv;
mod json;
mod stats;
mod text;
pub(crate) mod words;

pub use csv::plan_csv;
pub use json::plan_json;
pub use stats::{stats_csv, stats_json, stats_text};
pub use text::plan_text;
