//! One page with everything: tables and drawings that are written into it, so that it needs its script only for
//! choices and filters.
//!
//! `page.html` is the page, and the modules here say what it is told: `summary.rs` the run as a whole, `losses.rs`
//! (with `excerpt.rs`) where time is lost, `pieces.rs` phases and those unlike the others, `drawings.rs` plots to
//! choose from, `layers.rs` the control flow, `regions.rs` loops and regions; `parts.rs` is what several of them have.

mod drawings;
mod excerpt;
mod layers;
mod losses;
mod parts;
mod pieces;
mod regions;
mod summary;

use minijinja::context;
use parascan_analysis::phases::Phases;

use super::{dark, flow_svg, plots, words};
use crate::Source;
use crate::shared::html::{self, HtmlPage};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page. `sources` are files that regions with losses lie in, as far as they were looked for.
pub fn phases_html(result: &Phases, sources: &[Source]) -> String {
    let style = format!(
        "{}{}{}{STYLE}{}{}",
        html::STYLE,
        flow_svg::STYLE,
        plots::STYLE,
        dark::page(flow_svg::DARK),
        dark::page(plots::DARK)
    );
    HtmlPage {
        template: PAGE,
        title: "parascan phases",
        style: &style,
        script: &[SCRIPT, html::THEME_SCRIPT],
    }
    .filled(context!(
        program => words::program(result),
        summary => summary::summary(result),
        losses => losses::losses(result, sources),
        phases => pieces::phases(result),
        outliers => pieces::outliers(result),
        drawings => drawings::drawings(result),
        flow => layers::flow(result),
        loops => regions::loops(result),
        regions => regions::regions(result),
    ))
}
