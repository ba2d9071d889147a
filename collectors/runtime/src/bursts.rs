//! Looking at stretches of the run only (*bursts*): what an instance counts for that was open when one began or ended.
//!
//! How and why: `docs/bursts.md`. Functions have native versions (unless `--parascan-exact` leaves them out), which
//! run between bursts. With `PARASCAN_BURSTS=tracked` at compile time, which is for comparisons alone, the program is
//! tracked all the time, and what lies outside of bursts is thrown away. Everything older than a burst is there at its
//! time 0: the bases of all open instances are raised to their clocks, which instrumented code takes over if it was
//! compiled with that variable. Instances that begin and end within a burst have their exact figures, and are counted
//! in their context. What is seen of others is a segment, and counted in the context's `BurstPart`.
//!
//! Clocks only grow, and have 32 bits. They start again from 0 before a burst that begins while nothing that is alive
//! has a time: no region is open, or only such as wait without lanes (`lanes.rs`). Where that never happens bursts
//! become half as frequent whenever half of what was left is used. If clocks come to their end all the same, no burst
//! begins any more, and only counts go on.
//!
//! Only the cold paths of regions lead here: `RegionTracker::set_folded` lets no other be taken while there are bursts.

use parascan_abi::log::{BurstGroup, BurstPart, FLAG_NATIVE, GROUPS, OpenRegion};
use parascan_abi::module::RegionKind;
use parascan_abi::{CHECKS_OF_UNSEEN, LANES, OVERFLOW_LIMIT, State, Tick, Time, UNTRACKED_DEPTH};

use crate::growth;
use crate::regions::{EndedInstance, take_carried, tracked};
use crate::schedule::{NextMode, clock};
use crate::shadow;
use crate::switches;
use crate::timing::BurstTiming;
use crate::tracker::RegionTracker;

/// [`OpenRegion::scratch`] word: where the segment begins.
const START: usize = 0;
/// The same: where the last iteration of a loop's segment ended.
const LAST: usize = 1;
/// The same: the segment's critical path then.
const LAST_CP: usize = 2;
/// The same: whether iterations had read then what earlier ones had written.
const CARRIED: usize = 3;
/// The same: whether the instance goes on from native code.
const RESUMED: usize = 4;

/// Of a loop of which so many iterations in a row were seen, no more are looked for.
const ENOUGH: u64 = 16;

/// Clocks' time from which on they start again where they can. A burst adds at most its length, and what is between two
/// boundaries.
const FAR: u64 = OVERFLOW_LIMIT / 4;

impl RegionTracker {
    /// Native code asks whether to go on tracked.
    pub(crate) fn turn(&mut self, state: &mut State, unused: u64, ahead: u64) -> NextMode {
        // No tracked caller left arguments for the version that goes on.
        state.arg_fn = core::ptr::null();
        let now = state.work.wrapping_sub(self.work_base);
        if self.bursts.is_some() {
            self.log.flag(FLAG_NATIVE);
        }
        let idle = self.has_no_times() || self.may_leave_open(true);
        let Some(bursts) = self.bursts.as_mut().filter(|bursts| !bursts.on) else {
            return NextMode::Tracked;
        };
        if bursts.ended {
            return NextMode::Native(i64::MAX);
        }
        let pace = &mut bursts.pace;
        let clock = clock();
        let elapsed = clock.wrapping_sub(pace.ended);
        pace.pass(elapsed, unused);
        // What functions without a native version have done since then is no tail.
        bursts.tail = now;
        // Where bursts follow one another, what keeps them apart is that clocks come far.
        let at_once = bursts.schedule.is_continuous() && idle && largest(state) >= FAR;
        let left = pace.gap.saturating_sub(elapsed);
        let unseen = ahead >= CHECKS_OF_UNSEEN;
        let ahead = if unseen { 0 } else { ahead };
        let waits = left > pace.time_of(ahead) && !at_once;
        let glances = waits && unseen && bursts.may_glance(clock);
        let pace = &mut bursts.pace;
        if waits && !glances {
            pace.ended = clock;
            pace.gap = left;
            return pace.wait(left, ahead);
        }
        pace.early = if at_once { 0 } else { left };
        bursts.glance = glances;
        if !bursts.may_begin() {
            return NextMode::Native(i64::MAX);
        }
        // It begins with the next region.
        bursts.due = now;
        bursts.asked = true;
        NextMode::Tracked
    }

