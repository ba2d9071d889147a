//! Rates of a counter as a heatmap: phases from left to right, threads from top to bottom.

use std::collections::BTreeMap;
use std::fmt::Write;

use parascan_analysis::phases::figures::RunPart;
use parascan_analysis::phases::{Phases, inside};

use super::spans::{PhaseColumn, columns};
use super::timeline::{AREA, heading};
use super::{COLUMNS, HeatmapSubject, Plot};
use crate::phases::words;
use crate::shared::style::safe;
use crate::shared::svg::{Area, Axes, Axis};

/// Most tiles, as long as that leaves [`FEWEST`] columns.
const TILES: usize = 8000;
const FEWEST: usize = 24;
/// Most rows.
const ROWS: u32 = 256;
/// Room for the key of colours at the right.
const KEY: f64 = 90.0;
/// Of tiles of which nothing is known: a grey that no rate has.
const UNKNOWN: &str = "#c8ccd1";

/// Rates of threads in the columns of a heatmap, per second; None where they are not known.
type ThreadRates = Vec<Vec<Option<f64>>>;

/// Rates of a counter.
pub(in crate::phases) fn heat(result: &Phases, what: HeatmapSubject) -> Plot {
    let counter = what.counter.filter(|&at| at < result.counters.len());
    let what = HeatmapSubject { counter, ..what };
    let rows = result.threads.clamp(1, ROWS);
    let columns = columns(result, (TILES / rows as usize).clamp(FEWEST, COLUMNS));
    let rates = rates(result, what, &columns, rows as usize);
    let all = || rates.iter().flatten();
    let most = all().flatten().copied().fold(0.0, f64::max);
    let unknown = all().any(Option::is_none);
    let title = title(result, what);
    let mut body = heading(&title);
    let tiles = Tiles::new(result, columns.len(), rows);
    for ((column, rates), at) in columns.iter().zip(&rates).zip(0..) {
        let name = words::numbers(result, column).0;
        for (rate, row) in rates.iter().zip(0..) {
            let (fill, text) = match rate {
                Some(rate) => {
                    let shown = if most > 0.0 { rate / most } else { 0.0 };
                    (color(shown), format!("{} per second", rate_text(*rate)))
                }
                None => (UNKNOWN.to_owned(), missing(result, what).to_owned()),
            };
            let about = format!("{name}, thread {row}: {text}");
            tiles.draw(at, row, &fill, &about, &mut body);
        }
    }
    tiles.label(&columns, rows, &mut body);
    key(most, unknown, &mut body);
    let least = AREA.top + if unknown { 144.0 } else { 124.0 };
    Plot {
        height: tiles.axes.area.bottom.max(least) + 50.0,
        title,
        body,
    }
}

fn title(result: &Phases, HeatmapSubject { node, counter }: HeatmapSubject) -> String {
    let name = counter.map_or("loop iterations handed out", |at| &result.counters[at]);
    let (_, many) = words::unit(result);
    let place = node.map_or_else(String::new, |node| {
        format!(" in {}", words::node(result, node))
    });
    format!("{} per second{place}, {many} by threads", safe(name))
}

/// Why a rate is missing. Iterations are always known, of threads that are there.
fn missing(result: &Phases, HeatmapSubject { node, counter }: HeatmapSubject) -> &'static str {
    match (node, counter.map(|at| result.counts_in_regions(at))) {
        (Some(_), None | Some(true)) => "was not there",
        _ => "not known",
    }
}

/// What was counted, and in which time in nanoseconds.
type CountAndTime = (u64, u64);

/// The rates of so many threads in each column: of a column's phases, those that are known.
fn rates(
    result: &Phases,
    what: HeatmapSubject,
    columns: &[PhaseColumn],
    rows: usize,
) -> ThreadRates {
    let rates = columns.iter().map(|column| {
        let mut sums: Vec<Option<CountAndTime>> = vec![None; rows];
        for (_, piece) in column {
            let inside = what
                .node
                .map(|node| in_node(result, piece, node, what.counter));
            for (thread, sum) in (0..).zip(&mut sums) {
                let one = match &inside {
                    Some(inside) => inside.get(&thread).copied(),
                    None => of_thread(piece, thread, what.counter),
                };
                if let Some((counted, time)) = one {
                    let (counted_before, time_before) = sum.unwrap_or_default();
                    *sum = Some((counted_before + counted, time_before + time));
                }
            }
        }
        sums.into_iter().map(|sum| sum.map(rate)).collect()
    });
    rates.collect()
}

fn rate((counted, time): CountAndTime) -> f64 {
    let seconds = words::seconds(time);
    if seconds > 0.0 {
        counted as f64 / seconds
    } else {
        0.0
    }
}

/// All that a thread does. Without a counter, iterations.
fn of_thread(piece: &RunPart, thread: u32, counter: Option<usize>) -> Option<CountAndTime> {
    match counter {
        Some(at) => Some((piece.counts.of(thread, at)?, piece.counts.time)),
        None => {
            let cells = piece.cells.iter().filter(|c| c.thread == thread);
            Some((cells.map(|c| c.figures.iterations).sum(), piece.wall()))
        }
    }
}

