//! The data-flow graph of a stretch: an instance per node where they are few, else an instruction per node.

use std::collections::{HashMap, HashSet};

use super::instance::{Instance, Via};
use super::statics::StaticId;

/// Which graph to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Only instances of these levels, first and last; `None` for all.
    pub levels: Option<(u32, u32)>,
    /// Most nodes. Where there are more instances, those of one instruction become one node (which collapses loops); where there are still more, the graph
    /// keeps the critical path's and then those of most instances.
    pub nodes: usize,
    /// Whether to put the instances of an instruction together in any case.
    pub collapse: bool,
}

/// A data-flow graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Nodes: in the order of the stream, or, where instances are put together, of their instructions' first appearance.
    pub nodes: Vec<Node>,
    /// Edges between them, in the order of what they lead to.
    pub edges: Vec<Edge>,
    /// Whether a node stands for all instances of an instruction.
    pub collapsed: bool,
    /// Nodes beyond the most that were wanted.
    pub left_out: usize,
    /// Instances of the wanted levels.
    pub instances: u64,
}

/// One instance, or all instances of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// The instruction.
    pub statics: StaticId,
    /// Instances.
    pub instances: u64,
    /// Their smallest level.
    pub first_level: u32,
    /// Their largest level.
    pub last_level: u32,
    /// Whether one of them is on the critical path of the stretch.
    pub critical: bool,
}

/// A dependence between nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Position of the node that has to come first.
    pub from: usize,
    /// Position of the node that depends on it.
    pub to: usize,
    /// Through what. A firewall is an edge only where nothing else held back the instance longer.
    pub via: Via,
    /// Pairs of instances.
    pub count: u64,
    /// Whether the critical path goes this way.
    pub critical: bool,
}

/// Collects nodes and edges while the stretch is recorded.
#[derive(Debug)]
pub(super) struct Collector {
    wanted: Wanted,
    /// What the present instance depends on.
    sources: Vec<(u32, Via)>,
    instances: u64,
    /// Instances and edges between them, as long as they are few enough.
    single: Option<Single>,
    nodes: HashMap<StaticId, Node>,
    /// Instructions in the order of their first appearance.
    order: Vec<StaticId>,
    edges: HashMap<(StaticId, StaticId, Via), u64>,
}

#[derive(Debug, Default)]
struct Single {
    instances: Vec<u32>,
    edges: Vec<(u32, u32, Via)>,
}

impl Collector {
    pub fn new(wanted: &Wanted) -> Self {
        Self {
            wanted: *wanted,
            sources: Vec::new(),
            instances: 0,
            single: (!wanted.collapse).then(Single::default),
            nodes: HashMap::new(),
            order: Vec::new(),
            edges: HashMap::new(),
        }
    }

    /// The present instance depends on one before.
    pub fn source(&mut self, by: u32, via: Via) {
        if !self.sources.contains(&(by, via)) {
            self.sources.push((by, via));
        }
    }

    fn wants(&self, instance: Instance) -> bool {
        self.wanted
            .levels
            .is_none_or(|(first, last)| (first..=last).contains(&instance.level))
    }

    /// All sources of the present instance, the last one recorded, were given.
    pub fn instance(&mut self, present: u32, instances: &[Instance]) {
        let instance = instances[present as usize];
        if !self.wants(instance) {
            self.sources.clear();
            return;
        }
        self.instances += 1;
        let to = instance.statics();
        let node = self.nodes.entry(to).or_insert_with(|| {
            self.order.push(to);
            Node {
                statics: to,
                instances: 0,
                first_level: instance.level,
                last_level: instance.level,
                critical: false,
            }
        });
        node.instances += 1;
        node.first_level = node.first_level.min(instance.level);
        node.last_level = node.last_level.max(instance.level);
        if self.instances > self.wanted.nodes as u64 {
            self.single = None;
        }
        if let Some(single) = &mut self.single {
            single.instances.push(present);
        }
        for (by, via) in std::mem::take(&mut self.sources) {
            let source = instances[by as usize];
            if !self.wants(source) {
                continue;
            }
            *self.edges.entry((source.statics(), to, via)).or_default() += 1;
            if let Some(single) = &mut self.single {
                single.edges.push((by, present, via));
            }
        }
    }

    /// The graph.
    pub fn finish(self, instances: &[Instance]) -> Graph {
        let critical = critical_path(instances);
        let mut graph = Graph {
            instances: self.instances,
            ..Graph::default()
        };
        if let Some(single) = self.single {
            let on_path: HashSet<u32> = critical.iter().copied().collect();
            let mut positions = HashMap::new();
            for number in single.instances {
                let instance = instances[number as usize];
                positions.insert(number, graph.nodes.len());
                graph.nodes.push(Node {
                    statics: instance.statics(),
                    instances: 1,
                    first_level: instance.level,
                    last_level: instance.level,
                    critical: on_path.contains(&number),
                });
            }
            for (from, to, via) in single.edges {
                let after = instances[to as usize];
                graph.edges.push(Edge {
                    from: positions[&from],
                    to: positions[&to],
                    via,
                    count: 1,
                    critical: on_path.contains(&to)
                        && after.before() == Some(from as usize)
                        && after.via() == via,
                });
            }
            return graph;
        }
        graph.collapsed = true;
        let on_path: HashSet<StaticId> = critical
            .iter()
            .map(|number| instances[*number as usize].statics())
            .collect();
        let steps: HashSet<(StaticId, StaticId, Via)> = critical
            .iter()
            .filter_map(|number| {
                let instance = instances[*number as usize];
                let before = instances[instance.before()?];
                Some((before.statics(), instance.statics(), instance.via()))
            })
            .collect();
        let mut chosen: Vec<Node> = self
            .order
            .iter()
            .map(|number| Node {
                critical: on_path.contains(number),
                ..self.nodes[number]
            })
            .collect();
        if chosen.len() > self.wanted.nodes {
            let mut weights: Vec<usize> = (0..chosen.len()).collect();
            weights.sort_by_key(|i| std::cmp::Reverse((chosen[*i].critical, chosen[*i].instances)));
            graph.left_out = chosen.len() - self.wanted.nodes;
            let kept: HashSet<usize> = weights.into_iter().take(self.wanted.nodes).collect();
            let mut position = 0;
            chosen.retain(|_| {
                position += 1;
                kept.contains(&(position - 1))
            });
        }
        let positions: HashMap<StaticId, usize> = chosen
            .iter()
            .enumerate()
            .map(|(position, node)| (node.statics, position))
            .collect();
        graph.edges = self
            .edges
            .iter()
            .filter_map(|((from, to, via), count)| {
                Some(Edge {
                    from: *positions.get(from)?,
                    to: *positions.get(to)?,
                    via: *via,
                    count: *count,
                    critical: steps.contains(&(*from, *to, *via)),
                })
            })
            .collect();
        graph
            .edges
            .sort_by_key(|edge| (edge.to, edge.from, edge.via));
        graph.nodes = chosen;
        graph
    }
}

/// Instances of the longest chain, last one first.
fn critical_path(instances: &[Instance]) -> Vec<u32> {
    // The first of the deepest, as the first of the chains.
    let deepest = (0..instances.len())
        .rev()
        .max_by_key(|i| instances[*i].level);
    std::iter::successors(deepest, |i| instances[*i].before())
        .map(|i| i as u32)
        .collect()
}
