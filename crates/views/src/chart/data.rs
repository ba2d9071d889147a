//! The p-chart as JSON and CSV, as documented in `docs/json.md`.

use std::collections::HashMap;

use parascan_analysis::chart::{Chart, Pruned};
use parascan_analysis::types::Label;
use parascan_formats::profile::BlindSpot;
use serde::Serialize;

use crate::shared::csv::document;
use crate::shared::json::{self, RegionNameJson, Totals};
use crate::shared::style::safe;

#[derive(Serialize)]
struct ChartJson<'a> {
    #[serde(flatten)]
    totals: Totals<'a>,
    height: &'static str,
    serial_below: f64,
    min_work: f64,
    together: bool,
    max_boxes: usize,
    instances: u64,
    pruned: PrunedJson,
    boxes: Vec<BoxJson<'a>>,
    regions: Vec<RegionJson<'a>>,
    blind_spots: &'a [BlindSpot],
}

#[derive(Serialize)]
struct PrunedJson {
    serial: OneJson,
    insignificant: OneJson,
    beyond: OneJson,
}

#[derive(Serialize)]
struct OneJson {
    instances: u64,
    work: u64,
}

impl From<Pruned> for OneJson {
    fn from(pruned: Pruned) -> Self {
        Self {
            instances: pruned.instances,
            work: pruned.work,
        }
    }
}

#[derive(Serialize)]
struct BoxJson<'a> {
    letter: &'a str,
    id: &'a str,
    parent: Option<usize>,
    level: u32,
    start: u64,
    work: u64,
    critical_path: Option<u64>,
    instances: u64,
    total_parallelism: Option<f64>,
    total_parallelism_min: Option<f64>,
    total_parallelism_max: Option<f64>,
    self_parallelism: Option<f64>,
}

#[derive(Serialize)]
struct RegionJson<'a> {
    letter: &'a str,
    #[serde(rename = "type")]
    label: Option<Label>,
    #[serde(flatten)]
    name: RegionNameJson<'a>,
    boxes: usize,
    instances: u64,
    work: u64,
    total_parallelism: Option<f64>,
    self_parallelism: Option<f64>,
}

/// Boxes, letters and totals of a p-chart, format `parascan-chart` (`docs/json.md`).
pub fn chart_json(chart: &Chart) -> String {
    let (model, options) = (&chart.model, &chart.options);
    json::document(
        "parascan-chart",
        &ChartJson {
            totals: Totals::new(
                model.program(),
                &model.inputs,
                model.work,
                model.critical_path,
            ),
            height: if options.self_parallelism {
                "self_parallelism"
            } else {
                "total_parallelism"
            },
            serial_below: options.serial_below,
            min_work: options.min_work,
            together: options.together,
            max_boxes: options.max_boxes,
            instances: chart.instances,
            pruned: PrunedJson {
                serial: chart.serial.into(),
                insignificant: chart.insignificant.into(),
                beyond: chart.beyond.into(),
            },
            boxes: boxes(chart),
            regions: regions(chart),
            blind_spots: &model.blind_spots,
        },
    )
}

fn boxes(chart: &Chart) -> Vec<BoxJson<'_>> {
    let one = |one: &parascan_analysis::chart::ChartBox| BoxJson {
        letter: chart.letter(one.region),
        id: &chart.model.regions[one.region as usize].id,
        parent: one.parent,
        level: one.level,
        start: one.start,
        work: one.work,
        critical_path: one.critical_path,
        instances: one.instances,
        total_parallelism: one.total_parallelism,
        total_parallelism_min: one.spread.map(|s| s.0),
        total_parallelism_max: one.spread.map(|s| s.1),
        self_parallelism: one.self_parallelism,
    };
    chart.boxes.iter().map(one).collect()
}

fn regions(chart: &Chart) -> Vec<RegionJson<'_>> {
    let rows = chart.legend.iter().map(|row| {
        let region = &chart.model.regions[row.region as usize];
        RegionJson {
            letter: &row.letter,
            label: row.label,
            name: region.into(),
            boxes: row.boxes,
            instances: row.instances,
            work: row.work,
            total_parallelism: row.total_parallelism,
            self_parallelism: row.self_parallelism,
        }
    });
    rows.collect()
}

/// The boxes as CSV.
pub fn chart_csv(chart: &Chart) -> String {
    const HEADER: [&str; 13] = [
        "letter",
        "id",
        "parent",
        "level",
        "start",
        "work",
        "critical_path",
        "instances",
        "total_parallelism",
        "total_parallelism_min",
        "total_parallelism_max",
        "self_parallelism",
        "type",
    ];
    let text = |value: Option<String>| value.unwrap_or_default();
    let number = |value: Option<f64>| text(value.map(|v| v.to_string()));
    let labels: HashMap<&str, Label> = chart
        .legend
        .iter()
        .filter_map(|row| Some((&*row.letter, row.label?)))
        .collect();
    let rows = boxes(chart).into_iter().map(|one| {
        vec![
            one.letter.to_owned(),
            safe(one.id),
            text(one.parent.map(|p| p.to_string())),
            one.level.to_string(),
            one.start.to_string(),
            one.work.to_string(),
            text(one.critical_path.map(|cp| cp.to_string())),
            one.instances.to_string(),
            number(one.total_parallelism),
            number(one.total_parallelism_min),
            number(one.total_parallelism_max),
            number(one.self_parallelism),
            labels
                .get(one.letter)
                .map_or_else(String::new, |l| l.name().to_owned()),
        ]
    });
    document(HEADER.into_iter(), rows)
}
