//! The data-flow graph with a node for each loop, for stretches of so many instructions that nobody could read a node
//! for each.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use super::graph::{CodeGroup, DataFlowGraph, Edge, GraphNode, NodeKey, WholeGraph};
use super::instance::Instance;
use super::loops::back;
use super::statics::{Static, StaticId};
use crate::program::RoutineId;

/// Most nodes: more are hard to read.
const MOST_GROUPS: usize = 40;
/// What a group must have to be a node: the longest chain's steps, or all instances, over this.
const STEPS_SHARE: u64 = 200;
const INSTANCES_SHARE: u64 = 100;
/// Edges beside those of the longest chain, for each node.
const EDGES_PER_NODE: usize = 2;

/// A loop of a routine by the address of its first instruction; `None` is the routine's code outside of loops.
type GroupKey = (RoutineId, Option<u64>);

/// Loops by routine: addresses of the first instruction and of the last that jumps back to it.
struct Loops(HashMap<RoutineId, Vec<(u64, u64)>>);

impl Loops {
    /// Those among executed instructions, each with the number of its instances.
    fn of<'a>(executed: impl Iterator<Item = (&'a Static, u64)> + Clone) -> Self {
        // What was executed once was no loop; a jump back into another routine ends a call.
        let often = executed.clone().filter(|(_, instances)| *instances > 1);
        let heads = often.map(|(it, _)| (it.routine, it.address));
        let heads: BTreeSet<(RoutineId, u64)> = heads.collect();
        let mut ends: HashMap<(RoutineId, u64), u64> = HashMap::new();
        for (it, _) in executed {
            if let Some(head) = back(it).filter(|head| heads.contains(&(it.routine, *head))) {
                let end = ends.entry((it.routine, head)).or_default();
                *end = (*end).max(it.address);
            }
        }
        let mut loops: HashMap<RoutineId, Vec<(u64, u64)>> = HashMap::new();
        for ((routine, head), end) in ends {
            loops.entry(routine).or_default().push((head, end));
        }
        Self(loops)
    }

    /// The innermost one that an instruction is part of.
    fn around(&self, it: &Static) -> Option<(u64, u64)> {
        let of_routine = self.0.get(&it.routine)?.iter();
        let around = of_routine.filter(|(head, end)| (*head..=*end).contains(&it.address));
        around
            .min_by_key(|(head, end)| (end - head, *head))
            .copied()
    }
}

/// All groups, in the order of their first instances.
struct Groups {
    nodes: Vec<GraphNode>,
    /// What they stand for; their extents are addresses.
    facts: Vec<CodeGroup>,
    /// By instruction: its group's number.
    of: Vec<Option<usize>>,
}

impl Groups {
    fn gather(whole: &WholeGraph, instances: &[Instance], statics: &[Static]) -> Self {
        let facts = |key: &NodeKey| &statics[key.statics(instances).index()];
        let executed = whole.nodes.iter();
        let loops = Loops::of(executed.map(|(key, node, _)| (facts(key), node.instances)));
        let mut numbers: HashMap<GroupKey, usize> = HashMap::new();
        let mut all = Self {
            nodes: Vec::new(),
            facts: Vec::new(),
            of: vec![None; statics.len()],
        };
        // Nodes come in the order of their first instances.
        for (key, node, _) in &whole.nodes {
            let own = facts(key);
            let around = loops.around(own);
            let group = (own.routine, around.map(|(head, _)| head));
            let end = around.map_or(own.address, |(_, end)| end);
            let number = *numbers.entry(group).or_insert(all.nodes.len());
            all.of[node.statics.index()] = Some(number);
            if number == all.nodes.len() {
                all.nodes.push(*node);
                all.facts.push(CodeGroup {
                    is_loop: around.is_some(),
                    extent: end,
                    instructions: 1,
                    steps: 0,
                });
                continue;
            }
            let (sum, of_group) = (&mut all.nodes[number], &mut all.facts[number]);
            sum.add(node);
            sum.critical |= node.critical;
            of_group.instructions += 1;
            of_group.extent = of_group.extent.max(end);
            // A group is named by its first instruction.
            if own.address < statics[sum.statics.index()].address {
                sum.statics = node.statics;
            }
        }
        all
    }

    fn number(&self, instance: Instance) -> Option<usize> {
        self.of[instance.statics().index()]
    }

    /// Adds up the steps of the longest chain.
    fn add_steps(&mut self, chain: &[u32], instances: &[Instance]) {
        for instance in chain.iter().map(|number| instances[*number as usize]) {
            let before = instance.before();
            let before = before.map_or(0, |before| instances[before].level);
            if let Some(own) = self.number(instance) {
                self.facts[own].steps += u64::from(instance.level - before);
            }
        }
    }

