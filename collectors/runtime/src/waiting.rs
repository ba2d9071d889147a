//! Regions that wait, without lanes, for code in which a burst began.
//!
//! A burst tracks eight depths. Of what is open around the function that it begins in, the tracked versions of functions
//! without loops stay open for as long as they wait for what they called: `main` calls `run`, which calls `solve`. With
//! lanes for all of these nothing would be left for the loops in `solve`. So lanes begin behind them, when native code
//! calls the function ([`RegionTracker::leave_open`]), until code of theirs goes on ([`RegionTracker::settle`]): that
//! counts lanes as it did before. Since nothing else has times then, clocks may start again meanwhile; those of before
//! come back with them.

use parascan_abi::module::RegionKind;
use parascan_abi::{LANES, OVERFLOW_LIMIT, State, Time};

use crate::bursts::largest;
use crate::tracker::RegionTracker;

/// Most times that lanes begin anew, one inside of the other.
const MOST: usize = 64;

/// So many lanes are few.
const FEW: u32 = 3;

/// How often lanes began anew.
#[derive(Clone, Copy)]
pub(crate) struct WaitingFrames {
    /// Number of frames around lane 0 before, and the latest clocks of then.
    before: [(u32, Time); MOST],
    count: usize,
    /// Number of frames around lane 0.
    lane_0: u32,
    /// Native code is about to have a function open its region.
    entered: bool,
}

impl WaitingFrames {
    pub(crate) const fn new(lane_0: u32) -> Self {
        Self {
            before: [(0, Time([0; LANES])); MOST],
            count: 0,
            lane_0,
            entered: false,
        }
    }

    /// Number of frames around lane 0.
    #[inline(always)]
    pub(crate) const fn lane_0(&self) -> u32 {
        self.lane_0
    }

    pub(crate) const fn note_entered(&mut self) {
        self.entered = true;
    }

    /// Whether the region that is about to open is that of a function which native code calls.
    pub(crate) const fn take_entered(&mut self) -> bool {
        core::mem::replace(&mut self.entered, false)
    }

    /// Clocks are about to start again: what waits has times of before.
    pub(crate) fn note_times(&mut self, state: &State) {
        if let Some((_, times)) = self.before[..self.count].last_mut() {
            raise(times, &state.m);
        }
    }
}

fn raise(times: &mut Time, to: &Time) {
    for (time, to) in times.0.iter_mut().zip(to.0) {
        *time = to.max(*time);
    }
}

impl RegionTracker {
    /// Depth of a frame in lanes: below 0 around them.
    #[inline(always)]
    pub(crate) fn lane_depth(&self, index: u32) -> i64 {
        i64::from(index) - i64::from(self.waiting.lane_0)
    }

    /// Whether what is open may go without lanes: it waits for a function that native code enters. A loop could be seen
    /// iteration by iteration, in a function that has no places (`setjmp`): every other group of bursts leaves it its
    /// lanes, and all do while it takes few.
    pub(crate) fn may_leave_open(&mut self, entered: bool) -> bool {
        let Some(innermost) = self.open.checked_sub(1).filter(|_| entered) else {
            return false;
        };
        let context = self.log.frames.at(innermost).context;
        let is_function = self.log.contexts.at(context).kind == RegionKind::Function as u32;
        let waiting = &self.waiting;
        let taken = self.open.saturating_sub(waiting.lane_0);
        let turns = self.bursts.as_ref().is_some_and(|b| b.group % 2 == 1);
        (is_function || (taken > FEW && turns))
            && self.folded == 0
            && taken > 0
            && waiting.count < MOST
    }

    /// Has lanes begin behind what is open.
    pub(crate) fn leave_open(&mut self, state: &mut State) {
        let waiting = &mut self.waiting;
        waiting.before[waiting.count] = (waiting.lane_0, state.m);
        waiting.count += 1;
        waiting.lane_0 = self.open;
        self.count_lanes(state);
    }

    /// Something happens that is not the entry of a function from native code: if nothing is open in lanes, it is code
    /// around them that goes on.
    #[inline(always)]
    pub(crate) fn settle(&mut self, state: &mut State) {
        while self.waiting.count > 0 && self.open <= self.waiting.lane_0 {
            self.go_on(state);
        }
    }

    /// Has what waited go on: with its lanes, from clocks on that are later than all that it has times of.
    #[cold]
    fn go_on(&mut self, state: &mut State) {
        let now = state.work.wrapping_sub(self.work_base);
        if let Some(bursts) = self.bursts.as_mut().filter(|bursts| bursts.on) {
            bursts.due = bursts.due.min(now);
            bursts.until = 0;
            self.end_burst(state, now);
        }
        let waiting = &mut self.waiting;
        waiting.count -= 1;
        let (lane_0, times) = waiting.before[waiting.count];
        waiting.lane_0 = lane_0;
        raise(&mut state.m, &times);
        self.next_check = 0;
        let room = OVERFLOW_LIMIT.saturating_sub(largest(state));
        if let Some(bursts) = &mut self.bursts {
            bursts.room = room;
        }
        self.count_lanes(state);
        self.raise_bases(state, now);
    }

    fn count_lanes(&self, state: &mut State) {
        state.outer = self.waiting.lane_0.into();
        state.depth = self.base_depth() + i64::from(self.open) + self.folded as i64;
    }
}
