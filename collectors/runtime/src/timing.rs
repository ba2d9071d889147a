//! When bursts begin and end: the one that goes on, the one that is due next, and the beginning of the run.

use parascan_abi::OVERFLOW_LIMIT;

use crate::growth::{self, Growth};
use crate::schedule::{InterruptPace, NextMode, Schedule, clock};
use crate::sys;

/// What lies between two bursts that take so much each, of which `share` thousandths of the run are wanted, and
/// `thinning` times as little there is room for.
fn apart(each: u64, share: u64, thinning: u64) -> u64 {
    let whole = u128::from(thinning) * 1000;
    let gap = u128::from(each) * (whole - u128::from(share)) / u128::from(share);
    u64::try_from(gap).unwrap_or(u64::MAX)
}

/// The bursts of a run.
pub(crate) struct BurstTiming {
    pub(crate) schedule: Schedule,
    random: u64,
    pub(crate) on: bool,
    /// Whether this is the first burst, from the program's beginning on, or one of those that are for the rest of the
    /// beginning's time, where that ended for another reason. It is no sample.
    pub(crate) first: bool,
    /// Whether the burst that goes on, or is due, is for a loop of which native code has seen no instance, and which
    /// may take long: nothing would be known of one that runs once. It is no sample.
    pub(crate) glance: bool,
    /// Clocks were full, or all the time is over for which bursts were wanted: none begins any more.
    pub(crate) ended: bool,
    /// Bursts so far modulo [`GROUPS`](parascan_abi::log::GROUPS).
    pub(crate) group: usize,
    /// Work at which the burst began that goes on.
    pub(crate) begun: u64,
    /// Work at which the next burst is due to begin, or this one to end.
    pub(crate) due: u64,
    /// Work at which this one ends if it is prolonged, else 0; the frame of the loop for whose sake it is, and how many
    /// of its iterations are enough.
    pub(crate) until: u64,
    pub(crate) target: u32,
    pub(crate) wanted: u64,
    /// Fewest regions that were open in this burst: native code may lie around those that are opened beyond.
    pub(crate) outer: u32,
    /// The processor's clock when native callers were last looked for between bursts.
    pub(crate) looked: u64,
    /// What bursts were prolonged by.
    pub(crate) prolonged: u64,
    /// The processor's clock when the run began.
    pub(crate) started: u64,
    /// Clocks' time until they are full, when the last burst ended.
    pub(crate) room: u64,
    /// First context that this burst has seen, plus one; they are chained.
    pub(crate) seen: u64,
    /// Frames that are left of those that were open when the last burst ended: tracked code goes on in them up to their
    /// next place.
    pub(crate) behind: u32,
    /// The function, as a region, that bursts were last entered with and in whose nest of loops something lay too deep
    /// for lanes, and by how many.
    pub(crate) too_deep: (u32, u32),
    /// Whether native code has asked for the burst that is due, or that goes on: what begins in frames of an earlier
    /// one is a part of that one's tail.
    pub(crate) asked: bool,
    /// Work up to which what tracked code does behind the last burst's end is counted.
    pub(crate) tail: u64,
    pub(crate) pace: InterruptPace,
    pub(crate) growth: Growth,
}

impl BurstTiming {
    pub(crate) fn new(schedule: Schedule) -> Self {
        Self {
            schedule,
            // Seeds differ in few bits, and none may give 0.
            random: schedule.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            on: false,
            first: true,
            glance: false,
            ended: false,
            group: 0,
            begun: 0,
            due: 0,
            until: 0,
            target: 0,
            wanted: 0,
            outer: 0,
            looked: 0,
            prolonged: 0,
            started: clock(),
            room: OVERFLOW_LIMIT,
            seen: 0,
            behind: 0,
            too_deep: (0, 0),
            asked: true,
            tail: 0,
            pace: InterruptPace::default(),
            growth: Growth::default(),
        }
    }

    /// The first burst has begun with the program.
    pub(crate) fn from_the_beginning(schedule: Schedule) -> Self {
        let new = Self::new(schedule);
        Self {
            on: true,
            pace: InterruptPace {
                begun: clock(),
                ..new.pace
            },
            ..new
        }
    }

    /// The beginning is over after so much work: the first burst goes on for a tenth of its length, if clocks have room
    /// for that.
    pub(crate) fn go_on_after(&mut self, now: u64, room: u64) {
        self.room = room;
        self.due = now.saturating_add((now / 9).min(self.limit()));
    }

    /// Work at which the burst began that goes on.
    #[cfg(test)]
    pub(crate) fn current(&self) -> Option<u64> {
        self.on.then_some(self.begun)
    }

    /// A burst of `units` of work is over, `prolonged` of which came on top: says for how many checks native code is
    /// left alone.
    pub(crate) fn rest(&mut self, units: u64, prolonged: u64) -> NextMode {
        let (now, random, thinning) = (clock(), self.next(), self.thinning());
        // For the rest of the beginning's time half of the run is tracked.
        let first = core::mem::replace(&mut self.first, self.schedule.is_early());
        if core::mem::take(&mut self.glance) {
            // The next one is due when it was to be.
            self.asked = false;
            let pace = &mut self.pace;
            pace.count_glance(now);
            return pace.wait(pace.gap, 0);
        }
        let Schedule { share, .. } = self.schedule;
        let share = if self.first { share.max(500) } else { share };
        let nominal = self.schedule.mean();
        let asked = core::mem::take(&mut self.asked);
        let pace = &mut self.pace;
        let cost = now.wrapping_sub(pace.begun);
        pace.count(cost, units, asked);
        pace.ended = now;
        if !first && asked {
            let plain = u128::from(cost) * u128::from(units - prolonged) / u128::from(units.max(1));
            pace.later += plain as u64;
            pace.bursts += 1;
        }
        // What there was so far may be the next one's reason to wait, and no more than that.
        let expected = match self.first && pace.all > 1 {
            true => cost,
            false => pace.mean_cost(nominal).min(pace.spent),
        };
        let gap = apart(expected, share, thinning);
        // One that began early leaves the next where it was to be.
        let early = core::mem::take(&mut pace.early);
        pace.gap = (gap / 2 + random % gap.max(1)).saturating_add(early);
        pace.wait(pace.gap, 0)
    }

