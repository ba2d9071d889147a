//! A team of threads in a parallel region, from its begin to its end.

use std::ptr::null_mut;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64};

use super::ThreadTracker;

/// A barrier, on a cache line of its own: all threads write it.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Barrier {
    /// When it opened: when the last thread came or the last task ended.
    opened: AtomicU64,
    /// When it would have opened, had all threads always had a processor.
    expected: AtomicU64,
}

/// What the members know of their region. Teams are kept for reuse and never freed, so a stale pointer is harmless.
#[derive(Debug)]
pub struct Team {
    /// Ticks at the region's begin.
    pub begin: AtomicU64,
    /// Node that the encountering thread was in.
    pub parent: AtomicU32,
    /// Which visit of it that was.
    pub visit: AtomicU64,
    /// Address of the region.
    pub address: AtomicU64,
    /// Its outlined function, 0 where that is not known.
    pub outlined: AtomicU64,
    /// Construct of the region.
    pub teams: AtomicU32,
    /// Threads in the team, 0 until known.
    pub size: AtomicU32,
    /// Ticks when the leader had left the last barrier.
    pub joined: AtomicU64,
    /// How far the encountering thread was behind at the region's begin.
    pub behind: AtomicU64,
    /// Barriers that the encountering thread had met in the region around.
    pub outer_barriers: AtomicU32,
    /// The last two barriers, by the last bit of their numbers. Nobody comes to a barrier as long as somebody is in the
    /// last but one.
    barriers: [Barrier; 2],
    /// Workers, linked through `ThreadTracker::next_member`.
    pub members: AtomicPtr<ThreadTracker>,
    /// Threads in single or masked regions now.
    alone: AtomicU32,
    /// Since when there is one.
    alone_since: AtomicU64,
    /// Ticks during which there was one, up to the last end.
    alone_total: AtomicU64,
    /// The next team that its owner may use.
    pub next_free: *mut Team,
}

impl Team {
    /// A team for the first time.
    pub fn new() -> *mut Self {
        Box::into_raw(Box::new(Self {
            begin: AtomicU64::new(0),
            parent: AtomicU32::new(0),
            visit: AtomicU64::new(0),
            address: AtomicU64::new(0),
            outlined: AtomicU64::new(0),
            teams: AtomicU32::new(0),
            size: AtomicU32::new(0),
            joined: AtomicU64::new(0),
            behind: AtomicU64::new(0),
            outer_barriers: AtomicU32::new(0),
            barriers: Default::default(),
            members: AtomicPtr::new(null_mut()),
            alone: AtomicU32::new(0),
            alone_since: AtomicU64::new(0),
            alone_total: AtomicU64::new(0),
            next_free: null_mut(),
        }))
    }

    /// Makes it ready for another region.
    pub fn reset(&self) {
        self.size.store(0, Relaxed);
        self.joined.store(0, Relaxed);
        self.members.store(null_mut(), Relaxed);
        for barrier in &self.barriers {
            barrier.opened.store(0, Relaxed);
            barrier.expected.store(0, Relaxed);
        }
        self.alone.store(0, Relaxed);
        self.alone_since.store(0, Relaxed);
        self.alone_total.store(0, Relaxed);
    }

    /// Makes a worker thread one of the team's members.
    pub fn join(&self, worker: &ThreadTracker) {
        let me = std::ptr::from_ref(worker).cast_mut();
        let mut head = self.members.load(Relaxed);
        loop {
            worker.next_member.store(head, Relaxed);
            match self
                .members
                .compare_exchange_weak(head, me, AcqRel, Relaxed)
            {
                Ok(_) => return,
                Err(other) => head = other,
            }
        }
    }

    /// A thread came at `now` to its barrier of this number, or ended a task there, and would have been there at
    /// `expected` had it not been delayed; both in ticks.
    pub fn arrive(&self, barrier: u32, now: u64, expected: u64) {
        let barrier = &self.barriers[(barrier & 1) as usize];
        // Times grow, so what the last but one left does not matter.
        barrier.opened.fetch_max(now, AcqRel);
        if barrier.expected.load(Acquire) < expected {
            barrier.expected.fetch_max(expected, AcqRel);
        }
    }

    /// When a barrier that is open was opened, and when it would have been.
    pub fn opened(&self, barrier: u32) -> (u64, u64) {
        let barrier = &self.barriers[(barrier & 1) as usize];
        let opened = barrier.opened.load(Acquire);
        (opened, barrier.expected.load(Acquire).min(opened))
    }

    /// A thread begins a single or masked region.
    pub fn begin_alone(&self, now: u64) {
        if self.alone.fetch_add(1, AcqRel) == 0 {
            self.alone_since.store(now, Relaxed);
        }
    }

    /// The thread that began such a region leaves it.
    pub fn end_alone(&self, now: u64) {
        let since = self.alone_since.load(Relaxed);
        if self.alone.load(Relaxed) == 1 {
            self.alone_total
                .fetch_add(now.saturating_sub(since), Relaxed);
        }
        self.alone.fetch_sub(1, AcqRel);
    }

    /// Ticks up to `now` during which some thread was in a single or masked region. Not exact while one begins or ends
    /// at this moment; differences of it are clipped by those who use them.
    pub fn alone(&self, now: u64) -> u64 {
        let total = self.alone_total.load(Relaxed);
        if self.alone.load(Acquire) == 0 {
            return total;
        }
        total + now.saturating_sub(self.alone_since.load(Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::Team;

    /// Thread 1 comes last, 40 behind; thread 0 would then have been the last. At the next barrier everybody is 30
    /// behind, but thread 1 left the first one another 25 late.
    #[test]
    fn barriers_open_with_the_last_thread() {
        let team = Team::new();
        // SAFETY: teams are never freed.
        let team = unsafe { &*team };
        team.arrive(1, 100, 100);
        team.arrive(1, 130, 90);
        assert_eq!(team.opened(1), (130, 100));
        // Thread 0 is at the second while thread 1 is still in the first.
        team.arrive(2, 200, 170);
        assert_eq!(team.opened(1), (130, 100));
        team.arrive(2, 225, 170);
        assert_eq!(team.opened(2), (225, 170));
        // Later ones take the places of earlier ones.
        team.arrive(3, 300, 245);
        assert_eq!(team.opened(3), (300, 245));
        team.reset();
        assert_eq!(team.opened(1), (0, 0));
    }
}
