//! How a thread gets its tracker.

use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::atomic::Ordering::Relaxed;

use parascan_abi::omp::FLAG_NO_SCHEDULE;

use super::ThreadTracker;
use crate::published::PublishedThread;
use crate::{clock, counters, log, published, recording};

/// Stands for the tracker of a thread that is in the collector: signal handlers and allocators of the program that are
/// instrumented themselves find it there.
const BUSY: *mut ThreadTracker = std::ptr::dangling_mut::<ThreadTracker>();

thread_local! {
    static CURRENT: Cell<*mut ThreadTracker> = const { Cell::new(null_mut()) };
}

/// Runs `action` with the calling thread's tracker; does nothing when nothing is recorded, or when the thread is in the
/// collector already. A thread that has no tracker gets one if `start` says that the process records.
#[inline]
pub fn with(start: impl FnOnce() -> bool, action: impl FnOnce(&mut ThreadTracker)) {
    let mut tracker = CURRENT.replace(BUSY);
    if tracker == BUSY {
        return;
    }
    if tracker.is_null() && start() {
        tracker = attach().map_or(null_mut(), std::ptr::from_mut);
    }
    if !tracker.is_null() && recording::is_on() {
        // SAFETY: trackers are never freed, and this one is only used by its thread (see `ThreadTracker` for the
        // exception), which is here once at a time.
        action(unsafe { &mut *tracker });
    }
    CURRENT.set(tracker);
}

#[cold]
fn attach() -> Option<&'static mut ThreadTracker> {
    // SAFETY: no arguments.
    let (id, pid) = unsafe { (libc::gettid(), libc::getpid()) };
    let number = published::number(id == pid)?;
    let entry = recording::thread_entry(number)?;
    let (now, start) = match number {
        0 => (recording::start_ticks(), recording::start_counters()),
        _ => (clock::now(), counters::plain()),
    };
    entry.id.store(id as u32, Relaxed);
    entry.started.store(now, Relaxed);
    entry.last.store(now, Relaxed);
    let published = PublishedThread::open(entry, start);
    let tracker = Box::leak(Box::new(ThreadTracker::new(number, now, entry, published)));
    if !tracker.shortage.is_known()
        && let Some(header) = log::header()
    {
        header.flags.fetch_or(FLAG_NO_SCHEDULE, Relaxed);
    }
    if number == 0 {
        tracker.enter_program();
    }
    published::publish(number, published);
    Some(tracker)
}
