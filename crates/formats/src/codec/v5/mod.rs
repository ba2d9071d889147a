//! Format version 5, which is only read: the sections of version 4, and what is behind the figures where only stretches
//! of the run were tracked. Its sections are also the first ten of later versions.

mod bursts;

use std::io::Read;

use super::FormatError;
use super::input::ByteInput;
use super::sections::{PackedSection, SectionReader, VERSION_5, VERSION_7, pack};
use super::v4;
use crate::profile::Profile;

/// Reads everything that follows the common prefix.
pub(super) fn read(input: &mut ByteInput<impl Read>) -> Result<Profile, FormatError> {
    let mut reader = SectionReader::new(input, VERSION_5)?;
    let sections = read_sections(&mut reader)?;
    reader.end()?;
    profile(sections)
}

/// The sections of version 5 as they stand in the file.
pub(super) type Sections = (v4::Sections, bursts::Section);

/// The next ten sections of any of them.
pub(super) fn read_sections(
    reader: &mut SectionReader<'_, impl Read>,
) -> Result<Sections, FormatError> {
    Ok((v4::read_sections(reader)?, reader.next()?))
}

/// A profile out of these sections.
pub(super) fn profile((first, bursts): Sections) -> Result<Profile, FormatError> {
    let mut profile = v4::profile(first)?;
    profile.bursts = bursts.into_bursts();
    Ok(profile)
}

/// The same ten sections of a profile, as the newest version writes them.
pub(super) fn sections(profile: &Profile) -> Result<Vec<PackedSection>, FormatError> {
    let mut sections = v4::sections(profile)?;
    sections.push(pack(&VERSION_7[9], &bursts::Section::of(profile))?);
    Ok(sections)
}
