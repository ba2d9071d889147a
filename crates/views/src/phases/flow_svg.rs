//! The control-flow graph as SVG: boxes are regions, inside each the control flow of its layer; arrows carry
//! `threads|count`.

use std::fmt::Write;

use parascan_analysis::phases::cut::Start;
use parascan_analysis::phases::flow::Point;
use parascan_analysis::phases::{How, Phases, naming};

use super::layout::{Link, Placed, Route, place};
use super::{plots, words};
use crate::style::{escaped, percent, safe, shorten};

/// Width of a character of the monospaced font, in pixels.
const LETTER: f64 = 6.7;
/// Height of a line of text.
const LINE: f64 = 15.0;
/// Space inside a box.
const PAD: f64 = 9.0;
/// Longest line in a box.
const COLUMNS: usize = 34;
/// Most boxes drawn; deeper layers beyond are closed.
const MOST: usize = 160;
/// Most groups of threads in a label.
const GROUPS: usize = 3;

/// What the drawing looks like; shared with the page.
pub(super) const STYLE: &str = "\
.flow{font:11px ui-monospace,'DejaVu Sans Mono',monospace}\
.flow text{fill:#1f2328}.flow .box{fill:#f6f8fa;stroke:#57606a;stroke-width:1}.flow .start{stroke:#0969da;stroke-width:2.5}\
.flow .deep{fill:#fff}.flow .name{font-weight:700}.flow .quiet{fill:#57606a}\
.flow .edge{fill:none;stroke:#57606a;stroke-width:1.2}.flow .back{stroke:#0969da}.flow .tip{fill:#57606a}\
.flow .backtip{fill:#0969da}.flow .pill{fill:#fff;opacity:.85}.flow .end{fill:#57606a}";

/// What changes on a dark ground ([`plots::DARK`]).
pub(super) const DARK: &[&str] = &[
    ".flow text{fill:#e6edf3}",
    ".flow .quiet{fill:#9da7b3}",
    ".flow .box{fill:#161b22;stroke:#8b949e}",
    ".flow .start{stroke:#58a6ff}",
    ".flow .deep{fill:#0d1117}",
    ".flow .edge{stroke:#8b949e}",
    ".flow .back{stroke:#58a6ff}",
    ".flow .tip,.flow .end{fill:#8b949e}",
    ".flow .backtip{fill:#58a6ff}",
    ".flow .pill{fill:#0d1117}",
];

/// The graph below a node (0: the program), with all layers or only that node's.
pub fn flow_svg(result: &Phases, node: usize, one_layer: bool) -> String {
    let drawn = picture(result, node, one_layer);
    let title = format!(
        "Control flow of {}: {}",
        words::program(result),
        words::node(result, node)
    );
    let (width, height) = (drawn.width.max(240.0) + 24.0, drawn.height + 48.0);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\">\n\
         <title>{0}</title>\n<style>svg{{background:#fff}}{STYLE}{2}.heading{{fill:#1f2328}}\
         @media(prefers-color-scheme:dark){{.heading{{fill:#e6edf3}}}}</style>\n\
         <text class=\"heading\" x=\"12\" y=\"22\" style=\"font:600 14px sans-serif\">{0}</text>\n\
         <g transform=\"translate(12 36)\">{1}</g>\n</svg>\n",
        escaped(&shorten(&title, ((width - 24.0) / 8.0) as usize)),
        drawn.body,
        plots::dark(DARK)
    )
}

/// The same for the page: without style and frame around it.
pub(super) fn flow_inline(result: &Phases, node: usize, one_layer: bool) -> String {
    let drawn = picture(result, node, one_layer);
    let (width, height) = (drawn.width + 4.0, drawn.height + 4.0);
    format!(
        "<svg viewBox=\"-2 -2 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-label=\"Control flow of {}\">{}</svg>",
        escaped(&words::node(result, node)),
        drawn.body
    )
}

