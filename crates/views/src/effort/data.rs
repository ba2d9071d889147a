//! The parallelization effort chart as JSON and CSV, as documented in `docs/json.md`.

use parascan_analysis::effort::{EffortChart, LineCountMethod, RegionLines, SkipReason};
use parascan_analysis::types::Label;
use parascan_formats::profile::BlindSpot;
use serde::Serialize;

use crate::shared::csv::{PLACE_COLUMNS, document, place_cells};
use crate::shared::figures::letter;
use crate::shared::json::{self, PlaceJson, Totals};

#[derive(Serialize)]
struct EffortJson<'a> {
    #[serde(flatten)]
    totals: Totals<'a>,
    serial_below: f64,
    min_speedup: f64,
    team: Option<u32>,
    done: Vec<&'a str>,
    done_speedup: f64,
    speedup: f64,
    steps: Vec<StepJson<'a>>,
    left: Vec<LeftJson<'a>>,
    blind_spots: &'a [BlindSpot],
}

#[derive(Serialize)]
struct StepJson<'a> {
    rank: Option<u32>,
    #[serde(flatten)]
    place: PlaceJson<'a>,
    #[serde(rename = "type")]
    label: Option<Label>,
    #[serde(flatten)]
    lines: LinesJson,
    lines_so_far: u64,
    time: u64,
    relative_speedup: f64,
    overall_speedup: f64,
}

#[derive(Serialize)]
struct LeftJson<'a> {
    #[serde(flatten)]
    place: PlaceJson<'a>,
    #[serde(rename = "type")]
    label: Option<Label>,
    #[serde(flatten)]
    lines: LinesJson,
    why: SkipReason,
}

#[derive(Serialize)]
struct LinesJson {
    lines: u32,
    lines_counted: LineCountMethod,
}

impl From<RegionLines> for LinesJson {
    fn from(lines: RegionLines) -> Self {
        Self {
            lines: lines.count,
            lines_counted: lines.how,
        }
    }
}

/// The chart as JSON.
pub fn effort_json(effort: &EffortChart) -> String {
    json::document(
        "parascan-effort",
        &EffortJson {
            totals: Totals::new(
                &effort.program,
                &effort.inputs,
                effort.work,
                effort.critical_path,
            ),
            serial_below: effort.options.serial_below,
            min_speedup: effort.options.min_speedup,
            team: effort.options.team,
            done: effort.done.iter().map(|id| &**id).collect(),
            done_speedup: effort.done_speedup,
            speedup: effort
                .steps
                .last()
                .map_or(effort.done_speedup, |step| step.overall_speedup),
            steps: effort
                .steps
                .iter()
                .map(|step| StepJson {
                    rank: step.region.rank,
                    place: PlaceJson::from(&step.region),
                    label: step.label,
                    lines: step.lines.into(),
                    lines_so_far: step.lines_so_far,
                    time: step.time,
                    relative_speedup: step.relative_speedup,
                    overall_speedup: step.overall_speedup,
                })
                .collect(),
            left: effort
                .left
                .iter()
                .map(|left| LeftJson {
                    place: PlaceJson::from(&left.region),
                    label: left.label,
                    lines: left.lines.into(),
                    why: left.why,
                })
                .collect(),
            blind_spots: &effort.blind_spots,
        },
    )
}

/// Behind the rank and those that say which region it is.
const FURTHER_COLUMNS: [&str; 8] = [
    "lines",
    "lines_counted",
    "lines_so_far",
    "time",
    "relative_speedup",
    "overall_speedup",
    "letter",
    "type",
];

/// The steps as CSV.
pub fn effort_csv(effort: &EffortChart) -> String {
    let rows = effort.steps.iter().map(|step| {
        let mut row = vec![
            step.region
                .rank
                .map_or_else(String::new, |rank| rank.to_string()),
        ];
        row.extend(place_cells(&step.region));
        row.extend([
            step.lines.count.to_string(),
            counted(step.lines.how).to_owned(),
            step.lines_so_far.to_string(),
            step.time.to_string(),
            step.relative_speedup.to_string(),
            step.overall_speedup.to_string(),
            letter(&step.region),
            step.label.map_or_else(String::new, |l| l.name().to_owned()),
        ]);
        row
    });
    let columns = std::iter::once("rank").chain(PLACE_COLUMNS);
    document(columns.chain(FURTHER_COLUMNS), rows)
}

fn counted(how: LineCountMethod) -> &'static str {
    match how {
        LineCountMethod::Source => "source",
        LineCountMethod::Span => "span",
        LineCountMethod::Unknown => "unknown",
    }
}
