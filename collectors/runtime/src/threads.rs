//! Counters of threads beside the one that is measured: each has its own, so that what it counts is in no figure, and
//! threads do not wait for each other's cache lines.
//!
//! Native code accesses its counters, and `__ps_left`, relative to the segment register gs, which programs do not use
//! on x86-64 Linux. In the measured thread gs is 0, and the counters are those of the log. In other threads it is the
//! distance to memory of their own that nobody reads. A thread takes it when it first enters a tracked function, which
//! all threads begin with: [`State::native`] is 0 in them before. Memory of a thread that is gone becomes that of
//! another. Where a thread can have none it goes on in tracked code, which counts nothing.
//!
//! Several copies of the runtime, in libraries that hide theirs, share the table, since they share the register.
//!
//! Distances are positive where the counters lie below the area of shared libraries. Beyond there, they are negative,
//! which only the instruction `wrgsbase` can set, and debuggers cannot write such a thread's registers.

use core::arch::asm;
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, Ordering};

use parascan_abi::shadow::P1_BASE;
use parascan_abi::{ABI_VERSION, State};

use crate::sys;
use crate::tls::weak;

/// Threads with memory of their own at a time.
const THREADS: usize = 1024;
/// Pieces of memory with counters.
const RANGES: usize = 64;
/// Counters that are not farther apart than this are one piece.
const NEAR: u64 = 1 << 28;
/// Between the distances of two threads.
const STEP: u64 = 1 << 34;
/// Distances that are tried for a thread.
const TRIES: u64 = 64;
/// Threads that are looked at for one that is gone.
const LOOKS: usize = 4;
/// Where Linux has shared libraries, and shadow memory ends below the program.
const LIBRARIES: u64 = 0x7000_0000_0000;
const PROGRAM: u64 = 0x4000_0000_0000;
const PAGE: u64 = 0x1000;

/// Addresses of counters, in whole pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
struct AddressRange {
    start: u64,
    end: u64,
}

/// Memory of a thread.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct ThreadMemory {
    /// Who has it, or had it last.
    thread: u32,
    /// 0 where a range could not be mapped: it is nobody's any more.
    complete: u32,
    /// From counters to this thread's, modulo 2^64.
    distance: u64,
    /// Address of [`State::native`] in the copy that gave it.
    native: usize,
}

/// What all copies of the runtime in a process know of its threads. Valid when it is all zeros.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct SharedThreads {
    version: AtomicU32,
    lock: AtomicU32,
    table: UnsafeCell<ThreadTable>,
}

// SAFETY: the table is used by who has the lock.
unsafe impl Sync for SharedThreads {}

impl SharedThreads {
    /// Makes zeros those of a process whose measured thread is this one.
    pub(crate) fn begin(&self) {
        self.version.store(ABI_VERSION, Ordering::Relaxed);
        self.locked(ThreadTable::measure_here);
    }

    /// Whether the copy that made it is of this version.
    pub(crate) fn is_known(&self) -> bool {
        self.version.load(Ordering::Relaxed) == ABI_VERSION
    }

    /// In a forked child, whatever other threads of its parent were about to do: this one is measured.
    pub(crate) fn forked(&self) {
        if self.is_known() {
            self.lock.store(0, Ordering::Relaxed);
            self.locked(ThreadTable::measure_here);
        }
    }

    /// Does something with the table when nobody else does; false if another is at work for long, perhaps this very
    /// thread, interrupted by a signal.
    pub(crate) fn locked(&self, act: impl FnOnce(&mut ThreadTable)) -> bool {
        const PATIENCE: u32 = 1000;
        for _ in 0..PATIENCE {
            for _ in 0..PATIENCE {
                if self.lock.swap(1, Ordering::Acquire) == 0 {
                    // SAFETY: the lock is this thread's.
                    act(unsafe { &mut *self.table.get() });
                    self.lock.store(0, Ordering::Release);
                    return true;
                }
                core::hint::spin_loop();
            }
            sys::sleep(1_000_000);
        }
        false
    }
}

