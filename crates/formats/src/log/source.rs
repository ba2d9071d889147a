//! Where a log's bytes come from, and numbers out of them.

use std::io;

use super::LogError;

/// A log that can be read at any offset. `record` implements it over the sparse file.
pub trait ReadAt {
    /// Fills `buffer` with the bytes from `offset` on.
    ///
    /// # Errors
    /// Whatever the system says; [`io::ErrorKind::UnexpectedEof`] when there are fewer bytes.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
}

impl<T: ReadAt + ?Sized> ReadAt for &T {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        (**self).read_at(offset, buffer)
    }
}

impl ReadAt for [u8] {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let start = usize::try_from(offset).ok();
        let bytes = start.and_then(|start| self.get(start..)?.get(..buffer.len()));
        buffer.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// Bytes of one entry of a table; fields are taken by the offsets of the ABI's structures.
#[derive(Clone, Copy)]
pub(super) struct RawEntry<'a>(pub(super) &'a [u8]);

impl RawEntry<'_> {
    fn array<const N: usize>(self, at: usize) -> [u8; N] {
        // Offsets come from `offset_of!` of the structure whose size the bytes have.
        self.0
            .get(at..)
            .and_then(|rest| rest.first_chunk())
            .copied()
            .unwrap_or([0; N])
    }

    pub(super) fn u32(self, at: usize) -> u32 {
        u32::from_le_bytes(self.array(at))
    }

    pub(super) fn u64(self, at: usize) -> u64 {
        u64::from_le_bytes(self.array(at))
    }

    pub(super) fn f64(self, at: usize) -> f64 {
        f64::from_le_bytes(self.array(at))
    }
}

/// `length` bytes from `offset`.
pub(super) fn bytes(
    source: &(impl ReadAt + ?Sized),
    offset: u64,
    length: usize,
) -> Result<Vec<u8>, LogError> {
    let mut buffer = vec![0; length];
    source
        .read_at(offset, &mut buffer)
        .map_err(|error| LogError::Read { offset, error })?;
    Ok(buffer)
}

/// A table of `count` entries of `size` bytes; `decode` gets the index and the bytes of each.
pub(super) fn table<T>(
    source: &(impl ReadAt + ?Sized),
    offset: u64,
    count: u32,
    size: usize,
    mut decode: impl FnMut(u32, RawEntry<'_>) -> Result<T, LogError>,
) -> Result<Vec<T>, LogError> {
    const AT_ONCE: u32 = 1 << 12;
    let mut entries = Vec::with_capacity(count.min(AT_ONCE) as usize);
    let mut first = 0;
    while first < count {
        let part = (count - first).min(AT_ONCE);
        let buffer = bytes(
            source,
            offset + u64::from(first) * size as u64,
            part as usize * size,
        )?;
        for (index, entry) in (first..).zip(buffer.chunks_exact(size)) {
            entries.push(decode(index, RawEntry(entry))?);
        }
        first += part;
    }
    Ok(entries)
}
