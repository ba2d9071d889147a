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
                flags: EXCLUDE_KERNEL_AND_HYPERVISOR,
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
            if file < 0
                && let Some(header) = log::header()
            {
                header.no_counter.fetch_or(1 << index, Relaxed);
            }
        }
        Self { files }
    }

    /// Their values.
    pub fn read(&self) -> [u64; ASKED_COUNTERS] {
        self.files.map(|file| {
            let mut value = 0u64;
            if file >= 0 {
                // SAFETY: eight writable bytes.
                unsafe { libc::read(file, (&raw mut value).cast(), size_of::<u64>()) };
            }
            value
        })
    }
}
