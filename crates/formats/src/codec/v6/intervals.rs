//! Section 11 as postcard values: intervals of self-parallelism. Frozen once released.

use serde::{Deserialize, Serialize};

use crate::codec::FormatError;
use crate::codec::capped::CappedList;
use crate::profile::{Profile, Sample};
use crate::validate::impossible;

/// Section 11: by context, half of the interval around `parallel_time`; as many as there are samples in section 10.
#[derive(Serialize, Deserialize)]
pub(in crate::codec) struct Section(CappedList<Option<f64>>);

impl Section {
    pub(super) fn of(profile: &Profile) -> Self {
        let samples = profile.bursts.iter().flat_map(|bursts| &bursts.samples);
        Self(samples.map(|sample| sample.time_error).collect())
    }

    pub(super) fn add_to(self, profile: &mut Profile) -> Result<(), FormatError> {
        let samples = profile.bursts.iter_mut().flat_map(|b| &mut b.samples);
        let samples: Vec<&mut Sample> = samples.collect();
        let Self(CappedList(errors)) = self;
        if errors.len() != samples.len() {
            let index = errors.len().min(samples.len());
            return Err(impossible("interval", index, "there is not one for each sample").into());
        }
        for (sample, error) in samples.into_iter().zip(errors) {
            sample.time_error = error;
        }
        Ok(())
    }
}
