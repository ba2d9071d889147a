//! Collects the data-flow graph of a stretch while that is recorded.

use std::collections::{HashMap, HashSet};

use super::dependences::Dependences;
use super::graph::{DataFlowGraph, Edge, GraphNode, GraphSettings, NodeKey, Steps, WholeGraph};
use super::grouped::by_loop;
use super::instance::{DependenceVia, Instance};
use super::offered::{GraphLoop, offered};
use super::statics::Static;
use crate::event::ThreadId;

/// Collects nodes and edges while the stretch is recorded.
#[derive(Debug)]
pub(super) struct Collector {
    wanted: GraphSettings,
    /// What the present instance depends on.
    sources: Vec<(u32, DependenceVia)>,
    instances: u64,
    /// Instances and edges between them, as long as they are few enough.
    single: Option<CollectedInstances>,
    /// Nodes, and the number of the first instance of each.
    nodes: HashMap<NodeKey, (GraphNode, u32)>,
    edges: HashMap<(NodeKey, NodeKey, DependenceVia), u64>,
    /// Whether the present instance is of the iteration that is to be opened.
    pub inside: bool,
    /// Instances that stand for themselves, ascending.
    opened: Vec<u32>,
    /// What is needed for graphs of iterations that are chosen at the end.
    kept: Option<Dependences>,
}

/// The graphs of a stretch.
#[derive(Debug, Default)]
pub(super) struct Graphs {
    /// As it was asked for.
    pub graph: DataFlowGraph,
    /// With an iteration opened.
    pub opened: Option<DataFlowGraph>,
    /// Its loops with some iterations.
    pub loops: Vec<GraphLoop>,
    /// Whether there are none since there was no room.
    pub no_room: bool,
}

#[derive(Debug, Default)]
struct CollectedInstances {
    instances: Vec<u32>,
    edges: Vec<(u32, u32, DependenceVia)>,
}

impl Collector {
    pub fn new(wanted: &GraphSettings) -> Self {
        Self {
            wanted: *wanted,
            sources: Vec::new(),
            instances: 0,
            single: (!wanted.collapse).then(CollectedInstances::default),
            nodes: HashMap::new(),
            edges: HashMap::new(),
            inside: false,
            opened: Vec::new(),
            kept: wanted.offer.map(|offer| Dependences::new(offer.bytes)),
        }
    }

    /// The node of an instance.
    fn key(&self, number: u32, instance: Instance) -> NodeKey {
        match self.opened.first() {
            Some(first) if number >= *first && self.opened.binary_search(&number).is_ok() => {
                NodeKey::One(number)
            }
            _ => NodeKey::All(instance.statics()),
        }
    }

    /// The present instance depends on one before.
    pub fn source(&mut self, by: u32, via: DependenceVia) {
        if !self.sources.contains(&(by, via)) {
            self.sources.push((by, via));
        }
    }

    /// A thread executes an instruction within so many calls, which has the next instances.
    pub fn instruction(&mut self, next: u32, thread: ThreadId, depth: usize) {
        if let Some(kept) = &mut self.kept {
            kept.instruction(next, thread, depth);
        }
    }

    /// All sources of the present instance, the last one recorded, were given.
    pub fn instance(&mut self, present: u32, instances: &[Instance]) {
        let instance = instances[present as usize];
        let wanted = self.wanted;
        let wants = |number: u32| wanted.wants(instances[number as usize]);
        self.sources.retain(|(by, _)| wants(present) && wants(*by));
        if let Some(kept) = &mut self.kept {
            kept.instance(present, self.sources.iter().copied());
        }
        if !wants(present) {
            return;
        }
        self.instances += 1;
        if self.inside && self.opened.len() < self.wanted.nodes {
            self.opened.push(present);
        }
        let to = self.key(present, instance);
        let own = GraphNode::of(instance);
        self.nodes
            .entry(to)
            .and_modify(|(node, _)| node.add(&own))
            .or_insert_with(|| {
                let opened = matches!(to, NodeKey::One(_));
                (GraphNode { opened, ..own }, present)
            });
        if self.instances > self.wanted.nodes as u64 {
            self.single = None;
        }
        if let Some(single) = &mut self.single {
            single.instances.push(present);
        }
        for (by, via) in std::mem::take(&mut self.sources) {
            let from = self.key(by, instances[by as usize]);
            *self.edges.entry((from, to, via)).or_default() += 1;
            if let Some(single) = &mut self.single {
                single.edges.push((by, present, via));
            }
        }
    }

