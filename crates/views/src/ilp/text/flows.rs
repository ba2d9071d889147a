//! Who reads whose values, the most frequent first.

use parascan_ddg::event::ThreadId;
use parascan_ddg::result::{Flow, ModelFigures};

use super::left_out;
use crate::ilp::{IlpReport, ratio};
use crate::shared::names;
use crate::shared::style::{Style, count, grouped, percent};
use crate::shared::table;

/// Between routines and, where there are several, between threads: at most `top` rows of each.
pub(super) fn flows(
    report: &IlpReport,
    outcome: &ModelFigures,
    top: usize,
    style: &Style,
) -> String {
    let Some(flows) = &outcome.flows else {
        return String::new();
    };
    let routines = table_of(
        ["Routine", "Read by"],
        "routine",
        &flows.routines,
        |id| names::short(&report.name(id).name),
        top,
        style,
    );
    let threads = flows.threads.iter().flat_map(|flow| [flow.from, flow.to]);
    let first = flows.threads.first().map(|flow| flow.from);
    if threads.map(Some).all(|thread| thread == first) {
        return routines;
    }
    let name = |thread: ThreadId| thread.0.to_string();
    let of_threads = table_of(
        ["Thread", "Read by"],
        "thread",
        &flows.threads,
        name,
        top,
        style,
    );
    format!("{routines}\n{of_threads}")
}

/// What stays with who made it, in words, and the rest as a table.
fn table_of<T: Copy + PartialEq>(
    titles: [&str; 2],
    what: &str,
    flows: &[Flow<T>],
    name: impl Fn(T) -> String,
    top: usize,
    style: &Style,
) -> String {
    let sum = |flows: &mut dyn Iterator<Item = &Flow<T>>| flows.map(|flow| flow.reads).sum();
    let all: u64 = sum(&mut flows.iter());
    let own: u64 = sum(&mut flows.iter().filter(|flow| flow.from == flow.to));
    let Some(share) = ratio(own, all) else {
        return style.paragraph(None, "", "  ", "No value was read.");
    };
    let text = format!(
        "{}, {} in the {what} that made the value.",
        count(all, "read of a value", "reads of values"),
        percent(share)
    );
    let mut out = style.paragraph(None, "", "  ", &text);
    let others: Vec<&Flow<T>> = flows.iter().filter(|flow| flow.from != flow.to).collect();
    if others.is_empty() {
        return out;
    }
    let rows = others.iter().take(top).map(|flow| {
        vec![
            name(flow.from),
            name(flow.to),
            grouped(flow.reads),
            ratio(flow.reads, all).map_or_else(String::new, percent),
        ]
    });
    let columns = [
        table::name(titles[0], 12),
        table::name(titles[1], 12),
        table::number("Reads").goes(1),
        table::number("Share"),
    ];
    out += &table::layout_of(&columns, rows.collect(), style, super::DATA);
    let more = others.len().saturating_sub(top);
    out += &left_out(more, ("pair", "pairs"), style);
    out
}
