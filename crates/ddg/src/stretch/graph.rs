//! The data-flow graph of a stretch: an instance per node where they are few, else an instruction per node.

use std::collections::{HashMap, HashSet};

use super::instance::{Instance, Via};
use super::open::Open;
use super::statics::StaticId;

/// Which graph to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphSettings {
    /// Only instances of these levels, first and last; `None` for all.
    pub levels: Option<(u32, u32)>,
    /// Most nodes. Where there are more instances, those of one instruction become one node (which collapses loops);
    /// where there are still more, the graph keeps the critical path's and then those of most instances.
    pub nodes: usize,
    /// Whether to put the instances of an instruction together in any case.
    pub collapse: bool,
    /// The iteration of a loop to show instance by instance, as far as there are nodes for that; the rest of that graph
    /// is put together. The loop is named by [`super::Recorder::opens_at`].
    pub open: Option<Open>,
}

/// A data-flow graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Nodes: in the order of the stream, or, where instances are put together, of their instructions' first
    /// appearance.
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
    /// Whether it is one instance of the iteration that was opened.
    pub opened: bool,
}

/// What a node stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Key {
    /// All instances of an instruction, but for those that stand for themselves.
    All(StaticId),
    /// One instance, by its position among the recorded ones.
    One(u32),
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
    wanted: GraphSettings,
    /// What the present instance depends on.
    sources: Vec<(u32, Via)>,
    instances: u64,
    /// Instances and edges between them, as long as they are few enough.
    single: Option<Single>,
    nodes: HashMap<Key, Node>,
    /// What nodes stand for, in the order of their first appearance.
    order: Vec<Key>,
    edges: HashMap<(Key, Key, Via), u64>,
    /// Whether the present instance is of the iteration that is to be opened.
    pub inside: bool,
    /// Instances that stand for themselves, ascending.
    opened: Vec<u32>,
}

#[derive(Debug, Default)]
struct Single {
    instances: Vec<u32>,
    edges: Vec<(u32, u32, Via)>,
}

impl Collector {
    pub fn new(wanted: &GraphSettings) -> Self {
        Self {
            wanted: *wanted,
            sources: Vec::new(),
            instances: 0,
            single: (!wanted.collapse).then(Single::default),
            nodes: HashMap::new(),
            order: Vec::new(),
            edges: HashMap::new(),
            inside: false,
            opened: Vec::new(),
        }
    }

    /// The node of an instance.
    fn key(&self, number: u32, instance: Instance) -> Key {
        match self.opened.first() {
            Some(first) if number >= *first && self.opened.binary_search(&number).is_ok() => {
                Key::One(number)
            }
            _ => Key::All(instance.statics()),
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
        if self.inside && self.opened.len() < self.wanted.nodes {
            self.opened.push(present);
        }
        let to = self.key(present, instance);
        let own = Node::of(instance);
        let node = self.nodes.entry(to).or_insert_with(|| {
            self.order.push(to);
            Node {
                instances: 0,
                opened: matches!(to, Key::One(_)),
                ..own
            }
        });
        node.add(&own);
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
            let from = self.key(by, source);
            *self.edges.entry((from, to, via)).or_default() += 1;
            if let Some(single) = &mut self.single {
                single.edges.push((by, present, via));
            }
        }
    }

    /// The graph, and the one with an iteration opened.
    pub fn finish(self, instances: &[Instance]) -> (Graph, Option<Graph>) {
        let critical = critical_path(instances);
        let opened = (!self.opened.is_empty()).then(|| {
            let key = |number: u32| self.key(number, instances[number as usize]);
            self.together(&critical, instances, key, |key| key)
        });
        let graph = match &self.single {
            Some(single) => self.singly(single, &critical, instances),
            None => {
                let all = |number: u32| Key::All(instances[number as usize].statics());
                self.together(&critical, instances, all, |key| match key {
                    Key::One(number) => all(number),
                    all => all,
                })
            }
        };
        (graph, opened)
    }

