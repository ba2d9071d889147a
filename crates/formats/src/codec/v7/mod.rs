//! Format version 7: the sections of version 6, and what the files of loops held when they were compiled.

mod texts;

use std::io::Read;

use super::FormatError;
use super::input::Input;
use super::sections::{Reader, VERSION_7, pack, write as write_sections};
use super::v6;
use crate::profile::Profile;

/// Appends everything that follows the common prefix, which is already in `out`.
pub(super) fn write(profile: &Profile, out: &mut Vec<u8>) -> Result<(), FormatError> {
    let mut sections = v6::sections(profile)?;
    sections.push(pack(&VERSION_7[11], &texts::Section::of(profile))?);
    write_sections(&sections, out);
    Ok(())
}

/// Reads everything that follows the common prefix.
pub(super) fn read(input: &mut Input<impl Read>) -> Result<Profile, FormatError> {
    let mut reader = Reader::new(input, VERSION_7)?;
    let sections = v6::read_sections(&mut reader)?;
    let texts: texts::Section = reader.next()?;
    reader.end()?;
    let mut profile = v6::profile(sections)?;
    texts.add_to(&mut profile)?;
    Ok(profile)
}
