//! Reading and moving times of which those are left out that earlier iterations of certain loops wrote; byte by byte,
//! since only builds that leave dependences out come here.

use parascan_abi::Time;

use super::planes::{Granule, ZERO, add, max};
use super::seen::bit;
use super::write::store_bytes;

/// What is left out: what carries one of these bits (as in [`State::carried`](parascan_abi::State::carried)) where
/// these are the bases.
#[derive(Clone, Copy)]
pub(crate) struct LeftOutBits<'a> {
    pub(crate) bits: u32,
    pub(crate) base: &'a Time,
}

impl LeftOutBits<'_> {
    /// A time as it is read.
    pub(crate) fn apply(self, time: Time) -> Time {
        if bit(time, self.base) & self.bits == 0 {
            time
        } else {
            ZERO
        }
    }
}

fn byte(address: u64) -> Time {
    let granule = Granule::of(address);
    granule.byte((address & 7) as usize, granule.tags())
}

/// Maximum of `time` and the times of `n` bytes at `address` that are not left out.
pub(crate) fn load_without(address: u64, n: u64, time: Time, left_out: LeftOutBits<'_>) -> Time {
    let times = (0..n).map(|i| left_out.apply(byte(address.wrapping_add(i))));
    times.fold(time, max)
}

/// As [`copy`](super::copy()), without what is left out.
pub(crate) fn copy_without(
    dst: u64,
    src: u64,
    n: u64,
    floor: Time,
    latency: u32,
    left_out: LeftOutBits<'_>,
) -> Time {
    let backward = dst.wrapping_sub(src) < n;
    let mut seen = ZERO;
    for i in 0..n {
        let i = if backward { n - 1 - i } else { i };
        let time = left_out.apply(byte(src.wrapping_add(i)));
        let time = add(max(time, floor), latency);
        seen = max(seen, time);
        let to = dst.wrapping_add(i);
        store_bytes(Granule::of(to), (to & 7) as usize, &[time]);
    }
    seen
}
