//! The list of regions.

mod text;

pub use text::regions_text;
