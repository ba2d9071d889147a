//! Source files that profiles name: where they are, and their text.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use parascan_analysis::effort::{self, CodeLines};
use parascan_formats::profile::Profile;
use parascan_views::Source;

use crate::exit::{Failure, FailureKind, Outcome};

/// Longest source file read, in bytes.
const LARGEST: u64 = 32 << 20;
/// Most bytes read in all.
const TOTAL: u64 = 256 << 20;
/// What source files end with. Other files are not read: a profile may come from anyone and name any file, and what is
/// read may be handed on. Files of the C++ library, which end with nothing, count where they lie in a folder of
/// headers.
const EXTENSIONS: &[&str] = &[
    "c", "cc", "cp", "cpp", "cppm", "cxx", "c++", "cu", "def", "f", "f03", "f08", "f90", "f95",
    "for", "h", "hh", "hpp", "hxx", "h++", "i", "icc", "ii", "inc", "inl", "ipp", "ixx", "l", "ll",
    "m", "mm", "rs", "tcc", "tpp", "txx", "x", "xx", "y", "yy",
];

/// Where sources are looked for.
#[derive(Debug)]
pub struct SourceFolders {
    roots: Vec<PathBuf>,
}

impl SourceFolders {
    /// Below these folders first, then where the compiler found them.
    pub fn new(roots: &[PathBuf]) -> Outcome<Self> {
        for root in roots {
            if !root.is_dir() {
                return Err(Failure::new(
                    FailureKind::NoInput,
                    format!(
                        "--source-root {}: there is no such directory",
                        root.display()
                    ),
                ));
            }
        }
        Ok(Self {
            roots: roots.to_vec(),
        })
    }

    /// The files of all regions of these profiles.
    pub fn read(&self, profiles: &[Profile]) -> Vec<Source> {
        let mut left = TOTAL;
        let files = named(profiles).into_iter();
        let files = files.map(|(file, about)| self.source(file, &about, &mut left));
        files.collect()
    }

    /// Files that the debug information names, of a program that was recorded then (seconds since the epoch).
    pub fn of_program<'a>(
        &self,
        files: impl Iterator<Item = &'a str>,
        recorded: u64,
    ) -> Vec<Source> {
        let mut left = TOTAL;
        let about = NamedFile {
            directories: vec!["/"],
            recorded: Some(recorded),
        };
        files
            .map(|file| self.source(file, &about, &mut left))
            .collect()
    }

    fn source(&self, file: &str, about: &NamedFile, left: &mut u64) -> Source {
        let found = self.places(file, &about.directories).find(|p| p.is_file());
        let (text, changed) = match found {
            None if file.is_empty() => (
                Err("The program has no debug information here.".to_owned()),
                false,
            ),
            None => (
                Err(format!(
                    "{file} was not found; --source-root DIR says where to look."
                )),
                false,
            ),
            Some(path) => match text(&path, left) {
                Ok(text) => (Ok(text), is_newer(&path, about.recorded)),
                Err(why) => (Err(format!("{}: {why}", path.display())), false),
            },
        };
        Source {
            file: file.to_owned(),
            text,
            changed,
        }
    }

    /// Where a file may be, the likeliest first.
    fn places<'a>(
        &'a self,
        file: &'a str,
        directories: &'a [&str],
    ) -> impl Iterator<Item = PathBuf> + 'a {
        let parts: Vec<Component> = Path::new(file)
            .components()
            .filter(|c| matches!(c, Component::Normal(_)))
            .collect();
        let tails: Vec<PathBuf> = (0..parts.len())
            .map(|skip| parts[skip..].iter().collect())
            .collect();
        let below = self
            .roots
            .iter()
            .flat_map(move |root| tails.iter().map(|tail| root.join(tail)).collect::<Vec<_>>());
        let compiled = directories
            .iter()
            .map(move |directory| Path::new(directory).join(file));
        below.chain(compiled.filter(move |path| !file.is_empty() && path.is_absolute()))
    }
}

/// Which lines of the texts that were found are code.
pub fn code_lines(sources: &[Source]) -> effort::Sources {
    let found = sources.iter().filter_map(|source| {
        let text = source.text.as_ref().ok()?;
        Some((source.file.clone(), CodeLines::new(text)))
    });
    found.collect()
}

