//! Bytes of files, as whoever reads them gives them to this crate.

#[cfg(test)]
use std::collections::HashMap;
use std::fmt::Debug;
use std::path::Path;

/// Gives the bytes of files. One that cannot be read, or is no regular file, is the same as one that is not there: what
/// it would have told stays unknown.
pub trait Files: Debug {
    /// A copy of what the file holds now. For files that may be changed in the meantime: the program that is looked at
    /// runs.
    fn read(&self, path: &Path) -> Option<Vec<u8>>;

    /// What the file holds, to be looked at here and there, as long as this lives.
    fn map(&self, path: &Path) -> Option<&[u8]>;

    /// Keeps bytes that were made from such a file as long as this lives.
    fn keep(&self, bytes: Vec<u8>) -> &[u8];
}

/// A system in which no file can be read.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &Path) -> Option<Vec<u8>> {
        None
    }

    fn map(&self, _: &Path) -> Option<&[u8]> {
        None
    }

    /// There is nothing that they could be of.
    fn keep(&self, _: Vec<u8>) -> &[u8] {
        &[]
    }
}

/// What `fixtures/make.sh` made, as if in `/shapes`.
#[cfg(test)]
#[derive(Debug)]
pub struct Fixtures(HashMap<&'static Path, &'static [u8]>);

#[cfg(test)]
impl Fixtures {
    /// Every file that tests read, by its path in `/shapes`.
    pub fn all() -> Self {
        macro_rules! files {
            ($($name:literal),*) => {
                [$((
                    Path::new(concat!("/shapes/", $name)),
                    &include_bytes!(concat!("../fixtures/", $name))[..],
                )),*]
            };
        }
        Self(HashMap::from(files!(
            "shapes.c",
            "whole.so",
            "compressed.so",
            "stripped.so",
            "stripped.debug",
            "split.so",
            "split.dwo",
            "split.so.dwp",
            "program"
        )))
    }

    /// The files whose paths end with one of these names.
    pub fn of(names: &[&str]) -> Self {
        let mut files = Self::all();
        let of_name = |path: &Path| names.iter().any(|name| path.ends_with(name));
        files.0.retain(|path, _| of_name(path));
        files
    }
}

#[cfg(test)]
impl Files for Fixtures {
    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        self.map(path).map(<[u8]>::to_vec)
    }

    fn map(&self, path: &Path) -> Option<&[u8]> {
        self.0.get(path).copied()
    }

    fn keep(&self, bytes: Vec<u8>) -> &[u8] {
        bytes.leak()
    }
}
