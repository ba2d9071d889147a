//! Format version 6: the sections of version 5, and how sure self-parallelism is where only stretches of the run were tracked.

mod intervals;

use std::io::Read;

use super::FormatError;
use super::input::Input;
use super::sections::{Reader, VERSION_6, pack, write as write_sections};
use super::v5;
use crate::profile::Profile;

/// Appends everything that follows the common prefix, which is already in `out`.
pub(super) fn write(profile: &Profile, out: &mut Vec<u8>) -> Result<(), FormatError> {
    let mut sections = v5::sections(profile)?;
    sections.push(pack(&VERSION_6[10], &intervals::Section::of(profile))?);
    write_sections(&sections, out);
    Ok(())
}

/// Reads everything that follows the common prefix.
pub(super) fn read(input: &mut Input<impl Read>) -> Result<Profile, FormatError> {
    let mut reader = Reader::new(input, VERSION_6)?;
    let sections = v5::read_sections(&mut reader)?;
    let intervals: intervals::Section = reader.next()?;
    reader.end()?;
    let mut profile = v5::profile(sections)?;
    intervals.add_to(&mut profile)?;
    Ok(profile)
}