    /// So many frames are left: what they did in tracked code since the burst ended is the burst's, if it has ended.
    /// What functions without a native version do when native code calls them is not.
    pub(crate) fn leave(&mut self, frames: u32, now: u64) {
        if frames < self.behind && !self.on {
            self.count_tail(now);
            self.behind = frames;
        }
    }

    /// What frames of the last burst did since its end is the burst's, if there are any.
    pub(crate) fn count_tail(&mut self, now: u64) {
        if self.behind > 0 {
            self.pace.count_tail(now.saturating_sub(self.tail), clock());
            self.tail = now;
        }
    }

    /// Share of the time so far that bursts took.
    pub(crate) fn share_of_time(&self) -> f64 {
        let all = self.pace.ended.wrapping_sub(self.started);
        self.pace.spent as f64 / all.max(1) as f64
    }

    /// A random number (xorshift*).
    pub(crate) fn next(&mut self) -> u64 {
        let mut x = self.random;
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        self.random = x;
        x.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    /// A length: every one as often as makes it an equal share of the work.
    pub(crate) fn choose_length(&mut self) -> u64 {
        let schedule = self.schedule;
        let mut choice = self.next() % schedule.weights();
        for length in schedule.lengths {
            let weight = schedule.weight(length);
            if choice < weight {
                return length;
            }
            choice -= weight;
        }
        schedule.longest()
    }

    /// Mean work between two bursts. It does not depend on their lengths, so that every moment is as likely to be seen
    /// as another.
    pub(crate) fn gap(&self) -> u64 {
        apart(self.schedule.mean(), self.schedule.share, self.thinning())
    }

    /// How many times as rare bursts are as they would be if clocks were never full: twice whenever half of what was
    /// left of them is used.
    fn thinning(&self) -> u64 {
        OVERFLOW_LIMIT / self.room.max(1)
    }

    /// Whether another one may begin: not where clocks are full, or behind the time for which all is tracked.
    pub(crate) fn may_begin(&mut self) -> bool {
        self.ended |= self.schedule.is_over();
        !self.ended
    }

    /// Cycles that are left for looking at loops because they are new: of a quarter of the share of bursts.
    fn left_for_glances(&self, now: u64) -> Option<u64> {
        let all = u128::from(now.wrapping_sub(self.started)) * u128::from(self.schedule.share);
        u64::try_from(all / 4000)
            .ok()?
            .checked_sub(self.pace.glances)
    }

    /// Whether a loop may be looked at because it is new.
    pub(crate) fn may_glance(&self, now: u64) -> bool {
        self.left_for_glances(now).is_some()
    }

    /// How long it is looked at: the longest of the lengths of which there is time for eight, or the shortest.
    pub(crate) fn glance_length(&self, now: u64) -> u64 {
        let room = self.left_for_glances(now).unwrap_or(0) / 8;
        self.schedule.longest_within(self.pace.units_in(room))
    }

    /// How long a burst may be, lest clocks are full before it ends.
    pub(crate) fn limit(&self) -> u64 {
        self.room / 8
    }
}

/// Clocks' time after which the beginning is over: there is room for many bursts then. The same of one that is as long
/// as clocks allow.
const FAR: u64 = OVERFLOW_LIMIT / 2;
const FARTHEST: u64 = OVERFLOW_LIMIT / 8 * 7;

/// What waits for the beginning's end.
pub(crate) struct Beginning {
    pub(crate) bursts: BurstTiming,
    pub(crate) over: bool,
    /// Whether only clocks end it.
    pub(crate) endless: bool,
    /// Work before which clocks are not far: they grow no faster.
    near: u64,
    /// Work and the thread's processor time in milliseconds at which it is over.
    due: (u64, u64),
}

impl Beginning {
    pub(crate) fn new(schedule: Schedule) -> Self {
        let (work, milliseconds) = schedule.beginning();
        Self {
            bursts: BurstTiming::from_the_beginning(schedule),
            over: false,
            endless: schedule.is_endless(),
            near: 0,
            due: (
                work,
                milliseconds.saturating_add(sys::thread_milliseconds()),
            ),
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over
    }

    /// Looks whether it is over.
    pub(crate) fn look(&mut self, now: u64, clocks: u64) {
        if self.over {
            return;
        }
        if self.endless {
            self.over = clocks >= FARTHEST;
            self.near = now.saturating_add(FARTHEST.saturating_sub(clocks));
            return;
        }
        let growth = &mut self.bursts.growth;
        // Now and then: system calls.
        let looks = now >= growth.due();
        let far = looks && growth.is_too_far(now, growth::MOST / 4 * 3);
        let late = looks && sys::thread_milliseconds() >= self.due.1;
        self.over = far || late || now >= self.due.0 || clocks >= FAR;
    }

    /// Work at which to look again.
    pub(crate) fn next(&self) -> u64 {
        match self.over {
            true => 0,
            false if self.endless => self.near,
            false => self.due.0.min(self.bursts.growth.due()),
        }
    }
}
