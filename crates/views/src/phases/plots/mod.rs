//! The paper's plots as SVG: overheads over time (`overheads.rs`), time or count of a construct over time
//! (`over_time.rs`), heatmap of rates (`heat.rs`).
//!
//! `timeline.rs` is the axis of time that the first two have, and what is marked on it; `spans.rs` says which parts of
//! the run share a column.

mod heat;
mod over_time;
mod overheads;
mod spans;
mod timeline;

use parascan_analysis::phases::Phases;
use parascan_analysis::phases::thread_times::ThreadCombination;

use super::dark;
use crate::shared::style::escaped;
use crate::shared::svg::{DarkRule, SvgDocument};
pub(super) use heat::heat;
pub(super) use over_time::over_time;
pub(super) use overheads::overheads;

const WIDTH: f64 = 920.0;
/// Most columns of a plot with one element each; with more phases, neighbours share one.
const COLUMNS: usize = 400;

/// What the drawings look like; shared with the page.
pub(super) const STYLE: &str = "\
.plot{font:12px sans-serif}.plot text{fill:#1f2328}.plot .axis{stroke:#6e7781;fill:none}.plot .grid{stroke:#d0d7de}\
.plot .end{text-anchor:end}.plot .mid{text-anchor:middle}\
.plot .title{font-size:14px;font-weight:600}.plot .c0{fill:#cf222e}.plot .c1{fill:#e8a317}.plot .c2{fill:#1a7f8e}.plot .c3{fill:#6f42c1}\
.plot .band{fill:#b6d4fb}.plot .line{fill:none;stroke:#0550ae;stroke-width:1.6}.plot .hit{fill:#000;fill-opacity:0}\
.plot .hit:hover{fill-opacity:.12}.plot .odd{fill:#1f2328}\
.plot .around{fill:#6e7781;fill-opacity:.1}.plot .aside{fill:#57606a}";

/// What changes on a dark ground: each rule stands for itself, so that the page can put its own condition in front.
pub(super) const DARK: &[&str] = &[
    ".plot text,.plot .aside{fill:#e6edf3}",
    ".plot .axis{stroke:#8b949e}",
    ".plot .grid{stroke:#30363d}",
    ".plot .c0{fill:#f85149}",
    ".plot .c2{fill:#39c5cf}",
    ".plot .c3{fill:#bc8cff}",
    ".plot .band{fill:#1f4475}",
    ".plot .line{stroke:#79b8ff}",
    ".plot .hit{fill:#fff}",
    ".plot .odd{fill:#e6edf3}",
];

/// What a plot of a node shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Time with everything inside, of its threads.
    Time(ThreadCombination),
    /// Executions, of all threads together.
    Count,
    /// What a counter, by its index, counted with everything inside, of its threads.
    Counter(usize),
}

/// Whose rates a heatmap shows, and of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeatmapSubject {
    /// The node, with everything inside; None is the whole run, threads outside of all regions included.
    pub node: Option<usize>,
    /// The counter, by its index; None is loop iterations handed out.
    pub counter: Option<usize>,
}

/// The four classes over time, stacked, in per cent of the time of all threads: in a node and everything inside (0: the
/// whole program).
pub fn overheads_svg(result: &Phases, node: usize) -> String {
    document(&overheads(result, node))
}

/// Time (mean of the threads that were there, within a band from least to most) or executions of a node in each phase,
/// and around them.
pub fn node_svg(result: &Phases, node: usize, measure: Measure) -> String {
    document(&over_time(result, node, measure))
}

/// Rates of a counter: phases from left to right, threads from top to bottom. Those of a node are per second that the
/// thread was in it. Without a counter, or where the recording does not have it, loop iterations handed out per second.
pub fn heat_svg(result: &Phases, what: HeatmapSubject) -> String {
    document(&heat(result, what))
}

/// A drawing without the frame of a document.
pub(super) struct Plot {
    height: f64,
    pub(super) title: String,
    body: String,
}

impl Plot {
    /// For the page.
    pub(super) fn inline(&self) -> String {
        format!(
            "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {:.0}\" role=\"img\" aria-label=\"{}\">{}</svg>",
            self.height,
            escaped(&self.title),
            self.body
        )
    }
}

fn document(plot: &Plot) -> String {
    let open = SvgDocument {
        width: WIDTH,
        height: plot.height,
        title: &escaped(&plot.title),
        description: "",
        style: &format!("{STYLE}{}", dark::file(DARK)),
        rules: &[DarkRule(".paper", "fill", dark::GROUND)],
    }
    .open();
    format!("{open}<g class=\"plot\">{}</g>\n</svg>\n", plot.body)
}
