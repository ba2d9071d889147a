//! Format version 2, which is only read: the sections of version 1, what was observed of dependences between
//! iterations, what the source says of loops, and the evidence of dependences. Its sections are also the first seven of
//! later versions.

mod evidence;
pub(super) mod source;
mod wire;

use std::io::Read;

use super::FormatError;
use super::input::ByteInput;
use super::sections::{PackedSection, SectionReader, VERSION_2, VERSION_6, pack};
use super::v1;
use crate::profile::Profile;
use crate::validate::Inconsistency;

/// Reads everything that follows the common prefix.
pub(super) fn read(input: &mut ByteInput<impl Read>) -> Result<Profile, FormatError> {
    let mut reader = SectionReader::new(input, VERSION_2)?;
    let sections = read_sections(&mut reader)?;
    reader.end()?;
    profile(sections)
}

/// The sections of version 2 as they stand in the file.
pub(super) type Sections = (
    v1::Sections,
    wire::Dependences,
    source::Sources,
    evidence::Section,
);

/// The next seven sections of either version.
pub(super) fn read_sections(
    reader: &mut SectionReader<'_, impl Read>,
) -> Result<Sections, FormatError> {
    Ok((
        v1::read_sections(reader)?,
        reader.next()?,
        reader.next()?,
        reader.next()?,
    ))
}

/// A profile out of these sections.
pub(super) fn profile(sections: Sections) -> Result<Profile, FormatError> {
    let (first, dependences, sources, evidence) = sections;
    let mut profile = v1::profile(first)?;
    dependences.add_to(&mut profile)?;
    sources.add_to(&mut profile)?;
    evidence.add_to(&mut profile)?;
    Ok(profile)
}

/// The same seven sections of a profile, as the newest version writes them.
pub(super) fn sections(profile: &Profile) -> Result<Vec<PackedSection>, FormatError> {
    let mut sections = v1::sections(profile)?;
    sections.push(pack(&VERSION_6[4], &wire::Dependences::of(profile))?);
    sections.push(pack(&VERSION_6[5], &source::Sources::of(profile))?);
    sections.push(pack(&VERSION_6[6], &evidence::Section::of(profile))?);
    Ok(sections)
}

/// The error for a number in a list that refers to nothing.
pub(super) fn out_of_range(
    what: &'static str,
    index: usize,
    to: &'static str,
    target: u32,
    len: usize,
) -> FormatError {
    Inconsistency::OutOfRange {
        what,
        index,
        to,
        target: target.into(),
        len,
    }
    .into()
}
