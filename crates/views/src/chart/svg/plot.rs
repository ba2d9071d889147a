//! The p-chart's axes and boxes.

use std::collections::BTreeMap;
use std::fmt::Write;

use parascan_analysis::chart::{Chart, ChartBox};

use super::{LEFT, RIGHT, SIZE};
use crate::chart::{axis, kind, known, share, top_power};
use crate::shared::style::{escaped, grouped, percent, safe};
use crate::shared::svg::colors::STEPS;
use crate::shared::svg::{Area, Axes, Axis, FontFace, Labels, Scale, text_width};

/// Highest and lowest line of the plot.
pub(super) const HIGH: f64 = 86.0;
pub(super) const LOW: f64 = 458.0;
/// Where the labels of the horizontal axis end.
pub(super) const LOWEST: f64 = LOW + 54.0;
/// A box is at least so high, so that serial ones are seen.
const FLATTEST: f64 = 3.0;
/// Narrower boxes have no outline: there would be nothing else.
const OUTLINED: f64 = 3.0;
/// Baseline of the key of depths, and the side of its squares.
const KEY: f64 = 64.0;
const SQUARE: f64 = 11.0;
/// Room on either side of a number of the axis.
const BETWEEN: f64 = 4.0;

/// Most marks of the vertical axis, but for one.
const POWERS: u32 = 16;

/// Where things are.
#[derive(Clone, Debug)]
pub(super) struct Plot<'a> {
    pub(super) chart: &'a Chart,
    /// From left to right per cent of the work, upwards parallelism.
    axes: Axes,
}

impl<'a> Plot<'a> {
    pub(super) fn new(chart: &'a Chart) -> Self {
        let x = Axis {
            most: 10,
            number: |tenth| format!("{tenth}%"),
            ..Axis::linear(100.0, "work from the start of the run, in units")
        };
        let most = f64::from(top_power(chart)).exp2();
        let label = format!("{} (log2)", axis(chart));
        let y = Axis {
            most: POWERS,
            number: power,
            ..Axis::logarithmic(1.0, most, Scale::Doublings, &label)
        };
        let area = Area {
            left: LEFT,
            top: HIGH,
            right: RIGHT,
            bottom: LOW,
        };
        let axes = Axes {
            // Work in units stands between.
            below: 49.0,
            ..Axes::new(x, y, area)
        };
        Self { chart, axes }
    }
}

/// A power of two, as such where it is long.
fn power(value: f64) -> String {
    match grouped(value as u64) {
        short if short.len() <= 7 => short,
        _ => format!("2^{}", value.log2().round()),
    }
}

