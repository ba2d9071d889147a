//! An explicit task, from its creation to its end.

use std::ptr::null_mut;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use crate::family::Family;

/// What is known of a task; the runtime keeps the pointer. Created by one thread, freed into the pool of the one that
/// completes it.
#[derive(Debug)]
pub struct Task {
    /// Return address of its creation.
    pub address: u64,
    /// Ticks at its creation.
    pub created: u64,
    /// It has dependences: others may wait for it, and it for others.
    pub dependent: bool,
    /// Tasks for which it waits, which had not ended when it was made; null without.
    pub before: *mut Family,
    /// Those that it is one of: the [`Task::before`] of each task that waits for it, and those of taskwaits.
    after: Vec<*mut Family>,
    /// It has run already.
    pub started: bool,
    /// How far behind its creator was then.
    pub behind: u64,
    /// The tasks that it made; null before there are any.
    pub children: *mut Family,
    /// The families that the task belongs to: that of its parent, and that of the taskgroup in which it was made; null
    /// where there is none.
    pub of: [*mut Family; 2],
    /// The next task in the pool.
    next: *mut Task,
}

/// Held by whoever looks from one task at another that may be ending in another thread, and by threads that end tasks
/// with dependences.
static LINKS: Mutex<()> = Mutex::new(());

fn lock() -> impl Drop {
    LINKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Somebody has to wait for a task, which may be ending just now: a task with these others (`place`, null before there
/// are any), or a taskwait. `before` is the runtime's word of the task.
///
/// # Safety
/// `before` is such a word, which [`forget`] takes the task out of; nobody else uses the place, and its family is known
/// to whoever has it.
pub unsafe fn link(before: &AtomicPtr<Task>, place: &mut *mut Family, pool: &mut *mut Family) {
    let _held = lock();
    // SAFETY: a task in its word has not ended, and does not while the lock is held.
    let Some(before) = (unsafe { before.load(Relaxed).as_mut() }) else {
        return;
    };
    if place.is_null() {
        *place = Family::make(pool);
    }
    // SAFETY: families are never freed.
    unsafe { (**place).join() };
    before.after.push(*place);
}

/// A task with dependences ends, and would have at `expected`: nobody finds it any more in the runtime's word, and
/// those that wait for it are told.
///
/// # Safety
/// `task` is valid and that of the word.
pub unsafe fn forget(
    word: &AtomicPtr<Task>,
    task: *mut Task,
    (now, expected): (u64, u64),
    pool: &mut *mut Family,
) {
    let after = {
        let _held = lock();
        word.store(null_mut(), Relaxed);
        // SAFETY: the caller's; nobody else has it with the lock held.
        std::mem::take(unsafe { &mut (*task).after })
    };
    for family in after {
        // SAFETY: the task knew it, once for each time that it is there.
        unsafe {
            (*family).arrive(now, expected);
            Family::leave(family, pool);
        }
    }
}

impl Task {
    /// One that is made now (`created`, in ticks) at `address` by a thread that is `behind` by so many ticks, and that
    /// is `of` these families. In the place of one from the pool, if there is any.
    pub fn make(
        pool: &mut *mut Self,
        (created, address): (u64, u64),
        dependent: bool,
        (behind, of): (u64, [*mut Family; 2]),
    ) -> *mut Self {
        let content = Self {
            behind,
            children: null_mut(),
            of,
            address,
            created,
            dependent,
            before: null_mut(),
            after: Vec::new(),
            started: false,
            next: null_mut(),
        };
        let pooled = *pool;
        if pooled.is_null() {
            return Box::into_raw(Box::new(content));
        }
        // SAFETY: tasks in the pool are valid and belong to the pool alone.
        unsafe {
            *pool = (*pooled).next;
            *pooled = content;
        }
        pooled
    }

    /// Back into a pool, and its families into theirs.
    ///
    /// # Safety
    /// The task came from [`Task::make`] and nobody uses it any more.
    pub unsafe fn free(task: *mut Self, pool: &mut *mut Self, families: &mut *mut Family) {
        // SAFETY: the caller's; the task knows its families, and does not use them again.
        unsafe {
            let of = (*task).of;
            for family in [(*task).children, (*task).before, of[0], of[1]] {
                Family::leave(family, families);
            }
            (*task).next = *pool;
        }
        *pool = task;
    }

    /// When it was ready to run, and how far behind the moment at which it would have been, had all threads always had
    /// a processor: with its creation and the last end of those that it waits for.
    pub fn ready(&self) -> (u64, u64) {
        // SAFETY: families are never freed, and the task knows it.
        let before = unsafe { self.before.as_ref() };
        let (ended, expected) = before.map_or((0, 0), Family::over);
        let ready = self.created.max(ended);
        let created = self.created.saturating_sub(self.behind);
        (ready, ready - created.max(expected).min(ready))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(created: u64, behind: u64) -> Task {
        Task {
            address: 1,
            created,
            dependent: true,
            before: null_mut(),
            after: Vec::new(),
            started: false,
            behind,
            children: null_mut(),
            of: [null_mut(); 2],
            next: null_mut(),
        }
    }

    /// Ends a task of a word.
    fn end(word: &AtomicPtr<Task>, at: (u64, u64), pool: &mut *mut Family) {
        let task = word.load(Relaxed);
        // SAFETY: the tests' own.
        unsafe { forget(word, task, at, pool) };
    }

    /// Made at 100 by a thread that is 30 behind; waits for one that ends at 160 on time, and one that ends at 200, 90
    /// behind: ready at 200 instead of 160.
    #[test]
    fn a_task_is_ready_with_the_last_that_it_waits_for() {
        let mut pool = null_mut();
        let (mut one, mut two) = (task(10, 0), task(20, 0));
        let words = [AtomicPtr::new(&raw mut one), AtomicPtr::new(&raw mut two)];
        let mut after = task(100, 30);
        assert_eq!(after.ready(), (100, 30));
        for word in &words {
            // SAFETY: the test's own.
            unsafe { link(word, &mut after.before, &mut pool) };
        }
        end(&words[0], (160, 160), &mut pool);
        assert_eq!(after.ready(), (160, 0));
        end(&words[1], (200, 110), &mut pool);
        assert_eq!(after.ready(), (200, 40));
        // SAFETY: the last one that knows it.
        unsafe { Family::leave(after.before, &mut pool) };
        assert_eq!(pool, after.before, "nobody else knows it");
    }

    /// Had the predecessor ended on time, the creation alone would have held the task back.
    #[test]
    fn no_task_is_ready_before_it_is_made() {
        let mut pool = null_mut();
        let mut one = task(10, 0);
        let word = AtomicPtr::new(&raw mut one);
        let mut after = task(100, 0);
        // SAFETY: the test's own.
        unsafe { link(&word, &mut after.before, &mut pool) };
        end(&word, (150, 60), &mut pool);
        assert_eq!(after.ready(), (150, 50));
    }

    #[test]
    fn who_has_ended_is_waited_for_by_nobody() {
        let mut pool = null_mut();
        let mut one = task(10, 0);
        let word = AtomicPtr::new(&raw mut one);
        end(&word, (50, 50), &mut pool);
        let mut after = task(100, 0);
        // SAFETY: the test's own.
        unsafe { link(&word, &mut after.before, &mut pool) };
        assert!(after.before.is_null());
        assert_eq!(after.ready(), (100, 0));
    }
}
