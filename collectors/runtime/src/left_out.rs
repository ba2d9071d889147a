//! Builds that leave dependences out (`PARASCAN_WITHOUT`): of which open loops iterations do not see what earlier ones
//! wrote.

use parascan_abi::LANES;
use parascan_abi::module::RegionDesc;

use crate::tracker::RegionTracker;

/// Loops of which something may be left out; further ones are measured as they are.
const MOST: usize = 256;

/// Regions that are such loops, each with the key of what names it.
pub(crate) struct Loops {
    list: [(u32, u64); MOST],
    len: usize,
}

impl Loops {
    /// None.
    pub(crate) const fn new() -> Self {
        Self {
            list: [(0, 0); MOST],
            len: 0,
        }
    }

    /// Adds a registered region.
    pub(crate) fn add(&mut self, region: &RegionDesc, key: u64) {
        if let Some(free) = self.list.get_mut(self.len) {
            *free = (region.id, key);
            self.len += 1;
        }
    }

    fn has(&self, region: u32, key: u64) -> bool {
        self.list[..self.len].contains(&(region, key))
    }
}

impl RegionTracker {
    /// Bits (as in [`State::carried`](parascan_abi::State::carried)) of the lanes of iterations whose loops have this
    /// key. Lane 0 has none: its loop is not tracked.
    pub(crate) fn left_out(&mut self, loops: &Loops, key: u64) -> u32 {
        let mut bits = 0;
        for depth in 0..self.open {
            let iteration = (depth + 1).wrapping_sub(self.waiting.lane_0()) as usize;
            if (1..LANES).contains(&iteration) && loops.has(self.log.frames.at(depth).region, key) {
                bits |= 1 << iteration;
            }
        }
        bits
    }
}
