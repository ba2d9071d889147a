//! Shadow memory off the instrumented code's inline paths; the rules are those of `parascan_abi::shadow`.
//!
//! Every function here works on *granules* (8 bytes, 2 halves) and keeps these invariants:
//! * a half's time is its P4 record if its tag has V4 or is 0, else its P8 record;
//! * where a tag has V1, it has V4 too, and each byte's time is its P1 record;
//! * if both tags have V8, P8 is the maximum of the halves; tag 0 means that P4 is zero, and P8 as well if both are 0;
//! * if neither tag has SPLIT, P8 is the time of every byte.
//!
//! Whole halves are written without P1, which nobody reads unless V1 is set.
//!
//! Measured by `collectors/runtime/bench/measure.sh -mavx2` on two busy cores of an AMD EPYC at 3.2 GHz, in program
//! bytes per second: 4 KiB in the caches fill 4.4, load 10.7, copy 2.1 (0.9 without AVX2), copy misaligned by 1 byte
//! 0.1, copy with times of single bytes 0.6 GB/s; 8 MiB fill 2.0, copy 1.3 GB/s.

mod copy;
mod forget;
mod planes;
mod read;
mod seen;
mod wide;
mod without;
mod write;

pub(crate) use forget::{forget, forget_all};
pub(crate) use planes::{add, max};
pub(crate) use seen::bit;
pub(crate) use wide::{avx2, copy, load, seen, store};
pub(crate) use without::{LeftOutBits, copy_without, load_without};
pub(crate) use write::{halve, open};
