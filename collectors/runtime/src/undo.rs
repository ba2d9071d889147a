//! What is needed to open all regions again that were closed for a program's end that did not come.

use core::slice;

use parascan_abi::log::{Context, EqualChildren, OpenRegion};

use crate::builder::{Builders, ChildListBuilder};
use crate::sys::{self, Errno};

/// What closing all regions changes beyond the tables that only grow.
pub(crate) struct UndoMemory {
    memory: *mut u8,
    bytes: u64,
    /// Frames that were in use.
    pub(crate) open: u32,
    /// Regions that were folded into the innermost frame.
    pub(crate) folded: u64,
    /// Slots that lists under construction took.
    pub(crate) slots: u32,
}

/// The parts of an undo memory.
pub(crate) struct UndoParts<'a> {
    pub(crate) frames: &'a mut [OpenRegion],
    pub(crate) contexts: &'a mut [Context],
    pub(crate) builders: &'a mut [ChildListBuilder],
    pub(crate) slots: &'a mut [EqualChildren],
}

impl UndoMemory {
    pub(crate) fn new(max_depth: u32) -> Result<Self, Errno> {
        let levels = u64::from(max_depth) + 1;
        let bytes = levels
            * (size_of::<OpenRegion>() + size_of::<Context>() + size_of::<ChildListBuilder>())
                as u64
            + Builders::slot_bytes(levels as u32);
        Ok(Self {
            memory: sys::map_anonymous(bytes)?,
            bytes,
            open: 0,
            folded: 0,
            slots: 0,
        })
    }

    pub(crate) fn parts(&mut self) -> UndoParts<'_> {
        let open = self.open as usize;
        // SAFETY: the memory is large enough for all levels and all slots, ours alone, and starts as zeros; builders
        // come first because they need the greatest alignment, and each size is a multiple of the next one's alignment.
        unsafe {
            let builders: *mut ChildListBuilder = self.memory.cast();
            let slots: *mut EqualChildren = builders.add(open + 1).cast();
            let frames: *mut OpenRegion = slots.add(self.slots as usize).cast();
            let contexts: *mut Context = frames.add(open).cast();
            UndoParts {
                builders: slice::from_raw_parts_mut(builders, open + 1),
                slots: slice::from_raw_parts_mut(slots, self.slots as usize),
                frames: slice::from_raw_parts_mut(frames, open),
                contexts: slice::from_raw_parts_mut(contexts, open + 1),
            }
        }
    }
}

impl Drop for UndoMemory {
    fn drop(&mut self) {
        // SAFETY: the mapping is private to this value.
        unsafe { sys::unmap(self.memory, self.bytes) };
    }
}
