//! Memory whose contents are gone, or move to another place.

use super::super::cell::AccessCell;
use super::super::lost::MemoryPart;
use super::Observer;

impl Observer {
    /// What lay here is gone: a block was freed, a variable's life ended.
    pub(in crate::deps) fn forget(&mut self, address: u64, len: u64) {
        if self.spans.is_lean() {
            self.forget_span(address, len);
        }
        let this = core::ptr::from_mut(self);
        self.cells.visit_pages(address, len, true, |cell, at| {
            if cell.has_lost() {
                // SAFETY: what is used of the observer here is not its cells, which `visit` uses meanwhile.
                unsafe { (*this).drop_lost(cell, at) };
            }
            *cell = AccessCell::default();
        });
    }

    #[cold]
    fn drop_lost(&mut self, cell: &AccessCell, address: u64) {
        let place = self.cells.place(cell, address);
        for depth in 0..self.depth {
            // What is kept for the granule as a whole goes with this byte: the others get their own.
            let mut room = true;
            for other in place.other_bytes() {
                if let Some(read) = self.lost.find(other, depth) {
                    room &= self.lost.keep(other, depth, read, |_, _| false);
                }
            }
            self.lost.drop(place, depth);
            if !room {
                self.close(depth);
            }
        }
    }

    #[cold]
    fn relocate_lost(&mut self, to: u64, from: u64) {
        for depth in 0..self.depth {
            let Some(read) = self.lost.find(MemoryPart::byte(from), depth) else {
                continue;
            };
            let mut room = self
                .lost
                .keep(MemoryPart::byte(to), depth, read, |_, _| false);
            if to.is_multiple_of(4) {
                room &= self
                    .lost
                    .keep(MemoryPart::granule(to), depth, read, |_, _| false);
            }
            if !room {
                self.close(depth);
            }
        }
    }

    /// The bytes of a block move to another place, with what is known of them.
    pub(in crate::deps) fn relocate(&mut self, to: u64, from: u64, len: u64) {
        if to == from || to == 0 || from == 0 {
            return;
        }
        if !self.spans.is_off() {
            // What is met at the new place was accessed at the old one.
            self.end_spans(false);
        }
        let cells = core::ptr::from_mut(&mut self.cells);
        // Blocks do not overlap and begin at granules; a last, partial granule is treated byte by byte.
        for offset in (0..len).step_by(4) {
            let part = (len - offset).min(4);
            let mut bytes = [AccessCell::default(); 4];
            // SAFETY: one call after the other uses the cells.
            unsafe {
                for b in 0..part {
                    (*cells).visit(from + offset + b, 1, false, |cell, _| {
                        bytes[b as usize] = *cell;
                        *cell = AccessCell::default();
                    });
                    if bytes[b as usize].has_lost() {
                        self.relocate_lost(to + offset + b, from + offset + b);
                    }
                }
                let equal = part == 4 && bytes.iter().all(|b| *b == bytes[0]);
                if equal {
                    (*cells).visit(to + offset, 4, true, |cell, _| *cell = bytes[0]);
                } else {
                    for b in 0..part {
                        (*cells).visit(to + offset + b, 1, false, |cell, _| {
                            *cell = bytes[b as usize];
                        });
                    }
                }
            }
        }
        self.forget(from, len);
    }
}
