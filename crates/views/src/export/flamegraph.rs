//! A flame graph as SVG: chains of functions and loops, as wide as their work.
//!
//! Without scripts, so that it may be shown anywhere; browsers show a frame's figures when the pointer rests on it.

use std::fmt::Write;

use parascan_analysis::model::Model;
use parascan_formats::module::RegionKind;

use super::stacks::{StackEvent, Stacks};
use crate::shared::header::mark;
use crate::shared::style::{escaped, grouped, percent, safe, shorten};
use crate::shared::svg::{Color, DarkRule, INK, PAPER, QUIET, SvgDocument};

/// Width of the drawing, of its margins, and height of a frame, in pixels.
const WIDTH: f64 = 1200.0;
const MARGIN: f64 = 10.0;
const FRAME: usize = 17;
/// Height above and below the frames.
const HEAD: usize = 48;
const FOOT: usize = 30;
/// Frames narrower than this, in pixels, are left out with everything above them.
const NARROWEST: f64 = 0.1;
/// Width of a letter of the font.
const LETTER: f64 = 7.0;
const RULES: [DarkRule; 7] = [
    DarkRule("text", "fill", INK),
    DarkRule(".paper", "fill", PAPER),
    DarkRule("rect", "stroke", PAPER),
    DarkRule(".key", "fill", QUIET),
    DarkRule(
        ".function",
        "fill",
        Color {
            light: "#9ec5e8",
            dark: "#23527c",
        },
    ),
    DarkRule(
        ".loop",
        "fill",
        Color {
            light: "#f5b971",
            dark: "#7a4a0c",
        },
    ),
    DarkRule("g:hover rect", "stroke", INK),
];

/// Chains of functions and loops, the outermost at the bottom. Frames too narrow to be seen are left out; the drawing
/// says how many.
pub fn flamegraph(model: &Model) -> String {
    let stacks = Stacks::new(model);
    let total = stacks.chains[0].work;
    let scale = (WIDTH - 2.0 * MARGIN) / (total.max(1) as f64);
    let seen = |work: u64| work as f64 * scale >= NARROWEST;
    let shown = stacks.chains.iter().skip(1).filter(|c| seen(c.work));
    let rows = shown.map(|c| c.depth).max().unwrap_or(0);
    let height = HEAD + rows * FRAME + FOOT;
    let mut frames = String::new();
    let (mut drawn, mut left_out) = (0u64, 0u64);
    stacks.walk(|event, chain| {
        let StackEvent::Open(at) = event else { return };
        if !seen(chain.work) {
            left_out += 1;
            return;
        }
        drawn += 1;
        let frame = &stacks.frames[chain.frame];
        let (x, width) = (MARGIN + at as f64 * scale, chain.work as f64 * scale);
        let y = HEAD + (rows - chain.depth) * FRAME;
        let name = escaped(&frame.name);
        let class = match frame.fixed.kind {
            RegionKind::Loop => "loop",
            _ => "function",
        };
        let _ = write!(
            frames,
            "<g><title>{name}: {} of {} units, {}; {} of its own</title>\
             <rect class=\"{class}\" x=\"{x:.1}\" y=\"{y}\" width=\"{width:.1}\" height=\"{}\"/>",
            grouped(chain.work),
            grouped(total),
            percent(chain.work as f64 / total.max(1) as f64),
            grouped(chain.own),
            FRAME - 1,
        );
        let letters = ((width - 6.0) / LETTER).max(0.0) as usize;
        if letters >= 3 {
            let label = escaped(&shorten(&frame.name, letters));
            let _ = write!(
                frames,
                "<text x=\"{:.1}\" y=\"{}\">{label}</text>",
                x + 3.0,
                y + 12
            );
        }
        frames.push_str("</g>\n");
    });
    let title = escaped(&format!(
        "Work of {}{}",
        safe(model.program()),
        mark(&model.inputs)
    ));
    let note = match left_out {
        0 => String::new(),
        _ => format!("; {} too narrow to be seen left out", grouped(left_out)),
    };
    let open = SvgDocument {
        width: WIDTH,
        height: height as f64,
        title: &title,
        description: "",
        style: "text{font:12px monospace}rect{stroke-width:.5}",
        rules: &RULES,
    }
    .open();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{open}\
         <text x=\"{MARGIN}\" y=\"20\" font-weight=\"bold\">{title}</text>\n\
         <text class=\"key\" x=\"{MARGIN}\" y=\"38\">{} units; {} frames{note}. Blue: functions, orange: loops</text>\n\
         {frames}</svg>\n",
        grouped(total),
        grouped(drawn),
    )
}
