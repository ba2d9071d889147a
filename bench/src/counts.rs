//! Whether what native code and tracked code count together is what the whole run has, and what contexts share
//! (`docs/bursts.md`).

use parascan_analysis::bursts::estimate;
use parascan_formats::log::BurstLog;
use parascan_formats::profile::Profile;

/// Regions of which a run in bursts did not count the instances that an exact profile of the same run has.
pub fn differences(log: &BurstLog, exact: &Profile) -> Vec<String> {
    let counted = log.instances();
    let mut instances = vec![0; exact.regions.len()];
    for context in exact.contexts.iter().skip(1) {
        instances[context.region as usize] += context.instances;
    }
    if counted.len() != instances.len() {
        return vec![format!("{} regions for {}", counted.len(), instances.len())];
    }
    let regions = exact.regions.iter().map(|region| &region.fixed);
    regions
        .zip(counted.iter().zip(&instances))
        .enumerate()
        .filter(|(_, (_, (counted, instances)))| counted != instances)
        .map(|(index, (region, (counted, instances)))| {
            let native = log.native[index];
            format!(
                "{:?} {} at line {}: {counted} (native {native}) for {instances}",
                region.kind, region.function, region.line
            )
        })
        .collect()
}

/// Regions of which the contexts have not as many instances together, as users see them, as were counted.
pub fn lost(log: &BurstLog) -> Vec<String> {
    let counted = log.instances();
    let profile = estimate(log).profile;
    let mut shared = vec![0; counted.len()];
    let mut known = vec![false; counted.len()];
    for context in profile.contexts.iter().skip(1) {
        shared[context.region as usize] += context.instances;
        known[context.region as usize] = true;
    }
    let regions = profile.regions.iter().map(|region| &region.fixed);
    let figures = counted.iter().zip(shared).zip(known);
    (regions.zip(figures))
        .filter(|(_, ((counted, shared), known))| *known && **counted != *shared)
        .map(|(region, ((counted, shared), _))| {
            let (kind, function, line) = (region.kind, &region.function, region.line);
            format!("{kind:?} {function} at line {line}: {shared} of {counted}")
        })
        .collect()
}
