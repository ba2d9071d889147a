//! Opening and closing regions: the hot path.
//!
//! Measured by `collectors/runtime/bench/measure.sh -mavx2` on two busy cores of an AMD EPYC at 3.2 GHz, work between
//! the boundaries included (3.4 ns): enter and exit 17.7 ns (46 cycles without that work) when the instance equals the
//! last one, 20 ns when it does not and its parent's list is summarised.

use core::sync::atomic::{Ordering, compiler_fence};

use parascan_abi::log::{Context, FLAG_FOLDED};
use parascan_abi::module::RegionDesc;
use parascan_abi::{LANES, State};

use crate::builder::ClosedChild;
use crate::tracker::RegionTracker;

/// What one instance tells its context and its parent.
#[derive(Clone, Copy)]
pub(crate) struct EndedInstance {
    pub(crate) work: u64,
    pub(crate) cp: u64,
    pub(crate) child_work: u64,
    pub(crate) child_cp: u64,
    pub(crate) child_cp_max: u64,
    pub(crate) children: u64,
    /// Whether a child read what an earlier one had written.
    pub(crate) carried: bool,
}

impl EndedInstance {
    /// What was measured, or the nearest that can be. It cannot be where the handler of a signal ran between, whose
    /// instrumented code moves work and clocks on, and the interrupted code puts them back: what the handler took of
    /// time counts then or not, but no region lasts less than nothing, or than what ran in it.
    #[inline(always)]
    pub(crate) fn possible(mut self) -> Self {
        self.work = after_signals(self.work).max(self.child_work);
        self.cp = after_signals(self.cp);
        self
    }

    /// One without children.
    #[inline(always)]
    pub(crate) fn childless(work: u64, cp: u64) -> Self {
        Self {
            work,
            cp,
            child_work: 0,
            child_cp: 0,
            child_cp_max: 0,
            children: 0,
            carried: false,
        }
    }

    /// Work divided by self-parallelism: `work * cp / (child_cp + self_work)`.
    #[inline(always)]
    pub(crate) fn parallel_time(&self) -> f64 {
        let paths = self
            .child_cp
            .wrapping_add(self.work.saturating_sub(self.child_work));
        // Signed conversions are single instructions; no figure reaches 2^63.
        if self.cp == 0 || paths == 0 {
            self.work as i64 as f64
        } else if paths == self.work {
            // As without children: exact, and without a division.
            self.cp as i64 as f64
        } else {
            (self.work as i64 as f64) * (self.cp as i64 as f64) / (paths as i64 as f64)
        }
    }

    /// Adds `count` such instances to their context.
    #[inline(always)]
    pub(crate) fn add_to(&self, context: &mut Context, count: u64) {
        let gap = self.cp.saturating_sub(self.child_cp_max);
        if self.children == 0 {
            // Most instances are leaves, and have nothing to add to sums over children.
            context.children_min = 0;
        } else {
            self.add_children_to(context, count);
        }
        context.instances = context.instances.wrapping_add(count);
        context.work = context.work.wrapping_add(self.work.wrapping_mul(count));
        context.cp = context.cp.wrapping_add(self.cp.wrapping_mul(count));
        context.cp_max = context.cp_max.max(self.cp);
        context.gap = context.gap.wrapping_add(gap.wrapping_mul(count));
        context.gap_max = context.gap_max.max(gap);
        context.parallel_time += self.parallel_time() * (count as i64 as f64);
    }

    /// The part of [`EndedInstance::add_to`] that is about children, of which there are some.
    #[inline(always)]
    fn add_children_to(&self, context: &mut Context, count: u64) {
        if context.instances == 0 || self.children < context.children_min {
            context.children_min = self.children;
        }
        context.child_work = context
            .child_work
            .wrapping_add(self.child_work.wrapping_mul(count));
        context.child_cp = context
            .child_cp
            .wrapping_add(self.child_cp.wrapping_mul(count));
        context.children = context
            .children
            .wrapping_add(self.children.wrapping_mul(count));
        context.children_max = context.children_max.max(self.children);
        if self.children >= 2 {
            context.multi = context.multi.wrapping_add(count);
            if self.cp == self.child_cp_max {
                context.multi_flat = context.multi_flat.wrapping_add(count);
            }
            if self.carried {
                context.carried = context.carried.wrapping_add(count);
            }
        }
    }
}

