//! Source lines of addresses, from DWARF.

use std::path::Path;

use parascan_views::ilp::SourceLine;

/// The lines of one file, read when the first is asked for.
pub struct Lines {
    loader: Option<addr2line::Loader>,
}

impl Lines {
    /// Of the file at a path, or of its separate debug file.
    pub fn read(path: &Path, debug_file: Option<&Path>) -> Self {
        Self {
            loader: addr2line::Loader::new(debug_file.unwrap_or(path)).ok(),
        }
    }

    /// Of nothing.
    pub fn none() -> Self {
        Self { loader: None }
    }

    /// The line of an address, as the file has it.
    pub fn at(&self, address: u64) -> Option<SourceLine> {
        let location = self.loader.as_ref()?.find_location(address).ok()??;
        Some(SourceLine {
            file: location.file?.to_owned(),
            line: location.line.filter(|line| *line > 0)?,
        })
    }
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lines")
            .field("found", &self.loader.is_some())
            .finish()
    }
}
