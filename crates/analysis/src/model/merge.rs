//! Profiles of one program become one: whether they are of one, their regions, contexts and blind spots.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use parascan_formats::module::{RegionKind, RegionStatic};
use parascan_formats::profile::{BlindSpot, Module, Profile};

use super::{ContextNode, InputBursts, InstanceSums, PROGRAM, ProfileInput, StaticRegion};
use crate::identity::{self, NamedRegion, RegionKey};

/// What is told about a profile.
pub(super) fn input(profile: &Profile) -> ProfileInput {
    let mut latencies: Vec<String> = Vec::new();
    for module in &profile.modules {
        if !latencies.contains(&module.latency.name) {
            latencies.push(module.latency.name.clone());
        }
    }
    ProfileInput {
        provenance: profile.provenance.clone(),
        end: profile.end.clone(),
        caveats: profile.caveats.clone(),
        latencies,
        without: profile
            .modules
            .iter()
            .flat_map(|m| m.without.clone())
            .collect(),
        work: profile.work,
        critical_path: profile.critical_path,
        bursts: profile.bursts.as_ref().map(|bursts| InputBursts {
            count: bursts.count,
            seed: bursts.seed,
            work: bursts.work,
            native: bursts.native,
            ended: bursts.ended,
            native_seconds: bursts.native_seconds,
            unseen: (bursts.samples.iter().zip(&profile.contexts).skip(1))
                .filter(|(sample, context)| sample.whole + sample.segments + context.work == 0)
                .filter(|(_, context)| {
                    let region = profile.regions.get(context.region as usize);
                    region.is_some_and(|r| r.fixed.kind != RegionKind::Iteration)
                })
                .count() as u64,
            exact: (bursts.samples.iter().zip(&profile.contexts).skip(1))
                .all(|(sample, context)| sample.whole == context.instances),
        }),
    }
}

/// Whether two profiles come from one program: modules of the same source must have the same regions and latencies, and
/// the runs must have a top-level region in common.
pub(super) fn same_program(
    a: (&Profile, &[RegionKey]),
    b: (&Profile, &[RegionKey]),
) -> Result<(), String> {
    let (in_a, in_b) = (by_module(a), by_module(b));
    for (source, regions) in &in_a {
        let Some(others) = in_b.get(source) else {
            continue;
        };
        if regions != others {
            return Err(format!("`{}` was compiled differently", source.1));
        }
    }
    let tops = |(profile, keys): (&Profile, &[RegionKey])| -> BTreeSet<RegionKey> {
        let contexts = profile.contexts.iter().skip(1);
        contexts
            .filter(|c| c.parent == 0)
            .filter_map(|c| keys.get(c.region as usize).cloned())
            .collect()
    };
    let (tops_a, tops_b) = (tops(a), tops(b));
    if !tops_a.is_empty() && !tops_b.is_empty() && tops_a.is_disjoint(&tops_b) {
        return Err("they have no outermost function in common".to_owned());
    }
    Ok(())
}

type Build<'a> = BTreeSet<(Option<&'a RegionKey>, Vec<u32>)>;

/// Region keys (or, for the module itself, none) with its latencies, by directory and source.
fn by_module<'a>(
    (profile, keys): (&'a Profile, &'a [RegionKey]),
) -> BTreeMap<(&'a str, &'a str), Build<'a>> {
    let mut found: BTreeMap<_, Build> = BTreeMap::new();
    for module in &profile.modules {
        let latencies = module.latency.rows().map(|(_, value)| value).to_vec();
        found
            .entry((module.directory.as_str(), module.source.as_str()))
            .or_default()
            .insert((None, latencies));
    }
    for (region, key) in profile.regions.iter().zip(keys) {
        if let Some(module) = profile.modules.get(region.module as usize) {
            found
                .entry((module.directory.as_str(), module.source.as_str()))
                .or_default()
                .insert((Some(key), Vec::new()));
        }
    }
    found
}

/// One list of static regions, and for every profile the number in it of each of its regions.
pub(super) fn merge_regions(
    profiles: &[Profile],
    keys: &[Vec<RegionKey>],
) -> (Vec<StaticRegion>, Vec<Vec<u32>>) {
    let mut number_of: HashMap<&RegionKey, u32> = HashMap::new();
    let mut all: Vec<(&RegionKey, RegionStatic, Option<&Module>)> = Vec::new();
    let mut numbers = Vec::with_capacity(profiles.len());
    for (profile, keys) in profiles.iter().zip(keys) {
        let mut own: Vec<u32> = Vec::with_capacity(keys.len());
        for (region, key) in profile.regions.iter().zip(keys) {
            let next = all.len() as u32;
            let number = *number_of.entry(key).or_insert(next);
            if number == next {
                let mut fixed = region.fixed.clone();
                fixed.parent = fixed.parent.and_then(|p| own.get(p as usize).copied());
                let module = profile.modules.get(region.module as usize);
                all.push((key, fixed, module));
            } else {
                let known = &mut all[number as usize].1;
                for broken in &region.fixed.broken {
                    if !known.broken.contains(broken) {
                        known.broken.push(broken.clone());
                    }
                }
            }
            own.push(number);
        }
        numbers.push(own);
    }
    let named: Vec<NamedRegion> = all
        .iter()
        .map(|(key, fixed, module)| NamedRegion {
            key,
            kind: fixed.kind,
            function: &fixed.function,
            source: module.map_or("", |m| m.source.as_str()),
        })
        .collect();
    let ids = identity::ids(&named);
    let regions = all.into_iter().zip(ids);
    let regions = regions.map(|((_, fixed, module), id)| StaticRegion {
        id: id.into(),
        fixed,
        directory: module.map_or("", |m| m.directory.as_str()).into(),
        understated: false,
    });
    (regions.collect(), numbers)
}