/// A difference of two times, none if the later one came first.
#[inline(always)]
fn after_signals(difference: u64) -> u64 {
    difference.cast_signed().max(0).cast_unsigned()
}

/// Index of a depth's lane, if it is tracked.
#[inline(always)]
pub(crate) fn tracked(depth: i64) -> Option<usize> {
    ((depth as u64) < LANES as u64).then_some(depth as usize)
}

/// Whether the instance at `depth` that closes had a carried dependence; forgets what was seen below it.
#[inline(always)]
pub(crate) fn take_carried(state: &mut State, depth: i64) -> bool {
    let Some(lane) = tracked(depth) else {
        return false;
    };
    let bits = state.carried;
    state.carried = bits & ((2 << lane) - 1);
    lane + 1 < LANES && bits >> (lane + 1) & 1 != 0
}

/// Reads a figure by itself: two neighbours in one load would miss the stores of two words that were just made.
#[inline(always)]
fn word(figure: &u64) -> u64 {
    // SAFETY: a reference is valid.
    unsafe { core::ptr::from_ref(figure).read_volatile() }
}

impl RegionTracker {
    /// Opens an instance of `region`.
    #[inline(always)]
    pub(crate) fn enter(&mut self, state: &mut State, region: &mut RegionDesc) {
        let open = self.open;
        if open.wrapping_sub(1) >= self.enterable && !self.enter_unusual(state, region.id, true) {
            return;
        }
        let Some(work) = self.pass(state) else {
            return;
        };
        let depth = state.depth.wrapping_add(1);
        if let Some(lane) = tracked(depth) {
            state.b.0[lane] = state.m.0[lane];
            state.carried &= (2 << lane) - 1;
        }
        self.open_frame(state, region, work);
    }

    /// Opens an instance of `region` that began when `state.work` was `start`; `state.b` has its clock of then.
    #[cold]
    #[inline(never)]
    pub(crate) fn enter_late(&mut self, state: &mut State, region: &mut RegionDesc, start: u64) {
        // A burst that began here would have the loop open already.
        if self.open.wrapping_sub(1) >= self.enterable
            && !self.enter_unusual(state, region.id, false)
        {
            return;
        }
        if self.pass(state).is_some() {
            self.open_frame(state, region, start.wrapping_sub(self.work_base));
        }
    }

    /// Opens an instance of `region` at the next depth, which began at `work` of the process.
    #[inline(always)]
    fn open_frame(&mut self, state: &mut State, region: &mut RegionDesc, work: u64) {
        let open = self.open;
        let depth = state.depth.wrapping_add(1);
        state.depth = depth;
        let Some(context) = self.context_of(region) else {
            return self.fold(1);
        };
        let base = tracked(depth).map_or(0, |lane| u64::from(state.b.0[lane]));
        let frame = self.log.frames.at(open);
        frame.context = context;
        frame.region = region.id;
        frame.work = work;
        frame.base = base;
        frame.child_work = 0;
        frame.child_cp = 0;
        frame.child_cp_max = 0;
        frame.children = 0;
        self.builders.open(open);
        self.open = open + 1;
        self.current = context;
        // The log counts the frame only when it is complete.
        compiler_fence(Ordering::SeqCst);
        self.log.header().frames = open + 1;
    }

