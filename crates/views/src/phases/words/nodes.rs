//! Figures of a node, and everything that there is to say about it.

use std::cmp::Reverse;

use parascan_analysis::phases::Phases;
use parascan_analysis::phases::label::{self, ranges};
use parascan_analysis::phases::outliers::Activity;
use parascan_formats::omp::{Construct, Location, NodeFigures};

use super::names::{activity, node, shares};
use super::numbers::time;
use crate::shared::style::safe;

/// Time of all threads in a node and everything inside.
pub(crate) fn figures(result: &Phases, node: usize) -> NodeFigures {
    result.tree.nodes[node].total()
}

/// How often threads entered a node: `0-3|76`.
pub(crate) fn executions(result: &Phases, node: usize) -> String {
    let threads = &result.tree.nodes[node].threads;
    let each = threads.iter().map(|(thread, f)| (*thread, f.executions));
    shares(&label::shares(each), 3)
}

/// Everything about a node that fits beside a pointer.
pub(crate) fn about(result: &Phases, number: usize) -> String {
    let node_of = &result.tree.nodes[number];
    let mut lines = vec![node(result, number)];
    match &node_of.place.location {
        Location::Source {
            frame,
            inlined_into,
        } => {
            lines.push(format!(
                "{}:{} in {}",
                safe(&frame.file),
                frame.line,
                safe(&frame.function)
            ));
            for outer in inlined_into {
                lines.push(format!(
                    "inlined into {} at {}:{}",
                    safe(&outer.function),
                    safe(&outer.file),
                    outer.line
                ));
            }
        }
        Location::Binary { module, offset, .. } => {
            lines.push(format!(
                "{} {offset:#x}, no debug information",
                safe(module)
            ));
        }
        Location::Unknown => {}
    }
    let threads: Vec<u32> = node_of.threads.iter().map(|t| t.0).collect();
    lines.push(format!(
        "threads {}, executions {}",
        ranges(&threads),
        executions(result, number)
    ));
    lines.push(format!(
        "{} of all threads with everything inside",
        time(node_of.inclusive)
    ));
    let own = figures(result, number);
    for activity_of in Activity::ALL {
        let spent = activity_of.time(&own);
        if spent > 0 {
            lines.push(format!("{}: {}", activity(activity_of), time(spent)));
        }
    }
    lines.join("\n")
}

/// Whether a node is worth a line of its own in tables: the program is not.
pub(crate) fn listed(result: &Phases) -> Vec<usize> {
    let nodes = &result.tree.nodes;
    let mut listed: Vec<usize> = (0..nodes.len())
        .filter(|&n| nodes[n].place.construct != Construct::Program)
        .collect();
    listed.sort_by_key(|&n| (Reverse(nodes[n].inclusive), n));
    listed
}
