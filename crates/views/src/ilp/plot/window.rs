//! Parallelism over the size of the window, both logarithmic (Paragraph, figure 8).

use std::fmt::Write;

use super::axis::{AREA, axes, logarithmic};
use super::{Figure, SERIES, legend};
use crate::ilp::{IlpReport, series};
use crate::shared::style::{escaped, factor, grouped, percent, safe};
use crate::shared::svg::{Axes, round_down};

/// The curve, where two models differ in the window only.
pub(super) fn figure(report: &IlpReport, stream: usize) -> Option<Figure> {
    let outcomes = &report.streams.get(stream)?.outcomes;
    // (window, parallelism) of each point, and the parallelism without window.
    let mut curves = Vec::new();
    for series in series::windows(&report.models) {
        let mut points = Vec::new();
        let mut whole = None;
        for &m in &series.models {
            let parallelism = outcomes.get(m)?.parallelism();
            match report.models[m].window {
                Some(window) => points.push((window, parallelism)),
                None => whole = Some(parallelism),
            }
        }
        if !points.is_empty() {
            curves.push((series.name, points, whole));
        }
    }
    let sizes = || curves.iter().flat_map(|c| c.1.iter().map(|p| p.0 as f64));
    let heights = || {
        curves
            .iter()
            .flat_map(|c| c.1.iter().map(|p| p.1).chain(c.2))
            .filter(|p| *p > 0.0)
    };
    let (least, most) = (
        sizes().fold(f64::INFINITY, f64::min),
        sizes().fold(1.0, f64::max),
    );
    let low = heights().fold(f64::INFINITY, f64::min);
    let high = heights().fold(1.0, f64::max);
    if !least.is_finite() || !low.is_finite() {
        return None;
    }
    let frame = axes(
        logarithmic(least.max(1.0) / 1.4, most * 1.4, "window (instructions)"),
        logarithmic(round_down(low / 1.2), high * 1.25, "operations per step"),
    );
    let mut body = String::new();
    frame.draw_y(&mut body);
    frame.draw_x(&mut body);
    let alone = curves.len() == 1;
    let mut labelled: Vec<f64> = Vec::new();
    for (number, (_, points, whole)) in curves.iter().enumerate() {
        let color = number % SERIES.len();
        if let Some(whole) = *whole {
            let y = frame.y(whole);
            // Lines close to each other share a label.
            let label = labelled.iter().all(|other| (other - y).abs() > 14.0);
            labelled.push(y);
            dashed(y, color, label.then_some(whole), &mut body);
        }
        draw(&frame, color, points, *whole, alone, &mut body);
    }
    let names: Vec<(String, String)> = curves
        .iter()
        .enumerate()
        .filter(|(_, c)| !c.0.is_empty())
        .map(|(n, c)| (format!("s{}", n % SERIES.len()), safe(&c.0)))
        .collect();
    legend(&names, AREA.right, 82.0, &mut body);
    let partial = if report.partial { "; partial" } else { "" };
    let dashed = if curves.iter().any(|c| c.2.is_some()) {
        " Dashed: a window as long as the trace."
    } else {
        ""
    };
    let remark =
        format!("Parallelism that a window of so many instructions exposes{partial}.{dashed}");
    Some(Figure::plot("Window", &report.program, remark, body))
}

/// The line of a window as long as the trace.
fn dashed(y: f64, color: usize, label: Option<f64>, out: &mut String) {
    let _ = writeln!(
        out,
        "<path class=\"dash c{color}\" d=\"M{:.1} {y:.1}H{:.1}\"/>",
        AREA.left, AREA.right
    );
    if let Some(whole) = label {
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\">whole trace: {}</text>",
            AREA.left + 8.0,
            y - 6.0,
            factor(whole)
        );
    }
}

/// The curve; with its numbers if it stands alone.
fn draw(
    frame: &Axes,
    color: usize,
    points: &[(u64, f64)],
    whole: Option<f64>,
    alone: bool,
    out: &mut String,
) {
    let mut line = String::new();
    let mut dots = String::new();
    for (number, &(window, parallelism)) in points.iter().enumerate() {
        let (x, y) = (frame.x(window as f64), frame.y(parallelism));
        let _ = write!(line, "{}{x:.1} {y:.1}", if number == 0 { "M" } else { "L" });
        let share = whole.filter(|w| *w > 0.0).map_or_else(String::new, |w| {
            format!(", {} of the whole trace's", percent(parallelism / w))
        });
        let tooltip = format!(
            "window {}: {} operations per step{share}",
            grouped(window),
            factor(parallelism)
        );
        let _ = writeln!(
            dots,
            "<circle class=\"s{color}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"><title>{}</title></circle>",
            escaped(&tooltip)
        );
        if alone {
            let _ = writeln!(
                dots,
                "<text class=\"mid\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
                y + 19.0,
                factor(parallelism)
            );
        }
    }
    let _ = writeln!(
        out,
        "<path class=\"line c{color}\" d=\"{line}\"/>\n{}",
        dots.trim_end()
    );
}
