//! When each mutex was last given back, and how far its holder was behind then: who waited for it is as far behind.
//!
//! Mutexes share a table by a hash of their names. Where two meet, the later time counts, so that a wait seems to have
//! been over for less than it was. The runtime tells that a mutex was given back only after another thread may have it:
//! then nothing is known of that wait.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// Bits of a place in the table.
const BITS: u32 = 10;
/// Set in [`LockEntry::released`] while a thread, whose number is in the other bits, has the mutex.
const HELD: u64 = 1 << 63;

struct LockEntry {
    /// Ticks at which it was given back; 0 when never.
    released: AtomicU64,
    /// How far behind the holder was then.
    behind: AtomicU64,
}

static TABLE: [LockEntry; 1 << BITS] = [const {
    LockEntry {
        released: AtomicU64::new(0),
        behind: AtomicU64::new(0),
    }
}; 1 << BITS];

fn entry(mutex: u64) -> &'static LockEntry {
    // Fibonacci hashing: the highest bits depend on all others.
    &TABLE[(mutex.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - BITS)) as usize]
}

/// A thread has the mutex: when it was last given back, and how far behind its holder was, as far as known.
pub fn obtain(mutex: u64, thread: u32) -> Option<(u64, u64)> {
    let entry = entry(mutex);
    let released = entry.released.swap(HELD | u64::from(thread), AcqRel);
    (released != 0 && released & HELD == 0).then(|| (released, entry.behind.load(Relaxed)))
}

/// A thread gave the mutex back.
pub fn give_back(mutex: u64, thread: u32, now: u64, behind: u64) {
    let entry = entry(mutex);
    let found = entry.released.load(Acquire);
    if found & HELD != 0 && found != HELD | u64::from(thread) {
        return;
    }
    entry.behind.store(behind, Relaxed);
    let _ = entry
        .released
        .compare_exchange(found, now & !HELD, Release, Relaxed);
}

#[cfg(test)]
mod tests {
    use super::{BITS, entry, give_back, obtain};

    #[test]
    fn the_next_holder_learns_when_it_came_free() {
        let mutex = 0x1000;
        assert_eq!(obtain(mutex, 1), None);
        give_back(mutex, 1, 500, 30);
        assert_eq!(obtain(mutex, 2), Some((500, 30)));
        // Thread 3 has it before thread 2 says that it gave it back.
        assert_eq!(obtain(mutex, 3), None);
        give_back(mutex, 2, 700, 0);
        give_back(mutex, 3, 900, 40);
        assert_eq!(obtain(mutex, 1), Some((900, 40)));
    }

    #[test]
    fn of_two_mutexes_in_one_place_the_later_counts() {
        let first = 0x2000;
        let other = (first + 8..)
            .step_by(8)
            .find(|&m| std::ptr::eq(entry(m), entry(first)))
            .unwrap();
        assert!(other < first + (64 << BITS));
        obtain(first, 1);
        obtain(other, 1);
        give_back(other, 1, 100, 5);
        give_back(first, 1, 200, 6);
        assert_eq!(obtain(other, 2), Some((200, 6)));
    }
}
