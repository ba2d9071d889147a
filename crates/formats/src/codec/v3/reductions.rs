//! Section 8 as postcard values: what loops do beside updating what they reduce, and what the build left out. Frozen
//! once released.

use serde::{Deserialize, Serialize};

use super::FormatError;
use super::v2::out_of_range;
use crate::codec::capped::CappedList;
use crate::module::{BrokenDependence, ReductionObstacle};
use crate::profile::Profile;

/// Section 8 of a profile: what loops do beside updating what they reduce, and what the build left out.
#[derive(Serialize, Deserialize)]
pub(in crate::codec) struct Section {
    /// Broken dependences, numbered region by region, beside which the loop does something.
    beside: CappedList<(u32, WireBeside)>,
    /// Modules and dependences that were left out in them.
    without: CappedList<(u32, String)>,
}

#[derive(Serialize, Deserialize)]
enum WireBeside {
    Read(u32),
    Set(u32),
    /// Since version 4, with 0.
    Position(u32),
}

impl Section {
    pub(super) fn of(profile: &Profile) -> Self {
        let broken = profile.regions.iter().flat_map(|r| &r.fixed.broken);
        let wire = |broken: &BrokenDependence| match broken.beside {
            ReductionObstacle::Nothing => None,
            ReductionObstacle::Read(line) => Some(WireBeside::Read(line)),
            ReductionObstacle::Set(line) => Some(WireBeside::Set(line)),
            ReductionObstacle::Position => Some(WireBeside::Position(0)),
        };
        Self {
            beside: (0..)
                .zip(broken)
                .filter_map(|(number, broken)| Some((number, wire(broken)?)))
                .collect(),
            without: (0..)
                .zip(&profile.modules)
                .flat_map(|(number, m)| m.without.iter().map(move |w| (number, w.clone())))
                .collect(),
        }
    }

    pub(super) fn add_to(self, profile: &mut Profile) -> Result<(), FormatError> {
        let regions = profile.regions.iter_mut();
        let mut broken: Vec<&mut BrokenDependence> =
            regions.flat_map(|r| &mut r.fixed.broken).collect();
        let len = broken.len();
        for (index, (number, beside)) in self.beside.into_iter().enumerate() {
            let Some(broken) = broken.get_mut(number as usize) else {
                let to = "broken dependence";
                return Err(out_of_range("note on a reduction", index, to, number, len));
            };
            broken.beside = match beside {
                WireBeside::Read(line) => ReductionObstacle::Read(line),
                WireBeside::Set(line) => ReductionObstacle::Set(line),
                WireBeside::Position(_) => ReductionObstacle::Position,
            };
        }
        let len = profile.modules.len();
        for (index, (number, without)) in self.without.into_iter().enumerate() {
            let Some(module) = profile.modules.get_mut(number as usize) else {
                return Err(out_of_range(
                    "left-out dependence",
                    index,
                    "module",
                    number,
                    len,
                ));
            };
            module.without.push(without);
        }
        Ok(())
    }
}
