//! The control-flow graph in the DOT language, for Graphviz.

use std::fmt::Write;

use parascan_analysis::phases::flow::Point;
use parascan_analysis::phases::{Phases, naming};

use super::words;
use crate::style::{percent, safe};

/// The graph below a node (0: the program), with all layers or only that node's. Layers inside a region are clusters.
pub fn flow_dot(result: &Phases, node: usize, one_layer: bool) -> String {
    let mut out = format!(
        "digraph \"{}\" {{\n  node [shape=box, style=rounded, fontname=\"monospace\", fontsize=10];\n  edge [fontname=\"monospace\", fontsize=9];\n",
        quoted(&words::program(result))
    );
    let mut layers = vec![node];
    while let Some(node) = layers.pop() {
        layer(result, node, &mut out);
        if !one_layer {
            let inner = result.tree.nodes[node].children.iter();
            layers.extend(inner.copied().filter(|&n| result.tree.layer(n).is_some()));
        }
    }
    out + "}\n"
}

fn layer(result: &Phases, node: usize, out: &mut String) {
    let id = naming::id(node);
    let _ = writeln!(
        out,
        "  subgraph \"cluster_{id}\" {{\n    label=\"{}\";\n    \"{id}:begin\" [label=\"begin\", shape=oval];\n    \"{id}:end\" [label=\"end\", shape=oval];",
        quoted(&words::node(result, node))
    );
    let all = result.tree.nodes[0].inclusive.max(1);
    for &child in &result.tree.nodes[node].children {
        let of = &result.tree.nodes[child];
        let lines = [
            words::node(result, child),
            safe(naming::function(&of.place)),
            format!(
                "{} {}",
                words::time(of.inclusive),
                percent(of.inclusive as f64 / all as f64)
            ),
        ];
        let known = lines.iter().filter(|line| !line.is_empty());
        let label: Vec<String> = known.map(|line| quoted(line)).collect();
        let _ = writeln!(
            out,
            "    \"{}\" [label=\"{}\", tooltip=\"{}\"];",
            naming::id(child),
            label.join("\\n"),
            quoted(&words::about(result, child)).replace('\n', "\\n")
        );
    }
    let name = |point: Point| match point {
        Point::Entry => format!("{id}:begin"),
        Point::Exit => format!("{id}:end"),
        Point::Child(child) => naming::id(child),
    };
    let edges = result.tree.layer(node).map_or(&[][..], |l| &l.edges);
    for edge in edges {
        let _ = writeln!(
            out,
            "    \"{}\" -> \"{}\" [label=\"{}\"];",
            name(edge.from),
            name(edge.to),
            words::shares(&edge.shares, usize::MAX)
        );
    }
    out.push_str("  }\n");
}

/// Inside double quotes.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