    /// Opens a region inside of a folded one; false if none is open. Most regions of programs that recurse are such.
    #[inline(always)]
    pub(crate) fn enter_folded(&mut self, state: &mut State) -> bool {
        if self.folded == 0 {
            return false;
        }
        if self.pass(state).is_some() {
            state.depth = state.depth.wrapping_add(1);
            self.note_folded(1, self.folded);
            self.folded += 1;
        }
        true
    }

    /// Closes a region inside of a folded one; false if it is not.
    #[inline(always)]
    pub(crate) fn exit_inside_folded(&mut self, state: &mut State) -> bool {
        if self.folded < 2 {
            return false;
        }
        if self.pass(state).is_some() {
            state.depth = state.depth.wrapping_sub(1);
            self.folded -= 1;
        }
        true
    }

    /// Enters at the top level or with bursts, which may begin or end here if `check` (true), or beyond what is
    /// recorded (false: done).
    #[cold]
    #[inline(never)]
    fn enter_unusual(&mut self, state: &mut State, region: u32, check: bool) -> bool {
        if self.folded == 0 && self.open < self.options.max_depth {
            if self.is_full(state) {
                return false;
            }
            if self.open == 0 {
                self.count_outside(state);
            }
            let entered = self.waiting.take_entered();
            if !entered {
                self.settle(state);
            }
            if check {
                self.check_burst(state, entered.then_some(region));
            }
            return true;
        }
        if self.pass(state).is_some() {
            state.depth = state.depth.wrapping_add(1);
            self.fold(1);
        }
        false
    }

    /// Closes the innermost instance, if any is open.
    #[inline(always)]
    pub(crate) fn exit(&mut self, state: &mut State) {
        let frame = self.open.wrapping_sub(1);
        if frame >= self.closable {
            return self.exit_folded(state);
        }
        let Some(now) = self.pass(state) else {
            return;
        };
        let depth = state.depth;
        state.depth = depth.wrapping_sub(1);
        self.close(state, frame, depth, now);
    }

    /// Closes a folded region, one with bursts, or nothing.
    #[cold]
    #[inline(never)]
    fn exit_folded(&mut self, state: &mut State) {
        if self.folded != 0 {
            if self.pass(state).is_some() {
                state.depth = state.depth.wrapping_sub(1);
                self.set_folded(self.folded - 1);
            }
        } else if self.open != 0 {
            self.exit_with_bursts(state, false);
        }
    }

    /// Closes `frame`, the innermost, whose depth in lanes is `depth`.
    #[inline(always)]
    fn close(&mut self, state: &mut State, open: u32, depth: i64, now: u64) {
        let carried = take_carried(state, depth);
        let frame = self.log.frames.at(open);
        let (context, region) = (frame.context, frame.region);
        let instance = EndedInstance {
            work: now.wrapping_sub(frame.work),
            cp: tracked(depth).map_or(0, |lane| {
                u64::from(state.m.0[lane]).wrapping_sub(frame.base)
            }),
            child_work: word(&frame.child_work),
            child_cp: word(&frame.child_cp),
            child_cp_max: word(&frame.child_cp_max),
            children: word(&frame.children),
            carried,
        }
        .possible();
        // First the frame leaves the log: whoever is killed below loses one instance's figures, and counts none twice.
        self.open = open;
        self.log.header().frames = open;
        compiler_fence(Ordering::SeqCst);
        instance.add_to(self.log.contexts.at(context), 1);
        self.add_to_parent(&instance, 1);
        let child = ClosedChild {
            context,
            region,
            work: instance.work,
            cp: instance.cp,
        };
        if self.builders.is_summarised(open) {
            // Nobody will ask for this instance by itself.
            return self.summarise(open, child, 1);
        }
        let symbol = self.close_children(open, child);
        self.append_child(open, child, symbol, 1);
    }

