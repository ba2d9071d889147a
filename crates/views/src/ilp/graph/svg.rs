//! A data-flow graph as SVG: nodes coloured by class, the longest chain marked, source lines on pointing at a node.

use std::fmt::Write;

use parascan_ddg::stretch::{DataFlowGraph, Edge};
use parascan_isa::HistogramClass;

use super::layout::{GraphLayout, MOST, PlacedNode, layout};
use super::{left_out, lines, tooltip};
use crate::ilp::plot::{Figure, legend};
use crate::ilp::{InstructionSite, Stretch};
use crate::shared::style::{count, escaped, grouped, safe, shorten};
use crate::shared::svg::{Area, FontFace, Labels, text_width};

/// Left of the graph: the numbers of the steps.
const LEFT: f64 = 90.0;
/// Above the graph: title and legend.
const TOP: f64 = 98.0;
/// Right of the graph: edges back.
const RIGHT: f64 = 70.0;
/// Height of a box with two lines.
const BOX: f64 = 42.0;
/// Narrowest drawing: the legend's width.
const LEAST: f64 = 760.0;

/// The graph of a stretch as an SVG document, where it was asked for.
pub fn svg(stretch: &Stretch) -> Option<String> {
    let graph = stretch.shown_graph()?;
    Some(figure(stretch, graph, false).document())
}

/// The graph, for a document or a page, in which nodes say which loop a click on them offers. Dots have their
/// instructions under them in letters so small that they can be read only where the drawing is magnified.
pub(in crate::ilp) fn figure(stretch: &Stretch, graph: &DataFlowGraph, in_page: bool) -> Figure {
    let is_opened = graph.nodes.iter().any(|node| node.opened);
    let layout = layout(stretch, graph);
    let sites: Vec<InstructionSite> = graph
        .nodes
        .iter()
        .map(|n| stretch.site(n.statics))
        .collect();
    let width = (LEFT + layout.width + RIGHT).max(LEAST);
    let mut body = String::new();
    let kinds: Vec<(String, String)> = HistogramClass::ALL
        .iter()
        .filter(|kind| {
            let mut nodes = graph.nodes.iter().zip(&sites);
            nodes.any(|(node, site)| node.group.is_none() && site.kind == **kind)
        })
        .map(|kind| (format!("k{}", *kind as usize), kind.name().to_owned()))
        .collect();
    legend(&kinds, width - 18.0, 82.0, &mut body);
    rows(&layout, width, &mut body);
    let shift = (width - RIGHT + LEFT - layout.width) / 2.0;
    let _ = writeln!(body, "<g transform=\"translate({shift:.1} {TOP})\">");
    let mut counts = Vec::new();
    for (number, corners) in &layout.edges {
        let edge = &graph.edges[*number];
        let middle = draw_edge(&layout, edge, corners, &mut body);
        if layout.boxes && edge.count > 1 {
            counts.push((edge, middle));
        }
    }
    draw_counts(&layout, counts, &mut body);
    for ((node, site), placed) in graph.nodes.iter().zip(&sites).zip(&layout.nodes) {
        let ring = if node.critical { " ring" } else { "" };
        let class = match node.group {
            Some(_) => format!("node group{ring}"),
            None => format!("node k{}{ring}", site.kind as usize),
        };
        let faint = if is_opened && !node.opened {
            " opacity=\"0.45\""
        } else {
            ""
        };
        let of_loop = stretch.loop_of.get(&node.statics).filter(|_| in_page);
        let (choice, more) = of_loop.map_or_else(Default::default, |number| {
            let choice = format!(" data-loop=\"{number}\"");
            (choice, "\na click offers single iterations of its loop")
        });
        let _ = write!(
            body,
            "<g{faint}{choice}><title>{}{more}</title>",
            escaped(&tooltip(site, node))
        );
        if layout.boxes {
            draw_box(placed, &class, &mut body);
        } else {
            let _ = write!(
                body,
                "<circle class=\"{class} dot\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{:.1}\"/>",
                placed.x,
                placed.y,
                placed.width / 2.0
            );
            draw_text(placed, &lines(stretch, site, node), &mut body);
        }
        body += "</g>\n";
    }
    body += "</g>\n";
    Figure {
        title: format!("Data flow: {}", shorten(&safe(&stretch.title), 60)),
        remark: remark(stretch, graph, &layout),
        width,
        height: TOP + layout.height + 14.0,
        body,
    }
}

