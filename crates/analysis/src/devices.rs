//! What runs a region in place of a team of threads: the vector unit of a core, or a device with memory of its own.
//!
//! **Vectors.** A loop over elements of *e* bytes does *l = vector bytes / e* iterations at a time. Accesses that do
//! not go from one element to the next (jumps, indices that were loaded) fill vectors one by one. How much of a loop's
//! work they are is not known: of *s* streams, *g* of them such, the share *g / 2s* of the work is expected to gain
//! nothing. An estimate, between nothing and *l* times.
//!
//! **Devices.** An instance of *n* iterations takes *W / (f min(1, n / t))* on a device that is *f* times as fast as a
//! core when *t* iterations keep it busy; it has to be started, and what it touches has to be copied there and back,
//! for every instance, unless somebody keeps it there.

use parascan_formats::module::{AddressStep, MemoryStream};
use serde::{Deserialize, Serialize};

use crate::Error;

/// A device with memory of its own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// How many times as fast as one core it is when it is busy.
    pub faster: f64,
    /// Iterations that keep it busy.
    pub threads: u32,
    /// To start an instance, in nanoseconds.
    pub launch_ns: f64,
    /// Bytes that are copied to or from it in a nanosecond.
    pub bytes_per_ns: f64,
}

impl Device {
    /// Checks ranges.
    ///
    /// # Errors
    /// The first figure that cannot be.
    pub fn check(&self) -> Result<(), Error> {
        for (name, value, positive) in [
            ("device.faster", self.faster, true),
            ("device.threads", f64::from(self.threads), true),
            ("device.launch_ns", self.launch_ns, false),
            ("device.bytes_per_ns", self.bytes_per_ns, true),
        ] {
            if !(value.is_finite() && (value > 0.0 || !positive && value == 0.0)) {
                return Err(Error::threshold(
                    name,
                    value,
                    "it is more than 0, a time 0 or more",
                ));
            }
        }
        Ok(())
    }

    /// Share of an instance's time on a core that it takes here, with so many iterations; more than 1 where they are
    /// too few.
    pub(crate) fn share(&self, iterations: f64) -> f64 {
        let busy = (iterations / f64::from(self.threads)).min(1.0);
        1.0 / (self.faster * busy)
    }
}

/// How a loop uses vectors.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Vectors {
    /// Bytes of the widest element.
    pub(crate) element: u32,
    /// Elements in a vector.
    pub(crate) lanes: f64,
    /// Share of the loop's time that it is expected to take with vectors.
    pub(crate) share: f64,
    /// What is not accessed from one element to the next, and how, in words.
    pub(crate) scattered: Vec<String>,
}

/// Bytes of an element where no stream says.
const ELEMENT: u32 = 8;

impl Vectors {
    /// Of a loop with these streams, with vectors of so many bytes.
    pub(crate) fn of(streams: &[MemoryStream], vector_bytes: u32) -> Self {
        let moving = || {
            streams.iter().filter(|s| {
                s.steps
                    .first()
                    .is_some_and(|step| *step != AddressStep::Same)
            })
        };
        let element = moving().map(|s| s.bytes).max().unwrap_or(ELEMENT).max(1);
        let lanes = f64::from((vector_bytes / element).max(1));
        let mut scattered = Vec::new();
        for stream in moving() {
            let name = match stream.name.as_str() {
                "" => format!("what line {} accesses", stream.line),
                name => format!("`{name}`"),
            };
            match stream.steps[0] {
                AddressStep::By(by) if by.unsigned_abs() == u64::from(stream.bytes) => {}
                AddressStep::By(by) => scattered.push(format!("{name} in steps of {by} bytes")),
                AddressStep::Moves => {
                    scattered.push(format!("{name} in steps that are not constant"))
                }
                _ => scattered.push(format!("{name} wherever something loaded leads")),
            }
        }
        let part = match moving().count() {
            0 => 0.0,
            all => scattered.len() as f64 / (2 * all) as f64,
        };
        scattered.dedup();
        Self {
            element,
            lanes,
            share: (1.0 - part) / lanes + part,
            scattered,
        }
    }

    /// What to know of them, in sentences; `vectorized`: whether the compiler made vector code of the loop by itself.
    pub(crate) fn words(&self, vector_bytes: u32, vectorized: Option<bool>) -> Vec<String> {
        let mut words = vec![match vectorized {
            None => "whether clang vectorizes it by itself is not known: `-Rpass=loop-vectorize` tells".to_owned(),
            Some(_) => "clang made no vector code of it by itself: `-Rpass-missed=loop-vectorize -Rpass-analysis=loop-vectorize` says why, also with \
                        the directive; where it warns that the directive changes nothing (`loop not vectorized`), take that out again"
                .to_owned(),
        }];
        words.push(format!(
            "elements of {} bytes: {} at a time in vectors of {vector_bytes} bytes",
            self.element, self.lanes
        ));
        if !self.scattered.is_empty() {
            let (listed, more) = self.scattered.split_at(self.scattered.len().min(3));
            let more = match more.len() {
                0 => String::new(),
                n => format!(", and {n} more"),
            };
            words.push(format!(
                "accesses {}{more}: vectors of these are filled one element after the other",
                listed.join(", ")
            ));
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(bytes: u32, step: AddressStep) -> MemoryStream {
        MemoryStream {
            name: "a[]".to_owned(),
            line: 3,
            base: 0,
            bytes,
            reads: true,
            writes: false,
            steps: vec![step],
        }
    }

    /// By hand: two of 8 bytes in 16; one of four streams in jumps leaves an eighth of the work as it is.
    #[test]
    fn vectors_by_hand() {
        let plain = Vectors::of(
            &[
                stream(8, AddressStep::By(8)),
                stream(8, AddressStep::By(-8)),
            ],
            16,
        );
        assert_eq!((plain.element, plain.lanes, plain.share), (8, 2.0, 0.5));
        assert!(plain.scattered.is_empty());
        let four = [
            AddressStep::By(4),
            AddressStep::By(400),
            AddressStep::By(4),
            AddressStep::By(4),
        ];
        let jumps = Vectors::of(&four.map(|step| stream(4, step)), 32);
        assert_eq!((jumps.lanes, jumps.share), (8.0, 0.875 / 8.0 + 0.125));
        assert_eq!(jumps.scattered, ["`a[]` in steps of 400 bytes"]);
        // What stays the same is one value for all; the widest element counts; nothing known: 8 bytes.
        let mixed = [
            stream(8, AddressStep::Same),
            stream(1, AddressStep::By(1)),
            stream(4, AddressStep::By(4)),
        ];
        assert_eq!(Vectors::of(&mixed, 16).lanes, 4.0);
        assert_eq!(Vectors::of(&[], 16).lanes, 2.0);
        assert_eq!(
            Vectors::of(&[stream(16, AddressStep::Irregular)], 16).lanes,
            1.0
        );
    }

    /// By hand: 20 times as fast with 10,000 iterations or more; 500 iterations take as long as on a core.
    #[test]
    fn devices_by_hand() {
        let device = Device {
            faster: 20.0,
            threads: 10_000,
            launch_ns: 0.0,
            bytes_per_ns: 12.0,
        };
        assert_eq!(device.share(50_000.0), 0.05);
        assert_eq!(device.share(500.0), 1.0);
        assert!(device.share(100.0) > 1.0);
        assert!(device.check().is_ok());
        assert!(
            Device {
                faster: 0.0,
                ..device
            }
            .check()
            .is_err()
        );
    }
}
