//! Both axes of a plot: where values lie in it, and how the axes are drawn.
//!
//! Elements have the classes `grid`, `axis`, and of texts `end` or `mid`, by where they are anchored; [`AXES_STYLE`]
//! and [`AXES_RULES`] are for them.

use std::fmt::Write;

use super::{AXIS, Area, Axis, DarkRule, GRID};
use crate::shared::style::escaped;

/// Style of axes that is the same in light and dark.
pub(crate) const AXES_STYLE: &str =
    ".grid,.axis{fill:none}.end{text-anchor:end}.mid{text-anchor:middle}";
/// Style that is not.
pub(crate) const AXES_RULES: [DarkRule; 2] = [
    DarkRule(".axis", "stroke", AXIS),
    DarkRule(".grid", "stroke", GRID),
];

/// From the left end to what the vertical axis shows, which is written upwards.
const BESIDE: f64 = 18.0;
/// Pixels from the horizontal axis to the baseline of its numbers, and to that of its title.
const NUMBERS: f64 = 19.0;
const BELOW: f64 = 42.0;

/// Both axes in their place.
#[derive(Clone, Debug)]
pub(crate) struct Axes {
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    /// The plot between them, in pixels.
    pub(crate) area: Area,
    /// Pixels from the horizontal axis to the baseline of its title.
    pub(crate) below: f64,
}

impl Axes {
    /// These axes around a plot.
    pub(crate) fn new(x: Axis, y: Axis, area: Area) -> Self {
        let below = BELOW;
        Self { x, y, area, below }
    }

    /// Where a value lies from left to right.
    pub(crate) fn x(&self, value: f64) -> f64 {
        let Area { left, right, .. } = self.area;
        left + self.x.share(value) * (right - left)
    }

    /// Where a value lies from top to bottom: high ones are on top.
    pub(crate) fn y(&self, value: f64) -> f64 {
        let Area { top, bottom, .. } = self.area;
        bottom - self.y.share(value) * (bottom - top)
    }

    /// The vertical axis: a line across the plot at each round number, and what it shows.
    pub(crate) fn draw_y(&self, out: &mut String) {
        let Area { left, right, .. } = self.area;
        for value in self.y.ticks() {
            let y = self.y(value);
            let _ = write!(
                out,
                "<path class=\"grid\" d=\"M{left:.1} {y:.1}H{right:.1}\"/>"
            );
            self.number_y(y, &(self.y.number)(value), out);
        }
        self.label_y(out);
    }

    /// The horizontal axis: marks at round numbers, the base line, and what it shows.
    pub(crate) fn draw_x(&self, out: &mut String) {
        for value in self.x.ticks() {
            self.mark_x(self.x(value), &(self.x.number)(value), out);
        }
        self.label_x(out);
    }

    /// A text beside the vertical axis, at this height.
    pub(crate) fn number_y(&self, y: f64, text: &str, out: &mut String) {
        let _ = writeln!(
            out,
            "<text class=\"end\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            self.area.left - 8.0,
            y + 4.0,
            escaped(text)
        );
    }

    /// A mark on the horizontal axis, and a text below it.
    pub(crate) fn mark_x(&self, x: f64, text: &str, out: &mut String) {
        let bottom = self.area.bottom;
        let _ = writeln!(
            out,
            "<path class=\"axis\" d=\"M{x:.1} {bottom:.1}v5\"/><text class=\"mid\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
            bottom + NUMBERS,
            escaped(text)
        );
    }

    /// What the vertical axis shows.
    pub(crate) fn label_y(&self, out: &mut String) {
        let middle = f64::midpoint(self.area.top, self.area.bottom);
        let _ = writeln!(
            out,
            "<text class=\"mid\" transform=\"translate({BESIDE} {middle:.1}) rotate(-90)\">{}</text>",
            escaped(&self.y.label)
        );
    }

    /// The base line with the line that goes up at its left, and what the horizontal axis shows.
    pub(crate) fn label_x(&self, out: &mut String) {
        let Area {
            left,
            top,
            right,
            bottom,
        } = self.area;
        let _ = writeln!(
            out,
            "<path class=\"axis\" d=\"M{left:.1} {top:.1}V{bottom:.1}H{right:.1}\"/><text class=\"mid\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            f64::midpoint(left, right),
            bottom + self.below,
            escaped(&self.x.label)
        );
    }

    /// An invisible column between two places from left to right, of class `hit`, that says this on pointing at it.
    pub(crate) fn hit(&self, (left, right): (f64, f64), text: &str, out: &mut String) {
        let Area { top, bottom, .. } = self.area;
        let _ = writeln!(
            out,
            "<rect class=\"hit\" x=\"{left:.2}\" y=\"{top:.1}\" width=\"{:.2}\" height=\"{:.1}\"><title>{}</title></rect>",
            right - left,
            bottom - top,
            escaped(text)
        );
    }
}
