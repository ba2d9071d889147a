//! The paper's plots as SVG: overheads over time, time or count of a construct over time, heatmap of rates.

use std::collections::BTreeMap;
use std::fmt::Write;

use parascan_analysis::phases::Phases;
use parascan_analysis::phases::cut::Kind;
use parascan_analysis::phases::figures::Piece;
use parascan_analysis::phases::inside;
use parascan_analysis::phases::over::Over;
use parascan_formats::omp::{Class, Figures};

use super::words;
use crate::shared::style::{count, escaped, grouped, percent, safe, shorten};
use crate::shared::svg::{Color, Document, Rule, steps};

const WIDTH: f64 = 920.0;
const HEIGHT: f64 = 340.0;
/// Around the plot: left, top, right, bottom.
const MARGIN: (f64, f64, f64, f64) = (72.0, 58.0, 20.0, 50.0);
/// Most columns of a plot with one element each; with more phases, neighbours share one.
const COLUMNS: usize = 400;
/// Most tiles of a heatmap, as long as that leaves [`FEWEST`] columns.
const TILES: usize = 8000;
const FEWEST: usize = 24;
/// Most rows of a heatmap.
const ROWS: u32 = 256;

/// What the drawings look like; shared with the page.
pub(super) const STYLE: &str = "\
.plot{font:12px sans-serif}.plot text{fill:#1f2328}.plot .axis{stroke:#6e7781;fill:none}.plot .grid{stroke:#d0d7de}\
.plot .title{font-size:14px;font-weight:600}.plot .c0{fill:#cf222e}.plot .c1{fill:#e8a317}.plot .c2{fill:#1a7f8e}.plot .c3{fill:#6f42c1}\
.plot .band{fill:#b6d4fb}.plot .line{fill:none;stroke:#0550ae;stroke-width:1.6}.plot .hit{fill:#000;fill-opacity:0}\
.plot .hit:hover{fill-opacity:.12}.plot .odd{fill:#1f2328}\
.plot .around{fill:#6e7781;fill-opacity:.1}.plot .aside{fill:#57606a}";

/// What changes on a dark ground: each rule stands for itself, so that the page can put its own condition in front.
pub(super) const DARK: &[&str] = &[
    ".plot text,.plot .aside{fill:#e6edf3}",
    ".plot .axis{stroke:#8b949e}",
    ".plot .grid{stroke:#30363d}",
    ".plot .c0{fill:#f85149}",
    ".plot .c2{fill:#39c5cf}",
    ".plot .c3{fill:#bc8cff}",
    ".plot .band{fill:#1f4475}",
    ".plot .line{stroke:#79b8ff}",
    ".plot .hit{fill:#fff}",
    ".plot .odd{fill:#e6edf3}",
];

/// What a plot of a node shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Time with everything inside, of its threads.
    Time(Over),
    /// Executions, of all threads together.
    Count,
    /// What a counter, by its index, counted with everything inside, of its threads.
    Counter(usize),
}

/// Whose rates a heatmap shows, and of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heat {
    /// The node, with everything inside; None is the whole run, threads outside of all regions included.
    pub node: Option<usize>,
    /// The counter, by its index; None is loop iterations handed out.
    pub counter: Option<usize>,
}

/// The four classes over time, stacked, in per cent of the time of all threads: in a node and everything inside (0: the
/// whole program).
pub fn overheads_svg(result: &Phases, node: usize) -> String {
    document(&overheads(result, node))
}

/// Time (mean of the threads that were there, within a band from least to most) or executions of a node in each phase,
/// and around them.
pub fn node_svg(result: &Phases, node: usize, measure: Measure) -> String {
    document(&over_time(result, node, measure))
}

/// Rates of a counter: phases from left to right, threads from top to bottom. Those of a node are per second that the
/// thread was in it. Without a counter, or where the recording does not have it, loop iterations handed out per second.
pub fn heat_svg(result: &Phases, what: Heat) -> String {
    document(&heat(result, what))
}

