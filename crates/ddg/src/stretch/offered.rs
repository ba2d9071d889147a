//! Graphs of single iterations of the loops that a graph has put together, made when the stretch is over: the sums of
//! all instances are known then, and each iteration is taken out of them.

use std::collections::{HashMap, HashSet};

use super::dependences::Dependences;
use super::graph::{DataFlowGraph, GraphNode, GraphSettings, NodeKey, WholeGraph};
use super::instance::{DependenceVia, Instance};
use super::loops::{Iteration, LoopHeads, chosen, members, survey};
use super::statics::{Static, StaticId};

/// A loop of which the graph has put all iterations together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphLoop {
    /// Its first instruction.
    pub head: StaticId,
    /// Address of the last instruction that jumps back to it.
    pub end: u64,
    /// How often it was entered.
    pub entries: u64,
    /// Iterations of the first entry.
    pub first: u64,
    /// The entry of most iterations, from 1, and how many these are.
    pub longest: (u64, u64),
    /// Some of its iterations, the most wanted first: the first one and the last ones, those between at powers of two,
    /// and some through which the longest chain goes.
    pub opened: Vec<OpenedIteration>,
}

/// The graph with one iteration of a loop instance by instance, as [`GraphSettings::open`] has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenedIteration {
    /// Which entry of the loop, from 1.
    pub entry: u64,
    /// Number of the iteration within that entry; the first one is 1.
    pub iteration: u64,
    /// That iteration instance by instance, all other instances put together by instruction.
    pub graph: DataFlowGraph,
}

/// All loops that one of these nodes, which are drawn, may be part of. `whole` has all instances put together; the
/// longest chain is given by the numbers of its instances, ascending.
pub(super) fn offered(
    nodes: &[GraphNode],
    whole: &WholeGraph,
    kept: &Dependences,
    wanted: &GraphSettings,
    chain: &[u32],
    instances: &[Instance],
    statics: &[Static],
) -> Vec<GraphLoop> {
    let Some(offer) = wanted.offer.filter(|_| !kept.is_full()) else {
        return Vec::new();
    };
    let most = wanted.nodes.min(offer.nodes);
    let heads = LoopHeads::around(nodes.iter().map(|it| it.statics), instances, statics);
    let found = survey(&heads, statics, instances, kept, chain);
    let iterations = chosen(&found, offer.graphs);
    let wants = |instance: Instance| wanted.wants(instance);
    let members = members(&heads, statics, instances, kept, &iterations, wants, most);
    let (iterations, members): (Vec<Iteration>, Vec<Vec<u32>>) = iterations
        .into_iter()
        .zip(members)
        .filter(|(_, members)| !members.is_empty())
        .unzip();
    let mut taken = Taken::new(members, instances);
    taken.take_edges(kept);
    taken.take_chain(chain);
    taken.take_nodes(whole, statics.len(), wanted);
    let all = IterationSums::of(whole, chain, instances);
    let graphs = taken.slots.iter().map(|slot| slot.graph(&all, most));
    let mut loops: Vec<GraphLoop> = (0..)
        .zip(&found)
        .map(|(of, it)| GraphLoop {
            head: heads.head(of),
            end: it.end,
            entries: it.entries,
            first: it.first,
            longest: it.longest,
            opened: Vec::new(),
        })
        .collect();
    for (at, graph) in iterations.into_iter().zip(graphs) {
        loops[at.of].opened.push(OpenedIteration {
            entry: at.entry,
            iteration: at.iteration,
            graph,
        });
    }
    // What never came to a second iteration is no loop to be opened.
    loops.retain(|it| it.longest.1 > 1);
    loops
}

/// Edges between instructions, and how often.
type Edges = HashMap<(StaticId, StaticId, DependenceVia), u64>;

/// What all instances add up to.
struct IterationSums<'a> {
    whole: &'a WholeGraph,
    edges: Edges,
    /// Instances of the longest chain.
    critical: HashMap<StaticId, u64>,
    /// Its steps.
    steps: Edges,
}

impl<'a> IterationSums<'a> {
    fn of(whole: &'a WholeGraph, chain: &[u32], instances: &[Instance]) -> Self {
        let edges = whole.edges.iter();
        let mut sums = Self {
            whole,
            edges: edges
                .map(|((from, to, via), count)| {
                    (
                        (from.statics(instances), to.statics(instances), *via),
                        *count,
                    )
                })
                .collect(),
            critical: HashMap::new(),
            steps: HashMap::new(),
        };
        for &number in chain {
            let instance = instances[number as usize];
            *sums.critical.entry(instance.statics()).or_default() += 1;
            if let Some(before) = instance.before() {
                let from = instances[before].statics();
                let step = (from, instance.statics(), instance.via());
                *sums.steps.entry(step).or_default() += 1;
            }
        }
        sums
    }
}

