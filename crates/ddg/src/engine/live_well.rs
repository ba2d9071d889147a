//! The live well of memory (Paragraph, section 3.2): what is known of each byte of the program under test,
//! in pages whose granule (8, 4, 2 or 1 bytes) is as coarse as the accesses to them allow.
//!
//! Addresses are split in regions of 64 KiB, found by a hash table behind a direct-mapped cache, and these in pages of
//! 512 bytes. A page that was never written is the common page of zeros. A page's cells become finer at the first
//! access that must tell bytes of one cell apart; so the live well is exact to the byte.

use std::alloc::{Layout, handle_alloc_error};
use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
use std::collections::HashMap;
use std::ptr;

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

use crate::event::MemorySpan;
use crate::result::LiveWellSize;

/// What is kept of a granule.
///
/// # Safety
/// All bytes zero must be a valid value: a location from before the run.
pub unsafe trait WellCell: Copy + Send + 'static {}

/// Logarithm of [`PAGE`].
pub const PAGE_BITS: u32 = 9;
/// Bytes of the program's memory in a page.
pub const PAGE: u64 = 1 << PAGE_BITS;
const REGION_BITS: u32 = 16;
const PAGES: usize = 1 << (REGION_BITS - PAGE_BITS);
const CACHE: usize = 4096;
/// Coarsest granule: the logarithm of its bytes. Also what an entry of a page table has in its low bits, but for
/// [`ABSENT`].
const COARSEST: usize = 3;
const GRANULE: usize = 3;
/// Set in the entry of a page that was never written.
const ABSENT: usize = 4;
const LOW: usize = GRANULE | ABSENT;
const ALIGN: usize = 64;
const SLAB: usize = 1 << 18;

/// What code that looks for cells itself must know.
pub mod layout {
    use std::mem::offset_of;

    use super::Pages;

    /// An entry of the cache.
    type Entry = (u64, *mut Pages);

    pub use super::{PAGE, PAGE_BITS};
    /// Logarithm of the bytes of a region.
    pub const REGION_BITS: i64 = super::REGION_BITS as i64;
    /// Entries of the table to which the cache leads for a region.
    pub const PAGES_IN_REGION: u64 = super::PAGES as u64;
    /// Entries in the cache.
    pub const CACHE: u64 = super::CACHE as u64;
    /// Bytes of an entry.
    pub const CACHE_ENTRY: usize = size_of::<Entry>();
    const _: () = assert!(CACHE_ENTRY.is_power_of_two());
    /// Where an entry has its region.
    pub const TAG: i32 = offset_of!(Entry, 0) as i32;
    /// Where it has its pages.
    pub const PAGES: i32 = offset_of!(Entry, 1) as i32;
    /// The granule in the entry of a page.
    pub const GRANULE: u64 = super::GRANULE as u64;
    /// All bits of such an entry that are not the pointer.
    pub const LOW: u64 = super::LOW as u64;
    /// Coarsest granule.
    pub const COARSEST: u64 = super::COARSEST as u64;
}

/// Pages of a region: pointer to the first cell, with the granule and [`ABSENT`] in the low bits.
pub type Pages = [*mut u8; PAGES];

/// The live well of the program's memory: a cell for each granule.
pub struct LiveWell<C> {
    /// Regions used last.
    pub cache: Box<[(u64, *mut Pages); CACHE]>,
    regions: HashMap<u64, Box<Pages>>,
    zeros: *mut u8,
    /// What the pages lie in, and its bytes.
    slabs: Vec<(*mut u8, usize)>,
    /// Where the next page may begin, and how many bytes are left behind it.
    free: (*mut u8, usize),
    /// Pages given back when they were refined, by granule.
    returned: [Vec<*mut u8>; COARSEST + 1],
    written: u64,
    kind: std::marker::PhantomData<C>,
}

// SAFETY: the pointers are to memory that the memory owns alone; cells are `Send`.
unsafe impl<C: WellCell> Send for LiveWell<C> {}

impl<C> Drop for LiveWell<C> {
    fn drop(&mut self) {
        for &(slab, size) in &self.slabs {
            // SAFETY: mapped by `allocate` with this size, and nothing uses it any more.
            let _ = unsafe { munmap(slab.cast(), size) };
        }
    }
}

