//! What the contexts of each static region add up to, and what runs in what.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use parascan_formats::module::{RegionKind, RegionStatic};

use super::caller::own_code;
use super::letters::assign;
use crate::library;
use crate::model::{InstanceSums, Model, PROGRAM};

/// Where to look for regions at the same place in [`RegionSums::places`].
pub(super) fn place_key(fixed: &RegionStatic) -> (u32, u64) {
    let mut hash = DefaultHasher::new();
    fixed.file.hash(&mut hash);
    (fixed.line, hash.finish())
}

/// Sums per static region.
pub(crate) struct RegionSums {
    /// Over all instances.
    pub(crate) all: Vec<InstanceSums>,
    /// Over outermost instances.
    pub(crate) outer: Vec<InstanceSums>,
    /// Work in no loop or function below.
    pub(super) own: Vec<u64>,
    /// Smallest depth.
    pub(crate) depth: Vec<u32>,
    pub(super) recursive: Vec<bool>,
    /// Enclosing loops and functions with the work done under each, most first.
    pub(super) parents: Vec<Vec<(u32, u64)>>,
    /// Whether another loop or function runs directly inside.
    pub(super) has_inside: Vec<bool>,
    /// The one loop that runs nowhere but in this region.
    pub(crate) only_loop: Vec<Option<u32>>,
    /// Of regions in system headers: the nearest region of the program's own code around the context with most work.
    pub(super) callers: Vec<Option<(u32, u64)>>,
    /// Regions by their line and a hash of their file: few of a program's regions stand at one place.
    pub(super) places: HashMap<(u32, u64), Vec<usize>>,
    /// By region; none of iterations and of what never ran.
    pub(crate) letters: Vec<Option<Arc<str>>>,
}

impl RegionSums {
    pub(crate) fn new(model: &Model) -> Self {
        let count = model.regions.len();
        let mut gathered = Self {
            all: vec![InstanceSums::default(); count],
            outer: vec![InstanceSums::default(); count],
            own: vec![0; count],
            depth: vec![u32::MAX; count],
            recursive: vec![false; count],
            parents: vec![Vec::new(); count],
            has_inside: vec![false; count],
            only_loop: vec![None; count],
            callers: vec![None; count],
            places: HashMap::new(),
            letters: Vec::new(),
        };
        for (number, region) in model.regions.iter().enumerate() {
            let at = place_key(&region.fixed);
            gathered.places.entry(at).or_default().push(number);
        }
        for (_, node) in model.contexts() {
            let region = node.region as usize;
            gathered.all[region].add(&node.sums);
            if node.outermost {
                gathered.outer[region].add(&node.sums);
            } else {
                gathered.recursive[region] = true;
            }
            gathered.depth[region] = gathered.depth[region].min(node.depth);
            if library::is_system(&model.regions[region].fixed.file)
                && gathered.callers[region].is_none_or(|(_, work)| work < node.sums.work)
                && let Some(caller) = own_code(model, node.parent)
            {
                gathered.callers[region] = Some((caller, node.sums.work));
            }
            let mut around = node.parent;
            let iteration = |n: u32| {
                let region = model.nodes[n as usize].region;
                region != PROGRAM
                    && model.regions[region as usize].fixed.kind == RegionKind::Iteration
            };
            let is_iteration = model.regions[region].fixed.kind == RegionKind::Iteration;
            let owner = if is_iteration && around != 0 {
                model.nodes[around as usize].region as usize
            } else {
                region
            };
            gathered.own[owner] = gathered.own[owner].saturating_add(node.sums.self_work());
            if iteration(around) {
                around = model.nodes[around as usize].parent;
            }
            let around = model.nodes[around as usize].region;
            if !is_iteration && let Some(inside) = gathered.has_inside.get_mut(around as usize) {
                *inside = true;
            }
            let parents = &mut gathered.parents[region];
            match parents.iter_mut().find(|(parent, _)| *parent == around) {
                Some((_, work)) => *work = work.saturating_add(node.sums.work),
                None => parents.push((around, node.sums.work)),
            }
        }
        for parents in &mut gathered.parents {
            parents.sort_by_key(|&(parent, work)| (Reverse(work), parent));
        }
        gathered.only_loop = only_loops(model, &gathered.parents);
        gathered.letters = assign(model, &gathered.all, &gathered.outer, &gathered.depth);
        gathered
    }

    /// Whether no other loop and no function of the program ran in a region, as far as what ran in it is known.
    pub(crate) fn is_innermost(&self, number: u32) -> bool {
        !self.has_inside[number as usize] && self.all[number as usize].counted > 0
    }
}

/// By region: the one loop of which it is the only parent; none where there are several.
fn only_loops(model: &Model, parents: &[Vec<(u32, u64)>]) -> Vec<Option<u32>> {
    let mut found: Vec<Option<u32>> = vec![None; parents.len()];
    let mut several = vec![false; parents.len()];
    for (number, parents) in parents.iter().enumerate() {
        let is_loop = model.regions[number].fixed.kind == RegionKind::Loop;
        let [(parent, _)] = parents[..] else { continue };
        if let Some(one) = found.get_mut(parent as usize).filter(|_| is_loop) {
            several[parent as usize] |= one.replace(number as u32).is_some();
        }
    }
    for (one, several) in found.iter_mut().zip(several) {
        one.take_if(|_| several);
    }
    found
}

/// The letters of a model's regions, by region number; none of iterations and of what never ran.
pub fn letters(model: &Model) -> Vec<Option<Arc<str>>> {
    RegionSums::new(model).letters
}
