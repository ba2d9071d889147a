//! Format version 5: the sections of version 4, and what is behind the figures where only stretches of the run were tracked.

mod bursts;

use std::io::Read;

use super::FormatError;
use super::input::Input;
use super::sections::{Reader, VERSION_5, pack, write as write_sections};
use super::v4;
use crate::profile::Profile;

/// Appends everything that follows the common prefix, which is already in `out`.
pub(super) fn write(profile: &Profile, out: &mut Vec<u8>) -> Result<(), FormatError> {
    let mut sections = v4::sections(profile)?;
    sections.push(pack(&VERSION_5[9], &bursts::Section::of(profile))?);
    write_sections(&sections, out);
    Ok(())
}

/// Reads everything that follows the common prefix.
pub(super) fn read(input: &mut Input<impl Read>) -> Result<Profile, FormatError> {
    let mut reader = Reader::new(input, VERSION_5)?;
    let sections = v4::read_sections(&mut reader)?;
    let bursts: bursts::Section = reader.next()?;
    reader.end()?;
    let mut profile = v4::profile(sections)?;
    profile.bursts = bursts.into_bursts();
    Ok(profile)
}