const fn page_bytes<C>(granule: usize) -> usize {
    (PAGE as usize >> granule) * size_of::<C>()
}

impl<C: WellCell> LiveWell<C> {
    /// A memory in which nothing was written.
    pub fn new() -> Self {
        let mut memory = Self {
            // No address is in region `u64::MAX`.
            cache: Box::new([(u64::MAX, ptr::null_mut()); CACHE]),
            regions: HashMap::new(),
            zeros: ptr::null_mut(),
            slabs: Vec::new(),
            free: (ptr::null_mut(), 0),
            returned: Default::default(),
            written: 0,
            kind: std::marker::PhantomData,
        };
        memory.zeros = memory
            .allocate(COARSEST)
            .map_addr(|a| a | COARSEST | ABSENT);
        memory
    }

    /// What the memory takes: all that it has allocated, but for the part of the last slab that is yet to be used.
    pub fn size(&self) -> LiveWellSize {
        let slabs = self.allocated();
        // A hash table has room for 8 entries, and 8 bytes to find them, for every 7 that it can hold.
        let entry = size_of::<(u64, Box<Pages>)>() + 1;
        let index = self.regions.capacity() * entry * 8 / 7;
        let tables = self.regions.len() * size_of::<Pages>() + index + size_of_val(&*self.cache);
        let returned = self
            .returned
            .iter()
            .map(|pages| pages.capacity())
            .sum::<usize>();
        let lists =
            returned * size_of::<*mut u8>() + self.slabs.capacity() * size_of::<(*mut u8, usize)>();
        LiveWellSize {
            touched: self.written * PAGE,
            size: (slabs - self.free.1 + tables + lists) as u64,
            of_calls: 0,
        }
    }

    /// Bytes of all slabs.
    fn allocated(&self) -> usize {
        self.slabs.iter().map(|(_, size)| size).sum()
    }

