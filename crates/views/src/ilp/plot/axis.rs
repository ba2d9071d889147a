//! Where plots are on their paper, and the axes that they have there.

use crate::shared::svg::{Area, Axes, Axis, Scale};

/// Width of a plot with its axes.
pub(super) const WIDTH: f64 = 900.0;
/// Height of the part with the axes, title included.
pub(super) const HEIGHT: f64 = 430.0;
/// The plot between the axes.
pub(super) const AREA: Area = Area {
    left: 78.0,
    top: 96.0,
    right: WIDTH - 24.0,
    bottom: HEIGHT - 56.0,
};

/// These axes in their place.
pub(super) fn axes(x: Axis, y: Axis) -> Axes {
    Axes::new(x, y, AREA)
}

/// A logarithmic axis, which says so.
pub(super) fn logarithmic(low: f64, high: f64, label: &str) -> Axis {
    Axis::logarithmic(low, high, Scale::Decades, &format!("{label} (log scale)"))
}
