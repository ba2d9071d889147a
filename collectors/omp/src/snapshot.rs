//! Cuts the run into intervals: at boundaries of the initial thread, what all threads added since the last cut.
//!
//! A node whose visits are many is cut at every second, fourth, ... visit only, so that the number of cuts grows with
//! the logarithm of the visits. A node whose visits are so short that cutting would take a noticeable part of the run
//! is thinned as well, after its first [`FREE`] visits, to [`KEPT`] cuts. Readers thin what was written before to the
//! same stride.
//!
//! Threads that work while a cut is made are counted up to their last event; nothing is lost, it comes with the next
//! cut. Their counters are read at the cut, whatever they do ([`PublishedThread::read`]). Where the thread that cuts
//! loses its processor on the way there, they belong to no moment close to the cut, and are not known at it.

use std::sync::atomic::Ordering::{Acquire, Relaxed};

use parascan_abi::omp::{ASKED_COUNTERS, COUNTERS, COUNTS, FIGURES, Snapshot, kind};

use crate::counters::{PLAIN, Reading, of_regions};
use crate::log::{self, Appender};
use crate::published::{self, PublishedThread};
use crate::{clock, recording};

/// Visits of a node that are cut whatever it costs.
const FREE: u64 = 128;
/// Cuts of a node that are kept, at least half of them, whatever they cost: what short runs have of phases. As their
/// distance doubles, the price of that grows with the logarithm of the visits.
const KEPT: u64 = 64;
/// A node's cuts may take this part of the time between them.
const SHARE: u64 = 1024;
/// Counters are those of a cut when they were read within so many ticks of it, and so many more for each.
const LATE: u64 = 1 << 16;
const LATE_EACH: u64 = 1 << 13;
/// Ticks between two readings of both clocks.
const CALIBRATION: u64 = 1 << 25;

/// The maker of snapshots, in the initial thread.
#[derive(Debug)]
pub struct Driver {
    mirrors: Vec<WrittenState>,
    nodes: Vec<Stride>,
    log: Appender,
    words: Vec<u64>,
    readings: Vec<Option<Reading>>,
    /// Bytes of all cuts.
    written: u64,
    /// Ticks that a cut takes; see [`Driver::learn`].
    cost: u64,
    calibrated: u64,
}

/// What of a thread was written already.
#[derive(Debug, Default)]
struct WrittenState {
    last: u64,
    records: Vec<[u64; FIGURES]>,
    counters: [u64; COUNTERS],
    /// It has ended without saying so.
    gone: bool,
}

/// How densely a node is cut.
#[derive(Clone, Copy, Debug)]
struct Stride {
    stride: u64,
    /// Cuts that a reader will keep.
    cuts: u64,
    last: u64,
}

impl Driver {
    /// What is known of snapshots at the start of a run, when there is none.
    pub fn new() -> Self {
        Self {
            mirrors: Vec::new(),
            nodes: Vec::new(),
            log: Appender::new(kind::SNAPSHOTS, 0),
            words: Vec::new(),
            readings: Vec::new(),
            written: 0,
            cost: 0,
            calibrated: 0,
        }
    }

    /// Whether this visit of a node is a boundary.
    #[inline]
    pub fn wants(&mut self, now: u64, node: u32, visit: u64) -> bool {
        let index = node as usize;
        if index >= self.nodes.len() {
            let fresh = Stride {
                stride: 1,
                cuts: 0,
                last: 0,
            };
            self.nodes.resize((index + 1).next_power_of_two(), fresh);
        }
        let limit = self.per_node();
        let entry = &mut self.nodes[index];
        if (visit - 1) & (entry.stride - 1) != 0 {
            return false;
        }
        let costly = visit > FREE
            && entry.cuts >= KEPT
            && now.saturating_sub(entry.last) < SHARE.saturating_mul(self.cost);
        if entry.cuts >= limit || costly {
            entry.stride *= 2;
            entry.cuts /= 2;
            if (visit - 1) & (entry.stride - 1) != 0 {
                return false;
            }
        }
        entry.cuts += 1;
        entry.last = now;
        true
    }

    /// Cuts at a node before its stride doubles: fewer when many threads and nodes make cuts large.
    fn per_node(&self) -> u64 {
        const MEGABYTE: u64 = 1 << 20;
        match self.written / MEGABYTE {
            0..32 => 512,
            32..128 => 128,
            _ => 16,
        }
    }

