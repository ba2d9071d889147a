//! Parallelism by what is renamed, as bars (Paragraph, table 4).

use std::fmt::Write;

use super::axis::{AREA, axes, logarithmic};
use super::{Figure, SERIES, legend};
use crate::ilp::{IlpReport, series};
use crate::shared::style::{escaped, factor, safe, shorten};
use crate::shared::svg::Axis;

/// From this quotient of the largest and the smallest on, the axis is logarithmic.
const STEEP: f64 = 20.0;

/// The bars, where two models differ in renaming only.
pub(super) fn figure(report: &IlpReport, stream: usize) -> Option<Figure> {
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
    let frame = axes(
        Axis::linear(
            1.0,
            if groups.len() == 1 {
                "locations renamed"
            } else {
                "model"
            },
        ),
        if most > STEEP * least {
            logarithmic(least.min(1.0), most * 1.3, label)
        } else {
            Axis::linear(most * 1.1, label)
        },
    );
    let mut body = String::new();
    frame.draw_y(&mut body);
    // A place per bar and one between groups.
    let places = values.len() + groups.len();
    let step = (AREA.right - AREA.left) / places as f64;
    let wide = (0.7 * step).min(90.0);
    let alone = groups.len() == 1;
    // Of one group the bars are named below; of several they have colours.
    let mut kinds: Vec<String> = Vec::new();
    let mut x = AREA.left + step;
    for group in &groups {
        let middle = x + step * (group.models.len() - 1) as f64 / 2.0;
        for &m in &group.models {
            let value = outcomes[m].parallelism();
            let y = frame.y(value);
            let name = series::rename_name(report.models[m].rename);
            let color = match kinds.iter().position(|kind| *kind == name) {
                Some(color) => color,
                None => {
                    kinds.push(name.clone());
                    kinds.len() - 1
                }
            };
            let color = if alone { 0 } else { color % SERIES.len() };
            let _ = writeln!(
                body,
                "<rect class=\"s{color}\" x=\"{:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{:.1}\"><title>{}: {}</title></rect>",
                x - wide / 2.0,
                AREA.bottom - y,
                escaped(&safe(&report.models[m].name)),
                factor(value)
            );
            let label = factor(value);
            if step >= 7.0 * label.len() as f64 + 4.0 {
                let _ = writeln!(
                    body,
                    "<text class=\"mid\" x=\"{x:.1}\" y=\"{:.1}\">{label}</text>",
                    y - 6.0
                );
            }
            if alone {
                frame.mark_x(x, &name, &mut body);
            }
            x += step;
        }
        if !alone {
            let room = (step * (group.models.len() as f64 + 0.8) / 7.2) as usize;
            frame.mark_x(middle, &shorten(&safe(&group.name), room.max(3)), &mut body);
        }
        x += step;
    }
    frame.label_x(&mut body);
    if !alone {
        let names = kinds.into_iter().enumerate();
        let names: Vec<(String, String)> = names
            .map(|(n, name)| (format!("s{}", n % SERIES.len()), name))
            .collect();
        legend(&names, AREA.right, 82.0, &mut body);
    }
    let partial = if report.partial { "; partial" } else { "" };
    let remark =
        format!("Parallelism without the storage dependences that renaming removes{partial}");
    Some(Figure::plot("Renaming", &report.program, remark, body))
}
