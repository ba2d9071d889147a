//! The longest dependence chains of a stretch.
//!
//! Every instance has one critical predecessor, so the instances form trees. They are cut into chains greedily: the
//! longest way from a root to a leaf is the first (the critical path), then the longest way that leads away from those
//! before, and so on. A chain's length is counted from where it leaves an earlier one.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;

use super::Recording;
use super::instance::{DependenceVia, Instance};
use super::statics::StaticId;

/// A chain of instances each of which waits for the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DependenceChain {
    /// Steps from the level where it leaves an earlier chain (or from the stretch's beginning) to its last instance.
    pub steps: u32,
    /// Level of its last instance.
    pub level: u32,
    /// How many instances it leads through, counted by the model or not.
    pub instances: u64,
    /// Those that the model counts.
    pub operations: u64,
    /// Where it leads away from an earlier chain, if it does.
    pub leaves: Option<Branching>,
    /// Its parts in order: instructions passed once, and loops.
    pub segments: Vec<Segment>,
}

/// Where a chain leads away from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branching {
    /// Position of the other among the chains.
    pub chain: usize,
    /// The instruction on the other chain.
    pub statics: StaticId,
    /// Level of its instance there.
    pub level: u32,
}

/// A part of a chain: one instruction, or instructions among which the chain goes round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its instructions in the order of their first appearance, and the instances of each on the chain.
    pub instructions: Vec<(StaticId, u64)>,
    /// The steps taken to come to its instances.
    pub steps: u64,
    /// Edges that lead to its instructions, within it and from the part before, the most frequent first.
    pub edges: Vec<ChainEdge>,
    /// Whether the chain comes back to where it was.
    pub is_loop: bool,
}

/// A dependence that a chain goes along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainEdge {
    /// What came first; `None` at the stretch's beginning.
    pub from: Option<StaticId>,
    /// What it held back.
    pub to: StaticId,
    /// Location, or limit of the machine, through which it was held back.
    pub via: DependenceVia,
    /// How often the chain goes this way.
    pub count: u64,
    /// Steps from one level to the other, all times together.
    pub steps: u64,
}

/// A chain's first and last instance; the instance it leads away from, and the last instance of that one's chain.
struct ChainEnds {
    first: u32,
    last: u32,
    from: Option<(u32, u32)>,
}

impl Recording {
    /// The `most` longest chains, longest first; of equally long ones the earlier. Takes 4 bytes per instance while it
    /// works.
    pub fn chains(&self, most: usize) -> Vec<DependenceChain> {
        let ends = self.ends(most);
        let position: HashMap<u32, usize> = ends
            .iter()
            .enumerate()
            .map(|(position, ends)| (ends.last, position))
            .collect();
        ends.iter()
            .map(|ends| {
                let leaves = ends.from.map(|(before, end)| {
                    let before = self.instances[before as usize];
                    Branching {
                        // What a chain leads away from is no shorter, and so comes before.
                        chain: position[&end],
                        statics: before.statics(),
                        level: before.level,
                    }
                });
                self.chain(ends, leaves)
            })
            .collect()
    }

    fn ends(&self, most: usize) -> Vec<ChainEnds> {
        let instances = &self.instances;
        let level = |i: u32| instances[i as usize].level;
        // The deepest instance that depends on each, the instance itself included; the earliest of equally deep ones.
        let mut deepest: Vec<u32> = (0..instances.len() as u32).collect();
        for i in (0..instances.len()).rev() {
            if let Some(before) = instances[i].before()
                && (level(deepest[i]), Reverse(deepest[i]))
                    > (level(deepest[before]), Reverse(deepest[before]))
            {
                deepest[before] = deepest[i];
            }
        }
        // An instance goes on with the chain of its predecessor if both lead to the same end; else a chain begins with
        // it.
        let mut longest = BinaryHeap::new();
        for (first, instance) in instances.iter().enumerate() {
            let end = deepest[first];
            let left = match instance.before() {
                Some(before) if deepest[before] == end => continue,
                Some(before) => instances[before].level,
                None => 0,
            };
            longest.push(Reverse((level(end) - left, Reverse(first), end)));
            if longest.len() > most {
                longest.pop();
            }
        }
        let mut ends: Vec<_> = longest.into_iter().map(|Reverse(chain)| chain).collect();
        ends.sort_by_key(|chain| Reverse(*chain));
        ends.into_iter()
            .map(|(_, Reverse(first), last)| ChainEnds {
                first: first as u32,
                last,
                from: instances[first]
                    .before()
                    .map(|before| (before as u32, deepest[before])),
            })
            .collect()
    }

