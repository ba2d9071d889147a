//! Objects of earlier links, which need not be compiled again: beside what is linked, under a name made of all that
//! they follow from.

use std::ffi::{OsStr, OsString};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use crate::installation::Installation;
use crate::latencies;

/// Where objects are kept.
#[derive(Debug)]
pub struct KeptObjects {
    folder: PathBuf,
    /// What all objects of one link follow from.
    options: Vec<OsString>,
}

impl KeptObjects {
    /// For a link with these arguments; none where its output is not known, or nothing can be kept beside it.
    pub fn beside_output(arguments: &[OsString], level: &OsStr) -> Option<Self> {
        let at = arguments.iter().position(|a| a == "-o")?;
        let folder = Path::new(arguments.get(at + 1)?).parent()?;
        let folder = folder.join("parascan-objects");
        std::fs::create_dir_all(&folder).ok()?;
        let mut options: Vec<OsString> = std::env::vars_os()
            .filter(|(name, _)| name.to_string_lossy().starts_with("PARASCAN_"))
            .map(|(mut name, value)| {
                name.push("=");
                name.push(value);
                name
            })
            .collect();
        options.sort();
        // A table of latencies is another when its file changes.
        let table = std::env::var_os(latencies::ENV).and_then(|name| std::fs::read(name).ok());
        options.extend(table.map(OsString::from_vec));
        options.push(level.to_owned());
        // Another pass makes other objects.
        let pass = Installation::find().ok()?.file("libparascan_pass.so");
        let pass = std::fs::metadata(&pass).ok()?;
        let changed = pass.modified().ok()?;
        options.push(format!("{} {changed:?}", pass.len()).into());
        Some(Self { folder, options })
    }

    /// Where the object of this bitcode is, or will be.
    pub fn place(&self, bitcode: &[u8]) -> PathBuf {
        let half = |number: u8| {
            let mut hasher = DefaultHasher::new();
            (number, &self.options, bitcode).hash(&mut hasher);
            hasher.finish()
        };
        self.folder
            .join(format!("{:016x}{:016x}.o", half(0), half(1)))
    }

    /// Keeps an object; where that fails the next link compiles again.
    pub fn keep(&self, object: &Path, place: &Path) {
        let new = place.with_extension(format!("{}.new", std::process::id()));
        let kept = std::fs::copy(object, &new).and_then(|_| std::fs::rename(&new, place));
        if kept.is_err() {
            // Nobody else looks at it.
            let _ = std::fs::remove_file(&new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_have_the_name_of_all_that_they_follow_from() {
        let kept = |options: &[&str]| KeptObjects {
            folder: PathBuf::from("x"),
            options: options.iter().map(OsString::from).collect(),
        };
        let one = kept(&["-O2"]).place(b"BC one");
        assert_eq!(one, kept(&["-O2"]).place(b"BC one"));
        assert_ne!(one, kept(&["-O3"]).place(b"BC one"));
        assert_ne!(one, kept(&["-O2"]).place(b"BC two"));
        assert_eq!(one.parent(), Some(Path::new("x")));
    }

    #[test]
    fn what_cannot_be_kept_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let (object, place) = (folder.path().join("a.o"), folder.path().join("b.o"));
        let objects = KeptObjects {
            folder: folder.path().to_owned(),
            options: Vec::new(),
        };
        objects.keep(&object, &place);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        std::fs::write(&object, "code").unwrap();
        objects.keep(&object, &place);
        assert_eq!(std::fs::read(&place).unwrap(), b"code");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
