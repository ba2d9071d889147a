//! What is kept of the accesses: dependences by loop, kind and sites; how sites use loops; blocks of the heap.

use parascan_abi::deps::{Pair, Totals, USE_LIVE, Use};

use crate::sys::{self, Errno};

/// Most dependences that are told apart.
const PAIRS: usize = 1 << 16;
/// Slots of the index of pairs, twice as many.
const SLOTS: usize = PAIRS * 2;
/// Most relations between a site and a loop.
const USES: usize = 1 << 18;
/// Most regions.
pub(super) const REGIONS: usize = 1 << 20;
/// Most sites.
pub(super) const SITES: usize = 1 << 22;
/// Blocks of the heap that are remembered.
const BLOCKS: usize = 1 << 16;

/// Memory for `len` values, all zero, until the process ends.
pub(super) fn zeros<T>(len: usize) -> Result<*mut T, Errno> {
    Ok(sys::map_anonymous((len * size_of::<T>()) as u64)?.cast())
}

/// Loop of a region number, as observed so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Loop {
    pub(super) totals: Totals,
    /// Stamp at the end of its last instance that ended.
    pub(super) end: u32,
}

/// A site, as observed so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Site {
    /// First of its uses, plus one.
    pub(super) uses: u32,
    /// Uses whose value was not yet seen read after the loop.
    pub(super) not_live: u32,
    /// Loops around the last access that was looked at, so that the next one like it is known.
    pub(super) seen: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Block {
    start: u64,
    end: u64,
    site: u32,
}

/// All tables.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) loops: *mut Loop,
    pub(super) pairs: *mut Pair,
    pub(super) pair_count: usize,
    /// The iteration (by its stamp) and instance (likewise) in which a pair was last seen.
    last: *mut (u32, u32),
    slots: *mut u32,
    pub(super) uses: *mut Use,
    pub(super) use_count: usize,
    next_use: *mut u32,
    sites: *mut Site,
    blocks: *mut Block,
    next_block: usize,
    /// Something did not fit.
    pub(super) full: bool,
}

impl Tables {
    pub(super) fn new() -> Result<Self, Errno> {
        Ok(Self {
            loops: zeros(REGIONS)?,
            pairs: zeros(PAIRS)?,
            pair_count: 0,
            last: zeros(PAIRS)?,
            slots: zeros(SLOTS)?,
            uses: zeros(USES)?,
            use_count: 0,
            next_use: zeros(USES)?,
            sites: zeros(SITES)?,
            blocks: zeros(BLOCKS)?,
            next_block: 0,
            full: false,
        })
    }

    pub(super) fn region(&mut self, region: u32) -> &mut Loop {
        // SAFETY: within the table; exclusive as `self` is.
        unsafe { &mut *self.loops.add(region as usize & (REGIONS - 1)) }
    }

    pub(super) fn site(&mut self, site: u32) -> &mut Site {
        // SAFETY: within the table; exclusive as `self` is.
        unsafe { &mut *self.sites.add(site as usize & (SITES - 1)) }
    }

    /// Number of the pair with this key, which is made if there is none; None when the table is full.
    pub(super) fn pair(
        &mut self,
        region: u32,
        kind: u32,
        source: u32,
        sink: u32,
        address: u64,
    ) -> Option<usize> {
        let mut slot = hash(&[region, kind, source, sink]) as usize;
        loop {
            slot &= SLOTS - 1;
            // SAFETY: within the index.
            let number = unsafe { *self.slots.add(slot) } as usize;
            if number == 0 {
                break;
            }
            // SAFETY: the index refers to pairs that exist.
            let pair = unsafe { &*self.pairs.add(number - 1) };
            if (pair.region, pair.kind, pair.source, pair.sink) == (region, kind, source, sink) {
                return Some(number - 1);
            }
            slot += 1;
        }
        if self.pair_count == PAIRS {
            self.full = true;
            return None;
        }
        let number = self.pair_count;
        self.pair_count += 1;
        let object = self.block_of(address);
        // SAFETY: the tables have room for this number.
        unsafe {
            *self.slots.add(slot) = number as u32 + 1;
            *self.pairs.add(number) = Pair {
                region,
                kind,
                source,
                sink,
                object,
                least: u32::MAX,
                address,
                ..Pair::default()
            };
        }
        Some(number)
    }

