//! Operations per step, by histogram class.

use parascan_isa::Kind;

use super::Recording;
use crate::result::Profile;

impl Recording {
    /// Operations by level in at most `bins` bins, as narrow as fits.
    pub fn histogram(&self, bins: usize) -> Profile {
        let levels = u64::from(self.critical_path());
        let mut shift = 0;
        while levels.div_ceil(1 << shift) > bins.max(1) as u64 {
            shift += 1;
        }
        let mut profile = Profile {
            shift,
            bins: vec![[0; Kind::ALL.len()]; levels.div_ceil(1 << shift) as usize],
        };
        for instance in &self.instances {
            let instruction = &self.statics[instance.statics().index()];
            // Levels begin at 1; an operation of no latency may be at level 0, where nothing is shown.
            if instruction.counted && instance.level > 0 {
                let bin = (instance.level - 1) >> shift;
                profile.bins[bin as usize][instruction.instruction.class.kind() as usize] += 1;
            }
        }
        profile
    }
}
