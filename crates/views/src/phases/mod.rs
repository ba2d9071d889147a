//! Control flow, phases and overheads of OpenMP runs: text, JSON, CSV, graphs, plots, and one page with all of it.
//!
//! `words/` has names and numbers as all forms write them, `conclusions.rs` sentences on what is lost, `figures.rs`
//! what JSON and CSV have in common; `call_tree.rs` is the tree of regions in text, `regions.rs` its figures,
//! `region_counters.rs` what counters counted there; `ranks.rs` is several processes side by side. `graph.rs` is what
//! of a control-flow graph is drawn, `layout.rs` places its boxes, `flow_svg/` and `dot.rs` draw it; `plots/` are
//! drawings over time, `dark.rs` is how drawings get dark.

mod busy;
mod call_tree;
mod conclusions;
mod csv;
mod dark;
mod dot;
mod figures;
mod flow_svg;
mod graph;
mod json;
mod layout;
mod page;
mod plots;
mod ranks;
mod region_counters;
mod regions;
mod text;
mod words;

pub use csv::phases_csv;
pub use dot::flow_dot;
pub use flow_svg::flow_svg;
pub use graph::Extent;
pub use json::phases_json;
pub use page::phases_html;
pub use plots::{HeatmapSubject, Measure, heat_svg, node_svg, overheads_svg};
pub use ranks::{ranks_csv, ranks_json, ranks_text};
pub use region_counters::phase_regions_csv;
pub use text::{omp_text, phases_text};
