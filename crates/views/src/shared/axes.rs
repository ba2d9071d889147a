//! Axes of drawings made of characters, as the charts of terminals have them.

/// Columns of the vertical axis: its numbers, and the line.
pub(crate) const AXIS: usize = 8;

/// Columns of a line of this length that are left for the drawing.
pub(crate) fn room(columns: usize) -> usize {
    columns - AXIS - 2
}

/// A row of the drawing, with the number of the vertical axis at its height, if it has one.
pub(crate) fn row(number: &str, drawing: &str) -> String {
    format!(
        "{number:>width$} ┤{}\n",
        drawing.trim_end(),
        width = AXIS - 1
    )
}

/// The horizontal axis, below so many columns of the drawing.
pub(crate) fn base(columns: usize) -> String {
    format!(
        "{:>width$} └{}\n",
        "",
        "─".repeat(columns),
        width = AXIS - 1
    )
}
