//! What the page is told about chains of regions: the flame graph, in which equal chains are one box.

use std::collections::HashMap;

use parascan_analysis::model::Model;
use serde::Serialize;

use super::chart::{BoxData, short};
use crate::export::stacks::Stacks;
use crate::shared::style::grouped;

/// Most boxes: of larger programs those with most work.
const MOST: usize = 20_000;

/// The flame graph.
#[derive(Debug, Serialize)]
pub(super) struct FlameData {
    /// Length of the axis in work units.
    work: u64,
    /// Boxes, an outer one before what it contains.
    boxes: Vec<BoxData>,
    /// What was left out, in words; empty where nothing was.
    pruned: String,
}

/// The chains of a program, given the number of each region's row by its id.
pub(super) fn flame(model: &Model, number_of: &HashMap<&str, u32>) -> FlameData {
    let stacks = Stacks::new(model);
    let chains = &stacks.chains;
    // A chain does at least as much as those inside it and stands before them, so what is kept is a tree.
    let mut by_work: Vec<usize> = (1..chains.len()).collect();
    by_work.sort_by_key(|&index| std::cmp::Reverse(chains[index].work));
    let left_out = by_work.len().saturating_sub(MOST);
    by_work.truncate(MOST);
    by_work.sort_unstable();
    let place: HashMap<usize, usize> = by_work.iter().copied().zip(0..).collect();
    // Work of a chain's own follows that of the chains inside it.
    let mut next = vec![0u64; chains.len()];
    let mut starts = vec![0u64; chains.len()];
    for (index, chain) in chains.iter().enumerate().skip(1) {
        starts[index] = next[chain.parent];
        next[index] = starts[index];
        next[chain.parent] = starts[index].saturating_add(chain.work);
    }
    let boxes = by_work.iter().map(|&index| {
        let chain = &chains[index];
        let node = &model.nodes[chain.node];
        let region = &model.regions[node.region as usize];
        (
            number_of.get(&*region.id).copied(),
            place.get(&chain.parent).copied(),
            chain.depth as u32 - 1,
            starts[index],
            chain.work,
            node.sums.instances,
            node.sums.total_parallelism().map(short),
            node.sums.self_parallelism().map(short),
        )
    });
    FlameData {
        work: chains[0].work,
        boxes: boxes.collect(),
        pruned: match left_out {
            0 => String::new(),
            more => format!(
                "The {} chains with least work are left out.",
                grouped(more as u64)
            ),
        },
    }
}
