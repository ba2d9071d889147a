//! Figures of regions beside the call tree: of the whole run, and within phases.

use parascan_analysis::phases::{Phases, naming};
use parascan_formats::omp::{NodeFigures, OverheadClass};

use super::{call_tree, words};
use crate::shared::names;
use crate::shared::style::{Style, TextTone, grouped, percent};
use crate::shared::table::{self, Column};

/// Columns beside the tree of regions, as many as there is room for.
const REGIONS: call_tree::Choices<'_> = &[
    &[
        table::name("Function", usize::MAX),
        EXECUTIONS,
        SHARE,
        TOTAL,
        SELF,
        table::number("Sync."),
        table::number("Limited"),
        table::number("Mgmt."),
        table::number("Imbal."),
    ],
    &[
        EXECUTIONS,
        SHARE,
        TOTAL,
        SELF,
        table::number("Sync."),
        table::number("Limited"),
        table::number("Mgmt."),
        table::number("Imbal."),
    ],
    &[EXECUTIONS, SHARE, TOTAL, SELF, LOST, MOSTLY],
    &[SHARE, TOTAL, SELF, LOST, MOSTLY],
    &[SHARE, TOTAL, SELF],
    &[SHARE],
];
/// The same within phases.
const WITHIN: call_tree::Choices<'_> = &[
    &[
        table::number("Executions"),
        SHARE,
        TOTAL,
        SELF,
        MIN,
        MEAN,
        MAX,
        LOST,
        MOSTLY,
    ],
    &[SHARE, TOTAL, SELF, MIN, MEAN, MAX, LOST, MOSTLY],
    &[SHARE, TOTAL, SELF, LOST, MOSTLY],
    &[SHARE, TOTAL, SELF],
    &[SHARE],
];
const EXECUTIONS: Column<'_> = table::name("Executions", usize::MAX);
const SHARE: Column<'_> = table::number("Share");
const TOTAL: Column<'_> = table::number("Total");
const SELF: Column<'_> = table::number("Self");
const LOST: Column<'_> = table::number("Lost");
const MOSTLY: Column<'_> = table::name("Mostly by", usize::MAX);
const MIN: Column<'_> = table::number("Min");
const MEAN: Column<'_> = table::number("Mean");
const MAX: Column<'_> = table::number("Max");

/// A class as the short columns are called.
const fn short(class: OverheadClass) -> &'static str {
    match class {
        OverheadClass::Synchronization => "Sync.",
        OverheadClass::LimitedParallelism => "Limited",
        OverheadClass::ThreadManagement => "Mgmt.",
        OverheadClass::Imbalance => "Imbal.",
    }
}

/// What a region shows in the columns that both trees have; `own` are its figures, `time` is that of all threads in it
/// and everything inside, `all` the program's.
fn common(own: &NodeFigures, time: u64, all: u64, title: &str) -> String {
    let lost = |class: &OverheadClass| own.lost(*class);
    match title {
        "Share" => percent(time as f64 / all.max(1) as f64),
        "Total" => words::time(time),
        "Self" => some_time(own.exclusive()),
        "Lost" => some_time(OverheadClass::ALL.iter().map(lost).sum()),
        "Mostly by" => {
            let most = OverheadClass::ALL
                .into_iter()
                .max_by_key(|class| own.lost(*class));
            let most = most.filter(|class| own.lost(*class) > 0);
            most.map_or(String::new(), |class| short(class).to_owned())
        }
        _ => {
            let class = OverheadClass::ALL
                .into_iter()
                .find(|class| short(*class) == title);
            class.map_or(String::new(), |class| some_time(own.lost(class)))
        }
    }
}

/// The call tree of the whole run.
pub(super) fn regions(result: &Phases, style: &Style, rows: usize) -> String {
    let nodes = &result.tree.nodes;
    let times: Vec<u64> = nodes.iter().map(|node| node.inclusive).collect();
    let (shown, more) = call_tree::rows(result, &times, |_| true, rows);
    let cell = |node: usize, title: &str| match title {
        "Function" => names::short(naming::function(&nodes[node].place)),
        "Executions" => words::executions(result, node),
        _ => common(&words::figures(result, node), times[node], times[0], title),
    };
    finish_tree(result, &shown, more, REGIONS, cell, style)
}

/// The call tree within phases.
pub(super) fn within(result: &Phases, style: &Style, rows: usize) -> String {
    let number = result.tree.nodes.len();
    let mut own = vec![NodeFigures::default(); number];
    let (mut least, mut most) = (vec![u64::MAX; number], vec![0u64; number]);
    let mut phases = 0u64;
    for (_, phase) in result.phases() {
        phases += 1;
        let mut times = vec![0u64; number];
        for cell in &phase.cells {
            own[cell.node].add(&cell.figures);
            times[cell.node] += cell.figures.exclusive();
        }
        for (node, time) in times.into_iter().enumerate() {
            least[node] = least[node].min(time);
            most[node] = most[node].max(time);
        }
    }
    let mut times: Vec<u64> = own.iter().map(NodeFigures::exclusive).collect();
    // Parents come before their children.
    for node in (1..number).rev() {
        if let Some(parent) = result.tree.nodes[node].parent {
            times[parent] += times[node];
        }
    }
    let entered = |node: usize| times[node] > 0 || own[node].executions > 0;
    let (shown, more) = call_tree::rows(result, &times, entered, rows);
    let cell = |node: usize, title: &str| match title {
        "Executions" => grouped(own[node].executions),
        "Min" => words::time(least[node]),
        "Mean" => words::time(own[node].exclusive() / phases.max(1)),
        "Max" => words::time(most[node]),
        _ => common(&own[node], times[node], times[0], title),
    };
    finish_tree(result, &shown, more, WITHIN, cell, style)
}

/// A tree, what was left out of it, and what its columns are.
fn finish_tree(
    result: &Phases,
    rows: &[call_tree::TreeRow],
    more: usize,
    choices: call_tree::Choices<'_>,
    cell: impl Fn(usize, &str) -> String,
    style: &Style,
) -> String {
    if rows.len() < 2 && more == 0 {
        return style.paragraph(None, "", "", "No regions were entered.");
    }
    let (mut out, columns) = call_tree::layout(result, rows, choices, cell, style);
    if more > 0 {
        out += &format!(
            "and {more} more (--rows, or --format json)
"
        );
    }
    let has = |title: &str| columns.iter().any(|column| column.title == title);
    let all = choices.first().copied().unwrap_or_default();
    let missing = all
        .iter()
        .map(|column| column.title)
        .filter(|title| !has(title));
    let missing: Vec<&str> = missing.collect();
    out += &table::not_shown(&missing, "a wider terminal, or --format json", style);
    let mut legend = "Time of all threads".to_owned();
    legend += match (has("Total"), has("Lost") || has("Sync.")) {
        (false, _) => " with everything inside",
        (true, false) => ": Total with everything inside, Self of the region alone",
        (true, true) => ": Total with everything inside, Self and overheads of the region alone",
    };
    if has("Min") {
        legend += &format!("; Min, Mean and Max of Self over {}", words::unit(result).1);
    }
    out + &style.paragraph(Some(TextTone::Dim), "", "", &(legend + "."))
}

fn some_time(nanoseconds: u64) -> String {
    if nanoseconds == 0 {
        String::new()
    } else {
        words::time(nanoseconds)
    }
}
