//! Counters of the kernel's (`perf_event_open`) for one thread: hardware ones where the machine has them, and its own.

use std::sync::OnceLock;
use std::sync::atomic::Ordering::Relaxed;

use parascan_abi::omp::{ASKED_COUNTERS, ENV_COUNTERS};

use crate::log;

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
/// Counts all the time or not at all: with more counters than the processor has, the kernel would else take turns, and the
/// values be a part of the truth.
const PINNED: u64 = 1 << 2;

/// The counters of a thread, by the order in which they were asked for.
#[derive(Debug)]
pub struct Counters {
    files: [libc::c_int; ASKED_COUNTERS],
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

impl Counters {
    /// Starts counting for the calling thread. Counters that do not exist are noted in the log and stay 0.
    pub fn open() -> Self {
        let mut files = [-1; ASKED_COUNTERS];
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
            files[index] = file as libc::c_int;
            if file < 0 {
                missing(index);
            }
        }
        Self { files }
    }

    /// Their values; 0 for what does not count.
    pub fn read(&mut self) -> [u64; ASKED_COUNTERS] {
        let mut values = [0; ASKED_COUNTERS];
        for (index, (file, value)) in self.files.iter_mut().zip(&mut values).enumerate() {
            if *file < 0 {
                continue;
            }
            // SAFETY: eight writable bytes.
            let length = unsafe { libc::read(*file, std::ptr::from_mut(value).cast(), 8) };
            // The kernel ends the counting of what found no place on the processor.
            if length != 8 {
                missing(index);
                *file = -1;
            }
        }
        values
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

    use super::Counters;

    #[test]
    fn a_counter_that_ends_stays_at_nothing() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        for value in [7u64, 9] {
            writer.write_all(&value.to_ne_bytes()).unwrap();
        }
        drop(writer);
        let mut counters = Counters {
            files: [-1, reader.as_raw_fd(), -1, -1],
        };
        assert_eq!(counters.read(), [0, 7, 0, 0]);
        assert_eq!(counters.read(), [0, 9, 0, 0]);
        assert_eq!(counters.read(), [0; 4]);
        assert_eq!(counters.files, [-1; 4]);
    }
}
