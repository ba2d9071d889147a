//! What is known of a place: when and where it was accessed last.

use parascan_abi::deps::CELL_BYTES;

/// A moment: the number of boundaries (begin of a loop, of an iteration, end of a loop) passed so far; 0 is never.
pub(super) type Stamp = u32;

/// Bit of the first of [`AccessCell::before`]; sites need fewer bits. (No other mark has it, but for that of a split
/// granule.)
const LOST: u64 = 1 << 62;

/// When and where a place was accessed: stamp, and above it the site, in one word, so that what was just stored is
/// loaded as stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct SiteStamp(u64);

impl SiteStamp {
    #[inline(always)]
    pub(super) fn new(stamp: Stamp, site: u32) -> Self {
        Self(u64::from(stamp) | u64::from(site) << 32)
    }

    #[inline(always)]
    pub(super) fn stamp(self) -> Stamp {
        self.0 as u32
    }

    #[inline(always)]
    pub(super) fn site(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// The same; reads between it and the latest are kept elsewhere.
    #[inline(always)]
    pub(super) fn with_lost(self, lost: bool) -> Self {
        Self(self.0 & !LOST | if lost { LOST } else { 0 })
    }

    #[inline(always)]
    fn has_lost(self) -> bool {
        self.0 & LOST != 0
    }

    /// Whether there was no access.
    #[inline(always)]
    pub(super) fn is_none(self) -> bool {
        self.stamp() == 0
    }
}

/// Accesses to a granule or byte. All zero: none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(super) struct AccessCell {
    /// Last write. In a granule whose bytes differ: number of their group, at site [`SPLIT`].
    pub(super) write: SiteStamp,
    /// Last read since that write.
    pub(super) read: SiteStamp,
    /// Earlier ones, of other iterations, the later first.
    pub(super) before: [SiteStamp; 2],
}

impl AccessCell {
    #[inline(always)]
    pub(super) fn is_split(&self) -> bool {
        self.write.site() == SPLIT
    }

    /// Whether there is no room for a read by another iteration.
    pub(super) fn is_full(&self) -> bool {
        !self.read.is_none() && !self.before[0].is_none() && !self.before[1].is_none()
    }

    /// Whether reads since the write are kept elsewhere.
    #[inline(always)]
    pub(super) fn has_lost(&self) -> bool {
        self.before[0].has_lost()
    }
}

const _: () = assert!(size_of::<AccessCell>() as u64 == CELL_BYTES);

/// Marks a granule whose bytes have cells of their own.
pub(super) const SPLIT: u32 = u32::MAX;
