//! Control flow, loops, phases and outliers as JSON, as documented in `docs/json.md`: a file for each part of the
//! document.

mod findings;
mod flow;
mod parts;
mod regions;

use parascan_analysis::phases::busy::MachineLoad;
use parascan_analysis::phases::figures::TimeSummary;
use parascan_analysis::phases::intervals::Intervals;
use parascan_analysis::phases::{Phases, inside};
use parascan_formats::omp::{RecordingGap, Run};
use serde::Serialize;

use super::words;
use crate::shared::json;
use findings::{LossJson, OutlierJson, ThinnedJson};
use flow::{ChoiceJson, LayerJson, LoopJson, PathJson};
use parts::PartJson;
use regions::NodeJson;

#[derive(Serialize)]
struct PhasesJson<'a> {
    run: &'a Run,
    threads: u32,
    counters: &'a [String],
    region_counters: Vec<&'a str>,
    total: TimeSummary,
    busy: &'a MachineLoad,
    regions: Vec<NodeJson<'a>>,
    control_flow: Vec<LayerJson<'a>>,
    loops: Vec<LoopJson>,
    choice: Option<ChoiceJson>,
    doubt: Option<String>,
    interval: Option<Intervals>,
    inside: TimeSummary,
    paths: Vec<PathJson<'a>>,
    parts: Vec<PartJson>,
    outliers: Vec<OutlierJson>,
    losses: Vec<LossJson<'a>>,
    thinned: Vec<ThinnedJson>,
    blind_spots: &'a [RecordingGap],
}

/// All that is known of a run's phases as JSON.
pub fn phases_json(result: &Phases) -> String {
    let inside = inside::of_run(&result.tree);
    json::document(
        "parascan-phases",
        &PhasesJson {
            run: &result.run,
            threads: result.threads,
            counters: &result.counters,
            region_counters: regions::counters_in_regions(result),
            total: result.total,
            busy: &result.busy,
            regions: (0..result.tree.nodes.len())
                .map(|node| regions::region(result, node, &inside[node]))
                .collect(),
            control_flow: flow::layers(result),
            loops: flow::loops(result),
            choice: flow::choice(result),
            doubt: words::doubt(result),
            interval: result.intervals,
            inside: result.inside,
            paths: flow::paths(result),
            parts: result
                .pieces
                .iter()
                .map(|piece| parts::part(result, piece))
                .collect(),
            outliers: findings::outliers(result),
            losses: findings::losses(result),
            thinned: findings::thinned(result),
            blind_spots: &result.blind,
        },
    )
}
