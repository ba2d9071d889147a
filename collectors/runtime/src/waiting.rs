//! How often lanes began anew, behind regions that wait (`lanes.rs`).

use parascan_abi::{LANES, State, Time};

/// Most times that lanes begin anew, one inside of the other.
const MOST: usize = 64;

/// Frames around lane 0, which wait for what a burst began in.
#[derive(Clone, Copy)]
pub(crate) struct WaitingFrames {
    /// Numbers of frames that waited and around lane 0 before, and the latest clocks of then.
    before: [(u32, u32, Time); MOST],
    count: usize,
    /// Number of frames that wait.
    waiting: u32,
    /// Number of frames around lane 0: those that wait, and those of a deep nest that have no lanes.
    lane_0: u32,
    /// Native code is about to have a function open its region.
    entered: bool,
}

impl WaitingFrames {
    pub(crate) const fn new(lane_0: u32) -> Self {
        Self {
            before: [(0, 0, Time([0; LANES])); MOST],
            count: 0,
            waiting: lane_0,
            lane_0,
            entered: false,
        }
    }

    /// Number of frames around lane 0.
    #[inline(always)]
    pub(crate) const fn lane_0(&self) -> u32 {
        self.lane_0
    }

    /// Number of frames that wait.
    #[inline(always)]
    pub(crate) const fn waiting(&self) -> u32 {
        self.waiting
    }

    /// Has so many of the frames that are about to open be without lanes. Returns whether that is a change.
    pub(crate) const fn pass_over(&mut self, frames: u32) -> bool {
        let before = core::mem::replace(&mut self.lane_0, self.waiting + frames);
        before != self.lane_0
    }

    pub(crate) const fn note_entered(&mut self) {
        self.entered = true;
    }

    /// Whether the region that is about to open is that of a function which native code calls.
    pub(crate) const fn take_entered(&mut self) -> bool {
        core::mem::replace(&mut self.entered, false)
    }

    /// Whether lanes can begin anew once more.
    pub(crate) const fn has_room(&self) -> bool {
        self.count < MOST
    }

    /// Whether lanes began anew behind all of so many open regions.
    #[inline(always)]
    pub(crate) const fn are_all(&self, open: u32) -> bool {
        self.count > 0 && open <= self.waiting
    }

    /// Has lanes begin anew behind so many frames; there must be room.
    pub(crate) const fn begin(&mut self, open: u32, clocks: Time) {
        self.before[self.count] = (self.waiting, self.lane_0, clocks);
        self.count += 1;
        self.waiting = open;
        self.lane_0 = open;
    }

    /// Has lanes begin where they did before they began anew, as they must have; gives clocks that are later than all
    /// of then.
    pub(crate) const fn end(&mut self) -> Time {
        self.count -= 1;
        let (waiting, lane_0, clocks) = self.before[self.count];
        self.waiting = waiting;
        self.lane_0 = lane_0;
        clocks
    }

    /// Clocks are about to start again: what waits has times of before.
    pub(crate) fn note_times(&mut self, state: &State) {
        if let Some((_, _, times)) = self.before[..self.count].last_mut() {
            raise(times, &state.m);
        }
    }
}

/// Has times be no earlier than others.
pub(crate) fn raise(times: &mut Time, to: &Time) {
    for (time, to) in times.0.iter_mut().zip(to.0) {
        *time = to.max(*time);
    }
}