    /// Numbers of those that are nodes, ascending.
    fn kept(&self, instances: u64, most: usize) -> Vec<usize> {
        let steps: u64 = self.facts.iter().map(|it| it.steps).sum();
        let matters = |it: &usize| {
            let (of_chain, of_all) = (self.facts[*it].steps, self.nodes[*it].instances);
            of_chain * STEPS_SHARE >= steps.max(1) || of_all * INSTANCES_SHARE >= instances
        };
        let all = 0..self.nodes.len();
        let mut kept: Vec<usize> = all.clone().filter(matters).collect();
        if kept.is_empty() {
            kept.extend(all);
        }
        kept.sort_by_key(|&it| Reverse((self.facts[it].steps, self.nodes[it].instances)));
        kept.truncate(most.min(MOST_GROUPS));
        kept.sort_unstable();
        kept
    }
}

/// A node for each loop, and for each routine's code outside of loops: those with most steps of the longest chain
/// (given by the numbers of its instances), then those of most instances; small ones are left out. Of an edge's ways
/// (`via`) it has the most frequent.
pub(super) fn by_loop(
    whole: &WholeGraph,
    chain: &[u32],
    instances: &[Instance],
    statics: &[Static],
    most: usize,
) -> DataFlowGraph {
    let mut groups = Groups::gather(whole, instances, statics);
    groups.add_steps(chain, instances);
    let kept = groups.kept(whole.instances, most);
    let mut places: Vec<Option<usize>> = vec![None; groups.nodes.len()];
    for (place, number) in kept.iter().enumerate() {
        places[*number] = Some(place);
    }
    let shown = |it: StaticId| places[groups.of[it.index()]?];
    let edges = edges(whole, chain, instances, shown);
    let nodes = kept.iter().map(|&it| {
        let first = statics[groups.nodes[it].statics.index()].address;
        let group = CodeGroup {
            extent: groups.facts[it].extent - first,
            ..groups.facts[it]
        };
        GraphNode {
            group: Some(group),
            ..groups.nodes[it]
        }
    });
    DataFlowGraph {
        nodes: nodes.collect(),
        edges,
        collapsed: true,
        left_out: groups.nodes.len() - kept.len(),
        instances: whole.instances,
    }
}

/// Edges between shown groups: those that the longest chain takes often, also round a loop; of the others those of most
/// pairs of instances.
fn edges(
    whole: &WholeGraph,
    chain: &[u32],
    instances: &[Instance],
    shown: impl Fn(StaticId) -> Option<usize>,
) -> Vec<Edge> {
    let mut sums: HashMap<(usize, usize), HashMap<_, u64>> = HashMap::new();
    for ((from, to, via), count) in &whole.edges {
        let [from, to] = [from, to].map(|key| shown(key.statics(instances)));
        if let (Some(from), Some(to)) = (from, to) {
            *sums.entry((from, to)).or_default().entry(*via).or_default() += count;
        }
    }
    let mut of_chain: HashMap<(usize, usize), HashMap<_, u64>> = HashMap::new();
    for instance in chain.iter().map(|number| instances[*number as usize]) {
        if let Some(before) = instance.before()
            && let Some(from) = shown(instances[before].statics())
            && let Some(to) = shown(instance.statics())
        {
            let ways = of_chain.entry((from, to)).or_default();
            *ways.entry(instance.via()).or_default() += 1;
        }
    }
    let edges = sums.into_iter().filter_map(|((from, to), ways)| {
        let count = ways.values().sum();
        let critical = of_chain.get(&(from, to));
        let often = |ways: &&HashMap<_, u64>| {
            ways.values().sum::<u64>() * STEPS_SHARE >= chain.len() as u64
        };
        let critical = critical.filter(often);
        let ways = critical.unwrap_or(&ways).iter();
        let (via, _) = ways.max_by_key(|(via, count)| (**count, Reverse(**via)))?;
        Some(Edge {
            from,
            to,
            via: *via,
            count,
            critical: critical.is_some(),
        })
    });
    let mut edges: Vec<Edge> = edges.filter(|it| it.critical || it.from != it.to).collect();
    edges.sort_by_key(|it| (Reverse((it.critical, it.count)), it.to, it.from));
    let nodes = edges.iter().map(|it| it.from.max(it.to) + 1).max();
    let critical = edges.partition_point(|it| it.critical);
    edges.truncate(critical + EDGES_PER_NODE * nodes.unwrap_or(0));
    edges.sort_by_key(|it| (it.to, it.from));
    edges
}
