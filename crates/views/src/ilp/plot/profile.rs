//! Operations per step, stacked by class; values alive over time.

use std::fmt::Write;

use parascan_ddg::result::LevelHistogram;
use parascan_isa::HistogramClass;

use super::axis::{AREA, axes, logarithmic};
use super::{Figure, KINDS, legend, of_model};
use crate::ilp::bins::{self, LevelColumn, columns_between, steps};
use crate::ilp::text::{STEEP, lowest};
use crate::ilp::{IlpReport, Stretch, ratio};
use crate::shared::style::{factor, grouped, safe};
use crate::shared::svg::{Axes, Axis};

/// Most columns: two units wide each.
const COLUMNS: usize = 400;

/// The parallelism profile of a graph under a model.
pub(super) fn of_run(report: &IlpReport, stream: usize, model: usize) -> Option<Figure> {
    let outcome = report.streams.get(stream)?.outcomes.get(model)?;
    let remark = format!(
        "{} operations in {} steps: available parallelism {}; {}",
        grouped(outcome.operations),
        grouped(outcome.critical_path),
        factor(outcome.parallelism()),
        of_model(report, stream, model)
    );
    // Narrower bins of all steps are for zooming, of which a file has none.
    let some = outcome.detail.as_ref().filter(|it| it.last < u64::MAX);
    let (profile, steps) = match some {
        Some(some) => (
            &some.profile,
            (some.first, some.last.min(outcome.critical_path)),
        ),
        None => (&outcome.profile, (1, outcome.critical_path)),
    };
    figure(
        "Parallelism profile",
        &report.program,
        remark,
        profile,
        steps,
    )
}

/// Operations per step of a stretch.
pub(super) fn of_stretch(stretch: &Stretch) -> Option<Figure> {
    let parallelism =
        ratio(stretch.operations, stretch.critical_path).map_or_else(|| "-".to_owned(), factor);
    let cut = if stretch.stopped {
        "; cut at the limit of instructions"
    } else {
        ""
    };
    let remark = format!(
        "I = {}, C = {}, ILP = {parallelism}; model {}{cut}",
        grouped(stretch.operations),
        grouped(stretch.critical_path),
        safe(&stretch.model)
    );
    figure(
        "Instructions per step",
        &stretch.title,
        remark,
        stretch.histogram.as_ref()?,
        stretch.drawn_steps(),
    )
}

fn figure(
    what: &str,
    of: &str,
    remark: String,
    profile: &LevelHistogram,
    (first, last): (u64, u64),
) -> Option<Figure> {
    let columns = columns_between(profile, (first, last), COLUMNS);
    let most = columns.iter().map(LevelColumn::mean).fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    let total: u64 = columns.iter().map(LevelColumn::total).sum();
    let steep = most > STEEP * total as f64 / (last + 1).saturating_sub(first) as f64;
    let mean = if columns[0].levels() > 1 {
        format!(
            "operations per step, mean of {}",
            grouped(columns[0].levels())
        )
    } else {
        "operations per step".to_owned()
    };
    let mut frame = axes(
        Axis::linear(last as f64, "steps (level of the graph)"),
        if steep {
            logarithmic(lowest(most), most * 1.2, &mean)
        } else {
            Axis::linear(most * 1.06, &mean)
        },
    );
    // Level 1 is drawn from 0 to 1.
    frame.x.low = (first - 1) as f64;
    let mut body = String::new();
    frame.draw_y(&mut body);
    stacked(&frame, &columns, &mut body);
    frame.draw_x(&mut body);
    let shown: Vec<(String, String)> = HistogramClass::ALL
        .iter()
        .enumerate()
        .filter(|(k, _)| columns.iter().any(|c| c.counts[*k] > 0))
        .map(|(k, kind)| (format!("k{k}"), kind.name().to_owned()))
        .collect();
    legend(&shown, AREA.right, 82.0, &mut body);
    let remark = if steep {
        format!("{remark}. Colours divide a column by share.")
    } else {
        remark
    };
    Some(Figure::plot(what, of, remark, body))
}

