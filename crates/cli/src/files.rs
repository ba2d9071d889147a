//! Files of programs, for whoever finds functions and lines in them.

use std::fs::{self, File};
use std::path::Path;

use memmap2::Mmap;
use parascan_symbols::Files;
use typed_arena::Arena;

/// Files on disk; what was mapped stays so.
#[derive(Default)]
pub struct DiskFiles {
    mapped: Arena<Mmap>,
    kept: Arena<Vec<u8>>,
}

impl std::fmt::Debug for DiskFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DiskFiles")
            .field("mapped", &self.mapped.len())
            .finish_non_exhaustive()
    }
}

impl Files for DiskFiles {
    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        // What is no regular file may have no end: pipes, devices.
        path.is_file().then(|| fs::read(path).ok())?
    }

    fn map(&self, path: &Path) -> Option<&[u8]> {
        let file = path.is_file().then(|| File::open(path).ok())??;
        // SAFETY: nobody can promise that no other process writes to the file. Who reads these bytes expects anything
        // of them; a file that is cut off meanwhile ends this process with SIGBUS, as with every tool that maps debug
        // information.
        let map = unsafe { Mmap::map(&file) }.ok()?;
        Some(self.mapped.alloc(map))
    }

    fn keep(&self, bytes: Vec<u8>) -> &[u8] {
        self.kept.alloc(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let (full, empty) = (folder.path().join("full"), folder.path().join("empty"));
        fs::write(&full, b"bytes").unwrap();
        fs::write(&empty, b"").unwrap();
        let files = DiskFiles::default();
        assert_eq!(files.read(&full).as_deref(), Some(&b"bytes"[..]));
        assert_eq!(files.map(&full), Some(&b"bytes"[..]));
        assert_eq!(files.map(&empty), Some(&b""[..]));
        for other in [
            folder.path(),
            Path::new("/dev/zero"),
            Path::new("/nonexistent"),
        ] {
            assert_eq!((files.read(other), files.map(other)), (None, None));
        }
    }
}
