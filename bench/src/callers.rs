//! Whether a run in bursts has its regions below the callers that they have in the whole run (`docs/bursts.md`).

use std::collections::HashSet;

use parascan_formats::log::BurstLog;
use parascan_formats::profile::{Profile, Region};

/// Chains of open regions of a run in bursts that an exact profile of the same run does not have, as far as something was seen of the last one.
pub fn strangers(log: &BurstLog, exact: &Profile) -> Vec<String> {
    let chains = |contexts: &mut dyn Iterator<Item = (u32, u32)>| {
        let mut chains: Vec<Vec<u32>> = Vec::new();
        for (parent, region) in contexts {
            let mut chain = match chains.len() {
                0 => Vec::new(),
                _ => chains[parent as usize].clone(),
            };
            if !chains.is_empty() {
                chain.push(region);
            }
            chains.push(chain);
        }
        chains
    };
    let known = exact.contexts.iter().map(|c| (c.parent, c.region));
    let known: HashSet<_> = chains(&mut known.into_iter()).into_iter().collect();
    let found = log
        .contexts
        .iter()
        .map(|c| (c.whole.parent, c.whole.region));
    (log.contexts.iter())
        .zip(chains(&mut found.into_iter()))
        .filter(|(c, chain)| {
            let seen = c.whole.instances + c.segments.instances > 0;
            seen && !known.contains(chain)
        })
        .map(|(_, chain)| names(&chain, &exact.regions))
        .collect()
}

fn names(chain: &[u32], regions: &[Region]) -> String {
    let name = |&region: &u32| {
        let region = &regions[region as usize].fixed;
        format!("{:?} {}:{}", region.kind, region.function, region.line)
    };
    let names: Vec<_> = chain.iter().map(name).collect();
    names.join(" > ")
}
