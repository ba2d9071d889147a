//! The p-chart as SVG, terminal drawing, JSON and CSV. `docs/chart.md` says how to read it.

mod data;
mod svg;
mod text;

use parascan_analysis::chart::{Chart, ChartBox, Pruned};

use crate::shared::csv::kind_name;
use crate::shared::style::{count, factor, percent};

pub use data::{chart_csv, chart_json};
pub use svg::chart_svg;
pub use text::chart_text;

/// The highest power of two on the vertical axis, at least 1.
fn top_power(chart: &Chart) -> u32 {
    let heights = chart
        .boxes
        .iter()
        .filter_map(|one| one.height(&chart.options));
    let most = heights.fold(1.0, f64::max);
    (most.log2().ceil() as u32).max(1)
}

/// What the vertical axis shows.
fn axis(chart: &Chart) -> &'static str {
    if chart.options.self_parallelism {
        "self-parallelism"
    } else {
        "total parallelism"
    }
}

fn share(chart: &Chart, work: u64) -> f64 {
    if chart.model.work == 0 {
        0.0
    } else {
        work as f64 / chart.model.work as f64
    }
}

/// `×1,000` behind the letter of a row.
fn times(one: &ChartBox) -> String {
    if one.instances > 1 {
        format!("×{}", crate::shared::style::grouped(one.instances))
    } else {
        String::new()
    }
}

fn known(value: Option<f64>) -> String {
    value.map_or_else(|| "?".to_owned(), factor)
}

/// `lines 3–9`, or nothing where they are unknown.
fn lines(chart: &Chart, region: u32) -> String {
    let fixed = &chart.model.regions[region as usize].fixed;
    match (fixed.line, fixed.end_line) {
        (0, _) => String::new(),
        (line, end) if end <= line => line.to_string(),
        (line, end) => format!("{line}-{end}"),
    }
}

/// What a region is, in the word that CSV and JSON have for it.
fn kind(chart: &Chart, region: u32) -> &'static str {
    kind_name(chart.model.regions[region as usize].fixed.kind)
}

/// What is not in the chart, and why: one sentence each.
fn left_out(chart: &Chart) -> Vec<String> {
    let options = &chart.options;
    let mut out = Vec::new();
    let mut say = |pruned: &Pruned, why: String| {
        if pruned.instances > 0 {
            out.push(format!(
                "{} ({} of the work) left out: {why}.",
                count(pruned.instances, "instance", "instances"),
                percent(share(chart, pruned.work)),
            ));
        }
    };
    say(
        &chart.serial,
        format!(
            "inside an instance of parallelism {} or less (--serial-below)",
            options.serial_below
        ),
    );
    let each = if options.together {
        "in rows of"
    } else {
        "each"
    };
    say(
        &chart.insignificant,
        format!(
            "{each} less than {}% of the work (--min-work)",
            options.min_work
        ),
    );
    say(
        &chart.beyond,
        format!("narrowest beyond {} boxes (--max-boxes)", options.max_boxes),
    );
    if chart.unmeasured > 0 {
        let boxes = count(chart.unmeasured as u64, "box has", "boxes have");
        out.push(format!("{boxes} unknown parallelism (depth not tracked, or the tree is summarised there) and lie on the base line."));
    }
    out
}
