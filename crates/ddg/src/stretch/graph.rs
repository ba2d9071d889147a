//! The data-flow graph of a stretch: an instance per node where they are few, else an instruction per node.

use std::collections::{HashMap, HashSet};

use super::instance::{DependenceVia, Instance};
use super::open::IterationRequest;
use super::statics::StaticId;

/// Which data-flow graphs are kept of a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphSettings {
    /// Only instances of these levels, first and last; `None` for all.
    pub levels: Option<(u32, u32)>,
    /// Most nodes. Where there are more instances, those of one instruction become one node (which collapses loops);
    /// where there are more instructions, those of one loop do.
    pub nodes: usize,
    /// Whether to put the instances of an instruction together in any case, and no more than these. Where there are
    /// more instructions than nodes, the graph keeps the critical path's and then those of most instances.
    pub collapse: bool,
    /// The iteration of a loop to show instance by instance, as far as there are nodes for that; the rest of that graph
    /// is put together. The loop is named by [`super::Recorder::opens_at`].
    pub open: Option<IterationRequest>,
    /// Whether to make graphs of some single iterations of loops that the graph puts together, of which none was asked
    /// for, and how many.
    pub offer: Option<IterationOffer>,
}

impl GraphSettings {
    /// Whether an instance is of the levels that are wanted.
    pub(super) fn wants(&self, instance: Instance) -> bool {
        self.levels
            .is_none_or(|(first, last)| (first..=last).contains(&instance.level))
    }
}

/// How many iterations are looked at without being asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IterationOffer {
    /// At most so many graphs are made.
    pub graphs: usize,
    /// Most nodes of each; no more than [`GraphSettings::nodes`] in any case.
    pub nodes: usize,
    /// Most bytes in which to keep what every instance depends on, some for each; where that is not enough there are no
    /// graphs.
    pub bytes: usize,
}

/// A data-flow graph: instructions or instances, and what flows between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataFlowGraph {
    /// Nodes: in the order of the stream, or, where instances are put together, of their instructions' first
    /// appearance.
    pub nodes: Vec<GraphNode>,
    /// Edges between them, in the order of what they lead to.
    pub edges: Vec<Edge>,
    /// Whether a node stands for all instances of an instruction, or of several.
    pub collapsed: bool,
    /// Nodes beyond the most that were wanted.
    pub left_out: usize,
    /// Instances of the wanted levels.
    pub instances: u64,
}

impl DataFlowGraph {
    /// Whether a node stands for a loop, or a routine's code outside of loops.
    pub fn is_by_loop(&self) -> bool {
        self.nodes.iter().any(|node| node.group.is_some())
    }
}

/// One instance, or all instances of an instruction or of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphNode {
    /// The instruction.
    pub statics: StaticId,
    /// How many the node stands for: 1, or all of its instruction that have no nodes of their own.
    pub instances: u64,
    /// Their smallest level.
    pub first_level: u32,
    /// Their largest level.
    pub last_level: u32,
    /// Whether one of them is on the critical path of the stretch.
    pub critical: bool,
    /// Whether it is one instance of the iteration that was opened.
    pub opened: bool,
    /// What the node stands for where that is all instructions of a loop, of which `statics` is the first.
    pub group: Option<CodeGroup>,
}

/// Instructions that are one node: those of a loop that are in no loop inside, or those of a routine outside of loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeGroup {
    /// Whether they are a loop's.
    pub is_loop: bool,
    /// Bytes from the first one's address to that of the last; of a loop, of the last that jumps back.
    pub extent: u64,
    /// How many they are.
    pub instructions: u32,
    /// Steps that the longest chain takes to come to their instances.
    pub steps: u64,
}

/// What a node stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum NodeKey {
    /// All instances of an instruction, but for those that stand for themselves.
    All(StaticId),
    /// One instance, by its position among the recorded ones.
    One(u32),
}

impl NodeKey {
    /// The instruction.
    pub(super) fn statics(self, instances: &[Instance]) -> StaticId {
        match self {
            Self::All(statics) => statics,
            Self::One(number) => instances[number as usize].statics(),
        }
    }
}

/// A dependence between nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Position of the node that has to come first.
    pub from: usize,
    /// Position of the node that depends on it.
    pub to: usize,
    /// Through what. A firewall is an edge only where nothing else held back the instance longer.
    pub via: DependenceVia,
    /// Pairs of instances.
    pub count: u64,
    /// Whether the critical path goes this way.
    pub critical: bool,
}

/// Nodes and edges, as many as there are.
#[derive(Debug)]
pub(super) struct WholeGraph {
    /// In the order of their first instances, whose numbers come with them.
    pub nodes: Vec<(NodeKey, GraphNode, u32)>,
    /// Pairs of instances.
    pub edges: HashMap<(NodeKey, NodeKey, DependenceVia), u64>,
    /// Instances of the wanted levels, whether or not their nodes are kept.
    pub instances: u64,
}

/// Steps of the longest chain between nodes.
pub(super) type Steps = HashSet<(NodeKey, NodeKey, DependenceVia)>;

impl WholeGraph {
    /// So many nodes of it. Where there are more, those of the longest chain, then those of most instances; or, if any
    /// were opened, these and their neighbours alone: others would hide them.
    pub fn graph(&self, steps: &Steps, most: usize) -> DataFlowGraph {
        let mut graph = DataFlowGraph {
            instances: self.instances,
            collapsed: true,
            left_out: self.nodes.len().saturating_sub(most),
            ..DataFlowGraph::default()
        };
        let mut kept: Vec<usize> = (0..self.nodes.len()).collect();
        if graph.left_out > 0 {
            let is_opened = |key: &NodeKey| matches!(key, NodeKey::One(_));
            let beside: HashSet<NodeKey> = self
                .edges
                .keys()
                .filter(|(from, to, _)| is_opened(from) || is_opened(to))
                .flat_map(|(from, to, _)| [*from, *to])
                .collect();
            if self.nodes.iter().any(|(_, node, _)| node.opened) {
                kept.retain(|&number| {
                    let (key, node, _) = &self.nodes[number];
                    node.opened || beside.contains(key)
                });
            }
            kept.sort_by_key(|&number| {
                let node = &self.nodes[number].1;
                std::cmp::Reverse((node.opened, node.critical, node.instances))
            });
            kept.truncate(most);
            kept.sort_unstable();
            graph.left_out = self.nodes.len() - kept.len();
        }
        let positions: HashMap<NodeKey, usize> = kept
            .iter()
            .enumerate()
            .map(|(position, number)| (self.nodes[*number].0, position))
            .collect();
        let edges = self.edges.iter().filter_map(|((from, to, via), count)| {
            Some(Edge {
                from: *positions.get(from)?,
                to: *positions.get(to)?,
                via: *via,
                count: *count,
                critical: steps.contains(&(*from, *to, *via)),
            })
        });
        graph.edges = edges.collect();
        graph
            .edges
            .sort_by_key(|edge| (edge.to, edge.from, edge.via));
        let nodes = kept.into_iter().map(|number| self.nodes[number].1);
        graph.nodes = nodes.collect();
        graph
    }
}

impl GraphNode {
    /// Of one instance.
    pub(super) fn of(instance: Instance) -> Self {
        Self {
            statics: instance.statics(),
            instances: 1,
            first_level: instance.level,
            last_level: instance.level,
            critical: false,
            opened: false,
            group: None,
        }
    }

    /// Takes in others of the same instruction or group.
    pub(super) fn add(&mut self, more: &Self) {
        self.instances += more.instances;
        self.first_level = self.first_level.min(more.first_level);
        self.last_level = self.last_level.max(more.last_level);
    }
}