fn picture(result: &Phases, node: usize, one_layer: bool) -> Drawn {
    let mut budget = if one_layer { 0 } else { MOST };
    let open = open(result, node, &mut budget);
    let mut drawn = layer(result, node, &|n| !one_layer && open.contains(&n));
    drawn.body = format!("<g class=\"flow\">{}</g>", drawn.body);
    drawn
}

/// Nodes whose layers are drawn: from outside to inside, as long as there is room.
fn open(result: &Phases, node: usize, budget: &mut usize) -> Vec<usize> {
    let mut open = vec![node];
    let mut next = 0;
    while next < open.len() {
        for &child in &result.tree.nodes[open[next]].children {
            let inside = result.tree.nodes[child].children.len();
            if inside > 0 && inside <= *budget {
                *budget -= inside;
                open.push(child);
            }
        }
        next += 1;
    }
    open
}

struct Drawn {
    width: f64,
    height: f64,
    body: String,
}

/// One layer: the entry, the children, the exit.
fn layer(result: &Phases, node: usize, is_open: &dyn Fn(usize) -> bool) -> Drawn {
    let Some(of) = result.tree.layer(node) else {
        return a_box(result, node, is_open);
    };
    let children = &result.tree.nodes[node].children;
    let mut boxes = vec![terminal("begin")];
    boxes.extend(children.iter().map(|&child| a_box(result, child, is_open)));
    boxes.push(terminal("end"));
    let number = |point: Point| match point {
        Point::Entry => 0,
        Point::Exit => children.len() + 1,
        Point::Child(child) => children.binary_search(&child).map_or(0, |at| at + 1),
    };
    let sizes: Vec<(f64, f64)> = boxes.iter().map(|b| (b.width, b.height)).collect();
    let labels: Vec<String> = of
        .edges
        .iter()
        .map(|edge| words::shares(&edge.shares, GROUPS))
        .collect();
    let links: Vec<Link> = of
        .edges
        .iter()
        .zip(&labels)
        .map(|(edge, label)| Link {
            from: number(edge.from),
            to: number(edge.to),
            label: label.chars().count() as f64 * LETTER + 8.0,
        })
        .collect();
    let placed = place(&sizes, &links);
    let mut body = String::new();
    for (one, (x, y)) in boxes.iter().zip(&placed.items) {
        let _ = write!(
            body,
            "<g transform=\"translate({x:.1} {y:.1})\">{}</g>",
            one.body
        );
    }
    for ((edge, label), route) in of.edges.iter().zip(&labels).zip(&placed.routes) {
        let all = words::shares(&edge.shares, usize::MAX);
        draw_edge(&mut body, route, label, &all);
    }
    let Placed { width, height, .. } = placed;
    Drawn {
        width,
        height,
        body,
    }
}

fn terminal(name: &str) -> Drawn {
    Drawn {
        width: 44.0,
        height: 18.0,
        body: format!(
            "<rect class=\"pill\" width=\"44\" height=\"18\" rx=\"9\" stroke=\"#57606a\"/><text class=\"quiet\" x=\"22\" y=\"13\" text-anchor=\"middle\">{name}</text>"
        ),
    }
}

