//! Layers with their boxes and arrows: which layers are open, and what the box of a region says.

use std::fmt::Write;

use parascan_analysis::phases::{Phases, naming};

use super::arrows::draw_arrow;
use super::boxes::{DrawnPart, LETTER, boxed, terminal};
use crate::phases::graph::{self, LayerGraph, LayerItem, SMALL};
use crate::phases::layout::{FlowLayout, LayoutEdge, place};
use crate::phases::words;
use crate::shared::style::{count, percent, safe};

/// Most boxes drawn; deeper layers beyond are closed.
const MOST: usize = 160;
/// Most groups of threads in a label.
const GROUPS: usize = 3;

/// The page's element with the layer of a node.
pub(in crate::phases) fn layer_id(node: usize) -> String {
    format!("layer-{}", naming::id(node))
}

/// The page's element with the layer of a node and none of its regions folded.
pub(in crate::phases) fn all_id(node: usize) -> String {
    format!("all-{}", naming::id(node))
}

/// What layers and boxes are drawn with.
pub(super) struct DrawingStyle<'a> {
    pub(super) result: &'a Phases,
    /// Small regions have boxes of their own.
    pub(super) all: bool,
    /// Nodes whose layers are drawn inside them.
    pub(super) open: Vec<usize>,
    /// Nodes whose closed boxes are links.
    pub(super) opens: &'a dyn Fn(usize) -> bool,
}

impl DrawingStyle<'_> {
    /// Opens layers from outside to inside, as long as there is room.
    pub(super) fn open(&mut self) {
        let mut budget = MOST;
        let mut next = 0;
        while next < self.open.len() {
            let graph = LayerGraph::new(self.result, self.open[next], self.all);
            for item in graph.items {
                let LayerItem::Region(child) = item else {
                    continue;
                };
                let inside = LayerGraph::new(self.result, child, self.all).items.len();
                if inside > 0 && inside <= budget {
                    budget -= inside;
                    self.open.push(child);
                }
            }
            next += 1;
        }
    }

    /// One layer: the entry, the regions, the exit.
    pub(super) fn layer(&self, node: usize) -> DrawnPart {
        let graph = LayerGraph::new(self.result, node, self.all);
        if graph.items.is_empty() {
            return self.region(node, node);
        }
        let mut boxes = vec![terminal("begin")];
        boxes.extend(graph.items.iter().map(|item| match item {
            LayerItem::Region(child) => self.region(node, *child),
            LayerItem::Small(children) => self.small(node, children),
        }));
        boxes.push(terminal("end"));
        let sizes: Vec<(f64, f64)> = boxes.iter().map(|b| (b.width, b.height)).collect();
        let labels: Vec<String> = graph
            .arrows
            .iter()
            .map(|arrow| words::shares(&arrow.shares, GROUPS))
            .collect();
        let links: Vec<LayoutEdge> = graph
            .arrows
            .iter()
            .zip(&labels)
            .map(|(arrow, label)| LayoutEdge {
                from: arrow.from,
                to: arrow.to,
                label: label.chars().count() as f64 * LETTER + 8.0,
            })
            .collect();
        let placed = place(&sizes, &links);
        let mut body = String::new();
        for (one, (x, y)) in boxes.iter().zip(&placed.items) {
            let _ = write!(
                body,
                "<g transform=\"translate({x:.1} {y:.1})\">{}</g>",
                one.body
            );
        }
        for ((arrow, label), route) in graph.arrows.iter().zip(&labels).zip(&placed.routes) {
            draw_arrow(&mut body, route, label, arrow);
        }
        let FlowLayout { width, height, .. } = placed;
        DrawnPart {
            width,
            height,
            body,
        }
    }

    /// A region: what and where it is, how often and how long it ran, and its layer when that is open.
    fn region(&self, layer: usize, node: usize) -> DrawnPart {
        let result = self.result;
        let of = &result.tree.nodes[node];
        let is_open = node != layer && self.open.contains(&node) && !of.children.is_empty();
        let inside = is_open.then(|| self.layer(node));
        let mut lines = vec![(
            "name",
            format!("{} {}", naming::id(node), of.place.construct.name()),
        )];
        let named = safe(&of.place.name);
        let location = safe(&naming::location(&of.place));
        let function = safe(naming::function(&of.place));
        if !named.is_empty() {
            lines.push(("quiet", named.clone()));
        }
        if !location.is_empty() {
            lines.push(("quiet", location));
        }
        if !function.is_empty() && function != named {
            lines.push(("quiet", format!("in {function}")));
        }
        lines.push((
            "quiet",
            format!("executions {}", words::executions(result, node)),
        ));
        let share = graph::heat(result, node);
        lines.push((
            "quiet",
            format!("{} {}", words::time(of.inclusive), percent(share)),
        ));
        for found in graph::loops_at(result, layer, node) {
            lines.push(("loop", format!("\u{21bb} {found}")));
        }
        if inside.is_none() && !of.children.is_empty() {
            lines.push(("quiet", format!("+ {} inside", of.children.len())));
        }
        let starts = graph::begins_phases(result, node);
        let mut about = words::about(result, node);
        if starts {
            about += "\nphases begin here";
        }
        let class = match (starts, inside.is_some()) {
            (true, true) => "box start deep",
            (true, false) => "box start",
            (false, true) => "box deep",
            (false, false) => "box",
        };
        let link = (inside.is_none() && (self.opens)(node)).then(|| layer_id(node));
        boxed(&lines, class, share, &about, link.as_deref(), inside)
    }

    /// Small regions of a layer.
    fn small(&self, layer: usize, nodes: &[usize]) -> DrawnPart {
        let result = self.result;
        let of = |node: usize| result.tree.nodes[node].inclusive;
        let time = nodes
            .iter()
            .fold(0, |sum: u64, &n| sum.saturating_add(of(n)));
        let share = nodes.iter().map(|&n| graph::heat(result, n)).sum();
        let mut lines = vec![
            ("name", format!("+ {} below {SMALL}%", nodes.len())),
            ("quiet", format!("{} {}", words::time(time), percent(share))),
        ];
        let loops = nodes
            .iter()
            .map(|&node| graph::loops_at(result, layer, node).len());
        let loops: usize = loops.sum();
        if loops > 0 {
            let loops = count(loops as u64, "loop begins", "loops begin");
            lines.push(("loop", format!("\u{21bb} {loops} in them")));
        }
        let link = (self.opens)(layer).then(|| all_id(layer));
        boxed(
            &lines,
            "box few",
            share,
            &graph::about_small(result, nodes),
            link.as_deref(),
            None,
        )
    }
}
