//! Parallelism by what is renamed, as bars (Paragraph, table 4).

use std::fmt::Write;

use super::axis::{Axis, Frame, mark_x};
use super::{Figure, SERIES, legend};
use crate::ilp::{Report, series};
use crate::style::{factor, safe, shorten};

/// From this quotient of the largest and the smallest on, the axis is logarithmic.
const STEEP: f64 = 20.0;

/// The bars, where two models differ in renaming only.
pub(super) fn figure(report: &Report, stream: usize) -> Option<Figure> {
    let outcomes = &report.streams.get(stream)?.outcomes;
    let groups = series::renames(&report.models);
    let values: Vec<f64> = groups
        .iter()
        .flat_map(|g| &g.models)
        .map(|&m| outcomes.get(m).map(|o| o.parallelism()))
        .collect::<Option<_>>()?;
    let most = values.iter().copied().fold(0.0, f64::max);
    let least = values
        .iter()
        .copied()
        .filter(|v| *v > 0.0)
        .fold(f64::INFINITY, f64::min);
    if most <= 0.0 {
        return None;
    }
    let label = "operations per step";
    let frame = Frame {
        x: Axis::linear(1.0, "locations renamed"),
        y: if most > STEEP * least {
            Axis::logarithmic(least.min(1.0), most * 1.3, label)
        } else {
            Axis::linear(most * 1.1, label)
        },
    };
    let mut body = String::new();
    frame.draw_y(&mut body);
    // A place per bar and one between groups.
    let places = values.len() + groups.len();
    let step = (Frame::RIGHT - Frame::LEFT) / places as f64;
    let wide = (0.7 * step).min(90.0);
    let mut x = Frame::LEFT + step;
    for (number, group) in groups.iter().enumerate() {
        for &m in &group.models {
            let value = outcomes[m].parallelism();
            let y = frame.y(value);
            let name = series::rename_name(report.models[m].rename);
            let _ = writeln!(
                body,
                "<rect class=\"s{}\" x=\"{:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{:.1}\"><title>{name}: {}</title></rect><text class=\"mid\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
                number % SERIES.len(),
                x - wide / 2.0,
                Frame::BOTTOM - y,
                factor(value),
                y - 6.0,
                factor(value)
            );
            mark_x(
                x,
                &shorten(&name, ((step / 7.2) as usize).max(3)),
                &mut body,
            );
            x += step;
        }
        x += step;
    }
    frame.label_x(&mut body);
    let names: Vec<(String, String)> = groups
        .iter()
        .enumerate()
        .filter(|(_, g)| !g.name.is_empty())
        .map(|(n, g)| (format!("s{}", n % SERIES.len()), safe(&g.name)))
        .collect();
    legend(&names, Frame::RIGHT, 82.0, &mut body);
    let partial = if report.partial { "; partial" } else { "" };
    let remark =
        format!("Parallelism without the storage dependences that renaming removes{partial}");
    Some(Figure::plot("Renaming", &report.program, remark, body))
}