    /// Whether native code may lie between the innermost open instance and a function that is entered by something else
    /// than tracked code.
    pub(crate) fn lacks_callers(&self, state: &State) -> bool {
        let room = self.folded == 0 && self.open < self.options.max_depth;
        let around = |bursts: &BurstTiming| !bursts.on || self.open <= bursts.outer;
        room && state.depth < UNTRACKED_DEPTH && self.bursts.as_ref().is_some_and(around)
    }

    /// Whether there is time to look for them: in bursts, and seldom between them.
    pub(crate) fn may_look(&mut self, state: &State) -> bool {
        /// Cycles: a look takes less than a hundredth of this.
        const SELDOM: u64 = 1 << 21;
        let now = state.work.wrapping_sub(self.work_base);
        let Some(bursts) = &mut self.bursts else {
            return false;
        };
        if bursts.on || now >= bursts.due {
            return true;
        }
        let clock = clock();
        let looks = clock.wrapping_sub(bursts.looked) >= SELDOM;
        if looks {
            bursts.looked = clock;
        }
        looks
    }

    /// The innermost open instance was open before.
    pub(crate) fn resumed(&mut self) {
        // One that is folded has no frame.
        let looks = self.bursts.is_some() && self.folded == 0;
        if let Some(index) = self.open.checked_sub(1).filter(|_| looks) {
            let frame = self.log.frames.at(index);
            frame.scratch[RESUMED] = 1;
            frame.scratch[START] = frame.work;
        }
    }

    /// Begins or ends a burst if it is time to. `entered`: the region of a function that native code calls, or has go
    /// on.
    pub(crate) fn check_burst(&mut self, state: &mut State, entered: Option<u32>) {
        if self.beginning.is_some() {
            self.end_beginning(state);
        }
        let now = state.work.wrapping_sub(self.work_base);
        if self.grows_too_far(now) {
            self.end_burst(state, now);
            return;
        }
        match &mut self.bursts {
            Some(bursts) if now >= bursts.due => {
                if !bursts.on {
                    if bursts.may_begin() {
                        if self.may_leave_open(entered.is_some()) {
                            self.leave_open(state);
                        }
                        self.choose_lanes(state, entered);
                        self.begin_burst(state, now);
                    }
                } else if bursts.ended || !self.prolong(now) {
                    self.end_burst(state, now);
                }
            }
            _ => {}
        }
    }

    /// Whether the burst that goes on takes too much memory. Between bursts, what tracked code took is given back.
    fn grows_too_far(&mut self, now: u64) -> bool {
        let Some(bursts) = self.bursts.as_mut() else {
            return false;
        };
        if now < bursts.growth.due() {
            return false;
        }
        let too_far = bursts.growth.is_too_far(now, growth::MOST);
        if bursts.on {
            self.ask_in_time();
            return too_far;
        }
        // Tracked code writes times between bursts, too, which nobody needs.
        if bursts.growth.take() {
            shadow::forget_all();
        }
        false
    }

    /// A call is to write more than a burst may take: whether to leave its times out. The burst that goes on, or the
    /// beginning with it, ends with the next boundary, so that they matter to nobody, as between bursts.
    pub(crate) fn leaves_large_write_out(&mut self) -> bool {
        if self.ends_beginning() {
            return true;
        }
        let Some(bursts) = &mut self.bursts else {
            return false;
        };
        if bursts.on {
            bursts.growth.end();
            self.ask_in_time();
        }
        true
    }

    /// Has tracked loops ask when there is something to do.
    pub(crate) fn ask_in_time(&self) {
        if let Some(bursts) = &self.bursts {
            let end = bursts.due.max(bursts.until).min(bursts.growth.due());
            switches::ask_from(end.saturating_add(self.work_base));
        }
    }

    /// Clocks are full, or may be: the burst that goes on ends with the next boundary, without what is open, and none
    /// begins after it.
    pub(crate) fn end_bursts(&mut self, now: u64) {
        if let Some(bursts) = &mut self.bursts {
            bursts.ended = true;
            bursts.due = now;
            bursts.until = 0;
            self.unknown = 0;
        }
    }

