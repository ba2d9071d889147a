//! Working directories for later runs: copies of what the first run found.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::exit::{Failure, Kind, Outcome};

/// A larger working directory is refused: that it should be copied for every run is most likely a mistake.
const LIMIT: u64 = 2 << 30;

/// A copy of the working directory as the first run found it, and copies of that.
#[derive(Debug)]
pub struct Copies {
    folder: TempDir,
}

impl Copies {
    /// Copies the working directory.
    pub fn of_working_directory() -> Outcome<Self> {
        let cannot = |e: io::Error| {
            Failure::new(
                Kind::Io,
                format!("--scratch-dirs: cannot copy the working directory: {e}"),
            )
        };
        let here = std::env::current_dir().map_err(cannot)?;
        let size = size(&here).map_err(cannot)?;
        if size > LIMIT {
            return Err(Failure::new(
                Kind::Usage,
                format!(
                    "--scratch-dirs: the working directory holds {} MiB, too much to copy for every run; start in a smaller directory, or leave --scratch-dirs out",
                    size >> 20
                ),
            ));
        }
        let folder = tempfile::Builder::new()
            .prefix("parascan-copies.")
            .tempdir()
            .map_err(cannot)?;
        copy(&here, &folder.path().join("origin")).map_err(cannot)?;
        Ok(Self { folder })
    }

    /// A fresh copy for a run.
    pub fn for_run(&self, number: usize) -> Outcome<PathBuf> {
        let to = self.folder.path().join(format!("{number:03}"));
        copy(&self.folder.path().join("origin"), &to).map_err(|e| {
            Failure::new(
                Kind::Io,
                format!("--scratch-dirs: cannot copy the working directory: {e}"),
            )
        })?;
        Ok(to)
    }
}

fn size(folder: &Path) -> io::Result<u64> {
    let mut total = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        total += if metadata.is_dir() {
            size(&entry.path())?
        } else {
            metadata.len()
        };
    }
    Ok(total)
}

/// Copies files, folders and links; devices, pipes and sockets are left out.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target, kind) = (entry.path(), to.join(entry.file_name()), entry.file_type()?);
        if kind.is_dir() {
            copy(&source, &target)?;
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(&source)?, &target)?;
        } else if kind.is_file() {
            fs::copy(&source, &target)?;
        }
    }
    fs::set_permissions(to, fs::metadata(from)?.permissions())
}
