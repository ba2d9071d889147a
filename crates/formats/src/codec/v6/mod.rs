//! Format version 6, which is only read: the sections of version 5, and how sure self-parallelism is where only
//! stretches of the run were tracked. Its sections are also the first eleven of version 7.

mod intervals;

use std::io::Read;

use super::FormatError;
use super::input::ByteInput;
use super::sections::{PackedSection, SectionReader, VERSION_6, VERSION_7, pack};
use super::v5;
use crate::profile::Profile;

/// Reads everything that follows the common prefix.
pub(super) fn read(input: &mut ByteInput<impl Read>) -> Result<Profile, FormatError> {
    let mut reader = SectionReader::new(input, VERSION_6)?;
    let sections = read_sections(&mut reader)?;
    reader.end()?;
    profile(sections)
}

/// The sections of version 6 as they stand in the file.
pub(super) type Sections = (v5::Sections, intervals::Section);

/// The next eleven sections of either version.
pub(super) fn read_sections(
    reader: &mut SectionReader<'_, impl Read>,
) -> Result<Sections, FormatError> {
    Ok((v5::read_sections(reader)?, reader.next()?))
}

/// A profile out of these sections.
pub(super) fn profile((first, intervals): Sections) -> Result<Profile, FormatError> {
    let mut profile = v5::profile(first)?;
    intervals.add_to(&mut profile)?;
    Ok(profile)
}

/// The same eleven sections of a profile, as the newest version writes them.
pub(super) fn sections(profile: &Profile) -> Result<Vec<PackedSection>, FormatError> {
    let mut sections = v5::sections(profile)?;
    sections.push(pack(&VERSION_7[10], &intervals::Section::of(profile))?);
    Ok(sections)
}
