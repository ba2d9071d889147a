//! Where the iterations of a loop wrote: a list that grows with the gaps between them, up to a size.

use super::course::{AccessProgression, AddressRange};
use crate::deps::cell::Stamp;
use crate::deps::tables::zeros;
use crate::sys::Errno;

/// Entries of an instance; few in tests, so that there is no room at times.
const MOST: usize = if cfg!(test) { 64 } else { 1 << 16 };

/// Places that one iteration of a site or group wrote, or several beside each other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Written {
    pub(super) places: AddressRange,
    pub(super) site: u32,
}

/// What the sites and groups of one instance wrote in iterations that have ended.
#[derive(Debug)]
pub(super) struct Ledger {
    list: *mut Written,
    count: usize,
}

impl Ledger {
    pub(super) fn new() -> Result<Self, Errno> {
        Ok(Self {
            list: zeros(MOST)?,
            count: 0,
        })
    }

    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    pub(super) fn entries(&mut self) -> &mut [Written] {
        // SAFETY: as many as there are, in memory of this ledger alone.
        unsafe { core::slice::from_raw_parts_mut(self.list, self.count) }
    }

    /// An access of a site or group in an iteration that began at this stamp.
    #[inline(always)]
    pub(super) fn follow(
        &mut self,
        course: &mut AccessProgression,
        iteration: Stamp,
        site: u32,
        places: AddressRange,
        writes: bool,
    ) {
        if course.iteration != iteration {
            course.iteration = iteration;
            course.iterations = course.iterations.saturating_add(1);
            course.before = course.all;
            self.keep(course, site);
        }
        course.follow(places, writes);
    }

    /// Keeps what the iteration before wrote.
    pub(super) fn keep(&mut self, course: &mut AccessProgression, site: u32) {
        let places = core::mem::take(&mut course.wrote);
        if places.is_none() {
            return;
        }
        let full = self.count == MOST;
        if let Some(last) = (course.written as usize).checked_sub(1) {
            let last = &mut self.entries()[last].places;
            if full || last.end == places.first || last.first == places.end || last.meets(places) {
                last.add(places);
                return;
            }
        }
        if full {
            course.lost = true;
            return;
        }
        self.count += 1;
        let last = self.count - 1;
        self.entries()[last] = Written { places, site };
        course.written = self.count as u32;
    }
}
