//! Format version 8: the sections of version 7, and the loops whose iterations are uneven.

mod shapes;

use std::io::Read;

use super::FormatError;
use super::input::Input;
use super::sections::{Reader, VERSION_8, pack, write as write_sections};
use super::v7;
use crate::profile::Profile;

/// Appends everything that follows the common prefix, which is already in `out`.
pub(super) fn write(profile: &Profile, out: &mut Vec<u8>) -> Result<(), FormatError> {
    let mut sections = v7::sections(profile)?;
    sections.push(pack(&VERSION_8[12], &shapes::Section::of(profile))?);
    write_sections(&sections, out);
    Ok(())
}

/// Reads everything that follows the common prefix.
pub(super) fn read(input: &mut Input<impl Read>) -> Result<Profile, FormatError> {
    let mut reader = Reader::new(input, VERSION_8)?;
    let sections = v7::read_sections(&mut reader)?;
    let shapes: shapes::Section = reader.next()?;
    reader.end()?;
    let mut profile = v7::profile(sections)?;
    shapes.add_to(&mut profile)?;
    Ok(profile)
}
