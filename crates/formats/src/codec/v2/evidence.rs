//! Section 7 of version 2: evidence of dependences, as postcard value. Frozen once released, and with it the types of
//! [`crate::evidence`] that it is made of: a change there is a new version of the format.

use serde::{Deserialize, Serialize};

use super::FormatError;
use crate::codec::capped::CappedList;
use crate::evidence::{Evidence, LoopEvidence, Site};
use crate::profile::Profile;

/// Section 7. A profile without evidence has one with `present` false and nothing else.
#[derive(Serialize, Deserialize)]
pub(in crate::codec) struct Section {
    present: bool,
    partial: bool,
    incomplete: bool,
    threads: bool,
    unseen: CappedList<String>,
    sites: CappedList<Site>,
    loops: CappedList<LoopEvidence>,
}

impl Section {
    pub(super) fn of(profile: &Profile) -> Self {
        let evidence = profile.evidence.clone().unwrap_or_default();
        Self {
            present: profile.evidence.is_some(),
            partial: evidence.partial,
            incomplete: evidence.incomplete,
            threads: evidence.threads,
            unseen: evidence.unseen.into_iter().collect(),
            sites: evidence.sites.into_iter().collect(),
            loops: evidence.loops.into_iter().collect(),
        }
    }

    pub(super) fn add_to(self, profile: &mut Profile) -> Result<(), FormatError> {
        let evidence = Evidence {
            partial: self.partial,
            incomplete: self.incomplete,
            threads: self.threads,
            unseen: self.unseen.0,
            sites: self.sites.0,
            loops: self.loops.0,
        };
        if self.present {
            profile.evidence = Some(evidence);
        } else if evidence != Evidence::default() {
            return Err(FormatError::Damaged {
                what: "it has evidence that it says it has not",
                offset: 0,
            });
        }
        Ok(())
    }
}
