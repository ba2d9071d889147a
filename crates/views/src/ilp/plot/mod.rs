//! SVG plots: no script, no font, nothing from outside; readable in light and dark.

mod axis;
mod bars;
mod distribution;
mod exposed;
mod profile;
mod window;

use std::fmt::Write;

use parascan_isa::HistogramClass;

pub use exposed::ExposedParallelism;

use super::{IlpReport, Stretch};
use crate::shared::style::{escaped, safe, shorten, wrap};

/// Colours of the histogram classes, by the number of the [`HistogramClass`].
pub(super) const KINDS: [&str; HistogramClass::ALL.len()] = [
    "#d1495b", "#e0862f", "#5b8fd9", "#43a35c", "#1f8a9e", "#8f6fc7", "#8a949e",
];
/// Colour of loops in graphs.
pub(super) const GROUP: &str = "#8a949e";
/// Colours of curves and groups, in order; they begin anew after the last.
pub(super) const SERIES: [&str; 6] = [
    "#2f6fd0", "#d1495b", "#43a35c", "#8f6fc7", "#e0862f", "#1f8a9e",
];

/// Width of a character of the remark, on the wide side.
const CHARACTER: f64 = 6.9;

/// A drawing that can stand alone or in a page.
#[derive(Clone, Debug)]
pub(super) struct Figure {
    pub(super) title: String,
    /// What must be known besides, below the title: two lines at most.
    pub(super) remark: String,
    pub(super) width: f64,
    pub(super) height: f64,
    /// Elements below the title.
    pub(super) body: String,
}

impl Figure {
    /// A plot of the usual size. `of` is the program or stretch.
    fn plot(what: &str, of: &str, remark: String, body: String) -> Self {
        Self {
            title: match of {
                "" => what.to_owned(),
                _ => format!("{what}: {}", shorten(&safe(of), 60)),
            },
            remark,
            width: axis::WIDTH,
            height: axis::HEIGHT,
            body,
        }
    }

    /// A file of its own, which brings its styles.
    pub(super) fn document(&self) -> String {
        self.svg(&format!("<style>{}</style>\n", style()))
    }

    /// As a part of a page that has [`style`] already.
    pub(super) fn inline(&self) -> String {
        self.svg("")
    }

    fn svg(&self, style: &str) -> String {
        let Self {
            title,
            remark,
            width,
            height,
            body,
        } = self;
        let mut lines = String::new();
        let room = ((width - 36.0) / CHARACTER) as usize;
        for (number, line) in wrap(remark, room, "", "").iter().take(2).enumerate() {
            let _ = writeln!(
                lines,
                "<text class=\"quiet\" x=\"18\" y=\"{}\">{}</text>",
                44 + 16 * number,
                escaped(line)
            );
        }
        let (title, remark) = (escaped(title), escaped(remark));
        format!(
            "<svg class=\"plot\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-label=\"{title}. {remark}\">\n\
             {style}<rect class=\"paper\" width=\"{width:.0}\" height=\"{height:.0}\"/>\n\
             <text class=\"title\" x=\"18\" y=\"25\">{title}</text>\n{lines}{body}</svg>\n"
        )
    }
}

/// Rules for drawings that stand alone: light, and dark where the reader's system is.
fn style() -> String {
    format!(
        "{}@media(prefers-color-scheme:dark){{{}}}",
        light_style(),
        dark_rules("")
    )
}

/// Rules for drawings on paper; they hold below `.plot` only, so that a page can have them too.
pub(super) fn light_style() -> String {
    let mut out = String::from(
        ".plot text{font:12px 'DejaVu Sans',sans-serif;fill:#222}.plot .paper{fill:#fff}.plot .title{font-size:15px;font-weight:bold}.plot .quiet{fill:#555}\
         .plot .grid{stroke:#ddd;fill:none}.plot .axis{stroke:#888;fill:none}.plot .end{text-anchor:end}.plot .mid{text-anchor:middle}\
         .plot .line{fill:none;stroke-width:2.2;stroke-linejoin:round}.plot .dash{fill:none;stroke-width:1.4;stroke-dasharray:6 4}.plot .hit{fill:#000;fill-opacity:0}\
         .plot .hit:hover{fill-opacity:.08}.plot .area{fill-opacity:.75}\
         .plot .edge{fill:none;stroke:#777;stroke-opacity:.55}.plot .hot{stroke:#d1495b;stroke-opacity:.95;stroke-width:2}.plot .node{stroke-width:1.2;fill-opacity:.22}\
         .plot .mono{font-family:'DejaVu Sans Mono',monospace;font-size:11px}.plot .tip{fill:#777;stroke:none}.plot .row{stroke:#eee;fill:none}\
         .plot .count{font-size:10px;paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}",
    );
    let _ = write!(out, ".plot .group{{fill:{GROUP};stroke:{GROUP}}}");
    for (number, color) in KINDS.iter().enumerate() {
        let _ = write!(out, ".plot .k{number}{{fill:{color};stroke:{color}}}");
    }
    for (number, color) in SERIES.iter().enumerate() {
        let _ = write!(
            out,
            ".plot .s{number}{{fill:{color}}}.plot .c{number}{{stroke:{color}}}"
        );
    }
    out + ".plot .dot{fill-opacity:.8;stroke-width:.8}.plot .ring{stroke:#c1121f;stroke-width:2.6}"
}