    /// Tells the innermost open region of `count` closed children and makes it current.
    #[inline(always)]
    pub(crate) fn add_to_parent(&mut self, child: &EndedInstance, count: u64) {
        let work = child.work.wrapping_mul(count);
        let cp = child.cp.wrapping_mul(count);
        if let Some(parent) = self.open.checked_sub(1) {
            let parent = self.log.frames.at(parent);
            parent.child_work = parent.child_work.wrapping_add(work);
            parent.child_cp = parent.child_cp.wrapping_add(cp);
            parent.child_cp_max = parent.child_cp_max.max(child.cp);
            parent.children = parent.children.wrapping_add(count);
            self.current = parent.context;
        } else {
            let root = self.log.contexts.at(0);
            root.child_work = root.child_work.wrapping_add(work);
            root.child_cp = root.child_cp.wrapping_add(cp);
            root.children = root.children.wrapping_add(count);
            self.current = 0;
        }
    }

    /// Opens a region that gets no frame of its own, nor do those inside it.
    fn fold(&mut self, count: u64) {
        self.note_folded(count, self.folded);
        self.set_folded(self.folded + 1);
    }

    /// Notes `count` entries below `above` folded regions that get no frame: too deep, unregistered, or without room
    /// for a context.
    #[inline]
    pub(crate) fn note_folded(&mut self, count: u64, above: u64) {
        let reached = u64::from(self.open).saturating_add(above + 1);
        self.reached(u32::try_from(reached).unwrap_or(u32::MAX));
        let too_deep = self.open >= self.options.max_depth;
        let header = self.log.header();
        if too_deep {
            header.folded = header.folded.wrapping_add(count);
            header.flags |= FLAG_FOLDED;
        }
    }

    /// Closes instances until `state.outer + state.depth == depth`.
    pub(crate) fn exit_to(&mut self, state: &mut State, depth: i64) {
        let depth = depth.max(-1);
        while state.outer + state.depth > depth && (self.open != 0 || self.folded != 0) {
            self.exit(state);
        }
    }

    /// Makes depth and context agree with the open frames, after a call was abandoned half way.
    #[cold]
    pub(crate) fn repair(&mut self, state: &mut State) {
        let open = self.log.header().frames;
        self.open = open;
        state.depth = self.base_depth() + i64::from(open) + self.folded as i64;
        self.current = match open {
            0 => 0,
            open => self.log.frames.at(open - 1).context,
        };
    }

    /// `count` equal childless instances of `region` ran inside the innermost open one, each with `cp` and `work`.
    #[inline(always)]
    pub(crate) fn iterations(
        &mut self,
        state: &mut State,
        region: &mut RegionDesc,
        cp: u64,
        work: u64,
        count: u64,
    ) {
        if count == 0 {
            return;
        }
        if !self.boundary(state) {
            return;
        }
        let open = self.open;
        if self.folded != 0 || open >= self.options.max_depth {
            return self.note_folded(count, self.folded);
        }
        let Some(context) = self.context_of(region) else {
            return self.note_folded(count, 0);
        };
        let instance = EndedInstance::childless(work, cp);
        if self.bursts.is_some() {
            self.settle(state);
            return self.iterations_with_bursts(state, context, &instance, count);
        }
        let child = ClosedChild {
            context,
            region: region.id,
            work,
            cp,
        };
        self.append_equal(child, &instance, count, count, true);
    }

    /// Adds `count` equal instances to the innermost open one, and `all` to their context: so many they are where the
    /// open one stands for several. Children that they have are those of the builder above the open one's.
    #[inline(always)]
    pub(crate) fn append_equal(
        &mut self,
        child: ClosedChild,
        instance: &EndedInstance,
        count: u64,
        all: u64,
        childless: bool,
    ) {
        let open = self.open;
        instance.add_to(self.log.contexts.at(child.context), all);
        self.add_to_parent(instance, count);
        if self.builders.is_summarised(open) {
            return self.summarise(open, child, count);
        }
        let symbol = if childless {
            self.childless(open, child)
        } else {
            self.close_children(open, child)
        };
        self.append_child(open, child, symbol, count);
    }
}
