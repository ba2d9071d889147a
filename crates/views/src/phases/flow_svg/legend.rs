//! What colours and lines of the drawing mean.

use std::fmt::Write;

use parascan_analysis::phases::Phases;

use super::arrows::look;
use super::boxes::{DrawnPart, LINE, opacity};
use crate::phases::graph::{self, ArrowRole, SMALL};
use crate::shared::style::escaped;

/// Width that the lines need.
const WIDTH: f64 = 660.0;

/// The legend; `all` says that no region is folded.
pub(super) fn legend(result: &Phases, all: bool) -> DrawnPart {
    let mut out = String::from("<g class=\"flow\">");
    // Heat is linear, so a few steps show it.
    for step in 0..10 {
        let _ = write!(
            out,
            "<rect class=\"heat\" x=\"{}\" y=\"2\" width=\"6\" height=\"11\" fill-opacity=\"{:.3}\"/>",
            step * 6,
            opacity((f64::from(step) + 0.5) / 10.0)
        );
    }
    out += "<rect x=\"0\" y=\"2\" width=\"60\" height=\"11\" class=\"edge\"/>";
    let folded = if all {
        String::new()
    } else {
        format!(". Several regions below {SMALL}% of that time are one box")
    };
    let mut lines = vec![
        (
            None,
            "redder: more of the time of all threads, with everything inside (0 to 100%)"
                .to_owned(),
        ),
        (
            Some(ArrowRole::Onwards),
            format!("what the threads did: threads|count{folded}"),
        ),
        (
            Some(ArrowRole::Returns),
            "begins an iteration of a loop (\u{21bb}) anew".to_owned(),
        ),
    ];
    if graph::start(result).is_some() {
        lines.push((
            Some(ArrowRole::Phases),
            "the same, of the loop that makes the phases; thick frame: they begin here".to_owned(),
        ));
    }
    for (line, (role, text)) in (0..).zip(&lines) {
        let top = f64::from(line) * LINE;
        if let Some(role) = role {
            let ((class, tip), y) = (look(*role), top + 7.5);
            let _ = write!(
                out,
                "<path class=\"{class}\" d=\"M0 {y:.1}H54\"/><path class=\"{tip}\" d=\"M60 {y:.1}l-7 -4v8z\"/>"
            );
        }
        let _ = write!(
            out,
            "<text x=\"68\" y=\"{:.1}\">{}</text>",
            top + 11.5,
            escaped(text)
        );
    }
    DrawnPart {
        width: WIDTH,
        height: lines.len() as f64 * LINE + 4.0,
        body: out + "</g>",
    }
}
