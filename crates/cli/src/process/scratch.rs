//! Scratch space for logs: in memory where there is room, removed at the end.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::exit::{Failure, FailureKind, Outcome};

/// Room that a memory file system must have to be preferred: large profiles take some tens of megabytes per run.
const ROOM: u64 = 256 << 20;
const PREFIX: &str = "parascan.";

/// A folder with one folder per run.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
}

impl Scratch {
    /// Makes the folder in `/dev/shm`, else in `TMPDIR`, else in `/tmp`; clears away what killed recorders left there.
    pub fn new() -> Outcome<Self> {
        let base = base();
        sweep(&base);
        let folder = tempfile::Builder::new()
            .prefix(&format!("{PREFIX}{}.", std::process::id()))
            .tempdir_in(&base)
            .map_err(|e| {
                Failure::new(
                    FailureKind::CannotCreate,
                    format!(
                        "no scratch space in {}: {e}; set TMPDIR to a folder that can be written",
                        base.display()
                    ),
                )
            })?;
        Ok(Self { folder })
    }

    /// Makes the folder of a run. Names have one length, so that all runs find the same stack layout.
    pub fn run(&self, number: usize) -> Outcome<PathBuf> {
        self.folder_named(&format!("{number:03}"))
    }

    /// Makes a folder of this name in the scratch folder.
    pub fn folder_named(&self, name: &str) -> Outcome<PathBuf> {
        let path = self.folder.path().join(name);
        match fs::create_dir(&path) {
            Ok(()) => Ok(path),
            Err(e) => Err(Failure::new(
                FailureKind::Io,
                format!("cannot create {}: {e}", path.display()),
            )),
        }
    }
}

fn base() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let room =
        rustix::fs::statvfs(memory).is_ok_and(|s| s.f_bavail.saturating_mul(s.f_frsize) >= ROOM);
    if room && rustix::fs::access(memory, rustix::fs::Access::WRITE_OK).is_ok() {
        memory.to_owned()
    } else {
        std::env::temp_dir()
    }
}

/// Removes this user's folders of recorders that are no more.
fn sweep(base: &Path) {
    let Ok(entries) = fs::read_dir(base) else {
        return;
    };
    for entry in entries.flatten() {
        if owner(&entry.file_name()).is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists())
        {
            // Another user's folder stays: that is his to remove.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Process that made a folder of this name, if a recorder did.
fn owner(name: &OsString) -> Option<u32> {
    name.to_str()?
        .strip_prefix(PREFIX)?
        .split_once('.')?
        .0
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_the_dead_are_removed_and_no_others() {
        let base = tempfile::tempdir().unwrap();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        let dead = base.path().join(format!("{PREFIX}{}.abc", child.id()));
        let alive = base
            .path()
            .join(format!("{PREFIX}{}.abc", std::process::id()));
        let foreign = base.path().join("parascan.notes");
        for folder in [&dead, &alive, &foreign] {
            fs::create_dir(folder).unwrap();
        }
        sweep(base.path());
        assert!(!dead.exists() && alive.exists() && foreign.exists());
    }
}