/// The measured thread, and others with their memory.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct ThreadTable {
    /// The measured thread.
    first: u32,
    /// There were more than [`RANGES`].
    full: u32,
    range_count: usize,
    memory_count: usize,
    next_look: usize,
    next_step: u64,
    ranges: [AddressRange; RANGES],
    memories: [ThreadMemory; THREADS],
}

impl ThreadTable {
    /// The measured thread is this one from now on.
    fn measure_here(&mut self) {
        self.first = sys::thread();
        if segment_base() != 0 {
            set_segment_base(0);
        }
    }

    /// Counters lie from `start` to `end`: threads that have memory get more.
    pub(crate) fn add(&mut self, start: u64, end: u64) {
        self.add_pages(start & !(PAGE - 1), end.next_multiple_of(PAGE));
    }

    fn add_pages(&mut self, start: u64, end: u64) {
        let known = &self.ranges[..self.range_count];
        let below = (0..known.len())
            .filter(|&i| known[i].start <= start)
            .max_by_key(|&i| known[i].start);
        let above = (0..known.len())
            .filter(|&i| known[i].start > start)
            .min_by_key(|&i| known[i].start);
        let limit = above.map_or(u64::MAX, |i| known[i].start);
        let rest = above.map_or(u64::MAX, |i| known[i].end);
        if let Some(below) = below.filter(|&i| start <= known[i].end.saturating_add(NEAR)) {
            let from = known[below].end;
            if end > from {
                self.map_for_all(from, end.min(limit));
                self.ranges[below].end = end.min(limit);
            }
        } else if let Some(above) = above.filter(|_| end.saturating_add(NEAR) >= limit) {
            self.map_for_all(start, limit);
            self.ranges[above].start = start;
        } else if self.range_count < RANGES {
            self.map_for_all(start, end);
            self.ranges[self.range_count] = AddressRange { start, end };
            self.range_count += 1;
        } else {
            self.full = 1;
            self.memories[..self.memory_count]
                .iter_mut()
                .for_each(ThreadMemory::give_up);
        }
        if end > rest {
            self.add_pages(rest, end);
        }
    }

    fn map_for_all(&mut self, start: u64, end: u64) {
        for memory in &mut self.memories[..self.memory_count] {
            if memory.complete != 0 && !map(start, end, memory.distance) {
                memory.give_up();
            }
        }
    }

    /// Has this thread run native code that counts for itself, if it can.
    pub(crate) fn give(&mut self, state: &mut State) -> bool {
        let may = self.give_memory(state);
        // While the table is locked: who adds counters that this thread cannot have takes it back.
        state.native |= u32::from(may);
        may
    }

    fn give_memory(&mut self, state: &mut State) -> bool {
        let thread = sys::thread();
        if thread == self.first || self.range_count == 0 {
            return true;
        }
        if self.full != 0 {
            return false;
        }
        let known = self.memories[..self.memory_count]
            .iter()
            .position(|memory| memory.thread == thread);
        let Some(index) = known.or_else(|| self.unused()).or_else(|| self.another()) else {
            return false;
        };
        let memory = &mut self.memories[index];
        memory.thread = thread;
        memory.native = &raw mut state.native as usize;
        memory.complete != 0 && set_segment_base(memory.distance)
    }

    /// Memory of a thread that is gone.
    fn unused(&mut self) -> Option<usize> {
        let all = self.memory_count;
        let looks = if all < THREADS { all.min(LOOKS) } else { all };
        let found = (0..looks).find_map(|n| {
            let index = (self.next_look + n) % all;
            let memory = &self.memories[index];
            (memory.complete != 0 && sys::thread_gone(memory.thread)).then_some(index)
        });
        self.next_look = found.map_or(self.next_look + looks, |index| index + 1);
        found
    }

