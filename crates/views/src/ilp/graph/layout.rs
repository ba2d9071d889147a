//! Where the nodes and edges of a data-flow graph are drawn: rows are steps.

use std::collections::BTreeMap;

use parascan_ddg::stretch::{DataFlowGraph, GraphNode};
use unicode_width::UnicodeWidthStr;

use super::lines;
use crate::ilp::Stretch;
use crate::shared::layout::Layers;
use crate::shared::style::shorten;

/// Most nodes drawn as boxes with their instruction; more become dots.
const BOXES: usize = 160;
/// Most nodes drawn.
pub(super) const MOST: usize = 4000;
/// Most bends of edges; graphs that would need more have straight edges.
const BENDS: usize = 12_000;
/// Longest instruction shown in a box, in characters.
const LONGEST: usize = 34;
/// Width of a character, its font being of fixed width.
const CHARACTER: f64 = 6.7;

/// A drawing.
#[derive(Clone, Debug)]
pub(super) struct GraphLayout {
    /// Whether nodes are boxes with text, or dots.
    pub(super) boxes: bool,
    /// Level and vertical middle of each row.
    pub(super) rows: Vec<(u32, f64)>,
    /// The nodes that are drawn.
    pub(super) nodes: Vec<PlacedNode>,
    /// The edges between them, by number, with their corners: from the middle of one node through free places to that
    /// of the other.
    pub(super) edges: Vec<(usize, Vec<(f64, f64)>)>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A node in its place.
#[derive(Clone, Debug)]
pub(super) struct PlacedNode {
    /// Its middle.
    pub(super) x: f64,
    pub(super) y: f64,
    /// Width of its box, or diameter of its dot.
    pub(super) width: f64,
    pub(super) height: f64,
    /// What stands in the box.
    pub(super) lines: Vec<String>,
}

/// Lays out the graph of a stretch.
pub(super) fn layout(stretch: &Stretch, graph: &DataFlowGraph) -> GraphLayout {
    let nodes = &graph.nodes[..graph.nodes.len().min(MOST)];
    let boxes = nodes.len() <= BOXES;
    let (row_height, margin) = if boxes { (86.0, 18.0) } else { (22.0, 8.0) };
    // The first step of a loop says little: nearly all have an instruction that waits for nothing.
    let by_flow = graph.is_by_loop().then(|| rows_by_flow(graph));
    let mut levels: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (number, node) in nodes.iter().enumerate() {
        let row = by_flow
            .as_ref()
            .map_or(node.first_level, |rows| rows[number]);
        levels.entry(row).or_default().push(number);
    }
    let mut row_of = vec![0; nodes.len()];
    for (row, members) in levels.values().enumerate() {
        for &node in members {
            row_of[node] = row;
        }
    }
    let text = |node: &GraphNode| boxes.then(|| lines(stretch, &stretch.site(node.statics), node));
    let mut placed: Vec<PlacedNode> = nodes.iter().map(|node| shape(text(node))).collect();
    let mut layers = Layers::new(levels.len());
    for (node, &row) in row_of.iter().enumerate() {
        layers.add(row, placed[node].width + margin);
    }
    // Edges downwards have a bend in every row between; `bends` holds the vertices of each edge.
    let drawn = |node: usize| node < nodes.len();
    let known = || {
        graph
            .edges
            .iter()
            .enumerate()
            .filter(|(_, e)| drawn(e.from) && drawn(e.to))
    };
    let needed: usize = known()
        .map(|(_, e)| row_of[e.to].saturating_sub(row_of[e.from] + 1))
        .sum();
    let mut bends: Vec<(usize, Vec<usize>)> = Vec::new();
    for (number, edge) in known() {
        let (from, to) = (row_of[edge.from], row_of[edge.to]);
        let path = if from < to && needed <= BENDS {
            layers.join((edge.from, from), (edge.to, to), |_| margin.min(10.0))
        } else {
            if from < to {
                layers.link(edge.from, edge.to);
            }
            vec![edge.from, edge.to]
        };
        bends.push((number, path));
    }
    layers.order();
    let x = layers.place();
    let mut y = vec![0.0; x.len()];
    for (row, members) in layers.rows.iter().enumerate() {
        for &vertex in members {
            y[vertex] = row_height * (row as f64 + 0.5);
        }
    }
    for (number, node) in placed.iter_mut().enumerate() {
        (node.x, node.y) = (x[number], y[number]);
    }
    let width = (0..x.len())
        .map(|v| x[v] + layers.widths[v] / 2.0)
        .fold(0.0, f64::max);
    GraphLayout {
        boxes,
        rows: levels
            .keys()
            .enumerate()
            .filter(|_| by_flow.is_none())
            .map(|(row, &level)| (level, row_height * (row as f64 + 0.5)))
            .collect(),
        nodes: placed,
        edges: bends
            .into_iter()
            .map(|(number, path)| (number, path.into_iter().map(|v| (x[v], y[v])).collect()))
            .collect(),
        width,
        height: row_height * levels.len() as f64,
    }
}

/// Rows in which each node is below those before it in the program's run from which values flow to it.
fn rows_by_flow(graph: &DataFlowGraph) -> Vec<u32> {
    let mut rows = vec![0; graph.nodes.len()];
    let mut edges: Vec<(usize, usize)> = graph.edges.iter().map(|it| (it.from, it.to)).collect();
    edges.sort_unstable();
    for (from, to) in edges.into_iter().filter(|(from, to)| from < to) {
        rows[to] = rows[to].max(rows[from] + 1);
    }
    rows
}

/// A node's size and text.
fn shape(text: Option<Vec<String>>) -> PlacedNode {
    let mut placed = PlacedNode {
        x: 0.0,
        y: 0.0,
        width: 9.0,
        height: 9.0,
        lines: Vec::new(),
    };
    if let Some(text) = text {
        placed.lines = text.iter().map(|line| shorten(line, LONGEST)).collect();
        let longest = placed.lines.iter().map(|l| l.width()).max().unwrap_or(0);
        placed.width = CHARACTER * longest as f64 + 16.0;
        placed.height = 12.0 + 15.0 * placed.lines.len() as f64;
    }
    placed
}
