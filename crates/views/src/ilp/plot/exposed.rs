//! Shares of the parallelism of several programs that windows expose, in one drawing (Paragraph, figure 8): both axes
//! logarithmic.

use std::fmt::Write;

use super::axis::{AREA, axes, logarithmic};
use super::{Figure, SERIES};
use crate::shared::style::{escaped, factor, grouped, percent, safe};

/// What windows expose of a program's parallelism.
#[derive(Clone, Debug, PartialEq)]
pub struct ExposedParallelism {
    /// The program.
    pub name: String,
    /// Operations per step with a window as long as the trace.
    pub whole: f64,
    /// Windows, in instructions, in ascending order, and operations per step with each.
    pub windows: Vec<(u64, f64)>,
}

/// Where names of curves stand: behind their ends.
const NAMES: f64 = 120.0;

/// A point of a curve.
struct Point {
    window: u64,
    /// Operations per step.
    found: f64,
    /// The share of those of the whole trace.
    share: f64,
}

fn points_of(program: &ExposedParallelism) -> Vec<Point> {
    let all = program.windows.iter();
    let known = all.filter(|(window, found)| *window > 0 && *found > 0.0 && program.whole > 0.0);
    let point = |&(window, found): &(u64, f64)| Point {
        window,
        found,
        share: found / program.whole,
    };
    known.map(point).collect()
}

/// The curves, each with its name behind its last point; `None` where there is no point.
pub(super) fn figure(title: &str, programs: &[ExposedParallelism]) -> Option<Figure> {
    let curves: Vec<(&ExposedParallelism, Vec<Point>)> =
        programs.iter().map(|p| (p, points_of(p))).collect();
    let points = || curves.iter().flat_map(|(_, points)| points);
    let least = points().map(|p| p.window).min()? as f64;
    let most = points().map(|p| p.window).max()? as f64;
    let low = points().map(|p| p.share).fold(1.0, f64::min);
    // Names stand behind the last window.
    let part = (AREA.right - AREA.left) / (AREA.right - AREA.left - NAMES);
    let first = least / 1.4;
    let frame = axes(
        logarithmic(
            first,
            first * (1.2 * most / first).powf(part),
            "window (instructions)",
        ),
        logarithmic(
            100.0 * low / 1.3,
            125.0,
            "percent of the parallelism of the whole trace",
        ),
    );
    let mut body = String::new();
    frame.draw_y(&mut body);
    frame.draw_x(&mut body);
    let mut names = Vec::new();
    for (number, (program, points)) in curves.iter().enumerate() {
        let color = number % SERIES.len();
        let mut line = String::new();
        let mut dots = String::new();
        for (number, point) in points.iter().enumerate() {
            let &Point {
                window,
                found,
                share,
            } = point;
            let (x, y) = (frame.x(window as f64), frame.y(100.0 * share));
            let _ = write!(line, "{}{x:.1} {y:.1}", if number == 0 { "M" } else { "L" });
            let tooltip = format!(
                "{}, window {}: {} operations per step, {} of {}",
                safe(&program.name),
                grouped(window),
                factor(found),
                percent(share),
                factor(program.whole)
            );
            let _ = writeln!(
                dots,
                "<circle class=\"s{color}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"><title>{}</title></circle>",
                escaped(&tooltip)
            );
        }
        if let Some(&Point { window, share, .. }) = points.last() {
            let at = (frame.x(window as f64), frame.y(100.0 * share));
            names.push((at, color, safe(&program.name)));
        }
        // Colours begin anew after the last: then lines are dashed.
        let class = if number < SERIES.len() {
            "line"
        } else {
            "dash"
        };
        let _ = writeln!(
            body,
            "<path class=\"{class} c{color}\" d=\"{line}\"/>\n{}",
            dots.trim_end()
        );
    }
    write_names(names, &mut body);
    let remark = "What windows of so many instructions expose; a curve that ends below 100% would need a longer one.";
    Some(Figure::plot(title, "", remark.to_owned(), body))
}

/// Names behind the ends of curves, apart from each other, each with a line to its curve.
fn write_names(mut names: Vec<((f64, f64), usize, String)>, out: &mut String) {
    const ROW: f64 = 15.0;
    names.sort_by(|a, b| a.0.1.total_cmp(&b.0.1));
    let all = names.len() as f64 * ROW;
    let mut next = AREA.top.min(AREA.bottom - all) + ROW / 2.0;
    for (number, ((x, y), color, name)) in names.iter().enumerate() {
        // The rest below must have room.
        let rest = (names.len() - number) as f64 * ROW;
        let at = y.max(next).min(AREA.bottom - rest + ROW);
        next = at + ROW;
        let _ = writeln!(
            out,
            "<path class=\"row c{color}\" d=\"M{:.1} {y:.1}L{:.1} {at:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            x + 4.0,
            x + 18.0,
            x + 22.0,
            at + 4.0,
            escaped(name)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of curves that end at one place do not lie on each other, and all lie on the paper.
    #[test]
    fn names_have_room() {
        let names = (0..14)
            .map(|n| ((700.0, 300.0), n % 6, format!("p{n}")))
            .collect();
        let mut text = String::new();
        write_names(names, &mut text);
        let row = |part: &str| -> f64 {
            let (_, behind) = part.split_once("y=\"").unwrap();
            behind.split_once('"').unwrap().0.parse().unwrap()
        };
        let rows: Vec<f64> = text.split("<text ").skip(1).map(row).collect();
        assert_eq!(rows.len(), 14);
        assert!(
            rows.windows(2).all(|pair| pair[1] - pair[0] >= 14.9),
            "{rows:?}"
        );
        assert!(
            rows[0] >= AREA.top && rows[13] <= AREA.bottom + 8.0,
            "{rows:?}"
        );
    }

    #[test]
    fn nothing_is_drawn_of_nothing() {
        let none = ExposedParallelism {
            name: "none".to_owned(),
            whole: 0.0,
            windows: vec![(10, 0.0)],
        };
        assert!(figure("Windows", &[none]).is_none());
    }
}
