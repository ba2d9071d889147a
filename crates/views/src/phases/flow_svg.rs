//! The control-flow graph as SVG: boxes are regions, inside each the control flow of its layer; arrows carry
//! `threads|count`. The more time a region takes, the redder it is.

use std::fmt::Write;

use parascan_analysis::phases::{Phases, naming};

use super::graph::{self, Arrow, Extent, Graph, Item, Role, SMALL};
use super::layout::{Link, Placed, Route, place};
use super::{dark, words};
use crate::shared::style::{count, escaped, percent, safe, shorten};
use crate::shared::svg::{Color, Document, Rule};

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
/// Width that the lines of the legend need.
const LEGEND_WIDTH: f64 = 660.0;

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
    let legend = legend(result, extent.all);
    let top = 36.0 + legend.height + 6.0;
    let (width, height) = (
        drawn.width.max(LEGEND_WIDTH) + 24.0,
        drawn.height + top + 12.0,
    );
    let title = escaped(&shorten(&title, ((width - 24.0) / 8.0) as usize));
    let heading = Color {
        light: "#1f2328",
        dark: "#e6edf3",
    };
    let open = Document {
        width,
        height,
        title: &title,
        description: "",
        style: &format!("{STYLE}{}", dark::file(DARK)),
        rules: &[
            Rule(".paper", "fill", dark::GROUND),
            Rule(".heading", "fill", heading),
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
    let pen = Pen {
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
    let Drawn {
        width,
        height,
        body,
    } = legend(result, false);
    format!(
        "<svg viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-label=\"Legend\">{body}</svg>"
    )
}

/// The page's element with the layer of a node.
pub(super) fn layer_id(node: usize) -> String {
    format!("layer-{}", naming::id(node))
}

/// The page's element with the layer of a node and none of its regions folded.
pub(super) fn all_id(node: usize) -> String {
    format!("all-{}", naming::id(node))
}

fn inline(drawn: &Drawn, name: &str) -> String {
    let (width, height) = (drawn.width + 4.0, drawn.height + 4.0);
    // Wide drawings shrink to the page, as long as they can be read.
    format!(
        "<svg viewBox=\"-2 -2 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" style=\"min-width:{:.0}px\" role=\"group\" aria-label=\"Control flow of {}\"><g class=\"flow\">{}</g></svg>",
        width * 0.7,
        escaped(name),
        drawn.body
    )
}

fn picture(result: &Phases, extent: Extent) -> Drawn {
    let mut pen = Pen {
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

fn legend(result: &Phases, all: bool) -> Drawn {
    let mut out = String::from("<g class=\"flow\">");
    // Heat is linear, so a few steps show it.
    for step in 0..10 {
        let _ = write!(
            out,
            "<rect class=\"heat\" x=\"{}\" y=\"2\" width=\"6\" height=\"11\" fill-opacity=\"{:.3}\"/>",
            step * 6,
            opacity((f64::from(step) + 0.5) / 10.0)
        );
    }
    out += "<rect x=\"0\" y=\"2\" width=\"60\" height=\"11\" class=\"edge\"/>";
    let folded = if all {
        String::new()
    } else {
        format!(". Several regions below {SMALL}% of that time are one box")
    };
    let mut lines = vec![
        (
            None,
            "redder: more of the time of all threads, with everything inside (0 to 100%)"
                .to_owned(),
        ),
        (
            Some(Role::Onwards),
            format!("what the threads did: threads|count{folded}"),
        ),
        (
            Some(Role::Returns),
            "begins an iteration of a loop (\u{21bb}) anew".to_owned(),
        ),
    ];
    if graph::start(result).is_some() {
        lines.push((
            Some(Role::Phases),
            "the same, of the loop that makes the phases; thick frame: they begin here".to_owned(),
        ));
    }
    for (line, (role, text)) in (0..).zip(&lines) {
        let top = f64::from(line) * LINE;
        if let Some(role) = role {
            let ((class, tip), y) = (look(*role), top + 7.5);
            let _ = write!(
                out,
                "<path class=\"{class}\" d=\"M0 {y:.1}H54\"/><path class=\"{tip}\" d=\"M60 {y:.1}l-7 -4v8z\"/>"
            );
        }
        let _ = write!(
            out,
            "<text x=\"68\" y=\"{:.1}\">{}</text>",
            top + 11.5,
            escaped(text)
        );
    }
    Drawn {
        width: LEGEND_WIDTH,
        height: lines.len() as f64 * LINE + 4.0,
        body: out + "</g>",
    }
}

/// Classes of an arrow's line and tip.
fn look(role: Role) -> (&'static str, &'static str) {
    match role {
        Role::Onwards => ("edge", "tip"),
        Role::Returns => ("edge back", "backtip"),
        Role::Phases => ("edge back main", "backtip"),
    }
}

/// How strong the heat of a share of time is, 0 to 1: at most so strong that text on it has a contrast of 4.5, light
/// and dark.
fn opacity(share: f64) -> f64 {
    share * 0.45
}

struct Drawn {
    width: f64,
    height: f64,
    body: String,
}

/// What layers and boxes are drawn with.
struct Pen<'a> {
    result: &'a Phases,
    /// Small regions have boxes of their own.
    all: bool,
    /// Nodes whose layers are drawn inside them.
    open: Vec<usize>,
    /// Nodes whose closed boxes are links.
    opens: &'a dyn Fn(usize) -> bool,
}

impl Pen<'_> {
    /// Opens layers from outside to inside, as long as there is room.
    fn open(&mut self) {
        let mut budget = MOST;
        let mut next = 0;
        while next < self.open.len() {
            let graph = Graph::new(self.result, self.open[next], self.all);
            for item in graph.items {
                let Item::Region(child) = item else { continue };
                let inside = Graph::new(self.result, child, self.all).items.len();
                if inside > 0 && inside <= budget {
                    budget -= inside;
                    self.open.push(child);
                }
            }
            next += 1;
        }
    }

    /// One layer: the entry, the regions, the exit.
    fn layer(&self, node: usize) -> Drawn {
        let graph = Graph::new(self.result, node, self.all);
        if graph.items.is_empty() {
            return self.region(node, node);
        }
        let mut boxes = vec![terminal("begin")];
        boxes.extend(graph.items.iter().map(|item| match item {
            Item::Region(child) => self.region(node, *child),
            Item::Small(children) => self.small(node, children),
        }));
        boxes.push(terminal("end"));
        let sizes: Vec<(f64, f64)> = boxes.iter().map(|b| (b.width, b.height)).collect();
        let labels: Vec<String> = graph
            .arrows
            .iter()
            .map(|arrow| words::shares(&arrow.shares, GROUPS))
            .collect();
        let links: Vec<Link> = graph
            .arrows
            .iter()
            .zip(&labels)
            .map(|(arrow, label)| Link {
                from: arrow.from,
                to: arrow.to,
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
        for ((arrow, label), route) in graph.arrows.iter().zip(&labels).zip(&placed.routes) {
            draw_arrow(&mut body, route, label, arrow);
        }
        let Placed { width, height, .. } = placed;
        Drawn {
            width,
            height,
            body,
        }
    }

    /// A region: what and where it is, how often and how long it ran, and its layer when that is open.
    fn region(&self, layer: usize, node: usize) -> Drawn {
        let result = self.result;
        let of = &result.tree.nodes[node];
        let is_open = node != layer && self.open.contains(&node) && !of.children.is_empty();
        let inside = is_open.then(|| self.layer(node));
        let mut lines = vec![(
            "name",
            format!("{} {}", naming::id(node), of.place.construct.name()),
        )];
        let named = safe(&of.place.name);
        let location = safe(&naming::location(&of.place));
        let function = safe(naming::function(&of.place));
        if !named.is_empty() {
            lines.push(("quiet", named.clone()));
        }
        if !location.is_empty() {
            lines.push(("quiet", location));
        }
        if !function.is_empty() && function != named {
            lines.push(("quiet", format!("in {function}")));
        }
        lines.push((
            "quiet",
            format!("executions {}", words::executions(result, node)),
        ));
        let share = graph::heat(result, node);
        lines.push((
            "quiet",
            format!("{} {}", words::time(of.inclusive), percent(share)),
        ));
        for found in graph::loops_at(result, layer, node) {
            lines.push(("loop", format!("\u{21bb} {found}")));
        }
        if inside.is_none() && !of.children.is_empty() {
            lines.push(("quiet", format!("+ {} inside", of.children.len())));
        }
        let starts = graph::begins_phases(result, node);
        let mut about = words::about(result, node);
        if starts {
            about += "\nphases begin here";
        }
        let class = match (starts, inside.is_some()) {
            (true, true) => "box start deep",
            (true, false) => "box start",
            (false, true) => "box deep",
            (false, false) => "box",
        };
        let link = (inside.is_none() && (self.opens)(node)).then(|| layer_id(node));
        boxed(&lines, class, share, &about, link.as_deref(), inside)
    }

    /// Small regions of a layer.
    fn small(&self, layer: usize, nodes: &[usize]) -> Drawn {
        let result = self.result;
        let of = |node: usize| result.tree.nodes[node].inclusive;
        let time = nodes
            .iter()
            .fold(0, |sum: u64, &n| sum.saturating_add(of(n)));
        let share = nodes.iter().map(|&n| graph::heat(result, n)).sum();
        let mut lines = vec![
            ("name", format!("+ {} below {SMALL}%", nodes.len())),
            ("quiet", format!("{} {}", words::time(time), percent(share))),
        ];
        let loops = nodes
            .iter()
            .map(|&node| graph::loops_at(result, layer, node).len());
        let loops: usize = loops.sum();
        if loops > 0 {
            let loops = count(loops as u64, "loop begins", "loops begin");
            lines.push(("loop", format!("\u{21bb} {loops} in them")));
        }
        let link = (self.opens)(layer).then(|| all_id(layer));
        boxed(
            &lines,
            "box few",
            share,
            &graph::about_small(result, nodes),
            link.as_deref(),
            None,
        )
    }
}

/// A box with lines of text, each of its class, and what is inside it. Its heat lies below the text only, where
/// something is inside.
fn boxed(
    lines: &[(&str, String)],
    class: &str,
    share: f64,
    about: &str,
    link: Option<&str>,
    inside: Option<Drawn>,
) -> Drawn {
    let lines: Vec<(&str, String)> = lines
        .iter()
        .map(|(class, line)| (*class, shorten(line, COLUMNS)))
        .collect();
    let letters = lines.iter().map(|l| l.1.chars().count()).max().unwrap_or(0);
    let text = letters as f64 * LETTER + 2.0 * PAD;
    let head = lines.len() as f64 * LINE + PAD;
    let (width, height, hot) = match &inside {
        Some(inside) => (
            text.max(inside.width + 2.0 * PAD),
            head + inside.height + 2.0 * PAD,
            head + PAD / 2.0,
        ),
        None => (text, head + PAD / 2.0, head + PAD / 2.0),
    };
    let (open, close) = match link {
        Some(link) => (format!("<a href=\"#{link}\">"), "</a>"),
        None => ("<g>".to_owned(), "</g>"),
    };
    let mut body = format!(
        "{open}<title>{}</title><rect class=\"{class}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"7\"/>\
         <rect class=\"heat\" width=\"{width:.1}\" height=\"{hot:.1}\" rx=\"7\" fill-opacity=\"{:.3}\"/>",
        escaped(about),
        opacity(share)
    );
    for (number, (class, line)) in (0..).zip(&lines) {
        let y = PAD + LINE * (f64::from(number) + 0.7);
        let _ = write!(
            body,
            "<text class=\"{class}\" x=\"{PAD}\" y=\"{y:.1}\">{}</text>",
            escaped(line)
        );
    }
    body += close;
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

fn terminal(name: &str) -> Drawn {
    Drawn {
        width: 44.0,
        height: 18.0,
        body: format!(
            "<rect class=\"pill end\" width=\"44\" height=\"18\" rx=\"9\"/><text class=\"quiet\" x=\"22\" y=\"13\" text-anchor=\"middle\">{name}</text>"
        ),
    }
}

fn draw_arrow(body: &mut String, route: &Route, label: &str, arrow: &Arrow) {
    let (class, tip) = look(arrow.role);
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
        escaped(&graph::about(arrow)),
        route.label.0 - width / 2.0,
        route.label.1 - 7.0,
        route.label.0,
        route.label.1 + 4.0,
        escaped(label)
    );
}

#[cfg(test)]
mod tests {
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
