//! The HTML page of `parascan ilp`: one file with everything in it, readable without a server or a network.
//!
//! Tables, the zoomable profile and the histograms of stretches are made by the script from JSON (`data.rs`), and show
//! every name with `textContent` only; the template `page.html` has the rest: text, and drawings in SVG, in which names
//! are escaped (`stretches.rs` says which of stretches). Style and the scripts that pages have in common are those of
//! `shared/html`.

mod data;
mod iterations;
mod packed;
mod stretches;

use minijinja::context;
use minijinja::value::Value;
use serde::Serialize;

use super::text::asked_of_values;
use super::{IlpReport, plot};
use crate::shared::html::{self, BASE_SCRIPT, HtmlPage, STYLE, SVG_SCRIPT, THEME_SCRIPT, markup};
use crate::shared::style::Style;

const PAGE: &str = include_str!("page.html");
const OWN_STYLE: &str = include_str!("page.css");
/// One script in pieces, in this order; they share their names.
const SCRIPT: &[&str] = &[
    BASE_SCRIPT,
    THEME_SCRIPT,
    SVG_SCRIPT,
    include_str!("tables.js"),
    include_str!("profile.js"),
    include_str!("steps.js"),
    include_str!("zoom.js"),
    include_str!("iterations.js"),
    include_str!("chains.js"),
];

/// The results as an HTML document.
pub fn html(report: &IlpReport) -> String {
    let style = format!(
        "{STYLE}\n{OWN_STYLE}\n{}\n@media screen{{{}}}",
        plot::light_style(),
        plot::dark_rules(":root[data-theme=\"dark\"] ")
    );
    HtmlPage {
        template: PAGE,
        title: "parascan ilp",
        style: &style,
        script: SCRIPT,
    }
    .filled(context!(
        models => plots(report, &["window", "rename"]),
        values => plots(report, &["lifetimes", "sharing", "storage"]),
        asked => asked(report),
        stretches => stretches::stretches(report),
        data => html::data(&data::page(report)),
    ))
}

/// A plot that can be zoomed.
#[derive(Debug, Serialize)]
struct PlotData {
    name: &'static str,
    svg: Value,
}

/// Those of these plots that there are.
fn plots(report: &IlpReport, names: &[&str]) -> Vec<PlotData> {
    let all = plot::figures(report).into_iter();
    let chosen = all.filter(|(name, _)| names.contains(name));
    let data = |(name, figure): (&'static str, plot::Figure)| PlotData {
        name,
        svg: markup(figure.inline()),
    };
    chosen.map(data).collect()
}

/// Rows of flows of values.
const FLOWS: usize = 1000;

/// A section of text.
#[derive(Debug, Serialize)]
struct Asked {
    title: String,
    text: String,
}

/// Resources and flows of values, where they were asked for, as text shows them.
fn asked(report: &IlpReport) -> Vec<Asked> {
    let Some(shown) = report.shown() else {
        return Vec::new();
    };
    let sections = asked_of_values(report, shown, FLOWS, &Style::default());
    let known = sections.into_iter().filter(|(_, text)| !text.is_empty());
    known.map(|(title, text)| Asked { title, text }).collect()
}