/// What is in the picture and what is not.
fn remark(stretch: &Stretch, graph: &DataFlowGraph, layout: &GraphLayout) -> String {
    let what = if graph.is_by_loop() {
        "a node is a loop, or a routine's code outside of loops"
    } else {
        "a row is a step"
    };
    let mut out = format!(
        "{} as {}, {}; {what}; red: the longest chain",
        count(graph.instances, "instance", "instances"),
        count(graph.nodes.len() as u64, "node", "nodes"),
        count(graph.edges.len() as u64, "edge", "edges"),
    );
    if graph.nodes.len() > layout.nodes.len() {
        out += &format!("; the first {} nodes are drawn", grouped(MOST as u64));
    }
    if let Some(text) = left_out(graph) {
        out += &format!("; {text}");
    }
    if let Some(title) = stretch.title_of(graph) {
        out += &format!("; {title}, instance by instance; faint: the rest, put together");
    }
    out + &format!("; model {}", safe(&stretch.model))
}

/// A line and the step of each row; where rows are close, of some.
fn rows(layout: &GraphLayout, width: f64, out: &mut String) {
    let every = if layout.boxes { 1 } else { 5 };
    let mut before = None;
    for (number, &(level, y)) in layout.rows.iter().enumerate() {
        let y = TOP + y;
        let skipped = before.is_some_and(|b| level > b + 1);
        before = Some(level);
        if number % every == 0 || (skipped && layout.boxes) {
            let _ = writeln!(
                out,
                "<path class=\"row\" d=\"M{LEFT} {y:.1}H{:.1}\"/><text class=\"end quiet\" x=\"{:.1}\" y=\"{:.1}\">step {}</text>",
                width - 18.0,
                LEFT - 10.0,
                y + 4.0,
                grouped(level.into())
            );
        }
    }
}

/// Height of letters under a dot, and the most of them that are no wider than dots are apart.
const SMALL: (f64, usize) = (1.1, 24);

/// What is under a dot.
fn draw_text(placed: &PlacedNode, lines: &[String], out: &mut String) {
    let (size, most) = SMALL;
    for (number, line) in lines.iter().enumerate() {
        let _ = write!(
            out,
            "<text class=\"mid mono near\" style=\"font-size:{size}px\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            placed.x,
            placed.y + placed.height / 2.0 + size * 1.3 * (number + 1) as f64,
            escaped(&shorten(line, most))
        );
    }
}

fn draw_box(placed: &PlacedNode, class: &str, out: &mut String) {
    let (left, top) = (
        placed.x - placed.width / 2.0,
        placed.y - placed.height / 2.0,
    );
    let _ = write!(
        out,
        "<rect class=\"paper\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{0:.1}\" height=\"{1:.1}\" rx=\"4\"/><rect class=\"{class}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{0:.1}\" height=\"{1:.1}\" rx=\"4\"/>",
        placed.width, placed.height
    );
    for (number, line) in placed.lines.iter().enumerate() {
        let quiet = if number > 0 { " quiet" } else { "" };
        let _ = write!(
            out,
            "<text class=\"mid mono{quiet}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            placed.x,
            top + 17.0 + 15.0 * number as f64,
            escaped(line)
        );
    }
}

/// Size of an edge's number of times, in pixels.
const COUNT: f64 = 10.0;

/// How many times edges stand for, beside their middles, those of the longest chain first. Where another number or a
/// box is, they move to the next free place; what finds none is left to the edge's title.
fn draw_counts(layout: &GraphLayout, mut counts: Vec<(&Edge, (f64, f64))>, out: &mut String) {
    let mut labels = Labels::new(Area {
        left: -LEFT,
        top: 0.0,
        right: layout.width + RIGHT,
        bottom: layout.height,
    });
    for node in &layout.nodes {
        labels.take(Area {
            left: node.x - node.width / 2.0,
            top: node.y - node.height / 2.0,
            right: node.x + node.width / 2.0,
            bottom: node.y + node.height / 2.0,
        });
    }
    counts.sort_by_key(|(edge, _)| !edge.critical);
    for (edge, (x, y)) in counts {
        let label = times(edge);
        let width = text_width(&label, COUNT, FontFace::Regular);
        let places = [
            (4.0, 3.0),
            (-4.0 - width, 3.0),
            (4.0, 14.0),
            (4.0, -8.0),
            (-4.0 - width, 14.0),
            (-4.0 - width, -8.0),
        ];
        let free = places
            .map(|(right, down)| (x + right, y + down))
            .into_iter()
            .find(|(left, base)| {
                labels.take(Area {
                    left: *left,
                    top: base - 0.8 * COUNT,
                    right: left + width,
                    bottom: base + 0.2 * COUNT,
                })
            });
        if let Some((left, base)) = free {
            let _ = writeln!(
                out,
                "<text class=\"count\" x=\"{left:.1}\" y=\"{base:.1}\">{label}</text>"
            );
        }
    }
}

