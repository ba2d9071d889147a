//! Shadow memory off the instrumented code's inline paths; the rules are those of `parascan_abi::shadow`.
//!
//! Every function here works on *granules* (8 bytes, 2 halves) and keeps these invariants:
//! * a half's time is its P4 record if its tag has V4 or is 0, else its P8 record;
//! * where a tag has V1, it has V4 too, and each byte's time is its P1 record;
//! * if both tags have V8, P8 is the maximum of the halves; tag 0 means that P4 is zero, and P8 as well if both are 0.
//!
//! Whole halves are written without P1, which nobody reads unless V1 is set.

mod copy;
mod forget;
mod planes;
mod read;
mod write;

pub(crate) use copy::copy;
pub(crate) use forget::forget;
pub(crate) use planes::{add, max};
pub(crate) use read::{load, read_string};
pub(crate) use write::{open, store};
