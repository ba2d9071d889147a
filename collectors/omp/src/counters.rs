//! Counters of one thread: the kernel's clock of its processor time, what it asked for of `perf_event_open`, page
//! faults and switches.
//!
//! The first two can be read by any thread of the process, and are, when the run is cut ([`ThreadCounters::read`]).
//! Faults and switches only the thread itself can read at little cost ([`ThreadCounters::usage`]). Where it was asked
//! for, a thread reads all of its own whenever it comes to another node ([`ThreadCounters::own`], `tracker/counts.rs`).

use std::sync::OnceLock;
use std::sync::atomic::AtomicI32;
use std::sync::atomic::Ordering::Relaxed;

use parascan_abi::omp::{
    ASKED_COUNTERS, COUNTERS, ENV_COUNTERS, ENV_REGION_COUNTERS, PLAIN_COUNTERS,
};

use crate::{clock, log};

/// Bits of those that only the thread itself reads.
pub const OWN: u64 = 0b11110;
/// Bits of those that are always there.
pub const PLAIN: u64 = (1 << PLAIN_COUNTERS) - 1;

/// The first version of `perf_event_attr`.
#[repr(C)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    period: u64,
    sample: u64,
    format: u64,
    flags: u64,
    wakeup: u32,
    breakpoint: u32,
    breakpoint_address: u64,
}

/// Only what the program itself does: neither kernel nor hypervisor.
const EXCLUDE_KERNEL_AND_HYPERVISOR: u64 = 1 << 5 | 1 << 6;
/// Counts all the time or not at all: with more counters than the processor has, the kernel would else take turns, and
/// the values be a part of the truth.
const PINNED: u64 = 1 << 2;

/// The counters of a thread. All values count from where the thread was first seen.
#[derive(Debug)]
pub struct ThreadCounters {
    /// Its processor time, as a clock.
    clock: libc::clockid_t,
    /// Processor time, faults and switches when it was first seen.
    start: [u64; PLAIN_COUNTERS],
    /// Those asked for, in their order; -1 where there is none.
    files: [AtomicI32; ASKED_COUNTERS],
}

/// Values, and a bit for each that was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// By the indices of [`COUNTERS`].
    pub values: [u64; COUNTERS],
    /// What was read.
    pub known: u64,
}

/// Processor time, faults and switches of the calling thread since it began.
pub fn plain() -> [u64; PLAIN_COUNTERS] {
    let [minor, major, voluntary, involuntary] = faults_and_switches();
    let time = clock::processor_time();
    [time, minor, major, voluntary, involuntary]
}

fn faults_and_switches() -> [u64; PLAIN_COUNTERS - 1] {
    // SAFETY: all-zero is a valid `rusage`, and the call writes only there.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_THREAD, &mut usage);
        usage
    };
    [
        usage.ru_minflt as u64,
        usage.ru_majflt as u64,
        usage.ru_nvcsw as u64,
        usage.ru_nivcsw as u64,
    ]
}

/// What was asked for: kinds and configurations.
fn asked() -> &'static [(u32, u64)] {
    static ASKED: OnceLock<Vec<(u32, u64)>> = OnceLock::new();
    ASKED.get_or_init(|| {
        let text = std::env::var(ENV_COUNTERS).unwrap_or_default();
        let pair = |word: &str| {
            let (kind, config) = word.split_once(':')?;
            Some((kind.parse().ok()?, config.parse().ok()?))
        };
        text.split(',')
            .filter_map(pair)
            .take(ASKED_COUNTERS)
            .collect()
    })
}

/// Whether counters are read whenever a thread comes to another node.
pub fn of_regions() -> bool {
    static WANTED: OnceLock<bool> = OnceLock::new();
    *WANTED.get_or_init(|| std::env::var_os(ENV_REGION_COUNTERS).is_some_and(|v| !v.is_empty()))
}

/// Bits of those that count nanoseconds on a processor: no more than go by.
pub fn times() -> u64 {
    const SOFTWARE: u32 = 1;
    // The kernel's `cpu-clock` and `task-clock`.
    let clocks = |&&(kind, config): &&(u32, u64)| kind == SOFTWARE && config <= 1;
    let asked = (0..).zip(asked()).filter(|(_, pair)| clocks(pair));
    asked.fold(1, |bits, (index, _)| bits | 1 << (PLAIN_COUNTERS + index))
}

