//! An axis: where on it a value lies, and which round values are marked.

use super::ticks::{decades, doublings, even};
use crate::shared::style::short_number;

/// How values are laid out along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Equal distances are equal differences.
    Linear,
    /// The same, of whole numbers: only such are marked.
    Whole,
    /// Equal distances are equal factors; powers of ten are marked, and some numbers between.
    Decades,
    /// Equal distances are equal factors; powers of two times the lowest value are marked.
    Doublings,
}

/// One axis of a plot, wherever that is on its paper.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    /// The values at its ends.
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) scale: Scale,
    /// What it shows, and in which unit.
    pub(crate) label: String,
    /// About how many values are marked; powers of ten are marked as they fall.
    pub(crate) most: u32,
    /// How a value is written.
    pub(crate) number: fn(f64) -> String,
}

impl Axis {
    /// From 0; to 1, if the highest value is not positive.
    pub(crate) fn linear(high: f64, label: &str) -> Self {
        Self {
            low: 0.0,
            high: if high > 0.0 { high } else { 1.0 },
            scale: Scale::Linear,
            label: label.to_owned(),
            most: 8,
            number: short_number,
        }
    }

    /// From `low`, which is positive, at least to its double, by factors.
    pub(crate) fn logarithmic(low: f64, high: f64, scale: Scale, label: &str) -> Self {
        Self {
            low,
            high: high.max(2.0 * low),
            scale,
            ..Self::linear(high, label)
        }
    }

    /// Where a value lies between both ends, 0 to 1; what lies outside is put there.
    pub(crate) fn share(&self, value: f64) -> f64 {
        let share = match self.scale {
            Scale::Linear | Scale::Whole => (value - self.low) / (self.high - self.low),
            Scale::Decades | Scale::Doublings => {
                (value.max(self.low) / self.low).ln() / (self.high / self.low).ln()
            }
        };
        share.clamp(0.0, 1.0)
    }

    /// Whether equal distances are equal factors.
    pub(crate) fn is_logarithmic(&self) -> bool {
        matches!(self.scale, Scale::Decades | Scale::Doublings)
    }

    /// Round values between both ends, in ascending order.
    pub(super) fn ticks(&self) -> Vec<f64> {
        let (low, high) = (self.low, self.high);
        match self.scale {
            Scale::Linear => even(low, high, self.most, false),
            Scale::Whole => even(low, high, self.most, true),
            Scale::Decades => decades(low, high),
            Scale::Doublings => doublings(low, high, self.most),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_inside() {
        let ticks = Axis::linear(7.3, "").ticks();
        assert_eq!(ticks, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        let decades = |low, high| Axis::logarithmic(low, high, Scale::Decades, "").ticks();
        assert_eq!(
            decades(1.0, 100.0),
            [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]
        );
        assert_eq!(decades(16.0, 1e6), [100.0, 1e3, 1e4, 1e5, 1e6]);
        assert_eq!(Axis::linear(0.0, "").high, 1.0);
    }

    #[test]
    fn values_lie_between_the_ends() {
        let shares = |axis: &Axis| [0.5, 1.0, 4.0, 16.0, 99.0].map(|value| axis.share(value));
        let doublings = Axis::logarithmic(1.0, 16.0, Scale::Doublings, "");
        assert_eq!(shares(&doublings), [0.0, 0.0, 0.5, 1.0, 1.0]);
        let linear = Axis::linear(16.0, "");
        assert_eq!(shares(&linear), [0.03125, 0.0625, 0.25, 1.0, 1.0]);
    }
}
