//! Stretches in text: their figures, steps and longest chains.

use parascan_ddg::stretch::{ChainEdge, DependenceChain, Segment};

use super::drawing::drawing;
use crate::ilp::{InstructionSite, Stretch, place, ratio};
use crate::shared::style::{Style, TextTone, count, factor, grouped, safe};
use crate::shared::table;

/// Most edges of a chain that are listed.
const EDGES: usize = 12;

/// A stretch: its figures, the drawing of its steps and its longest chains.
pub(super) fn chains(stretch: &Stretch, style: &Style) -> String {
    let mut out = style.paragraph(None, "", "  ", &facts(stretch));
    if let Some(histogram) = &stretch.histogram {
        out += &drawing(histogram, stretch.drawn_steps(), style);
    }
    for (number, chain) in stretch.chains.iter().enumerate() {
        out += &style.paragraph(
            Some(TextTone::Heading),
            "",
            "  ",
            &format!("Chain {}: {}", number + 1, described(stretch, chain)),
        );
        out += &listed(stretch, chain, style);
    }
    out
}

/// The figures of a stretch, in a sentence.
pub(in crate::ilp) fn facts(stretch: &Stretch) -> String {
    format!(
        "{}, {}, critical path {}: parallelism {} (model {}){}.",
        count(stretch.instructions, "instruction", "instructions"),
        count(stretch.operations, "operation", "operations"),
        count(stretch.critical_path, "step", "steps"),
        ratio(stretch.operations, stretch.critical_path).map_or_else(|| "-".to_owned(), factor),
        safe(&stretch.model),
        if stretch.stopped {
            "; cut at the limit of instructions"
        } else {
            ""
        },
    )
}

/// What a chain is, in words.
pub(in crate::ilp) fn described(stretch: &Stretch, chain: &DependenceChain) -> String {
    let leaves = chain.leaves.as_ref().map_or_else(String::new, |leaves| {
        format!(
            ", leaving chain {} at step {}",
            leaves.chain + 1,
            grouped(leaves.level.into())
        )
    });
    format!(
        "{} of {}, {}{leaves}",
        count(chain.steps.into(), "step", "steps"),
        grouped(stretch.critical_path),
        count(chain.operations, "operation", "operations"),
    )
}

/// `dot.c:12`, or the address.
pub(in crate::ilp) fn where_of(site: &InstructionSite) -> String {
    match &site.place {
        Some(known) => place(Some(known)),
        None => format!("{:#x}", site.address),
    }
}

/// The edges of a chain in its order; of many, those that take most steps.
fn listed(stretch: &Stretch, chain: &DependenceChain, style: &Style) -> String {
    let edges = chain.segments.iter().enumerate();
    let mut edges: Vec<(usize, &Segment, &ChainEdge)> = edges
        .flat_map(|(n, segment)| segment.edges.iter().map(move |edge| (n, segment, edge)))
        .collect();
    let all = edges.len();
    if all > EDGES {
        edges.sort_by_key(|e| std::cmp::Reverse(e.2.steps));
        edges.truncate(EDGES);
        edges.sort_by_key(|e| e.0);
    }
    if edges.is_empty() {
        return String::new();
    }
    let columns = [
        table::name("Part", usize::MAX),
        table::name("Instruction", 12),
        table::name("Where", 8).goes(1),
        table::name("Waits for", 12),
        table::name("Through", 7).goes(2),
        table::number("Times").goes(3),
        table::number("Steps"),
    ];
    let rows = edges.iter().map(|(part, segment, edge)| {
        let to = stretch.site(edge.to);
        let kind = if segment.is_loop { " loop" } else { "" };
        vec![
            format!("{}{kind}", part + 1),
            safe(&to.text),
            where_of(&to),
            edge.from.map_or_else(
                || "(start)".to_owned(),
                |from| safe(&stretch.site(from).text),
            ),
            safe(&edge.via.name()),
            grouped(edge.count),
            grouped(edge.steps),
        ]
    });
    let mut out = table::layout_of(&columns, rows.collect(), style, super::DATA);
    if all > EDGES {
        let text = format!(
            "and {} that take fewer steps",
            count((all - EDGES) as u64, "edge", "edges")
        );
        out += &style.paragraph(Some(TextTone::Dim), "", "  ", &text);
    }
    out
}
