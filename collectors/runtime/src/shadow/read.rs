//! Reading times of byte ranges and strings.

use parascan_abi::Time;

use parascan_abi::shadow::V1;

use super::planes::{Granule, ZERO, max, split};

/// Maximum of `time` and the times of `n` bytes at `address`.
#[inline(always)]
pub(super) fn load(address: u64, n: u64, time: Time) -> Time {
    let mut most = time;
    split(
        address,
        n,
        &mut most,
        |most, granule, first, len| *most = max(*most, load_part(granule, first, len)),
        |most, granule| *most = max(*most, granule.whole(granule.tags())),
    );
    most
}

/// Time of bytes `first..first + len` of a granule.
#[inline(never)]
fn load_part(granule: Granule, first: usize, len: usize) -> Time {
    let tags = granule.tags();
    let mut most = ZERO;
    for (half, &tag) in tags.iter().enumerate() {
        let touched = first.max(half * 4)..(first + len).min(half * 4 + 4);
        if touched.len() == 4 || (tag & V1 == 0 && !touched.is_empty()) {
            most = max(most, granule.half(half, tag));
        } else {
            for byte in touched {
                most = max(most, granule.byte(byte, tags));
            }
        }
    }
    most
}
