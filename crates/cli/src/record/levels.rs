//! Which depths each run tracks: a run has a fixed number of lanes, deeper programs take several runs.
//!
//! A run tracks as many depths as there are lanes and records one depth more; deeper regions are only counted, which
//! takes 0.46 to 0.62 of the time where programs recurse (Lua, SQLite, jsonnet, quicksort). The run of the deepest
//! range has all contexts; those of the others are matched with them in the order in which they were first entered
//! (`parascan_formats::build`).

use std::ops::Range;
use std::str::FromStr;

use parascan_abi::log::CAP_FRAMES;

/// How many depths one run tracks, unless the program's clocks are long.
pub const LANES: u32 = parascan_abi::LANES as u32;
/// Depths that a run with long clocks tracks.
pub const LONG_LANES: u32 = LANES / 2;

/// Depths that the user wants tracked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackedDepths {
    /// First depth.
    pub start: u32,
    /// First depth not wanted any more.
    pub end: u32,
}

impl FromStr for TrackedDepths {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (start, end) = text
            .split_once("..")
            .ok_or("expected A..B, for example 0..8")?;
        let number = |text: &str| {
            text.trim()
                .parse::<u32>()
                .map_err(|_| format!("`{text}` is not a depth"))
        };
        let levels = Self {
            start: number(start)?,
            end: number(end)?,
        };
        if levels.start >= levels.end {
            return Err(format!(
                "{} does not come before {}",
                levels.start, levels.end
            ));
        }
        if levels.end > CAP_FRAMES {
            return Err(format!("depths end at {CAP_FRAMES}"));
        }
        Ok(levels)
    }
}

/// Ranges of depths, one per run, that cover `levels`. Neighbours share one depth, because a region's self-parallelism
/// needs its own depth and the one below in one run. A run tracks `lanes` depths.
pub fn ranges(levels: TrackedDepths, lanes: u32) -> impl Iterator<Item = Range<u32>> {
    let steps = (levels.start..).step_by(lanes.max(2) as usize - 1);
    let mut covered = levels.start;
    steps.map_while(move |start| {
        let needed = covered < levels.end;
        covered = start + lanes;
        needed.then(|| start..covered.min(levels.end))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cover(text: &str) -> Vec<(u32, u32)> {
        ranges(text.parse().unwrap(), 8)
            .map(|r| (r.start, r.end))
            .collect()
    }

    #[test]
    fn ranges_overlap_by_one_and_end_where_asked() {
        assert_eq!(cover("0..1"), [(0, 1)]);
        assert_eq!(cover("0..8"), [(0, 8)]);
        assert_eq!(cover("0..9"), [(0, 8), (7, 9)]);
        assert_eq!(cover("0..15"), [(0, 8), (7, 15)]);
        assert_eq!(cover("0..16"), [(0, 8), (7, 15), (14, 16)]);
        assert_eq!(cover("3..12"), [(3, 11), (10, 12)]);
        assert_eq!(cover("0..64").len(), 9);
        let of_four = |text: &str| ranges(text.parse().unwrap(), 4).collect::<Vec<_>>();
        assert_eq!(of_four("0..4").len(), 1);
        assert_eq!(of_four("0..8"), [0..4, 3..7, 6..8]);
    }

    #[test]
    fn wrong_levels() {
        for wrong in [
            "", "3", "3..", "..3", "3..3", "4..3", "-1..3", "a..b", "0..5000",
        ] {
            assert!(wrong.parse::<TrackedDepths>().is_err(), "{wrong}");
        }
    }
}
