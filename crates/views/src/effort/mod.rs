//! The parallelization effort chart: text, JSON, CSV and a step plot.

mod data;
mod svg;
mod text;

pub use data::{effort_csv, effort_json};
pub use svg::effort_svg;
pub use text::effort_text;
