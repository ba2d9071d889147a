//! Plots over time and heatmaps, of which the reader chooses one at a time.

use minijinja::value::Value;
use parascan_analysis::phases::Phases;
use parascan_analysis::phases::thread_times::ThreadCombination;
use parascan_formats::omp::Construct;
use serde::Serialize;

use crate::phases::plots::{self, HeatmapSubject, Measure, Plot};
use crate::phases::words;
use crate::shared::html::markup;
use crate::shared::style::safe;

/// Most plots of regions.
const PLOTS: usize = 16;

#[derive(Debug, Serialize)]
pub(super) struct DrawingSections {
    overheads: DrawingChoice,
    constructs: DrawingChoice,
    counters: DrawingChoice,
}

/// Drawings to choose from.
#[derive(Debug, Serialize)]
struct DrawingChoice {
    /// The element's name in the page.
    id: &'static str,
    /// What is chosen.
    label: &'static str,
    drawings: Vec<Drawing>,
    /// There is more than one.
    several: bool,
}

#[derive(Debug, Serialize)]
struct Drawing {
    name: String,
    svg: Value,
}

impl DrawingChoice {
    fn new(id: &'static str, label: &'static str, drawings: Vec<Drawing>) -> Self {
        let several = drawings.len() > 1;
        Self {
            id,
            label,
            drawings,
            several,
        }
    }
}

fn drawing(name: String, plot: &Plot) -> Drawing {
    let svg = markup(plot.inline());
    Drawing { name, svg }
}

/// A drawing that is called by its title.
fn titled(plot: &Plot) -> Drawing {
    drawing(plot.title.clone(), plot)
}

/// All drawings; none where there are no phases.
pub(super) fn drawings(result: &Phases) -> Option<DrawingSections> {
    result.phases().next()?;
    let (constructs, counters) = (constructs(result), counters(result));
    Some(DrawingSections {
        overheads: DrawingChoice::new("overhead-plots", "Of", overheads(result)),
        constructs: DrawingChoice::new("construct-plots", "Region", constructs),
        counters: DrawingChoice::new("heat-plots", "Counter", counters),
    })
}

/// Of the whole program, and of parallel regions.
fn overheads(result: &Phases) -> Vec<Drawing> {
    let parallel = |node: &usize| result.tree.nodes[*node].place.construct == Construct::Parallel;
    let regions = words::listed(result).into_iter().filter(parallel);
    let whole = drawing("whole program".to_owned(), &plots::overheads(result, 0));
    let of_region = |node| drawing(words::node(result, node), &plots::overheads(result, node));
    let regions = regions.take(PLOTS).map(of_region);
    std::iter::once(whole).chain(regions).collect()
}

/// Times and executions of regions.
fn constructs(result: &Phases) -> Vec<Drawing> {
    let measures = [Measure::Time(ThreadCombination::Each), Measure::Count];
    let regions = words::listed(result).into_iter().take(PLOTS);
    let plots =
        regions.flat_map(|node| measures.map(|measure| plots::over_time(result, node, measure)));
    plots.map(|plot| titled(&plot)).collect()
}

/// Rates of counters: of all that threads do, and in the regions of most time, where they are known there.
fn counters(result: &Phases) -> Vec<Drawing> {
    let of_all = |counter| {
        let node = None;
        plots::heat(result, HeatmapSubject { node, counter })
    };
    let all = (0..result.counters.len().min(PLOTS)).map(|at| {
        let name = safe(&result.counters[at]);
        drawing(name, &of_all(Some(at)))
    });
    let handed_out = "loop iterations handed out".to_owned();
    let iterations = drawing(handed_out, &of_all(None));
    let in_regions = words::listed(result).into_iter().take(PLOTS / 4);
    let in_regions = in_regions.flat_map(|node| {
        let known = (0..result.counters.len()).filter(|&at| result.counts_in_regions(at));
        known.map(move |at| {
            let (node, counter) = (Some(node), Some(at));
            titled(&plots::heat(result, HeatmapSubject { node, counter }))
        })
    });
    let iterations = std::iter::once(iterations);
    all.chain(iterations).chain(in_regions).collect()
}
