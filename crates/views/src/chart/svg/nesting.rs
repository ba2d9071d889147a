//! The nesting view: the boxes of the p-chart as rows by depth, as wide as their work, in the colour of their
//! parallelism.

use std::collections::BTreeSet;
use std::fmt::Write;

use parascan_analysis::chart::ChartBox;

use super::plot::{Plot, key};
use super::{LEFT, RIGHT, SIZE};
use crate::chart::{axis, kind, lines, times};
use crate::shared::names;
use crate::shared::style::escaped;
use crate::shared::svg::colors::{meaning, step_of};
use crate::shared::svg::{FontFace, fitting_name, text_width};

/// Height of a row.
const ROW: f64 = 19.0;
/// Most rows; recursion may be deeper.
const MOST: u32 = 48;
/// Room beside a text in its box.
const BESIDE: f64 = 4.0;
/// From the line of the heading to the first row.
const HEAD: f64 = 12.0;

/// The view, with the texts that found room.
#[derive(Debug)]
pub(super) struct Nesting<'a> {
    plot: &'a Plot<'a>,
    rows: u32,
    levels: u32,
    /// Regions whose letter stands in a box.
    pub(super) regions: BTreeSet<u32>,
}

impl<'a> Nesting<'a> {
    pub(super) fn new(plot: &'a Plot<'a>) -> Self {
        let levels = plot.chart.boxes.iter().map(|one| one.level + 1).max();
        let levels = levels.unwrap_or(0);
        let mut nesting = Self {
            plot,
            rows: levels.min(MOST),
            levels,
            regions: BTreeSet::new(),
        };
        let lettered = nesting.boxes().filter(|one| nesting.text(one).is_some());
        nesting.regions = lettered.map(|one| one.region).collect();
        nesting
    }

    /// Height with the heading.
    pub(super) fn height(&self) -> f64 {
        HEAD + ROW * f64::from(self.rows)
    }

    /// What is not shown.
    pub(super) fn note(&self) -> Option<String> {
        (self.rows < self.levels).then(|| {
            format!(
                "The nesting view shows the {} outermost of {} depths.",
                self.rows, self.levels
            )
        })
    }

    fn boxes(&self) -> impl Iterator<Item = &'a ChartBox> + use<'a> {
        let rows = self.rows;
        let boxes = self.plot.chart.boxes.iter();
        boxes.filter(move |one| one.level < rows)
    }

    /// Letter and name, or the letter alone, where it fits.
    fn text(&self, one: &ChartBox) -> Option<String> {
        let chart = self.plot.chart;
        let (x, end) = self.plot.span(one);
        let room = end - x - 2.0 * BESIDE;
        let letter = format!("{}{}", chart.letter(one.region), times(one));
        let fixed = &chart.model.regions[one.region as usize].fixed;
        let name = match kind(chart, one.region) {
            "loop" => format!("loop {}", lines(chart, one.region)),
            _ => names::short(&fixed.function),
        };
        let left = room - text_width(&format!("{letter} "), SIZE, FontFace::Regular);
        let fits = |text: &str| text_width(text, SIZE, FontFace::Regular) <= room;
        match fitting_name(&name, SIZE, FontFace::Regular, left) {
            Some(name) if !name.is_empty() => Some(format!("{letter} {name}")),
            _ if fits(&letter) => Some(letter),
            _ => Some(chart.letter(one.region).to_owned()).filter(|letter| fits(letter)),
        }
    }

    /// The step of a box's parallelism; none where it was not measured.
    fn step(&self, one: &ChartBox) -> Option<usize> {
        one.height(&self.plot.chart.options).map(step_of)
    }

    /// Draws it below a line.
    pub(super) fn draw(&self, y: f64, out: &mut String) {
        let mut steps: Vec<Option<usize>> = self.boxes().map(|one| self.step(one)).collect();
        steps.sort_unstable();
        steps.dedup();
        // What is not known stands last.
        steps.sort_by_key(|step| step.is_none());
        let entries = steps.into_iter().map(|step| match step {
            Some(step) => (format!("p{step}"), meaning(step)),
            None => ("x u".to_owned(), "not measured".to_owned()),
        });
        let title = format!(
            "Nesting: rows by depth, colours by {}",
            axis(self.plot.chart)
        );
        key(&title, y, entries, out);
        for one in self.boxes() {
            let (x, end) = self.plot.span(one);
            let width = (end - x).max(0.5);
            let top = y + HEAD + ROW * f64::from(one.level);
            let (fill, ink) = match self.step(one) {
                Some(step) => (format!("p{step}"), format!("i i{step}")),
                None => ("x u".to_owned(), "i".to_owned()),
            };
            let outline = if width < 3.0 { "" } else { " b" };
            let _ = writeln!(
                out,
                "<rect class=\"{fill}{outline}\" x=\"{x:.1}\" y=\"{top}\" width=\"{width:.1}\" height=\"{ROW}\"><title>{}</title></rect>",
                escaped(&self.plot.describe(one))
            );
            if let Some(text) = self.text(one) {
                let _ = writeln!(
                    out,
                    "<text class=\"{ink}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                    x + BESIDE,
                    top + 13.5,
                    escaped(&text)
                );
            }
        }
        let _ = writeln!(
            out,
            "<path class=\"axis\" d=\"M{LEFT} {:.1}H{RIGHT}\"/>",
            y + self.height()
        );
    }
}
