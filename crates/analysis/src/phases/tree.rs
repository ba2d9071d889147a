//! The recording's call tree with equal source places joined, and every thread's control flow in it.
//!
//! An optimizer copies functions to where they are called. What it made of one construct of the source is one node
//! here: children of one parent with the same kind, name, function, file and line, whatever they were inlined into.

use std::collections::{BTreeMap, HashMap};

use parascan_formats::omp::{
    CodePosition, Construct, Location, NodeFigures, Place, Recording, Thread,
};

use super::flow::{self, Edges, Point, ThreadChild};
use super::label::{Share, shares};
use super::loops::{FlowLoop, loops};

/// A node of the joined tree. Its number is its index in [`JoinedTree::nodes`]; 0 is the program.
#[derive(Clone, Debug, PartialEq)]
pub struct JoinedNode {
    /// The enclosing node; None for the program.
    pub parent: Option<usize>,
    /// Nodes inside it, ascending.
    pub children: Vec<usize>,
    /// What it is, and where. Where nodes were joined, the place of the first.
    pub place: Place,
    /// Every thread that was here with its figures, by ascending thread; times without the children's.
    pub threads: Vec<(u32, NodeFigures)>,
    /// Time of all threads here and in everything inside, in nanoseconds.
    pub inclusive: u64,
    /// The initial thread's part of it.
    pub initial: u64,
}

impl JoinedNode {
    /// A thread's figures, if it was here.
    pub fn of_thread(&self, thread: u32) -> Option<&NodeFigures> {
        let at = self.threads.binary_search_by_key(&thread, |t| t.0).ok()?;
        Some(&self.threads[at].1)
    }

    /// How often a thread entered it.
    pub fn executions_of(&self, thread: u32) -> u64 {
        self.of_thread(thread).map_or(0, |f| f.executions)
    }

    /// The figures of all threads at this node, added up.
    pub fn total(&self) -> NodeFigures {
        let mut total = NodeFigures::default();
        for (_, figures) in &self.threads {
            total.add(figures);
        }
        total
    }
}

/// The control flow inside a node: edges between its entry, its children and its exit.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowLayer {
    /// Number of the node in [`JoinedTree::nodes`].
    pub node: usize,
    /// Edges with the threads that took them, ordered by their ends. Explicit tasks are no part of the control flow:
    /// when they run is the scheduler's choice.
    pub edges: Vec<FlowEdge>,
    /// Loops in the initial thread's control flow.
    pub loops: Vec<FlowLoop>,
}

/// An edge of the control-flow graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowEdge {
    /// Where it starts.
    pub from: Point,
    /// Where it leads.
    pub to: Point,
    /// Which threads took it how often (fact P2).
    pub shares: Vec<Share>,
}

/// The call tree of the run in which equal places are one node, whatever their addresses were.
#[derive(Clone, Debug, PartialEq)]
pub struct JoinedTree {
    /// Nodes; parents come before their children.
    pub nodes: Vec<JoinedNode>,
    /// For each node of the recording, the node here.
    pub joined: Vec<usize>,
    /// Layers of all nodes that have children, by ascending node.
    pub layers: Vec<FlowLayer>,
}

impl JoinedTree {
    /// Joins the call tree of a recording, which must be valid ([`Recording::validate`]).
    pub fn new(recording: &Recording) -> Self {
        let (mut nodes, joined) = join(recording);
        figures(recording, &joined, &mut nodes);
        let layers = layers(recording, &joined, &nodes);
        Self {
            nodes,
            joined,
            layers,
        }
    }

    /// Computes the times of nodes with everything inside anew, from the threads' figures.
    pub(super) fn add_up(&mut self) {
        for node in &mut self.nodes {
            (node.inclusive, node.initial) = (0, 0);
        }
        add_up(&mut self.nodes);
    }

    /// The layer of a node, if it has children.
    pub fn layer(&self, node: usize) -> Option<&FlowLayer> {
        let at = self.layers.binary_search_by_key(&node, |l| l.node).ok()?;
        Some(&self.layers[at])
    }

    /// The child of a node at a place; what it was inlined into does not count.
    pub fn child_at(&self, parent: usize, place: &Place) -> Option<usize> {
        let children = self.nodes[parent].children.iter().copied();
        let mut equal = children.filter(|&child| key(&self.nodes[child].place) == key(place));
        equal.next()
    }

    /// The child of `ancestor` in which `node` lies, or which it is; None when it lies elsewhere.
    pub fn child_towards(&self, ancestor: usize, node: usize) -> Option<usize> {
        let mut at = node;
        // Parents have smaller numbers.
        while at > ancestor {
            let parent = self.nodes[at].parent?;
            if parent == ancestor {
                return Some(at);
            }
            at = parent;
        }
        None
    }
}

/// What makes places one node.
#[derive(PartialEq, Eq, Hash)]
enum PlaceKey<'a> {
    Source(Construct, &'a str, &'a CodePosition),
    Other(&'a Place),
}

