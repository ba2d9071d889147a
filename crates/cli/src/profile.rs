//! Profiles from files.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use parascan_formats::codec::{FormatError, decode_from};
use parascan_formats::profile::Profile;

use crate::exit::{Failure, FailureKind, Outcome};

/// Reads the profiles in these files.
pub fn read_all(paths: &[PathBuf]) -> Outcome<Vec<Profile>> {
    if paths.iter().filter(|p| p.as_os_str() == "-").count() > 1 {
        return Err(Failure::new(
            FailureKind::Usage,
            "standard input (-) can be read only once",
        ));
    }
    paths.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> Outcome<Profile> {
    if path.as_os_str() == "-" {
        return decode_from(io::stdin().lock()).map_err(|e| bad("standard input", &e));
    }
    let shown = path.display().to_string();
    let file = File::open(path).map_err(|e| {
        Failure::new(
            FailureKind::NoInput,
            format!("{shown}: {e}; `parascan record` writes profiles"),
        )
    })?;
    decode_from(BufReader::new(file)).map_err(|e| bad(&shown, &e))
}

fn bad(shown: &str, error: &FormatError) -> Failure {
    if let FormatError::Read { error, .. } = error
        && error.kind() == io::ErrorKind::IsADirectory
    {
        let message = format!("{shown} is a directory; give the file that `parascan record` wrote");
        return Failure::new(FailureKind::NoInput, message);
    }
    let kind = match error {
        FormatError::Empty => FailureKind::EmptyProfile,
        FormatError::Truncated { .. } => FailureKind::TruncatedProfile,
        FormatError::TooNew { .. } => FailureKind::NewerProfile,
        FormatError::Read { .. } => FailureKind::NoInput,
        _ => FailureKind::BadProfile,
    };
    Failure::new(kind, format!("{shown}: {error}"))
}
