//! Recordings as bytes: the file `parascan.omp`.
//!
//! A head of 40 bytes ([`MAGIC`], version, length and checksum of what follows, length before compression, and the
//! head's own checksum), then the recording in postcard's encoding, compressed with zstd. Every version keeps its
//! reader.

use std::io::Read;

use thiserror::Error;

use super::v1::Recording1;
use super::v2::Recording2;
use super::v3::Recording3;
use super::{Contradiction, Recording};
use crate::magic;

/// First bytes of every recording.
pub const MAGIC: [u8; 8] = magic::RECORDING;
/// The format version that [`encode`] writes.
pub const VERSION: u32 = 4;
/// Length of the head.
const HEAD: usize = 40;
/// Longest recording before compression.
const LIMIT: u64 = 1 << 31;
/// Level of compression: snapshots repeat themselves, higher levels gain little.
const ZSTD_LEVEL: i32 = 6;

/// Why bytes are not a readable recording.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// Nothing there.
    #[error("the recording is empty; record the program again: parascan omp -- PROGRAM ARGS...")]
    Empty,
    /// Some other file.
    #[error(
        "not a recording of an OpenMP program but {0}; give the file that `parascan omp` wrote (parascan.omp unless -o said otherwise)"
    )]
    Foreign(&'static str),
    /// The end is missing.
    #[error(
        "the recording ends at byte {length} of {expected}; it was not copied or written completely: copy it again or record again"
    )]
    Truncated {
        /// Bytes there are.
        length: u64,
        /// Bytes there should be.
        expected: u64,
    },
    /// Written by a newer parascan.
    #[error(
        "the recording has format version {0}, this parascan reads version {VERSION}; update parascan or record again"
    )]
    TooNew(u32),
    /// Bytes were changed.
    #[error("the recording is damaged: {0}; copy it again or record again")]
    Damaged(&'static str),
    /// Longer than any reader accepts.
    #[error("the recording needs {0} bytes, at most {LIMIT} are possible; record a shorter run")]
    TooLarge(u64),
    /// The bytes arrived as written, but what they say cannot be.
    #[error(
        "the recording contradicts itself: {0}; record again, and report this as a fault of parascan"
    )]
    Inconsistent(#[from] Contradiction),
}

/// The recording's bytes; equal recordings give equal bytes.
///
/// # Errors
/// [`FileError::Inconsistent`] or [`FileError::TooLarge`] when no reader would accept them.
pub fn encode(recording: &Recording) -> Result<Vec<u8>, FileError> {
    recording.validate()?;
    let raw =
        postcard::to_stdvec(recording).map_err(|_| FileError::Damaged("it cannot be encoded"))?;
    if raw.len() as u64 > LIMIT {
        return Err(FileError::TooLarge(raw.len() as u64));
    }
    let stored = zstd::bulk::compress(&raw, ZSTD_LEVEL)
        .map_err(|_| FileError::Damaged("it cannot be compressed"))?;
    let mut bytes = Vec::with_capacity(HEAD + stored.len());
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(crc32fast::hash(&stored).to_le_bytes());
    bytes.extend((stored.len() as u64).to_le_bytes());
    bytes.extend((raw.len() as u64).to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    debug_assert_eq!(bytes.len(), HEAD);
    bytes.extend(stored);
    Ok(bytes)
}

/// Reads a recording.
///
/// # Errors
/// See [`FileError`]; no input makes this panic or allocate without bound.
pub fn decode(bytes: &[u8]) -> Result<Recording, FileError> {
    if bytes.is_empty() {
        return Err(FileError::Empty);
    }
    let common = bytes.len().min(MAGIC.len());
    if bytes[..common] != MAGIC[..common] {
        return Err(FileError::Foreign(foreign(bytes)));
    }
    let Some((head, stored)) = bytes.split_first_chunk::<HEAD>() else {
        return Err(FileError::Truncated {
            length: bytes.len() as u64,
            expected: HEAD as u64,
        });
    };
    let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
    if crc32fast::hash(&head[..HEAD - 4]) != word(HEAD - 4) {
        return Err(FileError::Damaged("its head does not match its checksum"));
    }
    let version = word(8);
    if !(1..=VERSION).contains(&version) {
        return Err(FileError::TooNew(version));
    }
    let (length, raw_length) = (long(16), long(24));
    if raw_length > LIMIT {
        return Err(FileError::TooLarge(raw_length));
    }
    let expected = length.saturating_add(HEAD as u64);
    if (bytes.len() as u64) < expected {
        let length = bytes.len() as u64;
        return Err(FileError::Truncated { length, expected });
    }
    if bytes.len() as u64 > expected {
        return Err(FileError::Damaged("something follows its end"));
    }
    if crc32fast::hash(stored) != word(12) {
        return Err(FileError::Damaged(
            "its content does not match its checksum",
        ));
    }
    let raw = decompress(stored, raw_length)
        .ok_or(FileError::Damaged("its content cannot be decompressed"))?;
    let read = match version {
        1 => postcard::take_from_bytes::<Recording1>(&raw).map(|(old, rest)| (old.into(), rest)),
        2 => postcard::take_from_bytes::<Recording2>(&raw).map(|(old, rest)| (old.into(), rest)),
        3 => postcard::take_from_bytes::<Recording3>(&raw).map(|(old, rest)| (old.into(), rest)),
        _ => postcard::take_from_bytes::<Recording>(&raw),
    };
    match read {
        Ok((recording, [])) => {
            recording.validate()?;
            Ok(recording)
        }
        _ => Err(FileError::Damaged(
            "its content is not what its version says",
        )),
    }
}

/// Decompresses to exactly `length` bytes; memory grows with what comes out, not with `length`.
fn decompress(stored: &[u8], length: u64) -> Option<Vec<u8>> {
    let decoder = zstd::stream::read::Decoder::with_buffer(stored).ok()?;
    let mut raw = Vec::with_capacity(length.min(1 << 20) as usize);
    decoder.take(length + 1).read_to_end(&mut raw).ok()?;
    (raw.len() as u64 == length).then_some(raw)
}

/// What a file is that people confuse with a recording.
fn foreign(start: &[u8]) -> &'static str {
    if start.starts_with(b"\x7fELF") {
        "a program, library or object file"
    } else if start.starts_with(&magic::PROFILE) {
        "a profile of `parascan record`, which `parascan plan` reads"
    } else if start.starts_with(&magic::TRACE) {
        "a trace, which `parascan ilp --trace` reads"
    } else if start.starts_with(&parascan_abi::omp::MAGIC) {
        "the raw log of a run"
    } else {
        "another kind of file"
    }
}
