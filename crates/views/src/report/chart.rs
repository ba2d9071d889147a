//! What the page is told about a p-chart.

use std::collections::HashMap;

use parascan_analysis::chart::{Chart, ChartBox, Pruned};
use serde::Serialize;

use crate::shared::style::{count, percent};

/// A p-chart.
#[derive(Debug, Serialize)]
pub(super) struct ChartData {
    /// Length of the time axis in work units.
    work: u64,
    boxes: Vec<BoxData>,
    legend: Vec<LegendData>,
    /// What was left out, in words.
    pruned: String,
}

/// Region (none when it is not in the list of regions), number of the box around, level, start, work, instances, total
/// and self-parallelism.
pub(super) type BoxData = (
    Option<u32>,
    Option<usize>,
    u32,
    u64,
    u64,
    u64,
    Option<f64>,
    Option<f64>,
);

#[derive(Debug, Serialize)]
struct LegendData {
    letter: String,
    region: Option<u32>,
    boxes: usize,
    instances: u64,
    work: u64,
    total: Option<f64>,
    own: Option<f64>,
}

/// A chart, given the number of each region's row by its id.
pub(super) fn chart(chart: &Chart, number_of: &HashMap<&str, u32>) -> ChartData {
    let region = |number: u32| {
        let known = chart.model.regions.get(number as usize)?;
        number_of.get(&*known.id).copied()
    };
    let one = |block: &ChartBox| {
        (
            region(block.region),
            block.parent,
            block.level,
            block.start,
            block.work,
            block.instances,
            block.total_parallelism.map(short),
            block.self_parallelism.map(short),
        )
    };
    ChartData {
        work: chart.model.work,
        boxes: chart.boxes.iter().map(one).collect(),
        legend: chart
            .legend
            .iter()
            .map(|row| LegendData {
                letter: row.letter.to_string(),
                region: region(row.region),
                boxes: row.boxes,
                instances: row.instances,
                work: row.work,
                total: row.total_parallelism,
                own: row.self_parallelism,
            })
            .collect(),
        pruned: pruned(chart),
    }
}

/// What the chart does not show.
fn pruned(chart: &Chart) -> String {
    let options = &chart.options;
    let drawn: u64 = chart
        .boxes
        .iter()
        .map(|b| b.instances)
        .fold(0, u64::saturating_add);
    let mut text = format!(
        "{} in {} boxes, of {} in all.",
        count(drawn, "instance of a region", "instances of regions"),
        chart.boxes.len(),
        crate::shared::style::grouped(chart.instances),
    );
    for (left_out, why) in [
        (
            chart.serial,
            format!(
                "the region around has a parallelism of at most {}",
                options.serial_below
            ),
        ),
        (
            chart.insignificant,
            format!("they do less than {}% of the work", options.min_work),
        ),
        (
            chart.beyond,
            format!("there is room for {} boxes", options.max_boxes),
        ),
    ] {
        let Pruned { instances, work } = left_out;
        if instances > 0 {
            let share = if chart.model.work == 0 {
                0.0
            } else {
                work as f64 / chart.model.work as f64
            };
            text += &format!(
                " Left out: {} ({} of the work), because {why}.",
                count(instances, "instance", "instances"),
                percent(share),
            );
        }
    }
    text
}

/// Five digits are enough to draw.
pub(super) fn short(value: f64) -> f64 {
    if value.is_finite() && value != 0.0 {
        let scale = 10f64.powi(4 - value.abs().log10().floor() as i32);
        (value * scale).round() / scale
    } else {
        value
    }
}
