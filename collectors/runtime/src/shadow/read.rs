//! Reading times of byte ranges and strings.

use parascan_abi::Time;

use super::planes::{max, parts};

/// Maximum of `time` and the times of `n` bytes at `address`.
#[inline]
pub(crate) fn load(address: u64, n: u64, mut time: Time) -> Time {
    parts(address, n, |granule, first, len| {
        let tags = granule.tags();
        if len == 8 {
            time = max(time, granule.whole(tags));
            return;
        }
        for half in 0..2 {
            let (from, to) = (first.max(half * 4), (first + len).min(half * 4 + 4));
            if from >= to {
                continue;
            }
            if to - from == 4 {
                time = max(time, granule.half(half, tags[half]));
            } else {
                for byte in from..to {
                    time = max(time, granule.byte(byte, tags));
                }
            }
        }
    });
    time
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
