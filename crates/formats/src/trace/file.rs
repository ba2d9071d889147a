//! Saved traces: chunks in a file, compressed, readable from its beginning as far as it goes.
//!
//! After [`MAGIC`] and the version (4 bytes, little endian, as all numbers) come entries: a mark (4: [`CHUNK`] or
//! [`END`]), the checksum of the rest of the entry (4, CRC-32), the length of what follows (4), and that many bytes. Of
//! a chunk, these are kind (4), process (4), thread (4), pid (4), tid (4), number of words (4), place in the stream
//! (8), time of its beginning (8), horizon (8), and its words, compressed by zstd. Of the end, they are the program's
//! wait status (4). A file without an end is partial: the run was killed, or the disk was full.

use std::io::{self, Read, Write};

use parascan_abi::trace::{CHUNK_WORDS, TRACE_VERSION};
use thiserror::Error;

use super::ChunkInfo;

/// First bytes of a saved trace.
pub const MAGIC: [u8; 8] = crate::magic::TRACE;
/// Mark of a chunk.
pub const CHUNK: [u8; 4] = *b"chnk";
/// Mark of the end.
pub const END: [u8; 4] = *b"end.";

/// Bytes of a chunk's description.
const DESCRIPTION: usize = 48;
/// Bytes before an entry's content.
const ENTRY: usize = 12;
/// More than any entry has.
const MAX_LENGTH: usize = DESCRIPTION + 2 * CHUNK_WORDS * 8;
/// The fastest level: tracing waits for it.
const LEVEL: i32 = 1;

/// Why a saved trace cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TraceError {
    /// Some other file.
    #[error("this is not a saved trace; record one with parascan ilp --save-trace FILE")]
    NotATrace,
    /// Of an older or a newer parascan.
    #[error(
        "the trace is of {} parascan (version {found}, this one reads version {TRACE_VERSION}); {}record again",
        if *found < TRACE_VERSION { "an older" } else { "a newer" },
        if *found < TRACE_VERSION { "" } else { "update parascan or " }
    )]
    OtherVersion {
        /// Its version.
        found: u32,
    },
    /// Bytes were changed.
    #[error("the trace is damaged at byte {offset}: {what}; copy it again or record again")]
    Damaged {
        /// What does not fit.
        what: &'static str,
        /// Where the entry begins.
        offset: u64,
    },
    /// Reading failed.
    #[error("cannot read the trace at byte {offset}: {error}")]
    Read {
        /// How far reading came.
        offset: u64,
        /// What the system said.
        error: io::Error,
    },
}

/// Writes a trace.
#[derive(Debug)]
pub struct TraceWriter<W> {
    to: W,
    bytes: Vec<u8>,
}

impl<W: Write> TraceWriter<W> {
    /// Begins a trace.
    ///
    /// # Errors
    /// Writing failed.
    pub fn new(mut to: W) -> io::Result<Self> {
        to.write_all(&MAGIC)?;
        to.write_all(&TRACE_VERSION.to_le_bytes())?;
        let bytes = Vec::new();
        Ok(Self { to, bytes })
    }

    /// Adds a chunk.
    ///
    /// # Errors
    /// Writing failed.
    pub fn chunk(&mut self, info: &ChunkInfo, words: &[u64]) -> io::Result<()> {
        self.bytes.clear();
        for word in words {
            self.bytes.extend_from_slice(&word.to_le_bytes());
        }
        let packed = zstd::bulk::compress(&self.bytes, LEVEL)?;
        let small = [
            u32::from(info.definitions),
            info.process,
            info.thread,
            info.pid,
            info.tid,
            words.len() as u32,
        ];
        let large = [info.sequence, info.stamp, info.horizon];
        self.bytes.clear();
        self.bytes
            .extend(small.iter().flat_map(|number| number.to_le_bytes()));
        self.bytes
            .extend(large.iter().flat_map(|number| number.to_le_bytes()));
        self.bytes.extend_from_slice(&packed);
        self.entry(CHUNK)
    }

    /// Ends the trace of a program with this wait status; gives back what was written to.
    ///
    /// # Errors
    /// Writing failed.
    pub fn finish(mut self, status: i32) -> io::Result<W> {
        self.bytes.clear();
        self.bytes.extend_from_slice(&status.to_le_bytes());
        self.entry(END)?;
        self.to.flush()?;
        Ok(self.to)
    }

    fn entry(&mut self, mark: [u8; 4]) -> io::Result<()> {
        self.to.write_all(&mark)?;
        self.to
            .write_all(&crc32fast::hash(&self.bytes).to_le_bytes())?;
        self.to
            .write_all(&(self.bytes.len() as u32).to_le_bytes())?;
        self.to.write_all(&self.bytes)
    }
}