/// One path per class, and a field per column that tells its numbers.
fn stacked(frame: &Axes, columns: &[LevelColumn], out: &mut String) {
    let mut paths = vec![String::new(); KINDS.len()];
    let mut hits = String::new();
    for column in columns {
        let (left, right) = (
            frame.x((column.first - 1) as f64),
            frame.x(column.last as f64),
        );
        let gap = if right - left >= 6.0 { 1.0 } else { 0.0 };
        let total = column.total();
        let mut below = 0;
        for (kind, count) in column.counts.iter().enumerate().filter(|(_, n)| **n > 0) {
            let (from, to) = (
                height(frame, column, below),
                height(frame, column, below + count),
            );
            below += count;
            let _ = write!(
                paths[kind],
                "M{left:.2} {from:.2}V{to:.2}H{:.2}V{from:.2}z",
                right - gap
            );
        }
        if total > 0 {
            frame.hit((left, right), &tooltip(column), &mut hits);
        }
    }
    for (kind, path) in paths.iter().enumerate().filter(|(_, p)| !p.is_empty()) {
        let _ = writeln!(
            out,
            "<path class=\"k{kind}\" stroke=\"none\" style=\"stroke:none\" d=\"{path}\"/>"
        );
    }
    *out += &hits;
}

/// Top of so many operations of a column. On a logarithmic axis the column's height is divided by share.
fn height(frame: &Axes, column: &LevelColumn, operations: u64) -> f64 {
    if frame.y.is_logarithmic() {
        let top = frame.y(column.mean());
        let share = operations as f64 / column.total() as f64;
        AREA.bottom - share * (AREA.bottom - top)
    } else {
        frame.y(operations as f64 / column.levels() as f64)
    }
}

fn tooltip(column: &LevelColumn) -> String {
    let parts: Vec<String> = HistogramClass::ALL
        .iter()
        .zip(&column.counts)
        .filter(|(_, n)| **n > 0)
        .map(|(kind, n)| format!("{} {}", kind.name(), grouped(*n)))
        .collect();
    format!(
        "{}: {} operations per step ({})",
        column.steps(),
        factor(column.mean()),
        parts.join(", ")
    )
}

/// Values alive over time.
pub(super) fn storage(report: &IlpReport, stream: usize, model: usize) -> Option<Figure> {
    let outcome = report.streams.get(stream)?.outcomes.get(model)?;
    let values = outcome.values.as_ref()?;
    let means = bins::means(
        &values.storage,
        outcome.profile.shift,
        outcome.critical_path,
        COLUMNS,
    );
    let most = means.iter().map(|m| m.2).fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    let frame = axes(
        Axis::linear(outcome.critical_path as f64, "steps (level of the graph)"),
        Axis::linear(most * 1.06, "values alive"),
    );
    let mut body = String::new();
    frame.draw_y(&mut body);
    let mut path = format!("M{:.2} {:.2}", AREA.left, AREA.bottom);
    let mut hits = String::new();
    for &(first, last, mean) in &means {
        let (left, right) = (frame.x((first - 1) as f64), frame.x(last as f64));
        let _ = write!(path, "V{:.2}H{right:.2}", frame.y(mean));
        let tooltip = format!("{}: {} alive", steps(first, last), factor(mean));
        frame.hit((left, right), &tooltip, &mut hits);
    }
    let _ = writeln!(
        body,
        "<path class=\"area s0\" d=\"{path}V{:.2}z\"/>\n{hits}",
        AREA.bottom
    );
    frame.draw_x(&mut body);
    let remark = format!(
        "A value lives from its own step to that of its last reader. At most {} at once; {}",
        factor(values.most_alive),
        of_model(report, stream, model)
    );
    Some(Figure::plot(
        "Storage over time",
        &report.program,
        remark,
        body,
    ))
}
