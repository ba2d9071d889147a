//! How fast a machine's memory is, and what that leaves of the gain of loops that stream through it.
//!
//! Threads share the way to memory: where one thread moves *b(1)* bytes in a nanosecond, *N* move *b(N)*, less than *N
//! b(1)*, and a loop that does nothing else runs at most *b(N) / b(1)* times as fast with them (the roofline model of
//! Williams, Waterman and Patterson, 2009, with one roof for one thread and another for *N*). How many bytes a loop
//! moves is an estimate (`traffic.rs`).

use serde::{Deserialize, Serialize};

use crate::Error;

/// How fast memory is, and how much the last cache holds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemorySpeed {
    /// Bytes of the last cache that cores share.
    pub cache_bytes: u64,
    /// Bytes that one thread moves in a nanosecond (GB/s).
    pub one_thread: f64,
    /// Threads of the other measurement.
    pub threads: u32,
    /// Bytes that these move together in a nanosecond.
    pub all_threads: f64,
}

impl Default for MemorySpeed {
    /// No machine's: a guess of the order of today's, which lets two threads have twice what one has.
    fn default() -> Self {
        Self {
            cache_bytes: 16 << 20,
            one_thread: 12.0,
            threads: 2,
            all_threads: 24.0,
        }
    }
}

/// How many times as much as one thread so many move, on no particular machine: twice with two, and a quarter more for
/// each more.
fn guess(threads: u32) -> f64 {
    let threads = f64::from(threads);
    threads.min(1.5 + threads / 4.0)
}

impl MemorySpeed {
    /// Bytes that so many threads move in a nanosecond: along a line between the two measurements, and beyond them as
    /// guessed.
    pub(crate) fn of_threads(&self, threads: u32) -> f64 {
        let all = self.all_threads.max(self.one_thread);
        if threads >= self.threads {
            return all * guess(threads) / guess(self.threads);
        }
        let part = f64::from(threads.max(1) - 1) / f64::from(self.threads - 1).max(1.0);
        self.one_thread + (all - self.one_thread) * part
    }

    /// How many times as fast as with one thread a loop runs with so many that only moves memory.
    pub(crate) fn most(&self, threads: u32) -> f64 {
        self.of_threads(threads) / self.one_thread
    }

    /// Checks ranges.
    ///
    /// # Errors
    /// The first figure that cannot be.
    pub fn check(&self) -> Result<(), Error> {
        for (name, value, least) in [
            ("memory.cache_bytes", self.cache_bytes as f64, 1.0),
            ("memory.one_thread", self.one_thread, f64::MIN_POSITIVE),
            ("memory.threads", f64::from(self.threads), 1.0),
            ("memory.all_threads", self.all_threads, f64::MIN_POSITIVE),
        ] {
            if !(value >= least && value.is_finite()) {
                return Err(Error::threshold(name, value, "it is more than 0"));
            }
        }
        Ok(())
    }
}

/// A region that memory holds up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MemoryBound {
    /// Bytes that an instance moves between memory and the cache, in the mean: an estimate.
    pub bytes: f64,
    /// How many times as fast the region is expected to be with all cores.
    pub speedup: f64,
}

impl MemoryBound {
    /// What it means, for so many cores; `measured`: the machine's memory was.
    pub(crate) fn words(&self, cores: u32, measured: bool) -> String {
        let machine = match measured {
            true => "as fast as this machine's was measured",
            false => "as fast as a guess has it (`parascan calibrate` measures it)",
        };
        format!(
            "memory holds it up: an instance moves about {} (an estimate, from how its accesses step), so that {cores} cores do it {:.2} times as \
             fast as one at most, with memory {machine}",
            size(self.bytes),
            self.speedup
        )
    }
}

/// A number of bytes for people.
pub(crate) fn size(bytes: f64) -> String {
    let (value, unit) = match bytes {
        b if b >= 1e9 => (b / 1e9, "GB"),
        b if b >= 1e6 => (b / 1e6, "MB"),
        b => (b / 1e3, "kB"),
    };
    let digits = usize::from(value < 10.0);
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Measured with 1 and 4 threads: 10 and 22.
    #[test]
    fn threads_share_the_way_to_memory() {
        let memory = MemorySpeed {
            cache_bytes: 1 << 20,
            one_thread: 10.0,
            threads: 4,
            all_threads: 22.0,
        };
        let of = [1, 2, 3, 4].map(|threads| memory.of_threads(threads));
        assert_eq!(of, [10.0, 14.0, 18.0, 22.0]);
        assert_eq!(memory.most(2), 1.4);
        // The guess is 2.5 times for 4 threads and 3.5 for 8.
        assert_eq!(memory.of_threads(8), 22.0 * 3.5 / 2.5);
        // More threads do not move less: what was measured is noise.
        let noise = MemorySpeed {
            all_threads: 9.0,
            ..memory
        };
        assert_eq!(noise.most(4), 1.0);
        // A guess takes nothing from two threads.
        assert_eq!(
            [1, 2, 4].map(|n| MemorySpeed::default().most(n)),
            [1.0, 2.0, 2.5]
        );
        assert!(
            MemorySpeed {
                threads: 0,
                ..memory
            }
            .check()
            .is_err()
        );
        assert!(memory.check().is_ok());
    }
}
