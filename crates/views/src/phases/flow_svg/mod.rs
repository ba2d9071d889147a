//! The control-flow graph as SVG: boxes are regions, inside each the control flow of its layer; arrows carry
//! `threads|count`. The more time a region takes, the redder it is.
//!
//! `pen.rs` says which part of the graph is drawn, `boxes.rs` and `arrows.rs` how, `legend.rs` what it means.

mod arrows;
mod boxes;
mod legend;
mod pen;

use parascan_analysis::phases::Phases;

use super::graph::Extent;
use super::{dark, words};
use crate::shared::style::{escaped, shorten};
use crate::shared::svg::{Color, DarkRule, SvgDocument};
use boxes::DrawnPart;
use pen::DrawingStyle;
pub(super) use pen::{all_id, layer_id};

/// What the drawing looks like; shared with the page.
pub(super) const STYLE: &str = "\
.flow{font:11px ui-monospace,'DejaVu Sans Mono',monospace}\
.flow text{fill:#1f2328}.flow .box{fill:#f6f8fa;stroke:#57606a;stroke-width:1}.flow .start{stroke:#0969da;stroke-width:2.5}\
.flow .deep{fill:#fff}.flow .name{font-weight:700}.flow .quiet{fill:#424a53}\
.flow .edge{fill:none;stroke:#57606a;stroke-width:1.2}.flow .back{stroke:#0969da}.flow .main{stroke-width:3}.flow .tip{fill:#57606a}\
.flow .backtip{fill:#0969da}.flow .loop{fill:#0a3069;font-weight:700}.flow .pill{fill:#fff;opacity:.85}\
.flow .end{stroke:#57606a}.flow .heat{fill:#e5534b}.flow .few{stroke-dasharray:5 3}\
.flow a{cursor:pointer}.flow a:hover .box,.flow a:focus .box{stroke:#0969da;stroke-width:2}";

/// What changes on a dark ground ([`dark`]).
pub(super) const DARK: &[&str] = &[
    ".flow text{fill:#e6edf3}",
    ".flow .quiet{fill:#b1bac4}",
    ".flow .box{fill:#161b22;stroke:#8b949e}",
    ".flow .start{stroke:#58a6ff}",
    ".flow .deep{fill:#0d1117}",
    ".flow .edge{stroke:#8b949e}",
    ".flow .back{stroke:#58a6ff}",
    ".flow .tip{fill:#8b949e}",
    ".flow .end{stroke:#8b949e}",
    ".flow .backtip{fill:#58a6ff}",
    ".flow .loop{fill:#79c0ff}",
    ".flow .pill{fill:#0d1117}",
];

/// The graph as a file of its own, with a legend.
pub fn flow_svg(result: &Phases, extent: Extent) -> String {
    let drawn = picture(result, extent);
    let title = format!(
        "Control flow of {}: {}",
        words::program(result),
        words::node(result, extent.node)
    );
    let legend = legend::legend(result, extent.all);
    let top = 36.0 + legend.height + 6.0;
    let (width, height) = (
        drawn.width.max(legend.width) + 24.0,
        drawn.height + top + 12.0,
    );
    let title = escaped(&shorten(&title, ((width - 24.0) / 8.0) as usize));
    let heading = Color {
        light: "#1f2328",
        dark: "#e6edf3",
    };
    let open = SvgDocument {
        width,
        height,
        title: &title,
        description: "",
        style: &format!("{STYLE}{}", dark::file(DARK)),
        rules: &[
            DarkRule(".paper", "fill", dark::GROUND),
            DarkRule(".heading", "fill", heading),
        ],
    }
    .open();
    format!(
        "{open}<text class=\"heading\" x=\"12\" y=\"22\" style=\"font:600 14px sans-serif\">{title}</text>\n\
         <g transform=\"translate(12 36)\">{}</g>\n<g transform=\"translate(12 {top:.0})\">{}</g>\n</svg>\n",
        legend.body, drawn.body,
    )
}

/// One layer for the page: without style and frame around it. Closed boxes lead to the element that [`layer_id`] or
/// [`all_id`] names, if `opens` says that the page has it.
pub(super) fn layer_inline(
    result: &Phases,
    node: usize,
    all: bool,
    opens: &dyn Fn(usize) -> bool,
) -> String {
    let pen = DrawingStyle {
        result,
        all,
        open: vec![node],
        opens,
    };
    inline(&pen.layer(node), &words::node(result, node))
}

/// All layers for the page.
pub(super) fn flow_inline(result: &Phases) -> String {
    inline(&picture(result, Extent::default()), &words::node(result, 0))
}

/// What colours and lines mean, for the page.
pub(super) fn legend_inline(result: &Phases) -> String {
    let DrawnPart {
        width,
        height,
        body,
    } = legend::legend(result, false);
    format!(
        "<svg viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-label=\"Legend\">{body}</svg>"
    )
}

fn inline(drawn: &DrawnPart, name: &str) -> String {
    let (width, height) = (drawn.width + 4.0, drawn.height + 4.0);
    // Wide drawings shrink to the page, as long as they can be read.
    format!(
        "<svg viewBox=\"-2 -2 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" style=\"min-width:{:.0}px\" role=\"group\" aria-label=\"Control flow of {}\"><g class=\"flow\">{}</g></svg>",
        width * 0.7,
        escaped(name),
        drawn.body
    )
}

fn picture(result: &Phases, extent: Extent) -> DrawnPart {
    let mut pen = DrawingStyle {
        result,
        all: extent.all,
        open: vec![extent.node],
        opens: &|_| false,
    };
    if !extent.one_layer {
        pen.open();
    }
    let mut drawn = pen.layer(extent.node);
    drawn.body = format!("<g class=\"flow\">{}</g>", drawn.body);
    drawn
}

#[cfg(test)]
mod tests {
    use super::boxes::opacity;
    use super::*;

    /// Relative luminance and contrast as WCAG 2.2 defines them.
    fn luminance(color: [f64; 3]) -> f64 {
        let linear = |part: f64| {
            let part = part / 255.0;
            if part <= 0.04045 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(color[0]) + 0.7152 * linear(color[1]) + 0.0722 * linear(color[2])
    }

    fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// The colour of `.flow SELECTOR` in a list of rules.
    fn color(rules: &str, selector: &str) -> [f64; 3] {
        let rule = format!(".flow {selector}{{fill:#");
        let rest = &rules[rules.find(&rule).unwrap() + rule.len()..];
        let part = |at: usize| f64::from(u8::from_str_radix(&rest[at..at + 2], 16).unwrap());
        [part(0), part(2), part(4)]
    }

    #[test]
    fn text_on_the_hottest_box_can_be_read() {
        assert!((contrast([0.0; 3], [255.0; 3]) - 21.0).abs() < 1e-9);
        let heat = color(STYLE, ".heat");
        for rules in [STYLE.to_owned(), DARK.concat()] {
            let ground = color(&rules, ".box");
            let part = opacity(1.0);
            let hot = [0, 1, 2].map(|i| heat[i] * part + ground[i] * (1.0 - part));
            for text in ["text", ".quiet", ".loop"] {
                let reached = contrast(color(&rules, text), hot);
                assert!(reached >= 4.5, "{text}: {reached:.2}");
            }
        }
    }
}
