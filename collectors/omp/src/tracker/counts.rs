//! What counters count at each node: where that is wanted, a thread reads its counters whenever it comes to another
//! node, and what they counted since the reading before belongs to the node that it was at.
//!
//! A reading comes some hundred nanoseconds behind the moment up to which time is charged, so it holds a little of what
//! comes next. Of counters that count time, a node gets no more than the time that it was charged, and the next one the
//! rest: so no thread has more processor time at a node than time.
//!
//! A worker's stay in a region is ended by its leader, who reads what can be read from outside (processor time and what
//! was asked for). Faults and switches of a worker that waits there belong to no node.

use parascan_abi::omp::{COUNTERS, COUNTS};

use super::{ThreadTracker, add};
use crate::counters::{self, Reading};
use crate::recording;

/// How far a thread's counters were charged to nodes.
#[derive(Debug)]
pub(super) struct ChargedCounts {
    /// Whether that is wanted at all.
    wanted: bool,
    /// Bits of the counters that count time.
    times: u64,
    /// As they were last read.
    last: [u64; COUNTERS],
    /// What was read and not charged yet.
    rest: [u64; COUNTERS],
    /// Ticks up to which time was charged at the last reading.
    since: u64,
}

impl ChargedCounts {
    /// Of a thread that was first seen at `now`.
    pub(super) fn new(now: u64) -> Self {
        Self {
            wanted: counters::of_regions(),
            times: counters::times(),
            last: [0; COUNTERS],
            rest: [0; COUNTERS],
            since: now,
        }
    }

    /// Takes a reading at the end of a stretch of so many nanoseconds, and returns how much was counted in that
    /// stretch.
    fn take(&mut self, reading: &Reading, nanoseconds: u64) -> [u64; COUNTERS] {
        let mut charged = [0; COUNTERS];
        for (index, charged) in charged.iter_mut().enumerate() {
            let (last, rest) = (&mut self.last[index], &mut self.rest[index]);
            if reading.known & 1 << index != 0 {
                *rest += reading.values[index].saturating_sub(*last);
                *last = reading.values[index].max(*last);
            }
            *charged = if self.times & 1 << index != 0 {
                (*rest).min(nanoseconds)
            } else {
                *rest
            };
            *rest -= *charged;
        }
        charged
    }

    /// What was counted up to this reading belongs to no node.
    fn skip(&mut self, reading: &Reading, now: u64) {
        self.take(reading, 0);
        self.rest = [0; COUNTERS];
        self.since = now;
    }
}

impl ThreadTracker {
    /// The thread's time was charged, and now it comes to another node.
    #[inline]
    pub fn count_up(&mut self) {
        // Twice at one moment, there is nothing between.
        if !self.counts.wanted || self.since == self.counts.since {
            return;
        }
        let reading = if self.accounted {
            Reading::default()
        } else {
            self.published.counters.own()
        };
        self.charge_counts(&reading);
    }

    /// Another thread ends the stay of this one.
    pub(super) fn count_up_from_outside(&mut self) {
        if self.counts.wanted {
            let reading = self.published.counters.read();
            self.charge_counts(&reading);
        }
    }

    /// What was counted up to now belongs to no node.
    pub(super) fn count_from_here(&mut self) {
        if self.counts.wanted {
            let reading = self.published.counters.own();
            self.counts.skip(&reading, self.since);
        }
    }

    fn charge_counts(&mut self, reading: &Reading) {
        let ticks = self.since.saturating_sub(self.counts.since);
        self.counts.since = self.since;
        let charged = self.counts.take(reading, recording::nanoseconds(ticks));
        // SAFETY: records live as long as the process.
        let Some(record) = (unsafe { self.frames[self.depth].record.as_ref() }) else {
            return;
        };
        for (figure, charged) in record.figures[COUNTS..].iter().zip(charged) {
            if charged > 0 {
                add(figure, charged);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use parascan_abi::omp::COUNTERS;
    use proptest::prelude::*;

    use super::ChargedCounts;
    use crate::counters::Reading;

    fn counts(times: u64) -> ChargedCounts {
        ChargedCounts {
            wanted: true,
            times,
            last: [0; COUNTERS],
            rest: [0; COUNTERS],
            since: 0,
        }
    }

    fn reading(known: u64, values: [u64; 2]) -> Reading {
        let mut reading = Reading {
            known,
            ..Reading::default()
        };
        reading.values[..2].copy_from_slice(&values);
        reading
    }

    #[test]
    fn time_that_was_read_too_late_is_the_next_nodes() {
        let mut counts = counts(1);
        let mut take = |known, values, time| {
            let charged = counts.take(&reading(known, values), time);
            (charged[0], charged[1])
        };
        // Works for 100, is read 20 later; faults have no length.
        assert_eq!(take(3, [120, 5], 100), (100, 5));
        // Waits for 50 without a processor.
        assert_eq!(take(3, [120, 5], 50), (20, 0));
        // Faults are not known here, and come with the next reading.
        assert_eq!(take(1, [150, 0], 30), (30, 0));
        assert_eq!(take(3, [150, 9], 10), (0, 4));
        // A clock that seems to go back counts nothing twice.
        assert_eq!(take(1, [140, 0], 10), (0, 0));
        assert_eq!(take(1, [155, 0], 10), (5, 0));
        counts.skip(&reading(3, [900, 80]), 7);
        assert_eq!(counts.take(&reading(3, [901, 81]), 10)[..2], [1, 1]);
    }

    proptest! {
        /// Whatever is read when: a node never has more time than it was charged, nothing is charged twice, and what is
        /// missing at the end was read behind the last moment.
        #[test]
        fn no_more_processor_time_than_time(
            steps in prop::collection::vec((0u64..1000, 0u64..1000, 0u64..100), 1..100),
        ) {
            let mut counts = counts(1);
            let (mut spent, mut charged, mut late, mut before) = (0, 0, 0, 0);
            for (time, share, delay) in steps {
                // Some of the stretch, all of what passed until the reading.
                spent += (time.saturating_sub(before)) * share / 1000 + delay;
                before = delay;
                let one = counts.take(&reading(1, [spent, 0]), time)[0];
                prop_assert!(one <= time);
                charged += one;
                late += delay;
            }
            prop_assert!(charged <= spent && spent - charged <= late);
        }
    }
}
