//! The files that the processes of a run left in a folder, a file or more for each.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::exit::{Failure, FailureKind, Outcome};

/// Files of a folder, those of the process `first` first, then in the order in which processes started. `process` says
/// by a file's name which process left it, and which one it is among the files of that; none for other files.
///
/// # Errors
/// The folder cannot be listed.
pub fn in_order(
    folder: &Path,
    first: i32,
    process: impl Fn(&str) -> Option<(u32, u32)>,
) -> Outcome<Vec<PathBuf>> {
    let cannot = |e: io::Error| {
        Failure::new(
            FailureKind::Io,
            format!("cannot list {}: {e}", folder.display()),
        )
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        if let Some((pid, number)) = entry.file_name().to_str().and_then(&process) {
            // Process ids grow, and start again from below at some point.
            files.push((pid.wrapping_sub(first as u32), number, entry.path()));
        }
    }
    files.sort();
    Ok(files.into_iter().map(|(.., path)| path).collect())
}
