//! What is kept of the accesses: dependences by loop, kind and sites; how sites use loops; blocks of the heap.

use parascan_abi::deps::{FLOW, Pair, SiteUse, Totals, USE_LIVE, USE_WRITES};
use parascan_abi::shadow::ADDRESS_MASK;

use super::cell::AccessCell;
use crate::sys::{self, Errno};

/// Most dependences that are told apart.
const PAIRS: usize = 1 << 16;
/// Slots of the index of pairs, twice as many.
const SLOTS: usize = PAIRS * 2;
/// Most relations between a site and a loop.
const USES: usize = 1 << 18;
/// Most regions.
pub(super) const REGIONS: usize = 1 << 20;
/// Number of times from which on a reduction's distances are not looked at any more.
const FREQUENT: u64 = 1 << 16;
/// Most sites.
pub(super) const SITES: usize = 1 << 22;
/// Most variables of which one stands for what another stands for.
const DEEP: usize = 8;
/// Most links between variables and sites that wrote to them.
const LINKS: usize = 1 << 16;
/// Blocks of the heap that are remembered.
const BLOCKS: usize = 1 << 16;

/// Memory for `len` values, all zero, until the process ends.
pub(super) fn zeros<T>(len: usize) -> Result<*mut T, Errno> {
    Ok(sys::map_anonymous((len * size_of::<T>()) as u64)?.cast())
}

/// Loop of a region number, as observed so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ObservedLoop {
    pub(super) totals: Totals,
    /// Stamp at the end of its last instance that ended.
    pub(super) end: u32,
    /// All of it is observed, whatever the quota.
    pub(super) focus: bool,
    /// Accesses in instances that had spans, and most sites of one that wrote; whether one did not go as was thought of
    /// its sites.
    pub(super) watched: u64,
    pub(super) writers: u32,
    pub(super) missed: bool,
    /// Accesses in it, up to its last boundary.
    pub(super) accesses: u64,
}

/// What an access made of a cell: equal cells become equal until the next boundary, and there is nothing new to be
/// counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CellMemo {
    before: AccessCell,
    after: AccessCell,
    now: u32,
}

/// A site, as observed so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ObservedSite {
    /// First of its uses, plus one.
    pub(super) uses: u32,
    /// First of those of them whose value was not yet seen read after the loop, plus one.
    pub(super) pending: u32,
    /// Loops around the last access that was looked at, so that the next one like it is known.
    pub(super) seen: u32,
    /// When a loop had ended last while `pending` was walked, and for which write.
    walked: (u32, u32),
    /// What its last read and its last write that were looked at made of a cell.
    memos: [CellMemo; 2],
    /// By kind: the pair (plus one) that it was last the later access of.
    last: [u32; 4],
    /// First of its links, plus one.
    links: u32,
    /// When it wrote last, and the chain of loops that it was last seen to write in again, by the next iteration of the
    /// innermost.
    pub(super) wrote: u32,
    pub(super) again: u32,
    /// Of a site that writes what is reduced: number of loops around the outermost one that reduces it, plus one; of
    /// one that reads it for that, [`UPDATES`].
    pub(super) reduced: u32,
}

/// Kind of a pair until the end of the observation: a read, in the iteration that updated it, of what a loop reduces.
/// It is a flow dependence if iterations met in such a place ([`ObservedTables::settle_running`]).
pub(super) const RUNNING: u32 = 3;

/// While they are settled: such a pair that is a flow dependence.
const SETTLED: u32 = 4;

/// As [`ObservedSite::reduced`].
pub(super) const UPDATES: u32 = u32::MAX;