    /// New memory.
    fn another(&mut self) -> Option<usize> {
        if self.memory_count == THREADS {
            return None;
        }
        let ranges = &self.ranges[..self.range_count];
        let lowest = ranges.iter().map(|range| range.start).min()?;
        let highest = ranges.iter().map(|range| range.end).max()?;
        let down = highest >= LIBRARIES;
        if down && !(lowest >= PROGRAM && has_instruction()) || (P1_BASE..PROGRAM).contains(&lowest)
        {
            return None;
        }
        let step = (self.next_step..self.next_step + TRIES).find(|step| {
            let distance = distance(step + 1, down);
            let mapped = ranges
                .iter()
                .take_while(|range| map(range.start, range.end, distance))
                .count();
            let all = mapped == ranges.len();
            if !all {
                for range in &ranges[..mapped] {
                    // SAFETY: just mapped, and nobody's.
                    unsafe {
                        sys::unmap(
                            range.start.wrapping_add(distance) as *mut u8,
                            range.end - range.start,
                        );
                    }
                }
            }
            all
        });
        self.next_step = step.map_or(self.next_step + TRIES, |step| step + 1);
        let index = self.memory_count;
        self.memories[index] = ThreadMemory {
            thread: 0,
            complete: 1,
            distance: distance(step? + 1, down),
            native: 0,
        };
        self.memory_count += 1;
        Some(index)
    }
}

impl ThreadMemory {
    /// The thread that has it runs tracked code from its next call on.
    fn give_up(&mut self) {
        self.complete = 0;
        if self.native != 0 && !sys::thread_gone(self.thread) {
            // SAFETY: the word is the thread's as long as it lives.
            unsafe { AtomicU32::from_ptr(self.native as *mut u32) }.store(0, Ordering::Relaxed);
        }
    }
}

fn distance(steps: u64, down: bool) -> u64 {
    let distance = steps.wrapping_mul(STEP);
    if down {
        distance.wrapping_neg()
    } else {
        distance
    }
}

/// Maps memory at a distance from counters.
fn map(start: u64, end: u64, distance: u64) -> bool {
    end - start < STEP && sys::map_where_free(start.wrapping_add(distance), end - start).is_ok()
}

/// Whether programs may use `wrgsbase`.
fn has_instruction() -> bool {
    const AT_HWCAP2: u64 = 26;
    const FSGSBASE: u64 = 1 << 1;
    let address = weak!("getauxval");
    if address.is_null() {
        return false;
    }
    // SAFETY: this is the function's type.
    let value: extern "C" fn(u64) -> u64 = unsafe { core::mem::transmute(address) };
    value(AT_HWCAP2) & FSGSBASE != 0
}

fn segment_base() -> u64 {
    sys::segment_base().unwrap_or(0)
}

