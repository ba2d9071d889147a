//! Format version 8, which is only read: the sections of version 7, and the loops whose iterations are uneven.
//! Its sections are also the first thirteen of version 9.

mod shapes;

use std::io::Read;

use super::FormatError;
use super::input::ByteInput;
use super::sections::{PackedSection, SectionReader, VERSION_8, VERSION_9, pack};
use super::v7;
use crate::profile::Profile;

/// Reads everything that follows the common prefix.
pub(super) fn read(input: &mut ByteInput<impl Read>) -> Result<Profile, FormatError> {
    let mut reader = SectionReader::new(input, VERSION_8)?;
    let sections = read_sections(&mut reader)?;
    reader.end()?;
    profile(sections)
}

/// The sections of version 8 as they stand in the file.
pub(super) type Sections = (v7::Sections, shapes::Section);

/// The next thirteen sections of either version.
pub(super) fn read_sections(
    reader: &mut SectionReader<'_, impl Read>,
) -> Result<Sections, FormatError> {
    Ok((v7::read_sections(reader)?, reader.next()?))
}

/// A profile out of these sections.
pub(super) fn profile((first, shapes): Sections) -> Result<Profile, FormatError> {
    let mut profile = v7::profile(first)?;
    shapes.add_to(&mut profile)?;
    Ok(profile)
}

/// The same thirteen sections of a profile, as the newest version writes them.
pub(super) fn sections(profile: &Profile) -> Result<Vec<PackedSection>, FormatError> {
    let mut sections = v7::sections(profile)?;
    sections.push(pack(&VERSION_9[12], &shapes::Section::of(profile))?);
    Ok(sections)
}