/// What belongs to one iteration.
#[derive(Debug, Default)]
struct IterationSlot {
    /// Its instances, ascending.
    members: Vec<u32>,
    /// Nodes: itself and what is left of its instructions, with the numbers of their first instances.
    own: Vec<(NodeKey, GraphNode, u32)>,
    rest: HashMap<StaticId, (GraphNode, u32)>,
    /// Edges with an end in it, and the same between instructions.
    edges: HashMap<(NodeKey, NodeKey, DependenceVia), u64>,
    taken: Edges,
    /// Steps of the longest chain with an end in it, and the same between instructions.
    steps: HashSet<(NodeKey, NodeKey, DependenceVia)>,
    steps_taken: Edges,
    /// Its instances on the longest chain, and how many of each instruction.
    on_chain: HashSet<u32>,
    critical: HashMap<StaticId, u64>,
}

impl IterationSlot {
    fn key(&self, number: u32, instances: &[Instance]) -> NodeKey {
        match self.members.binary_search(&number) {
            Ok(_) => NodeKey::One(number),
            Err(_) => NodeKey::All(instances[number as usize].statics()),
        }
    }

    /// The graph in which this iteration is taken out of all others.
    fn graph(&self, all: &IterationSums<'_>, most: usize) -> DataFlowGraph {
        let left = |all: &Edges, taken: &Edges| -> Edges {
            let left = all.iter().map(|(edge, count)| {
                let gone = taken.get(edge).copied().unwrap_or(0);
                (*edge, count.saturating_sub(gone))
            });
            left.filter(|(_, count)| *count > 0).collect()
        };
        let between = |(from, to, via): (StaticId, StaticId, DependenceVia)| {
            (NodeKey::All(from), NodeKey::All(to), via)
        };
        let mut edges = self.edges.clone();
        for (edge, count) in left(&all.edges, &self.taken) {
            edges.insert(between(edge), count);
        }
        let mut steps = self.steps.clone();
        steps.extend(left(&all.steps, &self.steps_taken).into_keys().map(between));
        let mut nodes = self.own.clone();
        for (node, first) in all.whole.nodes.iter().map(|it| (it.1, it.2)) {
            let of_rest = self.rest.get(&node.statics).copied();
            let (left, first) = of_rest.unwrap_or((node, first));
            let on_chain = |count: &HashMap<StaticId, u64>| count.get(&node.statics).copied();
            let critical = on_chain(&all.critical) > on_chain(&self.critical);
            if left.instances > 0 {
                let left = GraphNode { critical, ..left };
                nodes.push((NodeKey::All(left.statics), left, first));
            }
        }
        nodes.sort_by_key(|(_, _, first)| *first);
        let whole = WholeGraph {
            nodes,
            edges,
            instances: all.whole.instances,
        };
        whole.graph(&steps, most)
    }
}

/// Takes iterations out of the sums.
struct Taken<'a> {
    slots: Vec<IterationSlot>,
    instances: &'a [Instance],
    /// Instances of iterations, and which iterations, ascending.
    owners: Vec<(u32, usize)>,
    /// A bit for each instance: whether it is there.
    owned: Vec<u64>,
}

impl<'a> Taken<'a> {
    fn new(members: Vec<Vec<u32>>, instances: &'a [Instance]) -> Self {
        let mut owned = vec![0; instances.len().div_ceil(64)];
        let mut owners = Vec::new();
        for (slot, members) in members.iter().enumerate() {
            for &number in members {
                owned[number as usize / 64] |= 1 << (number % 64);
                owners.push((number, slot));
            }
        }
        owners.sort_unstable();
        let slot = |members| IterationSlot {
            members,
            ..IterationSlot::default()
        };
        Self {
            slots: members.into_iter().map(slot).collect(),
            instances,
            owners,
            owned,
        }
    }

    fn is_owned(&self, number: u32) -> bool {
        self.owned[number as usize / 64] >> (number % 64) & 1 != 0
    }

    /// The iterations that one of two instances is of.
    fn owners(&self, one: u32, other: u32) -> Vec<usize> {
        let mut slots = Vec::new();
        for number in [one, other] {
            if self.is_owned(number) {
                let start = self.owners.partition_point(|(owned, _)| *owned < number);
                let own = self.owners[start..].iter();
                slots.extend(own.take_while(|it| it.0 == number).map(|it| it.1));
            }
        }
        slots.sort_unstable();
        slots.dedup();
        slots
    }

