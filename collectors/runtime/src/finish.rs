//! The end of the program, which may not come: closing all regions so that they can be opened again (`exec` may fail).

use core::slice;

use parascan_abi::State;
use parascan_abi::log::{Context, FINISHED, OpenRegion, RUNNING};

use crate::builder::{Builder, Builders};
use crate::sys::{self, Errno};
use crate::tracker::Tracker;

/// What closing all regions changes beyond the tables that only grow.
pub(crate) struct Undo {
    memory: *mut u8,
    bytes: u64,
    open: u32,
    folded: u64,
    slots: u32,
}

/// The parts of an undo memory.
struct Parts<'a> {
    frames: &'a mut [OpenRegion],
    contexts: &'a mut [Context],
    builders: &'a mut [Builder],
    slots: &'a mut [parascan_abi::log::EqualChildren],
}

impl Undo {
    pub(crate) fn new(max_depth: u32) -> Result<Self, Errno> {
        let levels = u64::from(max_depth) + 1;
        let bytes = levels
            * (size_of::<OpenRegion>() + size_of::<Context>() + size_of::<Builder>()) as u64
            + Builders::slot_bytes(levels as u32);
        Ok(Self {
            memory: sys::map_anonymous(bytes)?,
            bytes,
            open: 0,
            folded: 0,
            slots: 0,
        })
    }

    fn parts(&mut self) -> Parts<'_> {
        let open = self.open as usize;
        // SAFETY: the memory is large enough for all levels and all slots, ours alone, and starts as zeros; builders
        // come first because they need the greatest alignment, and each size is a multiple of the next one's alignment.
        unsafe {
            let builders: *mut Builder = self.memory.cast();
            let slots: *mut parascan_abi::log::EqualChildren = builders.add(open + 1).cast();
            let frames: *mut OpenRegion = slots.add(self.slots as usize).cast();
            let contexts: *mut Context = frames.add(open).cast();
            Parts {
                builders: slice::from_raw_parts_mut(builders, open + 1),
                slots: slice::from_raw_parts_mut(slots, self.slots as usize),
                frames: slice::from_raw_parts_mut(frames, open),
                contexts: slice::from_raw_parts_mut(contexts, open + 1),
            }
        }
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        // SAFETY: the mapping is private to this value.
        unsafe { sys::unmap(self.memory, self.bytes) };
    }
}

impl Tracker {
    /// Closes all regions and marks the log finished. `state.depth` stays; [`Tracker::resume`] opens them again. If
    /// clocks turn out to be full the log was closed before, and stays so.
    pub(crate) fn finish(&mut self, state: &mut State) {
        if !self.boundary(state) {
            return self.note_total(state);
        }
        self.save();
        self.finish_bursts(state);
        let depth = state.depth;
        while self.open != 0 || self.folded != 0 {
            self.exit(state);
        }
        state.depth = depth;
        let sequence = self.children_sequence(0, 0).unwrap_or(0);
        let header = self.log.header();
        header.root_sequence = sequence;
        header.state = FINISHED;
    }

    fn save(&mut self) {
        let open = self.open;
        let (builders, slots) = self.builders.in_use(open);
        self.undo.open = open;
        self.undo.folded = self.folded;
        self.undo.slots = slots.len() as u32;
        let parts = self.undo.parts();
        parts.builders.copy_from_slice(builders);
        parts.slots.copy_from_slice(slots);
        parts.contexts[0] = *self.log.contexts.at(0);
        for i in 0..open {
            let frame = *self.log.frames.at(i);
            parts.frames[i as usize] = frame;
            parts.contexts[i as usize + 1] = *self.log.contexts.at(frame.context);
        }
    }

    /// Takes [`Tracker::finish`] back: the program went on.
    pub(crate) fn resume(&mut self) {
        self.open = self.undo.open;
        self.set_folded(self.undo.folded);
        let parts = self.undo.parts();
        self.builders.restore(parts.builders, parts.slots);
        *self.log.contexts.at(0) = parts.contexts[0];
        self.current = 0;
        for (i, frame) in parts.frames.iter().enumerate() {
            *self.log.frames.at(i as u32) = *frame;
            *self.log.contexts.at(frame.context) = parts.contexts[i + 1];
            self.current = frame.context;
        }
        let open = self.open;
        let header = self.log.header();
        header.frames = open;
        header.root_sequence = 0;
        header.state = RUNNING;
    }
}
