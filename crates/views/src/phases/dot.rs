//! The control-flow graph in the DOT language, for Graphviz.

use std::fmt::Write;

use parascan_analysis::phases::{Phases, naming};

use super::graph::{self, ArrowRole, Extent, LayerGraph, LayerItem, SMALL};
use super::words;
use crate::shared::style::{percent, safe};

/// The graph in DOT. Layers inside a region are clusters.
pub fn flow_dot(result: &Phases, extent: Extent) -> String {
    let mut out = format!(
        "digraph \"{}\" {{\n  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"monospace\", fontsize=10];\n  edge [fontname=\"monospace\", fontsize=9];\n",
        quoted(&words::program(result))
    );
    let mut layers = vec![extent.node];
    while let Some(node) = layers.pop() {
        let graph = LayerGraph::new(result, node, extent.all);
        layer(result, node, &graph, &mut out);
        if !extent.one_layer {
            let inner = graph.items.into_iter().filter_map(|item| match item {
                LayerItem::Region(child) => Some(child),
                LayerItem::Small(_) => None,
            });
            layers.extend(inner.filter(|&n| result.tree.layer(n).is_some()));
        }
    }
    out + "}\n"
}

fn layer(result: &Phases, node: usize, graph: &LayerGraph, out: &mut String) {
    let id = naming::id(node);
    let _ = writeln!(
        out,
        "  subgraph \"cluster_{id}\" {{\n    label=\"{}\";\n    \"{id}:begin\" [label=\"begin\", shape=oval];\n    \"{id}:end\" [label=\"end\", shape=oval];",
        quoted(&words::node(result, node))
    );
    let mut names = vec![format!("{id}:begin")];
    for item in &graph.items {
        names.push(match item {
            LayerItem::Region(child) => {
                region(result, node, *child, out);
                naming::id(*child)
            }
            LayerItem::Small(children) => {
                let name = format!("{id}:small");
                let _ = writeln!(
                    out,
                    "    \"{name}\" [label=\"+ {} below {SMALL}%\", style=\"rounded,dashed\", tooltip=\"{}\"];",
                    children.len(),
                    tooltip(&graph::about_small(result, children))
                );
                name
            }
        });
    }
    names.push(format!("{id}:end"));
    for arrow in &graph.arrows {
        let look = match arrow.role {
            ArrowRole::Onwards => "",
            ArrowRole::Returns => ", color=blue",
            ArrowRole::Phases => ", color=blue, penwidth=3",
        };
        let _ = writeln!(
            out,
            "    \"{}\" -> \"{}\" [label=\"{}\"{look}, tooltip=\"{}\"];",
            names[arrow.from],
            names[arrow.to],
            words::shares(&arrow.shares, usize::MAX),
            tooltip(&graph::about(arrow))
        );
    }
    out.push_str("  }\n");
}

fn region(result: &Phases, layer: usize, node: usize, out: &mut String) {
    let of = &result.tree.nodes[node];
    let share = graph::heat(result, node);
    let mut lines = vec![
        words::node(result, node),
        safe(naming::function(&of.place)),
        format!("executions {}", words::executions(result, node)),
        format!("{} {}", words::time(of.inclusive), percent(share)),
    ];
    let loops = graph::loops_at(result, layer, node);
    lines.extend(loops.iter().map(|one| format!("\u{21bb} {one}")));
    let known = lines.iter().filter(|line| !line.is_empty());
    let label: Vec<String> = known.map(|line| quoted(line)).collect();
    // Hue, saturation and value of a red that is as strong as the share.
    let look = if graph::begins_phases(result, node) {
        ", color=blue, penwidth=3"
    } else {
        ""
    };
    let _ = writeln!(
        out,
        "    \"{}\" [label=\"{}\", fillcolor=\"0 {:.3} 1\"{look}, tooltip=\"{}\"];",
        naming::id(node),
        label.join("\\n"),
        share * 0.6,
        tooltip(&words::about(result, node))
    );
}

/// Several lines inside double quotes.
fn tooltip(text: &str) -> String {
    quoted(text).replace('\n', "\\n")
}

/// Inside double quotes.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
