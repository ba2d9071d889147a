//! The parallelism-type scan as JSON and CSV, as documented in `docs/json.md`.

use parascan_analysis::types::{
    DecidingRule, Decision, Label, LabelWork, Pipeline, RegionTypes, StageFlow, TypeOptions,
    TypedRegion,
};
use parascan_formats::profile::BlindSpot;
use serde::Serialize;

use crate::shared::csv::{PLACE_COLUMNS, document, place_cells};
use crate::shared::figures::letter;
use crate::shared::json::{self, PlaceJson, Totals};
use crate::shared::style::safe;

#[derive(Serialize)]
struct TypesJson<'a> {
    #[serde(flatten)]
    totals: Totals<'a>,
    parameters: &'a TypeOptions,
    regions: Vec<TypedJson<'a>>,
    blind_spots: &'a [BlindSpot],
}

#[derive(Serialize)]
struct TypedJson<'a> {
    #[serde(flatten)]
    place: PlaceJson<'a>,
    #[serde(rename = "type")]
    label: Option<Label>,
    explanation: &'a str,
    votes: &'a [LabelWork],
    decision: Option<Decision>,
    pipeline: Option<PipelineJson<'a>>,
}

#[derive(Serialize)]
struct PipelineJson<'a> {
    stages: Vec<&'a str>,
    share: f64,
    equal_iterations: bool,
    cp_no_tlp: u64,
    cp_perfect: u64,
    cp_actual: u64,
    fitness: f64,
    observed: Vec<StageFlowJson<'a>>,
}

#[derive(Serialize)]
struct StageFlowJson<'a> {
    from: &'a str,
    to: &'a str,
    name: &'a str,
    written_line: u32,
    read_line: u32,
}

impl<'a> From<&'a StageFlow> for StageFlowJson<'a> {
    fn from(flow: &'a StageFlow) -> Self {
        Self {
            from: &flow.from,
            to: &flow.to,
            name: &flow.name,
            written_line: flow.written,
            read_line: flow.read,
        }
    }
}

impl<'a> From<&'a Pipeline> for PipelineJson<'a> {
    fn from(pipeline: &'a Pipeline) -> Self {
        Self {
            stages: pipeline.stages.iter().map(|id| &**id).collect(),
            share: pipeline.share,
            equal_iterations: pipeline.equal_iterations,
            cp_no_tlp: pipeline.cp_no_tlp,
            cp_perfect: pipeline.cp_perfect,
            cp_actual: pipeline.cp_actual,
            fitness: pipeline.fitness(),
            observed: pipeline.observed.iter().map(StageFlowJson::from).collect(),
        }
    }
}

/// The scan as JSON.
pub fn types_json(types: &RegionTypes) -> String {
    json::document(
        "parascan-types",
        &TypesJson {
            totals: Totals::new(
                &types.program,
                &types.inputs,
                types.work,
                types.critical_path,
            ),
            parameters: &types.options,
            regions: types
                .rows
                .iter()
                .map(|row| TypedJson {
                    place: PlaceJson::from(&row.region),
                    label: row.label,
                    explanation: &row.explanation,
                    votes: &row.votes,
                    decision: row.decision,
                    pipeline: row.pipeline.as_ref().map(PipelineJson::from),
                })
                .collect(),
            blind_spots: &types.blind_spots,
        },
    )
}

/// Behind those that say which region it is.
const FURTHER_COLUMNS: [&str; 13] = [
    "type",
    "agreement",
    "rule",
    "children",
    "parallelism",
    "child_parallelism",
    "cp_no_tlp",
    "cp_perfect",
    "cp_actual",
    "fitness",
    "pipeline",
    "explanation",
    "letter",
];

/// The scan as CSV.
pub fn types_csv(types: &RegionTypes) -> String {
    let columns = PLACE_COLUMNS.into_iter().chain(FURTHER_COLUMNS);
    document(columns, types.rows.iter().map(cells))
}

fn cells(row: &TypedRegion) -> Vec<String> {
    let mut cells = place_cells(&row.region).to_vec();
    let decision = row.decision;
    let number = |value: Option<f64>| value.map_or_else(String::new, |v| v.to_string());
    let whole = |of: fn(&Decision) -> u64| {
        decision.map_or_else(String::new, |decision| of(&decision).to_string())
    };
    let stages = row.pipeline.as_ref().map(|p| p.stages.join(" "));
    cells.extend([
        row.label.map_or_else(String::new, |l| l.name().to_owned()),
        number(row.votes.first().map(|vote| vote.share)),
        decision.map_or_else(String::new, |d| rule(d.rule).to_owned()),
        whole(|d| d.children),
        number(decision.map(|d| d.parallelism)),
        number(decision.and_then(|d| d.child_parallelism)),
        whole(|d| d.cp_no_tlp),
        whole(|d| d.cp_perfect),
        whole(|d| d.cp_actual),
        number(decision.and_then(|d| d.fitness)),
        safe(&stages.unwrap_or_default()),
        safe(&row.explanation),
        letter(&row.region),
    ]);
    cells
}

fn rule(rule: DecidingRule) -> &'static str {
    match rule {
        DecidingRule::NoChildren => "no_children",
        DecidingRule::OneChild => "one_child",
        DecidingRule::Homogeneous => "homogeneous",
        DecidingRule::Fitness => "fitness",
    }
}
