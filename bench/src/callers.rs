//! Whether a run in bursts has its regions below the callers that they have in the whole run (`docs/bursts.md`).

use std::collections::HashSet;

use parascan_formats::log::BurstLog;
use parascan_formats::profile::{Profile, Region};

/// Chains of open regions of a run in bursts that an exact profile of the same run does not have, as far as something
/// was seen of the last one.
pub fn strangers(log: &BurstLog, exact: &Profile) -> Vec<String> {
    let known = chains(exact.contexts.iter().map(|c| (c.parent, c.region)));
    let known: HashSet<_> = known.into_iter().collect();
    let found = chains(
        log.contexts
            .iter()
            .map(|c| (c.whole.parent, c.whole.region)),
    );
    let found = log.contexts.iter().zip(found);
    let strange = found.filter(|(c, chain)| {
        let seen = c.whole.instances + c.segments.instances > 0;
        seen && !known.contains(chain)
    });
    strange
        .map(|(_, chain)| names(&chain, &exact.regions))
        .collect()
}

/// By context, of which these are parents and regions: the regions that are open, outermost first. The first context is
/// the program.
fn chains(contexts: impl Iterator<Item = (u32, u32)>) -> Vec<Vec<u32>> {
    let mut chains: Vec<Vec<u32>> = Vec::new();
    for (parent, region) in contexts {
        let mut chain = chains.get(parent as usize).cloned().unwrap_or_default();
        if !chains.is_empty() {
            chain.push(region);
        }
        chains.push(chain);
    }
    chains
}

fn names(chain: &[u32], regions: &[Region]) -> String {
    let name = |&region: &u32| {
        let region = &regions[region as usize].fixed;
        format!("{:?} {}:{}", region.kind, region.function, region.line)
    };
    let names: Vec<_> = chain.iter().map(name).collect();
    names.join(" > ")
}
