//! Who accessed a place last: one cell per granule of 4 bytes in a direct map, a group of four cells where its bytes
//! differ, and one for a whole page where its granules do not.

use parascan_abi::deps::{CELL_BYTES, CELLS_BASE};
use parascan_abi::shadow::ADDRESS_MASK;

use super::cell::{AccessCell, SPLIT, SiteStamp};
use super::lost::MemoryPart;
use crate::sys::{self, Errno};

/// Bytes reserved for groups of cells of bytes.
const GROUPS_BYTES: u64 = 1 << 38;

/// Bytes for which one cell may stand; few in tests, so that a small space has several.
const PAGE: u64 = if cfg!(test) { 16 } else { 256 };

/// All cells of the process.
#[derive(Debug)]
pub(super) struct Cells {
    base: u64,
    /// Bytes of addresses that have cells, and of the groups' memory.
    space: u64,
    group_bytes: u64,
    /// By page: 1 if the cells of its granules do not count, since it is uniform.
    uniform: *mut u8,
    /// By page: what each of its granules is, if it is uniform. Nothing is kept elsewhere for it.
    pages: *mut AccessCell,
    /// Groups of four cells; group 0 is not used.
    groups: *mut [AccessCell; 4],
    used: u32,
    /// First of the groups that were given back, linked by `write` of their first cell; 0 ends the list.
    free: u32,
}

impl Cells {
    /// Reserves the map.
    pub(super) fn map() -> Result<Self, Errno> {
        let len = (1 << parascan_abi::shadow::ADDRESS_BITS) / 4 * CELL_BYTES;
        let flags =
            sys::MAP_PRIVATE | sys::MAP_ANONYMOUS | sys::MAP_NORESERVE | sys::MAP_FIXED_NOREPLACE;
        // SAFETY: MAP_FIXED_NOREPLACE replaces nothing.
        let at = unsafe { sys::map(CELLS_BASE, len, flags, None) }?;
        if at as u64 != CELLS_BASE {
            return Err(sys::EEXIST);
        }
        // SAFETY: the advice drops nothing.
        let _ = unsafe { sys::advise(CELLS_BASE, len, sys::MADV_DONTDUMP) };
        Self::at(
            CELLS_BASE,
            1 << parascan_abi::shadow::ADDRESS_BITS,
            GROUPS_BYTES,
        )
    }

    /// Cells for the addresses of a small space, for tests.
    #[cfg(test)]
    pub(super) fn small(bytes: u64) -> Result<Self, Errno> {
        // Every byte may get a cell of its own.
        Self::at(
            sys::map_anonymous(bytes / 4 * CELL_BYTES)? as u64,
            bytes,
            2 * bytes * CELL_BYTES,
        )
    }

    /// Whether copies of the process have cells: there are many, and each that is written after a copy was made costs.
    pub(super) fn go_into_copies(&self, whether: bool) {
        let advice = match whether {
            true => sys::MADV_DOFORK,
            false => sys::MADV_DONTFORK,
        };
        let parts = [
            (self.base, self.space / 4 * CELL_BYTES),
            (self.pages as u64, self.space / PAGE * CELL_BYTES),
            (self.groups as u64, self.group_bytes),
        ];
        for (start, len) in parts {
            // SAFETY: the advice drops nothing.
            let _ = unsafe { sys::advise(start, len, advice) };
        }
    }

    fn at(base: u64, space: u64, group_bytes: u64) -> Result<Self, Errno> {
        let pages = space / PAGE;
        Ok(Self {
            base,
            space,
            group_bytes,
            uniform: sys::map_anonymous(pages)?.cast(),
            pages: sys::map_anonymous(pages * CELL_BYTES)?.cast(),
            groups: sys::map_anonymous(group_bytes)?.cast(),
            used: 1,
            free: 0,
        })
    }

