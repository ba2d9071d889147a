//! Format version 1, which is only read: four sections. Its sections are also the first four of later ones.

mod from_wire;
mod to_wire;
mod wire;

use std::io::Read;

use super::FormatError;
use super::input::ByteInput;
use super::sections::{PackedSection, SectionReader, VERSION_1, VERSION_6, pack};
use crate::profile::Profile;

/// Reads everything that follows the common prefix.
pub(super) fn read(input: &mut ByteInput<impl Read>) -> Result<Profile, FormatError> {
    let mut reader = SectionReader::new(input, VERSION_1)?;
    let sections = read_sections(&mut reader)?;
    reader.end()?;
    profile(sections)
}

/// The sections of version 1 as they stand in the file.
pub(super) type Sections = (
    wire::RunSection,
    wire::ProgramSection,
    wire::Contexts,
    wire::Tree,
);

/// The next four sections of any version.
pub(super) fn read_sections(
    reader: &mut SectionReader<'_, impl Read>,
) -> Result<Sections, FormatError> {
    Ok((
        reader.next()?,
        reader.next()?,
        reader.next()?,
        reader.next()?,
    ))
}

/// A profile out of these sections.
pub(super) fn profile(sections: Sections) -> Result<Profile, FormatError> {
    from_wire::profile(sections)
}

/// The same four sections of a profile, as the newest version writes them.
pub(super) fn sections(profile: &Profile) -> Result<Vec<PackedSection>, FormatError> {
    Ok(vec![
        pack(&VERSION_6[0], &to_wire::run(profile))?,
        pack(&VERSION_6[1], &to_wire::program(profile))?,
        pack(&VERSION_6[2], &to_wire::contexts(&profile.contexts))?,
        pack(&VERSION_6[3], &to_wire::tree(&profile.tree))?,
    ])
}
