//! What can be wrong with the bytes of a profile, where, and what to do about it.

use std::fmt;

use thiserror::Error;

use crate::magic;
use crate::validate::Inconsistency;

/// Why bytes are not a readable profile.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FormatError {
    /// Nothing there.
    #[error("the profile is empty; record the program again: parascan record -- PROGRAM ARGS...")]
    Empty,
    /// Some other file.
    #[error("not a parascan profile but {0}; {remedy}", remedy = .0.remedy())]
    Foreign(ForeignFile),
    /// The end is missing.
    #[error("the profile ends at byte {offset}{}; it was not copied or written completely: copy it again or record again", expected(.total))]
    Truncated {
        /// Where the bytes ended.
        offset: u64,
        /// How many there should be, when that much is known.
        total: Option<u64>,
    },
    /// Written by a newer parascan.
    #[error("the profile has format version {version}, this parascan reads versions 1 to {newest}; update parascan or record again", newest = super::VERSION)]
    TooNew {
        /// Its version.
        version: u32,
    },
    /// Bytes were changed.
    #[error("the profile is damaged: {what} (byte {offset}); copy it again or record again")]
    Damaged {
        /// What does not fit.
        what: &'static str,
        /// Offset at which the damaged part begins.
        offset: u64,
    },
    /// Bytes after the end.
    #[error(
        "something follows the end of the profile at byte {offset}; copy it again or record again"
    )]
    TrailingBytes {
        /// Where the profile ends.
        offset: u64,
    },
    /// The bytes arrived as written, but what they say cannot be.
    #[error(
        "the profile contradicts itself: {0}; record again, and report this as a fault of parascan"
    )]
    Inconsistent(#[from] Inconsistency),
    /// A section larger than any reader accepts.
    #[error(
        "the {section} section of the profile needs {length} bytes, at most {limit} are possible; record fewer levels or exclude modules"
    )]
    TooLarge {
        /// Which section.
        section: &'static str,
        /// Its length before compression.
        length: u64,
        /// The limit.
        limit: u64,
    },
    /// Reading itself failed.
    #[error("cannot read the profile at byte {offset}: {error}")]
    Read {
        /// How far reading came.
        offset: u64,
        /// What the system said.
        error: std::io::Error,
    },
}

fn expected(total: &Option<u64>) -> String {
    total
        .map(|total| format!(" of {total}"))
        .unwrap_or_default()
}

/// Files that people confuse with profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignFile {
    /// A program, library or object file.
    Elf,
    /// The runtime's log of a run.
    Log,
    /// A recording of an OpenMP program.
    Recording,
    /// A saved trace.
    Trace,
    /// Text: source, JSON, a plan.
    Text,
    /// Something compressed.
    Compressed,
    /// Anything else.
    Other,
}

impl ForeignFile {
    /// Recognises a file by its first bytes.
    pub(super) fn recognise(start: &[u8]) -> Self {
        const GZIP: &[u8] = &[0x1f, 0x8b];
        const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
        const XZ: &[u8] = &[0xfd, b'7', b'z', b'X', b'Z'];
        if start.starts_with(b"\x7fELF") {
            Self::Elf
        } else if start.starts_with(&parascan_abi::log::MAGIC) {
            Self::Log
        } else if start.starts_with(&magic::RECORDING) {
            Self::Recording
        } else if start.starts_with(&magic::TRACE) {
            Self::Trace
        } else if [GZIP, ZSTD, XZ]
            .iter()
            .any(|magic| start.starts_with(magic))
        {
            Self::Compressed
        } else if is_text(start) {
            Self::Text
        } else {
            Self::Other
        }
    }

    fn remedy(self) -> &'static str {
        match self {
            Self::Elf => "run it first to get one: parascan record -- PROGRAM ARGS...",
            Self::Log => "`parascan record` turns it into one when the program ends: record again",
            Self::Recording => "`parascan phases` reads it",
            Self::Trace => "`parascan ilp --trace` reads it",
            Self::Compressed => "decompress it first",
            Self::Text | Self::Other => {
                "give the file that `parascan record` wrote (parascan.prof unless -o said otherwise)"
            }
        }
    }
}

impl fmt::Display for ForeignFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Elf => "a program, library or object file (ELF)",
            Self::Log => "the raw log of a run",
            Self::Recording => "a recording of an OpenMP program",
            Self::Trace => "a saved trace",
            Self::Text => "text",
            Self::Compressed => "a compressed file",
            Self::Other => "another kind of file",
        })
    }
}

/// Whether all bytes may be the start of UTF-8 text without control characters but white space.
fn is_text(start: &[u8]) -> bool {
    let complete = match std::str::from_utf8(start) {
        Ok(text) => text,
        // A character cut off at the end is no fault.
        Err(e) if e.error_len().is_none() => {
            str::from_utf8(&start[..e.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    !start.is_empty()
        && complete
            .chars()
            .all(|c| !c.is_control() || c.is_whitespace())
}
