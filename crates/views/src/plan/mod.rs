//! The plan: text, and how much it spares its reader.

mod stats;
pub(crate) mod text;

pub use stats::{stats_csv, stats_json, stats_text};
pub use text::plan_text;
