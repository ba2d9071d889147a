//! Addresses and raw access: records, tags, vector arithmetic.

use parascan_abi::shadow::{ADDRESS_MASK, P1_BASE, P4_BASE, P8_BASE, SPLIT, TAG_BASE, V1, V4, V8};
use parascan_abi::{LANES, Tick, Time};

/// Zero on all lanes.
pub(crate) const ZERO: Time = Time([0; LANES]);

/// Lane-wise maximum.
#[inline(always)]
pub(crate) fn max(a: Time, b: Time) -> Time {
    let mut out = a;
    for i in 0..LANES {
        out.0[i] = if b.0[i] > a.0[i] { b.0[i] } else { a.0[i] };
    }
    out
}

/// Adds a latency on all lanes.
#[inline(always)]
pub(crate) fn add(a: Time, latency: u32) -> Time {
    let mut out = a;
    for lane in &mut out.0 {
        *lane = lane.wrapping_add(latency as Tick);
    }
    out
}

/// A granule: 8 bytes of program memory that start at a multiple of 8, modulo the address mask.
#[derive(Clone, Copy)]
pub(super) struct Granule(u64);

impl Granule {
    /// The granule of a program address.
    #[inline(always)]
    pub(super) fn of(address: u64) -> Self {
        Self(address & ADDRESS_MASK & !7)
    }

    /// P8 record.
    #[inline(always)]
    pub(super) fn p8(self) -> *mut Time {
        (P8_BASE + self.0 * 4) as *mut Time
    }

    /// P4 record of a half.
    #[inline(always)]
    pub(super) fn p4(self, half: usize) -> *mut Time {
        ((P4_BASE + self.0 * 8) as *mut Time).wrapping_add(half)
    }

    /// P1 record of byte 0 to 7.
    #[inline(always)]
    pub(super) fn p1(self, byte: usize) -> *mut Time {
        ((P1_BASE + self.0 * 32) as *mut Time).wrapping_add(byte)
    }

    /// Address of both tags.
    #[inline(always)]
    pub(super) fn tags_address(self) -> *mut [u8; 2] {
        (TAG_BASE + self.0 / 4) as *mut [u8; 2]
    }

    /// Both tags.
    #[inline(always)]
    pub(super) fn tags(self) -> [u8; 2] {
        // SAFETY: the planes are mapped before any instrumented code runs, and cover every masked address.
        unsafe { *self.tags_address() }
    }

    /// Sets both tags.
    #[inline(always)]
    pub(super) fn set_tags(self, tags: [u8; 2]) {
        // SAFETY: as for `tags`.
        unsafe { *self.tags_address() = tags }
    }

    /// Time of a half whose tag is `tag`.
    #[inline(always)]
    pub(super) fn half(self, half: usize, tag: u8) -> Time {
        get(if tag & V4 != 0 || tag == 0 {
            self.p4(half)
        } else {
            self.p8()
        })
    }

    /// Time of one byte.
    #[inline(always)]
    pub(super) fn byte(self, byte: usize, tags: [u8; 2]) -> Time {
        let tag = tags[byte / 4];
        if tag & V1 != 0 {
            get(self.p1(byte))
        } else {
            self.half(byte / 4, tag)
        }
    }

    /// Time of the whole granule.
    #[inline(always)]
    pub(super) fn whole(self, tags: [u8; 2]) -> Time {
        if tags[0] & tags[1] & V8 != 0 {
            get(self.p8())
        } else {
            max(self.half(0, tags[0]), self.half(1, tags[1]))
        }
    }
}

/// Whether all bytes of a granule with these tags have the time of P8.
#[inline(always)]
pub(super) fn is_uniform(tags: [u8; 2]) -> bool {
    (tags[0] | tags[1]) & SPLIT == 0
}

/// Reads a record.
#[inline(always)]
pub(super) fn get(record: *mut Time) -> Time {
    // SAFETY: records of `Granule` are aligned and inside the mapped planes.
    unsafe { *record }
}

/// Writes a record.
#[inline(always)]
pub(super) fn set(record: *mut Time, time: Time) {
    // SAFETY: as for `get`.
    unsafe { *record = time }
}

/// Splits `n` bytes at `address`: `some(granule, first byte, length)` for granules covered in part, `whole(granule)`
/// for the others.
#[inline(always)]
pub(super) fn split<T>(
    address: u64,
    n: u64,
    state: &mut T,
    some: impl Fn(&mut T, Granule, usize, usize),
    whole: impl Fn(&mut T, Granule),
) {
    let head = (address.wrapping_neg() & 7).min(n);
    if head != 0 {
        some(
            state,
            Granule::of(address),
            (address & 7) as usize,
            head as usize,
        );
    }
    let mut at = address.wrapping_add(head);
    for _ in 0..(n - head) / 8 {
        whole(state, Granule::of(at));
        at = at.wrapping_add(8);
    }
    let tail = (n - head) % 8;
    if tail != 0 {
        some(state, Granule::of(at), 0, tail as usize);
    }
}
