//! Runs of OpenMP programs made by hand: their regions, shapes that several tests have, and what holds for all phases.

use std::collections::BTreeMap;

use parascan_analysis::Error;
use parascan_analysis::phases::ranks::{Ranks, ranks};
use parascan_analysis::phases::{PhaseOptions, Phases, naming};
use parascan_formats::omp::synthetic::RunBuilder;
use parascan_formats::omp::{
    Boundary, Construct, FiguresPart, NodeFigures, Recording, State, ThinnedNode,
};

/// A parallel region in which every thread works `each` and then waits for the longest.
pub fn region(run: &mut RunBuilder, name: &str, each: &[u64]) {
    run.enter(0, Construct::Parallel, name);
    for thread in 1..each.len() {
        run.adopt(thread, 0);
    }
    let longest = each.iter().copied().max().unwrap();
    for (thread, &time) in each.iter().enumerate() {
        run.iterations(thread, time);
        run.spend(thread, State::Work, time);
        run.spend(thread, State::ImplicitBarrier, longest - time);
    }
    for thread in 1..each.len() {
        run.release(thread);
    }
    run.leave(0);
}

/// Fact P4: the parts are without gaps and their figures add up to the threads' totals.
pub fn adds_up(recording: &Recording, result: &Phases) {
    let mut end = 0;
    let mut sums: BTreeMap<(u32, usize), NodeFigures> = BTreeMap::new();
    for piece in &result.pieces {
        assert_eq!(piece.time.start, end);
        end = piece.time.end;
        for cell in &piece.cells {
            sums.entry((cell.thread, cell.node))
                .or_default()
                .add(&cell.figures);
        }
    }
    assert_eq!(end, recording.run.duration);
    let mut totals: BTreeMap<(u32, usize), NodeFigures> = BTreeMap::new();
    for (thread, number) in recording.threads.iter().zip(0..) {
        for record in &thread.records {
            let node = result.tree.joined[record.node as usize];
            totals
                .entry((number, node))
                .or_default()
                .add(&record.figures);
        }
    }
    assert_eq!(sums, totals);
    let of_nodes = result
        .tree
        .nodes
        .iter()
        .enumerate()
        .flat_map(|(number, node)| {
            node.threads
                .iter()
                .map(move |(thread, figures)| ((*thread, number), figures.clone()))
        });
    assert_eq!(of_nodes.collect::<BTreeMap<_, _>>(), totals);
}

/// Node under the program by its function's name.
pub fn node(result: &Phases, name: &str) -> usize {
    let nodes = &result.tree.nodes;
    (0..nodes.len())
        .find(|&n| naming::function(&nodes[n].place) == name)
        .unwrap()
}

/// Leaves out snapshots: at a node, all but each `stride`-th.
pub fn thin(recording: &mut Recording, name: &str, stride: u64) {
    let is =
        |n: usize| naming::function(&recording.places[recording.nodes[n].place as usize]) == name;
    let node = (0..recording.nodes.len()).find(|&n| is(n)).unwrap() as u32;
    let mut kept = Vec::new();
    let mut carried: BTreeMap<(u32, u32), NodeFigures> = BTreeMap::new();
    let mut visits = 0;
    for mut snapshot in std::mem::take(&mut recording.snapshots) {
        for part in snapshot.parts.drain(..) {
            carried
                .entry((part.thread, part.node))
                .or_default()
                .add(&part.figures);
        }
        let visit = match snapshot.boundary {
            Boundary::Enter { node: of, visit } if of == node => Some(visit),
            _ => None,
        };
        let ours = visit.is_some();
        let gone = visit.is_some_and(|visit| (visit - 1) % stride != 0);
        visits += u64::from(ours);
        if !gone {
            let parts = std::mem::take(&mut carried).into_iter();
            snapshot
                .parts
                .extend(parts.map(|((thread, node), figures)| FiguresPart {
                    thread,
                    node,
                    figures,
                }));
            kept.push(snapshot);
        }
    }
    recording.snapshots = kept;
    recording.thinned.push(ThinnedNode {
        node,
        stride,
        visits,
    });
    recording.thinned.sort_by_key(|t| t.node);
}

/// The V-cycle's regions have the same places on all levels.
pub fn v_cycle(run: &mut RunBuilder, size: u64) {
    (0..2).for_each(|_| region(run, "smooth", &[size, size]));
    if size > 4 {
        region(run, "restrict", &[size, size]);
        v_cycle(run, size / 2);
        region(run, "prolong", &[size / 2, size / 2]);
    }
    (0..2).for_each(|_| region(run, "smooth", &[size, size]));
}

/// V-cycles between an input and an output, nothing in them that runs once in each.
pub fn multigrid(cycles: u64, size: u64) -> Recording {
    let mut run = RunBuilder::new(2);
    region(&mut run, "input", &[10, 10]);
    (0..cycles).for_each(|_| v_cycle(&mut run, size));
    region(&mut run, "output", &[10, 10]);
    run.finish()
}

pub fn side_by_side(recordings: Vec<Recording>) -> Result<Ranks, Error> {
    let named = (0..).zip(recordings);
    let named: Vec<(String, Recording)> = named.map(|(n, r)| (format!("{n}.omp"), r)).collect();
    ranks(&named, &PhaseOptions::default())
}