    fn edge(&self, from: u32, to: u32, via: DependenceVia) -> (StaticId, StaticId, DependenceVia) {
        let statics = |number: u32| self.instances[number as usize].statics();
        (statics(from), statics(to), via)
    }

    /// Edges that begin or end in an iteration.
    fn take_edges(&mut self, kept: &Dependences) {
        kept.each(|it| {
            for &(by, via) in it.sources {
                if !self.is_owned(by) && !self.is_owned(it.number) {
                    continue;
                }
                let edge = self.edge(by, it.number, via);
                for owner in self.owners(by, it.number) {
                    let slot = &mut self.slots[owner];
                    let [from, to] = [by, it.number].map(|number| slot.key(number, self.instances));
                    *slot.edges.entry((from, to, via)).or_default() += 1;
                    *slot.taken.entry(edge).or_default() += 1;
                }
            }
        });
    }

    /// The part of the longest chain in each iteration.
    fn take_chain(&mut self, chain: &[u32]) {
        for &number in chain {
            let instance = self.instances[number as usize];
            for owner in self.owners(number, number) {
                let slot = &mut self.slots[owner];
                slot.on_chain.insert(number);
                *slot.critical.entry(instance.statics()).or_default() += 1;
            }
            let Some(before) = instance.before().map(|before| before as u32) else {
                continue;
            };
            let via = instance.via();
            let edge = self.edge(before, number, via);
            for owner in self.owners(before, number) {
                let slot = &mut self.slots[owner];
                let [from, to] = [before, number].map(|number| slot.key(number, self.instances));
                slot.steps.insert((from, to, via));
                *slot.steps_taken.entry(edge).or_default() += 1;
            }
        }
    }

    /// Nodes of the iterations' instances, and what is left of the others.
    fn take_nodes(&mut self, whole: &WholeGraph, statics: usize, wanted: &GraphSettings) {
        let sums: HashMap<StaticId, (GraphNode, u32)> = whole
            .nodes
            .iter()
            .map(|(_, node, first)| (node.statics, (*node, *first)))
            .collect();
        // By instruction: the iterations without which its sums begin or end elsewhere.
        let mut again: Vec<Vec<usize>> = vec![Vec::new(); statics];
        for (number, slot) in self.slots.iter_mut().enumerate() {
            for &member in &slot.members {
                let instance = self.instances[member as usize];
                let node = GraphNode {
                    opened: true,
                    critical: slot.on_chain.contains(&member),
                    ..GraphNode::of(instance)
                };
                slot.own.push((NodeKey::One(member), node, member));
                let Some((sum, first)) = sums.get(&instance.statics()) else {
                    continue;
                };
                let left = slot.rest.entry(instance.statics());
                left.or_insert((*sum, *first)).0.instances -= 1;
                let at_end = [sum.first_level, sum.last_level].contains(&instance.level);
                let slots = &mut again[instance.statics().index()];
                if (at_end || member == *first) && slots.last() != Some(&number) {
                    slots.push(number);
                }
            }
        }
        // What is left without any iteration is left without each; few instances are of iterations.
        let mut shared: Vec<Option<(GraphNode, u32)>> = vec![None; statics];
        let mut found: HashMap<(StaticId, usize), (GraphNode, u32)> = HashMap::new();
        for (number, instance) in (0..).zip(self.instances) {
            let index = instance.statics().index();
            if again[index].is_empty() || !wanted.wants(*instance) {
                continue;
            }
            let own = (GraphNode::of(*instance), number);
            if !self.is_owned(number) {
                add(&mut shared[index], own);
                continue;
            }
            let owners = self.owners(number, number);
            for slot in again[index].iter().filter(|slot| !owners.contains(slot)) {
                let left = found.entry((instance.statics(), *slot));
                left.and_modify(|left| join(left, own)).or_insert(own);
            }
        }
        for (index, slots) in again.iter().enumerate() {
            let Some(all) = shared[index] else {
                continue;
            };
            for slot in slots {
                let left = found.entry((all.0.statics, *slot));
                left.and_modify(|left| join(left, all)).or_insert(all);
            }
        }
        for ((statics, slot), left) in found {
            self.slots[slot].rest.insert(statics, left);
        }
    }
}

/// Takes in other instances of the same instruction, and the number of their first.
fn join(sum: &mut (GraphNode, u32), more: (GraphNode, u32)) {
    sum.0.add(&more.0);
    sum.1 = sum.1.min(more.1);
}

/// The same where there may be none yet.
fn add(sum: &mut Option<(GraphNode, u32)>, more: (GraphNode, u32)) {
    match sum {
        Some(sum) => join(sum, more),
        None => *sum = Some(more),
    }
}