/// A drawing without the frame of a document.
pub(super) struct Plot {
    pub(super) height: f64,
    pub(super) title: String,
    pub(super) body: String,
}

impl Plot {
    /// For the page.
    pub(super) fn inline(&self) -> String {
        format!(
            "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {:.0}\" role=\"img\" aria-label=\"{}\">{}</svg>",
            self.height,
            escaped(&self.title),
            self.body
        )
    }
}

/// The ground of drawings in files of their own.
pub(super) const GROUND: Color = Color {
    light: "#ffffff",
    dark: "#0d1117",
};

/// A drawing in a file of its own is dark where the viewer is.
pub(super) fn dark(rules: &[&str]) -> String {
    format!("@media(prefers-color-scheme:dark){{{}}}", rules.concat())
}

/// The same rules in a page that has chosen to be dark, on a screen. Each of a rule's selectors gets the condition.
pub(super) fn dark_page(rules: &[&str]) -> String {
    let rules = rules.iter().map(|rule| {
        let (selectors, rest) = rule.split_at(rule.find('{').unwrap_or(0));
        let selectors: Vec<String> = selectors
            .split(',')
            .map(|s| format!(":root[data-theme=\"dark\"] .chart {s}"))
            .collect();
        selectors.join(",") + rest
    });
    format!("@media screen{{{}}}", rules.collect::<String>())
}

fn document(plot: &Plot) -> String {
    let open = Document {
        width: WIDTH,
        height: plot.height,
        title: &escaped(&plot.title),
        description: "",
        style: &format!("{STYLE}{}", dark(DARK)),
        rules: &[Rule(".paper", "fill", GROUND)],
    }
    .open();
    format!("{open}<g class=\"plot\">{}</g>\n</svg>\n", plot.body)
}

/// Overheads over time.
pub(super) fn overheads(result: &Phases, node: usize) -> Plot {
    let of = if node == 0 {
        words::program(result)
    } else {
        words::node(result, node)
    };
    let title = format!("Overheads of {of} over time");
    let columns = spans(result, COLUMNS);
    let stacks: Vec<[f64; 4]> = columns
        .iter()
        .map(|column| {
            let mut lost = [0.0; 4];
            let mut available = 0.0;
            for piece in &column.pieces {
                available += piece.wall() as f64 * f64::from(result.threads);
                for cell in piece.cells.iter().filter(|c| within(result, node, c.node)) {
                    for (sum, class) in lost.iter_mut().zip(Class::ALL) {
                        *sum += cell.figures.lost(class) as f64;
                    }
                }
            }
            lost.map(|l| {
                if available > 0.0 {
                    l / available * 100.0
                } else {
                    0.0
                }
            })
        })
        .collect();
    let most = stacks.iter().map(|s| s.iter().sum()).fold(0.0, f64::max);
    let axes = Axes::new(result, round_up(most).clamp(1.0, 100.0));
    let mut body = heading(&title);
    axes.draw(&mut body, "lost time of all threads, %");
    legend(&mut body);
    for class in Class::ALL {
        let at = class as usize;
        let mut path = String::new();
        for (column, stack) in columns.iter().zip(&stacks) {
            let (low, high) = (stack[..at].iter().sum::<f64>(), stack[..=at].iter().sum());
            if high > low {
                let (left, right) = axes.span(column);
                let _ = write!(
                    path,
                    "M{left:.2} {:.2}H{right:.2}V{:.2}H{left:.2}z",
                    axes.y(low),
                    axes.y(high)
                );
            }
        }
        let _ = write!(body, "<path class=\"c{at}\" d=\"{path}\"/>");
    }
    around(&axes, &columns, &mut body);
    outlier_marks(result, &axes, &mut body);
    hits(result, &axes, &columns, &mut body, |column| {
        let stack = &stacks[column];
        Class::ALL
            .iter()
            .map(|&class| format!("{} {:.1}%", words::class(class), stack[class as usize]))
            .collect::<Vec<_>>()
            .join("\n")
    });
    Plot {
        height: HEIGHT,
        title,
        body,
    }
}