    /// Counts one more of a pair: its distance, the later access's iteration (stamp and number), and the start of the instance.
    pub(super) fn count(&mut self, pair: usize, distance: u32, iteration: (u32, u32), start: u32) {
        // SAFETY: the caller has the number from `pair`.
        let (pair, last) = unsafe { (&mut *self.pairs.add(pair), &mut *self.last.add(pair)) };
        pair.count += 1;
        pair.least = pair.least.min(distance);
        pair.most = pair.most.max(distance);
        pair.last = pair.last.max(iteration.1);
        if last.0 != iteration.0 {
            last.0 = iteration.0;
            pair.iterations += 1;
        }
        if last.1 != start {
            last.1 = start;
            pair.instances += 1;
        }
    }

    /// Notes how a site uses a loop.
    pub(super) fn note(&mut self, site: u32, region: u32, flags: u32) {
        let mut at = self.site(site).uses as usize;
        while at != 0 {
            // SAFETY: uses are linked by numbers that exist.
            let (found, next) =
                unsafe { (&mut *self.uses.add(at - 1), *self.next_use.add(at - 1)) };
            if found.region == region {
                found.flags |= flags;
                return;
            }
            at = next as usize;
        }
        if self.use_count == USES {
            self.full = true;
            return;
        }
        let number = self.use_count;
        self.use_count += 1;
        let state = self.site(site);
        let next = state.uses;
        state.uses = number as u32 + 1;
        state.not_live += 1;
        // SAFETY: the tables have room for this number.
        unsafe {
            *self.uses.add(number) = Use {
                site,
                region,
                flags,
                reader: 0,
            };
            *self.next_use.add(number) = next;
        }
    }

    /// `reader` read what `writer` wrote at `write`: notes the loops that ended in between.
    pub(super) fn note_live(&mut self, writer: u32, write: u32, reader: u32) {
        if self.site(writer).not_live == 0 {
            return;
        }
        let mut at = self.site(writer).uses as usize;
        while at != 0 {
            // SAFETY: uses are linked by numbers that exist.
            let (found, next) =
                unsafe { (&mut *self.uses.add(at - 1), *self.next_use.add(at - 1)) };
            // An instance that is still open began after all that ended, unless it is around one of them (recursion): then what
            // it wrote itself counts as live too.
            let end = self.region(found.region).end;
            if found.flags & USE_LIVE == 0 && write < end {
                found.flags |= USE_LIVE;
                found.reader = reader;
                self.site(writer).not_live -= 1;
            }
            at = next as usize;
        }
    }

    /// A block of the heap came to be.
    pub(super) fn allocated(&mut self, start: u64, len: u64, site: u32) {
        let block = Block {
            start,
            end: start.saturating_add(len),
            site,
        };
        // SAFETY: within the table.
        unsafe { *self.blocks.add(self.next_block % BLOCKS) = block };
        self.next_block += 1;
    }

    /// Site that allocated the youngest block at an address, or 0.
    fn block_of(&self, address: u64) -> u32 {
        let oldest = self.next_block.saturating_sub(BLOCKS);
        (oldest..self.next_block)
            .rev()
            // SAFETY: within the table.
            .map(|i| unsafe { *self.blocks.add(i % BLOCKS) })
            .find(|b| (b.start..b.end).contains(&address))
            .map_or(0, |b| b.site)
    }
}

/// A number for these words.
pub(super) fn hash(words: &[u32]) -> u32 {
    let mut h = 0x9e37_79b9_7f4a_7c15_u64;
    for &w in words {
        h = (h ^ u64::from(w)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        h ^= h >> 32;
    }
    h as u32
}
