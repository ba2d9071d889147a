//! How far a thread is behind, because it or those for which it waited had no processor.
//!
//! A thread that works without a processor comes later to whatever follows; so do those that wait for it. Each thread
//! keeps how many ticks it is *behind* the moment at which it would be where it is, had all threads always had a
//! processor:
//!
//! * without a processor at work, coming to a region or leaving a wait that is over, it falls behind by as much;
//! * a barrier opens with the last thread, and would have opened with the last of the moments at which threads would
//!   have come; behind it, everybody is behind by the difference;
//! * who waits for a mutex is, when it comes free, as far behind as its holder was, at most by the length of the wait
//!   further than before.
//!
//! What a wait adds to that is [`HELD_UP`], what it takes off is [`SPARED`].

use parascan_abi::omp::{HELD_UP, SPARED};

use super::{ThreadTracker, add};
use crate::locks;

/// What a thread knows of its delays, in ticks.
#[derive(Debug, Default)]
pub struct Delays {
    /// How far it is behind.
    pub behind: u64,
    /// Of the stretch that is charged next: for how long that for which it waited had come. 0: not known.
    over: u64,
    /// Of the stretch that was charged last: how much of that it had no processor for.
    pub late: u64,
    /// Barriers that it met in its region.
    pub barriers: u32,
}

impl Delays {
    /// For how long that for which the thread waited had come, once.
    #[inline]
    pub fn take_over(&mut self) -> u64 {
        std::mem::take(&mut self.over)
    }
}

impl ThreadTracker {
    /// How far the thread is behind.
    pub fn behind(&self) -> u64 {
        self.delays.behind
    }

    /// The thread came to the next barrier of its region.
    pub fn arrive(&mut self, now: u64) {
        self.delays.barriers = self.delays.barriers.wrapping_add(1);
        self.arrive_again(now);
    }

    /// The thread is in a barrier and has ended a task there at `now`, in ticks.
    pub fn arrive_again(&self, now: u64) {
        // SAFETY: teams are never freed.
        if let Some(team) = unsafe { self.frames[self.depth].team.as_ref() } {
            let expected = now.saturating_sub(self.delays.behind);
            team.arrive(self.delays.barriers, now, expected);
        }
    }

    /// The thread leaves its barrier at `now`, in ticks.
    pub fn depart(&mut self, now: u64) {
        // SAFETY: teams are never freed.
        let Some(team) = (unsafe { self.frames[self.depth].team.as_ref() }) else {
            return;
        };
        let (opened, expected) = team.opened(self.delays.barriers);
        if opened > 0 {
            self.depart_at(now, opened, expected);
        }
    }

    /// It leaves a wait that was over at `opened`, and would have been at `expected`.
    pub(super) fn depart_at(&mut self, now: u64, opened: u64, expected: u64) {
        // Clocks of processors may differ a little.
        let (opened, expected) = (opened.min(now), expected.min(now));
        let late = self.charge_wait(now, opened);
        self.fall_behind(opened - expected + late);
    }

    /// Charges a wait that was over at `over`; gives the ticks from then on that the thread had no processor for.
    pub(super) fn charge_wait(&mut self, now: u64, over: u64) -> u64 {
        self.delays.over = now.saturating_sub(over.max(self.since));
        self.delays.late = 0;
        self.charge(now);
        std::mem::take(&mut self.delays.late)
    }

    /// A wait ended, and now the thread is behind by so much.
    pub fn fall_behind(&mut self, behind: u64) {
        let before = std::mem::replace(&mut self.delays.behind, behind);
        if before == behind || self.beyond > 0 {
            return;
        }
        // SAFETY: records live as long as the process.
        if let Some(record) = unsafe { self.frames[self.depth].record.as_ref() } {
            match behind.checked_sub(before) {
                Some(more) => add(&record.figures[HELD_UP], more),
                None => add(&record.figures[SPARED], before - behind),
            }
        }
    }

    /// The thread has got a mutex at `now`, in ticks, for which it waited since its last event.
    pub fn obtain(&mut self, now: u64, mutex: u64) {
        let Some((released, holder)) = locks::obtain(mutex, self.number) else {
            return;
        };
        let since = self.since;
        let released = released.min(now);
        let late = self.charge_wait(now, released);
        let before = self.delays.behind;
        let behind = if released > since {
            let wait = released - since + late;
            (holder + late).min(before + wait).max(before)
        } else {
            before + late
        };
        self.fall_behind(behind);
    }

    /// The thread has given a mutex back at `now`, in ticks.
    pub fn give_back(&mut self, now: u64, mutex: u64) {
        self.charge(now);
        locks::give_back(mutex, self.number, now, self.delays.behind);
    }
}
