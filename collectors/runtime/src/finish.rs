//! The end of the program, which may not come: closing all regions so that they can be opened again (`exec` may fail).

use parascan_abi::State;
use parascan_abi::log::{FINISHED, RUNNING};

use crate::tracker::RegionTracker;

impl RegionTracker {
    /// Closes all regions and marks the log finished. `state.depth` stays; [`RegionTracker::resume`] opens them again.
    /// If clocks turn out to be full the log was closed before, and stays so.
    pub(crate) fn finish(&mut self, state: &mut State) {
        if !self.boundary(state) {
            return self.note_total(state);
        }
        self.save();
        self.finish_bursts(state);
        let (depth, outer, waiting) = (state.depth, state.outer, self.waiting);
        while self.open != 0 || self.folded != 0 {
            self.exit(state);
        }
        (state.depth, state.outer, self.waiting) = (depth, outer, waiting);
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

    /// Takes [`RegionTracker::finish`] back: the program went on.
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
