//! Drawings of single iterations of loops, which the page keeps beside the graph that has them put together.

use parascan_ddg::stretch::OpenedIteration;

use crate::ilp::{Loop, Stretch, graph};

/// Most bytes of all such drawings of a page.
pub(super) const ROOM: usize = 6 << 20;

/// The drawings of each stretch, in elements that show nothing by themselves: those that are wanted most of all loops
/// of all stretches first, as far as there is room.
pub(super) fn drawn(stretches: &[Stretch], room: usize) -> Vec<String> {
    let mut out = vec![String::new(); stretches.len()];
    let loops = stretches.iter().zip(0..).flat_map(|(stretch, number)| {
        let loops = stretch.loops.iter().zip(0..);
        loops.map(move |(own, of)| (number, stretch, own, of))
    });
    let loops: Vec<(usize, &Stretch, &Loop, usize)> = loops.collect();
    let rounds = loops.iter().map(|(_, _, own, _)| own.found.opened.len());
    let rounds = 0..rounds.max().unwrap_or(0);
    let wanted = rounds.flat_map(|round| {
        let of_round = loops.iter();
        of_round.filter_map(move |(number, stretch, own, of)| {
            let it = own.found.opened.get(round)?;
            Some((*number, template(stretch, it, *of)))
        })
    });
    let mut left = room;
    for (number, template) in wanted {
        let Some(rest) = left.checked_sub(template.len()) else {
            break;
        };
        left = rest;
        out[number] += &template;
    }
    out
}

/// The drawing of an iteration of a loop.
fn template(stretch: &Stretch, it: &OpenedIteration, of: usize) -> String {
    let drawing = graph::figure(stretch, &it.graph, true).inline();
    let nodes = &mut it.graph.nodes.iter();
    let critical = if nodes.any(|node| node.opened && node.critical) {
        " data-critical"
    } else {
        ""
    };
    format!(
        "<template data-loop=\"{of}\" data-entry=\"{}\" data-iteration=\"{}\"{critical}>{drawing}</template>\n",
        it.entry, it.iteration
    )
}
