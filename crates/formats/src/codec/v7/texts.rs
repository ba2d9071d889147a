//! Section 12 as postcard values: the files in which loops were read, and what the run takes by itself. Frozen once
//! released.

use serde::{Deserialize, Serialize};

use crate::codec::FormatError;
use crate::codec::capped::CappedList;
use crate::codec::v2::out_of_range;
use crate::profile::Profile;
use crate::source::Fingerprint;

/// Section 12 of a profile: the files in which loops were read, and what the run takes by itself.
#[derive(Serialize, Deserialize)]
pub(in crate::codec) struct Section {
    /// Regions with source facts whose file was read.
    texts: CappedList<WireText>,
    /// Seconds; none without section 10.
    native: Option<f64>,
}

#[derive(Serialize, Deserialize)]
struct WireText {
    region: u32,
    /// Of the file.
    bytes: u64,
    checksum: u32,
    captured: CappedList<String>,
}

impl Section {
    pub(super) fn of(profile: &Profile) -> Self {
        let regions = (0..).zip(&profile.regions);
        let texts = regions.filter_map(|(number, region)| {
            let source = region.fixed.source.as_ref()?;
            let Fingerprint { bytes, checksum } = source.text?;
            Some(WireText {
                region: number,
                bytes,
                checksum,
                captured: source.captured.iter().cloned().collect(),
            })
        });
        Self {
            texts: texts.collect(),
            native: profile.bursts.as_ref().and_then(|b| b.native_seconds),
        }
    }

    pub(super) fn add_to(self, profile: &mut Profile) -> Result<(), FormatError> {
        let len = profile.regions.len();
        for (index, text) in self.texts.into_iter().enumerate() {
            let WireText {
                region,
                bytes,
                checksum,
                captured,
            } = text;
            let of = profile.regions.get_mut(region as usize);
            let Some(source) = of.and_then(|r| r.fixed.source.as_mut()) else {
                let to = "region with source facts";
                return Err(out_of_range("text", index, to, region, len));
            };
            source.text = Some(Fingerprint { bytes, checksum });
            source.captured = captured.into_iter().collect();
        }
        if let Some(bursts) = &mut profile.bursts {
            bursts.native_seconds = self.native;
        }
        Ok(())
    }
}