    /// A page of zeros.
    fn allocate(&mut self, granule: usize) -> *mut u8 {
        let bytes = page_bytes::<C>(granule);
        if let Some(page) = self.returned[granule].pop() {
            // SAFETY: a page of this size that nothing refers to any more.
            unsafe { ptr::write_bytes(page, 0, bytes) };
            return page;
        }
        if self.free.1 < bytes {
            // Large ones are given back to the system when the memory is no longer needed, small ones mostly not.
            let size = SLAB
                .max(bytes)
                .max((self.allocated() / 4).next_multiple_of(SLAB));
            let (access, kind) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE);
            // All of it will be used, and to have its pages one by one takes twice as long.
            // SAFETY: a new mapping, wherever there is room.
            let slab =
                unsafe { mmap_anonymous(ptr::null_mut(), size, access, kind | MapFlags::POPULATE) };
            let Ok(slab) = slab else {
                handle_alloc_error(Layout::from_size_align(size, ALIGN).expect("a small slab"));
            };
            let slab: *mut u8 = slab.cast();
            self.slabs.push((slab, size));
            self.free = (slab, size);
        }
        let page = self.free.0;
        // SAFETY: the slab goes on for at least so many bytes.
        self.free = (unsafe { page.add(bytes) }, self.free.1 - bytes);
        page
    }

    /// Whether it has grown beyond what the processor's nearest caches hold.
    pub fn is_large(&self) -> bool {
        self.slabs.len() > 1
    }

    /// Has the processor fetch the cell of a byte, because it will soon be looked at; if its region was used of late.
    /// Which byte it is does not matter to what is found.
    #[inline(always)]
    pub fn fetch(&self, address: u64) {
        let region = address >> REGION_BITS;
        let (tag, pages) = self.cache[region as usize % CACHE];
        if tag == region {
            let page = (address >> PAGE_BITS) as usize % PAGES;
            // SAFETY: as in `entry`.
            let entry = unsafe { (*pages)[page] };
            let index = (address % PAGE) as usize >> (entry.addr() & GRANULE);
            let cells: *const C = entry.map_addr(|a| a & !LOW).cast();
            // SAFETY: this reads nothing.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(cells.wrapping_add(index).cast()) };
        }
    }

    #[cold]
    #[inline(never)]
    fn miss(&mut self, region: u64) -> *mut Pages {
        let zeros = self.zeros;
        let pages: *mut Pages = &raw mut **self
            .regions
            .entry(region)
            .or_insert_with(|| Box::new([zeros; PAGES]));
        self.cache[region as usize % CACHE] = (region, pages);
        pages
    }

    /// Where the entry of the page with this address is.
    #[inline(always)]
    fn entry(&mut self, address: u64) -> *mut *mut u8 {
        let region = address >> REGION_BITS;
        let (tag, pages) = self.cache[region as usize % CACHE];
        let pages = if tag == region {
            pages
        } else {
            self.miss(region)
        };
        let page = (address >> PAGE_BITS) as usize % PAGES;
        // SAFETY: `pages` is the table of a region in `regions`, which are never removed, and `page` is within it.
        unsafe { (&raw mut (*pages)[page]).cast() }
    }

    /// Gives every cell that shares a byte with an access within one page to `visit`; cells of bytes never written are
    /// zero.
    #[inline(always)]
    fn look_in_page(&mut self, address: u64, size: u64, mut visit: impl FnMut(&C)) {
        // SAFETY: `entry` points into a page table.
        let entry = unsafe { *self.entry(address) };
        let granule = entry.addr() & GRANULE;
        let cells: *const C = entry.map_addr(|a| a & !LOW).cast();
        let offset = address % PAGE;
        let first = (offset >> granule) as usize;
        let last = ((offset + size - 1) >> granule) as usize;
        // SAFETY: the page has `PAGE >> granule` cells, and the access ends within it.
        visit(unsafe { &*cells.add(first) });
        for index in first + 1..=last {
            // SAFETY: as above.
            visit(unsafe { &*cells.add(index) });
        }
    }

    /// Gives every cell that shares a byte with the span to `visit`.
    #[inline(always)]
    pub fn look(&mut self, span: MemorySpan, mut visit: impl FnMut(&C)) {
        if span.address % PAGE + span.size <= PAGE {
            self.look_in_page(span.address, span.size, visit);
        } else {
            for piece in pieces(span) {
                self.look_in_page(piece.address, piece.size, &mut visit);
            }
        }
    }

    /// Puts every cell that shares a byte with the span together, beginning with `value`; the same as
    /// [`LiveWell::look`], for where that is done most.
    #[inline(always)]
    pub fn fold<A: Copy>(
        &mut self,
        span: MemorySpan,
        mut value: A,
        add: impl Fn(A, &C) -> A + Copy,
    ) -> A {
        if span.address % PAGE + span.size > PAGE {
            return self.fold_pieces(span, value, add);
        }
        self.look_in_page(span.address, span.size, |cell| value = add(value, cell));
        value
    }

    #[cold]
    #[inline(never)]
    fn fold_pieces<A: Copy>(
        &mut self,
        span: MemorySpan,
        mut value: A,
        add: impl Fn(A, &C) -> A,
    ) -> A {
        for piece in pieces(span) {
            self.look_in_page(piece.address, piece.size, |cell| value = add(value, cell));
        }
        value
    }

    /// Makes all cells of the span the same; the same as [`LiveWell::change`], for where that is done most.
    #[inline(always)]
    pub fn fill(&mut self, span: MemorySpan, value: C) {
        if span.address % PAGE + span.size > PAGE {
            return self.fill_pieces(span, value);
        }
        self.change_in_page(span.address, span.size, |cell, _| *cell = value);
    }

    #[cold]
    #[inline(never)]
    fn fill_pieces(&mut self, span: MemorySpan, value: C) {
        for piece in pieces(span) {
            self.change_in_page(piece.address, piece.size, |cell, _| *cell = value);
        }
    }

    /// Gives every cell of the access, which lies in one page, to `visit`, with the number of its bytes, so that no
    /// other bytes are in them.
    #[inline(always)]
    fn change_in_page(&mut self, address: u64, size: u64, mut visit: impl FnMut(&mut C, u64)) {
        let entry = self.entry(address);
        // SAFETY: `entry` points into a page table.
        let mut page = unsafe { *entry };
        let offset = address % PAGE;
        // All ones if the page is absent: then the size has a bit in it.
        let partial = (1u64 << (page.addr() & GRANULE)) - 1;
        let absent = 0u64.wrapping_sub((page.addr() & ABSENT) as u64 >> 2);
        if (offset | size) & (partial | absent) != 0 {
            page = self.refine(page, offset, size);
            // SAFETY: as above; tables do not move.
            unsafe { *entry = page };
        }
        let granule = page.addr() & GRANULE;
        let cells: *mut C = page.map_addr(|a| a & !LOW).cast();
        let first = (offset >> granule) as usize;
        let count = (size >> granule) as usize;
        for index in first..first + count {
            // SAFETY: the page has `PAGE >> granule` cells, and the access ends within it.
            visit(unsafe { &mut *cells.add(index) }, 1 << granule);
        }
    }

    /// Gives every cell of the span to `visit`, with the number of its bytes; cells are refined so that no other bytes
    /// are in them.
    #[inline(always)]
    pub fn change(&mut self, span: MemorySpan, mut visit: impl FnMut(&mut C, u64)) {
        if span.address % PAGE + span.size <= PAGE {
            self.change_in_page(span.address, span.size, visit);
        } else {
            for piece in pieces(span) {
                self.change_in_page(piece.address, piece.size, &mut visit);
            }
        }
    }

    /// A page that can tell this access apart, in place of an entry's.
    #[cold]
    #[inline(never)]
    fn refine(&mut self, entry: *mut u8, offset: u64, size: u64) -> *mut u8 {
        let new = ((offset | size).trailing_zeros() as usize).min(COARSEST);
        if entry.addr() & ABSENT != 0 {
            self.written += 1;
            return self.allocate(new).map_addr(|a| a | new);
        }
        let old = entry.addr() & GRANULE;
        let from = entry.map_addr(|a| a & !LOW);
        let to = self.allocate(new);
        for index in 0..PAGE as usize >> new {
            // SAFETY: both pages have a cell for each granule of `PAGE` bytes, and are apart.
            unsafe {
                *to.cast::<C>().add(index) = *from.cast::<C>().add(index >> (old - new));
            }
        }
        self.returned[old].push(from);
        to.map_addr(|a| a | new)
    }

    /// The same memory with cells of another type. `convert` must map zeros to zeros.
    pub fn convert<D: WellCell>(&self, convert: impl Fn(&C) -> D) -> LiveWell<D> {
        let mut memory = LiveWell::new();
        // In an order that is always the same, so that the new memory is as large every time.
        let mut regions: Vec<_> = self.regions.iter().collect();
        regions.sort_unstable_by_key(|(region, _)| **region);
        for (&region, pages) in regions {
            for (page, &entry) in pages.iter().enumerate() {
                if entry.addr() & ABSENT != 0 {
                    continue;
                }
                let granule = entry.addr() & GRANULE;
                let from: *const C = entry.map_addr(|a| a & !LOW).cast();
                let to = memory.allocate(granule);
                for index in 0..PAGE as usize >> granule {
                    // SAFETY: both pages have so many cells.
                    unsafe { *to.cast::<D>().add(index) = convert(&*from.add(index)) };
                }
                let address = region << REGION_BITS | (page as u64) << PAGE_BITS;
                // SAFETY: `entry` points into a page table.
                unsafe { *memory.entry(address) = to.map_addr(|a| a | granule) };
                memory.written += 1;
            }
        }
        memory
    }
}

