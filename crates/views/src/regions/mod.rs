//! The list of regions: text, JSON and CSV. Plans have the same rows.

pub(crate) mod csv;
pub(crate) mod json;
mod text;

pub use csv::regions_csv;
pub use json::regions_json;
pub use text::regions_text;
