//! Copies of the source tree, in which variants are built.

use std::cell::Cell;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::SystemTime;

use super::state;
use crate::exit::{Failure, FailureKind, Outcome};
use crate::process::copies;
use crate::sources::is_source;

/// Folders of version control, which no build needs.
const HISTORY: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// Copies the tree. Its sources are newer than all else, so that nothing that was built from them before counts.
/// Folders that CMake or Meson configured are left out: they know the original by its absolute name, and would be built
/// there. The result tells whether there were some.
pub fn tree(from: &Path, to: &Path) -> Outcome<bool> {
    let cannot = |e: io::Error| {
        Failure::new(
            FailureKind::Io,
            format!("cannot copy {}: {e}", from.display()),
        )
    };
    if is_configured(from) {
        return Err(Failure::new(
            FailureKind::Usage,
            format!(
                "{} is configured by CMake or Meson, which know it by its absolute name, so that a copy would be built there: configure in a \
                 folder below it instead, or name a clean source tree with --root",
                from.display()
            ),
        ));
    }
    // The copies themselves may lie in the tree.
    let base = state::base();
    let configured = Cell::new(false);
    let is_left_out = |path: &Path| {
        let is_build = path.is_dir() && is_configured(path);
        configured.set(configured.get() || is_build);
        is_build || path == base || is_history(path)
    };
    let size = copies::size(from, &is_left_out).map_err(cannot)?;
    if size > copies::LIMIT {
        return Err(Failure::new(
            FailureKind::Usage,
            format!(
                "{} holds {} MiB, too much to copy for every variant: name a smaller folder with --root",
                from.display(),
                size >> 20
            ),
        ));
    }
    copies::copy(from, to, &is_left_out).map_err(cannot)?;
    renew(to, SystemTime::now()).map_err(cannot)?;
    Ok(configured.get())
}

/// Whether a folder was configured for a build, with absolute names in it.
fn is_configured(folder: &Path) -> bool {
    folder.join("CMakeCache.txt").is_file() || folder.join("meson-private").is_dir()
}

fn is_history(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    HISTORY.iter().any(|history| name == *history)
}

fn renew(folder: &Path, now: SystemTime) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            renew(&path, now)?;
        } else if kind.is_file() && is_source(&path) {
            File::open(&path)?.set_modified(now)?;
        }
    }
    Ok(())
}
