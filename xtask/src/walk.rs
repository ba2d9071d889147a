//! Files of the tree, folder by folder.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Files with one of these extensions in a folder and in those below it that are entered, in the order of their names.
pub fn files(
    folder: &Path,
    extensions: &[&str],
    enters: fn(&Path) -> bool,
) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        if path.is_dir() {
            if enters(&path) {
                found.extend(files(&path, extensions, enters)?);
            }
        } else if extensions.contains(&extension) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
