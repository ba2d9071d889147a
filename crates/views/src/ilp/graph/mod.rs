//! Data-flow graphs: as DOT, and drawn in layers (PerPI, figure 5): a row per step.

mod dot;
mod layout;

mod svg;

pub use dot::dot;
pub(super) use svg::figure;
pub use svg::svg;

use parascan_ddg::stretch::GraphNode;

use super::InstructionSite;
use super::bins::steps;
use crate::shared::style::{grouped, safe};

/// What is told of a node beside its picture.
fn tooltip(site: &InstructionSite, node: &GraphNode) -> String {
    let count = if node.instances > 1 {
        format!(", {} instances", grouped(node.instances))
    } else {
        String::new()
    };
    let place = site
        .place
        .as_ref()
        .map_or_else(String::new, |p| format!("\n{}:{}", safe(&p.file), p.line));
    format!(
        "{}\n{}{count}\n{:#x} in {}{place}",
        safe(&site.text),
        steps(node.first_level.into(), node.last_level.into()),
        site.address,
        safe(&site.routine),
    )
}

/// The lines that stand in a node: the instruction; `dot.c:3 ×15`.
fn lines(site: &InstructionSite, node: &GraphNode) -> Vec<String> {
    let mut second = super::place(site.place.as_ref());
    if node.instances > 1 {
        if !second.is_empty() {
            second.push(' ');
        }
        second += &format!("×{}", grouped(node.instances));
    }
    let lines = [safe(&site.text), second].into_iter();
    lines.filter(|line| !line.is_empty()).collect()
}

/// What a graph left out, in words.
fn left_out(graph: &parascan_ddg::stretch::DataFlowGraph) -> Option<String> {
    let what = if graph.collapsed {
        ("instruction", "instructions")
    } else {
        ("instance", "instances")
    };
    (graph.left_out > 0).then(|| {
        let number = crate::shared::style::count(graph.left_out as u64, what.0, what.1);
        format!("{number} left out (cap on nodes)")
    })
}
