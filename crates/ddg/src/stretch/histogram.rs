//! Operations per step, by histogram class.

use parascan_isa::HistogramClass;

use super::Recording;
use crate::result::LevelHistogram;

impl Recording {
    /// Operations by level in at most `bins` bins, as narrow as fits: of all levels, or of those from the first to the
    /// last of `levels` (from 1), which are then counted from that first.
    pub fn histogram(&self, levels: Option<(u32, u32)>, bins: usize) -> LevelHistogram {
        let (first, last) = levels.unwrap_or((1, u32::MAX));
        let operations = || {
            self.instances.iter().filter_map(|instance| {
                let instruction = &self.statics[instance.statics().index()];
                // One of no latency and without sources is shown at level 1.
                let kind = instruction.instruction.class.kind();
                let level = instance.level.max(1);
                let wanted = instruction.counted && (first..=last).contains(&level);
                wanted.then(|| (level - first + 1, kind))
            })
        };
        let levels = operations().map(|(level, _)| u64::from(level)).max();
        let levels = levels.unwrap_or(0);
        let mut shift = 0;
        while levels.div_ceil(1 << shift) > bins.max(1) as u64 {
            shift += 1;
        }
        let mut profile = LevelHistogram {
            shift,
            bins: vec![[0; HistogramClass::ALL.len()]; levels.div_ceil(1 << shift) as usize],
        };
        for (level, kind) in operations() {
            profile.bins[((level - 1) >> shift) as usize][kind as usize] += 1;
        }
        profile
    }
}
