//! The clock of events: processor ticks where they are steady, else the system's clock.

use std::sync::OnceLock;

/// Whether the processor's counter runs at one rate in all states and on all processors.
pub fn steady() -> bool {
    static STEADY: OnceLock<bool> = OnceLock::new();
    *STEADY.get_or_init(|| {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::__cpuid;
            let largest = __cpuid(0x8000_0000).eax;
            largest >= 0x8000_0007 && __cpuid(0x8000_0007).edx & (1 << 8) != 0
        }
        #[cfg(not(target_arch = "x86_64"))]
        false
    })
}

/// Nanoseconds of `CLOCK_MONOTONIC`.
pub fn nanoseconds() -> u64 {
    read(libc::CLOCK_MONOTONIC).unwrap_or(0)
}

/// Processor time of the calling thread in nanoseconds.
pub fn processor_time() -> u64 {
    read(libc::CLOCK_THREAD_CPUTIME_ID).unwrap_or(0)
}

/// The clock of a thread's processor time, by the thread's system-wide number: the encoding of Linux, which all threads
/// of the process may read. (`pthread_getcpuclockid` gives the same, but must not be called for threads that may have
/// ended.)
pub fn of_thread(id: libc::pid_t) -> libc::clockid_t {
    const OF_A_THREAD: libc::clockid_t = 4;
    const TIME_THAT_IT_RAN: libc::clockid_t = 2;
    !id << 3 | OF_A_THREAD | TIME_THAT_IT_RAN
}

/// Nanoseconds of a clock; None when it does not exist (any more).
pub fn read(clock: libc::clockid_t) -> Option<u64> {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is writable.
    let failed = unsafe { libc::clock_gettime(clock, &mut time) };
    (failed == 0).then(|| time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

/// The present time in ticks: of the processor's time stamp counter where that is steady, nanoseconds otherwise.
#[inline]
pub fn now() -> u64 {
    #[cfg(target_arch = "x86_64")]
    if STEADY.load(std::sync::atomic::Ordering::Relaxed) {
        // SAFETY: every x86-64 processor has the instruction.
        return unsafe { std::arch::x86_64::_rdtsc() };
    }
    nanoseconds()
}

/// [`steady`] for the fast path.
static STEADY: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

/// Chooses the clock; to be called before the first [`now`].
pub fn choose() {
    STEADY.store(steady(), std::sync::atomic::Ordering::Relaxed);
}
