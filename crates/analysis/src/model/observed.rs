//! What the runs together show of loops that were looked at: functions that did not run in them, and reductions that
//! were none.

use std::collections::{HashMap, HashSet};

use parascan_formats::module::{BrokenDependence, ReductionObstacle, RegionKind};
use parascan_formats::names::demangle;
use parascan_formats::profile::Profile;
use parascan_formats::source::{DoubtKind, IN_TEST, INLINE_ASSEMBLY};

use super::{ContextNode, PROGRAM, StaticRegion, plain_name};
use crate::evidence::{LoopFacts, base};

/// Notes of each observed loop which functions its source calls that did not run in it.
pub(super) fn note_idle(
    profiles: &[Profile],
    regions: &[StaticRegion],
    nodes: &[ContextNode],
    evidence: &mut [Option<LoopFacts>],
) {
    let calls = |region: &StaticRegion| {
        let doubts = region.fixed.source.iter().flat_map(|s| s.doubts.clone());
        let calls = doubts.filter(|d| d.kind == DoubtKind::Call && !d.name.is_empty());
        let calls = calls.filter(|d| !d.name.starts_with(['*', IN_TEST]));
        calls.map(|d| d.name).collect::<Vec<String>>()
    };
    let mut functions: HashMap<String, Vec<u32>> = HashMap::new();
    for (number, region) in (0..).zip(regions) {
        if region.fixed.kind == RegionKind::Function {
            let name = plain_name(&region.fixed.function);
            functions.entry(name).or_default().push(number);
        }
    }
    // What nothing is known of. Had it run, that would rule out a directive.
    let spots = profiles.iter().flat_map(|p| &p.blind_spots);
    let mut unknown: HashSet<String> = spots.map(|spot| spot.callee.clone()).collect();
    unknown.insert(INLINE_ASSEMBLY.to_owned());
    // What ran in which observed loop. Of loops that lie too deep it is not known.
    let mut ran: HashSet<(u32, u32)> = HashSet::new();
    let mut deep: HashSet<u32> = HashSet::new();
    for node in nodes.iter().skip(1) {
        if node.sums.counted < node.sums.instances {
            deep.insert(node.region);
        }
        if regions[node.region as usize].fixed.kind != RegionKind::Function {
            continue;
        }
        let mut at = node.parent;
        while nodes[at as usize].region != PROGRAM {
            let around = &nodes[at as usize];
            if evidence[around.region as usize].is_some() {
                ran.insert((around.region, node.region));
            }
            at = around.parent;
        }
    }
    for ((number, region), facts) in (0..).zip(regions).zip(evidence) {
        let Some(facts) = facts.as_mut().filter(|_| !deep.contains(&number)) else {
            continue;
        };
        for name in calls(region) {
            let fixed = |f: &u32| &regions[*f as usize].fixed;
            let whole = demangle(&name);
            let mut same = functions
                .get(&plain_name(&whole))
                .cloned()
                .unwrap_or_default();
            // One of several overloads, or of the functions of several classes.
            if same.iter().any(|f| fixed(f).function == whole) {
                same.retain(|f| fixed(f).function == whole);
            } else if unknown.contains(&whole) {
                facts.idle.insert(name);
                continue;
            }
            // Another file may have a static one of this name.
            if same.iter().any(|f| fixed(f).file == region.fixed.file) {
                same.retain(|f| fixed(f).file == region.fixed.file);
            }
            if !same.is_empty() && same.iter().all(|f| !ran.contains(&(number, *f))) {
                facts.idle.insert(name);
            }
        }
    }
}

/// Forgets the reductions of a loop that were only such as long as it carried nothing.
pub(super) fn refute(region: &mut StaticRegion, facts: Option<&mut LoopFacts>) {
    let broken = &mut region.fixed.broken;
    let read = |b: &BrokenDependence| match b.beside {
        ReductionObstacle::Read(line) => Some(line),
        ReductionObstacle::Nothing | ReductionObstacle::Set(_) | ReductionObstacle::Position => {
            None
        }
    };
    if let Some(facts) = facts {
        facts.blame(|name| {
            let mut same = broken.iter().filter(|b| base(&b.name) == base(name));
            same.find_map(read)
        });
    }
    region.understated = broken.iter().any(|b| read(b).is_some());
    broken.retain(|b| read(b).is_none());
}
