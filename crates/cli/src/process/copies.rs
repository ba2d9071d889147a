//! Working directories for later runs: copies of what the first run found.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::exit::{Failure, FailureKind, Outcome};

/// A larger working directory is refused: that it should be copied for every run is most likely a mistake.
pub const LIMIT: u64 = 2 << 30;

/// A copy of the working directory as the first run found it, and copies of that.
#[derive(Debug)]
pub struct Copies {
    folder: TempDir,
}

impl Copies {
    /// Copies the working directory, so that runs in the copy change nothing outside of it.
    pub fn of_working_directory() -> Outcome<Self> {
        let cannot = |e: io::Error| {
            Failure::new(
                FailureKind::Io,
                format!("--scratch-dirs: cannot copy the working directory: {e}"),
            )
        };
        let here = std::env::current_dir().map_err(cannot)?;
        let size = size(&here, &nothing).map_err(cannot)?;
        if size > LIMIT {
            return Err(Failure::new(
                FailureKind::Usage,
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
        copy(&here, &folder.path().join("origin"), &nothing).map_err(cannot)?;
        Ok(Self { folder })
    }

    /// Makes a fresh copy of the working directory for the run with this number.
    pub fn for_run(&self, number: usize) -> Outcome<PathBuf> {
        let to = self.folder.path().join(format!("{number:03}"));
        copy(&self.folder.path().join("origin"), &to, &nothing).map_err(|e| {
            Failure::new(
                FailureKind::Io,
                format!("--scratch-dirs: cannot copy the working directory: {e}"),
            )
        })?;
        Ok(to)
    }
}

/// Nothing is left out.
fn nothing(_: &Path) -> bool {
    false
}

/// Bytes of all files below a folder but those that are left out.
pub fn size(folder: &Path, left_out: &dyn Fn(&Path) -> bool) -> io::Result<u64> {
    let mut total = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let metadata = fs::symlink_metadata(&path)?;
        if left_out(&path) {
            continue;
        }
        total += if metadata.is_dir() {
            size(&path, left_out)?
        } else {
            metadata.len()
        };
    }
    Ok(total)
}

/// Copies files with their times, folders and links; devices, pipes and sockets are left out.
pub fn copy(from: &Path, to: &Path, left_out: &dyn Fn(&Path) -> bool) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target, kind) = (entry.path(), to.join(entry.file_name()), entry.file_type()?);
        if left_out(&source) {
            continue;
        }
        if kind.is_dir() {
            copy(&source, &target, left_out)?;
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(&source)?, &target)?;
        } else if kind.is_file() {
            fs::copy(&source, &target)?;
            let modified = fs::metadata(&source)?.modified()?;
            let times = fs::FileTimes::new().set_modified(modified);
            // Of a file that may not be written only its owner can change the time, which the copy's is.
            if let Ok(file) = fs::File::open(&target) {
                let _ = file.set_times(times);
            }
        }
    }
    fs::set_permissions(to, fs::metadata(from)?.permissions())
}
