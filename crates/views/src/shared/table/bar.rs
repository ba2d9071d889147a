//! Small bars for shares.

use crate::shared::style::Style;

/// Columns of a whole.
const WIDTH: usize = 5;

/// A share from 0 to 1 as a bar: in eighths of a column where the locale has UTF-8, in `#` otherwise. What is not
/// nothing can be seen.
pub(crate) fn bar(share: f64, style: &Style) -> String {
    let share = if share.is_finite() {
        share.clamp(0.0, 1.0)
    } else {
        0.0
    };
    if !style.utf8 {
        let full = (share * WIDTH as f64).round() as usize;
        return "#".repeat(full);
    }
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let mut eighths = (share * 8.0 * WIDTH as f64).round() as usize;
    if share > 0.0 {
        eighths = eighths.max(1);
    }
    "█".repeat(eighths / 8) + PARTS[eighths % 8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_shares() {
        let style = Style::plain(80);
        let of = |share: f64| bar(share, &style);
        assert_eq!(of(1.0), "█████");
        assert_eq!(of(0.5), "██▌");
        assert_eq!(of(0.125), "▋");
        assert_eq!(of(0.0001), "▏");
        assert_eq!(of(0.0), "");
        assert_eq!(of(f64::NAN), "");
        assert_eq!(of(7.0), "█████");
        let ascii = Style {
            utf8: false,
            ..style
        };
        assert_eq!(bar(0.5, &ascii), "###");
        assert_eq!(bar(0.09, &ascii), "");
        assert!(bar(1.0, &ascii).is_ascii());
    }
}
