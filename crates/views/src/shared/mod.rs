//! What products have in common, by form: text (style, tables, names of functions, what stands above results, figures
//! of regions), SVG, layered layout, JSON and CSV.

pub(crate) mod ascii;
pub(crate) mod axes;
pub(crate) mod cells;
pub(crate) mod csv;
pub(crate) mod figures;
pub(crate) mod header;
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod layout;
pub(crate) mod names;
pub(crate) mod style;
pub(crate) mod svg;
pub(crate) mod table;
