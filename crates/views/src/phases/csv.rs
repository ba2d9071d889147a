//! The parts of the run as CSV, as documented in `docs/json.md`.

use parascan_analysis::phases::Phases;
use parascan_analysis::phases::figures::{RunPart, TimeSummary};

use super::figures::{counters, number};
use crate::shared::csv::document;
use crate::shared::style::safe;

const COLUMNS: [&str; 16] = [
    "phase",
    "thread",
    "begin",
    "end",
    "iterations",
    "wall",
    "work",
    "synchronization",
    "limited_parallelism",
    "thread_management",
    "imbalance",
    "idle",
    "parallel_efficiency",
    "load_balance",
    "serialization",
    "no_processor",
];

/// A row for every part of the run with all threads together, and one for every thread in it. The columns of counters
/// carry the counters' names, and are empty where the count is not known.
pub fn phases_csv(result: &Phases) -> String {
    let names: Vec<String> = result.counters.iter().map(|name| safe(name)).collect();
    let header = COLUMNS.into_iter().chain(names.iter().map(String::as_str));
    let rows = result.pieces.iter().flat_map(|piece| {
        let threads = 0..result.threads;
        let all = row(result, piece, None, &piece.summary(result.threads));
        let each = threads.map(move |t| row(result, piece, Some(t), &piece.of_thread(t)));
        std::iter::once(all).chain(each)
    });
    document(header, rows)
}

fn row(
    result: &Phases,
    piece: &RunPart,
    thread: Option<u32>,
    summary: &TimeSummary,
) -> Vec<String> {
    let threads = thread.map_or(0..result.threads, |t| t..t + 1);
    let no_processor: u64 = threads.map(|t| piece.no_processor(t)).sum();
    let text = |value: Option<f64>| value.map_or_else(String::new, |v| v.to_string());
    let mut row = vec![
        number(piece).map_or_else(String::new, |n| n.to_string()),
        thread.map_or_else(|| "all".to_owned(), |t| t.to_string()),
        piece.time.start.to_string(),
        piece.time.end.to_string(),
        piece.iterations.to_string(),
        summary.wall.to_string(),
        summary.work.to_string(),
    ];
    row.extend(summary.lost.map(|lost| lost.to_string()));
    row.push(summary.idle.to_string());
    row.extend([
        text(summary.parallel_efficiency),
        text(summary.load_balance),
        text(summary.serialization),
        // Where the kernel does not tell, nothing is known.
        result
            .busy
            .share
            .map_or_else(String::new, |_| no_processor.to_string()),
    ]);
    let shown = |value: &Option<u64>| value.map_or_else(String::new, |v| v.to_string());
    row.extend(counters(result, piece, thread).iter().map(shown));
    row
}
