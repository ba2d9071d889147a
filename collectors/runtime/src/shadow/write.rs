//! Writing one time to byte ranges.

use parascan_abi::Time;
use parascan_abi::shadow::{FULL, V1, V4, V8};

use super::planes::{Granule, get, max, parts, set};

/// Makes every plane valid for the granule of `address`.
#[inline]
pub(crate) fn open(address: u64) {
    open_granule(Granule::of(address), [FULL; 2]);
}

/// Makes P8 and P4 valid for both halves, and P1 for those whose `wanted` tag has V1.
#[inline]
pub(super) fn open_granule(granule: Granule, wanted: [u8; 2]) {
    let tags = granule.tags();
    if tags[0] & wanted[0] == wanted[0] && tags[1] & wanted[1] == wanted[1] {
        return;
    }
    let halves = [granule.half(0, tags[0]), granule.half(1, tags[1])];
    if tags[0] & tags[1] & V8 == 0 {
        set(granule.p8(), max(halves[0], halves[1]));
    }
    for half in 0..2 {
        if tags[half] & V4 == 0 {
            set(granule.p4(half), halves[half]);
        }
        if wanted[half] & V1 != 0 && tags[half] & V1 == 0 {
            for byte in half * 4..half * 4 + 4 {
                set(granule.p1(byte), halves[half]);
            }
        }
    }
    granule.set_tags([
        tags[0] & V1 | wanted[0] | V8 | V4,
        tags[1] & V1 | wanted[1] | V8 | V4,
    ]);
}

/// Gives a whole granule one time.
#[inline(always)]
pub(super) fn store_granule(granule: Granule, time: Time) {
    set(granule.p8(), time);
    set(granule.p4(0), time);
    set(granule.p4(1), time);
    granule.set_tags([V8 | V4; 2]);
}

/// Gives bytes `first..first + len` of a granule one time.
#[inline]
pub(super) fn store_part(granule: Granule, first: usize, len: usize, time: Time) {
    if len == 8 {
        return store_granule(granule, time);
    }
    store_bytes(granule, first, &[time; 8][..len]);
}

/// Gives bytes `first..first + times.len()` of a granule their times; the others keep theirs.
#[inline]
pub(super) fn store_bytes(granule: Granule, first: usize, times: &[Time]) {
    let end = first + times.len();
    let touched = |half: usize| (first.max(half * 4), end.min(half * 4 + 4));
    // Halves covered in part need their other bytes' times.
    let partial = |half: usize| {
        let (from, to) = touched(half);
        from < to && to - from < 4
    };
    let same = |half: usize| {
        let (from, to) = touched(half);
        !partial(half)
            && times[from - first..to - first]
                .windows(2)
                .all(|pair| pair[0] == pair[1])
    };
    open_granule(
        granule,
        [
            if partial(0) { FULL } else { V8 | V4 },
            if partial(1) { FULL } else { V8 | V4 },
        ],
    );
    let mut tags = granule.tags();
    for (half, tag) in tags.iter_mut().enumerate() {
        let (from, to) = touched(half);
        if from >= to {
            continue;
        }
        if same(half) {
            set(granule.p4(half), times[from - first]);
            *tag = V8 | V4;
            continue;
        }
        for byte in from..to {
            set(granule.p1(byte), times[byte - first]);
        }
        let time = (half * 4..half * 4 + 4)
            .map(|byte| get(granule.p1(byte)))
            .reduce(max);
        set(granule.p4(half), time.unwrap_or_default());
        *tag = FULL;
    }
    set(granule.p8(), max(get(granule.p4(0)), get(granule.p4(1))));
    granule.set_tags(tags);
}

/// Gives `n` bytes at `address` one time.
#[inline]
pub(crate) fn store(address: u64, n: u64, time: Time) {
    parts(address, n, |granule, first, len| {
        store_part(granule, first, len, time)
    });
}
