//! Format version 2: the sections of version 1, what was observed of dependences between iterations, what the source says of
//! loops, and the evidence of dependences.

mod evidence;
mod source;
mod wire;

use std::io::Read;

use super::FormatError;
use super::input::Input;
use super::sections::{Reader, VERSION_2, pack, write as write_sections};
use super::v1;
use crate::profile::Profile;
use crate::validate::Inconsistency;

/// Appends everything that follows the common prefix, which is already in `out`.
pub(super) fn write(profile: &Profile, out: &mut Vec<u8>) -> Result<(), FormatError> {
    let mut sections = v1::sections(profile)?;
    sections.push(pack(&VERSION_2[4], &wire::Dependences::of(profile))?);
    sections.push(pack(&VERSION_2[5], &source::Sources::of(profile))?);
    sections.push(pack(&VERSION_2[6], &evidence::Section::of(profile))?);
    write_sections(&sections, out);
    Ok(())
}

/// Reads everything that follows the common prefix.
pub(super) fn read(input: &mut Input<impl Read>) -> Result<Profile, FormatError> {
    let mut reader = Reader::new(input, &VERSION_2)?;
    let sections = v1::read_sections(&mut reader)?;
    let dependences: wire::Dependences = reader.next()?;
    let sources: source::Sources = reader.next()?;
    let evidence: evidence::Section = reader.next()?;
    reader.end()?;
    let mut profile = v1::profile(sections)?;
    dependences.add_to(&mut profile)?;
    sources.add_to(&mut profile)?;
    evidence.add_to(&mut profile)?;
    Ok(profile)
}

/// The error for a number in a list that refers to nothing.
fn out_of_range(
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
