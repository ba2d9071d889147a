//! Full clocks: the measurement ends, and the program goes on.
//!
//! Clocks are looked at at region boundaries, before the log learns anything of the boundary. If one is exhausted, or
//! may have been since the boundary before, all regions are closed as of the boundary before, whose work and clocks the
//! log's header has: nothing that was computed with an exhausted clock is used. From then on the thread is like one
//! that is not tracked.

use parascan_abi::log::{CAP_BLIND, FLAG_OVERFLOW, OFF_BLIND};
use parascan_abi::{OVERFLOW_LIMIT, State, Tick, UNTRACKED_DEPTH};

use crate::log::Backing;
use crate::sys;
use crate::tracker::RegionTracker;

/// [`State::depth`] of the tracked thread when its clocks are full.
pub(crate) const FULL_DEPTH: i64 = UNTRACKED_DEPTH + 2;

impl RegionTracker {
    /// Whether clocks came to their end, or may have passed it unseen since the last boundary. A clock grows no faster
    /// than work, which says when to look again.
    #[cold]
    #[inline(never)]
    pub(crate) fn check_clocks(&mut self, state: &mut State) -> bool {
        if self.full {
            return true;
        }
        let before = self.log.header().work.wrapping_add(self.work_base);
        let unseen = state.work.wrapping_sub(before) >= OVERFLOW_LIMIT
            && state.work.checked_shr(Tick::BITS).is_some_and(|w| w != 0);
        let largest = state.m.0.iter().copied().fold(0, Tick::max);
        let left = OVERFLOW_LIMIT.saturating_sub(u64::from(largest));
        if !unseen && left != 0 {
            self.next_check = state.work.saturating_add(left);
            self.look_at_beginning(state);
            return false;
        }
        self.log.flag(FLAG_OVERFLOW);
        if self.bursts.is_some() {
            self.next_check = u64::MAX;
            self.end_bursts(state.work.wrapping_sub(self.work_base));
            return false;
        }
        self.close_full(state);
        true
    }

    /// Closes the log as of the last boundary, and keeps the thread away from it.
    fn close_full(&mut self, state: &mut State) {
        let depth = self.base_depth() + i64::from(self.open) + self.folded as i64;
        let header = self.log.header();
        let now = (state.m, state.work, state.carried);
        state.m = header.m;
        state.work = header.work.wrapping_add(self.work_base);
        state.carried = header.carried;
        state.depth = depth;
        // Clocks were good at that boundary: those of this call come to no check.
        self.next_check = u64::MAX;
        self.finish(state);
        (state.m, state.work, state.carried) = now;
        state.depth = FULL_DEPTH;
        self.next_check = 0;
        self.full = true;
        // What goes on counting is not of the part that was measured.
        let blind = self.log.backing.base as u64 + OFF_BLIND;
        let flags = sys::MAP_PRIVATE | sys::MAP_ANONYMOUS | sys::MAP_NORESERVE | sys::MAP_FIXED;
        // SAFETY: this part of the log has the counters, numbers that only the program's own code changes.
        let _ = unsafe { sys::map(blind, u64::from(CAP_BLIND) * 8, flags, None) };
    }

    /// The program ends, or becomes another, after its clocks were full.
    pub(crate) fn note_total(&mut self, state: &State) {
        self.log.header().total = state.work.wrapping_sub(self.work_base);
    }

    /// A process was forked by one whose clocks were full. It has the same clocks: nothing can be measured in it.
    pub(crate) fn forked_full(&mut self) {
        // SAFETY: the parent's log is this process's to replace, and out of its reach then. Where that fails, nobody
        // writes there but counters of blind spots, which are this process's already.
        let _ = unsafe { Backing::memory_at(self.log.backing.base) };
    }
}
