//! What the page's sections of stretches hold; the script adds histograms and the tables of chains.

use minijinja::value::Value;
use serde::Serialize;

use super::iterations::{self, IterationDrawing};
use crate::ilp::{IlpReport, Stretch, graph};
use crate::shared::html::markup;
use crate::shared::style::safe;

#[derive(Debug, Serialize)]
pub(super) struct StretchSection {
    title: String,
    /// It has a histogram.
    histogram: bool,
    /// The drawing of its graph.
    graph: Option<Value>,
    iterations: Vec<IterationDrawing>,
    opened: Option<OpenedGraph>,
}

/// The graph in which something is opened.
#[derive(Debug, Serialize)]
struct OpenedGraph {
    /// What is opened.
    title: String,
    svg: Value,
}

/// A section for each stretch.
pub(super) fn stretches(report: &IlpReport) -> Vec<StretchSection> {
    let drawn = iterations::drawn(&report.stretches, iterations::ROOM);
    let all = report.stretches.iter().zip(drawn);
    all.map(|(stretch, iterations)| section(stretch, iterations))
        .collect()
}

fn section(stretch: &Stretch, iterations: Vec<IterationDrawing>) -> StretchSection {
    let drawing = |graph| markup(graph::figure(stretch, graph, true).inline());
    let opened = stretch.opened.as_ref().map(|opened| OpenedGraph {
        title: safe(&opened.title),
        svg: drawing(&opened.graph),
    });
    StretchSection {
        title: safe(&stretch.title),
        histogram: stretch.histogram.is_some(),
        graph: stretch.graph.as_ref().map(drawing),
        iterations,
        opened,
    }
}
