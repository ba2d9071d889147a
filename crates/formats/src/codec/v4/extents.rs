//! Section 9 as postcard values: where loops end in the source, and what they keep beside minima and maxima. Frozen once released.

use serde::{Deserialize, Serialize};

use super::FormatError;
use super::v2::out_of_range;
use crate::codec::capped::Capped;
use crate::profile::Profile;
use crate::source::{Best, LoopSource};

/// Section 9.
#[derive(Serialize, Deserialize)]
pub(super) struct Section {
    /// Regions with source facts, for which there is more to say.
    loops: Capped<(u32, WireExtent)>,
}

#[derive(Serialize, Deserialize)]
struct WireExtent {
    last_line: u32,
    descends: bool,
    best: Capped<WireBest>,
}

#[derive(Serialize, Deserialize)]
struct WireBest {
    value: String,
    is_minimum: bool,
    position: String,
    others: Capped<String>,
}

impl Section {
    pub(super) fn of(profile: &Profile) -> Self {
        let regions = (0..).zip(&profile.regions);
        let wire = |source: &LoopSource| {
            let says = source.last_line != 0 || source.descends || !source.best.is_empty();
            says.then(|| WireExtent {
                last_line: source.last_line,
                descends: source.descends,
                best: source.best.iter().map(to_wire).collect(),
            })
        };
        let loops = regions.filter_map(|(n, r)| Some((n, wire(r.fixed.source.as_ref()?)?)));
        Self {
            loops: loops.collect(),
        }
    }

    pub(super) fn add_to(self, profile: &mut Profile) -> Result<(), FormatError> {
        let len = profile.regions.len();
        for (index, (number, wire)) in self.loops.into_iter().enumerate() {
            let region = profile.regions.get_mut(number as usize);
            let Some(source) = region.and_then(|r| r.fixed.source.as_mut()) else {
                let to = "region with source facts";
                return Err(out_of_range("end of a loop", index, to, number, len));
            };
            source.last_line = wire.last_line;
            source.descends = wire.descends;
            source.best = wire.best.into_iter().map(from_wire).collect();
        }
        Ok(())
    }
}

fn to_wire(best: &Best) -> WireBest {
    WireBest {
        value: best.value.clone(),
        is_minimum: best.is_minimum,
        position: best.position.clone(),
        others: best.others.iter().cloned().collect(),
    }
}

fn from_wire(wire: WireBest) -> Best {
    Best {
        value: wire.value,
        is_minimum: wire.is_minimum,
        position: wire.position,
        others: wire.others.into_iter().collect(),
    }
}