/// What threads do in a node with everything inside. Nothing where that is not known, or of threads that were not
/// there.
fn in_node(
    result: &Phases,
    piece: &RunPart,
    node: usize,
    counter: Option<usize>,
) -> BTreeMap<u32, CountAndTime> {
    if counter.is_some_and(|at| !result.counts_in_regions(at)) {
        return BTreeMap::new();
    }
    let inside = inside::of_piece(&result.tree, piece, node).into_iter();
    let there = inside.filter(|(_, inside)| inside.time > 0);
    there
        .map(|(thread, inside)| {
            let counted = counter.map_or(inside.iterations, |at| inside.counted(at));
            (thread, (counted, inside.time))
        })
        .collect()
}

/// Where tiles are.
struct Tiles {
    axes: Axes,
    wide: f64,
    tall: f64,
}

impl Tiles {
    fn new(result: &Phases, columns: usize, rows: u32) -> Self {
        let tall = (220.0 / f64::from(rows)).clamp(3.0, 26.0);
        let wide = (AREA.right - KEY - AREA.left) / columns.max(1) as f64;
        let area = Area {
            right: AREA.left + wide * columns as f64,
            bottom: AREA.top + tall * f64::from(rows),
            ..AREA
        };
        let (unit, _) = words::unit(result);
        let x = Axis::linear(columns as f64, unit);
        let y = Axis::linear(f64::from(rows), "thread");
        Self {
            axes: Axes::new(x, y, area),
            wide,
            tall,
        }
    }

    fn draw(&self, column: u32, row: u32, fill: &str, about: &str, body: &mut String) {
        let _ = write!(
            body,
            "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{fill}\"><title>{about}</title></rect>",
            AREA.left + self.wide * f64::from(column),
            AREA.top + self.tall * f64::from(row),
            self.wide + 0.3,
            self.tall
        );
    }

    /// Numbers of phases and threads, as far as there is room.
    fn label(&self, columns: &[PhaseColumn], rows: u32, body: &mut String) {
        let every = (columns.len() / 12).max(1);
        for (at, column) in columns.iter().enumerate().step_by(every) {
            let x = AREA.left + self.wide * (at as f64 + 0.5);
            self.axes.mark_x(x, &column[0].0.to_string(), body);
        }
        let every = ((16.0 / self.tall).ceil() as usize).max(1);
        for row in (0..rows).step_by(every) {
            let y = AREA.top + self.tall * (f64::from(row) + 0.5);
            self.axes.number_y(y, &row.to_string(), body);
        }
        self.axes.label_x(body);
        self.axes.label_y(body);
    }
}

/// Which colour means which rate.
fn key(most: f64, unknown: bool, body: &mut String) {
    let (x, top) = (AREA.right - 70.0, AREA.top);
    for step in 0..20 {
        let _ = write!(
            body,
            "<rect x=\"{x}\" y=\"{:.1}\" width=\"14\" height=\"6.2\" fill=\"{}\"/>",
            top + 6.0 * f64::from(19 - step),
            color(f64::from(step) / 19.0)
        );
    }
    let _ = write!(
        body,
        "<text x=\"{0:.1}\" y=\"{1:.1}\">{2}/s</text><text x=\"{0:.1}\" y=\"{3:.1}\">0</text>",
        x + 19.0,
        top + 9.0,
        rate_text(most),
        top + 120.0
    );
    if unknown {
        let _ = write!(
            body,
            "<rect x=\"{x}\" y=\"{:.1}\" width=\"14\" height=\"12\" fill=\"{UNKNOWN}\"/><text x=\"{:.1}\" y=\"{:.1}\">not known</text>",
            top + 130.0,
            x + 19.0,
            top + 140.0
        );
    }
}

/// Three digits that say something.
pub(super) fn rate_text(rate: f64) -> String {
    for (scale, letter) in [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")] {
        if rate >= scale {
            let shown = rate / scale;
            let decimals = 2 - shown.log10().floor().clamp(0.0, 2.0) as usize;
            return format!("{shown:.decimals$}{letter}");
        }
    }
    format!("{rate:.0}")
}

/// From dark blue over green to yellow, in even steps of lightness (after viridis).
fn color(share: f64) -> String {
    const STOPS: [[f64; 3]; 5] = [
        [68.0, 1.0, 84.0],
        [59.0, 82.0, 139.0],
        [33.0, 145.0, 140.0],
        [94.0, 201.0, 98.0],
        [253.0, 231.0, 37.0],
    ];
    let at = share.clamp(0.0, 1.0) * 4.0;
    let stop = (at as usize).min(3);
    let part = at - stop as f64;
    let mix = |i: usize| {
        let (low, high) = (STOPS[stop][i], STOPS[stop + 1][i]);
        (low + (high - low) * part).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}

#[cfg(test)]
mod tests {
    use super::rate_text;

    #[test]
    fn rates_have_three_digits() {
        for (rate, text) in [
            (0.0, "0"),
            (999.4, "999"),
            (1234.0, "1.23k"),
            (56_789.0, "56.8k"),
            (132_869_000.0, "133M"),
            (4e15, "4000T"),
        ] {
            assert_eq!(rate_text(rate), text);
        }
    }
}