fn set_segment_base(base: u64) -> bool {
    if base < 1 << 47 {
        return sys::set_segment_base(base).is_ok();
    }
    // Whoever has the register for itself, as `parascan ilp` has it, lets nobody set it.
    if sys::set_segment_base(0).is_err() {
        return false;
    }
    // SAFETY: `another` saw that the processor has the instruction and the system allows it.
    unsafe { asm!("wrgsbase {}", in(reg) base, options(nostack, preserves_flags)) };
    true
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Tables set a register of threads, and use the same distances.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    /// A place for counters below libraries, and one among them.
    const LOW: u64 = 0x5000_0000_0000;
    const HIGH: u64 = 0x7400_0000_0000;

    fn table() -> Box<ThreadTable> {
        // SAFETY: zeros are a table.
        let mut table: Box<ThreadTable> = unsafe { Box::new_zeroed().assume_init() };
        table.measure_here();
        table
    }

    fn state() -> Box<State> {
        // SAFETY: numbers and addresses.
        unsafe { Box::new_zeroed().assume_init() }
    }

    fn ranges(table: &ThreadTable) -> Vec<(u64, u64)> {
        let ranges = &table.ranges[..table.range_count];
        ranges
            .iter()
            .map(|range| (range.start, range.end))
            .collect()
    }

    /// Adds to the counter at an address as native code does; what it is then.
    fn count(address: u64) -> u64 {
        let count;
        // SAFETY: the test mapped it, in this thread's distance.
        unsafe {
            asm!("inc qword ptr gs:[{0}]", "mov {1}, qword ptr gs:[{0}]", in(reg) address, out(reg) count);
        }
        count
    }

    #[test]
    fn ranges_grow_towards_what_is_near() {
        let mut table = table();
        table.add(LOW + 0x10, LOW + 0x20);
        table.add(LOW + 0x3000, LOW + 0x4001);
        assert_eq!(ranges(&table), [(LOW, LOW + 0x5000)]);
        let far = LOW + 3 * NEAR;
        table.add(far, far + 8);
        assert_eq!(table.range_count, 2);
        // Between both: the one below, up to the other.
        table.add(far - PAGE, far + 2 * PAGE);
        assert_eq!(ranges(&table)[1], (far - PAGE, far + 2 * PAGE));
        table.add(LOW + NEAR, far - NEAR);
        table.add(far - 2 * NEAR, far);
        assert_eq!(table.range_count, 2);
        assert_eq!(ranges(&table)[0].1, far - PAGE);
    }

    #[test]
    fn ranges_beyond_the_table_leave_threads_in_tracked_code() {
        let mut table = table();
        for n in 0..=RANGES as u64 {
            table.add(LOW + 2 * n * NEAR, LOW + 2 * n * NEAR + 8);
        }
        let given = std::thread::scope(|scope| scope.spawn(|| table.give(&mut state())).join());
        assert_eq!(given.ok(), Some(false));
    }

    #[test]
    fn threads_count_for_themselves_and_leave_their_memory_to_others() {
        let _one = ONE_AT_A_TIME.lock();
        for place in [LOW, HIGH] {
            if place == HIGH && !has_instruction() {
                continue;
            }
            let mut table = table();
            sys::map_where_free(place, PAGE).expect("free");
            table.add(place, place + PAGE);
            let first = count(place);
            for _ in 0..3 {
                let counts = || {
                    assert!(table.give(&mut state()));
                    let before = count(place);
                    assert_eq!(count(place), before + 1);
                    sys::thread()
                };
                let ended = std::thread::scope(|scope| scope.spawn(counts).join());
                let thread = ended.expect("no panic");
                // The kernel says so a little later than whoever waits for a thread.
                while !sys::thread_gone(thread) {
                    std::thread::yield_now();
                }
            }
            assert_eq!(count(place), first + 1, "the first thread's is its own");
            assert_eq!(table.memory_count, 1, "one after the other");
            // SAFETY: the test's own.
            unsafe { sys::unmap(place as *mut u8, PAGE) };
        }
    }

    #[test]
    fn threads_that_can_have_no_more_memory_go_on_in_tracked_code() {
        let _one = ONE_AT_A_TIME.lock();
        let mut table = table();
        let place = LOW + 0x100_0000;
        sys::map_where_free(place, PAGE).expect("free");
        table.add(place, place + PAGE);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut state = state();
                assert!(table.give(&mut state));
                let distance = table.memories[0].distance;
                table.add(place + PAGE, place + 2 * PAGE);
                assert_eq!(state.native, 1);
                let blocked = place.wrapping_add(distance) + 2 * PAGE;
                sys::map_where_free(blocked, PAGE).expect("free");
                table.add(place + 2 * PAGE, place + 3 * PAGE);
                // SAFETY: the table has the word's address, too.
                assert_eq!(unsafe { (&raw const state.native).read_volatile() }, 0);
            });
        });
        assert_eq!(table.memories[0].complete, 0);
        // SAFETY: the test's own.
        unsafe { sys::unmap(place as *mut u8, PAGE) };
    }
}