    /// What a cell that [`Self::visit`] gave for an address stands for.
    pub(super) fn place(&self, cell: &AccessCell, address: u64) -> MemoryPart {
        let at = core::ptr::from_ref(cell) as u64;
        if at == self.base + address / 4 * CELL_BYTES {
            MemoryPart::granule(address)
        } else {
            MemoryPart::byte(address)
        }
    }

    /// The cell that stands for all of an aligned word of 4 or 8 bytes, and that of its second half, which equals it;
    /// none for other accesses, and where the bytes or halves differ.
    #[inline(always)]
    pub(super) fn word(
        &mut self,
        address: u64,
        len: u64,
    ) -> Option<(&'static mut AccessCell, Option<&'static mut AccessCell>)> {
        let address = address & ADDRESS_MASK;
        if len != 4 && len != 8 || address & (len - 1) != 0 {
            return None;
        }
        self.own_cells(address);
        let at = (self.base + address / 4 * CELL_BYTES) as *mut AccessCell;
        // SAFETY: the map has a cell for every granule of the address space, zero at first; an aligned word ends within
        // it, and nobody keeps cells.
        let cell = unsafe { &mut *at };
        if cell.is_split() {
            return None;
        }
        if len == 4 {
            return Some((cell, None));
        }
        // SAFETY: as above.
        let second = unsafe { &mut *at.add(1) };
        (*cell == *second).then_some((cell, Some(second)))
    }

