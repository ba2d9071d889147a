//! The boxes of regions: lines of text, the heat behind them, and what is inside.

use std::fmt::Write;

use crate::shared::style::{escaped, shorten};

/// Width of a character of the monospaced font, in pixels.
pub(super) const LETTER: f64 = 6.7;
/// Height of a line of text.
pub(super) const LINE: f64 = 15.0;
/// Space inside a box.
const PAD: f64 = 9.0;
/// Longest line in a box.
const COLUMNS: usize = 34;

/// A part of the drawing with its size in pixels.
pub(super) struct DrawnPart {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) body: String,
}

/// How strong the heat of a share of time is, 0 to 1: at most so strong that text on it has a contrast of 4.5, light
/// and dark.
pub(super) fn opacity(share: f64) -> f64 {
    share * 0.45
}

/// A box with lines of text, each of its class, and what is inside it. Its heat lies below the text only, where
/// something is inside.
pub(super) fn boxed(
    lines: &[(&str, String)],
    class: &str,
    share: f64,
    about: &str,
    link: Option<&str>,
    inside: Option<DrawnPart>,
) -> DrawnPart {
    let lines: Vec<(&str, String)> = lines
        .iter()
        .map(|(class, line)| (*class, shorten(line, COLUMNS)))
        .collect();
    let letters = lines.iter().map(|l| l.1.chars().count()).max().unwrap_or(0);
    let text = letters as f64 * LETTER + 2.0 * PAD;
    let head = lines.len() as f64 * LINE + PAD;
    let (width, height, hot) = match &inside {
        Some(inside) => (
            text.max(inside.width + 2.0 * PAD),
            head + inside.height + 2.0 * PAD,
            head + PAD / 2.0,
        ),
        None => (text, head + PAD / 2.0, head + PAD / 2.0),
    };
    let (open, close) = match link {
        Some(link) => (format!("<a href=\"#{link}\">"), "</a>"),
        None => ("<g>".to_owned(), "</g>"),
    };
    let mut body = format!(
        "{open}<title>{}</title><rect class=\"{class}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"7\"/>\
         <rect class=\"heat\" width=\"{width:.1}\" height=\"{hot:.1}\" rx=\"7\" fill-opacity=\"{:.3}\"/>",
        escaped(about),
        opacity(share)
    );
    for (number, (class, line)) in (0..).zip(&lines) {
        let y = PAD + LINE * (f64::from(number) + 0.7);
        let _ = write!(
            body,
            "<text class=\"{class}\" x=\"{PAD}\" y=\"{y:.1}\">{}</text>",
            escaped(line)
        );
    }
    body += close;
    if let Some(inside) = inside {
        let x = (width - inside.width) / 2.0;
        let _ = write!(
            body,
            "<g transform=\"translate({x:.1} {:.1})\">{}</g>",
            head + PAD,
            inside.body
        );
    }
    DrawnPart {
        width,
        height,
        body,
    }
}

/// Where a layer begins or ends.
pub(super) fn terminal(name: &str) -> DrawnPart {
    DrawnPart {
        width: 44.0,
        height: 18.0,
        body: format!(
            "<rect class=\"pill end\" width=\"44\" height=\"18\" rx=\"9\"/><text class=\"quiet\" x=\"22\" y=\"13\" text-anchor=\"middle\">{name}</text>"
        ),
    }
}