/// A node's time or count over time.
pub(super) fn over_time(result: &Phases, node: usize, measure: Measure) -> Plot {
    let what = match measure {
        Measure::Time(_) => "Time".to_owned(),
        Measure::Count => "Executions".to_owned(),
        Measure::Counter(at) => safe(result.counters.get(at).map_or("", String::as_str)),
    };
    let (one, many) = words::unit(result);
    let mut title = format!("{what} of {} per {one}", words::node(result, node));
    let whose = match measure {
        Measure::Time(over) => whose(over),
        Measure::Count | Measure::Counter(_) => String::new(),
    };
    if matches!(measure, Measure::Time(over) if over != Over::Each) {
        title += &format!(", {whose}");
    }
    let known = match measure {
        Measure::Counter(at) => result.counts_in_regions(at),
        Measure::Time(_) | Measure::Count => true,
    };
    if !known {
        title += " (not known)";
    }
    let columns = spans(result, COLUMNS);
    // Least, mean and most of a column's phases.
    let values: Vec<(f64, f64, f64)> = columns
        .iter()
        .map(|column| {
            let each = column.pieces.iter().map(|piece| match measure {
                Measure::Time(over) => {
                    let times = per_thread(result, piece, node, Figures::exclusive);
                    let seconds = |over: Over| over.value(&times).unwrap_or(0.0) / 1e9;
                    match over {
                        Over::Each => (seconds(Over::Least), seconds(over), seconds(Over::Most)),
                        _ => (seconds(over), seconds(over), seconds(over)),
                    }
                }
                Measure::Counter(at) => {
                    let counted = per_thread(result, piece, node, |f| {
                        f.counters.get(at).copied().unwrap_or(0)
                    });
                    let over = |over: Over| over.value(&counted).unwrap_or(0.0);
                    (over(Over::Least), over(Over::Each), over(Over::Most))
                }
                Measure::Count => {
                    let cells = piece.cells.iter().filter(|c| c.node == node);
                    let sum = cells.map(|c| c.figures.executions).sum::<u64>() as f64;
                    (sum, sum, sum)
                }
            });
            let sums = each.fold((f64::INFINITY, 0.0, 0.0), |sums: (f64, f64, f64), one| {
                (sums.0.min(one.0), sums.1 + one.1, sums.2.max(one.2))
            });
            (sums.0, sums.1 / column.pieces.len() as f64, sums.2)
        })
        .collect();
    let most = values.iter().map(|v| v.2).fold(0.0, f64::max);
    let (scale, unit) = match measure {
        Measure::Count => (1.0, "executions".to_owned()),
        Measure::Counter(_) => (1.0, format!("{what}, per thread")),
        Measure::Time(_) => {
            let (scale, unit) = match most {
                1.0.. => (1.0, "seconds"),
                1e-3.. => (1e3, "milliseconds"),
                _ => (1e6, "microseconds"),
            };
            (scale, format!("{unit}, {whose}"))
        }
    };
    let axes = Axes::new(result, round_up(most * scale));
    let mut body = heading(&title);
    axes.draw(&mut body, &unit);
    let (mut band, mut line) = (String::new(), String::new());
    for (column, &(least, mean, most)) in columns.iter().zip(&values).filter(|_| known) {
        let (left, right) = axes.span(column);
        if most > least {
            let _ = write!(
                band,
                "M{left:.2} {:.2}H{right:.2}V{:.2}H{left:.2}z",
                axes.y(least * scale),
                axes.y(most * scale)
            );
        }
        let y = axes.y(mean * scale);
        let _ = write!(line, "M{left:.2} {y:.2}H{right:.2}");
    }
    let _ = write!(
        body,
        "<path class=\"band\" d=\"{band}\"/><path class=\"line\" d=\"{line}\"/>"
    );
    around(&axes, &columns, &mut body);
    outlier_marks(result, &axes, &mut body);
    hits(result, &axes, &columns, &mut body, |column| {
        let (least, mean, most) = values[column];
        match measure {
            Measure::Count => format!("{mean:.1} executions"),
            Measure::Counter(_) if !known => "not known".to_owned(),
            Measure::Counter(_) => {
                let [least, mean, most] = [least, mean, most].map(rate_text);
                format!("mean of threads {mean}\nleast {least}, most {most}")
            }
            Measure::Time(over) => {
                let [least, mean, most] =
                    [least, mean, most].map(|v| words::time((v * 1e9).round() as u64));
                match over {
                    Over::Each => format!("mean of threads {mean}\nleast {least}, most {most}"),
                    _ if least == most => format!("{whose} {mean}"),
                    _ => format!("{whose} {mean} (mean of {many})\nleast {least}, most {most}"),
                }
            }
        }
    });
    Plot {
        height: HEIGHT,
        title,
        body,
    }
}

