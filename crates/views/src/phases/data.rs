//! Control flow, loops, phases and outliers as JSON and CSV, as documented in `docs/json.md`.

use std::collections::BTreeMap;

use parascan_analysis::phases::busy::Busy;
use parascan_analysis::phases::candidates::Candidate;
use parascan_analysis::phases::conclusions::{Cause, Loss};
use parascan_analysis::phases::cut::{Kind, Start};
use parascan_analysis::phases::figures::{Piece, Summary};
use parascan_analysis::phases::flow::Point;
use parascan_analysis::phases::inside::{self, Inside};
use parascan_analysis::phases::intervals::Intervals;
use parascan_analysis::phases::label::Share;
use parascan_analysis::phases::outliers::{Activity, Outlier};
use parascan_analysis::phases::{How, Phases, naming};
use parascan_formats::omp::{
    Blind, Class, CodePosition, Construct, Figures, Location, Run, State, Thinned,
};
use serde::Serialize;

use super::{conclusions, words};
use crate::shared::csv::document;
use crate::shared::json;

#[derive(Serialize)]
struct Document<'a> {
    run: &'a Run,
    threads: u32,
    counters: &'a [String],
    region_counters: Vec<&'a str>,
    total: Summary,
    busy: &'a Busy,
    regions: Vec<Region<'a>>,
    control_flow: Vec<Layer<'a>>,
    loops: Vec<LoopJson>,
    choice: Option<ChoiceJson>,
    doubt: Option<String>,
    interval: Option<Intervals>,
    inside: Summary,
    paths: Vec<PathJson<'a>>,
    parts: Vec<PartJson>,
    outliers: Vec<OutlierJson>,
    losses: Vec<LossJson<'a>>,
    thinned: Vec<ThinnedJson>,
    blind_spots: &'a [Blind],
}

#[derive(Serialize)]
struct Region<'a> {
    id: String,
    parent: Option<String>,
    kind: Construct,
    name: &'a str,
    function: &'a str,
    file: Option<&'a str>,
    line: Option<u32>,
    inlined_into: &'a [CodePosition],
    module: Option<&'a str>,
    offset: Option<u64>,
    inclusive: u64,
    exclusive: u64,
    counters_inclusive: Option<Vec<Option<u64>>>,
    threads: Vec<OfThread>,
}

/// A thread's figures at a region; times without those of regions inside.
#[derive(Serialize)]
struct OfThread {
    thread: u32,
    inclusive: u64,
    counters_inclusive: Option<Vec<Option<u64>>>,
    #[serde(flatten)]
    figures: FiguresJson,
}

#[derive(Serialize)]
struct FiguresJson {
    executions: u64,
    work: u64,
    lost: [u64; 4],
    iterations: u64,
    tasks: u64,
    no_processor: u64,
    no_processor_fork: u64,
    held_up: u64,
    spared: u64,
    counters: Option<Vec<Option<u64>>>,
}

impl FiguresJson {
    fn of(result: &Phases, figures: &Figures) -> Self {
        Self {
            executions: figures.executions,
            work: figures.time[State::Work as usize],
            lost: Class::ALL.map(|class| figures.lost(class)),
            iterations: figures.iterations,
            tasks: figures.tasks,
            no_processor: figures.no_processor,
            no_processor_fork: figures.no_processor_fork,
            held_up: figures.held_up,
            spared: figures.spared,
            counters: region_counters(result, &figures.counters),
        }
    }
}

#[derive(Serialize)]
struct Layer<'a> {
    region: String,
    edges: Vec<EdgeJson<'a>>,
}

#[derive(Serialize)]
struct EdgeJson<'a> {
    from: Option<String>,
    to: Option<String>,
    label: String,
    shares: &'a [Share],
}

#[derive(Serialize)]
struct LoopJson {
    region: String,
    header: String,
    body: Vec<String>,
    iterations: u64,
    entries: u64,
    partial: bool,
    sequence: Option<usize>,
    irregular: bool,
    depth: u32,
    phases: u64,
    confirmed: bool,
    covered: f64,
    regularity: f64,
    score: f64,
    chosen: bool,
    verdict: &'static str,
}

