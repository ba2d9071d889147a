//! Moving times along with bytes: `memcpy` and `memmove`.

use parascan_abi::Time;
use parascan_abi::shadow::{HALVES, V1};

use super::planes::{Granule, ZERO, add, get, is_uniform, max, set};
use super::write::{store_bytes, store_granule};

/// What happens to a time on its way: maximum with `floor`, plus `latency`; `seen` collects the results' maximum.
struct TimeTransfer {
    floor: Time,
    latency: u32,
    seen: Time,
}

impl TimeTransfer {
    #[inline(always)]
    fn apply(&mut self, time: Time) -> Time {
        let time = add(max(time, self.floor), self.latency);
        self.seen = max(self.seen, time);
        time
    }
}

/// Copies the times of `n` bytes with `memmove` semantics: t(dst byte) = max(t(src byte), `floor`) + `latency`. Returns
/// the maximum of those.
#[inline(always)]
pub(super) fn copy(dst: u64, src: u64, n: u64, floor: Time, latency: u32) -> Time {
    let mut step = TimeTransfer {
        floor,
        latency,
        seen: ZERO,
    };
    // Forward unless the destination begins inside the source.
    if dst.wrapping_sub(src) >= n {
        forward(dst, src, n, &mut step)
    } else {
        backward(dst, src, n, &mut step)
    }
    step.seen
}

#[inline(always)]
fn forward(dst: u64, src: u64, n: u64, step: &mut TimeTransfer) {
    let mut done = 0;
    while done < n {
        let first = dst.wrapping_add(done) & 7;
        let len = (n - done).min(8 - first);
        part(
            dst.wrapping_add(done),
            src.wrapping_add(done),
            len as usize,
            step,
        );
        done += len;
    }
}

#[inline(always)]
fn backward(dst: u64, src: u64, n: u64, step: &mut TimeTransfer) {
    let mut rest = n;
    while rest > 0 {
        // Bytes of the last granule of what is left.
        let end = dst.wrapping_add(rest).wrapping_sub(1) & 7;
        let len = rest.min(end + 1);
        rest -= len;
        part(
            dst.wrapping_add(rest),
            src.wrapping_add(rest),
            len as usize,
            step,
        );
    }
}

/// Copies `len` bytes that lie in one granule of the destination.
#[inline(always)]
fn part(dst: u64, src: u64, len: usize, step: &mut TimeTransfer) {
    let to = Granule::of(dst);
    if len == 8 && src & 7 == 0 {
        return aligned(to, Granule::of(src), step);
    }
    if len == 8 && src & 3 == 0 {
        let (low, high) = (Granule::of(src), Granule::of(src.wrapping_add(4)));
        let (low_tag, high_tag) = (low.tags()[1], high.tags()[0]);
        if (low_tag | high_tag) & V1 == 0 {
            let halves = [
                step.apply(low.half(1, low_tag)),
                step.apply(high.half(0, high_tag)),
            ];
            set(to.p4(0), halves[0]);
            set(to.p4(1), halves[1]);
            set(to.p8(), max(halves[0], halves[1]));
            return to.set_tags([HALVES; 2]);
        }
    }
    step.seen = max(step.seen, bytes(dst, src, len, step.floor, step.latency));
}

/// Copies `len` bytes that lie in one granule of the destination, each by itself. Returns their times' maximum.
#[inline(never)]
fn bytes(dst: u64, src: u64, len: usize, floor: Time, latency: u32) -> Time {
    let mut step = TimeTransfer {
        floor,
        latency,
        seen: ZERO,
    };
    // All source bytes are read before any is written, as overlap demands.
    let mut times = [ZERO; 8];
    for i in 0..len {
        let at = src.wrapping_add(i as u64);
        let granule = Granule::of(at);
        let tags = granule.tags();
        // Bytes of a half without times of their own share one.
        times[i] = if i != 0 && at & 3 != 0 && tags[(at & 7) as usize / 4] & V1 == 0 {
            times[i - 1]
        } else {
            step.apply(granule.byte((at & 7) as usize, tags))
        };
    }
    store_bytes(Granule::of(dst), (dst & 7) as usize, &times[..len]);
    step.seen
}

/// Copies a whole granule.
#[inline(always)]
fn aligned(to: Granule, from: Granule, step: &mut TimeTransfer) {
    let tags = from.tags();
    if is_uniform(tags) {
        return store_granule(to, step.apply(get(from.p8())));
    }
    let halves = [
        step.apply(from.half(0, tags[0])),
        step.apply(from.half(1, tags[1])),
    ];
    set(to.p4(0), halves[0]);
    set(to.p4(1), halves[1]);
    set(to.p8(), max(halves[0], halves[1]));
    if (tags[0] | tags[1]) & V1 == 0 {
        return to.set_tags([HALVES; 2]);
    }
    for (half, tag) in tags.into_iter().enumerate() {
        if tag & V1 != 0 {
            for byte in half * 4..half * 4 + 4 {
                set(to.p1(byte), step.apply(get(from.p1(byte))));
            }
        }
    }
    to.set_tags([tags[0] & V1 | HALVES, tags[1] & V1 | HALVES]);
}