    /// Whether nothing that is alive has a time.
    fn has_no_times(&self) -> bool {
        self.open <= self.waiting.waiting() && self.folded == 0
    }

    /// Has all clocks start again, if they have come far and nothing that is alive has a time of theirs.
    fn restart_clocks(&mut self, state: &mut State) {
        if self.has_no_times() && largest(state) >= FAR {
            shadow::forget_all();
            self.waiting.note_times(state);
            state.m = Time([0; LANES]);
            state.b = state.m;
            state.latest = state.m;
            self.next_check = 0;
            if let Some(bursts) = &mut self.bursts {
                bursts.room = OVERFLOW_LIMIT;
            }
        }
    }

    /// Ends a burst if it is time to.
    fn check_end_of_burst(&mut self, state: &mut State) {
        if self.bursts.as_ref().is_some_and(|bursts| bursts.on) {
            self.check_burst(state, None);
        }
    }

    /// Whether the burst goes on although its time is up: it does for the outermost loop if it would see more of that
    /// loop's iterations in a row than any burst before, and if that can be paid for.
    fn prolong(&mut self, now: u64) -> bool {
        let Some(bursts) = &self.bursts else {
            return false;
        };
        let (target, until, wanted) = (bursts.target, bursts.until, bursts.wanted);
        // What loops are prolonged for is mostly parallel, so that clocks come less far; they start again before the
        // next burst, mostly.
        let limit = bursts.room / 2;
        if until > 0 {
            let waits = target < self.open && self.log.frames.at(target).children < wanted;
            return waits && now < until;
        }
        // Where native code ran the work of the run is not known, but its time is.
        let whole = match bursts.pace.checks {
            0 => now,
            _ => bursts.pace.units_in(clock().wrapping_sub(bursts.started)),
        };
        let paid = u128::from(whole) * u128::from(bursts.schedule.longer) / 1000;
        let paid = (paid as u64).saturating_sub(bursts.prolonged);
        if paid == 0 {
            return false;
        }
        // What has no lane shows nothing.
        for index in self.waiting.lane_0()..self.open {
            let frame = *self.log.frames.at(index);
            if !self.is_loop(frame.context) {
                continue;
            }
            let context = *self.log.contexts.at(frame.context);
            let in_parts = self
                .part(frame.context)
                .map_or(0, |part| part.segments.children_max);
            let iteration = context.first_child;
            let seen = context.children_max.max(in_parts).max(frame.children);
            if seen >= ENOUGH || iteration == 0 {
                continue;
            }
            // The present one may be the first, or the longest.
            let present = match index + 1 {
                next if next < self.open => now.saturating_sub(self.log.frames.at(next).work),
                _ => 0,
            };
            let mean = self
                .part(iteration)
                .map_or(0, |part| part.work / part.instances.max(1));
            // What is left of this iteration, and that many more.
            let length = mean.max(present).max(1);
            let possible = (paid.min(limit) / length).saturating_sub(1).min(ENOUGH);
            if possible >= 2.max(2 * seen) {
                if let Some(bursts) = &mut self.bursts {
                    bursts.until = now.saturating_add(length * (possible + 1));
                    bursts.target = index;
                    bursts.wanted = possible;
                }
                self.ask_in_time();
                return true;
            }
        }
        false
    }

    /// Begins a burst: what is open is so from now on.
    fn begin_burst(&mut self, state: &mut State, now: u64) {
        self.restart_clocks(state);
        let Some(bursts) = &mut self.bursts else {
            return;
        };
        // Where native code has asked for it, that was now.
        bursts.count_tail(now);
        bursts.asked |= bursts.behind == 0;
        bursts.on = true;
        bursts.begun = now;
        bursts.outer = self.open;
        // A first one with a length of its own began with the program: see `beginning.rs`.
        let length = if bursts.glance {
            bursts.glance_length(clock())
        } else if bursts.first {
            bursts.schedule.longest()
        } else {
            bursts.choose_length()
        };
        bursts.due = now.saturating_add(length.min(bursts.limit()));
        bursts.until = 0;
        bursts.pace.begun = clock();
        switches::go(state, NextMode::Tracked);
        self.ask_in_time();
        for (time, latest) in state.m.0.iter_mut().zip(state.latest.0) {
            *time = latest.max(*time);
        }
        self.raise_bases(state, now);
    }

