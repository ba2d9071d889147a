//! What threads of others see of a thread: its entry, its counters and its records. The driver of snapshots reads them,
//! and so does whoever ends the recording.

use std::ptr::null_mut;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize};

use parascan_abi::omp::{LogBlock, PLAIN_COUNTERS, Record, Thread};

use crate::counters::{OWN, Reading, ThreadCounters};

/// Most threads.
const THREADS: usize = 1 << 14;

/// Most blocks of records of a thread.
const RECORD_BLOCKS: usize = 256;

/// What the driver of snapshots sees of a thread.
#[derive(Debug)]
pub struct PublishedThread {
    /// What readers of the log see of it.
    pub entry: &'static Thread,
    /// What counts for it.
    pub counters: ThreadCounters,
    /// It has ended, and its last counters are in its entry.
    pub ended: AtomicBool,
    blocks: [AtomicPtr<LogBlock>; RECORD_BLOCKS],
    count: AtomicUsize,
}

impl PublishedThread {
    /// Of a thread whose counters count from `start` on, for ever.
    pub fn open(entry: &'static Thread, start: [u64; PLAIN_COUNTERS]) -> &'static Self {
        Box::leak(Box::new(Self {
            entry,
            counters: ThreadCounters::open(start),
            ended: AtomicBool::new(false),
            blocks: [const { AtomicPtr::new(null_mut()) }; RECORD_BLOCKS],
            count: AtomicUsize::new(0),
        }))
    }

    /// Notes a block of records.
    pub fn add(&self, block: &'static LogBlock) -> bool {
        let block = std::ptr::from_ref(block).cast_mut();
        let count = self.count.load(Relaxed);
        if count > 0 && self.blocks[count - 1].load(Relaxed) == block {
            return true;
        }
        let Some(slot) = self.blocks.get(count) else {
            return false;
        };
        slot.store(block, Relaxed);
        self.count.store(count + 1, Release);
        true
    }

    /// The thread's counters as of now, where that can be known: faults and switches only when it is the calling thread
    /// (`own`), or waits since it looked at them.
    pub fn read(&self, own: bool) -> Reading {
        let seen = self.entry.known.load(Acquire);
        let kept = self.entry.counters.each_ref().map(|c| c.load(Relaxed));
        if self.ended.load(Acquire) {
            return Reading {
                values: kept,
                known: seen,
            };
        }
        let mut reading = self.counters.read();
        let usage = if own {
            self.counters.usage()
        } else {
            Reading {
                values: kept,
                known: seen & OWN,
            }
        };
        for (index, value) in reading.values.iter_mut().enumerate() {
            if OWN & (1 << index) != 0 {
                *value = usage.values[index];
            } else if reading.known & (1 << index) == 0 {
                *value = kept[index];
            }
        }
        reading.known |= usage.known;
        reading
    }

    /// Puts counters into the log.
    pub fn keep(&self, reading: &Reading) {
        for (counter, value) in self.entry.counters.iter().zip(reading.values) {
            // The thread and the one that ends the recording may read at the same time.
            counter.fetch_max(value, Relaxed);
        }
        self.entry.known.store(reading.known, Release);
    }

    /// Calls `action` with every record so far.
    pub fn each_record(&self, mut action: impl FnMut(&'static Record)) {
        let count = self.count.load(Acquire);
        for slot in &self.blocks[..count] {
            // SAFETY: published blocks stay mapped.
            let block: &'static LogBlock = unsafe { &*slot.load(Relaxed) };
            let records = block.used.load(Acquire) as usize / size_of::<Record>();
            let first = std::ptr::from_ref(block).wrapping_add(1).cast::<Record>();
            for index in 0..records {
                // SAFETY: counted records are written; their fields are atomic.
                action(unsafe { &*first.add(index) });
            }
        }
    }
}

static ALL: [AtomicPtr<PublishedThread>; THREADS] = [const { AtomicPtr::new(null_mut()) }; THREADS];

/// Threads so far; the initial one has a place from the start.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// A number for a thread that begins to be recorded: 0 for the initial one; None when there are too many.
pub fn number(initial: bool) -> Option<u32> {
    COUNT.fetch_max(1, AcqRel);
    let number = match initial {
        true => 0,
        false => COUNT.fetch_add(1, AcqRel),
    };
    ((number as usize) < THREADS).then_some(number)
}

/// From now on, [`all`] has the thread of this number.
pub fn publish(number: u32, thread: &'static PublishedThread) {
    ALL[number as usize].store(std::ptr::from_ref(thread).cast_mut(), Release);
}

/// All threads, by number; those that are being made are None.
pub fn all() -> impl Iterator<Item = Option<&'static PublishedThread>> {
    let count = (COUNT.load(Acquire) as usize).min(THREADS);
    // SAFETY: what is there was made for ever.
    ALL[..count]
        .iter()
        .map(|slot| unsafe { slot.load(Acquire).as_ref() })
}
