//! First bytes of the files that commands write, so that the reader of one kind knows the others.

/// Of a profile.
pub const PROFILE: [u8; 8] = *b"PARASCAN";
/// Of a recording of an OpenMP program.
pub const RECORDING: [u8; 8] = *b"PSCANOMP";
/// Of a saved trace.
pub const TRACE: [u8; 8] = *b"PSCNTRCE";