    /// What is open is so from now on.
    pub(crate) fn raise_bases(&mut self, state: &mut State, now: u64) {
        for index in 0..self.open {
            let lane = tracked(self.lane_depth(index));
            let frame = self.log.frames.at(index);
            if let Some(lane) = lane {
                state.b.0[lane] = state.m.0[lane];
                frame.base = state.m.0[lane].into();
            }
            forget_children(frame);
            frame.scratch[START] = now;
        }
        state.carried = 0;
    }

    /// Ends the burst: of what is open there is a segment.
    pub(crate) fn end_burst(&mut self, state: &mut State, now: u64) {
        let mut inner: Option<EndedInstance> = None;
        for index in (0..self.open).rev() {
            let depth = self.lane_depth(index);
            let frame = *self.log.frames.at(index);
            let mut instance = self.since(state, &frame, depth, now);
            if let Some(inner) = &inner {
                instance.child_work = instance.child_work.wrapping_add(inner.work);
                instance.child_cp = instance.child_cp.wrapping_add(inner.cp);
                instance.child_cp_max = instance.child_cp_max.max(inner.cp);
                instance.children = instance.children.wrapping_add(1);
            }
            let sampled = self.within(frame.work, now);
            if index < self.unknown {
                self.sample_callers(frame.context, index, sampled);
                self.add_segment(&frame, depth, &instance, sampled);
            }
            inner = Some(instance);
        }
        let Some(bursts) = &mut self.bursts else {
            return;
        };
        bursts.room = OVERFLOW_LIMIT.saturating_sub(largest(state));
        let length = now.min(bursts.due) - bursts.begun;
        let mut seen = bursts.seen;
        bursts.seen = 0;
        bursts.on = false;
        (bursts.behind, bursts.tail) = (self.open, now);
        // In code that can be switched the burst ends in time, unless it was prolonged.
        let end = if bursts.until > 0 {
            now
        } else {
            now.min(bursts.due)
        };
        let over = bursts.due;
        // Between half and three halves of the gap, so that no rhythm of the program is met again and again.
        let gap = bursts.gap();
        let jitter = bursts.next() % gap.max(1);
        bursts.due = end.saturating_add(gap / 2).saturating_add(jitter);
        let sample = !bursts.first && !bursts.glance;
        bursts.group = (bursts.group + 1) % GROUPS;
        let prolonged = end.saturating_sub(over);
        bursts.prolonged += prolonged;
        let rest = bursts.rest(now - bursts.begun, prolonged.min(now - bursts.begun));
        let share_of_time = bursts.share_of_time();
        switches::go(state, rest);
        switches::ask_from(0);
        if bursts.growth.take() {
            shadow::forget_all();
        }
        while let Some(context) = seen.checked_sub(1) {
            let part = self.log.parts.at(context as u32);
            let share = part.now as f64 / length.max(1) as f64;
            if sample {
                part.sampled = part.sampled.wrapping_add(part.now);
                part.shares += share;
                part.squares += share * share;
            }
            part.bursts = part.bursts.wrapping_add(1);
            part.now = 0;
            seen = core::mem::take(&mut part.next);
        }
        if let Some(root) = self.part(0) {
            root.work = root.work.wrapping_add(length);
            root.shares = share_of_time;
            if sample {
                root.instances = root.instances.wrapping_add(1);
                root.sampled = root.sampled.wrapping_add(length);
            }
        }
    }

    /// Ends the burst that goes on when the program ends.
    pub(crate) fn finish_bursts(&mut self, state: &mut State) {
        if self.bursts.as_ref().is_some_and(|bursts| bursts.on) {
            let now = state.work.wrapping_sub(self.work_base);
            if let Some(bursts) = &mut self.bursts {
                bursts.due = bursts.due.min(now);
            }
            self.end_burst(state, now);
        }
    }

