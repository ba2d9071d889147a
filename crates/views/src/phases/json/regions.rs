//! Regions: where they are, and what each thread did there.

use std::collections::BTreeMap;

use parascan_analysis::phases::inside::{self, InclusiveFigures};
use parascan_analysis::phases::{Phases, naming};
use parascan_formats::omp::{CodePosition, Construct, Location, NodeFigures, OverheadClass, State};
use serde::Serialize;

#[derive(Debug, Serialize)]
pub(super) struct NodeJson<'a> {
    pub(super) id: String,
    parent: Option<String>,
    kind: Construct,
    name: &'a str,
    function: &'a str,
    pub(super) file: Option<&'a str>,
    pub(super) line: Option<u32>,
    inlined_into: &'a [CodePosition],
    module: Option<&'a str>,
    offset: Option<u64>,
    inclusive: u64,
    exclusive: u64,
    counters_inclusive: Option<Vec<Option<u64>>>,
    threads: Vec<ThreadAtRegionJson>,
}

/// A thread's figures at a region; times without those of regions inside.
#[derive(Debug, Serialize)]
struct ThreadAtRegionJson {
    thread: u32,
    inclusive: u64,
    counters_inclusive: Option<Vec<Option<u64>>>,
    #[serde(flatten)]
    figures: FiguresJson,
}

/// What a thread did at a region.
#[derive(Debug, Serialize)]
pub(super) struct FiguresJson {
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
    pub(super) fn of(result: &Phases, figures: &NodeFigures) -> Self {
        Self {
            executions: figures.executions,
            work: figures.time[State::Work as usize],
            lost: OverheadClass::ALL.map(|class| figures.lost(class)),
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

/// The names of counters that were read at regions.
pub(super) fn counters_in_regions(result: &Phases) -> Vec<&str> {
    let counters = result.counters.iter().enumerate();
    let read = counters.filter(|(at, _)| result.counts_in_regions(*at));
    read.map(|(_, name)| name.as_str()).collect()
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

/// A region; `inside` is what threads did there with everything inside.
pub(super) fn region<'a>(
    result: &'a Phases,
    number: usize,
    inside: &BTreeMap<u32, InclusiveFigures>,
) -> NodeJson<'a> {
    let node = &result.tree.nodes[number];
    let place = place(result, number);
    let threads = node.threads.iter().map(|(thread, figures)| {
        let none = InclusiveFigures::default();
        let inside = inside.get(thread).unwrap_or(&none);
        ThreadAtRegionJson {
            thread: *thread,
            inclusive: inside.time,
            counters_inclusive: region_counters(result, &inside.counters),
            figures: FiguresJson::of(result, figures),
        }
    });
    let sum = inside::together(inside.values());
    NodeJson {
        inclusive: node.inclusive,
        exclusive: node.total().exclusive(),
        counters_inclusive: region_counters(result, &sum.counters),
        threads: threads.collect(),
        ..place
    }
}

/// Where a region is, without figures.
pub(super) fn place(result: &Phases, number: usize) -> NodeJson<'_> {
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
    NodeJson {
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