/// Rules that darken drawings, below the elements that a selector finds.
pub(super) fn dark_rules(below: &str) -> String {
    const RULES: [&str; 12] = [
        "text{fill:#ddd}",
        ".paper{fill:#16191e}",
        ".quiet{fill:#aaa}",
        ".grid{stroke:#383c42}",
        ".row{stroke:#2b2f35}",
        ".hit{fill:#fff}",
        ".node{fill-opacity:.35}",
        ".dot{fill-opacity:.8}",
        ".ring{stroke:#ff7b8b}",
        ".edge{stroke:#999}",
        ".hot{stroke:#ff7b8b}",
        ".count{stroke:#16191e}",
    ];
    RULES.map(|rule| format!("{below}.plot {rule}")).concat()
}

/// Names beside their colours, in a row that ends at `right`; shortened where they would not fit.
pub(super) fn legend(entries: &[(String, String)], right: f64, y: f64, out: &mut String) {
    // Letters differ in width; seven units each leave room for wide ones.
    let wide = |text: &str| 7.0 * text.chars().count() as f64 + 30.0;
    let all: f64 = entries.iter().map(|e| wide(&e.1)).sum();
    let room = right - 18.0;
    let most = if all > room {
        ((room / entries.len() as f64 - 30.0) / 7.0).max(1.0) as usize
    } else {
        usize::MAX
    };
    let names: Vec<String> = entries.iter().map(|e| shorten(&e.1, most)).collect();
    let mut x = right + 14.0 - names.iter().map(|name| wide(name)).sum::<f64>();
    for ((class, _), name) in entries.iter().zip(&names) {
        let _ = writeln!(
            out,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{:.1}\" width=\"11\" height=\"11\"/><text x=\"{:.1}\" y=\"{y:.1}\">{}</text>",
            y - 10.0,
            x + 16.0,
            escaped(name)
        );
        x += wide(name);
    }
}

/// The parallelism profile of a graph under a model; `None` where there is no such result or nothing was counted.
pub fn profile(report: &IlpReport, stream: usize, model: usize) -> Option<String> {
    profile::of_run(report, stream, model).map(|f| f.document())
}

/// Instructions per step of a stretch, where its histogram was asked for.
pub fn histogram(stretch: &Stretch) -> Option<String> {
    profile::of_stretch(stretch).map(|f| f.document())
}

/// Values alive over time, where values were asked for.
pub fn storage(report: &IlpReport, stream: usize, model: usize) -> Option<String> {
    profile::storage(report, stream, model).map(|f| f.document())
}

/// Lifetimes of values, where they were asked for.
pub fn lifetimes(report: &IlpReport, stream: usize, model: usize) -> Option<String> {
    distribution::lifetimes(report, stream, model).map(|f| f.document())
}

/// Degrees of sharing, where values were asked for.
pub fn sharing(report: &IlpReport, stream: usize, model: usize) -> Option<String> {
    distribution::sharing(report, stream, model).map(|f| f.document())
}

/// Parallelism over the window (Paragraph, figure 8), where two models differ in it only.
pub fn window(report: &IlpReport, stream: usize) -> Option<String> {
    window::figure(report, stream).map(|f| f.document())
}

/// What windows expose of the parallelism of several programs (Paragraph, figure 8); `None` where there is nothing to
/// draw.
pub fn exposed(title: &str, programs: &[ExposedParallelism]) -> Option<String> {
    exposed::figure(title, programs).map(|f| f.document())
}

/// Parallelism by what is renamed (Paragraph, table 4), where two models differ in it only.
pub fn rename(report: &IlpReport, stream: usize) -> Option<String> {
    bars::figure(report, stream).map(|f| f.document())
}

/// All plots that there are, as file names without folder, and documents: of the process that did most, and of the
/// model in focus where a plot shows one.
pub fn all(report: &IlpReport) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = figures(report)
        .into_iter()
        .map(|(name, figure)| (format!("{name}.svg"), figure.document()))
        .collect();
    for (number, stretch) in report.stretches.iter().enumerate() {
        if let Some(text) = histogram(stretch) {
            out.push((format!("histogram-{}.svg", number + 1), text));
        }
        if let Some(text) = super::graph_svg(stretch) {
            out.push((format!("graph-{}.svg", number + 1), text));
        }
    }
    out
}

/// The plots of the graph and model of which details are shown, by name.
pub(super) fn figures(report: &IlpReport) -> Vec<(&'static str, Figure)> {
    let (stream, model) = (report.main(), report.focus);
    [
        ("profile", profile::of_run(report, stream, model)),
        ("window", window::figure(report, stream)),
        ("rename", bars::figure(report, stream)),
        ("lifetimes", distribution::lifetimes(report, stream, model)),
        ("sharing", distribution::sharing(report, stream, model)),
        ("storage", profile::storage(report, stream, model)),
    ]
    .into_iter()
    .filter_map(|(name, figure)| Some((name, figure?)))
    .collect()
}

/// Says which model a figure is of, and whether the run is whole.
fn of_model(report: &IlpReport, stream: usize, model: usize) -> String {
    let name = report
        .models
        .get(model)
        .map_or_else(String::new, |m| format!("model {}", safe(&m.name)));
    let graph = match (report.streams.len(), report.streams.get(stream)) {
        (2.., Some(stream)) => format!(", {}", safe(&stream.name)),
        _ => String::new(),
    };
    let partial = if report.partial { "; partial" } else { "" };
    format!("{name}{graph}{partial}")
}
