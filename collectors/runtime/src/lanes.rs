//! Where lanes begin: behind regions that wait for code in which a burst began.
//!
//! A burst tracks eight depths. Of what is open around the function that it begins in, the tracked versions of
//! functions without loops stay open for as long as they wait for what they called: `main` calls `run`, which calls
//! `solve`. With lanes for all of these nothing would be left for the loops in `solve`. So lanes begin behind them,
//! when native code calls the function ([`RegionTracker::leave_open`]), until code of theirs goes on
//! ([`RegionTracker::settle`]): that counts lanes as it did before. Since nothing else has times then, clocks may start
//! again meanwhile; those of before come back with them.
//!
//! A nest of loops in one function may be deeper than lanes go by itself, or with that in a function that it calls.
//! Where a burst found something in it that lay too deep, the next one that begins with this function leaves as many of
//! its outer levels without lanes ([`RegionTracker::choose_lanes`]).

use parascan_abi::module::RegionKind;
use parascan_abi::{LANES, OVERFLOW_LIMIT, State};

use crate::bursts::largest;
use crate::log::Log;
use crate::tracker::RegionTracker;
use crate::waiting::raise;

/// So many lanes are few.
const FEW: u32 = 3;

impl RegionTracker {
    /// Depth of a frame in lanes: below 0 around them.
    #[inline(always)]
    pub(crate) fn lane_depth(&self, index: u32) -> i64 {
        i64::from(index) - i64::from(self.waiting.lane_0())
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
        let taken = self.open.saturating_sub(self.waiting.waiting());
        let turns = self.bursts.as_ref().is_some_and(|b| b.group % 2 == 1);
        (is_function || (taken > FEW && turns))
            && self.folded == 0
            && taken > 0
            && self.waiting.has_room()
    }

    /// Has lanes begin behind what is open.
    pub(crate) fn leave_open(&mut self, state: &mut State) {
        self.waiting.begin(self.open, state.m);
        self.count_lanes(state);
    }

    /// A burst is about to begin, with `entered` if a function is entered from native code: chooses where its lanes
    /// begin.
    pub(crate) fn choose_lanes(&mut self, state: &mut State, entered: Option<u32>) {
        let Some(bursts) = self.bursts.as_mut() else {
            return;
        };
        if self.open != self.waiting.waiting() || self.folded != 0 {
            return;
        }
        let lacking = match bursts.too_deep {
            (function, levels) if levels > 0 && entered == Some(function) => {
                bursts.too_deep = (0, 0);
                levels
            }
            _ => 0,
        };
        if self.waiting.pass_over(lacking) {
            self.count_lanes(state);
        }
    }

    /// A loop or an iteration has closed, frame `index`, that was not measured since lanes were missing down to
    /// `depth`: if it is of the nest of loops that the burst began with, or of a function called there, in which bursts
    /// may never begin, the next one may see it.
    #[cold]
    pub(crate) fn note_too_deep(&mut self, index: u32, depth: i64) {
        const DEEPEST: i64 = 2 * LANES as i64;
        let (from, lanes) = (self.waiting.waiting(), LANES as i64);
        let near = (lanes..DEEPEST).contains(&depth);
        if !near || index <= from || !self.bursts.as_ref().is_some_and(|b| b.on) {
            return;
        }
        let function = self.log.frames.at(from).region;
        let is_function = |log: &mut Log, index: u32| {
            let context = log.frames.at(index).context;
            log.contexts.at(context).kind == RegionKind::Function as u32
        };
        let log = &mut self.log;
        let called = (from + 1..index).filter(|&i| is_function(log, i)).count();
        let in_nest = is_function(log, from) && called <= 1;
        let passed_over = self.waiting.lane_0() - from;
        if let Some(bursts) = self.bursts.as_mut().filter(|_| in_nest) {
            let lacking = passed_over + (depth - lanes + 1) as u32;
            let before = match bursts.too_deep {
                (of, levels) if of == function => levels,
                _ => 0,
            };
            bursts.too_deep = (function, before.max(lacking));
        }
    }

    /// Something happens that is not the entry of a function from native code: if nothing is open in lanes, it is code
    /// around them that goes on.
    #[inline(always)]
    pub(crate) fn settle(&mut self, state: &mut State) {
        while self.waiting.are_all(self.open) {
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
        raise(&mut state.m, &self.waiting.end());
        self.next_check = 0;
        let room = OVERFLOW_LIMIT.saturating_sub(largest(state));
        if let Some(bursts) = &mut self.bursts {
            bursts.room = room;
        }
        self.count_lanes(state);
        self.raise_bases(state, now);
    }

    fn count_lanes(&self, state: &mut State) {
        state.outer = self.waiting.lane_0().into();
        state.depth = self.base_depth() + i64::from(self.open) + self.folded as i64;
    }
}
