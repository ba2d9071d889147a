//! `parascan apply`: the plan as a patch, or in the source itself.

pub mod entries;
pub mod tree;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use parascan_analysis::apply::{Applied, AppliedEntry, EditState, FileChange, edits};
use parascan_analysis::plan;
use parascan_views::{apply_json, apply_notes, apply_text, patch};

use crate::args::{self, ApplyFormat};
use crate::exit::{Failure, FailureKind, Outcome};
use crate::output::OutputFile;
use crate::planning::options;
use crate::{print, profile};
use entries::Entries;
use tree::{Changes, SourceTree};

/// Runs `parascan apply`: writes the plan into the sources.
pub fn run(raw: &args::ApplyArgs) -> Outcome<ExitCode> {
    let options = options(&raw.planning)?;
    let tree = SourceTree::new(&raw.root)?;
    let out = raw
        .out
        .as_deref()
        .map(|out| OutputFolder::new(out, &tree))
        .transpose()?;
    let profiles = profile::read_all(&raw.profiles)?;
    let plan = plan::plan(&profiles, &options)?;
    let (entries, edits) = edits(&plan);
    let wanted = wanted(&entries, edits.len(), raw.entries.as_ref())?;
    let Changes { states, files, .. } = tree.changes(&profiles, &edits, &wanted);
    if raw.in_place || out.is_some() {
        write(&files, out.as_ref())?;
    }
    let chosen = |e: &AppliedEntry| {
        raw.entries
            .as_ref()
            .is_none_or(|list| list.contains(e.rank))
    };
    let applied = Applied {
        plan: &plan,
        entries: entries.into_iter().filter(chosen).collect(),
        states,
        files: files.into_values().collect(),
    };
    print::error(&print::error_style().lay_out(|style| apply_notes(&applied, style)))?;
    print::out(&match raw.format {
        ApplyFormat::Json => apply_json(&applied),
        ApplyFormat::Text if raw.in_place || out.is_some() => {
            print::style().lay_out(|style| apply_text(&applied, style))
        }
        ApplyFormat::Text => patch(&applied.files),
    })?;
    // Of a whole plan, entries that have no code are as expected.
    let failed = |entry: &AppliedEntry| match &entry.edit {
        Err(_) => raw.entries.is_some(),
        Ok(edit) => matches!(applied.states[*edit], EditState::Refused(_)),
    };
    Ok(match applied.entries.iter().any(failed) {
        true => ExitCode::from(FailureKind::NotApplied as u8),
        false => ExitCode::SUCCESS,
    })
}

/// Which edits are wanted: those of the entries that are named, or all.
pub fn wanted(
    entries: &[AppliedEntry],
    edits: usize,
    list: Option<&Entries>,
) -> Outcome<Vec<bool>> {
    if let Some(list) = list {
        list.check(entries.len())?;
    }
    let mut wanted = vec![false; edits];
    for entry in entries {
        if let Ok(edit) = entry.edit {
            wanted[edit] |= list.is_none_or(|list| list.contains(entry.rank));
        }
    }
    Ok(wanted)
}

/// Another folder for the changed files.
struct OutputFolder(PathBuf);

impl OutputFolder {
    fn new(path: &Path, tree: &SourceTree) -> Outcome<Self> {
        let failed = |what: &dyn std::fmt::Display| {
            Failure::new(
                FailureKind::CannotCreate,
                format!("--out {}: {what}", path.display()),
            )
        };
        std::fs::create_dir_all(path).map_err(|e| failed(&e))?;
        let path = path.canonicalize().map_err(|e| failed(&e))?;
        if path == tree.root() {
            return Err(failed(
                &"this is the folder of the source itself; --in-place changes that",
            ));
        }
        Ok(Self(path))
    }
}

/// Writes the files that change: where they are, or below another folder.
fn write(files: &BTreeMap<PathBuf, FileChange>, out: Option<&OutputFolder>) -> Outcome<()> {
    let mut pending = Vec::new();
    for (path, change) in files {
        let place = match out {
            None if change.old == change.new => continue,
            None => path.clone(),
            Some(OutputFolder(folder)) => {
                let place = folder.join(&change.name);
                if let Some(parent) = place.parent() {
                    std::fs::create_dir_all(parent).map_err(|e| {
                        Failure::new(
                            FailureKind::CannotCreate,
                            format!("cannot create {}: {e}", parent.display()),
                        )
                    })?;
                }
                place
            }
        };
        pending.push((OutputFile::check_for("--out DIR", &place)?, change));
    }
    // All can be written before any is.
    for (output, change) in pending {
        output.write(change.new.as_bytes())?;
    }
    Ok(())
}