/// A site that had written what a variable's own site stands for now.
#[derive(Clone, Copy, Debug, Default)]
struct SiteLink {
    site: u32,
    /// The next of the same variable, plus one.
    next: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct HeapBlock {
    start: u64,
    end: u64,
    site: u32,
}

/// When a pair was last seen: iteration and instance by their stamps, and the distance.
#[derive(Clone, Copy, Debug, Default)]
struct LastSeen {
    iteration: u32,
    instance: u32,
    distance: u32,
    /// Site of the loop's variable in which it lies, or 0.
    variable: u32,
}

/// What was seen so far, but for places: loops, pairs, uses, sites, blocks of the heap. Sizes are fixed.
#[derive(Debug)]
pub(super) struct ObservedTables {
    pub(super) loops: *mut ObservedLoop,
    pub(super) pairs: *mut Pair,
    pub(super) pair_count: usize,
    /// When a pair was last seen.
    last: *mut LastSeen,
    slots: *mut u32,
    pub(super) uses: *mut SiteUse,
    pub(super) use_count: usize,
    next_use: *mut u32,
    next_pending: *mut u32,
    /// Uses that write in a loop that is not closed, and whose values were not yet seen read after it.
    pub(super) unread: usize,
    sites: *mut ObservedSite,
    /// By site: 1 if it ran.
    pub(super) ran: *mut u8,
    links: *mut SiteLink,
    link_count: usize,
    blocks: *mut HeapBlock,
    next_block: usize,
    /// By a number for its begin: number of the block that was given out there last, plus one.
    begins: *mut u32,
    /// Something did not fit.
    pub(super) full: bool,
}

impl ObservedTables {
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
            next_pending: zeros(USES)?,
            unread: 0,
            sites: zeros(SITES)?,
            ran: zeros(SITES)?,
            links: zeros(LINKS)?,
            link_count: 0,
            blocks: zeros(BLOCKS)?,
            next_block: 0,
            begins: zeros(BLOCKS)?,
            full: false,
        })
    }

    #[inline(always)]
    pub(super) fn region(&mut self, region: u32) -> &mut ObservedLoop {
        // SAFETY: within the table; exclusive as `self` is.
        unsafe { &mut *self.loops.add(region as usize & (REGIONS - 1)) }
    }

    /// Whether a loop is closed: no more is observed of it.
    #[inline(always)]
    pub(super) fn is_closed(&self, region: u32) -> bool {
        // SAFETY: within the table.
        unsafe {
            (*self.loops.add(region as usize & (REGIONS - 1)))
                .totals
                .closed
                != 0
        }
    }

    /// Closes a loop.
    #[cold]
    pub(super) fn close(&mut self, region: u32) {
        let found = self.region(region);
        if core::mem::replace(&mut found.totals.closed, 1) == 0 {
            // SAFETY: the table is filled up to there.
            let uses = unsafe { core::slice::from_raw_parts(self.uses, self.use_count) };
            let of = uses.iter().filter(|u| u.region == region && is_unread(u));
            self.unread -= of.count();
        }
    }

    #[inline(always)]
    pub(super) fn site(&mut self, site: u32) -> &mut ObservedSite {
        // SAFETY: within the table; exclusive as `self` is.
        unsafe { &mut *self.sites.add(site as usize & (SITES - 1)) }
    }

    /// Takes what loops wrote that are not in focus, nor open, and was not yet seen read after them, as read.
    #[cold]
    pub(super) fn wait_no_more(&mut self, is_open: impl Fn(u32) -> bool) {
        // SAFETY: as many as were made.
        let uses = unsafe { core::slice::from_raw_parts_mut(self.uses, self.use_count) };
        for found in uses {
            let ObservedLoop { totals, focus, .. } = *self.region(found.region);
            if is_unread(found) && !focus && totals.closed == 0 && !is_open(found.region) {
                found.flags |= USE_LIVE;
                found.reader = found.site;
                self.unread -= 1;
            }
        }
    }

    /// Takes what a site wrote in a loop as read after it.
    pub(super) fn assume_read(&mut self, site: u32, region: u32) {
        self.note(site, region, USE_LIVE);
        let mut at = self.site(site).uses as usize;
        while at != 0 {
            // SAFETY: uses are linked by numbers that exist.
            let (found, next) =
                unsafe { (&mut *self.uses.add(at - 1), *self.next_use.add(at - 1)) };
            if found.region == region && found.reader == 0 {
                found.reader = site;
            }
            at = next as usize;
        }
    }

    #[inline(always)]
    pub(super) fn site_of(&self, site: u32) -> &ObservedSite {
        // SAFETY: within the table.
        unsafe { &*self.sites.add(site as usize & (SITES - 1)) }
    }

    /// A site reads or writes something.
    #[inline(always)]
    pub(super) fn runs(&mut self, site: u32) {
        // SAFETY: within the table; exclusive as `self` is.
        unsafe { self.ran.add(site as usize & (SITES - 1)).write(1) };
    }

    /// Number of the pair with this key, which is made if there is none; None when the table is full. `variable`: site
    /// of the loop's variable in which it lies, or 0.
    #[inline(always)]
    pub(super) fn pair(
        &mut self,
        region: u32,
        kind: u32,
        (source, sink): (u32, u32),
        variable: u32,
        address: u64,
    ) -> Option<usize> {
        let last = self.site(sink).last[kind as usize];
        if last != 0 {
            let number = last as usize - 1;
            // SAFETY: the number of a pair that exists.
            let (pair, lies) =
                unsafe { (&*self.pairs.add(number), (*self.last.add(number)).variable) };
            if (pair.region, pair.source, pair.sink, lies) == (region, source, sink, variable) {
                return Some(number);
            }
        }
        let pair = self.find(region, kind, (source, sink), variable, address)?;
        self.site(sink).last[kind as usize] = pair as u32 + 1;
        Some(pair)
    }

    #[inline(never)]
    fn find(
        &mut self,
        region: u32,
        kind: u32,
        (source, sink): (u32, u32),
        variable: u32,
        address: u64,
    ) -> Option<usize> {
        let key = (region, kind, source, sink, variable);
        let mut slot = hash(&[region, kind, source, sink, variable]) as usize;
        loop {
            slot &= SLOTS - 1;
            // SAFETY: within the index.
            let number = unsafe { *self.slots.add(slot) } as usize;
            if number == 0 {
                break;
            }
            // SAFETY: the index refers to pairs that exist.
            let (pair, lies) = unsafe {
                (
                    &*self.pairs.add(number - 1),
                    (*self.last.add(number - 1)).variable,
                )
            };
            if (pair.region, pair.kind, pair.source, pair.sink, lies) == key {
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
        let object = match variable {
            0 => self.block_of(address),
            site => site,
        };
        // SAFETY: the tables have room for this number.
        unsafe {
            *self.slots.add(slot) = number as u32 + 1;
            (*self.last.add(number)).variable = variable;
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

    /// Counts one more of a pair: its distance, the later access's iteration (stamp and number), and the start of the
    /// instance.
    #[inline(always)]
    pub(super) fn count(&mut self, pair: usize, distance: u32, iteration: (u32, u32), start: u32) {
        // SAFETY: the caller has the number from `pair`.
        let (pair, last) = unsafe { (&mut *self.pairs.add(pair), &mut *self.last.add(pair)) };
        pair.count += 1;
        pair.least = pair.least.min(distance);
        pair.most = pair.most.max(distance);
        pair.last = pair.last.max(iteration.1);
        last.distance = distance;
        if last.iteration != iteration.0 {
            last.iteration = iteration.0;
            pair.iterations += 1;
        }
        if last.instance != start {
            last.instance = start;
            pair.instances += 1;
        }
    }

    /// Makes reads of running values what they are: where iterations met in what they updated, the value was one of
    /// earlier iterations, and the read depends on them. Elsewhere every iteration had places of its own, and nothing
    /// was reduced. To be called when no more is counted: the index of pairs does not follow.
    pub(super) fn settle_running(&mut self) {
        // SAFETY: the table is filled up to there, and nothing else refers to it.
        let pairs = unsafe { core::slice::from_raw_parts_mut(self.pairs, self.pair_count) };
        let is_running = |p: &Pair| matches!(p.kind, RUNNING | SETTLED);
        for number in 0..pairs.len() {
            let Pair { region, object, .. } = pairs[number];
            let is_read = |source: u32| {
                let mut running = pairs.iter().filter(|p| is_running(p));
                running.any(|p| (p.region, p.source) == (region, source))
            };
            let met = |p: &Pair| {
                (p.kind, p.region, p.object) == (FLOW, region, object)
                    && self.site_of(p.sink).reduced == UPDATES
                    && is_read(p.source)
            };
            if pairs[number].kind == RUNNING && pairs.iter().any(met) {
                pairs[number].kind = SETTLED;
            }
        }
        let mut kept = 0;
        for number in 0..pairs.len() {
            let mut found = pairs[number];
            let key = |p: &Pair| (p.region, p.source, p.sink, p.object);
            match found.kind {
                RUNNING => continue,
                SETTLED => {
                    let mut flows = pairs.iter_mut().filter(|p| p.kind == FLOW);
                    if let Some(same) = flows.find(|p| key(p) == key(&found)) {
                        same.count += found.count;
                        same.iterations = same.iterations.max(found.iterations);
                        same.instances = same.instances.max(found.instances);
                        same.least = same.least.min(found.least);
                        same.most = same.most.max(found.most);
                        same.last = same.last.max(found.last);
                        continue;
                    }
                    found.kind = FLOW;
                }
                _ => {}
            }
            pairs[kept] = found;
            // SAFETY: there are as many.
            unsafe { *self.last.add(kept) = *self.last.add(number) };
            kept += 1;
        }
        self.pair_count = kept;
    }

    /// Whether a pair was counted very often.
    #[inline(always)]
    pub(super) fn is_frequent(&self, pair: usize) -> bool {
        // SAFETY: the caller has the number from `pair`.
        unsafe { (*self.pairs.add(pair)).count >= FREQUENT }
    }

    /// Distance with which a pair was last counted, or 0.
    #[inline(always)]
    pub(super) fn last_distance(&self, pair: usize) -> u32 {
        // SAFETY: the caller has the number from `pair`.
        unsafe { (*self.last.add(pair)).distance }
    }

    /// Notes how a site uses a loop that is not closed.
    pub(super) fn note(&mut self, site: u32, region: u32, flags: u32) {
        let mut at = self.site(site).uses as usize;
        while at != 0 {
            // SAFETY: uses are linked by numbers that exist.
            let (found, next) =
                unsafe { (&mut *self.uses.add(at - 1), *self.next_use.add(at - 1)) };
            if found.region == region {
                let before = is_unread(found);
                found.flags |= flags;
                self.unread += usize::from(is_unread(found));
                self.unread -= usize::from(before);
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
        state.walked = (0, 0);
        let pending = core::mem::replace(&mut state.pending, number as u32 + 1);
        let found = SiteUse {
            site,
            region,
            flags,
            reader: 0,
        };
        self.unread += usize::from(is_unread(&found));
        // SAFETY: the tables have room for this number.
        unsafe {
            *self.uses.add(number) = found;
            *self.next_use.add(number) = next;
            *self.next_pending.add(number) = pending;
        }
    }

    /// What a cell becomes by an access of a site, if that is known: `kind` is 0 for reads and 1 for writes.
    #[inline(always)]
    pub(super) fn known(
        &mut self,
        site: u32,
        kind: usize,
        now: u32,
        cell: &AccessCell,
    ) -> Option<AccessCell> {
        let memo = &self.site(site).memos[kind];
        (memo.now == now && memo.before == *cell).then_some(memo.after)
    }

    /// Remembers what an access made of a cell of which nothing is kept elsewhere.
    #[inline(always)]
    pub(super) fn remember(
        &mut self,
        site: u32,
        kind: usize,
        now: u32,
        change: (AccessCell, AccessCell),
    ) {
        let (before, after) = change;
        if !before.has_lost() && !after.has_lost() {
            self.site(site).memos[kind] = CellMemo { before, after, now };
        }
    }

    /// `reader` read what `writer` wrote at `write`: notes the loops that ended in between, the last of all at
    /// `last_end`.
    pub(super) fn note_live(&mut self, writer: u32, write: u32, last_end: u32, reader: u32) {
        // Fewer loops lie between a later write and the same ends.
        let walked = &mut self.site(writer).walked;
        if walked.0 != last_end || write < walked.1 {
            *walked = (last_end, write);
            self.walk_pending(writer, write, reader);
            self.note_linked(writer, write, last_end, reader);
        }
    }

    /// The same for those that wrote what a variable's site stands for.
    fn note_linked(&mut self, variable: u32, write: u32, last_end: u32, reader: u32) {
        let mut at = self.site(variable).links as usize;
        while at != 0 {
            // SAFETY: links are numbers that exist.
            let SiteLink { site, next } = unsafe { *self.links.add(at - 1) };
            self.note_live(site, write, last_end, reader);
            at = next as usize;
        }
    }

    /// The sites of flow dependences as the source has them: what one site alone wrote to a loop's variable, that site
    /// wrote.
    pub(super) fn name_writers(&self) {
        for number in 0..self.pair_count {
            // SAFETY: numbers of pairs, sites and links that exist, and no reference to any is alive.
            unsafe {
                let pair = &mut *self.pairs.add(number);
                // Of an inner loop's variable inside another's.
                for _ in 0..DEEP {
                    let links = (*self.sites.add(pair.source as usize)).links as usize;
                    if pair.kind != FLOW || links == 0 || (*self.links.add(links - 1)).next != 0 {
                        break;
                    }
                    pair.source = (*self.links.add(links - 1)).site;
                }
            }
        }
    }

    /// From now on a variable's site stands for what `writer` wrote to it.
    pub(super) fn link(&mut self, variable: u32, writer: u32) {
        let first = self.site(variable).links;
        let mut at = first as usize;
        while at != 0 {
            // SAFETY: links are numbers that exist.
            let found = unsafe { *self.links.add(at - 1) };
            if found.site == writer {
                return;
            }
            at = found.next as usize;
        }
        if self.link_count == LINKS {
            self.full = true;
            return;
        }
        let new = SiteLink {
            site: writer,
            next: first,
        };
        // SAFETY: there is room for one more.
        unsafe { *self.links.add(self.link_count) = new };
        self.link_count += 1;
        self.site(variable).links = self.link_count as u32;
    }

    #[inline(never)]
    fn walk_pending(&mut self, writer: u32, write: u32, reader: u32) {
        // What leads to the use: 0 for the site itself, else a use plus one.
        let mut from = 0;
        let mut at = self.site(writer).pending as usize;
        while at != 0 {
            // SAFETY: uses are linked by numbers that exist.
            let (found, next) =
                unsafe { (&mut *self.uses.add(at - 1), *self.next_pending.add(at - 1)) };
            // An instance that is still open began after all that ended, unless it is around one of them (recursion):
            // then what it wrote itself counts as live too.
            if write < self.region(found.region).end {
                if is_unread(found) && !self.is_closed(found.region) {
                    self.unread -= 1;
                }
                found.flags |= USE_LIVE;
                found.reader = reader;
                if from == 0 {
                    self.site(writer).pending = next;
                } else {
                    // SAFETY: as above.
                    unsafe { *self.next_pending.add(from - 1) = next };
                }
            } else {
                from = at;
            }
            at = next as usize;
        }
    }

    /// A block of the heap came to be. (Places of dependences have the bits of addresses that cells have, and no more.)
    pub(super) fn allocated(&mut self, start: u64, len: u64, site: u32) {
        let start = start & ADDRESS_MASK;
        // One that cannot be found any more when it is given back is forgotten.
        self.forget_block(start, |_| true);
        let number = self.next_block % BLOCKS;
        // SAFETY: within the tables.
        unsafe {
            *self.blocks.add(number) = HeapBlock {
                start,
                end: start.saturating_add(len),
                site,
            };
            *self.begins.add(begin(start)) = number as u32 + 1;
        }
        self.next_block += 1;
    }

    /// The block that begins there was given back to the heap.
    pub(super) fn freed(&mut self, start: u64) {
        let start = start & ADDRESS_MASK;
        self.forget_block(start, |block| block.start == start);
    }

    /// Forgets the block that is known by the number of this begin, if it is such.
    fn forget_block(&mut self, start: u64, such: impl Fn(&HeapBlock) -> bool) {
        // SAFETY: within the table.
        let known = unsafe { &mut *self.begins.add(begin(start)) };
        let Some(number) = (*known as usize).checked_sub(1) else {
            return;
        };
        // SAFETY: within the table.
        let block = unsafe { &mut *self.blocks.add(number) };
        // Another may have taken its place.
        if begin(block.start) == begin(start) && such(block) {
            *known = 0;
            block.end = block.start;
        }
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

/// A number for an address at which a block of the heap begins.
fn begin(start: u64) -> usize {
    hash(&[start as u32, (start >> 32) as u32]) as usize % BLOCKS
}

/// Whether a site writes, and what it wrote was not yet seen read after the loop.
fn is_unread(found: &SiteUse) -> bool {
    found.flags & (USE_WRITES | USE_LIVE) == USE_WRITES
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
