//! What all versions of the format share: checked, compressed sections behind a table, and a checksum over everything.

use std::io::Read;

use serde::{Serialize, de::DeserializeOwned};

use super::input::ByteInput;
use super::{FormatError, PREFIX_LEN};

/// Bytes of the header before the section table, the common prefix included.
const TABLE_START: u64 = 28;
/// Bytes of a row of the section table.
const ROW_LEN: u64 = 24;
/// Bytes after the last section.
const TRAILER_LEN: u64 = 12;
/// First bytes of the trailer.
const END_MARKER: [u8; 8] = *b"PSCANEND";
/// Longest section before compression.
const MAX_SECTION: u64 = 1 << 27;
/// Level of compression: the slowest that writes tens of megabytes in about a second.
const ZSTD_LEVEL: i32 = 9;

/// A section for messages; its kind in the file is its index plus 1.
#[derive(Debug)]
pub(super) struct Name {
    name: &'static str,
    mismatch: &'static str,
    unpackable: &'static str,
    unreadable: &'static str,
}

/// Messages about the section `$name`.
macro_rules! section_name {
    ($name:literal) => {
        Name {
            name: $name,
            mismatch: concat!("its ", $name, " section does not match its checksum"),
            unpackable: concat!("its ", $name, " section does not decompress to its length"),
            unreadable: concat!("its ", $name, " section is not what its version says"),
        }
    };
}

/// All sections: each version has the first of them.
static SECTIONS: [Name; 14] = [
    section_name!("run"),
    section_name!("program"),
    section_name!("contexts"),
    section_name!("tree"),
    section_name!("dependences"),
    section_name!("source facts"),
    section_name!("evidence"),
    section_name!("reductions"),
    section_name!("extents"),
    section_name!("bursts"),
    section_name!("intervals"),
    section_name!("texts and time"),
    section_name!("shapes"),
    section_name!("streams"),
];
/// Sections of version 1.
pub(super) static VERSION_1: &[Name] = SECTIONS.split_at(4).0;
/// Sections of version 2.
pub(super) static VERSION_2: &[Name] = SECTIONS.split_at(7).0;
/// Sections of version 3.
pub(super) static VERSION_3: &[Name] = SECTIONS.split_at(8).0;
/// Sections of version 4.
pub(super) static VERSION_4: &[Name] = SECTIONS.split_at(9).0;
/// Sections of version 5.
pub(super) static VERSION_5: &[Name] = SECTIONS.split_at(10).0;
/// Sections of version 6.
pub(super) static VERSION_6: &[Name] = SECTIONS.split_at(11).0;
/// Sections of version 7.
pub(super) static VERSION_7: &[Name] = SECTIONS.split_at(12).0;
/// Sections of version 8.
pub(super) static VERSION_8: &[Name] = SECTIONS.split_at(13).0;
/// Sections of version 9.
pub(super) static VERSION_9: &[Name] = &SECTIONS;

/// A row of the section table.
#[derive(Debug)]
struct SectionRow {
    checksum: u32,
    stored: u64,
    raw: u64,
}

/// A section ready to be written.
#[derive(Debug)]
pub(super) struct PackedSection {
    row: SectionRow,
    bytes: Vec<u8>,
}

/// A section's bytes as stored and its row in the table.
pub(super) fn pack(name: &Name, content: &impl Serialize) -> Result<PackedSection, FormatError> {
    let unwritable = |what| FormatError::Damaged { what, offset: 0 };
    let raw =
        postcard::to_stdvec(content).map_err(|_| unwritable("a section cannot be encoded"))?;
    let length = raw.len() as u64;
    if length > MAX_SECTION {
        return Err(FormatError::TooLarge {
            section: name.name,
            length,
            limit: MAX_SECTION,
        });
    }
    let bytes = zstd::bulk::compress(&raw, ZSTD_LEVEL)
        .map_err(|_| unwritable("a section cannot be compressed"))?;
    let row = SectionRow {
        checksum: crc32fast::hash(&bytes),
        stored: bytes.len() as u64,
        raw: length,
    };
    Ok(PackedSection { row, bytes })
}

fn header_len(sections: usize) -> u64 {
    TABLE_START + ROW_LEN * sections as u64 + 4
}

/// Appends everything that follows the common prefix, which is already in `out`.
pub(super) fn write(sections: &[PackedSection], out: &mut Vec<u8>) {
    let stored: u64 = sections.iter().map(|s| s.bytes.len() as u64).sum();
    out.extend((header_len(sections.len()) + stored + TRAILER_LEN).to_le_bytes());
    out.extend((sections.len() as u32).to_le_bytes());
    for (kind, PackedSection { row, .. }) in (1u32..).zip(sections) {
        out.extend(kind.to_le_bytes());
        out.extend(row.checksum.to_le_bytes());
        out.extend(row.stored.to_le_bytes());
        out.extend(row.raw.to_le_bytes());
    }
    let checksum = crc32fast::hash(&out[PREFIX_LEN..]);
    out.extend(checksum.to_le_bytes());
    debug_assert_eq!(out.len() as u64, header_len(sections.len()));
    for section in sections {
        out.extend(&section.bytes);
    }
    out.extend(END_MARKER);
    let checksum = crc32fast::hash(out);
    out.extend(checksum.to_le_bytes());
}

