//! Section 13 as postcard values: loops whose iterations grow or shrink along the loop. Frozen once released.

use serde::{Deserialize, Serialize};

use crate::codec::FormatError;
use crate::codec::capped::CappedList;
use crate::codec::v2::out_of_range;
use crate::profile::Profile;

/// Section 13 of a profile: loops whose iterations grow or shrink along the loop.
#[derive(Serialize, Deserialize)]
pub(in crate::codec) struct Section {
    /// Regions with source facts whose iterations are uneven.
    uneven: CappedList<u32>,
}

impl Section {
    pub(super) fn of(profile: &Profile) -> Self {
        let regions = (0..).zip(&profile.regions);
        let uneven = regions.filter(|(_, region)| {
            let source = region.fixed.source.as_ref();
            source.is_some_and(|source| source.uneven)
        });
        Self {
            uneven: uneven.map(|(number, _)| number).collect(),
        }
    }

    pub(super) fn add_to(self, profile: &mut Profile) -> Result<(), FormatError> {
        let len = profile.regions.len();
        for (index, region) in self.uneven.into_iter().enumerate() {
            let of = profile.regions.get_mut(region as usize);
            let Some(source) = of.and_then(|r| r.fixed.source.as_mut()) else {
                let to = "region with source facts";
                return Err(out_of_range("uneven loop", index, to, region, len));
            };
            source.uneven = true;
        }
        Ok(())
    }
}