    /// What the burst has seen of an open instance.
    fn since(&self, state: &mut State, frame: &OpenRegion, depth: i64, now: u64) -> EndedInstance {
        let begun = self.bursts.as_ref().map_or(0, |bursts| bursts.begun);
        let cp = tracked(depth).map_or(0, |lane| {
            u64::from(state.m.0[lane]).wrapping_sub(frame.base)
        });
        EndedInstance {
            work: now.wrapping_sub(frame.work.max(begun)),
            cp,
            child_work: frame.child_work,
            child_cp: frame.child_cp,
            child_cp_max: frame.child_cp_max,
            children: frame.children,
            carried: take_carried(state, depth),
        }
        .possible()
    }

    /// Work from `start` to `end` within the burst.
    fn within(&self, start: u64, end: u64) -> u64 {
        let bursts = self.bursts.as_ref();
        bursts.map_or(0, |bursts| {
            end.min(bursts.due).saturating_sub(start.max(bursts.begun))
        })
    }

    /// The part of a context; none where the log is full.
    pub(crate) fn part(&mut self, context: u32) -> Option<&mut BurstPart> {
        let log = &mut self.log;
        let missing = (context + 1).saturating_sub(log.parts.len());
        if missing > 0 && !log.parts.grow(&log.backing, missing) {
            self.log_full();
            return None;
        }
        Some(self.log.parts.at(context))
    }

    /// Counts instances that began in tracked code, and work.
    pub(crate) fn count_instances(&mut self, context: u32, count: u64, work: u64) {
        if let Some(part) = self.part(context) {
            part.instances = part.instances.wrapping_add(count);
            part.work = part.work.wrapping_add(work);
        }
    }

    /// Counts instances that began and ended within the burst.
    fn add_whole(&mut self, context: u32, instance: &EndedInstance, count: u64) {
        instance.add_to(self.log.contexts.at(context), count);
        let group = self.group();
        if let Some(part) = self.part(context) {
            let own = instance.work.saturating_sub(instance.child_work) as f64;
            part.own_squares += own * own * count as f64;
            part.groups[group].add(&BurstGroup {
                work: instance.work.wrapping_mul(count),
                parallel_time: instance.parallel_time() * count as f64,
                ..BurstGroup::default()
            });
        }
    }

    /// Counts a segment of an instance that has clocks for itself and its children.
    fn add_stretch(&mut self, context: u32, depth: i64, segment: &EndedInstance) {
        let group = self.group();
        if let Some(part) = self.part(context).filter(|_| is_measured(depth, segment)) {
            segment.add_to(&mut part.segments, 1);
            part.groups[group].add(&group_of(segment));
        }
    }

    /// The group of the burst that goes on.
    fn group(&self) -> usize {
        self.bursts.as_ref().map_or(0, |bursts| bursts.group)
    }

    /// Notes work of a context within the burst.
    pub(crate) fn sample(&mut self, context: u32, work: u64) {
        let seen = self.bursts.as_ref().map_or(0, |bursts| bursts.seen);
        let Some(part) = self.part(context).filter(|_| work > 0) else {
            return;
        };
        let first = part.now == 0;
        part.now += work;
        if first {
            part.next = seen;
            if let Some(bursts) = &mut self.bursts {
                bursts.seen = u64::from(context) + 1;
            }
        }
    }

    /// Notes work of an instance within the burst for the native callers between it and the innermost of so many
    /// frames.
    fn sample_callers(&mut self, context: u32, frames: u32, work: u64) {
        let around = self.around(frames);
        let mut caller = self.log.contexts.at(context).parent;
        while caller != around && caller != 0 {
            self.sample(caller, work);
            caller = self.log.contexts.at(caller).parent;
        }
    }

    /// Counts what was seen of an instance that is not whole: of a loop the iterations that are.
    fn add_segment(&mut self, frame: &OpenRegion, depth: i64, seen: &EndedInstance, sampled: u64) {
        self.sample(frame.context, sampled);
        let mut segment = *seen;
        if self.is_loop(frame.context) {
            // None that ended in a burst, or since the run's beginning.
            if frame.children == 0 || frame.scratch[LAST] == 0 {
                return;
            }
            let begun = self.bursts.as_ref().map_or(0, |bursts| bursts.begun);
            let start = if frame.work < begun || frame.scratch[RESUMED] != 0 {
                frame.scratch[START]
            } else {
                frame.work
            };
            segment = EndedInstance {
                work: frame.scratch[LAST].wrapping_sub(start),
                cp: frame.scratch[LAST_CP],
                child_work: frame.child_work,
                child_cp: frame.child_cp,
                child_cp_max: frame.child_cp_max,
                children: frame.children,
                carried: frame.scratch[CARRIED] != 0,
            }
            .possible();
        }
        self.add_stretch(frame.context, depth, &segment);
    }