/// Whether a node is another or inside it.
fn within(result: &Phases, outer: usize, node: usize) -> bool {
    node == outer || result.tree.child_towards(outer, node).is_some()
}

/// Whose time a plot shows, in words.
fn whose(over: Over) -> String {
    match over {
        Over::Each => "per thread".to_owned(),
        Over::Sum => "sum of threads".to_owned(),
        Over::Least => "thread with least".to_owned(),
        Over::Most => "thread with most".to_owned(),
        Over::Thread(thread) => format!("thread {thread}"),
    }
}

/// Times in nanoseconds, or another figure, of the threads that are ever in a node, with everything inside it.
fn per_thread(
    result: &Phases,
    piece: &Piece,
    node: usize,
    figure: impl Fn(&Figures) -> u64,
) -> Vec<(u32, u64)> {
    let threads = &result.tree.nodes[node].threads;
    let mut times: Vec<(u32, u64)> = threads.iter().map(|t| (t.0, 0)).collect();
    for cell in &piece.cells {
        let inside = within(result, node, cell.node);
        if let (true, Ok(at)) = (inside, threads.binary_search_by_key(&cell.thread, |t| t.0)) {
            times[at].1 += figure(&cell.figures);
        }
    }
    times
}

/// What threads' counters counted in a node with everything inside (without a counter, iterations), and their times
/// there in nanoseconds. Nothing where that is not known, or of threads that were not there.
fn in_node(
    result: &Phases,
    piece: &Piece,
    node: usize,
    counter: Option<usize>,
) -> BTreeMap<u32, (u64, u64)> {
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

/// Rates of a counter.
pub(super) fn heat(result: &Phases, Heat { node, counter }: Heat) -> Plot {
    let counter = counter.filter(|&at| at < result.counters.len());
    let name = counter.map_or("loop iterations handed out", |at| &result.counters[at]);
    let (unit, many) = words::unit(result);
    let place = node.map_or_else(String::new, |node| {
        format!(" in {}", words::node(result, node))
    });
    let title = format!("{} per second{place}, {many} by threads", safe(name));
    let rows = result.threads.clamp(1, ROWS);
    let columns = columns(result, (TILES / rows as usize).clamp(FEWEST, COLUMNS));
    // What was counted, and in which time; None where that is not known.
    let value = |piece: &Piece, thread: u32| match counter {
        Some(at) => Some((piece.counts.of(thread, at)?, piece.counts.time)),
        None => {
            let cells = piece.cells.iter().filter(|c| c.thread == thread);
            Some((cells.map(|c| c.figures.iterations).sum(), piece.wall()))
        }
    };
    // Of a column's phases, those that are known.
    let rate = |known: &[(u64, u64)]| {
        let known = known.iter().copied();
        let sums = known.reduce(|sums, one| (sums.0 + one.0, sums.1 + one.1))?;
        let seconds = words::seconds(sums.1);
        Some(if seconds > 0.0 {
            sums.0 as f64 / seconds
        } else {
            0.0
        })
    };
    let rates: Vec<Vec<Option<f64>>> = columns
        .iter()
        .map(|column| {
            let pieces = column.iter().map(|(_, piece)| *piece);
            let mut known: Vec<Vec<(u64, u64)>> = vec![Vec::new(); rows as usize];
            for piece in pieces {
                let inside = node.map(|node| in_node(result, piece, node, counter));
                for (thread, known) in (0..).zip(&mut known) {
                    known.extend(match &inside {
                        Some(inside) => inside.get(&thread).copied(),
                        None => value(piece, thread),
                    });
                }
            }
            known.iter().map(|known| rate(known)).collect()
        })
        .collect();
    let most = rates
        .iter()
        .flatten()
        .flatten()
        .copied()
        .fold(0.0, f64::max);
    let unknown = rates.iter().flatten().any(Option::is_none);
    // Iterations are always known, of those that are there.
    let missing = match (node, counter.map(|at| result.counts_in_regions(at))) {
        (Some(_), None | Some(true)) => "was not there",
        _ => "not known",
    };
    let tall = (220.0 / f64::from(rows)).clamp(3.0, 26.0);
    let (left, top) = (MARGIN.0, MARGIN.1);
    let wide = (WIDTH - MARGIN.0 - MARGIN.2 - 90.0) / columns.len().max(1) as f64;
    let mut body = heading(&title);
    for ((column, rates), at) in columns.iter().zip(&rates).zip(0..) {
        for (row, rate) in rates.iter().enumerate() {
            let (fill, text) = match rate {
                Some(rate) => {
                    let shown = if most > 0.0 { rate / most } else { 0.0 };
                    (color(shown), format!("{} per second", rate_text(*rate)))
                }
                None => (UNKNOWN.to_owned(), missing.to_owned()),
            };
            let _ = write!(
                body,
                "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{tall:.2}\" fill=\"{fill}\"><title>{}, thread {row}: {text}</title></rect>",
                left + wide * f64::from(at),
                top + tall * row as f64,
                wide + 0.3,
                words::numbers(result, column).0
            );
        }
    }
    let bottom = top + tall * f64::from(rows);
    let _ = write!(
        body,
        "<path class=\"axis\" d=\"M{left} {top}V{bottom:.1}H{:.1}\"/>",
        left + wide * columns.len() as f64
    );
    let every = (columns.len() / 12).max(1);
    for (at, column) in columns.iter().enumerate().step_by(every) {
        let x = left + wide * (at as f64 + 0.5);
        let _ = write!(
            body,
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 16.0,
            column[0].0
        );
    }
    let every = ((16.0 / tall).ceil() as usize).max(1);
    for row in (0..rows as usize).step_by(every) {
        let _ = write!(
            body,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{row}</text>",
            left - 6.0,
            top + tall * (row as f64 + 0.5) + 4.0
        );
    }
    let _ = write!(
        body,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{unit}</text><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">thread</text>",
        left + wide * columns.len() as f64 / 2.0,
        bottom + 36.0,
        left - 6.0,
        top - 8.0
    );
    // The scale.
    let x = WIDTH - MARGIN.2 - 70.0;
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
    Plot {
        height: f64::max(bottom, top + if unknown { 144.0 } else { 124.0 }) + 50.0,
        title,
        body,
    }
}

/// Three digits that say something.
fn rate_text(rate: f64) -> String {
    for (scale, letter) in [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")] {
        if rate >= scale {
            let shown = rate / scale;
            let decimals = 2 - shown.log10().floor().clamp(0.0, 2.0) as usize;
            return format!("{shown:.decimals$}{letter}");
        }
    }
    format!("{rate:.0}")
}

/// Of tiles of which nothing is known: a grey that no rate has.
const UNKNOWN: &str = "#c8ccd1";

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

type Column<'a> = Vec<(u32, &'a Piece)>;

