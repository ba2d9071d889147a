//! What an access means for the open loops: dependences that they carry, uses, and what the cells keep of it.

use parascan_abi::deps::{ANTI, FLOW, OUTPUT, USE_AGAIN, USE_EXPOSED, USE_WRITES};
use parascan_abi::shadow::ADDRESS_MASK;

use super::super::cell::{AccessCell, SiteStamp, Stamp};
use super::super::lost::MemoryPart;
use super::super::tables::{RUNNING, UPDATES};
use super::{AccessOrder, LAST, Observer, OpenLoop, READ, WRITE};

impl Observer {
    /// Something was called of which nothing is seen.
    pub(in crate::deps) fn unseen(&mut self, site: u32) {
        self.note(site, 0, USE_WRITES);
    }

    /// A read of one cell.
    #[inline(always)]
    fn read_cell(&mut self, cell: &mut AccessCell, site: u32, address: u64) {
        // Written or read since the last boundary: nothing new.
        if cell.write.stamp() == self.now || cell.read == SiteStamp::new(self.now, site) {
            return;
        }
        self.read_old(cell, None, site, address);
    }

    /// A read of a cell, and of its equal.
    #[inline(never)]
    fn read_old(
        &mut self,
        cell: &mut AccessCell,
        second: Option<&mut AccessCell>,
        site: u32,
        address: u64,
    ) {
        let before = *cell;
        let known = match self.variables.hold(address) {
            false => self.tables.known(site, READ, self.now, cell),
            true => None,
        };
        let after = match known {
            Some(after) => after,
            None => {
                let after = self.look_at_read(cell, second.is_some(), site, address);
                if !self.variables.hold(address) {
                    self.tables.remember(site, READ, self.now, (before, after));
                }
                after
            }
        };
        *cell = after;
        if let Some(second) = second {
            *second = after;
        }
    }

    /// What a read makes of a cell; `both`: that of the next four bytes equals it.
    fn look_at_read(
        &mut self,
        cell: &AccessCell,
        both: bool,
        site: u32,
        address: u64,
    ) -> AccessCell {
        let AccessCell { write, read, .. } = *cell;
        let place = self.place(write.stamp());
        if let Some(carrier) = place.carrier {
            self.carried(carrier, FLOW, write, site, address);
        }
        let reduced = self.tables.site(write.site()).reduced;
        if reduced != 0 && !write.is_none() && self.tables.site(site).reduced != UPDATES {
            self.running(reduced as usize - 1, place, write, site, address);
        }
        self.note_value_read(write, site);
        self.note(site, place.before, USE_EXPOSED);
        self.note_variable(address, place.before, USE_EXPOSED);
        let now = SiteStamp::new(self.now, site);
        if !read.is_none() && read.stamp() >= self.iteration() {
            // So that the next one is known at once.
            let read = if read.site() == site { now } else { read };
            return AccessCell { read, ..*cell };
        }
        AccessCell {
            read: now,
            before: self.earlier(cell, both, address),
            ..*cell
        }
    }

    /// What is reduced is read in the iteration that updated it: its value comes from earlier ones all the same, for
    /// the loops from `first` on, if these met in it.
    #[cold]
    fn running(
        &mut self,
        first: usize,
        place: AccessOrder,
        write: SiteStamp,
        site: u32,
        address: u64,
    ) {
        let to = place.carrier.unwrap_or(place.before);
        (first..to).for_each(|index| self.carried(index, RUNNING, write, site, address));
    }

    /// Begin of the innermost loop's current iteration.
    #[inline(always)]
    fn iteration(&self) -> Stamp {
        match self.depth {
            0 => 0,
            d => self.frame(d - 1).iteration,
        }
    }

    /// Which reads a cell keeps besides the one that is happening: of those that the same loop carries the latest. What
    /// no loop carries lies in the same iterations as the new one, or before all loops.
    #[inline(always)]
    fn earlier(&mut self, cell: &AccessCell, both: bool, address: u64) -> [SiteStamp; 2] {
        let mut kept = [SiteStamp::default(); 2];
        let (mut count, mut last) = (0, None);
        let mut lost = cell.has_lost();
        for read in [cell.read, cell.before[0].with_lost(false), cell.before[1]] {
            if read.is_none() {
                break;
            }
            let carrier = self.place(read.stamp()).carrier;
            let Some(carrier) = carrier.filter(|k| !self.is_closed(*k)) else {
                continue;
            };
            if last == Some(carrier) {
                continue;
            }
            last = Some(carrier);
            if let Some(free) = kept.get_mut(count) {
                *free = read;
                count += 1;
            } else {
                lost = true;
                self.lose(cell, both, carrier, read, address);
            }
        }
        kept[0] = kept[0].with_lost(lost);
        kept
    }

