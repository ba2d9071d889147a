//! Format version 3, which is only read: the sections of version 2, and what loops do beside updating the variables
//! that they reduce. Its sections are also the first eight of version 4.

mod reductions;

use std::io::Read;

use super::FormatError;
use super::input::ByteInput;
use super::sections::{PackedSection, SectionReader, VERSION_3, VERSION_6, pack};
use super::v2;
use crate::profile::Profile;

/// Reads everything that follows the common prefix.
pub(super) fn read(input: &mut ByteInput<impl Read>) -> Result<Profile, FormatError> {
    let mut reader = SectionReader::new(input, VERSION_3)?;
    let sections = read_sections(&mut reader)?;
    reader.end()?;
    profile(sections)
}

/// The sections of version 3 as they stand in the file.
pub(super) type Sections = (v2::Sections, reductions::Section);

/// The next eight sections of either version.
pub(super) fn read_sections(
    reader: &mut SectionReader<'_, impl Read>,
) -> Result<Sections, FormatError> {
    Ok((v2::read_sections(reader)?, reader.next()?))
}

/// A profile out of these sections.
pub(super) fn profile((first, reductions): Sections) -> Result<Profile, FormatError> {
    let mut profile = v2::profile(first)?;
    reductions.add_to(&mut profile)?;
    Ok(profile)
}

/// The same eight sections of a profile, as the newest version writes them.
pub(super) fn sections(profile: &Profile) -> Result<Vec<PackedSection>, FormatError> {
    let mut sections = v2::sections(profile)?;
    sections.push(pack(&VERSION_6[7], &reductions::Section::of(profile))?);
    Ok(sections)
}
