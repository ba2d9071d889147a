//! Profiles as bytes; the layout is specified in `docs/profile-format.md`.
//!
//! Every version of the format starts with the same 16 bytes ([`MAGIC`], version, their checksum) and has a module of
//! its own with everything else: a reader that is never changed, and, for the newest one, a writer.

mod capped;
mod error;
mod input;
mod sections;
mod v1;
mod v2;
mod v3;
mod v4;
mod v5;
mod v6;
mod v7;
mod v8;
mod v9;

use std::io::Read;

pub use error::{ForeignFile, FormatError};
use input::ByteInput;

use crate::magic;
use crate::profile::Profile;

/// First bytes of every profile.
pub const MAGIC: [u8; 8] = magic::PROFILE;
/// The format version that [`encode`] writes.
pub const VERSION: u32 = 9;
/// Length of the part that all versions share.
const PREFIX_LEN: usize = 16;

/// The profile's bytes; equal profiles give equal bytes.
///
/// # Errors
/// [`FormatError::Inconsistent`] or [`FormatError::TooLarge`] when no reader would accept them.
pub fn encode(profile: &Profile) -> Result<Vec<u8>, FormatError> {
    profile.validate()?;
    let mut bytes = Vec::new();
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    v9::write(profile, &mut bytes)?;
    Ok(bytes)
}

/// Reads a profile from memory.
///
/// # Errors
/// See [`FormatError`]; no input makes this panic or allocate without bound.
pub fn decode(bytes: &[u8]) -> Result<Profile, FormatError> {
    decode_from(bytes)
}

/// Reads a profile from a stream, front to back, without seeking; the stream must end where the profile ends.
///
/// # Errors
/// See [`FormatError`]; no input makes this panic or allocate without bound.
pub fn decode_from(reader: impl Read) -> Result<Profile, FormatError> {
    let mut input = ByteInput::new(reader);
    let prefix = input.up_to(PREFIX_LEN)?;
    if prefix.is_empty() {
        return Err(FormatError::Empty);
    }
    let common = prefix.len().min(MAGIC.len());
    if prefix[..common] != MAGIC[..common] {
        return Err(FormatError::Foreign(ForeignFile::recognise(&prefix)));
    }
    let Ok(prefix) = <[u8; PREFIX_LEN]>::try_from(prefix.as_slice()) else {
        return Err(FormatError::Truncated {
            offset: prefix.len() as u64,
            total: None,
        });
    };
    let [.., b0, b1, b2, b3, c0, c1, c2, c3] = prefix;
    let version = u32::from_le_bytes([b0, b1, b2, b3]);
    if crc32fast::hash(&prefix[..12]) != u32::from_le_bytes([c0, c1, c2, c3]) {
        return Err(FormatError::Damaged {
            what: "the version does not match its checksum",
            offset: 8,
        });
    }
    let profile = match version {
        1 => v1::read(&mut input)?,
        2 => v2::read(&mut input)?,
        3 => v3::read(&mut input)?,
        4 => v4::read(&mut input)?,
        5 => v5::read(&mut input)?,
        6 => v6::read(&mut input)?,
        7 => v7::read(&mut input)?,
        8 => v8::read(&mut input)?,
        9 => v9::read(&mut input)?,
        0 => {
            return Err(FormatError::Damaged {
                what: "there is no format version 0",
                offset: 8,
            });
        }
        _ => return Err(FormatError::TooNew { version }),
    };
    profile.validate()?;
    Ok(profile)
}
