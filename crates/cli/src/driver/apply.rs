//! Building with the plan, without touching the source: plain clang with `-fopenmp`, which reads the files with the
//! plan's lines in them.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;

use parascan_analysis::apply::{EditState, edits};
use parascan_analysis::plan;

use super::Language;
use super::facts::CommandFacts;
use super::overlay::Overlay;
use super::sources::CommandSources;
use crate::apply::entries::Entries;
use crate::apply::tree::SourceTree;
use crate::apply::wanted;
use crate::exit::{Failure, FailureKind, Outcome};
use crate::{planning, profile};

/// The profile whose plan is to be built in.
pub const PROFILE: &str = "PARASCAN_APPLY";
/// The entries of that plan; all without it.
const ENTRIES: &str = "PARASCAN_APPLY_ENTRIES";

/// The profile that `PARASCAN_APPLY` names.
pub fn profile() -> Option<PathBuf> {
    let name = std::env::var_os(PROFILE)?;
    (!name.is_empty()).then(|| name.into())
}

/// Adds the arguments of a build with this profile's plan to a compiler's command.
pub fn prepare(
    language: Language,
    command: &mut Command,
    arguments: Vec<OsString>,
    profile: PathBuf,
) -> Outcome<()> {
    if CommandFacts::of(&arguments).is_some() {
        language.add_flags(command, &["-fopenmp"]);
        // A plan has lines for C and C++ alone.
        if language != Language::Fortran
            && let Some(overlay) = overlay(&arguments, profile)?
        {
            let overlay = [OsStr::new("-ivfsoverlay"), OsStr::new(&overlay)];
            language.add_flags(command, &overlay);
        }
    }
    command.args(arguments);
    Ok(())
}

/// The files of this command line with the plan's lines in them; `None` if it adds none to them.
fn overlay(arguments: &[OsString], profile: PathBuf) -> Outcome<Option<String>> {
    let files = CommandSources::of(arguments).c_files();
    let mut overlay = Overlay::default();
    if files.is_empty() {
        return Ok(None);
    }
    let list = std::env::var(ENTRIES).ok().filter(|list| !list.is_empty());
    let list: Option<Entries> = list
        .map(|list| list.parse())
        .transpose()
        .map_err(|why: String| Failure::new(FailureKind::Usage, format!("{ENTRIES}: {why}")))?;
    let profiles = profile::read_all(&[profile])?;
    let options = planning::by_default()?;
    let plan = plan::plan(&profiles, &options)?;
    let (entries, edits) = edits(&plan);
    let wanted = wanted(&entries, edits.len(), list.as_ref())?;
    let changes = SourceTree::everything().changes(&profiles, &edits, &wanted);
    for path in files.keys() {
        let Ok(real) = path.canonicalize() else {
            continue;
        };
        let own = |place: &Option<PathBuf>| place.as_ref() == Some(&real);
        let refused = changes.places.iter().zip(&changes.states);
        for (edit, (place, state)) in edits.iter().zip(refused) {
            if let (true, EditState::Refused(why)) = (own(place), state) {
                return Err(Failure::new(
                    FailureKind::NotApplied,
                    format!("{}:{}: {PROFILE}: {why}", path.display(), edit.line),
                ));
            }
        }
        if let Some(change) = changes.files.get(&real)
            && change.old != change.new
        {
            overlay.add(path, change.new.as_bytes())?;
        }
    }
    overlay.finish()
}