    /// Writes a snapshot of all threads at the time `now`, in ticks.
    pub fn cut(&mut self, now: u64, boundary: u32, node: u32, visit: u64) {
        self.words.clear();
        self.readings.clear();
        let own = |number: u64, thread: Option<&PublishedThread>| Some(thread?.read(number == 0));
        let readings = (0u64..).zip(published::all());
        self.readings
            .extend(readings.map(|(number, thread)| own(number, thread)));
        let read = clock::now().saturating_sub(now);
        let each = self.readings.len() * (1 + ASKED_COUNTERS);
        let late = read > LATE + LATE_EACH * each as u64;
        let mut parts = 0;
        for (number, thread) in (0u64..).zip(published::all()) {
            let Some(thread) = thread else { continue };
            let index = number as usize;
            if index >= self.mirrors.len() {
                self.mirrors.resize_with(index + 1, WrittenState::default);
            }
            parts += self.mirrors[index].news(number, thread, &mut self.words);
        }
        let mut counters = 0;
        // Threads that came since the loops above have their turn with the next cut.
        for ((number, reading), mirror) in (0u64..).zip(&self.readings).zip(&mut self.mirrors) {
            let Some(reading) = reading else { continue };
            mirror.counter_news(number, reading, late, &mut self.words);
            counters += 1;
        }
        let header = Snapshot {
            time: now,
            boundary,
            node,
            visit,
            parts,
            counters,
            read,
        };
        let length = size_of::<Snapshot>() + 8 * self.words.len();
        self.written += length as u64;
        if let Some(room) = self.log.room(length, 8) {
            // SAFETY: the room has the length, is aligned to 8 bytes and nobody else's.
            unsafe {
                let at = room.at();
                at.cast::<Snapshot>().write(header);
                at.add(size_of::<Snapshot>())
                    .cast::<u64>()
                    .copy_from_nonoverlapping(self.words.as_ptr(), self.words.len());
            }
            room.publish();
        }
        if let Some(log) = log::header() {
            log.end.store(now, Relaxed);
            if now.saturating_sub(self.calibrated) > CALIBRATION {
                self.calibrated = now;
                recording::calibrate(log);
            }
        }
        self.learn(clock::now().saturating_sub(now));
    }

    /// A cut took so long: the cost is a mean of the last ones, in which no cut counts more than twice the mean so far.
    /// One during which the thread lost its processor says little of the next.
    fn learn(&mut self, took: u64) {
        self.cost = match self.cost {
            0 => took,
            cost => (7 * cost + took.min(2 * cost)) / 8,
        };
    }
}

impl WrittenState {
    /// Writes what changed in a thread's records.
    fn news(&mut self, number: u64, thread: &PublishedThread, words: &mut Vec<u64>) -> u32 {
        let used = if of_regions() { FIGURES } else { COUNTS };
        let last = thread.entry.last.load(Acquire);
        if last == self.last {
            return 0;
        }
        self.last = last;
        let mut parts = 0;
        let mut index = 0;
        thread.each_record(|record| {
            if index == self.records.len() {
                self.records.push([0; FIGURES]);
            }
            let old = &mut self.records[index];
            index += 1;
            let start = words.len();
            let mut mask = 0u64;
            let both = record.figures[..used].iter().zip(old.iter_mut());
            for (bit, (figure, old)) in both.enumerate() {
                let new = figure.load(Relaxed);
                if new != *old {
                    if mask == 0 {
                        words.push(number << 32 | u64::from(record.node.load(Relaxed)));
                        words.push(0);
                    }
                    mask |= 1 << bit;
                    words.push(new.wrapping_sub(*old));
                    *old = new;
                }
            }
            if mask != 0 {
                words[start + 1] = mask;
                parts += 1;
            }
        });
        parts
    }

    /// Writes what a thread's counters counted.
    fn counter_news(&mut self, number: u64, reading: &Reading, late: bool, words: &mut Vec<u64>) {
        let mut known = reading.known;
        // There is no clock of a thread that has ended; what it did last is in nobody's hands, and then it does no
        // more.
        let gone = known & 1 == 0;
        if gone && self.gone {
            known |= PLAIN;
        }
        self.gone = gone;
        if late {
            known = 0;
        }
        words.push(number);
        let start = words.len();
        words.push(known << 32);
        for (bit, (new, old)) in reading.values.iter().zip(&mut self.counters).enumerate() {
            if *new > *old {
                words[start] |= 1 << bit;
                words.push(new - *old);
                *old = *new;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Driver;

    #[test]
    fn one_dear_cut_does_not_thin_the_others() {
        let mut driver = Driver::new();
        let mut kept = 0;
        for visit in 1..=400u64 {
            // A visit takes 4000 cuts' time; during one cut the thread waits for its processor.
            let now = visit * 400_000;
            if driver.wants(now, 0, visit) {
                kept += 1;
                driver.learn(if visit == 200 { 50_000_000 } else { 100 });
            }
        }
        assert_eq!(kept, 400);
    }

    #[test]
    fn nodes_whose_cuts_are_dear_are_thinned() {
        let mut driver = Driver::new();
        let kept = (1..=400u64)
            .filter(|&visit| {
                let wanted = driver.wants(visit * 1000, 0, visit);
                if wanted {
                    driver.learn(100);
                }
                wanted
            })
            .count();
        // The first 128 visits, and then fewer and fewer.
        assert!((128..200).contains(&kept), "{kept}");
    }

    /// Of 60 V-cycles that enter a node four times each, within less than a cut may cost in all.
    #[test]
    fn nodes_whose_cuts_are_dear_keep_some() {
        let mut driver = Driver::new();
        for visit in 1..=240u64 {
            if driver.wants(visit * 1000, 0, visit) {
                driver.learn(100);
            }
        }
        assert_eq!(driver.nodes[0].stride, 4);
        for visit in 241..=100_000u64 {
            if driver.wants(visit * 1000, 0, visit) {
                driver.learn(100);
            }
        }
        // By then they are as far apart as they may cost.
        let wanted = driver.nodes[0];
        assert!(wanted.cuts >= super::KEPT / 2, "{wanted:?}");
        assert!(wanted.stride * 1000 >= 100 * super::SHARE, "{wanted:?}");
    }
}