/// Parts of the run that a plot over time shows as one: phases side by side, or what is around them.
struct Span<'a> {
    /// What it is, in words.
    name: String,
    pieces: Vec<&'a Piece>,
    phases: bool,
}

impl Span<'_> {
    fn wall(&self) -> u64 {
        self.pieces.iter().map(|p| p.wall()).sum()
    }
}

/// The whole run: what lies before, between and behind phases stands alone; phases share a column if too many.
fn spans(result: &Phases, most: usize) -> Vec<Span<'_>> {
    let each = result.pieces.len().div_ceil(most).max(1);
    let is_phase = |piece: &&Piece| piece.kind != Kind::Outside;
    let first = result.pieces.iter().position(|p| is_phase(&p));
    let last = result.pieces.iter().rposition(|p| is_phase(&p));
    let mut spans: Vec<Span> = Vec::new();
    let mut numbers_of: Column = Vec::new();
    for (at, piece) in result.pieces.iter().enumerate() {
        let Kind::Phase(number) = piece.kind else {
            numbers_of.clear();
            let name = match (first, last) {
                (Some(first), _) if at < first => "initialization, before the phases",
                (_, Some(last)) if at > last => "after the phases",
                (Some(_), _) => "between phases",
                (None, _) => "the whole run, without phases",
            };
            spans.push(Span {
                name: name.to_owned(),
                pieces: vec![piece],
                phases: false,
            });
            continue;
        };
        if numbers_of.is_empty() || numbers_of.len() >= each {
            numbers_of.clear();
            spans.push(Span {
                name: String::new(),
                pieces: Vec::new(),
                phases: true,
            });
        }
        numbers_of.push((number, piece));
        if let Some(span) = spans.last_mut() {
            span.pieces.push(piece);
            span.name = words::numbers(result, &numbers_of).0;
        }
    }
    spans
}

