//! First bytes of the files that commands write, so that the reader of one kind knows the others.

/// What `record` writes begins so, in every version.
pub const PROFILE: [u8; 8] = *b"PARASCAN";
/// What `omp` writes begins so, in every version.
pub const RECORDING: [u8; 8] = *b"PSCANOMP";
/// What `ilp --save-trace` writes begins so, in every version.
pub const TRACE: [u8; 8] = *b"PSCNTRCE";
