//! In which of the open region instances bytes that are read were written.

use parascan_abi::shadow::{V1, V4};
use parascan_abi::{LANES, Time};

use super::planes::{Granule, get, is_uniform, split};

/// Bit k (as in [`State::carried`](parascan_abi::State::carried)) of reading something of this time where `base` are
/// the bases.
#[inline(always)]
pub(crate) fn bit(time: Time, base: &Time) -> u32 {
    let mut mask = 0;
    for lane in 0..LANES {
        mask |= u32::from(time.0[lane] > base.0[lane]) << lane;
    }
    mask + 1
}

/// Bits of reading `n` bytes at `address`: every record by itself, since the maximum of an own byte and an older one
/// would hide the older.
#[inline(always)]
pub(super) fn seen(address: u64, n: u64, base: *const Time) -> u32 {
    // SAFETY: the exported function's caller vouches for `base`.
    let base = unsafe { &*base };
    let mut bits = 0;
    split(
        address,
        n,
        &mut bits,
        |bits, granule, first, len| *bits |= part(granule, first, len, base),
        |bits, granule| {
            let tags = granule.tags();
            *bits |= match tags {
                [0, 0] => 1,
                _ if is_uniform(tags) => bit(get(granule.p8()), base),
                _ if (tags[0] | tags[1]) & V1 == 0 && tags[0] & tags[1] & V4 != 0 => {
                    bit(get(granule.p4(0)), base) | bit(get(granule.p4(1)), base)
                }
                _ => part(granule, 0, 8, base),
            };
        },
    );
    bits
}

/// Bits of reading bytes `first..first + len` of a granule.
#[inline(never)]
fn part(granule: Granule, first: usize, len: usize, base: &Time) -> u32 {
    let tags = granule.tags();
    let mut bits = 0;
    for (half, &tag) in tags.iter().enumerate() {
        let touched = first.max(half * 4)..(first + len).min(half * 4 + 4);
        if touched.is_empty() {
            continue;
        }
        if tag & V1 == 0 {
            bits |= bit(granule.half(half, tag), base);
        } else {
            for byte in touched {
                bits |= bit(granule.byte(byte, tags), base);
            }
        }
    }
    bits
}
