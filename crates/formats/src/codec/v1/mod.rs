//! Format version 1: four checked, compressed sections behind a table, and a checksum over everything.

mod capped;
mod from_wire;
mod to_wire;
mod wire;

use std::io::Read;

use serde::{Serialize, de::DeserializeOwned};

use super::input::Input;
use super::{FormatError, PREFIX_LEN};
use crate::profile::Profile;

/// Bytes from the start of the file to the first section.
const HEADER_LEN: u64 = 128;
/// Bytes after the last section.
const TRAILER_LEN: u64 = 12;
/// First bytes of the trailer.
const END_MARKER: [u8; 8] = *b"PSCANEND";
/// Longest section before compression.
const MAX_SECTION: u64 = 1 << 27;
/// Names of the sections for messages; the kind of a section is its index plus 1.
const SECTIONS: [&str; 4] = ["run", "program", "contexts", "tree"];
/// Level of compression: the slowest that writes tens of megabytes in about a second.
const ZSTD_LEVEL: i32 = 9;

/// A row of the section table.
struct Section {
    checksum: u32,
    stored: u64,
    raw: u64,
}

/// Appends everything that follows the common prefix, which is already in `out`.
pub(super) fn write(profile: &Profile, out: &mut Vec<u8>) -> Result<(), FormatError> {
    let sections = [
        section(0, &to_wire::run(profile))?,
        section(1, &to_wire::program(profile))?,
        section(2, &to_wire::contexts(&profile.contexts))?,
        section(3, &to_wire::tree(&profile.tree))?,
    ];
    let stored: u64 = sections.iter().map(|(_, bytes)| bytes.len() as u64).sum();
    out.extend((HEADER_LEN + stored + TRAILER_LEN).to_le_bytes());
    out.extend((SECTIONS.len() as u32).to_le_bytes());
    for (kind, (row, _)) in (1u32..).zip(&sections) {
        out.extend(kind.to_le_bytes());
        out.extend(row.checksum.to_le_bytes());
        out.extend(row.stored.to_le_bytes());
        out.extend(row.raw.to_le_bytes());
    }
    let checksum = crc32fast::hash(&out[PREFIX_LEN..]);
    out.extend(checksum.to_le_bytes());
    debug_assert_eq!(out.len() as u64, HEADER_LEN);
    for (_, bytes) in &sections {
        out.extend(bytes);
    }
    out.extend(END_MARKER);
    let checksum = crc32fast::hash(out);
    out.extend(checksum.to_le_bytes());
    Ok(())
}

/// A section's bytes as stored and its row in the table.
fn section(index: usize, content: &impl Serialize) -> Result<(Section, Vec<u8>), FormatError> {
    let unwritable = |what| FormatError::Damaged { what, offset: 0 };
    let raw =
        postcard::to_stdvec(content).map_err(|_| unwritable("a section cannot be encoded"))?;
    let length = raw.len() as u64;
    if length > MAX_SECTION {
        return Err(FormatError::TooLarge {
            section: SECTIONS[index],
            length,
            limit: MAX_SECTION,
        });
    }
    let stored = zstd::bulk::compress(&raw, ZSTD_LEVEL)
        .map_err(|_| unwritable("a section cannot be compressed"))?;
    let row = Section {
        checksum: crc32fast::hash(&stored),
        stored: stored.len() as u64,
        raw: length,
    };
    Ok((row, stored))
}

/// Reads everything that follows the common prefix.
pub(super) fn read(input: &mut Input<impl Read>) -> Result<Profile, FormatError> {
    let [run, program, contexts, tree] = read_table(input)?;
    let run: wire::Run = read_section(input, 0, &run)?;
    let program: wire::Program = read_section(input, 1, &program)?;
    let contexts: wire::Contexts = read_section(input, 2, &contexts)?;
    let tree: wire::Tree = read_section(input, 3, &tree)?;
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
    from_wire::profile(run, program, contexts, tree)
}

fn read_table(input: &mut Input<impl Read>) -> Result<[Section; 4], FormatError> {
    let damaged = |what, offset| FormatError::Damaged { what, offset };
    let start = input.offset();
    let header = input.exactly(HEADER_LEN as usize - PREFIX_LEN)?;
    let (content, checksum) = header.split_at(header.len() - 4);
    if crc32fast::hash(content).to_le_bytes() != checksum {
        return Err(damaged("the header does not match its checksum", start));
    }
    // From here on the bytes are those that were written; what they say is checked all the same.
    let mut fields = Input::new(content);
    let total = fields.u64()?;
    let unreadable = |fields: &Input<_>| {
        damaged(
            "the section table is not one of version 1",
            start + fields.offset(),
        )
    };
    if fields.u32()? != SECTIONS.len() as u32 {
        return Err(unreadable(&fields));
    }
    let mut length = HEADER_LEN + TRAILER_LEN;
    let mut table = Vec::with_capacity(SECTIONS.len());
    for (kind, name) in (1u32..).zip(SECTIONS) {
        let found = fields.u32()?;
        let section = Section {
            checksum: fields.u32()?,
            stored: fields.u64()?,
            raw: fields.u64()?,
        };
        if section.raw > MAX_SECTION || section.stored > 2 * MAX_SECTION {
            let length = section.raw.max(section.stored);
            return Err(FormatError::TooLarge {
                section: name,
                length,
                limit: MAX_SECTION,
            });
        }
        length += section.stored;
        if found != kind {
            return Err(unreadable(&fields));
        }
        table.push(section);
    }
    if total != length {
        return Err(damaged(
            "the length of the file is not that of its sections",
            start,
        ));
    }
    input.expect_total(total);
    table.try_into().map_err(|_| unreadable(&fields))
}

fn read_section<T: DeserializeOwned>(
    input: &mut Input<impl Read>,
    index: usize,
    section: &Section,
) -> Result<T, FormatError> {
    let offset = input.offset();
    let damaged = |what| FormatError::Damaged { what, offset };
    let stored = input.exactly(section.stored as usize)?;
    if crc32fast::hash(&stored) != section.checksum {
        return Err(damaged(MISMATCH[index]));
    }
    let raw = decompress(&stored, section.raw).ok_or(damaged(UNPACKABLE[index]))?;
    match postcard::take_from_bytes(&raw) {
        Ok((content, [])) => Ok(content),
        _ => Err(damaged(UNREADABLE[index])),
    }
}

const MISMATCH: [&str; 4] = [
    "its run section does not match its checksum",
    "its program section does not match its checksum",
    "its contexts section does not match its checksum",
    "its tree section does not match its checksum",
];
const UNPACKABLE: [&str; 4] = [
    "its run section does not decompress to its length",
    "its program section does not decompress to its length",
    "its contexts section does not decompress to its length",
    "its tree section does not decompress to its length",
];
const UNREADABLE: [&str; 4] = [
    "its run section is not what version 1 says",
    "its program section is not what version 1 says",
    "its contexts section is not what version 1 says",
    "its tree section is not what version 1 says",
];

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
