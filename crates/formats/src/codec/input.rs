//! A stream that knows its offset and the checksum of what was read.

use std::io::{Read, Take};

use super::FormatError;

/// Bytes in, from front to back.
pub(super) struct ByteInput<R> {
    reader: R,
    offset: u64,
    /// Length of the whole profile, once known.
    total: Option<u64>,
    checksum: crc32fast::Hasher,
}

impl<R: Read> ByteInput<R> {
    pub(super) fn new(reader: R) -> Self {
        Self {
            reader,
            offset: 0,
            total: None,
            checksum: crc32fast::Hasher::new(),
        }
    }

    /// Offset of the next byte.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Sets the length to name when bytes are missing.
    pub(super) fn expect_total(&mut self, total: u64) {
        self.total = Some(total);
    }

    /// CRC-32 of all bytes so far.
    pub(super) fn checksum(&self) -> u32 {
        self.checksum.clone().finalize()
    }

    /// The next `length` bytes, fewer where the stream ends. Memory grows with what arrives, not with `length`.
    pub(super) fn up_to(&mut self, length: usize) -> Result<Vec<u8>, FormatError> {
        let mut bytes = Vec::with_capacity(length.min(1 << 16));
        let mut part: Take<&mut R> = self.reader.by_ref().take(length as u64);
        let result = part.read_to_end(&mut bytes);
        self.offset += bytes.len() as u64;
        self.checksum.update(&bytes);
        result.map_err(|error| FormatError::Read {
            offset: self.offset,
            error,
        })?;
        Ok(bytes)
    }

    /// The next `length` bytes.
    pub(super) fn exactly(&mut self, length: usize) -> Result<Vec<u8>, FormatError> {
        let bytes = self.up_to(length)?;
        if bytes.len() < length {
            return Err(FormatError::Truncated {
                offset: self.offset,
                total: self.total,
            });
        }
        Ok(bytes)
    }

    /// The next `N` bytes.
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], FormatError> {
        let bytes = self.exactly(N)?;
        Ok(bytes.try_into().unwrap_or([0; N]))
    }

    /// A little-endian number.
    pub(super) fn u32(&mut self) -> Result<u32, FormatError> {
        self.array().map(u32::from_le_bytes)
    }

    /// A little-endian number.
    pub(super) fn u64(&mut self) -> Result<u64, FormatError> {
        self.array().map(u64::from_le_bytes)
    }
}
