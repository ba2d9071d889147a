//! Time, executions or counts of a node over time: a line of the mean of the threads, in a band from the least to the
//! most.

use std::fmt::Write;

use parascan_analysis::phases::Phases;
use parascan_analysis::phases::figures::RunPart;
use parascan_analysis::phases::thread_times::ThreadCombination;
use parascan_formats::omp::NodeFigures;

use super::heat::rate_text;
use super::spans::{PlotSpan, spans, within};
use super::timeline::{HEIGHT, Timeline, heading};
use super::{COLUMNS, Measure, Plot};
use crate::phases::words;
use crate::shared::style::safe;
use crate::shared::svg::round_up;

/// A node's time or count over time.
pub(in crate::phases) fn over_time(result: &Phases, node: usize, measure: Measure) -> Plot {
    let known = match measure {
        Measure::Counter(at) => result.counts_in_regions(at),
        Measure::Time(_) | Measure::Count => true,
    };
    let columns = spans(result, COLUMNS);
    let values: Vec<Values> = columns
        .iter()
        .map(|column| of_column(result, column, node, measure))
        .collect();
    let most = values.iter().map(|v| v.most).fold(0.0, f64::max);
    let (scale, unit) = unit(result, measure, most);
    let time = Timeline::new(result, round_up(most * scale), &unit);
    let title = title(result, node, measure, known);
    let mut body = heading(&title);
    time.draw(&mut body);
    let (mut band, mut line) = (String::new(), String::new());
    for (column, values) in columns.iter().zip(&values).filter(|_| known) {
        if values.most > values.least {
            band += &time.rectangle(column, values.least * scale, values.most * scale);
        }
        let ((left, right), y) = (time.span(column), time.y(values.mean * scale));
        let _ = write!(line, "M{left:.2} {y:.2}H{right:.2}");
    }
    let _ = write!(
        body,
        "<path class=\"band\" d=\"{band}\"/><path class=\"line\" d=\"{line}\"/>"
    );
    time.mark(result, &columns, &mut body);
    time.hits(result, &columns, &mut body, |column| match known {
        true => tooltip(result, measure, values[column]),
        false => "not known".to_owned(),
    });
    Plot {
        height: HEIGHT,
        title,
        body,
    }
}

/// What a plot shows, in words.
fn what(result: &Phases, measure: Measure) -> String {
    match measure {
        Measure::Time(_) => "Time".to_owned(),
        Measure::Count => "Executions".to_owned(),
        Measure::Counter(at) => safe(result.counters.get(at).map_or("", String::as_str)),
    }
}

fn title(result: &Phases, node: usize, measure: Measure, known: bool) -> String {
    let what = what(result, measure);
    let (one, _) = words::unit(result);
    let mut title = format!("{what} of {} per {one}", words::node(result, node));
    if let Measure::Time(over) = measure
        && over != ThreadCombination::Each
    {
        title += &format!(", {}", whose(over));
    }
    if !known {
        title += " (not known)";
    }
    title
}

/// Whose time a plot shows, in words.
fn whose(over: ThreadCombination) -> String {
    match over {
        ThreadCombination::Each => "per thread".to_owned(),
        ThreadCombination::Sum => "sum of threads".to_owned(),
        ThreadCombination::Least => "thread with least".to_owned(),
        ThreadCombination::Most => "thread with most".to_owned(),
        ThreadCombination::Thread(thread) => format!("thread {thread}"),
    }
}

/// By what values are multiplied that reach so far, and their unit then.
fn unit(result: &Phases, measure: Measure, most: f64) -> (f64, String) {
    match measure {
        Measure::Count => (1.0, "executions".to_owned()),
        Measure::Counter(_) => (1.0, format!("{}, per thread", what(result, measure))),
        Measure::Time(over) => {
            let (scale, unit) = words::unit_of_time(most);
            (scale, format!("{unit}, {}", whose(over)))
        }
    }
}

/// Of the phases of a column, and of their threads where a plot is of all: seconds, executions or counts.
#[derive(Clone, Copy, Debug)]
struct Values {
    least: f64,
    mean: f64,
    most: f64,
}

fn of_column(result: &Phases, column: &PlotSpan, node: usize, measure: Measure) -> Values {
    let none = Values {
        least: f64::INFINITY,
        mean: 0.0,
        most: 0.0,
    };
    let pieces = column.pieces.iter();
    let sums = pieces.fold(none, |sums, piece| {
        let one = of_piece(result, piece, node, measure);
        Values {
            least: sums.least.min(one.least),
            mean: sums.mean + one.mean,
            most: sums.most.max(one.most),
        }
    });
    Values {
        mean: sums.mean / column.pieces.len() as f64,
        ..sums
    }
}

fn of_piece(result: &Phases, piece: &RunPart, node: usize, measure: Measure) -> Values {
    let alone = |value| Values {
        least: value,
        mean: value,
        most: value,
    };
    let of_threads = |figures: &[(u32, u64)], one: f64| {
        let over = |over: ThreadCombination| over.value(figures).unwrap_or(0.0) / one;
        Values {
            least: over(ThreadCombination::Least),
            mean: over(ThreadCombination::Each),
            most: over(ThreadCombination::Most),
        }
    };
    match measure {
        Measure::Time(over) => {
            let times = per_thread(result, piece, node, NodeFigures::exclusive);
            match over {
                ThreadCombination::Each => of_threads(&times, 1e9),
                _ => alone(over.value(&times).unwrap_or(0.0) / 1e9),
            }
        }
        Measure::Counter(at) => {
            let count = |figures: &NodeFigures| figures.counters.get(at).copied().unwrap_or(0);
            of_threads(&per_thread(result, piece, node, count), 1.0)
        }
        Measure::Count => {
            let cells = piece.cells.iter().filter(|c| c.node == node);
            alone(cells.map(|c| c.figures.executions).sum::<u64>() as f64)
        }
    }
}

/// Times in nanoseconds, or another figure, of the threads that are ever in a node, with everything inside it.
fn per_thread(
    result: &Phases,
    piece: &RunPart,
    node: usize,
    figure: impl Fn(&NodeFigures) -> u64,
) -> Vec<(u32, u64)> {
    let threads = &result.tree.nodes[node].threads;
    let mut figures: Vec<(u32, u64)> = threads.iter().map(|t| (t.0, 0)).collect();
    for cell in &piece.cells {
        let inside = within(result, node, cell.node);
        if let (true, Ok(at)) = (inside, threads.binary_search_by_key(&cell.thread, |t| t.0)) {
            figures[at].1 += figure(&cell.figures);
        }
    }
    figures
}

/// What to say of a column on pointing at it.
fn tooltip(result: &Phases, measure: Measure, values: Values) -> String {
    let Values { least, mean, most } = values;
    match measure {
        Measure::Count => format!("{mean:.1} executions"),
        Measure::Counter(_) => {
            let [least, mean, most] = [least, mean, most].map(rate_text);
            format!("mean of threads {mean}\nleast {least}, most {most}")
        }
        Measure::Time(over) => {
            let [least, mean, most] =
                [least, mean, most].map(|v| words::time((v * 1e9).round() as u64));
            let (_, many) = words::unit(result);
            match over {
                ThreadCombination::Each => {
                    format!("mean of threads {mean}\nleast {least}, most {most}")
                }
                _ if least == most => format!("{} {mean}", whose(over)),
                _ => format!(
                    "{} {mean} (mean of {many})\nleast {least}, most {most}",
                    whose(over)
                ),
            }
        }
    }
}
