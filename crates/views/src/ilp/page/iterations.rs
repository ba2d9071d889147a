//! Drawings of single iterations of loops, which the page keeps beside the graph that has them put together.

use minijinja::value::Value;
use serde::Serialize;

use crate::ilp::{Stretch, StretchLoop, graph};
use crate::shared::html::markup;

/// Most bytes of all such drawings of a page.
pub(super) const ROOM: usize = 6 << 20;
/// Bytes of the element around a drawing.
const AROUND: usize = 90;

/// An iteration of a loop, drawn. The page shows nothing of it by itself.
#[derive(Debug, Serialize)]
pub(super) struct IterationDrawing {
    /// The loop's number in the stretch.
    number: usize,
    entry: u64,
    iteration: u64,
    /// It is on a critical path.
    critical: bool,
    svg: Value,
}

/// The drawings of each stretch: those that are wanted most of all loops of all stretches first, as far as there is
/// room.
pub(super) fn drawn(stretches: &[Stretch], room: usize) -> Vec<Vec<IterationDrawing>> {
    let loops = stretches.iter().enumerate().flat_map(|(at, stretch)| {
        let loops = stretch.loops.iter().enumerate();
        loops.map(move |(number, own)| (at, stretch, own, number))
    });
    let loops: Vec<(usize, &Stretch, &StretchLoop, usize)> = loops.collect();
    let rounds = loops.iter().map(|(_, _, own, _)| own.found.opened.len());
    let rounds = 0..rounds.max().unwrap_or(0);
    let wanted = rounds.flat_map(|round| {
        let of_round = loops.iter();
        of_round.filter_map(move |&(at, stretch, own, number)| {
            Some((at, stretch, own.found.opened.get(round)?, number))
        })
    });
    let mut out: Vec<Vec<IterationDrawing>> = stretches.iter().map(|_| Vec::new()).collect();
    let mut left = room;
    for (at, stretch, it, number) in wanted {
        let svg = graph::figure(stretch, &it.graph, true).inline();
        let Some(rest) = left.checked_sub(svg.len() + AROUND) else {
            break;
        };
        left = rest;
        out[at].push(IterationDrawing {
            number,
            entry: it.entry,
            iteration: it.iteration,
            critical: it.graph.nodes.iter().any(|n| n.opened && n.critical),
            svg: markup(svg),
        });
    }
    out
}
