//! The p-chart as one SVG document: no script, no font, nothing from outside; readable in light and dark. Above the
//! chart, on the same axis of work below it the nesting view, then the table of letters.

mod legend;
mod letters;
mod nesting;
mod plot;

use std::fmt::Write;

use parascan_analysis::chart::Chart;

use super::{axis, left_out};
use crate::shared::header::{mark, totals};
use crate::shared::style::{escaped, safe, wrap};
use crate::shared::svg::colors::{DEPTH, PARALLELISM, STEPS};
use crate::shared::svg::{
    AXES_RULES, AXES_STYLE, DarkRule, FontFace, INK, PAPER, QUIET, SvgDocument, fitting,
};
use plot::Plot;

const WIDTH: f64 = 1120.0;
/// Around the plot on both sides.
const LEFT: f64 = 84.0;
const RIGHT: f64 = WIDTH - 24.0;
/// Height of a row of text below the drawings.
const ROW: f64 = 19.0;
/// Size of texts.
const SIZE: f64 = 12.0;
/// Characters of a note that surely fit into a line.
const NOTE: usize = 120;

/// The chart as an SVG document.
pub fn chart_svg(chart: &Chart) -> String {
    let plot = Plot::new(chart);
    let letters = letters::place(&plot);
    let nesting = nesting::Nesting::new(&plot);
    let drawn =
        |region: u32| letters.regions.contains(&region) || nesting.regions.contains(&region);
    let (heading, nested) = (plot::LOWEST + 24.0, nesting.height());
    let legend = legend::Legend::new(chart, &drawn);
    let table = heading + nested + 34.0;
    let mut notes = left_out(chart);
    notes.extend(legend.note());
    notes.extend(nesting.note());
    let notes: Vec<String> = notes
        .iter()
        .flat_map(|note| wrap(note, NOTE, "", ""))
        .collect();
    let below = table + legend.height() + 8.0;
    let program = fitting(&safe(chart.model.program()), 16.0, FontFace::Bold, 700.0);
    let program = escaped(&program.unwrap_or_default());
    let summary = format!(
        "{} Height of a box: {}.",
        totals(
            chart.model.work,
            chart.model.critical_path,
            &chart.model.inputs
        ),
        axis(chart)
    );
    let summary = fitting(&summary, SIZE, FontFace::Regular, RIGHT - LEFT).unwrap_or_default();
    let (style, own) = style();
    let own = own.iter();
    let own = own.map(|(selector, property, color)| DarkRule(selector, property, *color));
    let rules: Vec<DarkRule> = AXES_RULES.into_iter().chain(own).collect();
    let mut out = SvgDocument {
        width: WIDTH,
        height: below + ROW * notes.len() as f64 + 4.0,
        title: &format!("p-chart of {program}"),
        description: &format!(
            "{} boxes: work from left to right, {} upwards, by powers of two. Below, the same boxes by depth. The table names the regions.",
            chart.boxes.len(),
            axis(chart)
        ),
        style: &format!("{style}{AXES_STYLE}"),
        rules: &rules,
    }
    .open();
    let _ = writeln!(
        out,
        "<text class=\"t\" x=\"{LEFT}\" y=\"24\">p-chart of {program}{}</text>\n<text class=\"n\" x=\"{LEFT}\" y=\"43\">{}</text>",
        mark(&chart.model.inputs),
        escaped(&summary)
    );
    plot.key(&mut out);
    plot.axes(&mut out);
    plot.boxes(&mut out);
    letters.draw(&mut out);
    nesting.draw(heading, &mut out);
    legend.draw(table, &mut out);
    for (number, note) in notes.iter().enumerate() {
        let _ = writeln!(
            out,
            "<text class=\"n\" x=\"{LEFT}\" y=\"{}\">{}</text>",
            below + ROW * number as f64,
            escaped(note)
        );
    }
    out + "</svg>\n"
}

/// Rules that hold always, and those that differ in the dark.
fn style() -> (
    &'static str,
    Vec<(String, &'static str, crate::shared::svg::Color)>,
) {
    const FIXED: &str = "text{font:12px 'DejaVu Sans',sans-serif}.t{font-size:16px;font-weight:bold}.h{font-weight:bold}\
        .l{font-weight:bold;text-anchor:middle;paint-order:stroke;stroke-width:3px;stroke-linejoin:round}\
        .b{stroke-width:.7}.u{stroke-dasharray:4 3}.i{pointer-events:none}";
    let named = |name: &str| name.to_owned();
    let mut rules = vec![
        (named("text"), "fill", INK),
        (named(".paper"), "fill", PAPER),
        (named(".n"), "fill", QUIET),
        (named(".l"), "stroke", PAPER),
        (named(".b"), "stroke", QUIET),
        (named(".x"), "fill", PAPER),
    ];
    for step in 0..STEPS {
        rules.push((format!(".d{step}"), "fill", DEPTH.color(step)));
        rules.push((format!(".p{step}"), "fill", PARALLELISM.color(step)));
        rules.push((format!(".i{step}"), "fill", PARALLELISM.ink(step)));
    }
    (FIXED, rules)
}