/// A region: what and where it is, how often and how long it ran, and its layer when that is open.
fn a_box(result: &Phases, node: usize, is_open: &dyn Fn(usize) -> bool) -> Drawn {
    let of = &result.tree.nodes[node];
    let inside = (is_open(node) && !of.children.is_empty()).then(|| layer(result, node, is_open));
    let all = result.tree.nodes[0].inclusive.max(1);
    let mut lines = vec![format!(
        "{} {}",
        naming::id(node),
        of.place.construct.name()
    )];
    let named = safe(&of.place.name);
    let location = safe(&naming::location(&of.place));
    let function = safe(naming::function(&of.place));
    if !named.is_empty() {
        lines.push(named.clone());
    }
    if !location.is_empty() {
        lines.push(location);
    }
    if !function.is_empty() && function != named {
        lines.push(format!("in {function}"));
    }
    lines.push(format!(
        "{} {}",
        words::time(of.inclusive),
        percent(of.inclusive as f64 / all as f64)
    ));
    if inside.is_none() && !of.children.is_empty() {
        lines.push(format!("+ {} inside", of.children.len()));
    }
    let lines: Vec<String> = lines.iter().map(|l| shorten(l, COLUMNS)).collect();
    let letters = lines.iter().map(|l| l.chars().count()).max().unwrap_or(0);
    let text = letters as f64 * LETTER + 2.0 * PAD;
    let head = lines.len() as f64 * LINE + PAD;
    let (width, height) = match &inside {
        Some(inside) => (
            text.max(inside.width + 2.0 * PAD),
            head + inside.height + 2.0 * PAD,
        ),
        None => (text, head + PAD / 2.0),
    };
    let starts = result
        .choice
        .as_ref()
        .filter(|choice| choice.how != How::Interval)
        .is_some_and(|choice| match choice.rule.start {
            Start::Entry(start) | Start::Mark(start) => start == node,
            Start::Return { header, .. } => header == node,
        });
    let mut class = "box".to_owned();
    if starts {
        class += " start";
    }
    if inside.is_some() {
        class += " deep";
    }
    let mut about = words::about(result, node);
    if starts {
        about += "\nphases begin here";
    }
    let mut body = format!(
        "<g><title>{}</title><rect class=\"{class}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"7\"/>",
        escaped(&about)
    );
    for (number, line) in lines.iter().enumerate() {
        let class = if number == 0 { "name" } else { "quiet" };
        let y = PAD + LINE * (number as f64 + 0.7);
        let _ = write!(
            body,
            "<text class=\"{class}\" x=\"{PAD}\" y=\"{y:.1}\">{}</text>",
            escaped(line)
        );
    }
    body += "</g>";
    if let Some(inside) = inside {
        let x = (width - inside.width) / 2.0;
        let _ = write!(
            body,
            "<g transform=\"translate({x:.1} {:.1})\">{}</g>",
            head + PAD,
            inside.body
        );
    }
    Drawn {
        width,
        height,
        body,
    }
}

fn draw_edge(body: &mut String, route: &Route, label: &str, all: &str) {
    let class = if route.back { "edge back" } else { "edge" };
    let tip = if route.back { "backtip" } else { "tip" };
    let points = &route.points;
    let mut path = format!("M{:.1} {:.1}", points[0].0, points[0].1);
    if route.own {
        let [_, (right, middle), (x, y)] = points[..] else {
            return;
        };
        let _ = write!(
            path,
            "C{right:.1} {:.1} {right:.1} {middle:.1} {right:.1} {middle:.1}S{right:.1} {y:.1} {x:.1} {y:.1}",
            points[0].1
        );
    } else {
        for pair in points.windows(2) {
            let [(from, top), (x, y)] = [pair[0], pair[1]];
            let middle = f64::midpoint(top, y);
            let _ = write!(
                path,
                "C{from:.1} {middle:.1} {x:.1} {middle:.1} {x:.1} {y:.1}"
            );
        }
    }
    let [.., before, (x, y)] = points[..] else {
        return;
    };
    let head = if route.own {
        format!("M{x:.1} {y:.1}l7 -4v8z")
    } else if before.1 < y {
        format!("M{x:.1} {y:.1}l-4 -7h8z")
    } else {
        format!("M{x:.1} {y:.1}l-4 7h8z")
    };
    let width = label.chars().count() as f64 * LETTER + 4.0;
    let _ = write!(
        body,
        "<g><title>{}</title><path class=\"{class}\" d=\"{path}\"/><path class=\"{tip}\" d=\"{head}\"/>\
         <rect class=\"pill\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"14\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text></g>",
        escaped(all),
        route.label.0 - width / 2.0,
        route.label.1 - 7.0,
        route.label.0,
        route.label.1 + 4.0,
        escaped(label)
    );
}
