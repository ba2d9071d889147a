//! Tasks that are waited for together: the children of a task, or all tasks made in a taskgroup. When the last of them
//! ended, and when it would have, had all threads always had a processor.
//!
//! A family belongs to whoever waits for it and to each of its tasks; the last of these that is done with it gives it
//! back to a pool. So a task that nobody waits for never reaches a family of others.

use std::ptr::null_mut;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

/// Tasks that somebody waits for together; shared by all that know it.
#[derive(Debug)]
pub struct Family {
    /// When the last one ended, or the waiting thread came.
    ended: AtomicU64,
    /// When that would have been.
    expected: AtomicU64,
    /// Who knows of it.
    known: AtomicU64,
    /// The next one in the pool.
    next: *mut Family,
}

impl Family {
    /// Of a task or group that knows it, from the thread's pool.
    pub fn make(pool: &mut *mut Self) -> *mut Self {
        let pooled = *pool;
        // SAFETY: families in the pool are valid and belong to the pool alone.
        let Some(family) = (unsafe { pooled.as_mut() }) else {
            return Box::into_raw(Box::new(Self {
                ended: AtomicU64::new(0),
                expected: AtomicU64::new(0),
                known: AtomicU64::new(1),
                next: null_mut(),
            }));
        };
        *pool = std::mem::replace(&mut family.next, null_mut());
        family.ended.store(0, Relaxed);
        family.expected.store(0, Relaxed);
        family.known.store(1, Relaxed);
        pooled
    }

    /// Counts one more task as a member of the family.
    pub fn join(&self) {
        self.known.fetch_add(1, Relaxed);
    }

    /// Somebody is done with it.
    ///
    /// # Safety
    /// The family came from [`Family::make`], and whoever calls knows it and never uses it again. Null is nothing.
    pub unsafe fn leave(family: *mut Self, pool: &mut *mut Self) {
        // SAFETY: the caller's.
        let Some(me) = (unsafe { family.as_ref() }) else {
            return;
        };
        if me.known.fetch_sub(1, AcqRel) == 1 {
            // SAFETY: nobody else knows it any more.
            unsafe { (*family).next = *pool };
            *pool = family;
        }
    }

    /// A task ended, or the waiting thread came or ended a task of others, and would have at `expected`.
    pub fn arrive(&self, now: u64, expected: u64) {
        self.expected.fetch_max(expected, AcqRel);
        self.ended.fetch_max(now, AcqRel);
    }

    /// When the last one ended, and when it would have.
    pub fn over(&self) -> (u64, u64) {
        let ended = self.ended.load(Acquire);
        (ended, self.expected.load(Acquire).min(ended))
    }
}

#[cfg(test)]
mod tests {
    use std::ptr::null_mut;

    use super::Family;

    /// Two tasks: the first ends at 100 on time, the second at 160, 70 behind. The thread waits from 80 on.
    #[test]
    fn the_wait_is_over_with_the_last_task() {
        let mut pool = null_mut();
        let family = Family::make(&mut pool);
        // SAFETY: just made.
        let me = unsafe { &*family };
        me.join();
        me.join();
        me.arrive(80, 80);
        me.arrive(100, 100);
        me.arrive(160, 90);
        assert_eq!(me.over(), (160, 100));
        // It goes back to the pool when all are done with it, and comes back empty.
        // SAFETY: three know it.
        unsafe {
            Family::leave(family, &mut pool);
            Family::leave(family, &mut pool);
            assert!(pool.is_null());
            Family::leave(family, &mut pool);
        }
        assert_eq!(pool, family);
        assert_eq!(Family::make(&mut pool), family);
        assert!(pool.is_null());
        assert_eq!(me.over(), (0, 0));
    }
}
