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

/// Length of the string at `address` without its NUL, at most `limit`.
///
/// # Safety
/// The bytes up to the NUL or the limit must be readable.
unsafe fn length(address: *const u8, limit: u64) -> u64 {
    let mut n = 0;
    while n < limit {
        let at = address.wrapping_add(n as usize);
        if (at as usize).is_multiple_of(8) && limit - n >= 8 {
            // SAFETY: an aligned word lies in one page, and its first byte is part of the string or its NUL.
            let word = unsafe { at.cast::<u64>().read_volatile() };
            let zeros = word.wrapping_sub(0x0101_0101_0101_0101) & !word & 0x8080_8080_8080_8080;
            if zeros == 0 {
                n += 8;
                continue;
            }
            return n + u64::from(zeros.trailing_zeros() / 8);
        }
        // SAFETY: the string has not ended before this byte.
        if unsafe { at.read_volatile() } == 0 {
            return n;
        }
        n += 1;
    }
    limit
}

/// Like [`load`] over a string and its NUL, at most `limit` bytes. Returns the length without the NUL.
///
/// # Safety
/// The bytes up to the NUL or the limit must be readable.
pub(crate) unsafe fn read_string(address: *const u8, limit: u64, time: Time) -> (u64, Time) {
    // SAFETY: the caller vouches.
    let len = unsafe { length(address, limit) };
    (
        len,
        load(address as u64, len.saturating_add(1).min(limit), time),
    )
}