/// Phases, several to a column where there are too many.
fn columns(result: &Phases, most: usize) -> Vec<Column<'_>> {
    let phases: Vec<(u32, &Piece)> = result.phases().collect();
    let each = phases.len().div_ceil(most).max(1);
    phases.chunks(each).map(<[_]>::to_vec).collect()
}

fn heading(title: &str) -> String {
    format!(
        "<text class=\"title\" x=\"{}\" y=\"20\">{}</text>",
        MARGIN.0,
        escaped(&shorten(title, 100))
    )
}

fn legend(body: &mut String) {
    let mut x = MARGIN.0;
    for class in Class::ALL {
        let name = words::class(class);
        let _ = write!(
            body,
            "<rect class=\"c{}\" x=\"{x:.1}\" y=\"32\" width=\"12\" height=\"12\" rx=\"2\"/><text x=\"{:.1}\" y=\"42\">{name}</text>",
            class as usize,
            x + 17.0
        );
        x += 40.0 + name.len() as f64 * 6.6;
    }
}

/// From times and values to places.
struct Axes {
    begin: f64,
    end: f64,
    most: f64,
}

impl Axes {
    /// Over the whole run.
    fn new(result: &Phases, most: f64) -> Self {
        Self {
            begin: 0.0,
            end: words::seconds(result.run.duration.max(1)),
            most: if most > 0.0 { most } else { 1.0 },
        }
    }

    fn x(&self, nanoseconds: u64) -> f64 {
        let share = (words::seconds(nanoseconds) - self.begin) / (self.end - self.begin);
        MARGIN.0 + share * (WIDTH - MARGIN.0 - MARGIN.2)
    }

    fn y(&self, value: f64) -> f64 {
        let share = (value / self.most).clamp(0.0, 1.0);
        HEIGHT - MARGIN.3 - share * (HEIGHT - MARGIN.1 - MARGIN.3)
    }

    fn span(&self, span: &Span) -> (f64, f64) {
        let begin = span.pieces.first().map_or(0, |p| p.time.start);
        let end = span.pieces.last().map_or(0, |p| p.time.end);
        (self.x(begin), self.x(end).max(self.x(begin) + 0.4))
    }

