//! How long a thread was ready to run and had no processor while it worked, was to come to a parallel region, or was to
//! leave a wait that was over: the machine was busy with others.
//!
//! The kernel counts for every thread how long it waited in the queue of a processor (`/proc/self/task/TID/schedstat`,
//! second number); sleeping is not in it. That is looked at when a stretch of time is charged, at most once in
//! [`INTERVAL`], so what was counted since the last look belongs to the last stretch or to shorter ones before it.
//! Waits among these may have been in the queue as well (threads that wait yield their processor): as much is taken
//! off. So what is charged is a lower bound, and short of the truth by less than an interval for each stretch. A thread
//! that is to come to a region has waited before, idle; a fork that takes so long is taken for the one that was in the
//! queue. A thread on a processor leaves a wait at once when that for which it waited has come (or is woken, without a
//! queue): if it does not, what was counted since the last look is taken for the end of the wait.

use std::os::fd::RawFd;

use crate::clock;

/// Ticks between two looks.
const INTERVAL: u64 = 1 << 21;
/// Ticks that a thread takes at most to leave a wait that is over, when it has a processor: some ten microseconds.
const NOTICED: u64 = 1 << 16;

/// What a thread did in a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// It worked.
    Work,
    /// It was to come to a region.
    Fork,
    /// Anything else.
    Wait {
        /// For how many ticks that for which it waited had already come; 0 where that is not known.
        over: u64,
    },
}

/// How long one thread was ready to run and had no processor, by the kernel's figures.
#[derive(Debug)]
pub struct Shortage {
    /// The kernel's figures of the thread; -1 where there are none.
    file: RawFd,
    /// Which file that is: programs may close what they do not know, and open others by its number.
    identity: (u64, u64),
    /// At the last look: ticks, nanoseconds, and nanoseconds in the queue.
    ticks: u64,
    nanoseconds: u64,
    queued: u64,
    /// Ticks since then that were no work.
    waited: u64,
}

impl Shortage {
    /// Begins to look at the calling thread; `now` is the time in ticks.
    pub fn open(now: u64) -> Self {
        // SAFETY: no arguments.
        let id = unsafe { libc::gettid() };
        let path = std::ffi::CString::new(format!("/proc/self/task/{id}/schedstat"));
        // SAFETY: the path is a C string.
        let file = path.map_or(-1, |path| unsafe {
            libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC)
        });
        let mut me = Self {
            file,
            identity: identity(file),
            ticks: now,
            nanoseconds: 0,
            queued: 0,
            waited: 0,
        };
        if let Some((nanoseconds, queued)) = me.look() {
            (me.nanoseconds, me.queued) = (nanoseconds, queued);
        } else {
            me.close();
        }
        me
    }

    /// Whether the kernel has such figures for the thread.
    pub fn is_known(&self) -> bool {
        self.file >= 0
    }

    /// Closes the kernel's file of figures, as the thread ends.
    pub fn close(&mut self) {
        if self.file >= 0 && identity(self.file) == self.identity {
            // SAFETY: the file is this value's own.
            unsafe { libc::close(self.file) };
        }
        self.file = -1;
    }

    /// A stretch of `elapsed` ticks ends: how much of it the thread worked, or was to, without a processor; of a wait,
    /// how much of the time for which it was over.
    #[inline]
    pub fn charge(&mut self, now: u64, elapsed: u64, activity: Activity) -> u64 {
        let late = matches!(activity, Activity::Wait { over } if over > NOTICED);
        if (now.saturating_sub(self.ticks) < INTERVAL && !late) || self.file < 0 {
            self.wait(match activity {
                Activity::Wait { .. } => elapsed,
                Activity::Work | Activity::Fork => 0,
            });
            return 0;
        }
        match self.look() {
            Some((nanoseconds, queued)) => self.part(now, elapsed, activity, nanoseconds, queued),
            None => 0,
        }
    }

    /// The thread waited, by another thread's account.
    pub fn wait(&mut self, elapsed: u64) {
        self.waited = self.waited.saturating_add(elapsed);
    }

    fn part(
        &mut self,
        now: u64,
        elapsed: u64,
        activity: Activity,
        nanoseconds: u64,
        queued: u64,
    ) -> u64 {
        let passed = nanoseconds.saturating_sub(self.nanoseconds).max(1);
        let ticks = now.saturating_sub(self.ticks);
        let news = queued.saturating_sub(self.queued);
        let news = (u128::from(news) * u128::from(ticks) / u128::from(passed)) as u64;
        let answer = match activity {
            Activity::Work => news.saturating_sub(self.waited).min(elapsed),
            Activity::Fork => news.min(elapsed),
            Activity::Wait { over } if over > NOTICED => news.min(over),
            Activity::Wait { .. } => 0,
        };
        self.ticks = now;
        self.nanoseconds = nanoseconds;
        self.queued = queued;
        self.waited = 0;
        answer
    }

    /// The time, and nanoseconds that the thread was in a queue since it began.
    #[cold]
    fn look(&self) -> Option<(u64, u64)> {
        let mut text = [0u8; 64];
        // SAFETY: writes at most as many bytes as there are. A file that the program put in this one's place is not
        // changed.
        let length = unsafe { libc::pread(self.file, text.as_mut_ptr().cast(), text.len(), 0) };
        let text = text.get(..usize::try_from(length).ok()?)?;
        let text = std::str::from_utf8(text).ok()?;
        let queued = text.split_ascii_whitespace().nth(1)?.parse().ok()?;
        Some((clock::nanoseconds(), queued))
    }
}

