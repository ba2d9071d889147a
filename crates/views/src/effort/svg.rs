//! The parallelization effort chart as a step plot: lines of code from left to right, overall speedup upwards.

use std::fmt::Write;

use parascan_analysis::effort::{EffortChart, EffortStep};

use crate::shared::figures::place;
use crate::shared::names;
use crate::shared::style::{count, escaped, factor, grouped, safe, shorten, speedup};
use crate::shared::svg::{
    AXES_RULES, AXES_STYLE, Area, Axes, Axis, Color, DarkRule, INK, PAPER, Scale, SvgDocument,
};

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 400.0;
/// The plot between the axes.
const AREA: Area = Area {
    left: 64.0,
    top: 44.0,
    right: WIDTH - 24.0,
    bottom: HEIGHT - 52.0,
};
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
const RULES: [DarkRule; 4] = [
    DarkRule("text", "fill", INK),
    DarkRule(".paper", "fill", PAPER),
    DarkRule(".steps", "stroke", LINE),
    DarkRule(".dot", "fill", LINE),
];

/// The chart as an SVG document.
pub fn effort_svg(effort: &EffortChart) -> String {
    let axes = axes_of(effort);
    let listed = effort.steps.len().min(LISTED);
    let more = effort.steps.len() - listed;
    let rows = listed + 1 + usize::from(more > 0);
    let height = HEIGHT + ROW * rows as f64 + 12.0;
    let program = escaped(&shorten(&safe(&effort.program), 60));
    let mut out = SvgDocument {
        width: WIDTH,
        height,
        title: &format!("Parallelization effort of {program}: overall speedup over lines of code"),
        description: "",
        style: &format!("{STYLE}{AXES_STYLE}"),
        rules: &[&RULES[..], &AXES_RULES].concat(),
    }
    .open();
    let _ = writeln!(
        out,
        "<text class=\"title\" x=\"{}\" y=\"24\">Parallelization effort: {program}</text>",
        AREA.left
    );
    axes.draw_y(&mut out);
    axes.draw_x(&mut out);
    steps(effort, &axes, &mut out);
    list(effort, listed, more, &mut out);
    out + "</svg>\n"
}

/// Lines of code from left to right, speedup upwards.
fn axes_of(effort: &EffortChart) -> Axes {
    let last = effort.steps.last();
    let lines = last.map_or(1.0, |step| step.lines_so_far as f64);
    let most = last.map_or(effort.done_speedup, |step| step.overall_speedup);
    let x = Axis {
        scale: Scale::Whole,
        number: |lines| grouped(lines as u64),
        ..Axis::linear(lines, "lines of code parallelized")
    };
    let y = if most > LOGARITHMIC {
        Axis::logarithmic(1.0, most, Scale::Doublings, "speedup (log scale)")
    } else {
        Axis::linear(most.max(2.0), "speedup")
    };
    let number = |speedup| format!("{speedup}x");
    Axes::new(x, Axis { number, ..y }, AREA)
}

/// The line, and a dot with its number at the top of every step.
fn steps(effort: &EffortChart, axes: &Axes, out: &mut String) {
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
                "<text class=\"mid\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
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

fn described(step: &EffortStep) -> String {
    format!(
        "{} {}: {}, step {}, overall {}",
        place(&step.region),
        names::fitted(&names::short(&step.region.function), 40),
        count(step.lines.count.into(), "line", "lines"),
        speedup(step.relative_speedup),
        speedup(step.overall_speedup)
    )
}

fn list(effort: &EffortChart, listed: usize, more: usize, out: &mut String) {
    let mut y = HEIGHT + ROW;
    for (number, step) in effort.steps.iter().take(listed).enumerate() {
        let _ = writeln!(
            out,
            "<text class=\"end\" x=\"{:.1}\" y=\"{y:.1}\">{}</text><text x=\"{:.1}\" y=\"{y:.1}\">{}</text>",
            AREA.left - 8.0,
            number + 1,
            AREA.left,
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
        AREA.left
    );
}