    /// The cell of a single byte that has its own.
    #[inline(always)]
    pub(super) fn byte(&mut self, address: u64, len: u64) -> Option<&'static mut AccessCell> {
        let address = address & ADDRESS_MASK;
        if len != 1 || *self.uniform(address) != 0 {
            return None;
        }
        // SAFETY: the map has a cell for every granule of the address space, zero at first.
        let cell = unsafe { &*((self.base + address / 4 * CELL_BYTES) as *const AccessCell) };
        if !cell.is_split() {
            return None;
        }
        // SAFETY: groups up to `used` lie in the mapping, and nobody keeps cells.
        let group = unsafe { &mut *self.groups.add(cell.write.stamp() as usize) };
        Some(&mut group[(address & 3) as usize])
    }

    /// Has `visit` look at and change the cell of every granule of a range, with its address; where part of a granule
    /// is accessed, or its bytes differ already, the cells of the bytes. `uniform`: afterwards the cell says the same
    /// of all bytes of the range, so that granules need no groups any more.
    #[inline(always)]
    pub(super) fn visit(
        &mut self,
        address: u64,
        len: u64,
        uniform: bool,
        mut visit: impl FnMut(&mut AccessCell, u64),
    ) {
        let address = address & ADDRESS_MASK;
        let end = (address + len).min(ADDRESS_MASK + 1);
        let mut at = address;
        // The granule before: what its cell was, and what became of it. Equal cells become equal.
        let mut last = None;
        while at < end {
            let granule = at & !3;
            let to = (granule + 4).min(end);
            self.own_cells(at);
            // SAFETY: the map has a cell for every granule of the address space, zero at first.
            let cell = unsafe { &mut *((self.base + granule / 4 * CELL_BYTES) as *mut AccessCell) };
            let whole = to - at == 4;
            if whole && !cell.is_split() {
                match last {
                    Some((before, after)) if before == *cell => *cell = after,
                    _ => {
                        let before = *cell;
                        visit(cell, granule);
                        last = Some((before, *cell));
                    }
                }
            } else {
                self.bytes(cell, granule, at..to, &mut visit);
                if whole && uniform {
                    self.merge(cell);
                }
            }
            at = to;
        }
    }

    /// Whether the page of an address is uniform.
    #[inline(always)]
    fn uniform(&mut self, address: u64) -> &mut u8 {
        // SAFETY: there is one for every page of the address space, and nobody keeps it.
        unsafe { &mut *self.uniform.add((address / PAGE) as usize) }
    }

    /// The cell of the page of an address.
    #[inline(always)]
    fn page(&mut self, address: u64) -> &mut AccessCell {
        // SAFETY: as above.
        unsafe { &mut *self.pages.add((address / PAGE) as usize) }
    }

    /// Cells of the granules of a page.
    fn of_page(&mut self, address: u64) -> &mut [AccessCell] {
        let first = self.base + address / PAGE * (PAGE / 4) * CELL_BYTES;
        // SAFETY: the map has a cell for every granule of the address space; nobody keeps cells.
        unsafe { core::slice::from_raw_parts_mut(first as *mut AccessCell, PAGE as usize / 4) }
    }

    /// Gives the granules of the page of an address cells of their own.
    #[inline(always)]
    fn own_cells(&mut self, address: u64) {
        if *self.uniform(address) != 0 {
            self.spread(address);
        }
    }

    #[cold]
    #[inline(never)]
    fn spread(&mut self, address: u64) {
        *self.uniform(address) = 0;
        let cell = *self.page(address);
        self.of_page(address).fill(cell);
    }

    /// As [`Self::visit`]; whole pages that are uniform have `visit` look at one cell for all of them, unless it might
    /// need more room. Pages whose granules have become equal are uniform afterwards.
    pub(super) fn visit_pages(
        &mut self,
        address: u64,
        len: u64,
        uniform: bool,
        mut visit: impl FnMut(&mut AccessCell, u64),
    ) {
        let address = address & ADDRESS_MASK;
        let end = (address + len).min(ADDRESS_MASK + 1);
        let mut at = address;
        while at < end {
            let to = (at / PAGE * PAGE + PAGE).min(end);
            if to - at < PAGE {
                self.visit(at, to - at, uniform, &mut visit);
            } else if *self.uniform(at) != 0 && (uniform || !self.page(at).is_full()) {
                visit(self.page(at), at);
            } else {
                self.visit(at, PAGE, uniform, &mut visit);
                self.unite(at);
            }
            at = to;
        }
    }

    /// Makes a page uniform if its granules are equal.
    fn unite(&mut self, address: u64) {
        let cells = self.of_page(address);
        let first = cells[0];
        let whole = !first.is_split() && !first.has_lost();
        if whole && cells.iter().all(|cell| *cell == first) {
            *self.page(address) = first;
            *self.uniform(address) = 1;
        }
    }

    #[cold]
    #[inline(never)]
    fn bytes(
        &mut self,
        cell: &mut AccessCell,
        granule: u64,
        range: core::ops::Range<u64>,
        visit: &mut impl FnMut(&mut AccessCell, u64),
    ) {
        if !cell.is_split() {
            let Some(group) = self.allocate() else {
                // No room: the granule stands for its bytes.
                return visit(cell, granule);
            };
            *self.group(group) = [*cell; 4];
            *cell = AccessCell {
                write: SiteStamp::new(group, SPLIT),
                ..AccessCell::default()
            };
        }
        let group = self.group(cell.write.stamp());
        for at in range {
            visit(&mut group[(at & 3) as usize], at);
        }
    }

    /// All bytes of a granule became equal: gives the group back.
    fn merge(&mut self, cell: &mut AccessCell) {
        if cell.is_split() {
            let number = cell.write.stamp();
            let free = self.free;
            let group = self.group(number);
            *cell = group[0];
            group[0].write = SiteStamp::new(free, 0);
            self.free = number;
        }
    }

    fn allocate(&mut self) -> Option<u32> {
        let number = self.free;
        if number != 0 {
            self.free = self.group(number)[0].write.stamp();
            return Some(number);
        }
        if u64::from(self.used + 1) * size_of::<[AccessCell; 4]>() as u64 > GROUPS_BYTES {
            return None;
        }
        self.used += 1;
        Some(self.used - 1)
    }

    fn group(&mut self, number: u32) -> &mut [AccessCell; 4] {
        // SAFETY: groups up to `used` lie in the mapping, and nothing else refers to them while `self` is borrowed.
        unsafe { &mut *self.groups.add(number as usize) }
    }
}
