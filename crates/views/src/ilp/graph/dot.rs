//! Data-flow graphs as DOT, for Graphviz and the like.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{left_out, lines, tooltip};
use crate::ilp::Stretch;
use crate::ilp::plot::{GROUP, KINDS};
use crate::shared::style::{grouped, safe};

/// The graph of a stretch as DOT, where it was asked for: instructions of a level have one rank.
pub fn dot(stretch: &Stretch) -> Option<String> {
    let graph = stretch.shown_graph()?;
    let is_opened = graph.nodes.iter().any(|node| node.opened);
    let mut out = format!(
        "digraph {} {{\n  rankdir=TB;\n  node [shape=box, style=filled, fontname=\"monospace\", fontsize=10];\n  edge [color=\"#777777\", fontsize=9];\n",
        quoted(&safe(&stretch.title))
    );
    if let Some(text) = left_out(graph) {
        let _ = writeln!(out, "  label={};", quoted(&text));
    }
    let mut levels: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (number, node) in graph.nodes.iter().enumerate() {
        levels.entry(node.first_level).or_default().push(number);
        let site = stretch.site(node.statics);
        let ring = if node.critical {
            ", color=\"#d1495b\", penwidth=2"
        } else {
            ""
        };
        let _ = writeln!(
            out,
            "  n{number} [label={}, tooltip={}, fillcolor=\"{}{}\"{ring}];",
            quoted(&lines(stretch, &site, node).join("\n")),
            quoted(&tooltip(&site, node)),
            if node.group.is_some() {
                GROUP
            } else {
                KINDS[site.kind as usize]
            },
            if is_opened && !node.opened {
                "18"
            } else {
                "55"
            },
        );
    }
    // The first step of a loop says little: nearly all have an instruction that waits for nothing.
    let by_loop = graph.is_by_loop();
    for (level, nodes) in levels.into_iter().filter(|_| !by_loop) {
        let names: Vec<String> = nodes.iter().map(|n| format!("n{n}")).collect();
        let _ = writeln!(
            out,
            "  {{ rank=same; {}; }} // step {level}",
            names.join("; ")
        );
    }
    let known = |node: usize| node < graph.nodes.len();
    for edge in graph.edges.iter().filter(|e| known(e.from) && known(e.to)) {
        let count = if edge.count > 1 {
            format!(", label={}", quoted(&format!("×{}", grouped(edge.count))))
        } else {
            String::new()
        };
        let hot = if edge.critical {
            ", color=\"#d1495b\", penwidth=2"
        } else {
            ""
        };
        // Edges to an earlier or the same row would turn the ranks around.
        let level = |node: usize| graph.nodes[node].first_level;
        let back = if by_loop {
            edge.from >= edge.to
        } else {
            level(edge.from) >= level(edge.to)
        };
        let free = if back { ", constraint=false" } else { "" };
        let _ = writeln!(
            out,
            "  n{} -> n{} [tooltip={}{count}{hot}{free}];",
            edge.from,
            edge.to,
            quoted(&safe(&edge.via.name())),
        );
    }
    Some(out + "}\n")
}

/// A string of DOT, line breaks as its own escape.
fn quoted(text: &str) -> String {
    let inner = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    format!("\"{inner}\"")
}