impl ThreadCounters {
    /// Starts counting for the calling thread, whose counters were at `start` when it was first seen. Counters that do
    /// not exist are noted in the log and stay 0.
    pub fn open(start: [u64; PLAIN_COUNTERS]) -> Self {
        let files = [const { AtomicI32::new(-1) }; ASKED_COUNTERS];
        for (index, &(kind, config)) in asked().iter().enumerate() {
            let attributes = Attributes {
                kind,
                size: size_of::<Attributes>() as u32,
                config,
                period: 0,
                sample: 0,
                format: 0,
                flags: EXCLUDE_KERNEL_AND_HYPERVISOR | PINNED,
                wakeup: 0,
                breakpoint: 0,
                breakpoint_address: 0,
            };
            const CLOSE_ON_EXEC: libc::c_ulong = 8;
            // SAFETY: the attributes are of the size that they name; this thread, any processor, no group.
            let file = unsafe {
                libc::syscall(
                    libc::SYS_perf_event_open,
                    &raw const attributes,
                    0,
                    -1,
                    -1,
                    CLOSE_ON_EXEC,
                )
            };
            files[index].store(file as libc::c_int, Relaxed);
            if file < 0 {
                missing(index);
            }
        }
        // SAFETY: no arguments.
        let id = unsafe { libc::gettid() };
        Self {
            clock: clock::of_thread(id),
            start,
            files,
        }
    }

    /// What any thread can read: processor time and what was asked for. When the thread has ended, there is no clock
    /// any more.
    pub fn read(&self) -> Reading {
        self.read_by(self.clock)
    }

    /// Reads all counters; the calling thread must be the one whose counters these are.
    pub fn own(&self) -> Reading {
        let mut reading = self.read_by(libc::CLOCK_THREAD_CPUTIME_ID);
        let usage = self.usage();
        reading.values[1..PLAIN_COUNTERS].copy_from_slice(&usage.values[1..PLAIN_COUNTERS]);
        reading.known |= OWN;
        reading
    }

    /// Processor time by that clock, and what was asked for.
    fn read_by(&self, clock: libc::clockid_t) -> Reading {
        let mut reading = Reading::default();
        if let Some(time) = clock::read(clock) {
            reading.values[0] = time.saturating_sub(self.start[0]);
            reading.known = 1;
        }
        for (index, place) in self.files.iter().enumerate() {
            let file = place.load(Relaxed);
            if file < 0 {
                continue;
            }
            let mut value = 0u64;
            // SAFETY: eight writable bytes.
            let length = unsafe { libc::read(file, (&raw mut value).cast(), 8) };
            if length == 8 {
                reading.values[PLAIN_COUNTERS + index] = value;
                reading.known |= 1 << (PLAIN_COUNTERS + index);
            } else {
                // The kernel ends the counting of what found no place on the processor.
                missing(index);
                place.store(-1, Relaxed);
            }
        }
        reading
    }

    /// Faults and switches; of the calling thread, which must be the counters' own.
    pub fn usage(&self) -> Reading {
        let mut reading = Reading {
            known: OWN,
            ..Reading::default()
        };
        let mine = reading.values[1..].iter_mut().zip(&self.start[1..]);
        for ((value, start), now) in mine.zip(faults_and_switches()) {
            *value = now.saturating_sub(*start);
        }
        reading
    }
}

/// Notes that a counter does not count, for readers of the log.
fn missing(index: usize) {
    if let Some(header) = log::header() {
        header.no_counter.fetch_or(1 << index, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::AsRawFd;
    use std::sync::atomic::AtomicI32;
    use std::sync::mpsc::channel;
    use std::time::{Duration, Instant};

    use super::{OWN, ThreadCounters, plain};
    use crate::clock;

    fn counters(files: [i32; 4]) -> ThreadCounters {
        // SAFETY: no arguments.
        let id = unsafe { libc::gettid() };
        ThreadCounters {
            clock: clock::of_thread(id),
            start: plain(),
            files: files.map(AtomicI32::new),
        }
    }

    #[test]
    fn a_counter_that_ends_is_not_known() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        for value in [7u64, 9] {
            writer.write_all(&value.to_ne_bytes()).unwrap();
        }
        drop(writer);
        let counters = counters([-1, reader.as_raw_fd(), -1, -1]);
        for (value, known) in [(7, 0b100_0001), (9, 0b100_0001), (0, 1), (0, 1)] {
            let reading = counters.read();
            assert_eq!((reading.values[6], reading.known), (value, known));
        }
    }

    /// Another thread reads what this one spends, as of the moment of the reading, and nothing of a thread that has
    /// ended.
    #[test]
    fn processor_time_is_read_from_outside() {
        let (mine, yours) = channel();
        let (end, ended) = channel::<()>();
        let worker = std::thread::spawn(move || {
            let counters = counters([-1; 4]);
            let begun = clock::processor_time();
            while clock::processor_time() < begun + 3_000_000 {}
            assert_eq!(counters.usage().known, OWN);
            mine.send(counters).unwrap();
            ended.recv().unwrap();
        });
        let counters = yours.recv().unwrap();
        let reading = counters.read();
        assert_eq!(reading.known, 1);
        assert!(reading.values[0] >= 3_000_000, "{reading:?}");
        let later = counters.read().values[0];
        assert!(later - reading.values[0] < 1_000_000, "it sleeps: {later}");
        end.send(()).unwrap();
        worker.join().unwrap();
        // That one has joined it does not mean yet that the kernel has forgotten it.
        let deadline = Instant::now() + Duration::from_secs(10);
        while counters.read().known != 0 {
            assert!(
                Instant::now() < deadline,
                "the clock of a thread that ended"
            );
            std::thread::yield_now();
        }
    }
}
