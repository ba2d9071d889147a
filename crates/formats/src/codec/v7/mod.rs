//! Format version 7, which is only read: the sections of version 6, and what the files of loops held when they were
//! compiled. Its sections are also the first twelve of version 8.

mod texts;

use std::io::Read;

use super::FormatError;
use super::input::ByteInput;
use super::sections::{PackedSection, SectionReader, VERSION_7, VERSION_8, pack};
use super::v6;
use crate::profile::Profile;

/// Reads everything that follows the common prefix.
pub(super) fn read(input: &mut ByteInput<impl Read>) -> Result<Profile, FormatError> {
    let mut reader = SectionReader::new(input, VERSION_7)?;
    let sections = read_sections(&mut reader)?;
    reader.end()?;
    profile(sections)
}

/// The sections of version 7 as they stand in the file.
pub(super) type Sections = (v6::Sections, texts::Section);

/// The next twelve sections of either version.
pub(super) fn read_sections(
    reader: &mut SectionReader<'_, impl Read>,
) -> Result<Sections, FormatError> {
    Ok((v6::read_sections(reader)?, reader.next()?))
}

/// A profile out of these sections.
pub(super) fn profile((first, texts): Sections) -> Result<Profile, FormatError> {
    let mut profile = v6::profile(first)?;
    texts.add_to(&mut profile)?;
    Ok(profile)
}

/// The same twelve sections of a profile, as the newest version writes them.
pub(super) fn sections(profile: &Profile) -> Result<Vec<PackedSection>, FormatError> {
    let mut sections = v6::sections(profile)?;
    sections.push(pack(&VERSION_8[11], &texts::Section::of(profile))?);
    Ok(sections)
}
