//! An explicit task, from its creation to its end.

use std::ptr::null_mut;

use crate::family::Family;
use crate::tracker::Tracker;

/// What is known of a task; the runtime keeps the pointer. Created by one thread, freed into the pool of the one that
/// completes it.
#[derive(Debug)]
pub struct Task {
    /// Return address of its creation.
    pub address: u64,
    /// Ticks at its creation.
    pub created: u64,
    /// It waits for others; when it became ready is not known.
    pub dependent: bool,
    /// It has run already.
    pub started: bool,
    /// How far behind its creator was then.
    pub behind: u64,
    /// The tasks that it made; null before there are any.
    pub children: *mut Family,
    /// Those of which it is one, of its parent and of the taskgroup that it was made in; null without.
    pub of: [*mut Family; 2],
    /// The next task in the pool.
    pub next: *mut Task,
}

/// A task from the thread's pool.
pub fn make(tracker: &mut Tracker, address: u64, created: u64, dependent: bool) -> *mut Task {
    let (behind, of) = tracker.families();
    let content = Task {
        behind,
        children: null_mut(),
        of,
        address,
        created,
        dependent,
        started: false,
        next: null_mut(),
    };
    let pooled = tracker.free_tasks;
    if pooled.is_null() {
        return Box::into_raw(Box::new(content));
    }
    // SAFETY: tasks in the pool are valid and belong to the pool alone.
    unsafe {
        tracker.free_tasks = (*pooled).next;
        *pooled = content;
    }
    pooled
}

/// Back into the thread's pool.
///
/// # Safety
/// The task came from [`make`] and nobody uses it any more.
pub unsafe fn free(tracker: &mut Tracker, task: *mut Task) {
    // SAFETY: the caller's; the task knows its families, and does not use them again.
    unsafe {
        for family in [(*task).children, (*task).of[0], (*task).of[1]] {
            Family::leave(family, &mut tracker.free_families);
        }
        (*task).next = tracker.free_tasks;
    }
    tracker.free_tasks = task;
}
