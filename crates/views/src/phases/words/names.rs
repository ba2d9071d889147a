//! What runs, nodes, classes and phases are called.

use parascan_analysis::phases::figures::RunPart;
use parascan_analysis::phases::flow::Point;
use parascan_analysis::phases::label::Share;
use parascan_analysis::phases::outliers::Activity;
use parascan_analysis::phases::ranks::Ranks;
use parascan_analysis::phases::{Phases, naming};
use parascan_formats::omp::OverheadClass;

use crate::shared::style::safe;

/// `R7 parallel cg.c:77`.
pub(crate) fn node(result: &Phases, node: usize) -> String {
    format!("{} {}", naming::id(node), title(result, node))
}

/// `parallel cg.c:77`.
pub(crate) fn title(result: &Phases, node: usize) -> String {
    safe(&naming::title(&result.tree.nodes[node].place))
}

/// `R7`, of each.
pub(crate) fn ids(nodes: &[usize]) -> Vec<String> {
    nodes.iter().map(|&node| naming::id(node)).collect()
}

/// The program's name.
pub(crate) fn program(result: &Phases) -> String {
    match result.run.command.first() {
        Some(name) if !name.is_empty() => safe(name),
        _ => "(unknown program)".to_owned(),
    }
}

/// A class as a column is called.
pub(crate) fn class(class: OverheadClass) -> &'static str {
    match class {
        OverheadClass::Synchronization => "synchronization",
        OverheadClass::LimitedParallelism => "limited parallelism",
        OverheadClass::ThreadManagement => "thread management",
        OverheadClass::Imbalance => "imbalance",
    }
}

/// A class, or work, as a column is called.
pub(crate) fn activity(activity: Activity) -> &'static str {
    match activity {
        Activity::Work => "work",
        Activity::Lost(lost) => class(lost),
    }
}

/// `0-3|5 4|4`; at most `most` groups.
pub(crate) fn shares(shares: &[Share], most: usize) -> String {
    let mut shown: Vec<String> = shares.iter().take(most).map(ToString::to_string).collect();
    if shares.len() > most {
        shown.push("…".to_owned());
    }
    shown.join(" ")
}

/// A place in a layer's control flow.
pub(crate) fn point(point: Point) -> String {
    match point {
        Point::Entry => "begin".to_owned(),
        Point::Child(child) => naming::id(child),
        Point::Exit => "end".to_owned(),
    }
}

/// What the parts of the run are called that are numbered: one, and several.
pub(crate) fn unit(result: &Phases) -> (&'static str, &'static str) {
    match result.intervals {
        Some(_) => ("slice", "slices"),
        None => ("phase", "phases"),
    }
}

/// The numbers of phases side by side, or of the intervals that slices hold: `phase 3`, `slices 5 to 8`; without the
/// word, `5-8`.
pub(crate) fn numbers(result: &Phases, pieces: &[(u32, &RunPart)]) -> (String, String) {
    let (one, many) = unit(result);
    let (Some((first, _)), Some((last, piece))) = (pieces.first(), pieces.last()) else {
        return (String::new(), String::new());
    };
    let last = u64::from(*last) + piece.intervals.saturating_sub(1);
    if last == u64::from(*first) {
        return (format!("{one} {first}"), first.to_string());
    }
    let joined = if pieces.len() == 1 {
        " (not cut between)"
    } else {
        ""
    };
    (
        format!("{many} {first} to {last}{joined}"),
        format!("{first}-{last}"),
    )
}

/// Those of several ranks of which something is true, as `rank 3`, or `2 of 64 ranks (0, 7)`; None if it is of none.
pub(crate) fn ranks(ranks: &Ranks, is: impl Fn(&Phases) -> bool) -> Option<String> {
    const SHOWN: usize = 8;
    let each = ranks.each.iter().enumerate();
    let found: Vec<String> = each
        .filter(|(_, rank)| is(rank))
        .map(|(number, _)| number.to_string())
        .collect();
    match found.as_slice() {
        [] => None,
        [one] => Some(format!("rank {one}")),
        some => {
            let dots = if some.len() > SHOWN { ", ..." } else { "" };
            let shown = some[..some.len().min(SHOWN)].join(", ");
            Some(format!(
                "{} of {} ranks ({shown}{dots})",
                some.len(),
                ranks.each.len()
            ))
        }
    }
}