    fn is_loop(&mut self, context: u32) -> bool {
        self.log.contexts.at(context).kind == RegionKind::Loop as u32
    }

    /// Whole iterations of the innermost open loop have ended now.
    fn note_iterations(&mut self, state: &State, now: u64) {
        let Some(index) = self.open.checked_sub(1) else {
            return;
        };
        let lane = tracked(self.lane_depth(index));
        let frame = self.log.frames.at(index);
        frame.scratch[LAST] = now;
        frame.scratch[LAST_CP] = lane.map_or(0, |lane| {
            u64::from(state.m.0[lane]).wrapping_sub(frame.base)
        });
        frame.scratch[CARRIED] = u64::from(state.carried & carried_bit(lane));
    }

    /// A child of the innermost open instance has closed that was `whole`, or open when the burst began.
    fn note_child(&mut self, state: &mut State, whole: bool, now: u64) {
        let Some(index) = self.open.checked_sub(1) else {
            return;
        };
        let context = self.log.frames.at(index).context;
        if !self.is_loop(context) {
            return;
        }
        if whole {
            self.note_iterations(state, now);
        } else {
            let lane = tracked(self.lane_depth(index));
            let frame = self.log.frames.at(index);
            // The segment begins with the first iteration that is whole.
            forget_children(frame);
            frame.scratch[START] = now;
            if let Some(lane) = lane {
                state.b.0[lane] = state.m.0[lane];
                frame.base = state.m.0[lane].into();
            }
            state.carried &= !carried_bit(lane);
        }
    }

    /// Closes the innermost instance; `counted`: a loop that was counted in registers.
    pub(crate) fn exit_with_bursts(&mut self, state: &mut State, counted: bool) {
        self.settle(state);
        let open = self.open - 1;
        let now = self.snapshot(state);
        let depth = state.depth;
        state.depth = depth.wrapping_sub(1);
        let frame = *self.log.frames.at(open);
        let instance = self.since(state, &frame, depth, now);
        self.open = open;
        self.log.header().frames = open;
        if !is_measured(depth, &instance) {
            self.note_too_deep(open, depth + i64::from(instance.children > 0));
        }
        // One that began in native code was counted there.
        let begun = u64::from(frame.scratch[RESUMED] == 0);
        self.count_instances(frame.context, begun, now.saturating_sub(frame.work));
        let bursts = self.bursts.as_ref().map(|b| (b.on, b.begun, b.due));
        let whole =
            frame.scratch[RESUMED] == 0 && bursts.is_some_and(|(_, begun, _)| frame.work >= begun);
        self.log.frames.at(open).scratch[RESUMED] = 0;
        if let Some(bursts) = &mut self.bursts {
            bursts.outer = bursts.outer.min(open);
            bursts.leave(open, now);
        }
        let known = open < self.unknown;
        if open == self.unknown {
            self.unknown = u32::MAX;
        }
        if let Some((true, _, due)) = bursts.filter(|_| known) {
            let sampled = self.within(frame.work, now);
            self.sample_callers(frame.context, open, sampled);
            if !whole {
                self.add_segment(&frame, depth, &instance, sampled);
            } else if counted && now > due && (now - due) > instance.work / 16 {
                // Code that can be switched would have left the loop; its iterations are much the same.
                self.sample(frame.context, sampled);
                if is_measured(depth, &instance) {
                    self.add_stretch(frame.context, depth, &shortened(&instance, sampled));
                }
            } else {
                self.sample(frame.context, sampled);
                if is_measured(depth, &instance) {
                    self.add_whole(frame.context, &instance, 1);
                }
            }
        }
        self.add_to_parent(&instance, 1);
        if let Some((true, ..)) = bursts {
            self.note_child(state, whole, now);
        }
        self.check_end_of_burst(state);
    }

