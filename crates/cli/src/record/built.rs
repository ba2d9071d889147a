//! Whether a program was built with parascan, as far as its file tells before it runs.
//!
//! Whatever contains the runtime, or needs it from another file, has the name of the function that modules register
//! with, or of the variable that switches recording on, even if it was stripped. Scripts, and programs with libraries
//! that are not found, may be instrumented or not.

use std::cell::Cell;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use parascan_abi::log::ENV_DIR;
use parascan_symbols::elf_file::ElfFile;

use crate::process::lookup;

/// Function of the runtime that every instrumented module calls.
const REGISTER: &[u8] = b"__ps_register";
/// Section with the calls of functions that have native versions.
const SITES: &str = "ps_sites";
/// Section of code without native versions.
const EXACT: &str = "ps_exact";
/// Larger files are not looked at.
const MOST_BYTES: u64 = 64 << 20;
/// More libraries are not looked at.
const MOST_FILES: usize = 64;
/// Where libraries are that no path names.
const USUAL: [&str; 6] = [
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
];

/// Whether neither the program nor a library that it needs was built with parascan. False where that cannot be known.
pub fn surely_not(program: &Path) -> bool {
    lookup::find(program.as_os_str()).is_some_and(|path| without(&path) == Some(true))
}

/// Whether the program or a library that it needs surely was.
pub fn surely(program: &Path) -> bool {
    without(program) == Some(false)
}

/// Whether the program and the libraries that it needs can be recorded in bursts: one of them was built for that, and
/// none for exact recordings alone. None: not known.
pub fn is_for_bursts(program: &Path) -> Option<bool> {
    let path = lookup::find(program.as_os_str())?;
    let native = Cell::new(false);
    let exact = any(&path, |bytes| {
        native.set(native.get() || has_section(bytes, SITES));
        has_section(bytes, EXACT)
    })?;
    Some(native.get() && !exact)
}

fn has_section(bytes: &[u8], name: &str) -> bool {
    ElfFile::parse(bytes).is_some_and(|file| file.has_section(name))
}

/// None: not known.
fn without(program: &Path) -> Option<bool> {
    let runtime = |bytes: &[u8]| contains(bytes, REGISTER) || contains(bytes, ENV_DIR.as_bytes());
    any(program, runtime).map(|found| !found)
}

/// Whether something holds for the program or a library that it needs. None: not known.
fn any(program: &Path, holds: impl Fn(&[u8]) -> bool) -> Option<bool> {
    if std::env::var_os("LD_PRELOAD").is_some_and(|libraries| !libraries.is_empty()) {
        return None;
    }
    let mut files = vec![program.to_owned()];
    let mut next = 0;
    while let Some(path) = files.get(next).cloned() {
        let bytes = read(&path)?;
        if holds(&bytes) {
            return Some(true);
        }
        for library in libraries(&path, &bytes)? {
            if !files.contains(&library) {
                files.push(library);
            }
        }
        next += 1;
        if next > MOST_FILES {
            return None;
        }
    }
    Some(false)
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path).ok()?;
    let regular = file.metadata().ok().filter(fs::Metadata::is_file)?;
    if regular.len() > MOST_BYTES {
        return None;
    }
    file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|part| part == word)
}

/// The libraries that a file needs; None if it is no program of this kind of machine, or one of them is not found.
fn libraries(path: &Path, bytes: &[u8]) -> Option<Vec<PathBuf>> {
    let file = ElfFile::parse(bytes).filter(ElfFile::is_x86_64)?;
    let linking = file.linking()?;
    let mut folders: Vec<PathBuf> = Vec::new();
    let origin = path.parent().unwrap_or(Path::new("/"));
    for paths in &linking.folders {
        let origin = origin.to_string_lossy();
        let text = paths
            .to_string_lossy()
            .replace("${ORIGIN}", &origin)
            .replace("$ORIGIN", &origin);
        folders.extend(text.split(':').map(PathBuf::from));
    }
    if let Some(more) = std::env::var_os("LD_LIBRARY_PATH") {
        folders.extend(std::env::split_paths(&more));
    }
    folders.extend(USUAL.map(PathBuf::from));
    let found = linking.needed.iter().map(|name| {
        folders
            .iter()
            .map(|folder| folder.join(name))
            .find(|path| path.is_file())
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_known() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("script");
        fs::write(&script, "#!/bin/sh\n").unwrap();
        assert_eq!(without(&script), None);
        assert!(!surely_not(&script));
        assert!(!surely_not(Path::new("/nowhere/at/all")));
        assert!(!surely_not(Path::new("no-such-command-anywhere")));
        // A program of the system.
        assert!(surely_not(Path::new("env")));
        assert!(surely_not(Path::new("/usr/bin/env")));
        let mut changed = fs::read("/usr/bin/env").unwrap();
        changed.extend(b"\0__ps_register\0");
        let path = folder.path().join("env");
        fs::write(&path, changed).unwrap();
        assert_eq!(without(&path), Some(false));
    }
}