/// The parts of a span in different pages. What goes beyond the last address is left out.
fn pieces(span: MemorySpan) -> impl Iterator<Item = MemorySpan> {
    let end = span.address.saturating_add(span.size);
    let mut address = span.address;
    std::iter::from_fn(move || {
        if address >= end {
            return None;
        }
        let size = (PAGE - address % PAGE).min(end - address);
        let piece = MemorySpan { address, size };
        address = address.checked_add(size).unwrap_or(end);
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    // SAFETY: a number.
    unsafe impl WellCell for u32 {}

    // SAFETY: numbers.
    unsafe impl WellCell for [u32; 3] {}

    fn set(memory: &mut LiveWell<u32>, address: u64, size: u64, value: u32) {
        memory.change(MemorySpan { address, size }, |cell, _| *cell = value);
    }

    fn get(memory: &mut LiveWell<u32>, address: u64, size: u64) -> Vec<u32> {
        let mut cells = Vec::new();
        memory.look(MemorySpan { address, size }, |&cell| cells.push(cell));
        cells
    }

    #[test]
    fn granules_follow_the_writes() {
        let mut memory = LiveWell::new();
        set(&mut memory, 0x1000, 8, 5);
        assert_eq!(get(&mut memory, 0x1000, 16), [5, 0]);
        assert_eq!(get(&mut memory, 0x1003, 1), [5]);
        set(&mut memory, 0x1004, 4, 6);
        assert_eq!(get(&mut memory, 0x1000, 16), [5, 6, 0, 0]);
        set(&mut memory, 0x1003, 1, 7);
        assert_eq!(get(&mut memory, 0x1000, 8), [5, 5, 5, 7, 6, 6, 6, 6]);
        // Another page keeps its granule.
        set(&mut memory, 0x1200, 16, 8);
        assert_eq!(get(&mut memory, 0x1200, 16), [8, 8]);
    }

    #[test]
    fn accesses_cross_pages_and_regions() {
        let mut memory = LiveWell::new();
        set(&mut memory, 0xf_fffc, 8, 3);
        assert_eq!(get(&mut memory, 0xf_fffc, 8), [3, 3]);
        assert_eq!(get(&mut memory, 0x10_0004, 4), [0]);
        set(&mut memory, u64::MAX - 3, 8, 4);
        assert_eq!(get(&mut memory, u64::MAX - 1, 1), [4]);
    }

    #[test]
    fn what_is_fetched_stays_as_it_is() {
        let mut memory = LiveWell::new();
        set(&mut memory, 0x1_0008, 8, 7);
        let size = memory.size();
        for address in [0x1_0008, 0x1_000f, 0x1_0fff, 0x2_0000, u64::MAX] {
            memory.fetch(address);
        }
        assert_eq!(memory.size(), size);
        assert_eq!(get(&mut memory, 0x1_0008, 8), [7]);
    }

    #[test]
    fn a_well_is_large_beyond_a_slab() {
        let mut memory = LiveWell::new();
        set(&mut memory, 0, 8, 1);
        assert!(!memory.is_large());
        let pages = (SLAB / page_bytes::<u32>(COARSEST)) as u64;
        for page in 0..pages {
            set(&mut memory, page * PAGE, 8, 1);
        }
        assert!(memory.is_large());
    }

    #[test]
    fn memory_is_given_back_when_pages_are_refined() {
        let mut memory = LiveWell::new();
        for page in 0..1000 {
            set(&mut memory, page * PAGE, 8, 1);
            set(&mut memory, page * PAGE, 4, 1);
            set(&mut memory, page * PAGE, 2, 1);
            set(&mut memory, page * PAGE, 1, 1);
        }
        let LiveWellSize { touched, size, .. } = memory.size();
        assert_eq!(touched, 1000 * PAGE);
        assert!(size < touched * 6, "{size} bytes");
    }

    proptest! {
        #[test]
        fn scattered_pages_take_little(
            places in vec((any::<u64>(), 0..4_u32), 1..4000),
            bits in 20..64_u32,
        ) {
            let mut memory = LiveWell::new();
            for (place, granule) in places {
                let address = (place >> (64 - bits)) & !7;
                set(&mut memory, address, 1 << granule, 1);
            }
            let LiveWellSize { touched, size, .. } = memory.size();
            prop_assert!(size <= 12 * touched + (1 << 17), "{} bytes for {}", size, touched);
        }
    }

    #[test]
    fn a_wider_well_is_as_large_every_time() {
        let size = || {
            let mut memory = LiveWell::new();
            for place in 0..5000_u64 {
                let address = place * 0x1_2345_6788;
                set(&mut memory, address, 1 << (place % 4), 1);
            }
            memory.convert(|&cell| [cell; 3]).size()
        };
        assert_eq!(size(), size());
    }
}
