//! What became of the plan's entries in the source.

use parascan_analysis::apply::{Applied, AppliedEntry, EditState};
use serde::Serialize;

use crate::patch::patch;
use crate::plan::words::to_settle;
use crate::shared::figures::place;
use crate::shared::json;
use crate::shared::style::{Style, TextTone, safe};

/// The files that were changed, a line each, with the entries that they have now.
pub fn apply_text(applied: &Applied, style: &Style) -> String {
    let mut out = String::new();
    for file in &applied.files {
        let what = match file.old == file.new {
            true => ": nothing to change",
            false => "",
        };
        out += &style.paragraph(None, "", "  ", &format!("{}{what}", safe(&file.name)));
    }
    out
}

/// Entries that could not be applied, and why.
pub fn apply_notes(applied: &Applied, style: &Style) -> String {
    let mut out = String::new();
    for entry in &applied.entries {
        let Err(why) = applied.outcome(entry) else {
            continue;
        };
        let text = format!(
            "entry {} ({}) is not applied: {}",
            entry.rank,
            place(entry.figures),
            safe(&why.to_string())
        );
        out += &style.paragraph(Some(TextTone::Warning), "", "  ", &text);
    }
    if let Some(text) = to_settle(applied.plan) {
        out += &style.paragraph(None, "", "", text);
    }
    out
}

#[derive(Serialize)]
struct ApplyJson<'a> {
    program: &'a str,
    entries: Vec<EntryJson<'a>>,
    files: Vec<FileJson<'a>>,
    patch: String,
}

#[derive(Serialize)]
struct EntryJson<'a> {
    rank: u32,
    id: &'a str,
    file: &'a str,
    line: u32,
    column: u32,
    state: &'static str,
    reason: Option<String>,
}

#[derive(Serialize)]
struct FileJson<'a> {
    name: &'a str,
    changed: bool,
}

/// What `apply` did as JSON, with the patch.
pub fn apply_json(applied: &Applied) -> String {
    let entry = |entry: &AppliedEntry<'_>| {
        let (state, reason) = match applied.outcome(entry) {
            Ok(EditState::Added) => ("added", None),
            Ok(EditState::Present) => ("present", None),
            Ok(EditState::Absent | EditState::Refused(_)) => ("absent", None),
            Err(why) => ("refused", Some(why.to_string())),
        };
        (entry.rank, state, reason)
    };
    json::document(
        "parascan-apply",
        &ApplyJson {
            program: &applied.plan.program,
            entries: applied
                .entries
                .iter()
                .map(|e| {
                    let (rank, state, reason) = entry(e);
                    EntryJson {
                        rank,
                        id: &e.figures.id,
                        file: &e.figures.file,
                        line: e.figures.line,
                        column: e.figures.column,
                        state,
                        reason,
                    }
                })
                .collect(),
            files: applied
                .files
                .iter()
                .map(|f| FileJson {
                    name: &f.name,
                    changed: f.old != f.new,
                })
                .collect(),
            patch: patch(&applied.files),
        },
    )
}