    /// Keeps a read, which a loop carries, for which a cell has no room.
    #[cold]
    fn lose(
        &mut self,
        cell: &AccessCell,
        both: bool,
        carrier: usize,
        read: SiteStamp,
        address: u64,
    ) {
        let frames = self.frames;
        let depth = self.depth;
        let over = |d: usize, t: Stamp| {
            // SAFETY: frames up to DEPTH lie in the mapping.
            d >= depth || unsafe { (*frames.add(d)).start } > t
        };
        let first = self.cells.place(cell, address);
        let mut room = self.lost.keep(first, carrier, read, over);
        if both {
            room &= self
                .lost
                .keep(MemoryPart::granule(address + 4), carrier, read, over);
        }
        if !room {
            self.close(carrier);
        }
    }

    /// Counts what the loops carry from reads that the cell had no room for.
    #[cold]
    fn found_again(&mut self, cell: &AccessCell, site: u32, address: u64) {
        let place = self.cells.place(cell, address);
        for depth in 0..self.depth {
            let Some(read) = self.lost.find(place, depth) else {
                continue;
            };
            let since = read.stamp() > cell.write.stamp();
            if since && self.place(read.stamp()).carrier == Some(depth) {
                self.overwritten(depth, cell.write, read, site, address);
            }
        }
    }

    /// A read, which the loop with this index carries to this write, of what was written there last. In the iteration
    /// that wrote that it says nothing new: one write comes after the other. (Where no boundary lies between such a
    /// write and a read, no cell keeps the read.)
    fn overwritten(
        &mut self,
        index: usize,
        write: SiteStamp,
        read: SiteStamp,
        site: u32,
        address: u64,
    ) {
        let frame = self.frame(index);
        let inside = !write.is_none() && (frame.start..frame.iteration).contains(&write.stamp());
        if inside && self.is_same_iteration(index, write.stamp(), read.stamp()) {
            self.needs_cells(read.site());
            self.needs_cells(site);
        } else {
            self.carried(index, ANTI, read, site, address);
        }
    }

    /// A write of one cell.
    #[inline(always)]
    fn write_cell(&mut self, cell: &mut AccessCell, site: u32, address: u64) {
        if cell.write == SiteStamp::new(self.now, site) && cell.read.is_none() {
            return;
        }
        self.write_old(cell, None, site, address);
    }

    /// A write of a cell, and of its equal.
    #[inline(never)]
    fn write_old(
        &mut self,
        cell: &mut AccessCell,
        second: Option<&mut AccessCell>,
        site: u32,
        address: u64,
    ) {
        let new = AccessCell {
            write: SiteStamp::new(self.now, site),
            ..AccessCell::default()
        };
        let apart = !self.variables.hold(address);
        if !(apart && self.tables.known(site, WRITE, self.now, cell).is_some()) {
            self.look_at_write(cell, site, address);
            if apart {
                self.tables.remember(site, WRITE, self.now, (*cell, new));
            }
        }
        *cell = new;
        if let Some(second) = second {
            *second = new;
        }
    }

    fn look_at_write(&mut self, cell: &AccessCell, site: u32, address: u64) {
        if cell.has_lost() {
            self.found_again(cell, site, address);
        }
        let written = match cell.write.is_none() {
            true => None,
            false => self.place(cell.write.stamp()).carrier,
        };
        if let Some(carrier) = written {
            self.carried(carrier, OUTPUT, cell.write, site, address);
        }
        let [first, second] = cell.before;
        for read in [cell.read, first.with_lost(false), second] {
            if read.is_none() {
                continue;
            }
            if let Some(carrier) = self.place(read.stamp()).carrier {
                self.overwritten(carrier, cell.write, read, site, address);
            }
        }
        self.note(site, 0, USE_WRITES);
        self.note_variable(address, 0, USE_WRITES);
    }

    /// A read of some bytes.
    #[inline(always)]
    pub(in crate::deps) fn read(&mut self, address: u64, len: u64, site: u32) {
        self.accesses += 1;
        if len != 0 {
            self.tables.runs(site);
        }
        if self.spans.is_off() || !self.span(address, len, None, site, false) {
            self.read_cells(address, len, site);
        }
    }