    fn draw(&self, body: &mut String, unit: &str) {
        let (left, right) = (MARGIN.0, WIDTH - MARGIN.2);
        let bottom = HEIGHT - MARGIN.3;
        for value in steps(0.0, self.most, 6) {
            let y = self.y(value);
            let _ = write!(
                body,
                "<path class=\"grid\" d=\"M{left} {y:.1}H{right}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                left - 6.0,
                y + 4.0,
                plain(value)
            );
        }
        // Short runs in milliseconds: fewer digits.
        let (scale, seconds) = if self.end < 1.0 {
            (1e3, "milliseconds")
        } else {
            (1.0, "seconds")
        };
        for value in steps(self.begin * scale, self.end * scale, 10) {
            let share = (value / scale - self.begin) / (self.end - self.begin);
            let x = left + share * (right - left);
            let _ = write!(
                body,
                "<path class=\"axis\" d=\"M{x:.1} {bottom}v5\"/><text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                bottom + 18.0,
                plain(value)
            );
        }
        let _ = write!(
            body,
            "<path class=\"axis\" d=\"M{left} {}V{bottom}H{right}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">time since the start, {seconds}</text>\
             <text transform=\"translate(16 {:.1}) rotate(-90)\" text-anchor=\"middle\">{unit}</text>",
            MARGIN.1,
            f64::midpoint(left, right),
            bottom + 38.0,
            f64::midpoint(MARGIN.1, bottom)
        );
    }
}

/// Shades and names what is no phase, where there is room for a name.
fn around(axes: &Axes, spans: &[Span], body: &mut String) {
    const LETTER: f64 = 6.6;
    if spans.iter().all(|span| !span.phases) {
        return;
    }
    for span in spans.iter().filter(|span| !span.phases) {
        let (left, right) = axes.span(span);
        let _ = write!(
            body,
            "<rect class=\"around\" x=\"{left:.2}\" y=\"{}\" width=\"{:.2}\" height=\"{}\"/>",
            MARGIN.1,
            right - left,
            HEIGHT - MARGIN.1 - MARGIN.3
        );
        let name = span.name.split(',').next().unwrap_or_default();
        if name.len() as f64 * LETTER < right - left {
            let _ = write!(
                body,
                "<text class=\"aside\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>",
                f64::midpoint(left, right),
                MARGIN.1 + 14.0
            );
        }
    }
}

/// Triangles above phases that are not like the others.
fn outlier_marks(result: &Phases, axes: &Axes, body: &mut String) {
    for outlier in &result.outliers {
        let Some((_, piece)) = result.phases().find(|p| p.0 == outlier.phase) else {
            continue;
        };
        let middle = f64::midpoint(axes.x(piece.time.start), axes.x(piece.time.end));
        let _ = write!(
            body,
            "<path class=\"odd\" d=\"M{middle:.1} {:.1}l-4 -7h8z\"><title>{}</title></path>",
            MARGIN.1,
            escaped(&words::outlier(result, outlier))
        );
    }
}

/// Invisible columns that say what they are.
fn hits(
    result: &Phases,
    axes: &Axes,
    columns: &[Span],
    body: &mut String,
    text: impl Fn(usize) -> String,
) {
    for (at, column) in columns.iter().enumerate() {
        let (left, right) = axes.span(column);
        let wall = column.wall();
        let share = wall as f64 / result.run.duration.max(1) as f64;
        let _ = write!(
            body,
            "<rect class=\"hit\" x=\"{left:.2}\" y=\"{}\" width=\"{:.2}\" height=\"{}\"><title>{}: {}, {} of the run\n{}</title></rect>",
            MARGIN.1,
            right - left,
            HEIGHT - MARGIN.1 - MARGIN.3,
            column.name,
            words::time(wall),
            percent(share),
            escaped(&text(at))
        );
    }
    if columns.iter().all(|span| !span.phases) {
        let none = count(0, "phase", "phases");
        let _ = write!(
            body,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{none}</text>",
            WIDTH / 2.0,
            HEIGHT / 2.0
        );
    }
}

/// The next round number.
fn round_up(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 1.0;
    }
    let power = 10f64.powf(value.log10().floor());
    let steps = [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    let found = steps
        .iter()
        .map(|s| s * power)
        .find(|&s| s >= value * 0.999_999);
    found.unwrap_or(10.0 * power)
}

fn plain(value: f64) -> String {
    if value >= 10_000.0 {
        return grouped(value.round() as u64);
    }
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text.is_empty() { "0" } else { text }.to_owned()
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