#[derive(Serialize)]
struct ChoiceJson {
    how: &'static str,
    node: Option<String>,
    after: Vec<String>,
    text: String,
}

#[derive(Serialize)]
struct PathJson<'a> {
    regions: Vec<String>,
    phases: &'a [u32],
}

#[derive(Serialize)]
struct PartJson {
    phase: Option<u32>,
    begin: u64,
    end: u64,
    tail: bool,
    iterations: u64,
    intervals: Option<u64>,
    #[serde(flatten)]
    summary: Summary,
    counted: u64,
    without: Option<Summary>,
    threads: Vec<PartThread>,
    regions: Vec<CellJson>,
}

#[derive(Serialize)]
struct PartThread {
    thread: u32,
    work: u64,
    lost: [u64; 4],
    idle: u64,
    no_processor: u64,
    counters: Vec<Option<u64>>,
}

#[derive(Serialize)]
struct CellJson {
    id: String,
    thread: u32,
    #[serde(flatten)]
    figures: FiguresJson,
}

#[derive(Serialize)]
struct OutlierJson {
    phase: u32,
    wall: u64,
    usual: u64,
    compared: usize,
    score: Option<f64>,
    text: String,
    causes: Vec<CauseJson>,
    extra: Vec<String>,
    missing: Vec<String>,
}

#[derive(Serialize)]
struct CauseJson {
    thread: u32,
    id: String,
    what: &'static str,
    here: u64,
    usual: u64,
}

/// `at_most` and `estimate` are times by which the run would be shorter.
#[derive(Serialize)]
struct LossJson<'a> {
    kind: &'static str,
    id: String,
    file: Option<&'a str>,
    line: Option<u32>,
    lost: u64,
    share: f64,
    at_most: u64,
    estimate: Option<u64>,
    limit: Option<f64>,
    text: String,
}

#[derive(Serialize)]
struct ThinnedJson {
    id: String,
    stride: u64,
    visits: u64,
}

/// Everything as JSON.
pub fn phases_json(result: &Phases) -> String {
    let chosen = match result.choice.as_ref().map(|c| c.how) {
        Some(How::Loop(index)) => Some(index),
        _ => None,
    };
    let loops = result.candidates.iter().enumerate();
    let inside = inside::of_run(&result.tree);
    json::document(
        "parascan-phases",
        &Document {
            run: &result.run,
            threads: result.threads,
            counters: &result.counters,
            region_counters: counters_in_regions(result)
                .map(|at| result.counters[at].as_str())
                .collect(),
            total: result.total,
            busy: &result.busy,
            regions: (0..result.tree.nodes.len())
                .map(|node| region(result, node, &inside[node]))
                .collect(),
            control_flow: layers(result),
            loops: loops
                .map(|(index, one)| a_loop(one, chosen == Some(index)))
                .collect(),
            choice: choice(result),
            doubt: words::doubt(result),
            interval: result.intervals,
            inside: result.inside,
            paths: result
                .paths
                .iter()
                .map(|path| PathJson {
                    regions: ids(&path.nodes),
                    phases: &path.phases,
                })
                .collect(),
            parts: result.pieces.iter().map(|p| part(result, p)).collect(),
            outliers: result
                .outliers
                .iter()
                .map(|one| outlier(result, one))
                .collect(),
            losses: result.losses.iter().map(|one| loss(result, one)).collect(),
            thinned: result
                .thinned
                .iter()
                .map(
                    |&Thinned {
                         node,
                         stride,
                         visits,
                     }| ThinnedJson {
                        id: naming::id(result.tree.joined[node as usize]),
                        stride,
                        visits,
                    },
                )
                .collect(),
            blind_spots: &result.blind,
        },
    )
}

fn ids(nodes: &[usize]) -> Vec<String> {
    nodes.iter().map(|&node| naming::id(node)).collect()
}

/// The counters that were read at regions.
fn counters_in_regions(result: &Phases) -> impl Iterator<Item = usize> {
    (0..result.counters.len()).filter(|&at| result.counts_in_regions(at))
}

