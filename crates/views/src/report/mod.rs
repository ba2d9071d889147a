//! The HTML report: one file with everything in it, readable without a server or a network.
//!
//! `data.rs` and `chart.rs` say what the page is told, as JSON in a script block; `words.rs` writes the summary;
//! `source.rs` cuts source files to what is shown. `page.html` and `script/` are the page (with `shared/html`);
//! the script shows every name with `textContent` only, so that no name can become markup.

mod chart;
mod columns;
mod data;
mod flame;
mod source;
mod words;

use std::fmt::Write;

use minijinja::context;
use parascan_analysis::chart::Chart;
use parascan_analysis::compare::Comparison;
use parascan_analysis::effort::EffortChart;
use parascan_analysis::plan::Plan;
use parascan_analysis::proof::Proof;
use parascan_analysis::regions::Regions;
use parascan_analysis::types::RegionTypes;

use crate::shared::html::{self, BASE_SCRIPT, HtmlPage, STYLE, SVG_SCRIPT, THEME_SCRIPT};
use crate::shared::svg::colors::{DEPTH, PARALLELISM, STEPS};

pub use source::Source;

const PAGE: &str = include_str!("page.html");
/// One script in pieces, in this order; they share their names.
const SCRIPT: &[&str] = &[
    BASE_SCRIPT,
    THEME_SCRIPT,
    include_str!("script/some.js"),
    include_str!("script/excerpt.js"),
    include_str!("script/proof.js"),
    include_str!("script/summary.js"),
    include_str!("script/plan.js"),
    SVG_SCRIPT,
    include_str!("script/curve.js"),
    include_str!("script/flame.js"),
    include_str!("script/labels.js"),
    include_str!("script/pchart.js"),
    include_str!("script/effort.js"),
    include_str!("script/types.js"),
    include_str!("script/table.js"),
    include_str!("script/source.js"),
    include_str!("script/details.js"),
    include_str!("script/provenance.js"),
    include_str!("script/start.js"),
];

/// What a report shows. All results are of the same profiles.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// What to parallelize, for the machine that the report is for.
    pub plan: &'a Plan,
    /// All regions that ran, without iterations.
    pub regions: &'a Regions,
    /// The p-chart of each profile.
    pub charts: &'a [Chart],
    /// The parallelization effort chart.
    pub effort: &'a EffortChart,
    /// The parallelism-type scan.
    pub types: &'a RegionTypes,
    /// What runs of the plan showed, if it was proven.
    pub proof: Option<&'a Proof>,
    /// What differs from another profile, if one was given.
    pub comparison: Option<&'a Comparison>,
    /// Source files; a file that regions name and that is not here counts as left out.
    pub sources: &'a [Source],
}

/// The report as an HTML document.
pub fn report_html(report: &Report) -> String {
    HtmlPage {
        template: PAGE,
        title: "parascan report",
        style: &style(),
        script: SCRIPT,
    }
    .filled(context!(data => html::data(&data::page(report))))
}

/// The page's style, with the colours that its charts share with the drawings.
fn style() -> String {
    let (mut light, mut dark) = (String::new(), String::new());
    for step in 0..STEPS {
        for (name, color) in [
            ("d", DEPTH.color(step)),
            ("p", PARALLELISM.color(step)),
            ("i", PARALLELISM.ink(step)),
        ] {
            let _ = write!(light, "--{name}{step}:{};", color.light);
            let _ = write!(dark, "--{name}{step}:{};", color.dark);
        }
    }
    format!(":root{{{light}}}@media screen{{:root[data-theme=\"dark\"]{{{dark}}}}}\n{STYLE}")
}
