//! Reads that a cell has no room for: by place and by the loop that carries them.
//!
//! A cell keeps the latest read and two older ones, which different loops carry. One that a further loop carries, the
//! outermost of them, matters to a write before that loop's iteration ends; it is kept here.

use super::cell::{SiteStamp, Stamp};
use super::tables::{hash, zeros};
use crate::sys::Errno;

/// Entries; few in tests, so that there it fills.
const SLOTS: usize = if cfg!(test) { 1 << 10 } else { 1 << 24 };
/// Slots that are tried.
const TRIES: usize = 32;
/// [`MemoryPart::kind`] of a whole granule; of a byte it is its offset.
const WHOLE: u64 = 4;

/// A granule or a byte of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryPart {
    granule: u64,
    kind: u64,
}

impl MemoryPart {
    pub(super) fn granule(address: u64) -> Self {
        Self {
            granule: address / 4,
            kind: WHOLE,
        }
    }

    pub(super) fn byte(address: u64) -> Self {
        Self {
            granule: address / 4,
            kind: address & 3,
        }
    }

    /// Never 0: page 0 is no program's, and the hidden states in it are no granules of 0 either.
    fn key(self, depth: usize) -> u64 {
        (self.granule << 15 | self.kind << 12 | depth as u64) + 1
    }

    /// If it is a byte, the others of its granule.
    pub(super) fn other_bytes(self) -> impl Iterator<Item = Self> {
        let others = (0..WHOLE).filter(move |&kind| self.kind != WHOLE && self.kind != kind);
        others.map(move |kind| Self { kind, ..self })
    }

    /// Places whose reads are this one's too.
    fn with_whole(self) -> impl Iterator<Item = Self> {
        let whole = Self {
            kind: WHOLE,
            ..self
        };
        [self, whole]
            .into_iter()
            .take(if self.kind == WHOLE { 1 } else { 2 })
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct LostSlot {
    key: u64,
    mark: SiteStamp,
}

/// The table.
#[derive(Debug)]
pub(super) struct LostReads {
    slots: *mut LostSlot,
}

impl LostReads {
    pub(super) fn new() -> Result<Self, Errno> {
        Ok(Self {
            slots: zeros(SLOTS)?,
        })
    }

    /// Slots in which a key may be.
    fn tries(&self, key: u64) -> impl Iterator<Item = *mut LostSlot> + use<> {
        let first = hash(&[key as u32, (key >> 32) as u32]) as usize;
        let slots = self.slots;
        // SAFETY: within the table.
        (0..TRIES).map(move |i| unsafe { slots.add(first.wrapping_add(i) & (SLOTS - 1)) })
    }

    /// Keeps a read that the loop at `depth` carries; an older one of it gives way. `over` says of a depth and stamp
    /// whether that loop's instance has ended. False: there is no room.
    pub(super) fn keep(
        &mut self,
        place: MemoryPart,
        depth: usize,
        mark: SiteStamp,
        over: impl Fn(usize, Stamp) -> bool,
    ) -> bool {
        let key = place.key(depth);
        let mut free = None;
        for slot in self.tries(key) {
            // SAFETY: within the table, and only this thread uses it.
            let found = unsafe { *slot };
            if found.key == key || found.key == 0 {
                free = free.filter(|_| found.key == 0).or(Some(slot));
                break;
            }
            let depth = (found.key - 1) as usize & 0xfff;
            if free.is_none() && over(depth, found.mark.stamp()) {
                free = Some(slot);
            }
        }
        // SAFETY: as above.
        free.map(|slot| unsafe { *slot = LostSlot { key, mark } })
            .is_some()
    }

    /// Forgets what was kept, for a byte also what was kept for its granule.
    pub(super) fn drop(&mut self, place: MemoryPart, depth: usize) {
        for key in place.with_whole().map(|place| place.key(depth)) {
            for slot in self.tries(key) {
                // SAFETY: within the table, and only this thread uses it.
                let found = unsafe { &mut *slot };
                if found.key == key {
                    // The key stays, so that what lies behind it is found.
                    found.mark = SiteStamp::default();
                }
                if found.key == key || found.key == 0 {
                    break;
                }
            }
        }
    }

    /// The read that was kept for the loop at `depth`, the latest.
    pub(super) fn find(&self, place: MemoryPart, depth: usize) -> Option<SiteStamp> {
        place
            .with_whole()
            .filter_map(|place| {
                let key = place.key(depth);
                for slot in self.tries(key) {
                    // SAFETY: within the table.
                    let found = unsafe { *slot };
                    if found.key == key {
                        return Some(found.mark);
                    }
                    if found.key == 0 {
                        break;
                    }
                }
                None
            })
            .max_by_key(|mark| mark.stamp())
    }
}
