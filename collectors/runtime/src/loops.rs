//! Loops whose iterations the instrumented code counts in registers: one call when the loop ends, and one whenever its
//! iterations change.
//!
//! Such a loop gets a frame only when its iterations differ. Most do not, and are told in one go: `__ps_loop_end` takes
//! 60% of the time of the three calls (enter, iterations, exit) that it replaces.

use parascan_abi::State;
use parascan_abi::module::LoopDesc;

use crate::builder::ClosedChild;
use crate::dictionary::EvenLoop;
use crate::regions::{EndedInstance, take_carried, tracked};
use crate::tracker::RegionTracker;

/// Equal iterations of a loop, and where the loop began.
#[derive(Clone, Copy)]
pub(crate) struct EqualIterations {
    /// Depth of the loop in lanes.
    pub(crate) depth: i64,
    /// `State::work` when it began; `State::b` has its clock of then.
    pub(crate) start: u64,
    /// Critical path of each.
    pub(crate) cp: u64,
    /// Work of each.
    pub(crate) work: u64,
    /// Number.
    pub(crate) count: u64,
    /// Bits of what was read in the loop, as in [`State::carried`].
    pub(crate) carried: u32,
}

impl RegionTracker {
    /// Adds iterations of a loop that goes on.
    ///
    /// # Safety
    /// The descriptor and everything it points to must be valid, and nothing else use its regions.
    pub(crate) unsafe fn loop_change(
        &mut self,
        state: &mut State,
        desc: &LoopDesc,
        iterations: EqualIterations,
    ) {
        let EqualIterations {
            depth,
            start,
            cp,
            work,
            count,
            ..
        } = iterations;
        // SAFETY: the caller vouches for the descriptor.
        unsafe {
            self.settle(state);
            if state.depth < depth {
                self.enter_late(state, &mut *desc.region, start);
            }
            let below = &*desc.iteration;
            if below.child_count == 0 {
                self.iterations(state, &mut *below.region, cp, work, count);
            } else {
                self.statics(state, below, cp, work, count);
                self.iterations_have_ended(state);
            }
        }
    }

    /// Adds the last iterations of a loop and closes it.
    ///
    /// # Safety
    /// As for [`RegionTracker::loop_change`].
    #[inline(always)]
    pub(crate) unsafe fn loop_end(
        &mut self,
        state: &mut State,
        desc: &LoopDesc,
        iterations: EqualIterations,
    ) {
        // What lies above the loop's lane is of what ran before it.
        let kept = tracked(iterations.depth).map_or(u32::MAX, |lane| (2 << lane) - 1);
        state.carried = state.carried & kept | iterations.carried;
        // SAFETY: the caller vouches for the descriptor.
        unsafe {
            if !self.loop_at_once(state, desc, iterations)
                && !self.loop_beyond(state, desc, iterations)
            {
                self.loop_change(state, desc, iterations);
                if self.bursts.is_some() && self.folded == 0 && self.open != 0 {
                    self.exit_with_bursts(state, true);
                } else {
                    self.exit(state);
                }
            }
        }
    }

    /// Adds a loop that has no frame, all of whose iterations are equal; false if it is not such a loop.
    ///
    /// # Safety
    /// As for [`RegionTracker::loop_change`].
    #[inline(always)]
    unsafe fn loop_at_once(
        &mut self,
        state: &mut State,
        desc: &LoopDesc,
        iterations: EqualIterations,
    ) -> bool {
        let EqualIterations {
            depth,
            start,
            cp,
            work,
            count,
            ..
        } = iterations;
        // SAFETY: the caller vouches for the descriptor.
        let below = unsafe { &*desc.iteration };
        let open = self.open;
        let plain = state.depth < depth
            && below.child_count == 0
            && count != 0
            && open.wrapping_sub(1) < self.enterable.saturating_sub(1);
        if !plain {
            return false;
        }
        // SAFETY: the caller vouches for the descriptor; a loop and its iterations are different regions.
        let (whole, part) = unsafe { (&mut *desc.region, &mut *below.region) };
        let outer = self.current;
        let Some(context) = self.context_of(whole) else {
            return false;
        };
        self.current = context;
        self.open = open + 1;
        let inner = self.context_of(part);
        self.current = outer;
        self.open = open;
        let Some(inner) = inner else {
            return false;
        };
        let Some(now) = self.pass(state) else {
            return true;
        };
        let carried = take_carried(state, depth);
        let iteration = EndedInstance::childless(work, cp);
        iteration.add_to(self.log.contexts.at(inner), count);
        let instance = EndedInstance {
            work: now.wrapping_sub(start.wrapping_sub(self.work_base)),
            cp: tracked(depth).map_or(0, |lane| {
                u64::from(state.m.0[lane]).wrapping_sub(state.b.0[lane].into())
            }),
            child_work: work.wrapping_mul(count),
            child_cp: cp.wrapping_mul(count),
            child_cp_max: cp,
            children: count,
            carried,
        }
        .possible();
        instance.add_to(self.log.contexts.at(context), 1);
        self.add_to_parent(&instance, 1);
        let child = ClosedChild {
            context,
            region: whole.id,
            work: instance.work,
            cp: instance.cp,
        };
        if self.builders.is_summarised(open) {
            self.summarise(open, child, 1);
            return true;
        }
        let even = EvenLoop {
            iteration: inner,
            work: child.work,
            cp: child.cp,
            count,
            iteration_work: work,
            iteration_cp: cp,
        };
        let known = self.dictionary.recall(&even);
        if known != 0 {
            self.append_child(open, child, known, 1);
            return true;
        }
        let iterations = ClosedChild {
            context: inner,
            region: part.id,
            work,
            cp,
        };
        let symbol = self.childless(open + 1, iterations);
        self.builders.open(open);
        self.append_child(open + 1, iterations, symbol, count);
        let symbol = self.close_other(open, child);
        self.dictionary.remember(even, symbol);
        self.append_child(open, child, symbol, 1);
        true
    }

    /// Counts a loop that is too deep to be recorded; false if it is not, or lists what its iterations contain.
    ///
    /// # Safety
    /// As for [`RegionTracker::loop_change`].
    #[inline(always)]
    unsafe fn loop_beyond(
        &mut self,
        state: &mut State,
        desc: &LoopDesc,
        iterations: EqualIterations,
    ) -> bool {
        let beyond = self.folded != 0 || self.open >= self.options.max_depth;
        // SAFETY: the caller vouches for the descriptor.
        let lists = unsafe { (*desc.iteration).child_count != 0 };
        if !beyond || lists || state.depth >= iterations.depth {
            return false;
        }
        if self.pass(state).is_some() {
            self.note_folded(1, self.folded);
            if iterations.count != 0 {
                self.note_folded(iterations.count, self.folded + 1);
            }
        }
        true
    }
}
