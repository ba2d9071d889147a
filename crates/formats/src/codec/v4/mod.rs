//! Format version 4: the sections of version 3, where the source facts have more kinds of what the text leaves open, and where loops end in
//! the source with what they keep beside minima and maxima.

mod extents;

use std::io::Read;

use super::FormatError;
use super::input::Input;
use super::sections::{Reader, VERSION_4, pack, write as write_sections};
use super::{v2, v3};
use crate::profile::Profile;

/// Appends everything that follows the common prefix, which is already in `out`.
pub(super) fn write(profile: &Profile, out: &mut Vec<u8>) -> Result<(), FormatError> {
    let mut sections = v3::sections(profile)?;
    sections.push(pack(&VERSION_4[8], &extents::Section::of(profile))?);
    write_sections(&sections, out);
    Ok(())
}

/// Reads everything that follows the common prefix.
pub(super) fn read(input: &mut Input<impl Read>) -> Result<Profile, FormatError> {
    let mut reader = Reader::new(input, VERSION_4)?;
    let sections = v3::read_sections(&mut reader)?;
    let extents: extents::Section = reader.next()?;
    reader.end()?;
    let mut profile = v3::profile(sections)?;
    extents.add_to(&mut profile)?;
    Ok(profile)
}
