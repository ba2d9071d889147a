//! What an entry of a plan says and where it stands, for the formats that show it in editors.

use std::collections::HashMap;

use parascan_analysis::model::{Model, StaticRegion};
use parascan_analysis::regions::RegionFigures;

use super::location::absolute;
use crate::shared::style::{factor, percent, speedup};

/// A place in the source as formats of other tools want it.
pub(super) struct FileLines {
    /// Absolute, or as the compiler named it where its folder is not known; empty: unknown.
    pub(super) file: String,
    /// From 1; 0: unknown.
    pub(super) line: u32,
    /// From 1; 0: unknown.
    pub(super) column: u32,
    /// The last line; at most `line` where there is one line only.
    pub(super) end_line: u32,
}

/// Where an entry stands.
pub(super) struct EntryPlace<'a> {
    /// The function in which somebody changes it.
    pub(super) function: &'a str,
    /// The lines to change: of a region in a system header, the call in the program's code that leads there.
    pub(super) own: FileLines,
    /// Further places, and what each of them is.
    pub(super) related: Vec<(FileLines, &'static str)>,
}

/// The places of a model's regions, by id.
pub(super) struct RegionPlaces<'a>(HashMap<&'a str, &'a StaticRegion>);

impl<'a> RegionPlaces<'a> {
    pub(super) fn new(model: &'a Model) -> Self {
        Self(model.regions.iter().map(|r| (&*r.id, r)).collect())
    }

    /// The folders in which the compiler ran.
    pub(super) fn directories(&self) -> impl Iterator<Item = &str> {
        self.0.values().map(|region| &*region.directory)
    }

    /// Where this entry stands.
    pub(super) fn of<'e>(&self, entry: &'e RegionFigures) -> EntryPlace<'e> {
        let directory = |id: &str| self.0.get(id).map_or("", |p| &*p.directory);
        let file = |id: &str, file: &str| match file {
            "" => String::new(),
            file => absolute(directory(id), file),
        };
        let own = FileLines {
            file: file(&entry.id, &entry.file),
            line: entry.line,
            column: entry.column,
            end_line: entry.end_line,
        };
        let Some(caller) = &entry.caller else {
            return EntryPlace {
                function: &entry.function,
                own,
                related: Vec::new(),
            };
        };
        let called_in = self.0.get(&*caller.id).map_or("", |p| &*p.fixed.file);
        let call = |line: u32| FileLines {
            file: file(&caller.id, called_in),
            line,
            column: 0,
            end_line: line,
        };
        let lines = caller.lines();
        let mut calls = lines.iter().map(|&line| call(line));
        let first = calls.next().unwrap_or_else(|| call(0));
        let further = calls.map(|place| (place, "a further call"));
        EntryPlace {
            function: &caller.function,
            own: first,
            related: further
                .chain([(own, "the loop in the system's header")])
                .collect(),
        }
    }
}

/// What an entry is (`what`), its figures, what to write and what is to be known of it, as sentences. Names in it are
/// as the program has them, control characters included.
pub(super) fn message(entry: &RegionFigures, what: &str) -> String {
    let mut text = format!("{what}: {} of the program's work", percent(entry.coverage));
    if let Some(sp) = entry.self_parallelism {
        text += &format!(", self-parallelism {}", factor(sp));
    }
    text += &format!(
        ". In parallel it makes the program {} as fast, ideally.",
        speedup(entry.speedup)
    );
    if let Some(pragma) = &entry.pragma {
        text += &format!(" Write: {pragma}.");
    }
    if entry.patch.is_some() {
        text += " Lines to write around it: `parascan plan`.";
    }
    for hint in &entry.notes() {
        text += &format!(" Note: {hint}.");
    }
    text
}
