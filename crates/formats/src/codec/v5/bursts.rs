//! Section 10 as postcard values: bursts and samples. Frozen once released.

use serde::{Deserialize, Serialize};

use crate::codec::capped::CappedList;
use crate::profile::{Bursts, Profile, Sample};

/// Section 10 of a profile: what bursts saw; nothing of runs that were tracked as a whole.
#[derive(Serialize, Deserialize)]
pub(in crate::codec) struct Section(Option<WireBursts>);

#[derive(Serialize, Deserialize)]
struct WireBursts {
    count: u64,
    seed: u64,
    work: u64,
    native: bool,
    ended: bool,
    /// Whole instances, segments, error.
    samples: CappedList<(u64, u64, u64)>,
}

impl Section {
    pub(super) fn of(profile: &Profile) -> Self {
        Self(profile.bursts.as_ref().map(|bursts| {
            WireBursts {
                count: bursts.count,
                seed: bursts.seed,
                work: bursts.work,
                native: bursts.native,
                ended: bursts.ended,
                samples: (bursts.samples.iter())
                    .map(|s| (s.whole, s.segments, s.error))
                    .collect(),
            }
        }))
    }

    pub(super) fn into_bursts(self) -> Option<Bursts> {
        self.0.map(|wire| Bursts {
            count: wire.count,
            seed: wire.seed,
            work: wire.work,
            native: wire.native,
            ended: wire.ended,
            native_seconds: None,
            samples: (wire.samples.into_iter())
                .map(|(whole, segments, error)| Sample {
                    whole,
                    segments,
                    error,
                    time_error: None,
                })
                .collect(),
        })
    }
}
