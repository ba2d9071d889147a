//! Section 14 as postcard values: memory that loops walk over, and which are vectorized. Frozen once released.

use serde::{Deserialize, Serialize};

use crate::codec::FormatError;
use crate::codec::capped::CappedList;
use crate::codec::v2::out_of_range;
use crate::module::{AddressStep, MOST_STREAMS, MemoryStream};
use crate::profile::Profile;

/// Section 14 of a profile: memory that loops walk over, and which of them are vector code.
#[derive(Serialize, Deserialize)]
pub(super) struct Section {
    /// Regions of which any of this is known.
    loops: CappedList<WireLoop>,
}

#[derive(Serialize, Deserialize)]
struct WireLoop {
    region: u32,
    vectorized: Option<bool>,
    writes_to_frame: Option<bool>,
    streams: CappedList<WireStream, MOST_STREAMS>,
}

#[derive(Serialize, Deserialize)]
struct WireStream {
    name: String,
    line: u32,
    base: u32,
    bytes: u32,
    reads: bool,
    writes: bool,
    steps: CappedList<WireStep, 64>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
enum WireStep {
    Same,
    By(i64),
    Moves,
    Irregular,
}

impl Section {
    pub(super) fn of(profile: &Profile) -> Self {
        let regions = (0..).zip(&profile.regions);
        let with = regions.filter(|(_, region)| {
            !region.fixed.streams.is_empty()
                || region.fixed.vectorized.is_some()
                || region.fixed.writes_to_frame.is_some()
        });
        let one = |(region, of): (u32, &crate::profile::Region)| WireLoop {
            region,
            vectorized: of.fixed.vectorized,
            writes_to_frame: of.fixed.writes_to_frame,
            streams: of.fixed.streams.iter().map(to_wire).collect(),
        };
        Self {
            loops: with.map(one).collect(),
        }
    }

    pub(super) fn add_to(self, profile: &mut Profile) -> Result<(), FormatError> {
        let len = profile.regions.len();
        for (index, of) in self.loops.into_iter().enumerate() {
            let WireLoop {
                region,
                vectorized,
                writes_to_frame,
                streams,
            } = of;
            let Some(of) = profile.regions.get_mut(region as usize) else {
                return Err(out_of_range(
                    "loop with streams",
                    index,
                    "region",
                    region,
                    len,
                ));
            };
            of.fixed.vectorized = vectorized;
            of.fixed.writes_to_frame = writes_to_frame;
            of.fixed.streams = streams.into_iter().map(from_wire).collect();
        }
        Ok(())
    }
}

fn to_wire(stream: &MemoryStream) -> WireStream {
    let step = |step: &AddressStep| match *step {
        AddressStep::Same => WireStep::Same,
        AddressStep::By(bytes) => WireStep::By(bytes),
        AddressStep::Moves => WireStep::Moves,
        AddressStep::Irregular => WireStep::Irregular,
    };
    let MemoryStream {
        name,
        line,
        base,
        bytes,
        reads,
        writes,
        steps,
    } = stream;
    WireStream {
        name: name.clone(),
        line: *line,
        base: *base,
        bytes: *bytes,
        reads: *reads,
        writes: *writes,
        steps: steps.iter().map(step).collect(),
    }
}

fn from_wire(stream: WireStream) -> MemoryStream {
    let step = |step| match step {
        WireStep::Same => AddressStep::Same,
        WireStep::By(bytes) => AddressStep::By(bytes),
        WireStep::Moves => AddressStep::Moves,
        WireStep::Irregular => AddressStep::Irregular,
    };
    let WireStream {
        name,
        line,
        base,
        bytes,
        reads,
        writes,
        steps,
    } = stream;
    MemoryStream {
        name,
        line,
        base,
        bytes,
        reads,
        writes,
        steps: steps.into_iter().map(step).collect(),
    }
}
