//! Data-flow graphs: as DOT, and drawn in layers (PerPI, figure 5): a row per step.

mod dot;
mod layout;
mod order;
mod svg;

pub use dot::dot;
pub(super) use svg::figure;
pub use svg::svg;

use super::Node;
use super::bins::steps;
use crate::style::{grouped, safe};

/// What is told of a node beside its picture.
fn told(node: &Node) -> String {
    let count = if node.count > 1 {
        format!(", {} instances", grouped(node.count))
    } else {
        String::new()
    };
    let site = &node.site;
    let place = site
        .place
        .as_ref()
        .map_or_else(String::new, |p| format!("\n{}:{}", safe(&p.file), p.line));
    format!(
        "{}\n{}{count}\n{:#x} in {}{place}",
        safe(&site.text),
        steps(node.first_level, node.last_level),
        site.address,
        safe(&site.routine),
    )
}

/// `12` or `12 to 40 ×15`, `dot.c:3`: the second line of a node.
fn second_line(node: &Node) -> String {
    let mut out = super::place(node.site.place.as_ref());
    if node.count > 1 {
        if !out.is_empty() {
            out.push(' ');
        }
        out += &format!("×{}", grouped(node.count));
    }
    out
}
