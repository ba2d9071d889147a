//! Data-flow graphs: as DOT, and drawn in layers (PerPI, figure 5): a row per step.

mod dot;
mod layout;

mod svg;

pub use dot::dot;
pub(super) use svg::figure;
pub use svg::svg;

use parascan_ddg::stretch::{CodeGroup, DataFlowGraph, GraphNode};

use super::bins::steps;
use super::{InstructionSite, Stretch};
use crate::shared::style::{count, grouped, percent, safe};

/// What is told of a node beside its picture.
fn tooltip(site: &InstructionSite, node: &GraphNode) -> String {
    if let Some(group) = &node.group {
        return group_tooltip(site, node, group);
    }
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

/// The same of a loop, or a routine's code outside of loops.
fn group_tooltip(site: &InstructionSite, node: &GraphNode, group: &CodeGroup) -> String {
    let last = site.address.saturating_add(group.extent);
    let what = if group.is_loop {
        format!("Loop {:#x} to {last:#x}", site.address)
    } else {
        "Code outside of loops".to_owned()
    };
    let place = match super::place(site.place.as_ref()) {
        place if place.is_empty() => place,
        place => format!(", {place}"),
    };
    let instructions = count(group.instructions.into(), "instruction", "instructions");
    format!(
        "{what} in {}{place}\n{instructions}, {} instances\n{}\n{} steps of the longest chain",
        safe(&site.routine),
        grouped(node.instances),
        steps(node.first_level.into(), node.last_level.into()),
        grouped(group.steps),
    )
}

/// The lines that stand in the node of a loop: `longest_match`; `loop deflate.c:713`; `41.2% of the chain ×5,365,913`.
fn group_lines(
    stretch: &Stretch,
    site: &InstructionSite,
    node: &GraphNode,
    group: &CodeGroup,
) -> Vec<String> {
    let place = match super::place(site.place.as_ref()) {
        place if place.is_empty() => format!("{:#x}", site.address),
        place => place,
    };
    let what = if group.is_loop {
        format!("loop {place}")
    } else {
        format!("outside of loops, {place}")
    };
    let of_chain = group.steps as f64 / stretch.critical_path.max(1) as f64;
    let of_chain = if group.steps > 0 {
        format!("{} of the chain ", percent(of_chain))
    } else {
        String::new()
    };
    let how_often = format!("{of_chain}×{}", grouped(node.instances));
    vec![safe(&site.routine), what, how_often]
}

/// The lines that stand in a node: the instruction; `dot.c:3 ×15`.
fn lines(stretch: &Stretch, site: &InstructionSite, node: &GraphNode) -> Vec<String> {
    if let Some(group) = &node.group {
        return group_lines(stretch, site, node, group);
    }
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
fn left_out(graph: &DataFlowGraph) -> Option<String> {
    let what = if graph.is_by_loop() {
        ("smaller loop or routine", "smaller loops and routines")
    } else if graph.collapsed {
        ("instruction", "instructions")
    } else {
        ("instance", "instances")
    };
    (graph.left_out > 0).then(|| {
        let number = count(graph.left_out as u64, what.0, what.1);
        let cap = if graph.is_by_loop() {
            ""
        } else {
            " (cap on nodes)"
        };
        format!("{number} left out{cap}")
    })
}