    fn chain(&self, ends: &ChainEnds, leaves: Option<Branching>) -> DependenceChain {
        let (first, end) = (ends.first as usize, ends.last as usize);
        let mut way: Vec<usize> = std::iter::successors(Some(end), |i| {
            self.instances[*i].before().filter(|_| *i != first)
        })
        .collect();
        way.reverse();
        let origin = self.instances[first].before().map(|i| self.instances[i]);
        let level = self.instances[end].level;
        let counted = |i: &&usize| self.statics[self.instances[**i].statics().index()].counted;
        DependenceChain {
            steps: level - origin.map_or(0, |origin| origin.level),
            level,
            instances: way.len() as u64,
            operations: way.iter().filter(counted).count() as u64,
            leaves,
            segments: segments(&self.instances, &way, origin),
        }
    }
}

/// Cuts a chain into loops (strongly connected instructions) and what lies between. A chain that has left a loop never
/// comes back to it, so the parts follow each other.
fn segments(instances: &[Instance], way: &[usize], origin: Option<Instance>) -> Vec<Segment> {
    let mut flow = DiGraphMap::<u32, ()>::new();
    for pair in way.windows(2) {
        let [from, to] = [pair[0], pair[1]].map(|i| instances[i].statics().0);
        flow.add_edge(from, to, ());
    }
    let mut component = HashMap::new();
    for (number, members) in tarjan_scc(&flow).into_iter().enumerate() {
        component.extend(members.into_iter().map(|member| (member, number)));
    }
    let mut parts: Vec<ChainPart> = Vec::new();
    let mut current = None;
    let mut before = origin;
    for instance in way.iter().map(|i| instances[*i]) {
        let own = instance.statics();
        // A chain of one instance has no edges and so no components.
        let number = component.get(&own.0).copied();
        if parts.is_empty() || number != current {
            current = number;
            parts.push(ChainPart::default());
        }
        if let Some(part) = parts.last_mut() {
            part.add(instance, before);
        }
        before = Some(instance);
    }
    parts.into_iter().map(|part| part.finish()).collect()
}

#[derive(Default)]
struct ChainPart {
    order: Vec<StaticId>,
    instances: HashMap<StaticId, u64>,
    edges: HashMap<(Option<StaticId>, StaticId, DependenceVia), (u64, u64)>,
}

impl ChainPart {
    fn add(&mut self, instance: Instance, before: Option<Instance>) {
        let own = instance.statics();
        let count = self.instances.entry(own).or_default();
        if *count == 0 {
            self.order.push(own);
        }
        *count += 1;
        let steps = instance.level - before.map_or(0, |before| before.level);
        let edge = self
            .edges
            .entry((before.map(Instance::statics), own, instance.via()))
            .or_default();
        edge.0 += 1;
        edge.1 += u64::from(steps);
    }

    fn finish(self) -> Segment {
        let mut edges: Vec<ChainEdge> = self
            .edges
            .into_iter()
            .map(|((from, to, via), (count, steps))| ChainEdge {
                from,
                to,
                via,
                count,
                steps,
            })
            .collect();
        edges.sort_by_key(|edge| (Reverse(edge.count), edge.to, edge.from, edge.via));
        Segment {
            steps: edges.iter().map(|edge| edge.steps).sum(),
            is_loop: self.instances.values().any(|count| *count > 1),
            instructions: self
                .order
                .into_iter()
                .map(|number| (number, self.instances[&number]))
                .collect(),
            edges,
        }
    }
}
