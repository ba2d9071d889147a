//! Places: of one access, of a site, of a site or group from iteration to iteration.

use crate::deps::cell::Stamp;

/// How accesses of a site are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SiteMode {
    #[default]
    Cells,
    Reads,
    Group(u8),
}

/// Addresses from `first` to before `end`; none if these are equal.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AddressRange {
    pub(super) first: u64,
    pub(super) end: u64,
}

impl AddressRange {
    pub(super) fn is_none(self) -> bool {
        self.first == self.end
    }

    #[inline(always)]
    pub(super) fn add(&mut self, other: Self) {
        *self = match self.is_none() {
            true => other,
            false => Self {
                first: self.first.min(other.first),
                end: self.end.max(other.end),
            },
        };
    }

    #[inline(always)]
    pub(super) fn holds(self, other: Self) -> bool {
        self.first <= other.first && other.end <= self.end
    }

    pub(super) fn meets(self, other: Self) -> bool {
        self.first < other.end && other.first < self.end
    }
}

/// Places that were accessed, and whether each iteration kept beyond those of earlier ones.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AccessProgression {
    pub(super) all: AddressRange,
    /// Before the current iteration.
    pub(super) before: AddressRange,
    /// Written in the current iteration.
    pub(super) wrote: AddressRange,
    /// Begin of the iteration of the last access.
    pub(super) iteration: Stamp,
    /// Iterations with an access.
    pub(super) iterations: u32,
    /// No iteration went below the end of an earlier one's places, or beyond the first.
    pub(super) up: bool,
    pub(super) down: bool,
    /// The last entry of the ledger that is of it, plus one.
    pub(super) written: u32,
    /// There was no room for some of that: it may have written everywhere in `all`.
    pub(super) lost: bool,
}

/// A site in the loop.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SiteSpan {
    /// Begin of the instance that all of this is about.
    pub(super) instance: Stamp,
    pub(super) way: SiteMode,
    /// What it was good for in an earlier instance.
    pub(super) habit: SiteMode,
    pub(super) writes: bool,
    /// Its accesses are to go to the cells in this instance.
    pub(super) needs_cells: bool,
    /// Each access begins at `origin` plus or minus a multiple of `grain` (0: at `origin`) and is no longer than `len`:
    /// members of an array's structures.
    pub(super) origin: u64,
    pub(super) grain: u64,
    pub(super) len: u64,
    /// These matter: all of its span would meet what a group wrote.
    pub(super) grained: bool,
    pub(super) course: AccessProgression,
}

impl SiteSpan {
    /// Another access, or several so many bytes apart.
    #[inline(always)]
    pub(super) fn align(&mut self, first: u64, step: u64, len: u64) {
        let distance = self.origin.abs_diff(first);
        let fits = |d: u64| d == 0 || self.grain != 0 && d.is_multiple_of(self.grain);
        if !(fits(distance) && fits(step)) {
            self.grain = divisor(divisor(self.grain, distance), step);
        }
        self.len = self.len.max(len);
    }

    /// Whether one of its accesses may have met these places, in which its span lies.
    pub(super) fn may_meet(&self, places: AddressRange) -> bool {
        if !self.course.all.meets(places) || self.grain <= self.len {
            return self.course.all.meets(places);
        }
        let grain = i128::from(self.grain);
        let behind = (i128::from(places.first) - i128::from(self.origin)).rem_euclid(grain);
        let length = i128::from(places.end - places.first);
        behind < i128::from(self.len) || behind + length > grain
    }
}

/// Greatest common divisor; of 0 and a number that number.
pub(super) fn divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl AccessProgression {
    /// An access in the current iteration.
    #[inline(always)]
    pub(super) fn follow(&mut self, places: AddressRange, writes: bool) {
        if !self.before.is_none() {
            self.up &= places.first >= self.before.end;
            self.down &= places.end <= self.before.first;
        }
        self.all.add(places);
        if writes {
            self.wrote.add(places);
        }
    }
}
