//! Axes of plots: scales, round numbers, labels.

use std::fmt::Write;

use crate::shared::style::escaped;
use crate::shared::svg::round_step;

/// Width of a plot with its axes.
pub(super) const WIDTH: f64 = 900.0;
/// Height of the part with the axes, title included.
pub(super) const HEIGHT: f64 = 430.0;
/// Around the plot: left, top, right, bottom.
pub(super) const MARGIN: (f64, f64, f64, f64) = (78.0, 96.0, 24.0, 56.0);

/// Which values one side of a plot covers, how they are spaced, and what is written beside them.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) logarithmic: bool,
    /// What it shows, and in which unit.
    pub(super) label: String,
}

impl Axis {
    /// From 0 to a little above the largest value.
    pub(super) fn linear(high: f64, label: &str) -> Self {
        Self {
            low: 0.0,
            high: if high > 0.0 { high } else { 1.0 },
            logarithmic: false,
            label: label.to_owned(),
        }
    }

    /// From `low`, at least a factor of two.
    pub(super) fn logarithmic(low: f64, high: f64, label: &str) -> Self {
        Self {
            low,
            high: high.max(2.0 * low),
            logarithmic: true,
            label: format!("{label} (log scale)"),
        }
    }

    /// Where a value lies between both ends, 0 to 1; what lies outside is put there.
    pub(super) fn share(&self, value: f64) -> f64 {
        let share = if self.logarithmic {
            (value.max(self.low) / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        share.clamp(0.0, 1.0)
    }

    /// Round values, about eight.
    pub(super) fn ticks(&self) -> Vec<f64> {
        if !self.logarithmic {
            let step = round_step((self.high - self.low) / 8.0);
            let first = (self.low / step).ceil();
            return (0..20)
                .map(|n| (first + f64::from(n)) * step)
                .take_while(|v| *v <= self.high * (1.0 + 1e-9))
                .collect();
        }
        let decades = (self.high / self.low).log10();
        let within: &[f64] = match decades {
            d if d <= 2.5 => &[1.0, 2.0, 5.0],
            d if d <= 4.5 => &[1.0, 3.0],
            _ => &[1.0],
        };
        let every = if decades > 10.0 { 2 } else { 1 };
        let first = self.low.log10().floor() as i32;
        let last = self.high.log10().ceil() as i32;
        let inside = |v: &f64| (self.low * 0.999..=self.high * 1.001).contains(v);
        (first..=last)
            .step_by(every)
            .flat_map(|power| within.iter().map(move |w| w * 10f64.powi(power)))
            .filter(inside)
            .collect()
    }
}

/// `0.25`, `20`, `1k`, `2.5M`.
pub(in crate::ilp) fn round(value: f64) -> String {
    for (scale, letter) in [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")] {
        if value >= scale * 0.9999 {
            return format!("{}{letter}", digits(value / scale));
        }
    }
    digits(value)
}

/// Up to three decimals, without zeros at the end.
fn digits(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Both axes in their place.
#[derive(Clone, Debug)]
pub(super) struct Axes {
    pub(super) x: Axis,
    pub(super) y: Axis,
}

impl Axes {
    pub(super) const LEFT: f64 = MARGIN.0;
    pub(super) const RIGHT: f64 = WIDTH - MARGIN.2;
    pub(super) const TOP: f64 = MARGIN.1;
    pub(super) const BOTTOM: f64 = HEIGHT - MARGIN.3;

    pub(super) fn x(&self, value: f64) -> f64 {
        Self::LEFT + self.x.share(value) * (Self::RIGHT - Self::LEFT)
    }

    pub(super) fn y(&self, value: f64) -> f64 {
        Self::BOTTOM - self.y.share(value) * (Self::BOTTOM - Self::TOP)
    }

    /// Grid lines and labels of the vertical axis.
    pub(super) fn draw_y(&self, out: &mut String) {
        let (left, right) = (Self::LEFT, Self::RIGHT);
        for value in self.y.ticks() {
            let y = self.y(value);
            let _ = writeln!(
                out,
                "<path class=\"grid\" d=\"M{left:.1} {y:.1}H{right:.1}\"/><text class=\"end\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                left - 8.0,
                y + 4.0,
                round(value)
            );
        }
        let middle = f64::midpoint(Self::TOP, Self::BOTTOM);
        let _ = writeln!(
            out,
            "<text class=\"mid\" transform=\"translate(18 {middle:.1}) rotate(-90)\">{}</text>",
            escaped(&self.y.label)
        );
    }

    /// Marks and labels of the horizontal axis.
    pub(super) fn draw_x(&self, out: &mut String) {
        for value in self.x.ticks() {
            mark_x(self.x(value), &round(value), out);
        }
        self.label_x(out);
    }

    /// The base line and what the horizontal axis shows.
    pub(super) fn label_x(&self, out: &mut String) {
        let _ = writeln!(
            out,
            "<path class=\"axis\" d=\"M{:.1} {:.1}V{:.1}H{:.1}\"/><text class=\"mid\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            Self::LEFT,
            Self::TOP,
            Self::BOTTOM,
            Self::RIGHT,
            f64::midpoint(Self::LEFT, Self::RIGHT),
            Self::BOTTOM + 42.0,
            escaped(&self.x.label)
        );
    }
}

/// One mark on the horizontal axis.
pub(super) fn mark_x(x: f64, label: &str, out: &mut String) {
    let _ = writeln!(
        out,
        "<path class=\"axis\" d=\"M{x:.1} {:.1}v5\"/><text class=\"mid\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
        Axes::BOTTOM,
        Axes::BOTTOM + 19.0,
        escaped(label)
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_inside() {
        assert_eq!(
            Axis::linear(7.3, "").ticks(),
            [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
        );
        assert_eq!(
            Axis::logarithmic(1.0, 100.0, "").ticks(),
            [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]
        );
        assert_eq!(
            Axis::logarithmic(16.0, 1e6, "").ticks(),
            [100.0, 1000.0, 10_000.0, 100_000.0, 1_000_000.0]
        );
        assert_eq!(Axis::linear(0.0, "").high, 1.0);
    }

    #[test]
    fn numbers_on_axes() {
        assert_eq!(round(0.0), "0");
        assert_eq!(round(0.25), "0.25");
        assert_eq!(round(1000.0), "1k");
        assert_eq!(round(2_500_000.0), "2.5M");
    }
}