/// Device and number of an open file.
fn identity(file: RawFd) -> (u64, u64) {
    // SAFETY: all-zero is a valid `stat`, and the call writes only there.
    unsafe {
        let mut found: libc::stat = std::mem::zeroed();
        libc::fstat(file, &mut found);
        (found.st_dev, found.st_ino)
    }
}

#[cfg(test)]
mod tests {
    use super::Activity::{Fork, Wait as Waits, Work};
    use super::{Activity, INTERVAL, NOTICED, Shortage};

    const WAIT: Activity = Waits { over: 0 };

    /// Two ticks are a nanosecond.
    fn fresh() -> Shortage {
        Shortage {
            file: -1,
            identity: (0, 0),
            ticks: 0,
            nanoseconds: 0,
            queued: 0,
            waited: 0,
        }
    }

    #[test]
    fn what_was_counted_belongs_to_the_last_stretch() {
        let mut thread = fresh();
        assert_eq!(thread.part(2000, 2000, Work, 1000, 300), 600);
        // Nothing new; then more than the stretch is long, because the one before it was concerned, too.
        assert_eq!(thread.part(4000, 2000, Work, 2000, 300), 0);
        assert_eq!(thread.part(6000, 500, Work, 3000, 700), 500);
    }

    #[test]
    fn waits_are_taken_off_and_get_nothing() {
        let mut thread = fresh();
        thread.wait(200);
        assert_eq!(thread.part(2000, 1800, Work, 1000, 300), 400);
        thread.wait(700);
        assert_eq!(thread.part(4000, 1300, Work, 2000, 600), 0);
        // A long wait is looked at when it ends, so that it takes nothing off the work behind it.
        thread.wait(5000);
        assert_eq!(thread.part(9000, 5000, WAIT, 4500, 2600), 0);
        assert_eq!(thread.part(11_000, 2000, Work, 5500, 3600), 2000);
        thread.wait(900);
        assert_eq!(thread.part(15_000, 1200, Fork, 7500, 4000), 800);
    }

    #[test]
    fn the_end_of_a_wait_without_processor() {
        let mut thread = fresh();
        let over = NOTICED + 1000;
        // The wait was over for so long; in the queue it was longer (it had lost its processor before), and then
        // shorter.
        assert_eq!(
            thread.part(
                10 * NOTICED,
                8 * NOTICED,
                Waits { over },
                5 * NOTICED,
                NOTICED
            ),
            over
        );
        assert_eq!(
            thread.part(
                20 * NOTICED,
                10 * NOTICED,
                Waits { over },
                10 * NOTICED,
                NOTICED + 400
            ),
            800
        );
        // As long as one is noticed to be at most: nothing.
        assert_eq!(
            thread.part(
                30 * NOTICED,
                10 * NOTICED,
                Waits { over: NOTICED },
                15 * NOTICED,
                3 * NOTICED
            ),
            0
        );
    }

    #[test]
    fn short_stretches_are_not_looked_at() {
        let mut thread = fresh();
        assert_eq!(thread.charge(INTERVAL - 1, 10, WAIT), 0);
        assert_eq!(thread.waited, 10);
        let mut mine = Shortage::open(0);
        if mine.is_known() {
            mine.charge(INTERVAL, INTERVAL, Work);
            assert_eq!((mine.ticks, mine.waited), (INTERVAL, 0));
        }
        mine.close();
        assert!(!mine.is_known());
    }
}
