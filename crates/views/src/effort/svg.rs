//! The parallelization effort chart as a step plot: lines of code from left to right, overall speedup upwards.

use std::fmt::Write;

use parascan_analysis::effort::{Effort, Step};

use crate::shared::figures::place;
use crate::shared::names;
use crate::shared::style::{count, escaped, factor, grouped, safe, shorten, speedup};
use crate::shared::svg::{AXIS, Color, Document, GRID, INK, PAPER, Rule, round_step};

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 400.0;
/// Around the plot: left, top, right, bottom.
const MARGIN: (f64, f64, f64, f64) = (64.0, 44.0, 24.0, 48.0);
/// Height of a row of the list below.
const ROW: f64 = 18.0;
/// Most steps in the list below; all are in the plot.
const LISTED: usize = 40;
/// Speedup from which the axis is logarithmic.
const LOGARITHMIC: f64 = 10.0;

/// The line and its dots.
const LINE: Color = Color {
    light: "#1f6fb4",
    dark: "#6db3f2",
};
const STYLE: &str = "text{font:12px 'DejaVu Sans',sans-serif}.steps{fill:none;stroke-width:2}.title{font-size:15px;font-weight:bold}";
const RULES: [Rule; 6] = [
    Rule("text", "fill", INK),
    Rule(".paper", "fill", PAPER),
    Rule(".axis", "stroke", AXIS),
    Rule(".grid", "stroke", GRID),
    Rule(".steps", "stroke", LINE),
    Rule(".dot", "fill", LINE),
];

/// The chart as an SVG document.
pub fn effort_svg(effort: &Effort) -> String {
    let axes = Axes::new(effort);
    let listed = effort.steps.len().min(LISTED);
    let more = effort.steps.len() - listed;
    let rows = listed + 1 + usize::from(more > 0);
    let height = HEIGHT + ROW * rows as f64 + 12.0;
    let program = escaped(&shorten(&safe(&effort.program), 60));
    let mut out = Document {
        width: WIDTH,
        height,
        title: &format!("Parallelization effort of {program}: overall speedup over lines of code"),
        description: "",
        style: STYLE,
        rules: &RULES,
    }
    .open();
    let _ = writeln!(
        out,
        "<text class=\"title\" x=\"{}\" y=\"24\">Parallelization effort: {program}</text>",
        MARGIN.0
    );
    axes.draw(&mut out);
    steps(effort, &axes, &mut out);
    list(effort, listed, more, &mut out);
    out + "</svg>\n"
}

/// From lines and speedups to places.
struct Axes {
    lines: f64,
    least: f64,
    most: f64,
    logarithmic: bool,
}

impl Axes {
    fn new(effort: &Effort) -> Self {
        let last = effort.steps.last();
        let most = last.map_or(effort.done_speedup, |step| step.overall_speedup);
        let logarithmic = most > LOGARITHMIC;
        Self {
            lines: last.map_or(1.0, |step| step.lines_so_far as f64).max(1.0),
            least: if logarithmic { 1.0 } else { 0.0 },
            most: most.max(2.0),
            logarithmic,
        }
    }

    fn x(&self, lines: f64) -> f64 {
        MARGIN.0 + lines / self.lines * (WIDTH - MARGIN.0 - MARGIN.2)
    }

    fn y(&self, speedup: f64) -> f64 {
        let share = if self.logarithmic {
            speedup.max(1.0).log2() / self.most.log2()
        } else {
            (speedup - self.least) / (self.most - self.least)
        };
        HEIGHT - MARGIN.3 - share * (HEIGHT - MARGIN.1 - MARGIN.3)
    }

    fn draw(&self, out: &mut String) {
        let (left, right) = (MARGIN.0, WIDTH - MARGIN.2);
        for value in ticks(self.most, self.logarithmic) {
            let y = self.y(value);
            let _ = writeln!(
                out,
                "<path class=\"grid\" d=\"M{left:.1} {y:.1}H{right:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}x</text>",
                left - 6.0,
                y + 4.0,
                value
            );
        }
        let bottom = HEIGHT - MARGIN.3;
        for value in ticks(self.lines, false) {
            let x = self.x(value);
            let _ = writeln!(
                out,
                "<path class=\"axis\" d=\"M{x:.1} {bottom:.1}v5\"/><text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                bottom + 18.0,
                grouped(value as u64)
            );
        }
        let _ = writeln!(
            out,
            "<path class=\"axis\" d=\"M{left:.1} {:.1}V{bottom:.1}H{right:.1}\" fill=\"none\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">lines of code parallelized</text>\n\
             <text x=\"{left:.1}\" y=\"{:.1}\" text-anchor=\"end\">speedup</text>",
            MARGIN.1,
            f64::midpoint(left, right),
            bottom + 38.0,
            MARGIN.1 - 8.0,
        );
    }
}

/// Round values from 0 (of a logarithmic axis: 1) to `most`, ten at most.
fn ticks(most: f64, logarithmic: bool) -> Vec<f64> {
    if logarithmic {
        let doublings = most.log2().floor() as u32;
        let every = doublings / 9 + 1;
        return (0..=doublings / every)
            .map(|n| f64::from(n * every).exp2())
            .collect();
    }
    let rough = (most / 8.0).max(0.25);
    let step = round_step(rough);
    let step = if most >= 10.0 { step.round() } else { step };
    (0..=(most / step + 1e-9) as u32)
        .map(|n| f64::from(n) * step)
        .collect()
}

/// The line, and a dot with its number at the top of every step.
fn steps(effort: &Effort, axes: &Axes, out: &mut String) {
    let (mut line, mut dots) = (String::new(), String::new());
    let _ = write!(
        line,
        "M{:.1} {:.1}",
        axes.x(0.0),
        axes.y(effort.done_speedup)
    );
    let mut free = f64::NEG_INFINITY;
    for (number, step) in effort.steps.iter().enumerate() {
        let (x, y) = (
            axes.x(step.lines_so_far as f64),
            axes.y(step.overall_speedup),
        );
        let _ = write!(line, "H{x:.1}V{y:.1}");
        let _ = write!(
            dots,
            "<circle class=\"dot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"><title>{}</title></circle>",
            escaped(&described(step))
        );
        // Numbers that would cover each other are left out; the dots tell on hovering.
        if x >= free {
            let _ = writeln!(
                dots,
                "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                y - 7.0,
                number + 1
            );
            free = x + 18.0;
        } else {
            dots.push('\n');
        }
    }
    let _ = writeln!(
        out,
        "<path class=\"steps\" d=\"{line}\"/>\n{}",
        dots.trim_end()
    );
}

fn described(step: &Step) -> String {
    format!(
        "{} {}: {}, step {}, overall {}",
        place(&step.region),
        names::fitted(&names::short(&step.region.function), 40),
        count(step.lines.count.into(), "line", "lines"),
        speedup(step.relative_speedup),
        speedup(step.overall_speedup)
    )
}

fn list(effort: &Effort, listed: usize, more: usize, out: &mut String) {
    let mut y = HEIGHT + ROW;
    for (number, step) in effort.steps.iter().take(listed).enumerate() {
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{}</text><text x=\"{:.1}\" y=\"{y:.1}\">{}</text>",
            MARGIN.0 - 8.0,
            number + 1,
            MARGIN.0,
            escaped(&described(step))
        );
        y += ROW;
    }
    let last = if more > 0 {
        format!("and {more} more steps")
    } else if listed == 0 {
        format!(
            "No region is left that would make the program faster than {}x.",
            factor(effort.done_speedup)
        )
    } else {
        return;
    };
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{y:.1}\">{last}</text>",
        MARGIN.0
    );
}