    /// An instance per node.
    fn singly(&self, single: &Single, critical: &[u32], instances: &[Instance]) -> Graph {
        let mut graph = Graph {
            instances: self.instances,
            ..Graph::default()
        };
        let on_path: HashSet<u32> = critical.iter().copied().collect();
        let mut positions = HashMap::new();
        for &number in &single.instances {
            positions.insert(number, graph.nodes.len());
            graph.nodes.push(Node {
                critical: on_path.contains(&number),
                ..Node::of(instances[number as usize])
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

    /// A node for each `key` of an instance, which are put together of those collected.
    fn together(
        &self,
        critical: &[u32],
        instances: &[Instance],
        key: impl Fn(u32) -> Key,
        fold: impl Fn(Key) -> Key,
    ) -> Graph {
        let mut graph = Graph {
            instances: self.instances,
            collapsed: true,
            ..Graph::default()
        };
        let on_path: HashSet<Key> = critical.iter().map(|number| key(*number)).collect();
        let steps: HashSet<(Key, Key, Via)> = critical
            .iter()
            .filter_map(|&number| {
                let instance = instances[number as usize];
                let before = instance.before()? as u32;
                Some((key(before), key(number), instance.via()))
            })
            .collect();
        let mut edges: HashMap<(Key, Key, Via), u64> = HashMap::new();
        for ((from, to, via), count) in &self.edges {
            *edges.entry((fold(*from), fold(*to), *via)).or_default() += count;
        }
        let mut order = Vec::new();
        let mut nodes: HashMap<Key, Node> = HashMap::new();
        for number in &self.order {
            let node = &self.nodes[number];
            let folded = fold(*number);
            nodes
                .entry(folded)
                .and_modify(|sum| sum.add(node))
                .or_insert_with(|| {
                    order.push(folded);
                    Node {
                        critical: on_path.contains(&folded),
                        opened: matches!(folded, Key::One(_)),
                        ..*node
                    }
                });
        }
        if order.len() > self.wanted.nodes {
            let is_opened = |key: &Key| matches!(key, Key::One(_));
            let beside: HashSet<Key> = edges
                .keys()
                .filter(|(from, to, _)| is_opened(from) || is_opened(to))
                .flat_map(|(from, to, _)| [*from, *to])
                .collect();
            let mut weights = order.clone();
            weights.sort_by_key(|key| {
                let node = &nodes[key];
                let near = (node.opened, beside.contains(key));
                std::cmp::Reverse((near, node.critical, node.instances))
            });
            graph.left_out = order.len() - self.wanted.nodes;
            let kept: HashSet<Key> = weights.into_iter().take(self.wanted.nodes).collect();
            order.retain(|key| kept.contains(key));
        }
        let positions: HashMap<Key, usize> = order
            .iter()
            .enumerate()
            .map(|(position, key)| (*key, position))
            .collect();
        graph.edges = edges
            .into_iter()
            .filter_map(|((from, to, via), count)| {
                Some(Edge {
                    from: *positions.get(&from)?,
                    to: *positions.get(&to)?,
                    via,
                    count,
                    critical: steps.contains(&(from, to, via)),
                })
            })
            .collect();
        graph
            .edges
            .sort_by_key(|edge| (edge.to, edge.from, edge.via));
        graph.nodes = order.iter().map(|key| nodes[key]).collect();
        graph
    }
}

impl Node {
    /// Of one instance.
    fn of(instance: Instance) -> Self {
        Self {
            statics: instance.statics(),
            instances: 1,
            first_level: instance.level,
            last_level: instance.level,
            critical: false,
            opened: false,
        }
    }

    /// Takes in others of the same instruction.
    fn add(&mut self, more: &Self) {
        self.instances += more.instances;
        self.first_level = self.first_level.min(more.first_level);
        self.last_level = self.last_level.max(more.last_level);
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
