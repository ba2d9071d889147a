//! Lines of source around a region.

use parascan_formats::omp::{Location, Place};
use serde::Serialize;

use crate::Source;
use crate::shared::style::{safe, shorten};

/// Lines shown in front of the region's first one, and from that on.
const BEFORE: u32 = 2;
const AFTER: u32 = 8;
/// Longest line shown, in characters.
const LINE: usize = 200;

/// What stands at a place, or why that is not known.
#[derive(Debug, Serialize)]
pub(super) struct Excerpt {
    /// File, without its folder, and line.
    place: String,
    /// The file was changed after the recording.
    changed: bool,
    /// Why there are no lines.
    missing: Option<String>,
    lines: Vec<Line>,
}

#[derive(Debug, Serialize)]
struct Line {
    /// Its number and text.
    text: String,
    /// It is the region's first.
    marked: bool,
}

/// What stands at a place. Nothing where the place has no line, or its file was not looked for.
pub(super) fn excerpt(place: &Place, sources: &[Source]) -> Option<Excerpt> {
    let Location::Source { frame, .. } = &place.location else {
        return None;
    };
    let source = sources.iter().find(|source| source.file == frame.file)?;
    if frame.line == 0 {
        return None;
    }
    let (missing, lines) = match &source.text {
        Err(why) => (Some(safe(why)), Vec::new()),
        Ok(text) => (None, lines(text, frame.line)?),
    };
    let name = frame.file.rsplit('/').next().unwrap_or(&frame.file);
    Some(Excerpt {
        place: format!("{}:{}", safe(name), frame.line),
        changed: source.changed,
        missing,
        lines,
    })
}

/// The lines around this one, which is marked; none where the text ends before it.
fn lines(text: &str, line: u32) -> Option<Vec<Line>> {
    let first = line.saturating_sub(BEFORE).max(1);
    let shown = text.lines().zip(1u32..).skip(first as usize - 1);
    let shown: Vec<(&str, u32)> = shown.take((line - first + AFTER) as usize).collect();
    shown.iter().find(|(_, number)| *number == line)?;
    let one = |(text, number): (&str, u32)| {
        let text = shorten(&safe(&text.replace('\t', "    ")), LINE);
        Line {
            text: format!("{number:>5}  {text}"),
            marked: number == line,
        }
    };
    Some(shown.into_iter().map(one).collect())
}
