//! Control flow, its loops and paths, and which of them phases were made of.

use parascan_analysis::phases::candidates::CandidateLoop;
use parascan_analysis::phases::cut::Start;
use parascan_analysis::phases::flow::Point;
use parascan_analysis::phases::label::Share;
use parascan_analysis::phases::{PhaseMethod, Phases, naming};
use serde::Serialize;

use crate::phases::words;

#[derive(Debug, Serialize)]
pub(super) struct LayerJson<'a> {
    region: String,
    edges: Vec<EdgeJson<'a>>,
}

#[derive(Debug, Serialize)]
struct EdgeJson<'a> {
    from: Option<String>,
    to: Option<String>,
    label: String,
    shares: &'a [Share],
}

#[derive(Debug, Serialize)]
pub(super) struct LoopJson {
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

#[derive(Debug, Serialize)]
pub(super) struct ChoiceJson {
    how: &'static str,
    node: Option<String>,
    after: Vec<String>,
    text: String,
}

#[derive(Debug, Serialize)]
pub(super) struct PathJson<'a> {
    regions: Vec<String>,
    phases: &'a [u32],
}

pub(super) fn layers(result: &Phases) -> Vec<LayerJson<'_>> {
    let end = |point: Point| match point {
        Point::Child(node) => Some(naming::id(node)),
        Point::Entry | Point::Exit => None,
    };
    result
        .tree
        .layers
        .iter()
        .map(|layer| LayerJson {
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

/// Loops, that of the phases marked.
pub(super) fn loops(result: &Phases) -> Vec<LoopJson> {
    let chosen = match result.choice.as_ref().map(|c| c.how) {
        Some(PhaseMethod::Loop(index)) => Some(index),
        _ => None,
    };
    let all = result.candidates.iter().enumerate();
    all.map(|(index, one)| a_loop(one, chosen == Some(index)))
        .collect()
}

fn a_loop(one: &CandidateLoop, chosen: bool) -> LoopJson {
    LoopJson {
        region: naming::id(one.layer),
        header: naming::id(one.found.header),
        body: words::ids(&one.found.body),
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

pub(super) fn choice(result: &Phases) -> Option<ChoiceJson> {
    let choice = result.choice.as_ref()?;
    Some(ChoiceJson {
        how: match choice.how {
            PhaseMethod::Named => "named",
            PhaseMethod::Marks => "marks",
            PhaseMethod::Loop(_) => "loop",
            PhaseMethod::Interval => "interval",
        },
        node: (choice.how != PhaseMethod::Interval).then(|| naming::id(choice.rule.start.node())),
        after: match &choice.rule.start {
            Start::Return { sources, .. } => words::ids(sources),
            Start::Entry(_) | Start::Mark(_) | Start::Period { .. } => Vec::new(),
        },
        text: words::choice(result),
    })
}

/// Which regions phases enter, and which phases do so.
pub(super) fn paths(result: &Phases) -> Vec<PathJson<'_>> {
    let paths = result.paths.iter();
    paths
        .map(|path| PathJson {
            regions: words::ids(&path.nodes),
            phases: &path.phases,
        })
        .collect()
}
