//! The sections that version 2 added, as postcard values. Frozen once released: a change here is a new version of the
//! format.

use serde::{Deserialize, Serialize};

use super::{FormatError, out_of_range};
use crate::codec::capped::CappedList;
use crate::profile::Profile;

/// Section 5.
#[derive(Serialize, Deserialize)]
pub(in crate::codec) struct Dependences {
    /// Contexts in which carried dependences were observed, and in how many instances there were some.
    carried: CappedList<(u32, u64)>,
}

impl Dependences {
    pub(super) fn of(profile: &Profile) -> Self {
        let contexts = (0u32..).zip(&profile.contexts);
        Self {
            carried: contexts
                .filter_map(|(number, context)| Some((number, context.carried?)))
                .collect(),
        }
    }

    pub(super) fn add_to(self, profile: &mut Profile) -> Result<(), FormatError> {
        let len = profile.contexts.len();
        for (index, (number, instances)) in self.carried.into_iter().enumerate() {
            let context = profile
                .contexts
                .get_mut(number as usize)
                .ok_or_else(|| out_of_range("carried dependence", index, "context", number, len))?;
            context.carried = Some(instances);
        }
        Ok(())
    }
}
