//! All threads: how one gets its tracker, and what the driver of snapshots sees of it.

use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize};

use parascan_abi::omp::{Block, FLAG_NO_SCHEDULE, Record, Thread};

use super::Tracker;
use crate::counters::{Counters, OWN, Reading};
use crate::{clock, counters, log, process};

/// Most threads.
const THREADS: usize = 1 << 14;

/// Most blocks of records of a thread.
const RECORD_BLOCKS: usize = 256;

/// What the driver of snapshots sees of a thread.
#[derive(Debug)]
pub struct Published {
    /// What readers of the log see of it.
    pub entry: &'static Thread,
    /// What counts for it.
    pub counters: Counters,
    /// It has ended, and its last counters are in its entry.
    pub ended: AtomicBool,
    blocks: [AtomicPtr<Block>; RECORD_BLOCKS],
    count: AtomicUsize,
}

impl Published {
    /// Notes a block of records.
    pub(super) fn add(&self, block: &'static Block) -> bool {
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
            let block: &'static Block = unsafe { &*slot.load(Relaxed) };
            let records = block.used.load(Acquire) as usize / size_of::<Record>();
            let first = std::ptr::from_ref(block).wrapping_add(1).cast::<Record>();
            for index in 0..records {
                // SAFETY: counted records are written; their fields are atomic.
                action(unsafe { &*first.add(index) });
            }
        }
    }
}

/// Stands for the tracker of a thread that is in the collector: signal handlers and allocators of the program that are
/// instrumented themselves find it there.
const BUSY: *mut Tracker = std::ptr::dangling_mut::<Tracker>();

thread_local! {
    static CURRENT: Cell<*mut Tracker> = const { Cell::new(null_mut()) };
}

static ALL: [AtomicPtr<Published>; THREADS] = [const { AtomicPtr::new(null_mut()) }; THREADS];

/// Threads so far; the initial one has a place from the start.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// Runs `action` with the calling thread's tracker; does nothing when nothing is recorded, or when the thread is in the
/// collector already.
#[inline]
pub fn with(action: impl FnOnce(&mut Tracker)) {
    let mut tracker = CURRENT.replace(BUSY);
    if tracker == BUSY {
        return;
    }
    if tracker.is_null() {
        tracker = attach();
    }
    if !tracker.is_null() && process::recording() {
        // SAFETY: trackers are never freed, and this one is only used by its thread (see `Tracker` for the exception),
        // which is here once at a time.
        action(unsafe { &mut *tracker });
    }
    CURRENT.set(tracker);
}

/// All threads, by number; those that are being made are None.
pub fn all() -> impl Iterator<Item = Option<&'static Published>> {
    let count = (COUNT.load(Acquire) as usize).min(THREADS);
    // SAFETY: what is there was made for ever.
    ALL[..count]
        .iter()
        .map(|slot| unsafe { slot.load(Acquire).as_ref() })
}

#[cold]
fn attach() -> *mut Tracker {
    if !process::start() {
        return null_mut();
    }
    // SAFETY: no arguments.
    let (id, pid) = unsafe { (libc::gettid(), libc::getpid()) };
    let number = if id == pid {
        COUNT.fetch_max(1, AcqRel);
        0
    } else {
        COUNT.fetch_max(1, AcqRel);
        COUNT.fetch_add(1, AcqRel)
    };
    if number as usize >= THREADS {
        return null_mut();
    }
    let Some(entry) = process::thread_entry(number) else {
        return null_mut();
    };
    let now = if number == 0 {
        process::start_ticks()
    } else {
        clock::now()
    };
    entry.id.store(id as u32, Relaxed);
    entry.started.store(now, Relaxed);
    entry.last.store(now, Relaxed);
    let start = match number {
        0 => process::start_counters(),
        _ => counters::plain(),
    };
    let published: &'static Published = Box::leak(Box::new(Published {
        entry,
        counters: Counters::open(start),
        ended: AtomicBool::new(false),
        blocks: [const { AtomicPtr::new(null_mut()) }; RECORD_BLOCKS],
        count: AtomicUsize::new(0),
    }));
    let tracker = Box::into_raw(Box::new(Tracker::new(number, now, entry, published)));
    // SAFETY: just made.
    let me = unsafe { &mut *tracker };
    if !me.shortage.is_known()
        && let Some(header) = log::header()
    {
        header.flags.fetch_or(FLAG_NO_SCHEDULE, Relaxed);
    }
    if number == 0 {
        me.enter_program();
    }
    ALL[number as usize].store(std::ptr::from_ref(published).cast_mut(), Release);
    tracker
}