/// What counters counted in a region; None where none was read there.
fn region_counters(result: &Phases, counted: &[u64]) -> Option<Vec<Option<u64>>> {
    let of = |at: usize| {
        result
            .counts_in_regions(at)
            .then(|| counted.get(at).copied())
    };
    let all = (0..result.counters.len()).map(|at| of(at).flatten());
    (result.region_counters != 0).then(|| all.collect())
}

fn region<'a>(result: &'a Phases, number: usize, inside: &BTreeMap<u32, Inside>) -> Region<'a> {
    let node = &result.tree.nodes[number];
    let place = place(result, number);
    let threads = node.threads.iter().map(|(thread, figures)| {
        let none = Inside::default();
        let inside = inside.get(thread).unwrap_or(&none);
        OfThread {
            thread: *thread,
            inclusive: inside.time,
            counters_inclusive: region_counters(result, &inside.counters),
            figures: FiguresJson::of(result, figures),
        }
    });
    let sum = inside::together(inside.values());
    Region {
        inclusive: node.inclusive,
        exclusive: node.total().exclusive(),
        counters_inclusive: region_counters(result, &sum.counters),
        threads: threads.collect(),
        ..place
    }
}

fn place(result: &Phases, number: usize) -> Region<'_> {
    let node = &result.tree.nodes[number];
    let (mut file, mut line, mut inlined_into) = (None, None, &[][..]);
    let (mut module_of, mut offset_of) = (None, None);
    match &node.place.location {
        Location::Unknown => {}
        Location::Source {
            frame,
            inlined_into: outer,
        } => {
            file = Some(frame.file.as_str());
            line = Some(frame.line).filter(|&l| l > 0);
            inlined_into = outer;
        }
        Location::Binary { module, offset, .. } => {
            module_of = Some(module.as_str());
            offset_of = Some(*offset);
        }
    }
    Region {
        id: naming::id(number),
        parent: node.parent.map(naming::id),
        kind: node.place.construct,
        name: &node.place.name,
        function: naming::function(&node.place),
        file,
        line,
        inlined_into,
        module: module_of,
        offset: offset_of,
        inclusive: 0,
        exclusive: 0,
        counters_inclusive: None,
        threads: Vec::new(),
    }
}

fn layers(result: &Phases) -> Vec<Layer<'_>> {
    let end = |point: Point| match point {
        Point::Child(node) => Some(naming::id(node)),
        Point::Entry | Point::Exit => None,
    };
    result
        .tree
        .layers
        .iter()
        .map(|layer| Layer {
            region: naming::id(layer.node),
            edges: layer
                .edges
                .iter()
                .map(|edge| EdgeJson {
                    from: end(edge.from),
                    to: end(edge.to),
                    label: words::shares(&edge.shares, usize::MAX),
                    shares: &edge.shares,
                })
                .collect(),
        })
        .collect()
}

fn a_loop(one: &Candidate, chosen: bool) -> LoopJson {
    LoopJson {
        region: naming::id(one.layer),
        header: naming::id(one.found.header),
        body: ids(&one.found.body),
        iterations: one.found.trips(),
        entries: one.found.entries,
        partial: one.found.partial,
        sequence: match &one.rule.start {
            Start::Period { length, .. } => Some(*length),
            _ => None,
        },
        irregular: one.found.irregular,
        depth: one.found.depth,
        phases: one.phases,
        confirmed: one.confirmed,
        covered: one.covered,
        regularity: one.regularity,
        score: one.score,
        chosen,
        verdict: words::verdict(one),
    }
}

fn choice(result: &Phases) -> Option<ChoiceJson> {
    let choice = result.choice.as_ref()?;
    Some(ChoiceJson {
        how: match choice.how {
            How::Named => "named",
            How::Marks => "marks",
            How::Loop(_) => "loop",
            How::Interval => "interval",
        },
        node: (choice.how != How::Interval).then(|| naming::id(choice.rule.start.node())),
        after: match &choice.rule.start {
            Start::Return { sources, .. } => ids(sources),
            Start::Entry(_) | Start::Mark(_) | Start::Period { .. } => Vec::new(),
        },
        text: words::choice(result),
    })
}

