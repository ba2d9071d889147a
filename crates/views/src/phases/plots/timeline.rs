//! The axes of plots over time, and what is marked on them: what is no phase, and phases unlike the others.

use std::fmt::Write;

use parascan_analysis::phases::Phases;

use super::WIDTH;
use super::spans::PlotSpan;
use crate::phases::words;
use crate::shared::style::{count, escaped, percent, shorten};
use crate::shared::svg::{Area, Axes, Axis};

/// Height of a plot over time.
pub(super) const HEIGHT: f64 = 340.0;
/// The plot between the axes.
pub(super) const AREA: Area = Area {
    left: 72.0,
    top: 58.0,
    right: WIDTH - 20.0,
    bottom: HEIGHT - 52.0,
};

/// The title of a drawing.
pub(super) fn heading(title: &str) -> String {
    format!(
        "<text class=\"title\" x=\"{}\" y=\"20\">{}</text>",
        AREA.left,
        escaped(&shorten(title, 100))
    )
}

/// The whole run from left to right, and values upwards.
#[derive(Debug)]
pub(super) struct Timeline {
    axes: Axes,
    /// How many units of the axis of time a second has.
    per_second: f64,
}

impl Timeline {
    /// Over the whole run; values from 0 to `most`, of which `label` says what they are.
    pub(super) fn new(result: &Phases, most: f64, label: &str) -> Self {
        let end = words::seconds(result.run.duration.max(1));
        // Short runs in small units: fewer digits.
        let (per_second, unit) = words::unit_of_time(end);
        let x = Axis {
            most: 10,
            ..Axis::linear(end * per_second, &format!("time since the start, {unit}"))
        };
        let y = Axis {
            most: 6,
            ..Axis::linear(most, label)
        };
        Self {
            axes: Axes::new(x, y, AREA),
            per_second,
        }
    }

    pub(super) fn draw(&self, body: &mut String) {
        self.axes.draw_y(body);
        self.axes.draw_x(body);
    }

    fn x(&self, nanoseconds: u64) -> f64 {
        self.axes.x(words::seconds(nanoseconds) * self.per_second)
    }

    pub(super) fn y(&self, value: f64) -> f64 {
        self.axes.y(value)
    }

    /// Where a column begins and ends; it is wide enough to be seen.
    pub(super) fn span(&self, span: &PlotSpan) -> (f64, f64) {
        let begin = span.pieces.first().map_or(0, |p| p.time.start);
        let end = span.pieces.last().map_or(0, |p| p.time.end);
        (self.x(begin), self.x(end).max(self.x(begin) + 0.4))
    }

    /// The outline of a column between two values, as a part of a path.
    pub(super) fn rectangle(&self, span: &PlotSpan, low: f64, high: f64) -> String {
        let (left, right) = self.span(span);
        let (low, high) = (self.y(low), self.y(high));
        format!("M{left:.2} {low:.2}H{right:.2}V{high:.2}H{left:.2}z")
    }

    /// What is no phase, and what is unlike the others.
    pub(super) fn mark(&self, result: &Phases, spans: &[PlotSpan], body: &mut String) {
        self.around(spans, body);
        self.outliers(result, body);
    }

    /// Shades and names what is no phase, where there is room for a name.
    fn around(&self, spans: &[PlotSpan], body: &mut String) {
        const LETTER: f64 = 6.6;
        if spans.iter().all(|span| !span.phases) {
            return;
        }
        for span in spans.iter().filter(|span| !span.phases) {
            let (left, right) = self.span(span);
            let _ = write!(
                body,
                "<rect class=\"around\" x=\"{left:.2}\" y=\"{}\" width=\"{:.2}\" height=\"{}\"/>",
                AREA.top,
                right - left,
                AREA.bottom - AREA.top
            );
            let name = span.name.split(',').next().unwrap_or_default();
            if name.len() as f64 * LETTER < right - left {
                let _ = write!(
                    body,
                    "<text class=\"aside mid\" x=\"{:.1}\" y=\"{:.1}\">{name}</text>",
                    f64::midpoint(left, right),
                    AREA.top + 14.0
                );
            }
        }
    }

    /// Triangles above phases that are not like the others.
    fn outliers(&self, result: &Phases, body: &mut String) {
        for outlier in &result.outliers {
            let Some((_, piece)) = result.phases().find(|p| p.0 == outlier.phase) else {
                continue;
            };
            let middle = f64::midpoint(self.x(piece.time.start), self.x(piece.time.end));
            let _ = write!(
                body,
                "<path class=\"odd\" d=\"M{middle:.1} {:.1}l-4 -7h8z\"><title>{}</title></path>",
                AREA.top,
                escaped(&words::outlier(result, outlier))
            );
        }
    }

    /// Invisible columns that say what they are.
    pub(super) fn hits(
        &self,
        result: &Phases,
        columns: &[PlotSpan],
        body: &mut String,
        text: impl Fn(usize) -> String,
    ) {
        for (at, column) in columns.iter().enumerate() {
            let wall = column.wall();
            let share = wall as f64 / result.run.duration.max(1) as f64;
            let tooltip = format!(
                "{}: {}, {} of the run\n{}",
                column.name,
                words::time(wall),
                percent(share),
                text(at)
            );
            self.axes.hit(self.span(column), &tooltip, body);
        }
        if columns.iter().all(|span| !span.phases) {
            let none = count(0, "phase", "phases");
            let _ = write!(
                body,
                "<text class=\"mid\" x=\"{}\" y=\"{}\">{none}</text>",
                WIDTH / 2.0,
                HEIGHT / 2.0
            );
        }
    }
}
