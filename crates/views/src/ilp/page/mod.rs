//! The HTML page of `parascan ilp`: one file with everything in it, readable without a server or a network.
//!
//! Tables, the zoomable profile and the histograms of stretches are made by the script from JSON, and show every name
//! with `textContent` only; the other drawings are SVG made here, in which names are escaped. Style and the scripts
//! that pages have in common are those of `shared/html`.

mod data;
mod iterations;
mod packed;

use std::fmt::Write;

use minijinja::context;

use super::text::asked_of_values;
use super::{Report, graph, plot};
use crate::shared::html::{self, BASE_SCRIPT, HtmlPage, STYLE, SVG_SCRIPT, THEME_SCRIPT, markup};
use crate::shared::style::{Style, escaped, safe};

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
pub fn html(report: &Report) -> String {
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
        models => markup(figures(report, &["window", "rename"])),
        values => markup(figures(report, &["lifetimes", "sharing", "storage"])),
        asked => markup(asked(report)),
        stretches => markup(stretches(report)),
        data => html::data(&data::page(report)),
    ))
}

/// Plots in frames that can be zoomed.
fn figures(report: &Report, names: &[&str]) -> String {
    let all = plot::figures(report);
    let chosen = all.iter().filter(|(name, _)| names.contains(name));
    chosen
        .map(|(name, figure)| zoomable(name, &figure.inline()))
        .collect()
}

fn zoomable(class: &str, svg: &str) -> String {
    format!(
        "<div class=\"zoom {class}\" tabindex=\"0\" role=\"group\" aria-label=\"Drawing that can be zoomed\">{svg}</div>\n"
    )
}

/// Rows of flows of values.
const FLOWS: usize = 1000;

/// Resources and flows of values, where they were asked for, as text shows them.
fn asked(report: &Report) -> String {
    let mut out = String::new();
    let Some(shown) = report.shown() else {
        return out;
    };
    for (title, body) in asked_of_values(report, shown, FLOWS, &Style::default()) {
        if !body.is_empty() {
            let (title, body) = (escaped(&title), escaped(&body));
            let _ = writeln!(
                out,
                "<section class=\"asked\"><h2>{title}</h2>\n<pre class=\"scroll tall auto\" tabindex=\"0\" role=\"group\" aria-label=\"{title}\">{body}</pre></section>"
            );
        }
    }
    out
}

/// A section for each stretch; the script adds its histogram and the tables of its chains.
fn stretches(report: &Report) -> String {
    let mut out = String::new();
    let drawn = iterations::drawn(&report.stretches, iterations::ROOM);
    for (number, (stretch, iterations)) in report.stretches.iter().zip(drawn).enumerate() {
        let title = escaped(&safe(&stretch.title));
        let _ = writeln!(
            out,
            "<section id=\"stretch-{number}\" class=\"stretch\" aria-labelledby=\"stretch-title-{number}\"><h2 id=\"stretch-title-{number}\">{title}</h2>\n<p class=\"facts\"></p>"
        );
        if stretch.histogram.is_some() {
            out += "<div class=\"steps\"></div>\n";
        }
        out += "<div class=\"chains\"></div>\n";
        if let Some(graph) = &stretch.graph {
            if !iterations.is_empty() {
                out += "<div class=\"loops\"></div>\n";
            }
            out += &zoomable("graph", &graph::figure(stretch, graph, true).inline());
            out += &iterations;
        }
        if let Some(opened) = &stretch.opened {
            let drawing = graph::figure(stretch, &opened.graph, true).inline();
            let _ = writeln!(
                out,
                "<details class=\"opened\" open><summary>The graph with {} opened</summary>\n{}</details>",
                escaped(&safe(&opened.title)),
                zoomable("graph", &drawing)
            );
        }
        out += "</section>\n";
    }
    out
}
