//! By which calls a loop reaches the functions in which its dependences lie: from the recorded chains of open regions.

use std::collections::BTreeMap;

use parascan_formats::module::RegionKind;

use crate::evidence::{LoopFacts, SourcePlace};
use crate::model::{Model, PROGRAM};

/// Most ways to a function that are kept.
const KEPT: usize = 3;

/// The ways from a loop to a function that was called in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallPaths {
    /// The function, as [`SourcePlace::function`] has it.
    pub function: String,
    /// Functions on the way, from the one that the loop calls to this one; those with the most work first.
    pub ways: Vec<Vec<SourcePlace>>,
    /// Ways beyond those.
    pub more: usize,
}

/// Ways to every other function in which a dependence begins or ends.
pub(super) fn of(model: &Model, number: usize, facts: &LoopFacts) -> Vec<CallPaths> {
    let own = &model.regions[number].fixed.function;
    let ends = facts.dependences.iter().flat_map(|d| [&d.source, &d.sink]);
    let others = ends.filter(|p| p.function != *own && !p.function.is_empty());
    let mut names: Vec<&str> = others.map(|p| &*p.function).collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<BTreeMap<Vec<u32>, u64>> = vec![BTreeMap::new(); names.len()];
    for (_, node) in model.contexts() {
        let fixed = &model.regions[node.region as usize].fixed;
        if fixed.kind != RegionKind::Function {
            continue;
        }
        if let Ok(index) = names.binary_search(&&*fixed.function)
            && let Some(way) = way(model, number, node.region, node.parent)
        {
            *found[index].entry(way).or_default() += node.sums.work;
        }
    }
    let paths = names.into_iter().zip(found).map(|(function, ways)| {
        let mut ways: Vec<(Vec<u32>, u64)> = ways.into_iter().collect();
        ways.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let place = |region: &u32| {
            let fixed = &model.regions[*region as usize].fixed;
            SourcePlace {
                file: fixed.file.to_string(),
                line: fixed.line,
                column: fixed.column,
                function: fixed.function.to_string(),
            }
        };
        CallPaths {
            function: function.to_owned(),
            more: ways.len().saturating_sub(KEPT),
            ways: ways
                .iter()
                .take(KEPT)
                .map(|(way, _)| way.iter().map(place).collect())
                .collect(),
        }
    });
    paths.filter(|p| !p.ways.is_empty()).collect()
}

/// Functions from the nearest open instance of the loop down to `last`, if it was called in one.
fn way(model: &Model, number: usize, last: u32, mut at: u32) -> Option<Vec<u32>> {
    let mut way = vec![last];
    loop {
        let node = &model.nodes[at as usize];
        if node.region == PROGRAM {
            return None;
        }
        if node.region as usize == number {
            way.reverse();
            return Some(way);
        }
        if model.regions[node.region as usize].fixed.kind == RegionKind::Function {
            way.push(node.region);
        }
        at = node.parent;
    }
}