    /// A variable that lives in a register is read.
    #[inline(always)]
    pub(in crate::deps) fn read_register(&mut self, address: u64, site: u32) {
        self.accesses += 1;
        self.tables.runs(site);
        self.read_cells(address, 4, site);
    }

    #[inline(always)]
    fn read_cells(&mut self, address: u64, len: u64, site: u32) {
        if let Some((cell, second)) = self.cells.word(address, len) {
            if cell.write.stamp() != self.now && cell.read != SiteStamp::new(self.now, site) {
                self.read_old(cell, second, site, address & ADDRESS_MASK);
            }
        } else if let Some(cell) = self.cells.byte(address, len) {
            self.read_cell(cell, site, address & ADDRESS_MASK);
        } else {
            self.read_range(address, len, site);
        }
    }

    #[inline(never)]
    fn read_range(&mut self, address: u64, len: u64, site: u32) {
        let this = core::ptr::from_mut(self);
        self.cells.visit_pages(address, len, false, |cell, at| {
            // SAFETY: what is used of the observer here is not its cells, which `visit_pages` uses meanwhile.
            unsafe { (*this).read_cell(cell, site, at) };
        });
    }

    /// A write of some bytes.
    #[inline(always)]
    pub(in crate::deps) fn write(&mut self, address: u64, len: u64, site: u32) {
        self.accesses += 1;
        if len != 0 {
            self.tables.runs(site);
        }
        if self.spans.is_off() || !self.span(address, len, None, site, true) {
            self.write_cells(address, len, site);
        }
        self.again(site);
    }

    /// A variable that lives in a register is set.
    #[inline(always)]
    pub(in crate::deps) fn write_register(&mut self, address: u64, site: u32) {
        self.accesses += 1;
        self.tables.runs(site);
        self.write_cells(address, 4, site);
        self.again(site);
    }

    #[inline(always)]
    fn write_cells(&mut self, address: u64, len: u64, site: u32) {
        if let Some((cell, second)) = self.cells.word(address, len) {
            if cell.write != SiteStamp::new(self.now, site) || !cell.read.is_none() {
                self.write_old(cell, second, site, address & ADDRESS_MASK);
            }
        } else if let Some(cell) = self.cells.byte(address, len) {
            self.write_cell(cell, site, address & ADDRESS_MASK);
        } else {
            self.write_range(address, len, site);
        }
    }

    /// A site writes: notes it at the loop in an earlier iteration of which it wrote, too.
    #[inline(always)]
    pub(super) fn again(&mut self, site: u32) {
        if self.tables.site(site).wrote != self.now {
            self.first_since_boundary(site);
        }
    }

    fn first_since_boundary(&mut self, site: u32) {
        let last = core::mem::replace(&mut self.tables.site(site).wrote, self.now);
        if last == 0 {
            return;
        }
        let Some(carrier) = self.place(last).carrier else {
            return;
        };
        self.note_again(site, carrier);
    }

    /// A site writes in several iterations of the loop with this index.
    pub(super) fn note_again(&mut self, site: u32, index: usize) {
        let OpenLoop { region, chain, .. } = *self.frame(index);
        if self.tables.site(site).again != chain && !self.is_closed(index) {
            self.tables.site(site).again = chain;
            self.tables.note(site, region, USE_AGAIN);
        }
    }

    /// A read of what is reduced, by what updates it.
    pub(in crate::deps) fn update(&mut self, address: u64, len: u64, site: u32) {
        self.tables.site(site).reduced = UPDATES;
        self.read(address, len, site);
        self.needs_cells(site);
    }

    /// A write of what this many loops, the innermost ones, reduce.
    pub(in crate::deps) fn reduce(&mut self, address: u64, len: u64, site: u32, levels: u32) {
        self.write(address, len, site);
        self.needs_cells(site);
        let around = self.depth.saturating_sub(levels as usize);
        self.tables.site(site).reduced = around as u32 + 1;
        // So that reads from now on are looked at.
        if self.now < LAST {
            self.now += 1;
        }
    }

    #[inline(never)]
    fn write_range(&mut self, address: u64, len: u64, site: u32) {
        let this = core::ptr::from_mut(self);
        self.cells.visit_pages(address, len, true, |cell, at| {
            // SAFETY: as in `read_range`.
            unsafe { (*this).write_cell(cell, site, at) };
        });
    }
}
