//! How the phases came about, what speaks against them, and which paths they take, in sentences.

use parascan_analysis::phases::candidates::{CandidateLoop, UnfitReason};
use parascan_analysis::phases::cut::Start;
use parascan_analysis::phases::figures::RunPart;
use parascan_analysis::phases::intervals::Intervals;
use parascan_analysis::phases::{PhaseMethod, Phases, naming};
use parascan_formats::omp::Construct;

use super::names::{ids, node};
use super::numbers::time;
use crate::shared::style::{count, grouped};

/// How the run was cut by time, in sentences.
fn sliced(result: &Phases, intervals: &Intervals) -> String {
    let number = result.phases().count() as u64;
    let mut text = format!(
        "{} of {} (as you chose), each cut at the closest snapshot at which it is known what all threads had done.",
        count(number, "slice", "slices"),
        time(intervals.length)
    );
    if intervals.joined > 0 {
        text += &format!(
            " {} of {} intervals have no such snapshot at their ends: slices that hold several have one sum, and how it is divided among them is not known.",
            grouped(intervals.joined),
            grouped(intervals.number)
        );
    }
    text
}

/// How the phases came about, in one sentence.
pub(crate) fn choice(result: &Phases) -> String {
    let Some(choice) = &result.choice else {
        return nothing(result);
    };
    if let Some(intervals) = &result.intervals {
        return sliced(result, intervals);
    }
    let number = result.phases().count() as u64;
    let phases = count(number, "phase", "phases");
    let start = choice.rule.start.node();
    let begins = match &choice.rule.start {
        Start::Entry(_) => format!("one at each entry of {}", node(result, start)),
        Start::Mark(_) => format!("marked in the program: {}", node(result, start)),
        Start::Period { length, .. } => format!(
            "one each time that a sequence of {} with snapshots begins anew, with {}",
            count(*length as u64, "entry", "entries"),
            node(result, start)
        ),
        Start::Return { sources, .. } => {
            format!(
                "one at each entry of {} that follows {} or begins the loop",
                node(result, start),
                ids(sources).join(" or ")
            )
        }
    };
    let how = match choice.how {
        PhaseMethod::Named => " (as you chose)".to_owned(),
        PhaseMethod::Marks | PhaseMethod::Interval => String::new(),
        PhaseMethod::Loop(index) => {
            let chosen = &result.candidates[index];
            let trips = count(chosen.found.trips(), "iteration", "iterations");
            match chosen.rule.start {
                Start::Period { iterations: 1, .. } => {
                    format!(" (loop of {trips}, found in the order of regions)")
                }
                Start::Period { .. } => " (a loop found in the order of regions)".to_owned(),
                _ => format!(" (loop of {trips}, found in the control flow)"),
            }
        }
    };
    let several = result
        .phases()
        .map(|(_, p)| p.iterations)
        .max()
        .unwrap_or(1);
    let thinned = if several > 1 {
        format!(
            "; there were too many for one snapshot each, so a phase holds up to {several} iterations"
        )
    } else if let Start::Period {
        iterations: most @ 2..,
        ..
    } = choice.rule.start
    {
        format!(
            "; there were too many entries for one snapshot each, so a phase holds up to {most} iterations, always as many"
        )
    } else if let (PhaseMethod::Loop(index), Start::Return { .. }) =
        (&choice.how, &choice.rule.start)
        && !result.candidates[*index].confirmed
    {
        let trips = result.candidates[*index].found.trips();
        format!(
            "; there were too many for one snapshot each, so a phase holds {:.1} iterations on average, not always whole ones",
            trips as f64 / number.max(1) as f64
        )
    } else {
        String::new()
    };
    format!("{phases}, {begins}{how}{thinned}.")
}

/// What speaks against the phases that were chosen, or for more than was found; and what to do.
pub(crate) fn doubt(result: &Phases) -> Option<String> {
    let nodes = &result.tree.nodes;
    let has = |construct| nodes.iter().any(|n| n.place.construct == construct);
    let watch = if has(Construct::Function) {
        "Marks in the program say for certain where its steps begin (docs/omp.md, Marks)."
    } else {
        "Where the steps are calls of functions, a build with PARASCAN_WATCH=1 shows them (docs/omp.md, Functions); \
         marks say for certain where they begin."
    };
    let chosen = match result.choice.as_ref().map(|choice| choice.how) {
        // Without any region there is nothing whose steps could be found.
        None if nodes.len() > 1 => return Some(watch.to_owned()),
        Some(PhaseMethod::Loop(index)) if result.candidates[index].doubtful() => {
            &result.candidates[index]
        }
        _ => return None,
    };
    let better = result
        .candidates
        .iter()
        .find(|c| c.unfit.is_none() && !c.doubtful() && matches!(c.rule.start, Start::Entry(_)));
    let better = better.map_or(String::new(), |one| {
        let start = one.rule.start.node();
        format!(
            "A loop of {} at {} is more regular ({:.2}): --phase {} takes it. ",
            count(one.found.trips(), "iteration", "iterations"),
            node(result, start),
            one.regularity,
            naming::id(start)
        )
    });
    Some(format!(
        "These phases differ much (regularity {:.2}), and may be parts of the program's steps, such as the levels of a \
         multigrid cycle. {better}{watch}",
        chosen.regularity
    ))
}

fn nothing(result: &Phases) -> String {
    let best = result
        .candidates
        .iter()
        .max_by(|a, b| a.covered.total_cmp(&b.covered));
    let why = match best {
        None => "the control flow of the initial thread has no loop over regions".to_owned(),
        Some(best) => format!(
            "no loop qualifies; the closest, at {}: {}",
            node(result, best.found.header),
            verdict(best)
        ),
    };
    format!("No phases: {why}.")
}

/// Whether a loop can be phases.
pub(crate) fn verdict(candidate: &CandidateLoop) -> &'static str {
    match candidate.unfit {
        Some(UnfitReason::FewTrips) => "too few iterations",
        Some(UnfitReason::LittleTime) => "too little of the run",
        Some(UnfitReason::NoSnapshots) => "no snapshots there",
        None if candidate.confirmed => "confirmed",
        None => "in part",
    }
}

/// What paths the phases take, one sentence each; empty when all take one.
pub(crate) fn paths(result: &Phases) -> Vec<String> {
    const SHOWN: usize = 6;
    if result.paths.len() < 2 {
        return Vec::new();
    }
    let mut lines: Vec<String> = result
        .paths
        .iter()
        .take(SHOWN)
        .map(|path| {
            let nodes = if path.nodes.is_empty() {
                "no region".to_owned()
            } else {
                ids(&path.nodes).join(", ")
            };
            if let [one] = path.phases.as_slice() {
                format!("1 phase (number {one}) enters {nodes}.")
            } else {
                format!(
                    "{} phases enter {nodes}.",
                    grouped(path.phases.len() as u64)
                )
            }
        })
        .collect();
    if result.paths.len() > SHOWN {
        lines.push(format!(
            "There are {} more paths.",
            result.paths.len() - SHOWN
        ));
    }
    lines
}

/// A remark on the last phase, when it may hold more.
pub(crate) fn tail(pieces: &[RunPart]) -> Option<&'static str> {
    pieces.iter().any(|p| p.tail).then_some(
        "The last phase of a row reaches to what was entered next, or to the end of the recording: it may hold serial code that came after the loop.",
    )
}
