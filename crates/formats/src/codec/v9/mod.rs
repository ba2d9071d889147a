//! Format version 9: the sections of version 8, and the memory that loops walk over.

mod streams;

use std::io::Read;

use super::FormatError;
use super::input::ByteInput;
use super::sections::{SectionReader, VERSION_9, pack, write as write_sections};
use super::v8;
use crate::profile::Profile;

/// Appends everything that follows the common prefix, which is already in `out`.
pub(super) fn write(profile: &Profile, out: &mut Vec<u8>) -> Result<(), FormatError> {
    let mut sections = v8::sections(profile)?;
    sections.push(pack(&VERSION_9[13], &streams::Section::of(profile))?);
    write_sections(&sections, out);
    Ok(())
}

/// Reads everything that follows the common prefix.
pub(super) fn read(input: &mut ByteInput<impl Read>) -> Result<Profile, FormatError> {
    let mut reader = SectionReader::new(input, VERSION_9)?;
    let sections = v8::read_sections(&mut reader)?;
    let streams: streams::Section = reader.next()?;
    reader.end()?;
    let mut profile = v8::profile(sections)?;
    streams.add_to(&mut profile)?;
    Ok(profile)
}
