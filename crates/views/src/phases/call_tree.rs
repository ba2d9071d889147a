//! The call tree as an indented tree: a row per region below the one around it, with columns of figures beside it.

use parascan_analysis::phases::{Phases, naming};
use parascan_formats::omp::Construct;
use unicode_width::UnicodeWidthStr;

use super::words;
use crate::shared::names;
use crate::shared::style::{Style, safe, shorten};
use crate::shared::table::{self, Column};

/// Least width of the column with the tree, where names are that long: columns of figures are left out before it gets
/// narrower.
const LEAST: usize = 22;
/// Columns that each level is indented by.
const INDENT: usize = 3;

/// Which columns stand beside the tree: the first choice that fits, or else the last one.
pub(super) type Choices<'a> = &'a [&'a [Column<'a>]];

/// A row of the tree: a node, and what stands in front of its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TreeRow {
    /// Number in the call tree.
    pub(super) node: usize,
    /// Its branches, from outside to inside: whether another row of the same parent follows below.
    branches: Vec<bool>,
}

/// The program and the `most` regions of most time, each below what it is in, siblings by time. `times` has every
/// node's time with everything inside, in nanoseconds; nodes for which `shown` is false are left out. The second result
/// is how many regions there are more than that.
pub(super) fn rows(
    result: &Phases,
    times: &[u64],
    shown: impl Fn(usize) -> bool,
    most: usize,
) -> (Vec<TreeRow>, usize) {
    let nodes = &result.tree.nodes;
    let mut taken: Vec<usize> = words::listed(result)
        .into_iter()
        .filter(|&n| shown(n))
        .collect();
    let by_time = |&node: &usize| (std::cmp::Reverse(times[node]), node);
    taken.sort_by_key(by_time);
    let left = taken.len().saturating_sub(most);
    taken.truncate(most);
    // No node takes more time, or has a smaller number, than the one around it; but which are shown is the caller's
    // choice.
    let mut within = vec![false; nodes.len()];
    for &node in &taken {
        let mut at = Some(node);
        while let Some(node) = at.filter(|&node| !within[node]) {
            within[node] = true;
            at = nodes[node].parent;
        }
    }
    let mut rows = Vec::new();
    let mut open = vec![TreeRow {
        node: 0,
        branches: Vec::new(),
    }];
    while let Some(row) = open.pop() {
        let mut inside = nodes[row.node].children.clone();
        inside.retain(|&child| within[child]);
        inside.sort_by_key(by_time);
        // The last one is pushed first, and comes off last.
        for (at, &child) in inside.iter().enumerate().rev() {
            let mut branches = row.branches.clone();
            branches.push(at + 1 < inside.len());
            open.push(TreeRow {
                node: child,
                branches,
            });
        }
        rows.push(row);
    }
    (rows, left)
}

/// The rows with the columns for which there is room, and which these are. `cell` gives a node's text in the column of
/// this title.
pub(super) fn layout<'a>(
    result: &Phases,
    rows: &[TreeRow],
    choices: Choices<'a>,
    cell: impl Fn(usize, &str) -> String,
    style: &Style,
) -> (String, &'a [Column<'a>]) {
    let widest = rows
        .iter()
        .map(|row| row.branches.len() * INDENT + name(result, row.node).width())
        .max()
        .unwrap_or(0);
    let mut beside: &'a [Column<'a>] = &[];
    let mut cells: Vec<Vec<String>> = Vec::new();
    let mut room = 0;
    for choice in choices {
        beside = choice;
        cells = rows
            .iter()
            .map(|row| choice.iter().map(|c| cell(row.node, c.title)).collect())
            .collect();
        let taken: usize = (0..choice.len())
            .map(|at| {
                let longest = cells.iter().map(|row| row[at].width()).max();
                2 + longest.unwrap_or(0).max(choice[at].title.width())
            })
            .sum();
        // In ASCII signs for outer branches and for a part of the name that are left out take two columns each.
        let signs = if style.utf8 { 0 } else { 2 };
        room = style.columns().saturating_sub(taken + signs);
        if room >= widest.min(LEAST) {
            break;
        }
    }
    let first = [table::name("Region", 1)];
    let columns: Vec<Column> = first.iter().chain(beside).copied().collect();
    let lines = rows.iter().zip(cells).map(|(row, cells)| {
        let mut line = vec![branch(result, row, room)];
        line.extend(cells);
        line
    });
    (table::layout(&columns, lines.collect(), style), beside)
}

/// A name behind its branches in `room` columns. Branches take half of that at most: of deeper ones, the outer give way
/// to `…`.
fn branch(result: &Phases, row: &TreeRow, room: usize) -> String {
    let depth = row.branches.len();
    let kept = depth.min((room / 2).saturating_sub(1) / INDENT);
    let mut out = if kept < depth { "…" } else { "" }.to_owned();
    for (at, more) in row.branches.iter().enumerate().skip(depth - kept) {
        out += match (at + 1 == depth, more) {
            (true, true) => "├─ ",
            (true, false) => "└─ ",
            (false, true) => "│  ",
            (false, false) => "   ",
        };
    }
    let left = room.saturating_sub(out.width());
    out + &shorten(&name(result, row.node), left)
}

/// A node's id and title; the program's is its name.
fn name(result: &Phases, node: usize) -> String {
    match result.tree.nodes[node].place.construct {
        Construct::Program => format!("{} {}", naming::id(node), words::program(result)),
        Construct::Function => {
            let mut place = result.tree.nodes[node].place.clone();
            place.name = names::short(&place.name);
            format!("{} {}", naming::id(node), safe(&naming::title(&place)))
        }
        _ => words::node(result, node),
    }
}
