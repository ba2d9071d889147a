//! The table of letters: those that are drawn, then those for which there was no room, in brackets.

use std::collections::BTreeSet;
use std::fmt::Write;

use parascan_analysis::chart::{self, Chart};
use parascan_analysis::types::Label;

use super::{LEFT, ROW, SIZE};
use crate::chart::{known, lines, share};
use crate::shared::names;
use crate::shared::style::{count, escaped, grouped, percent, safe};
use crate::shared::svg::colors::STEPS;
use crate::shared::svg::{FontFace, fitting, fitting_name};

/// Rows up to which regions without a drawn letter are listed too.
const LISTED: usize = 40;
/// Width of a square of colour.
const SQUARE: f64 = 9.0;

/// A column: title, place, most width, whether its texts end at the place.
struct LegendColumn(&'static str, f64, f64, bool);

const COLUMNS: [LegendColumn; 8] = [
    LegendColumn("Region", LEFT + 42.0, 240.0, false),
    LegendColumn("Lines", LEFT + 292.0, 84.0, false),
    LegendColumn("Function", LEFT + 382.0, 232.0, false),
    LegendColumn("Type", LEFT + 622.0, 84.0, false),
    LegendColumn("Instances", LEFT + 784.0, 84.0, true),
    LegendColumn("Work", LEFT + 848.0, 60.0, true),
    LegendColumn("Total-par.", LEFT + 930.0, 76.0, true),
    LegendColumn("Self-par.", LEFT + 1008.0, 72.0, true),
];

/// The rows of the table.
#[derive(Debug)]
pub(super) struct Legend<'a> {
    chart: &'a Chart,
    /// With whether the letter is drawn.
    rows: Vec<(&'a chart::Legend, bool)>,
    /// Colours in which each is drawn.
    colors: Vec<BTreeSet<usize>>,
    more: usize,
}

impl<'a> Legend<'a> {
    pub(super) fn new(chart: &'a Chart, drawn: &impl Fn(u32) -> bool) -> Self {
        let all = chart.legend.iter().map(|row| (row, drawn(row.region)));
        let (mut shown, hidden): (Vec<_>, Vec<_>) = all.partition(|(_, drawn)| *drawn);
        let room = LISTED.saturating_sub(shown.len());
        let more = hidden.len().saturating_sub(room);
        shown.extend(hidden.into_iter().take(room));
        let colors = shown.iter().map(|(row, _)| {
            let of = chart.boxes.iter().filter(|one| one.region == row.region);
            of.map(|one| one.level as usize % STEPS).collect()
        });
        Self {
            chart,
            colors: colors.collect(),
            rows: shown,
            more,
        }
    }

    pub(super) fn height(&self) -> f64 {
        ROW * (self.rows.len() + 1) as f64
    }

    /// What the table does not say by itself.
    pub(super) fn note(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.rows.iter().any(|(_, drawn)| !drawn) {
            notes.push(
                "In brackets: no room for the letter; the title of the box names the region."
                    .to_owned(),
            );
        }
        if self.more > 0 {
            notes.push(format!(
                "{} without a letter in the drawings not listed; `--format json` lists all.",
                count(self.more as u64, "more region", "more regions")
            ));
        }
        notes
    }

    /// Draws it below a line.
    pub(super) fn draw(&self, y: f64, out: &mut String) {
        for LegendColumn(title, x, _, end) in COLUMNS {
            cell(title, x, y, if end { "h end" } else { "h" }, out);
        }
        out.push('\n');
        for (number, (row, drawn)) in self.rows.iter().enumerate() {
            let y = y + ROW * (number + 1) as f64;
            self.row(number, row, *drawn, y, out);
        }
    }

    fn row(&self, number: usize, row: &chart::Legend, drawn: bool, y: f64, out: &mut String) {
        let colors = &self.colors[number];
        for (place, color) in colors.iter().rev().enumerate() {
            let x = LEFT - 6.0 - (SQUARE + 1.0) * (place + 1) as f64;
            let _ = write!(
                out,
                "<rect class=\"legend d{color} b\" x=\"{x}\" y=\"{}\" width=\"{SQUARE}\" height=\"10\"/>",
                y - 9.0
            );
        }
        let (letter, class) = if drawn {
            (row.letter.to_string(), "h letter")
        } else {
            (format!("({})", row.letter), "n")
        };
        cell(&letter, LEFT, y, class, out);
        let region = &self.chart.model.regions[row.region as usize];
        let texts = [
            safe(&region.id),
            lines(self.chart, row.region),
            names::short(&region.fixed.function),
            row.label.map_or("?", Label::name).to_owned(),
            grouped(row.instances),
            percent(share(self.chart, row.work)),
            known(row.total_parallelism),
            known(row.self_parallelism),
        ];
        for (text, LegendColumn(title, x, width, end)) in texts.iter().zip(COLUMNS) {
            let fitting = match title {
                "Function" => fitting_name,
                _ => fitting,
            };
            let text = fitting(text, SIZE, FontFace::Regular, width).unwrap_or_default();
            cell(&text, x, y, if end { "end" } else { "" }, out);
        }
        out.push('\n');
    }
}

fn cell(text: &str, x: f64, y: f64, class: &str, out: &mut String) {
    let class = match class {
        "" => String::new(),
        class => format!(" class=\"{class}\""),
    };
    let _ = write!(
        out,
        "<text{class} x=\"{x}\" y=\"{y}\">{}</text>",
        escaped(text)
    );
}
