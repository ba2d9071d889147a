//! Format version 4, which is only read: the sections of version 3, where the source facts have more kinds of what the
//! text leaves open, and where loops end in the source with what they keep beside minima and maxima. Its sections are
//! also the first nine of versions 5 and 6.

mod extents;

use std::io::Read;

use super::FormatError;
use super::input::ByteInput;
use super::sections::{PackedSection, SectionReader, VERSION_4, VERSION_6, pack};
use super::{v2, v3};
use crate::profile::Profile;

/// Reads everything that follows the common prefix.
pub(super) fn read(input: &mut ByteInput<impl Read>) -> Result<Profile, FormatError> {
    let mut reader = SectionReader::new(input, VERSION_4)?;
    let sections = read_sections(&mut reader)?;
    reader.end()?;
    profile(sections)
}

/// The sections of version 4 as they stand in the file.
pub(super) type Sections = (v3::Sections, extents::Section);

/// The next nine sections of either version.
pub(super) fn read_sections(
    reader: &mut SectionReader<'_, impl Read>,
) -> Result<Sections, FormatError> {
    Ok((v3::read_sections(reader)?, reader.next()?))
}

/// A profile out of these sections.
pub(super) fn profile((first, extents): Sections) -> Result<Profile, FormatError> {
    let mut profile = v3::profile(first)?;
    extents.add_to(&mut profile)?;
    Ok(profile)
}

/// The same nine sections of a profile, as the newest version writes them.
pub(super) fn sections(profile: &Profile) -> Result<Vec<PackedSection>, FormatError> {
    let mut sections = v3::sections(profile)?;
    sections.push(pack(&VERSION_6[8], &extents::Section::of(profile))?);
    Ok(sections)
}