    /// Equal iterations of a loop that is counted in registers.
    pub(crate) fn iterations_with_bursts(
        &mut self,
        state: &State,
        context: u32,
        instance: &EndedInstance,
        count: u64,
    ) {
        let work = instance.work.wrapping_mul(count);
        self.count_instances(context, count, work);
        let bursts = self.bursts.as_ref().map(|b| (b.on, b.due));
        if let Some((true, due)) = bursts.filter(|_| self.open <= self.unknown) {
            let now = state.work.wrapping_sub(self.work_base);
            let beyond = now.saturating_sub(due).min(work);
            let unseen = match instance.work {
                0 => 0,
                one => beyond.div_ceil(one),
            };
            self.sample(context, work - beyond);
            let depth = state.depth.wrapping_add(1);
            if !is_measured(depth, instance) {
                self.note_too_deep(self.open, depth);
            } else if unseen < count {
                self.add_whole(context, instance, count - unseen);
            }
        }
        self.add_to_parent(instance, count);
        self.iterations_have_ended(state);
    }

    /// In a burst: the iterations so far of the innermost open loop are whole.
    pub(crate) fn iterations_have_ended(&mut self, state: &State) {
        if self.bursts.as_ref().is_some_and(|bursts| bursts.on) {
            let now = state.work.wrapping_sub(self.work_base);
            self.note_iterations(state, now);
        }
    }

    /// `count` instances in the innermost open one, `all` of them in the run, with constant figures.
    pub(crate) fn statics_with_bursts(
        &mut self,
        context: u32,
        instance: &EndedInstance,
        count: u64,
        all: u64,
    ) {
        let work = instance.work.wrapping_mul(all);
        self.count_instances(context, all, work);
        let on = self.bursts.as_ref().is_some_and(|bursts| bursts.on);
        if on && self.open <= self.unknown {
            let now = self.log.header().work;
            self.sample(context, self.within(now.saturating_sub(work), now));
            self.add_whole(context, instance, all);
        }
        self.add_to_parent(instance, count);
    }
}

/// The latest of the clocks.
pub(crate) fn largest(state: &State) -> u64 {
    state.m.0.iter().copied().fold(0, Tick::max).into()
}

/// The bit of [`State::carried`] that is about a loop in this lane.
fn carried_bit(lane: Option<usize>) -> u32 {
    lane.map_or(0, |lane| 2_u32.checked_shl(lane as u32).unwrap_or(0))
}

/// Whether an instance at this depth has clocks for itself and its children: others tell their number and work, and no
/// more.
fn is_measured(depth: i64, instance: &EndedInstance) -> bool {
    tracked(depth).is_some() && (instance.children == 0 || tracked(depth + 1).is_some())
}

/// A segment as its group of bursts counts it.
fn group_of(segment: &EndedInstance) -> BurstGroup {
    BurstGroup {
        segments: 1,
        segment_work: segment.work,
        segment_child_work: segment.child_work,
        segment_children: segment.children,
        segment_cp: segment.cp,
        segment_child_cp: segment.child_cp,
        segment_gap: segment.cp.saturating_sub(segment.child_cp_max),
        segment_time: segment.parallel_time(),
        ..BurstGroup::default()
    }
}

/// Forgets the children that have closed.
fn forget_children(frame: &mut OpenRegion) {
    frame.child_work = 0;
    frame.child_cp = 0;
    frame.child_cp_max = 0;
    frame.children = 0;
}

/// The beginning of a loop's instance, of this work: an estimate that takes its iterations for equal.
fn shortened(whole: &EndedInstance, work: u64) -> EndedInstance {
    let part =
        |figure: u64| (u128::from(figure) * u128::from(work) / u128::from(whole.work)) as u64;
    let longest = whole.child_cp_max.min(whole.cp);
    EndedInstance {
        work,
        cp: longest + part(whole.cp - longest),
        child_work: part(whole.child_work),
        child_cp: part(whole.child_cp),
        child_cp_max: whole.child_cp_max,
        children: part(whole.children),
        carried: whole.carried,
    }
}
