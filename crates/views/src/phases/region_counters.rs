//! What counters counted in regions, beside the call tree, and as rows of CSV by part, region and thread.

use std::collections::BTreeMap;

use parascan_analysis::phases::cut::PartKind;
use parascan_analysis::phases::inside::{self, InclusiveFigures};
use parascan_analysis::phases::{Phases, naming};
use parascan_formats::omp::{Location, OverheadClass, State, counts_time};

use super::{call_tree, words};
use crate::shared::csv::document;
use crate::shared::style::{Style, TextTone, grouped, safe};
use crate::shared::table::{self, Column};

/// Most columns of counters.
const COLUMNS: usize = 6;

/// The call tree of the whole run with what was counted in each region and everything inside; nothing without counters
/// of regions.
pub(super) fn tree(result: &Phases, style: &Style, rows: usize) -> Option<String> {
    let inside: Vec<InclusiveFigures> = inside::of_run(&result.tree)
        .iter()
        .map(|threads| inside::together(threads.values()))
        .collect();
    // Counters that counted nothing anywhere have no column.
    let shown: Vec<usize> = (0..result.counters.len())
        .filter(|&at| result.counts_in_regions(at) && inside[0].counted(at) > 0)
        .take(COLUMNS)
        .collect();
    if result.region_counters == 0 {
        return None;
    }
    let titles: Vec<String> = shown.iter().map(|&at| safe(&result.counters[at])).collect();
    let times: Vec<u64> = result.tree.nodes.iter().map(|n| n.inclusive).collect();
    let (lines, more) = call_tree::rows(result, &times, |_| true, rows);
    let columns: Vec<Column> = std::iter::once(table::number("Total"))
        .chain(titles.iter().map(|title| table::number(title)))
        .collect();
    // The last counter goes first.
    let choices: Vec<&[Column]> = (1..=columns.len()).rev().map(|n| &columns[..n]).collect();
    let cell = |node: usize, title: &str| {
        let Some(at) = titles.iter().position(|t| t == title).map(|at| shown[at]) else {
            return words::time(times[node]);
        };
        let counted = inside[node].counted(at);
        if counts_time(&result.counters[at]) {
            words::time(counted)
        } else {
            grouped(counted)
        }
    };
    let (mut out, kept) = call_tree::layout(result, &lines, &choices, cell, style);
    if more > 0 {
        out += &format!("and {more} more (--rows, or --format json)\n");
    }
    let gone: Vec<&str> = columns[kept.len()..].iter().map(|c| c.title).collect();
    out += &table::not_shown(&gone, "a wider terminal, or --format json", style);
    let legend = "Of all threads, with everything inside. What workers count while they wait at the end of a parallel region is \
                  processor time and what --counters asked for only; by thread and alone: --format json.";
    Some(out + &style.paragraph(Some(TextTone::Dim), "", "", legend))
}

const HEADER: [&str; 15] = [
    "phase",
    "region",
    "kind",
    "function",
    "file",
    "line",
    "thread",
    "executions",
    "inclusive",
    "work",
    "synchronization",
    "limited_parallelism",
    "thread_management",
    "imbalance",
    "iterations",
];

/// A row for every part of the run, region and thread that was in it. Times and counters are those of the region alone,
/// `inclusive` and the columns `NAME inclusive` with everything inside. The columns of counters are empty where they
/// are not known.
pub fn phase_regions_csv(result: &Phases) -> String {
    let names: Vec<String> = result.counters.iter().map(|c| safe(c)).collect();
    let with_inside = names.iter().map(|name| format!("{name} inclusive"));
    let counters: Vec<String> = names.iter().cloned().chain(with_inside).collect();
    let header = HEADER
        .into_iter()
        .chain(counters.iter().map(String::as_str));
    let number = result.tree.nodes.len();
    let rows = result.pieces.iter().flat_map(|piece| {
        let phase = match piece.kind {
            PartKind::Phase(number) => number.to_string(),
            PartKind::Outside => String::new(),
        };
        let mut inside: Vec<BTreeMap<u32, InclusiveFigures>> = vec![BTreeMap::new(); number];
        for cell in &piece.cells {
            let own = InclusiveFigures::from(&cell.figures);
            let mut at = Some(cell.node);
            while let Some(node) = at {
                let sum = inside[node].entry(cell.thread).or_default();
                *sum = inside::together([&*sum, &own]);
                at = result.tree.nodes[node].parent;
            }
        }
        let mut cells: Vec<_> = piece.cells.iter().collect();
        cells.sort_by_key(|cell| (cell.node, cell.thread));
        let rows = cells.into_iter().map(move |cell| {
            let (node, figures) = (cell.node, &cell.figures);
            let place = &result.tree.nodes[node].place;
            let (file, line) = match &place.location {
                Location::Source { frame, .. } => (safe(&frame.file), frame.line.to_string()),
                Location::Unknown | Location::Binary { .. } => (String::new(), String::new()),
            };
            let within = &inside[node][&cell.thread];
            let mut row = vec![
                phase.clone(),
                naming::id(node),
                place.construct.name().to_owned(),
                safe(naming::function(place)),
                file,
                line,
                cell.thread.to_string(),
                figures.executions.to_string(),
                within.time.to_string(),
                figures.time[State::Work as usize].to_string(),
            ];
            row.extend(OverheadClass::ALL.map(|class| figures.lost(class).to_string()));
            row.push(figures.iterations.to_string());
            for counted in [&figures.counters, &within.counters] {
                row.extend((0..result.counters.len()).map(|at| {
                    let known = counted.get(at).filter(|_| result.counts_in_regions(at));
                    known.map_or_else(String::new, u64::to_string)
                }));
            }
            row
        });
        rows.collect::<Vec<_>>()
    });
    document(header, rows)
}