/// What is known of a file that regions name.
#[derive(Debug, Default)]
pub struct NamedFile<'a> {
    /// Where it was compiled, without repetition.
    pub directories: Vec<&'a str>,
    /// When the earliest profile was recorded, seconds since the epoch.
    pub recorded: Option<u64>,
}

/// The files that regions of these profiles name, and what the profiles know of each.
pub fn named(profiles: &[Profile]) -> BTreeMap<&str, NamedFile<'_>> {
    let mut files: BTreeMap<&str, NamedFile> = BTreeMap::new();
    for profile in profiles {
        let started = profile.provenance.started;
        for region in &profile.regions {
            let about = files.entry(&region.fixed.file).or_default();
            about.recorded = Some(about.recorded.map_or(started, |r| r.min(started)));
            let directory = profile
                .modules
                .get(region.module as usize)
                .map_or("", |m| &m.directory);
            if !about.directories.contains(&directory) {
                about.directories.push(directory);
            }
        }
    }
    files
}

/// The text of a file, bytes that are not UTF-8 replaced.
fn text(path: &Path, left: &mut u64) -> Result<String, String> {
    let bytes = bytes(path, left)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The text of a file as it is, to be changed.
pub fn exact(path: &Path) -> Result<String, String> {
    let bytes = bytes(path, &mut { LARGEST })?;
    String::from_utf8(bytes).map_err(|_| "it has bytes that are no UTF-8".to_owned())
}

fn bytes(path: &Path, left: &mut u64) -> Result<Vec<u8>, String> {
    if !is_source(path) {
        return Err("not read, because its name is not that of a source file".to_owned());
    }
    let limit = LARGEST.min(*left);
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(limit + 1).read_to_end(&mut bytes))
        .map_err(|e| e.to_string())?;
    if bytes.len() as u64 > limit {
        return Err(format!("longer than {} MiB", limit >> 20));
    }
    if bytes.contains(&0) {
        return Err("not a text".to_owned());
    }
    *left -= bytes.len() as u64;
    Ok(bytes)
}

/// Whether a file is one of source, by its name.
pub fn is_source(path: &Path) -> bool {
    match path.extension().and_then(|e| e.to_str()) {
        Some(extension) => EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str()),
        None => path.extension().is_none() && path.iter().any(|part| part == "include"),
    }
}

/// Whether a file was changed after a recording.
pub fn is_newer(path: &Path, recorded: Option<u64>) -> bool {
    let changed = fs::metadata(path).and_then(|m| m.modified());
    match (changed, recorded) {
        (Ok(changed), Some(recorded)) if recorded > 0 => {
            changed > UNIX_EPOCH + Duration::from_secs(recorded)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sources_are_read() {
        for name in ["a.c", "A.CPP", "/usr/include/c++/12/vector", "x/y.tcc"] {
            assert!(is_source(Path::new(name)), "{name}");
        }
        for name in [
            "/etc/shadow",
            ".ssh/id_rsa",
            "a.pem",
            "secrets.json",
            "Makefile",
            "c",
        ] {
            assert!(!is_source(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn places_are_tried_in_order_and_stay_below_the_root() {
        let places = SourceFolders {
            roots: vec!["/r".into()],
        };
        let tried: Vec<_> = places.places("../a/./b.c", &["/d", "relative"]).collect();
        assert_eq!(
            tried,
            ["/r/a/b.c", "/r/b.c", "/d/../a/./b.c"].map(PathBuf::from)
        );
        let tried: Vec<_> = places.places("/p/b.c", &["/d"]).collect();
        assert_eq!(tried, ["/r/p/b.c", "/r/b.c", "/p/b.c"].map(PathBuf::from));
        assert_eq!(places.places("", &["/d"]).count(), 0);
    }

    #[test]
    fn texts_are_limited_and_decoded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.c");
        fs::write(&path, b"int a\xff;\n").unwrap();
        let mut left = 10;
        assert_eq!(text(&path, &mut left).unwrap(), "int a\u{fffd};\n");
        assert_eq!(left, 2);
        assert!(text(&path, &mut left).unwrap_err().contains("longer"));
        fs::write(&path, b"\0").unwrap();
        assert_eq!(text(&path, &mut left).unwrap_err(), "not a text");
        assert_eq!(left, 2);
        assert!(
            is_newer(&path, Some(1))
                && !is_newer(&path, Some(u64::from(u32::MAX)))
                && !is_newer(&path, Some(0))
        );
    }
}