    /// The graphs that were collected, of these instances.
    pub fn finish(mut self, instances: &[Instance], statics: &[Static]) -> Graphs {
        let mut chain = critical_path(instances);
        chain.reverse();
        let opened = (!self.opened.is_empty()).then(|| {
            let key = |number: u32| self.key(number, instances[number as usize]);
            let (whole, steps) = self.together(&chain, instances, key);
            whole.graph(&steps, self.wanted.nodes)
        });
        if let Some(single) = &self.single {
            return Graphs {
                graph: self.singly(single, &chain, instances),
                opened,
                ..Graphs::default()
            };
        }
        let kept = self.kept.take();
        let all = |number: u32| NodeKey::All(instances[number as usize].statics());
        let (whole, steps) = self.together(&chain, instances, all);
        let most = self.wanted.nodes;
        let graph = if whole.nodes.len() > most && !self.wanted.collapse {
            by_loop(&whole, &chain, instances, statics, most)
        } else {
            whole.graph(&steps, most)
        };
        let loops = kept.as_ref().map_or_else(Vec::new, |kept| {
            offered(
                &graph.nodes,
                &whole,
                kept,
                &self.wanted,
                &chain,
                instances,
                statics,
            )
        });
        Graphs {
            graph,
            opened,
            loops,
            no_room: kept.is_some_and(|kept| kept.is_full()),
        }
    }

    /// An instance per node.
    fn singly(
        &self,
        single: &CollectedInstances,
        critical: &[u32],
        instances: &[Instance],
    ) -> DataFlowGraph {
        let mut graph = DataFlowGraph {
            instances: self.instances,
            ..DataFlowGraph::default()
        };
        let on_path: HashSet<u32> = critical.iter().copied().collect();
        let mut positions = HashMap::new();
        for &number in &single.instances {
            positions.insert(number, graph.nodes.len());
            graph.nodes.push(GraphNode {
                critical: on_path.contains(&number),
                ..GraphNode::of(instances[number as usize])
            });
        }
        for &(from, to, via) in &single.edges {
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
        graph
    }

    /// A node for each `key` of an instance, which are put together of those collected, and the steps of the longest
    /// chain between them.
    fn together(
        &self,
        chain: &[u32],
        instances: &[Instance],
        key: impl Fn(u32) -> NodeKey,
    ) -> (WholeGraph, Steps) {
        let on_path: HashSet<NodeKey> = chain.iter().map(|number| key(*number)).collect();
        let steps = chain.iter().filter_map(|&number| {
            let instance = instances[number as usize];
            let before = instance.before()? as u32;
            Some((key(before), key(number), instance.via()))
        });
        let fold = |of: &NodeKey| match of {
            NodeKey::One(number) => key(*number),
            NodeKey::All(_) => *of,
        };
        let mut edges: HashMap<(NodeKey, NodeKey, DependenceVia), u64> = HashMap::new();
        for ((from, to, via), count) in &self.edges {
            *edges.entry((fold(from), fold(to), *via)).or_default() += count;
        }
        let mut nodes: HashMap<NodeKey, (GraphNode, u32)> = HashMap::new();
        for (own, (node, first)) in &self.nodes {
            nodes
                .entry(fold(own))
                .and_modify(|(sum, earliest)| {
                    sum.add(node);
                    *earliest = (*earliest).min(*first);
                })
                .or_insert((*node, *first));
        }
        let mut nodes: Vec<_> = nodes
            .into_iter()
            .map(|(own, (node, first))| {
                let node = GraphNode {
                    critical: on_path.contains(&own),
                    opened: matches!(own, NodeKey::One(_)),
                    ..node
                };
                (own, node, first)
            })
            .collect();
        nodes.sort_by_key(|(_, _, first)| *first);
        let whole = WholeGraph {
            nodes,
            edges,
            instances: self.instances,
        };
        (whole, steps.collect())
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
