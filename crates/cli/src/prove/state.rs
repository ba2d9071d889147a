//! What was found out so far, kept in a folder beside the builds, so that an interrupted proof goes on where it
//! stopped.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use parascan_analysis::proof::Proof;
use parascan_formats::source::Fingerprint;
use serde::{Deserialize, Serialize};

use crate::exit::{Failure, FailureKind, Outcome};

/// The file with everything but the builds.
const NAME: &str = "state.json";

/// All that an interrupted proof leaves to the one that goes on with it, but for the builds.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ProofState {
    /// Exit code of the serial program; none before that was built and run.
    pub code: Option<i32>,
    /// Seconds of its first run.
    pub first: f64,
    /// What is to be printed in the end; none before the plan is made.
    pub proof: Option<Proof>,
}

/// The folder, which goes away unless the proof was interrupted.
#[derive(Debug)]
pub struct ProofFolder {
    path: PathBuf,
    /// Held as long as this process works here.
    _lock: File,
    keep: bool,
}

impl ProofFolder {
    /// The folder for a proof that is described by these words, and what it has.
    pub fn open(description: &str) -> Outcome<(Self, ProofState)> {
        let Fingerprint { bytes, checksum } = Fingerprint::of(description.as_bytes());
        let path = base().join(format!("prove-{bytes:x}-{checksum:08x}"));
        let cannot = |e: std::io::Error| {
            let shown = path.display();
            Failure::new(
                FailureKind::CannotCreate,
                format!(
                    "cannot work in {shown}: {e}; set XDG_CACHE_HOME to a folder with room for copies of the source tree"
                ),
            )
        };
        fs::create_dir_all(&path).map_err(cannot)?;
        let lock = File::open(&path).map_err(cannot)?;
        if lock.try_lock().is_err() {
            return Err(Failure::new(
                FailureKind::Usage,
                "the same proof is running already".to_owned(),
            ));
        }
        // What cannot be read is made anew.
        let state = fs::read(path.join(NAME)).ok();
        let state = state.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let folder = Self {
            path,
            _lock: lock,
            keep: false,
        };
        Ok((folder, state.unwrap_or_default()))
    }

    /// The file in which the interrupted proof is kept.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps what is known by now.
    pub fn save(&self, state: &ProofState) -> Outcome<()> {
        let text = serde_json::to_vec(state).expect("plain data becomes JSON");
        let new = self.path.join("state.new");
        fs::write(&new, text)
            .and_then(|()| fs::rename(&new, self.path.join(NAME)))
            .map_err(|e| {
                let shown = self.path.display();
                Failure::new(FailureKind::Io, format!("cannot write into {shown}: {e}"))
            })
    }

    /// Has the folder stay when the proof ends.
    pub fn keep(&mut self) {
        self.keep = true;
    }
}

impl Drop for ProofFolder {
    fn drop(&mut self) {
        if !self.keep {
            let _ = fs::remove_dir_all(&self.path);
            // Others may be at work beside it.
            let _ = self.path.parent().map(fs::remove_dir);
        }
    }
}

/// Where work is kept that can be done again.
pub fn base() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let cache = set("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || set("HOME").map(|home| Path::new(&home).join(".cache"));
    let found = cache.filter(|path| path.is_absolute()).or_else(home);
    let found = found.unwrap_or_else(std::env::temp_dir);
    found.canonicalize().unwrap_or(found).join("parascan")
}

/// Names, sizes and times of all files of a tree, in one number: another tree has another one.
pub fn listing(root: &Path) -> String {
    let mut lines = Vec::new();
    list(root, &base(), &mut lines);
    lines.sort_unstable();
    let Fingerprint { bytes, checksum } = Fingerprint::of(lines.concat().as_bytes());
    format!("{bytes} {checksum}")
}

fn list(folder: &Path, base: &Path, lines: &mut Vec<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(metadata) = fs::symlink_metadata(&path) else {
            continue;
        };
        if path == base {
            continue;
        }
        if metadata.is_dir() {
            list(&path, base, lines);
        } else {
            let (seconds, nanoseconds) = (metadata.mtime(), metadata.mtime_nsec());
            let size = metadata.len();
            lines.push(format!("{path:?} {size} {seconds}.{nanoseconds}\n"));
        }
    }
}
