//! Who called a function that opens its region although no tracked code has called it: the native versions on the
//! stack.
//!
//! While tracking is off nobody notes what is called. When a burst begins, the stack is unwound once, and again
//! whenever tracked code is entered from native code that lies around the burst. Every call of a native version has a
//! label ([`CallSite`](parascan_abi::module::CallSite)), and with it the regions that are open while it goes on
//! (`collectors/pass/shim/sites.cpp`; `sites.rs` finds them). Frames of code that was not built by parascan are passed
//! over; at the first one of a tracked version that is not over, the rest is open here. Calls in tail position have no
//! frame: native versions make none but those by which versions change.
//!
//! Functions without a native version open their regions between bursts as well. There the stack is unwound now and
//! then; what is open from such a function on is not measured otherwise.

use parascan_abi::State;
use parascan_abi::module::RegionDesc;

use crate::tracker::RegionTracker;

impl RegionTracker {
    /// Whether the stack is to be unwound for a function whose return address lies at `slot`.
    pub(crate) fn asks_for_callers(&mut self, state: &State, slot: usize) -> bool {
        self.waiting.note_entered();
        if !self.callers.has_sites() || !self.lacks_callers(state) {
            return false;
        }
        if !self.may_look(state) {
            self.unknown = self.unknown.min(self.open);
            return false;
        }
        self.callers.look_from(slot + size_of::<usize>());
        true
    }

    /// Opens an instance of a function's region below the native callers that were found.
    pub(crate) fn enter_called(&mut self, state: &mut State, region: &mut RegionDesc) {
        if self.callers.are_known() {
            self.current = self.caller();
        } else {
            self.unknown = self.unknown.min(self.open);
        }
        self.enter(state, region);
    }

    /// The context of what native callers have open.
    fn caller(&mut self) -> u32 {
        let deepest = self.options.max_depth.saturating_sub(1);
        self.current = self.around(self.open);
        let mut index = 0;
        while let Some(open) = self.callers.open(index) {
            index += 1;
            // SAFETY: a list of a registered module.
            let list = unsafe {
                core::slice::from_raw_parts((*open).regions.as_ptr(), (*open).count as usize)
            };
            for &region in list {
                if self.log.contexts.at(self.current).depth.wrapping_add(1) >= deepest {
                    return self.current;
                }
                // SAFETY: the same, and the recorder is ours.
                if let Some(context) = self.context_of(unsafe { &mut *region }) {
                    self.current = context;
                }
            }
        }
        self.current
    }

    /// Context of the innermost of so many frames.
    pub(crate) fn around(&mut self, frames: u32) -> u32 {
        match frames {
            0 => 0,
            frames => self.log.frames.at(frames - 1).context,
        }
    }
}