/// Reads sections one after the other, and then checks how the file ends.
pub(super) struct SectionReader<'a, R> {
    input: &'a mut ByteInput<R>,
    rows: std::iter::Zip<std::slice::Iter<'static, Name>, std::vec::IntoIter<SectionRow>>,
}

impl<'a, R: Read> SectionReader<'a, R> {
    /// Reads the table behind the common prefix.
    pub(super) fn new(
        input: &'a mut ByteInput<R>,
        names: &'static [Name],
    ) -> Result<Self, FormatError> {
        let rows = read_table(input, names)?;
        Ok(Self {
            input,
            rows: names.iter().zip(rows),
        })
    }

    /// Content of the next section.
    pub(super) fn next<T: DeserializeOwned>(&mut self) -> Result<T, FormatError> {
        let offset = self.input.offset();
        let damaged = |what| FormatError::Damaged { what, offset };
        let (name, row) = self
            .rows
            .next()
            .ok_or(damaged("a section is missing in its table"))?;
        let stored = self.input.exactly(row.stored as usize)?;
        if crc32fast::hash(&stored) != row.checksum {
            return Err(damaged(name.mismatch));
        }
        let raw = decompress(&stored, row.raw).ok_or(damaged(name.unpackable))?;
        match postcard::take_from_bytes(&raw) {
            Ok((content, [])) => Ok(content),
            _ => Err(damaged(name.unreadable)),
        }
    }

    /// Checks what stands behind the last section.
    pub(super) fn end(self) -> Result<(), FormatError> {
        let input = self.input;
        let end = input.offset();
        if input.array()? != END_MARKER {
            return Err(FormatError::Damaged {
                what: "the end marker is missing",
                offset: end,
            });
        }
        let expected = input.checksum();
        if input.u32()? != expected {
            return Err(FormatError::Damaged {
                what: "the file does not match its checksum",
                offset: 0,
            });
        }
        let offset = input.offset();
        if !input.up_to(1)?.is_empty() {
            return Err(FormatError::TrailingBytes { offset });
        }
        Ok(())
    }
}

fn read_table(
    input: &mut ByteInput<impl Read>,
    names: &[Name],
) -> Result<Vec<SectionRow>, FormatError> {
    let damaged = |what, offset| FormatError::Damaged { what, offset };
    let start = input.offset();
    let header_len = header_len(names.len());
    let header = input.exactly(header_len as usize - PREFIX_LEN)?;
    let (content, checksum) = header.split_at(header.len() - 4);
    if crc32fast::hash(content).to_le_bytes() != checksum {
        return Err(damaged("the header does not match its checksum", start));
    }
    // From here on the bytes are those that were written; what they say is checked all the same.
    let mut fields = ByteInput::new(content);
    let total = fields.u64()?;
    let unreadable = |fields: &ByteInput<_>| {
        damaged(
            "the section table is not one of its version",
            start + fields.offset(),
        )
    };
    if fields.u32()? != names.len() as u32 {
        return Err(unreadable(&fields));
    }
    let mut length = header_len + TRAILER_LEN;
    let mut table = Vec::with_capacity(names.len());
    for (kind, name) in (1u32..).zip(names) {
        let found = fields.u32()?;
        let row = SectionRow {
            checksum: fields.u32()?,
            stored: fields.u64()?,
            raw: fields.u64()?,
        };
        if row.raw > MAX_SECTION || row.stored > 2 * MAX_SECTION {
            let length = row.raw.max(row.stored);
            return Err(FormatError::TooLarge {
                section: name.name,
                length,
                limit: MAX_SECTION,
            });
        }
        length += row.stored;
        if found != kind {
            return Err(unreadable(&fields));
        }
        table.push(row);
    }
    if total != length {
        return Err(damaged(
            "the length of the file is not that of its sections",
            start,
        ));
    }
    input.expect_total(total);
    Ok(table)
}

/// Decompresses to exactly `length` bytes; memory grows with what comes out, not with `length`.
fn decompress(stored: &[u8], length: u64) -> Option<Vec<u8>> {
    let decoder = zstd::stream::read::Decoder::with_buffer(stored)
        .ok()?
        .single_frame();
    let mut raw = Vec::with_capacity(length.min(1 << 20) as usize);
    let mut limited = decoder.take(length + 1);
    limited.read_to_end(&mut raw).ok()?;
    let rest = limited.into_inner().finish();
    (raw.len() as u64 == length && rest.is_empty()).then_some(raw)
}