fn key(place: &Place) -> PlaceKey<'_> {
    match &place.location {
        Location::Source { frame, .. } => PlaceKey::Source(place.construct, &place.name, frame),
        Location::Unknown | Location::Binary { .. } => PlaceKey::Other(place),
    }
}

fn join(recording: &Recording) -> (Vec<JoinedNode>, Vec<usize>) {
    let mut nodes: Vec<JoinedNode> = Vec::new();
    let mut joined: Vec<usize> = Vec::with_capacity(recording.nodes.len());
    let mut known = HashMap::new();
    for node in &recording.nodes {
        let parent = node.parent.map(|parent| joined[parent as usize]);
        let place = &recording.places[node.place as usize];
        let number = *known.entry((parent, key(place))).or_insert_with(|| {
            nodes.push(JoinedNode {
                parent,
                children: Vec::new(),
                place: place.clone(),
                threads: Vec::new(),
                inclusive: 0,
                initial: 0,
            });
            nodes.len() - 1
        });
        if let Some(parent) = parent
            && nodes[parent].children.last() < Some(&number)
        {
            nodes[parent].children.push(number);
        }
        joined.push(number);
    }
    (nodes, joined)
}

/// Adds the threads' totals.
fn figures(recording: &Recording, joined: &[usize], nodes: &mut [JoinedNode]) {
    for (thread, number) in recording.threads.iter().zip(0u32..) {
        for record in &thread.records {
            let node = &mut nodes[joined[record.node as usize]];
            match node.threads.last_mut() {
                Some((last, figures)) if *last == number => figures.add(&record.figures),
                _ => node.threads.push((number, record.figures.clone())),
            }
        }
    }
    add_up(nodes);
}

/// Times with everything inside.
fn add_up(nodes: &mut [JoinedNode]) {
    for number in (0..nodes.len()).rev() {
        let node = &mut nodes[number];
        for (thread, figures) in &node.threads {
            let own = figures.exclusive();
            node.inclusive = node.inclusive.saturating_add(own);
            if *thread == 0 {
                node.initial = node.initial.saturating_add(own);
            }
        }
        let (inclusive, initial) = (node.inclusive, node.initial);
        if let Some(parent) = node.parent {
            let parent = &mut nodes[parent];
            parent.inclusive = parent.inclusive.saturating_add(inclusive);
            parent.initial = parent.initial.saturating_add(initial);
        }
    }
}

/// Threads and how often each took an edge.
type EdgeCounts = Vec<(u32, u64)>;

fn layers(recording: &Recording, joined: &[usize], nodes: &[JoinedNode]) -> Vec<FlowLayer> {
    let parents = (0..nodes.len()).filter(|&n| !nodes[n].children.is_empty());
    let mut labels: Vec<HashMap<(Point, Point), EdgeCounts>> = vec![HashMap::new(); nodes.len()];
    let mut initial: Vec<Edges> = vec![Edges::new(); nodes.len()];
    for (thread, number) in recording.threads.iter().zip(0u32..) {
        for (parent, children) in children_of(thread, joined, nodes) {
            let executions = nodes[parent].executions_of(number);
            let edges = flow::edges(executions, &children);
            for (&edge, &count) in &edges {
                labels[parent]
                    .entry(edge)
                    .or_default()
                    .push((number, count));
            }
            if number == 0 {
                initial[parent] = edges;
            }
        }
    }
    parents
        .map(|node| {
            let mut edges: Vec<FlowEdge> = labels[node]
                .iter()
                .map(|(&(from, to), counts)| FlowEdge {
                    from,
                    to,
                    shares: shares(counts.iter().copied()),
                })
                .collect();
            edges.sort_by_key(|e| (e.from, e.to));
            FlowLayer {
                node,
                edges,
                loops: loops(&initial[node]),
            }
        })
        .collect()
}

/// What a thread knows about the children of each node in which it was.
fn children_of(
    thread: &Thread,
    joined: &[usize],
    nodes: &[JoinedNode],
) -> impl Iterator<Item = (usize, Vec<ThreadChild>)> {
    let mut children: BTreeMap<(usize, usize), ThreadChild> = BTreeMap::new();
    for record in &thread.records {
        let node = joined[record.node as usize];
        let Some(parent) = nodes[node].parent else {
            continue;
        };
        if nodes[node].place.construct == Construct::Task {
            continue;
        }
        let child = children
            .entry((parent, node))
            .or_insert_with(|| ThreadChild {
                node,
                executions: 0,
                predecessors: Vec::new(),
            });
        child.executions += record.figures.executions;
        for &(before, count) in &record.predecessors {
            let before = joined[before as usize];
            let point = if before == parent {
                Point::Entry
            } else {
                Point::Child(before)
            };
            child.predecessors.push((point, count));
        }
    }
    let mut by_parent: BTreeMap<usize, Vec<ThreadChild>> = BTreeMap::new();
    for ((parent, _), child) in children {
        by_parent.entry(parent).or_default().push(child);
    }
    by_parent.into_iter()
}
