//! Clocks, and waiting.

use crate::call::call;

const NANOSLEEP: usize = 35;
const CLOCK_GETTIME: usize = 228;

/// Seconds since a moment that does not change while the machine runs.
pub fn seconds() -> u64 {
    const MONOTONIC_COARSE: usize = 6;
    time(MONOTONIC_COARSE)[0]
}

/// Processor time of this thread in milliseconds.
pub fn thread_milliseconds() -> u64 {
    const THREAD_CPUTIME: usize = 3;
    let [seconds, nanoseconds] = time(THREAD_CPUTIME);
    seconds * 1000 + nanoseconds / 1_000_000
}

/// Seconds and nanoseconds by a clock of the system.
fn time(clock: usize) -> [u64; 2] {
    let mut time = [0_u64; 2];
    // SAFETY: the kernel writes two words.
    let _ = unsafe {
        call(
            CLOCK_GETTIME,
            [clock, time.as_mut_ptr() as usize, 0, 0, 0, 0],
        )
    };
    time
}

/// Sleeps for so many nanoseconds, fewer than those of a second; a signal may end that earlier.
pub fn sleep(nanoseconds: u64) {
    let time = [0, nanoseconds];
    // SAFETY: the kernel reads two words.
    let _ = unsafe { call(NANOSLEEP, [time.as_ptr() as usize, 0, 0, 0, 0, 0]) };
}
