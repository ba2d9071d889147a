//! Lines of source around a region, for the page.

use std::fmt::Write;

use parascan_formats::omp::{Location, Place};

use crate::Source;
use crate::shared::style::{escaped, safe, shorten};

/// Lines shown in front of the region's first one, and from that on.
const BEFORE: u32 = 2;
const AFTER: u32 = 8;
/// Longest line shown, in characters.
const LINE: usize = 200;

/// What stands at a place, folded; or why that is not known. Nothing where the place has no line, or its file was not
/// looked for.
pub(super) fn excerpt(place: &Place, sources: &[Source]) -> Option<String> {
    let Location::Source { frame, .. } = &place.location else {
        return None;
    };
    let source = sources.iter().find(|source| source.file == frame.file)?;
    if frame.line == 0 {
        return None;
    }
    let inside = match &source.text {
        Err(why) => format!("<p class=\"quiet\">{}</p>", escaped(&safe(why))),
        Ok(text) => lines(text, frame.line)?,
    };
    let changed = match source.changed {
        true => {
            "<p class=\"note\">The file was changed after the recording: lines may have moved.</p>"
        }
        false => "",
    };
    let name = frame.file.rsplit('/').next().unwrap_or(&frame.file);
    let name = escaped(&safe(name));
    Some(format!(
        "<details><summary>{name}:{}</summary>{changed}{inside}</details>",
        frame.line
    ))
}

/// The lines around this one, which is marked; none where the text ends before it.
fn lines(text: &str, line: u32) -> Option<String> {
    let first = line.saturating_sub(BEFORE).max(1);
    let shown = text.lines().zip(1u32..).skip(first as usize - 1);
    let shown: Vec<(&str, u32)> = shown.take((line - first + AFTER) as usize).collect();
    shown.iter().find(|(_, number)| *number == line)?;
    let mut out = String::from("<pre class=\"excerpt\">");
    for (text, number) in shown {
        let text = escaped(&shorten(&safe(&text.replace('\t', "    ")), LINE));
        let _ = match number == line {
            true => writeln!(out, "<mark>{number:>5}  {text}</mark>"),
            false => writeln!(out, "{number:>5}  {text}"),
        };
    }
    Some(out + "</pre>")
}
