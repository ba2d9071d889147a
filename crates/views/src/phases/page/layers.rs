//! The control flow: the drawing of each layer, beside or above those of the layers inside it.

use std::cmp::Reverse;

use minijinja::value::Value;
use parascan_analysis::phases::{PhaseMethod, Phases};
use serde::Serialize;

use crate::phases::{flow_svg, graph, words};
use crate::shared::html::markup;
use crate::shared::style::{count, percent};

/// Most layers drawn.
const LAYERS: usize = 40;
/// Share of the time of all threads from which on a layer is open at first.
const OPEN: f64 = 0.1;

#[derive(Debug, Serialize)]
pub(super) struct FlowSection {
    legend: Value,
    /// The whole program's; none where it has no regions.
    layers: Vec<PageLayer>,
    /// How many layers are not drawn, if any.
    left_out: Option<String>,
    /// All layers inside each other.
    whole: Value,
}

/// A layer, which opens and closes without a script.
#[derive(Debug, Serialize)]
struct PageLayer {
    open: bool,
    name: String,
    /// Its share of the time of all threads.
    share: String,
    /// How many regions are inside.
    regions: String,
    /// The address leads to what is inside the element: browsers open it for that.
    id: String,
    svg: Value,
    inner: Vec<PageLayer>,
    /// The same layer with all regions, where small ones are folded.
    unfolded: Option<UnfoldedLayer>,
}

#[derive(Debug, Serialize)]
struct UnfoldedLayer {
    name: String,
    /// How many regions are folded in the other drawing.
    folded: usize,
    /// Share of the time below which regions are folded, in per cent.
    below: u64,
    id: String,
    svg: Value,
}

pub(super) fn flow(result: &Phases) -> FlowSection {
    let mut nodes: Vec<usize> = result.tree.layers.iter().map(|l| l.node).collect();
    // Nothing takes more time than what is around it, so each layer's way from the program is there, too.
    by_time(result, &mut nodes);
    let left_out = nodes.len().saturating_sub(LAYERS);
    nodes.truncate(LAYERS);
    let layers = (!nodes.is_empty()).then(|| layer(result, 0, &nodes));
    let left_out = (left_out > 0).then(|| count(left_out as u64, "layer is", "layers are"));
    FlowSection {
        legend: markup(flow_svg::legend_inline(result)),
        layers: layers.into_iter().collect(),
        left_out,
        whole: markup(flow_svg::flow_inline(result)),
    }
}

/// Those of most time first.
fn by_time(result: &Phases, nodes: &mut [usize]) {
    nodes.sort_by_key(|&n| (Reverse(result.tree.nodes[n].inclusive), n));
}

/// A layer with those inside it; `drawn` are the layers that the page has.
fn layer(result: &Phases, node: usize, drawn: &[usize]) -> PageLayer {
    let share = graph::heat(result, node);
    let children = &result.tree.nodes[node].children;
    let holds_phases = result
        .choice
        .as_ref()
        .filter(|choice| choice.how != PhaseMethod::Interval)
        .is_some_and(|choice| {
            let layer = choice.rule.layer;
            layer == node || result.tree.child_towards(node, layer).is_some()
        });
    let svg = |all| {
        let is_drawn = |n| drawn.contains(&n);
        markup(flow_svg::layer_inline(result, node, all, &is_drawn))
    };
    let mut inner = children.clone();
    inner.retain(|child| drawn.contains(child));
    by_time(result, &mut inner);
    let folded = graph::folded(result, node);
    let unfolded = (folded > 0).then(|| UnfoldedLayer {
        name: words::node(result, node),
        folded,
        below: graph::SMALL,
        id: flow_svg::all_id(node),
        svg: svg(true),
    });
    let inner = inner.into_iter();
    PageLayer {
        open: node == 0 || holds_phases || share >= OPEN,
        name: words::node(result, node),
        share: percent(share),
        regions: count(children.len() as u64, "region", "regions"),
        id: flow_svg::layer_id(node),
        svg: svg(false),
        inner: inner.map(|child| layer(result, child, drawn)).collect(),
        unfolded,
    }
}