/// A thread's counters, or with None all threads'.
fn counters(result: &Phases, piece: &Piece, thread: Option<u32>) -> Vec<Option<u64>> {
    let one = |at| match thread {
        Some(thread) => piece.counts.of(thread, at),
        None => piece.counts.all(at),
    };
    (0..result.counters.len()).map(one).collect()
}

fn part(result: &Phases, piece: &Piece) -> PartJson {
    PartJson {
        phase: number(piece),
        begin: piece.time.start,
        end: piece.time.end,
        tail: piece.tail,
        iterations: piece.iterations,
        intervals: (piece.intervals > 0).then_some(piece.intervals),
        summary: piece.summary(result.threads),
        counted: piece.counts.time,
        without: piece.without,
        threads: (0..result.threads)
            .map(|thread| {
                let summary = piece.of_thread(thread);
                PartThread {
                    thread,
                    work: summary.work,
                    lost: summary.lost,
                    idle: summary.idle,
                    no_processor: piece.no_processor(thread),
                    counters: counters(result, piece, Some(thread)),
                }
            })
            .collect(),
        regions: piece
            .cells
            .iter()
            .map(|cell| CellJson {
                id: naming::id(cell.node),
                thread: cell.thread,
                figures: FiguresJson::of(result, &cell.figures),
            })
            .collect(),
    }
}

fn number(piece: &Piece) -> Option<u32> {
    match piece.kind {
        Kind::Phase(number) => Some(number),
        Kind::Outside => None,
    }
}

fn outlier(result: &Phases, one: &Outlier) -> OutlierJson {
    OutlierJson {
        phase: one.phase,
        wall: one.wall,
        usual: one.usual,
        compared: one.compared,
        score: one.score,
        text: words::outlier(result, one),
        causes: one
            .causes
            .iter()
            .map(|cause| CauseJson {
                thread: cause.thread,
                id: naming::id(cause.node),
                what: code(cause.activity),
                here: cause.here,
                usual: cause.usual,
            })
            .collect(),
        extra: ids(&one.extra),
        missing: ids(&one.missing),
    }
}

fn loss<'a>(result: &'a Phases, one: &Loss) -> LossJson<'a> {
    let region = place(result, one.node);
    LossJson {
        kind: conclusions::code(&one.cause),
        id: region.id,
        file: region.file,
        line: region.line,
        lost: one.lost,
        share: one.share,
        at_most: one.at_most,
        estimate: conclusions::estimate(&one.cause),
        limit: match &one.cause {
            Cause::Serial(serial) => Some(serial.limit),
            _ => None,
        },
        text: conclusions::loss(result, one),
    }
}

fn code(activity: Activity) -> &'static str {
    match activity {
        Activity::Work => "work",
        Activity::Lost(Class::Synchronization) => "synchronization",
        Activity::Lost(Class::LimitedParallelism) => "limited_parallelism",
        Activity::Lost(Class::ThreadManagement) => "thread_management",
        Activity::Lost(Class::Imbalance) => "imbalance",
    }
}

const COLUMNS: [&str; 15] = [
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
];

/// A row for every part of the run with all threads together, and one for every thread in it. The columns of counters
/// carry the counters' names, and are empty where the count is not known.
pub fn phases_csv(result: &Phases) -> String {
    let names: Vec<String> = result
        .counters
        .iter()
        .map(|c| crate::shared::style::safe(c))
        .collect();
    let header = COLUMNS.into_iter().chain(names.iter().map(String::as_str));
    let rows = result.pieces.iter().flat_map(|piece| {
        let of = |thread| counters(result, piece, thread);
        let all = row(piece, None, &piece.summary(result.threads), &of(None));
        let each = (0..result.threads)
            .map(move |t| row(piece, Some(t), &piece.of_thread(t), &of(Some(t))));
        std::iter::once(all).chain(each)
    });
    document(header, rows)
}

fn row(
    piece: &Piece,
    thread: Option<u32>,
    summary: &Summary,
    counters: &[Option<u64>],
) -> Vec<String> {
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
    ]);
    let shown = |value: &Option<u64>| value.map_or_else(String::new, |v| v.to_string());
    row.extend(counters.iter().map(shown));
    row
}
