//! The parallelism-type scan: text, JSON and CSV.

mod data;
mod text;

pub use data::{types_csv, types_json};
pub use text::types_text;
