//! Operations by level in as many bins as were asked for, of all levels or of some: what profiles of 1024 bins are too
//! coarse for.

use parascan_isa::HistogramClass;

use super::lanes::{Lanes, Level};
use crate::options::NarrowBins;
use crate::result::{Detail, LevelHistogram};

/// Numbers of a bin, by class.
type Bin = [u64; HistogramClass::ALL.len()];

/// What is counted closely, in each lane.
#[derive(Debug)]
pub struct NarrowHistogram {
    wanted: NarrowBins,
    lanes: Vec<Lane>,
}

/// Bins of a lane, as wide as they have to be until now.
#[derive(Clone, Debug, Default)]
struct Lane {
    shift: u32,
    /// Up to the last one with operations.
    bins: Vec<Bin>,
}

impl NarrowHistogram {
    /// Bins for so many lanes, in which nothing was counted yet.
    pub fn new(wanted: NarrowBins, lanes: usize) -> Self {
        Self {
            wanted,
            lanes: vec![Lane::default(); lanes],
        }
    }

    /// Counts instances with their columns, in all lanes.
    #[cold]
    #[inline(never)]
    pub fn all<L: Level, const N: usize>(&mut self, levels: &[Lanes<L, N>], columns: &[u8]) {
        for lane in 0..self.lanes.len() {
            for (levels, &column) in levels.iter().zip(columns) {
                self.one(lane, levels.0[lane].number(), column);
            }
        }
    }

    /// Counts an instance in one lane. Columns beyond those of the classes are not counted.
    pub fn one(&mut self, lane: usize, level: u64, column: u8) {
        let NarrowBins { first, last, bins } = self.wanted;
        // An operation of level 0 is shown at level 1.
        let level = level.max(1);
        if usize::from(column) >= HistogramClass::ALL.len() || level < first || level > last {
            return;
        }
        let lane = &mut self.lanes[lane];
        while (level - first) >> lane.shift >= bins as u64 {
            lane.double();
        }
        let bin = ((level - first) >> lane.shift) as usize;
        if bin >= lane.bins.len() {
            lane.bins.resize(bin + 1, Bin::default());
        }
        lane.bins[bin][usize::from(column)] += 1;
    }

    /// What was counted in a lane.
    pub fn finish(&mut self, lane: usize) -> Detail {
        let Lane { shift, bins } = std::mem::take(&mut self.lanes[lane]);
        Detail {
            first: self.wanted.first,
            last: self.wanted.last,
            profile: LevelHistogram { shift, bins },
        }
    }
}

impl Lane {
    /// Puts every two bins together.
    fn double(&mut self) {
        let used = self.bins.len().div_ceil(2);
        for bin in 0..used {
            let second = self.bins.get(2 * bin + 1).copied().unwrap_or_default();
            let first = self.bins[2 * bin];
            self.bins[bin] = std::array::from_fn(|kind| first[kind] + second[kind]);
        }
        self.bins.truncate(used);
        self.shift += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(first: u64, last: u64, bins: usize) -> NarrowBins {
        NarrowBins { first, last, bins }
    }

    /// One class of all bins.
    fn counts(close: &mut NarrowHistogram) -> (u32, Vec<u64>) {
        let LevelHistogram { shift, bins } = close.finish(0).profile;
        (shift, bins.iter().map(|bin| bin[2]).collect())
    }

    #[test]
    fn each_level_has_a_bin_until_there_are_too_many() {
        let mut close = NarrowHistogram::new(wanted(1, u64::MAX, 4), 1);
        for level in [0, 1, 2, 4, 4] {
            close.one(0, level, 2);
        }
        close.one(0, 1000, HistogramClass::ALL.len() as u8);
        let mut same = NarrowHistogram::new(wanted(1, u64::MAX, 4), 1);
        for level in [0, 1, 2, 4, 4, 9] {
            same.one(0, level, 2);
        }
        assert_eq!(counts(&mut close), (0, vec![2, 1, 0, 2]));
        // Levels 1 to 4, 5 to 8, 9 to 12.
        assert_eq!(counts(&mut same), (2, vec![5, 0, 1]));
    }

    #[test]
    fn levels_outside_are_not_looked_at() {
        let mut close = NarrowHistogram::new(wanted(5, 7, 4), 1);
        for level in [0, 4, 5, 7, 7, 8, u64::MAX] {
            close.one(0, level, 2);
        }
        assert_eq!(counts(&mut close), (0, vec![1, 0, 2]));
    }

    #[test]
    fn the_deepest_level_fits_into_one_bin() {
        let mut close = NarrowHistogram::new(wanted(1, u64::MAX, 1), 1);
        close.one(0, 1, 2);
        close.one(0, u64::MAX >> 1, 2);
        assert_eq!(counts(&mut close), (63, vec![2]));
    }
}
