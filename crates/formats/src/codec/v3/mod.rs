//! Format version 3, of which version 4 has the sections: those of version 2, and what loops do beside updating the variables that they
//! reduce.

mod reductions;

use std::io::Read;

use super::FormatError;
use super::input::Input;
use super::sections::{Reader, VERSION_3, pack, write as write_sections};
use super::v2;
use crate::profile::Profile;

/// Appends everything that follows the common prefix, which is already in `out`.
pub(super) fn write(profile: &Profile, out: &mut Vec<u8>) -> Result<(), FormatError> {
    let mut sections = v2::sections(profile)?;
    sections.push(pack(&VERSION_3[7], &reductions::Section::of(profile))?);
    write_sections(&sections, out);
    Ok(())
}

/// Reads everything that follows the common prefix.
pub(super) fn read(input: &mut Input<impl Read>) -> Result<Profile, FormatError> {
    let mut reader = Reader::new(input, VERSION_3)?;
    let sections = v2::read_sections(&mut reader)?;
    let reductions: reductions::Section = reader.next()?;
    reader.end()?;
    let mut profile = v2::profile(sections)?;
    reductions.add_to(&mut profile)?;
    Ok(profile)
}