impl Plot<'_> {
    /// Where a box begins and ends, from left to right.
    pub(super) fn span(&self, one: &ChartBox) -> (f64, f64) {
        let x = |work| self.axes.x(100.0 * share(self.chart, work));
        (x(one.start), x(one.start.saturating_add(one.work)))
    }

    /// The top of a box.
    pub(super) fn edge(&self, one: &ChartBox) -> f64 {
        let height = one.height(&self.chart.options).unwrap_or(1.0);
        self.axes.y(height).min(LOW - FLATTEST)
    }

    /// Which colour means which depth, of the depths that are drawn.
    pub(super) fn key(&self, out: &mut String) {
        let mut colors: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        let mut levels: Vec<u32> = self.chart.boxes.iter().map(|one| one.level).collect();
        levels.sort_unstable();
        levels.dedup();
        for level in levels {
            colors
                .entry(level as usize % STEPS)
                .or_default()
                .push(level);
        }
        let entries = colors.into_iter().map(|(step, levels)| {
            let text = match levels[..] {
                [one] => one.to_string(),
                [first, second] => format!("{first}, {second}"),
                // They begin anew after each round.
                [first, .., last] => format!("{first}, {}, … {last}", levels[1]),
                [] => String::new(),
            };
            (format!("d{step}"), text)
        });
        key("Depth", KEY, entries, out);
    }

    pub(super) fn axes(&self, out: &mut String) {
        self.axes.draw_y(out);
        self.axes.draw_x(out);
        self.units(out);
    }

    /// Work at every fifth of the axis; of large numbers those that have room, both ends first.
    fn units(&self, out: &mut String) {
        let line = LOW + 33.0;
        let mut row = Labels::new(Area {
            left: LEFT - 2.0 * BETWEEN,
            top: line - SIZE,
            right: RIGHT + BETWEEN,
            bottom: line + SIZE,
        });
        for tenth in [10, 0, 2, 4, 6, 8] {
            let units = (u128::from(self.chart.model.work) * tenth / 10) as u64;
            let text = grouped(units);
            let x = LEFT + tenth as f64 / 10.0 * (RIGHT - LEFT);
            let width = text_width(&text, SIZE, FontFace::Regular);
            let (left, class) = match tenth {
                10 => (x - width, "end"),
                _ => (x - width / 2.0, "mid"),
            };
            let area = Area {
                left: left - BETWEEN,
                top: line - SIZE,
                right: left + width + BETWEEN,
                bottom: line,
            };
            if row.take(area) {
                let _ = writeln!(
                    out,
                    "<text class=\"n {class}\" x=\"{x:.1}\" y=\"{line}\">{text}</text>"
                );
            }
        }
    }

    /// Boxes, opaque. The lowest are in front, so that the top of each is seen, whatever is inside or around it; of two
    /// of the same height the one inside.
    pub(super) fn boxes(&self, out: &mut String) {
        let chart = self.chart;
        let mut order: Vec<&ChartBox> = chart.boxes.iter().collect();
        order.sort_by(|a, b| {
            let by_height = self.edge(a).total_cmp(&self.edge(b));
            by_height.then(a.level.cmp(&b.level))
        });
        for one in order {
            let (x, end) = self.span(one);
            let width = (end - x).max(0.5);
            let y = self.edge(one);
            let color = one.level as usize % STEPS;
            let outline = if width < OUTLINED { "" } else { " b" };
            let unknown = match one.height(&chart.options) {
                Some(_) => "",
                None => " u",
            };
            let _ = writeln!(
                out,
                "<rect class=\"d{color}{outline}{unknown}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{:.1}\"><title>{}</title></rect>",
                LOW - y,
                escaped(&self.describe(one)),
            );
        }
    }

    /// What to say of a box on pointing at it.
    pub(super) fn describe(&self, one: &ChartBox) -> String {
        let chart = self.chart;
        let region = &chart.model.regions[one.region as usize];
        let end = share(chart, one.start.saturating_add(one.work));
        let mut text = format!(
            "{} {}: {} of {}, depth {}\nwork {} ({}), from {} to {}\ntotal parallelism {}, self-parallelism {}",
            chart.letter(one.region),
            safe(&region.id),
            kind(chart, one.region),
            safe(&region.fixed.function),
            one.level,
            grouped(one.work),
            percent(share(chart, one.work)),
            percent(share(chart, one.start)),
            percent(end),
            known(one.total_parallelism),
            known(one.self_parallelism),
        );
        if one.instances > 1 {
            let _ = write!(text, "\n{} instances in a row", grouped(one.instances));
            if let Some((low, high)) = one.spread.filter(|(low, high)| low < high) {
                let _ = write!(
                    text,
                    ", total parallelism {} to {}",
                    known(Some(low)),
                    known(Some(high))
                );
            }
        }
        text
    }
}

/// A line that says which colour (a class) means what.
pub(super) fn key(
    title: &str,
    y: f64,
    entries: impl Iterator<Item = (String, String)>,
    out: &mut String,
) {
    let _ = write!(
        out,
        "<text class=\"h\" x=\"{LEFT}\" y=\"{y}\">{title}</text>"
    );
    let mut x = LEFT + text_width(title, SIZE, FontFace::Bold) + 14.0;
    for (class, text) in entries {
        let _ = write!(
            out,
            "<rect class=\"key {class} b\" x=\"{x:.1}\" y=\"{:.1}\" width=\"{SQUARE}\" height=\"{SQUARE}\"/><text class=\"n\" x=\"{:.1}\" y=\"{y}\">{text}</text>",
            y - 10.0,
            x + SQUARE + 5.0
        );
        x += SQUARE + 5.0 + text_width(&text, SIZE, FontFace::Regular) + 14.0;
    }
    out.push('\n');
}