/// Contexts of all profiles, parents before children.
pub(super) fn merge_contexts(profiles: &[Profile], numbers: &[Vec<u32>]) -> Vec<ContextNode> {
    let largest = profiles.iter().map(|p| p.contexts.len()).max();
    let mut nodes = Vec::with_capacity(largest.unwrap_or(0).max(1));
    nodes.push(ContextNode {
        region: PROGRAM,
        ..ContextNode::default()
    });
    // Chains that occur twice in one profile (a function of two modules) may stay two nodes: nothing but sums over
    // nodes is ever looked at. So a single profile needs no search.
    let search = profiles.len() > 1;
    let mut number_of: HashMap<(u32, u32), u32> = HashMap::new();
    for (profile, numbers) in profiles.iter().zip(numbers) {
        let mut place = vec![0u32; profile.contexts.len()];
        for (index, context) in profile.contexts.iter().enumerate() {
            if index > 0 {
                let parent = place[context.parent as usize];
                let region = numbers[context.region as usize];
                let next = nodes.len() as u32;
                let number = if search {
                    *number_of.entry((parent, region)).or_insert(next)
                } else {
                    next
                };
                if number == next {
                    nodes.push(ContextNode {
                        parent,
                        region,
                        depth: context.depth,
                        ..ContextNode::default()
                    });
                }
                place[index] = number;
            }
            let sample = profile.bursts.as_ref().map(|b| &b.samples[index]);
            let sums = InstanceSums::of(context, sample);
            nodes[place[index] as usize].sums.add(&sums);
        }
    }
    nodes
}

/// Finds the outermost nodes of each region. Brings nodes into depth-first order, siblings as they stand, if they are
/// not.
pub(super) fn depth_first(mut nodes: Vec<ContextNode>, regions: usize) -> Vec<ContextNode> {
    if !mark_outermost(&mut nodes, regions) {
        nodes = reordered(nodes);
        let ordered = mark_outermost(&mut nodes, regions);
        debug_assert!(ordered, "the order just made is depth first");
    }
    nodes
}

/// Walks nodes as if they stood depth first; false when they do not.
fn mark_outermost(nodes: &mut [ContextNode], regions: usize) -> bool {
    let mut open = vec![0u32; regions];
    let mut stack: Vec<u32> = vec![0];
    for index in 1..nodes.len() {
        let parent = nodes[index].parent;
        while stack.last().is_some_and(|&top| top != parent) {
            let closed = stack.pop().expect("checked");
            if let Some(count) = open.get_mut(nodes[closed as usize].region as usize) {
                *count -= 1;
            }
        }
        if stack.is_empty() {
            return false;
        }
        let count = &mut open[nodes[index].region as usize];
        nodes[index].outermost = *count == 0;
        *count += 1;
        stack.push(index as u32);
    }
    true
}

fn reordered(nodes: Vec<ContextNode>) -> Vec<ContextNode> {
    let mut next_sibling = vec![0u32; nodes.len()];
    let mut first_child = vec![0u32; nodes.len()];
    for index in (1..nodes.len()).rev() {
        let parent = nodes[index].parent as usize;
        next_sibling[index] = first_child[parent];
        first_child[parent] = index as u32;
    }
    let mut place = vec![0u32; nodes.len()];
    let mut order: Vec<u32> = Vec::with_capacity(nodes.len());
    let mut stack: Vec<u32> = vec![0];
    while let Some(index) = stack.pop() {
        place[index as usize] = order.len() as u32;
        order.push(index);
        let (sibling, child) = (next_sibling[index as usize], first_child[index as usize]);
        stack.extend([sibling, child].into_iter().filter(|&next| next != 0));
    }
    let ordered = order.iter().map(|&index| {
        let node = &nodes[index as usize];
        ContextNode {
            parent: place[node.parent as usize],
            ..node.clone()
        }
    });
    ordered.collect()
}

pub(super) fn merge_blind_spots(profiles: &[Profile]) -> Vec<BlindSpot> {
    let mut calls: BTreeMap<&str, u64> = BTreeMap::new();
    let called = profiles.iter().flat_map(|p| &p.blind_spots);
    for spot in called.filter(|spot| spot.calls > 0) {
        let sum = calls.entry(&spot.callee).or_default();
        *sum = sum.saturating_add(spot.calls);
    }
    let mut spots: Vec<BlindSpot> = calls
        .into_iter()
        .map(|(callee, calls)| BlindSpot {
            callee: callee.to_owned(),
            calls,
        })
        .collect();
    spots.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| a.callee.cmp(&b.callee)));
    spots
}
