//! Whether this process records, since when, and what all threads write down of that: scale of the clock, threads.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU8, AtomicU64};
use std::sync::{Mutex, OnceLock, PoisonError};

use parascan_abi::omp::{Header, PLAIN_COUNTERS, Thread, kind};

use crate::log::{self, Appender};
use crate::{clock, counters};

const UNKNOWN: u8 = 0;
const ON: u8 = 1;
const OFF: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);
/// Ticks when the library was loaded.
static LOADED: AtomicU64 = AtomicU64::new(0);
/// Counters of the initial thread at that moment.
static LOADED_COUNTERS: OnceLock<[u64; PLAIN_COUNTERS]> = OnceLock::new();
/// Threads' entries, in the order of their numbers.
static THREADS: Mutex<ThreadTable> = Mutex::new(ThreadTable {
    log: Appender::new(kind::THREADS, 0),
    entries: Vec::new(),
});

struct ThreadTable {
    log: Appender,
    entries: Vec<&'static Thread>,
}

/// Whether events are recorded now.
#[inline]
pub fn is_on() -> bool {
    STATE.load(Relaxed) == ON
}

/// Whether the process records; None before that is decided.
pub fn decided() -> Option<bool> {
    match STATE.load(Acquire) {
        UNKNOWN => None,
        state => Some(state == ON),
    }
}

/// Switches recording on or off, from now on.
pub fn switch(on: bool) {
    STATE.store(if on { ON } else { OFF }, Release);
}

/// The library was loaded just now: a recording begins at this moment, if there is one.
pub fn may_begin() {
    clock::choose();
    LOADED.store(clock::now(), Relaxed);
    // SAFETY: no arguments.
    if unsafe { libc::gettid() == libc::getpid() } {
        LOADED_COUNTERS.get_or_init(counters::plain);
    }
}

/// Ticks at which the recording begins.
pub fn start_ticks() -> u64 {
    LOADED.load(Relaxed)
}

/// Counters of the initial thread when the recording begins; those of now where another thread loaded the library.
pub fn start_counters() -> [u64; PLAIN_COUNTERS] {
    LOADED_COUNTERS
        .get()
        .copied()
        .unwrap_or_else(counters::plain)
}

/// Reads both clocks once more: the later, the better the scale.
pub fn calibrate(header: &Header) {
    header.latest[0].store(clock::now(), Relaxed);
    header.latest[1].store(clock::nanoseconds(), Relaxed);
}

/// Nanoseconds of a number of ticks, by what is known of the clocks so far.
pub fn nanoseconds(ticks: u64) -> u64 {
    let Some(header) = log::header().filter(|_| clock::steady()) else {
        return ticks;
    };
    // While they are written, ticks may be those of later: the result is then too small, never too large.
    let span = |at: usize| {
        let latest = header.latest[at].load(Relaxed);
        latest.wrapping_sub(header.start[at].load(Relaxed)) as f64
    };
    let nanoseconds = span(1);
    (ticks as f64 * nanoseconds / span(0).max(1.0)) as u64
}

/// A thread's entry.
pub fn thread_entry(number: u32) -> Option<&'static Thread> {
    let mut table = THREADS.lock().unwrap_or_else(PoisonError::into_inner);
    while table.entries.len() <= number as usize {
        let room = table.log.room(size_of::<Thread>(), align_of::<Thread>())?;
        // SAFETY: the room is zeroed, which is a thread entry, and nobody else's; blocks stay mapped.
        let entry: &'static Thread = unsafe { &*room.at().cast::<Thread>() };
        room.publish();
        table.entries.push(entry);
    }
    table.entries.get(number as usize).copied()
}
