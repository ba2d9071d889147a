//! Writing one time to byte ranges.

use parascan_abi::Time;
use parascan_abi::shadow::{FULL, HALVES, V1, V4, V8, WHOLE};

use super::planes::{Granule, get, max, set, split};

/// Makes every plane valid for the granule of `address`.
#[inline]
pub(crate) fn open(address: u64) {
    open_granule(Granule::of(address), [FULL; 2]);
}

/// Makes P8 and P4 valid for the granule of `address`, of which a half is about to get a time of its own, or which is
/// read as a whole.
#[inline]
pub(crate) fn halve(address: u64) {
    open_granule(Granule::of(address), [HALVES; 2]);
}

/// Makes P8 and P4 valid for both halves, and P1 for those whose `wanted` tag has V1; the tags get what is `wanted`,
/// which has [`HALVES`].
#[inline(always)]
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
    granule.set_tags([tags[0] & V1 | wanted[0], tags[1] & V1 | wanted[1]]);
}

/// Gives a whole granule one time.
#[inline(always)]
pub(super) fn store_granule(granule: Granule, time: Time) {
    set(granule.p8(), time);
    set(granule.p4(0), time);
    set(granule.p4(1), time);
    granule.set_tags([WHOLE; 2]);
}

/// Gives bytes `first..first + len` of a granule, not all of it, one time; the others keep theirs.
#[inline(never)]
pub(super) fn store_part(granule: Granule, first: usize, len: usize, time: Time) {
    store_some(granule, first, len, Some(time), |_| time);
}

/// Gives bytes `first..first + times.len()` of a granule their times; the others keep theirs.
#[inline(always)]
pub(super) fn store_bytes(granule: Granule, first: usize, times: &[Time]) {
    store_some(granule, first, times.len(), None, |byte| {
        times[byte - first]
    });
}

/// Writes the bytes' times; `common` is what they share, so that halves covered as a whole do without P1.
#[inline(always)]
fn store_some(
    granule: Granule,
    first: usize,
    len: usize,
    common: Option<Time>,
    time: impl Fn(usize) -> Time,
) {
    let touched = |half: usize| first.max(half * 4)..(first + len).min(half * 4 + 4);
    let narrow = |half: usize| {
        let range = touched(half);
        !range.is_empty() && (range.len() < 4 || common.is_none())
    };
    let wanted = [0, 1].map(|half| if narrow(half) { FULL } else { HALVES });
    open_granule(granule, wanted);
    let mut tags = granule.tags();
    for (half, tag) in tags.iter_mut().enumerate() {
        let range = touched(half);
        if range.is_empty() {
            continue;
        }
        if !narrow(half) {
            set(granule.p4(half), time(range.start));
            *tag = HALVES;
            continue;
        }
        for byte in range {
            set(granule.p1(byte), time(byte));
        }
        let bytes = [0, 1, 2, 3].map(|i| get(granule.p1(half * 4 + i)));
        set(
            granule.p4(half),
            max(max(bytes[0], bytes[1]), max(bytes[2], bytes[3])),
        );
    }
    set(granule.p8(), max(get(granule.p4(0)), get(granule.p4(1))));
    granule.set_tags(tags);
}

/// Gives `n` bytes at `address` one time.
#[inline(always)]
pub(super) fn store(address: u64, n: u64, time: Time) {
    split(
        address,
        n,
        &mut (),
        |(), granule, first, len| store_part(granule, first, len, time),
        |(), granule| store_granule(granule, time),
    );
}