fn times(edge: &Edge) -> String {
    format!("×{}", grouped(edge.count))
}

/// Draws an edge; where its middle is.
fn draw_edge(
    layout: &GraphLayout,
    edge: &Edge,
    corners: &[(f64, f64)],
    out: &mut String,
) -> (f64, f64) {
    let (from, to) = (&layout.nodes[edge.from], &layout.nodes[edge.to]);
    let hot = if edge.critical { " hot" } else { "" };
    let mut tip = String::new();
    let (path, middle) = if from.y < to.y {
        downwards(layout, from, to, corners, &mut tip)
    } else if from.y <= to.y && edge.from != edge.to {
        sideways(from, to, &mut tip)
    } else {
        backwards(from, to, &mut tip)
    };
    let back = if from.y < to.y {
        ""
    } else {
        " stroke-dasharray=\"5 3\""
    };
    let times = if edge.count > 1 {
        format!(" {}", times(edge))
    } else {
        String::new()
    };
    let _ = writeln!(
        out,
        "<path class=\"edge{hot}\"{back} d=\"{path}\"><title>{}{times}</title></path>{}",
        escaped(&safe(&edge.via.name())),
        if layout.boxes { tip } else { String::new() },
    );
    middle
}

/// A smooth line from row to row, and the place of its label.
fn downwards(
    layout: &GraphLayout,
    from: &PlacedNode,
    to: &PlacedNode,
    corners: &[(f64, f64)],
    tip: &mut String,
) -> (String, (f64, f64)) {
    let end = to.y - to.height / 2.0;
    let stop = if layout.boxes { end - 6.0 } else { end };
    let (mut x, mut y) = (from.x, from.y + from.height / 2.0);
    let mut path = format!("M{x:.1} {y:.1}");
    let mut curve = |to: (f64, f64)| {
        let middle = f64::midpoint(y, to.1);
        let _ = write!(
            path,
            "C{x:.1} {middle:.1} {0:.1} {middle:.1} {0:.1} {1:.1}",
            to.0, to.1
        );
        let between = (f64::midpoint(x, to.0), middle);
        (x, y) = to;
        between
    };
    // Straight through the rows between, so as not to cut corners of boxes.
    let half = if layout.boxes { BOX / 2.0 } else { 0.0 };
    for &(bend, row) in &corners[1..corners.len() - 1] {
        curve((bend, row - half));
        if half > 0.0 {
            curve((bend, row + half));
        }
    }
    let middle = curve((to.x, stop));
    let _ = write!(
        tip,
        "<path class=\"tip\" d=\"M{:.1} {end:.1}l-3.5 -7h7z\"/>",
        to.x
    );
    (path, middle)
}

/// A line below a row, to a later instance of another node of it.
fn sideways(from: &PlacedNode, to: &PlacedNode, tip: &mut String) -> (String, (f64, f64)) {
    let (start, end) = (from.y + from.height / 2.0, to.y + to.height / 2.0);
    let low = start.max(end) + 24.0;
    let _ = write!(
        tip,
        "<path class=\"tip\" d=\"M{:.1} {end:.1}l-3.5 7h7z\"/>",
        to.x
    );
    (
        format!(
            "M{:.1} {start:.1}C{:.1} {low:.1} {:.1} {low:.1} {:.1} {:.1}",
            from.x,
            from.x,
            to.x,
            to.x,
            end + 6.0
        ),
        (f64::midpoint(from.x, to.x), low - 8.0),
    )
}

/// A line around the right side, to a later instance of the node itself or of one above.
fn backwards(from: &PlacedNode, to: &PlacedNode, tip: &mut String) -> (String, (f64, f64)) {
    let (a, b) = (from.x + from.width / 2.0, to.x + to.width / 2.0);
    let lift = if std::ptr::eq(from, to) {
        from.height / 4.0
    } else {
        0.0
    };
    let (start, end) = (from.y + lift, to.y - lift);
    let out = a.max(b) + (18.0 + 0.12 * (start - end)).min(48.0);
    let _ = write!(
        tip,
        "<path class=\"tip\" d=\"M{b:.1} {end:.1}l7 -3.5v7z\"/>"
    );
    (
        format!(
            "M{a:.1} {start:.1}C{out:.1} {start:.1} {out:.1} {end:.1} {:.1} {end:.1}",
            b + 6.0
        ),
        (
            a.max(b) + 0.75 * (out - a.max(b)),
            f64::midpoint(start, end),
        ),
    )
}
