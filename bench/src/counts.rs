//! Whether what native code and tracked code count together is what the whole run has (`docs/bursts.md`).

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