/// Reads a trace.
#[derive(Debug)]
pub struct TraceReader<R> {
    from: R,
    offset: u64,
    end: Option<i32>,
    partial: bool,
}

impl<R: Read> TraceReader<R> {
    /// Begins to read.
    ///
    /// # Errors
    /// Not a trace, or one of another version.
    pub fn new(mut from: R) -> Result<Self, TraceError> {
        let mut head = [0; 12];
        let length = fill(&mut from, &mut head, 0)?;
        if length < head.len() || head[..8] != MAGIC {
            return Err(TraceError::NotATrace);
        }
        let found = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
        if found != TRACE_VERSION {
            return Err(TraceError::OtherVersion { found });
        }
        let offset = head.len() as u64;
        Ok(Self {
            from,
            offset,
            end: None,
            partial: false,
        })
    }

    /// The next chunk; its words replace those in `words`. None at the end of the trace, or of what there is of it
    /// ([`Self::partial`]).
    ///
    /// # Errors
    /// Damage, or reading failed.
    pub fn next(&mut self, words: &mut Vec<u64>) -> Result<Option<ChunkInfo>, TraceError> {
        if self.end.is_some() || self.partial {
            return Ok(None);
        }
        let offset = self.offset;
        let damaged = |what| Err(TraceError::Damaged { what, offset });
        let mut head = [0; ENTRY];
        if self.fill(&mut head)? < ENTRY {
            self.partial = true;
            return Ok(None);
        }
        let number =
            |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (mark, sum, length) = (&head[..4], number(4), number(8) as usize);
        if mark != CHUNK && mark != END {
            return damaged("no entry begins here");
        }
        if length > MAX_LENGTH {
            return damaged("the entry is longer than any can be");
        }
        let mut bytes = vec![0; length];
        if self.fill(&mut bytes)? < length {
            self.partial = true;
            return Ok(None);
        }
        if crc32fast::hash(&bytes) != sum {
            return damaged("the checksum is wrong");
        }
        if mark == END {
            let Ok(status) = bytes.as_slice().try_into() else {
                return damaged("the end has a wrong length");
            };
            let behind = self.offset;
            if self.fill(&mut [0])? > 0 {
                return Err(TraceError::Damaged {
                    what: "something follows its end",
                    offset: behind,
                });
            }
            self.end = Some(i32::from_le_bytes(status));
            return Ok(None);
        }
        let Some((info, count, packed)) = describe(&bytes) else {
            return damaged("the chunk's description is cut off");
        };
        if count > CHUNK_WORDS {
            return damaged("the chunk has more words than any can have");
        }
        let unpacked = zstd::bulk::decompress(packed, count * 8).unwrap_or_default();
        if unpacked.len() != count * 8 {
            return damaged("the chunk cannot be decompressed");
        }
        words.clear();
        let (list, _) = unpacked.as_chunks();
        words.extend(list.iter().map(|word| u64::from_le_bytes(*word)));
        Ok(Some(info))
    }

    /// Wait status of the program, after the last chunk of a complete trace.
    pub fn status(&self) -> Option<i32> {
        self.end
    }

    /// Whether the trace has no end; to be asked after the last chunk.
    pub fn partial(&self) -> bool {
        self.partial
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<usize, TraceError> {
        let length = fill(&mut self.from, bytes, self.offset)?;
        self.offset += length as u64;
        Ok(length)
    }
}

/// A chunk's description, number of words and compressed words.
fn describe(bytes: &[u8]) -> Option<(ChunkInfo, usize, &[u8])> {
    let (description, packed) = bytes.split_at_checked(DESCRIPTION)?;
    let small = |place: usize| {
        description[4 * place..]
            .first_chunk()
            .map(|bytes| u32::from_le_bytes(*bytes))
    };
    let large = |place: usize| {
        description[24 + 8 * place..]
            .first_chunk()
            .map(|bytes| u64::from_le_bytes(*bytes))
    };
    let info = ChunkInfo {
        definitions: small(0)? != 0,
        process: small(1)?,
        thread: small(2)?,
        pid: small(3)?,
        tid: small(4)?,
        sequence: large(0)?,
        stamp: large(1)?,
        horizon: large(2)?,
    };
    Some((info, small(5)? as usize, packed))
}

/// Reads until `bytes` is full or nothing more comes.
fn fill(from: &mut impl Read, bytes: &mut [u8], offset: u64) -> Result<usize, TraceError> {
    let mut done = 0;
    while done < bytes.len() {
        match from.read(&mut bytes[done..]) {
            Ok(0) => break,
            Ok(more) => done += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                return Err(TraceError::Read {
                    offset: offset + done as u64,
                    error,
                });
            }
        }
    }
    Ok(done)
}
