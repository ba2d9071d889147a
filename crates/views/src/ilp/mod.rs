//! Results of `parascan ilp`: text, JSON, CSV, SVG plots, data-flow graphs and an HTML page.
//!
//! The figures come from `parascan-ddg` and are defined in `docs/ilp-model.md`; names, source lines and remarks come
//! from who calls. Both are put together in a [`IlpReport`].

mod bins;
mod csv;
mod graph;
mod json;
mod page;
mod plot;
mod quantiles;
mod series;
mod text;
mod together;

use std::collections::HashMap;

use parascan_ddg::model::MachineModel;
use parascan_ddg::program::RoutineId;
use parascan_ddg::result::{LevelHistogram, ModelFigures, RoutineFigures};
use parascan_ddg::stretch::{DataFlowGraph, DependenceChain, GraphLoop, StaticId};
use parascan_formats::profile::End;
use parascan_isa::HistogramClass;

pub use csv::csv;
pub use graph::{dot as graph_dot, svg as graph_svg};
pub use json::json;
pub use page::html;
pub use parascan_formats::names::{RoutineName as Name, SourceLine};
pub use plot::{
    ExposedParallelism, all as plots, exposed as exposed_svg, histogram as histogram_svg,
    lifetimes as lifetimes_svg, profile as profile_svg, rename as rename_svg,
    sharing as sharing_svg, storage as storage_svg, window as window_svg,
};
pub use text::text;

/// All that one run of `parascan ilp` found, for the views to show.
#[derive(Clone, Debug)]
pub struct IlpReport {
    /// The program's name, as it was called.
    pub program: String,
    /// The whole command; empty when unknown.
    pub command: Vec<String>,
    /// A command, word by word as a shell reads it, that does the same again for some steps alone: `None` where these
    /// (`A..B`) stand. Empty when unknown.
    pub again: Vec<Option<String>>,
    /// The same for an iteration of a loop: `None` where what follows `--open` stands.
    pub again_open: Vec<Option<String>>,
    /// What was looked at, in words: `from main`, `the whole run`, `routine dot`.
    pub scope: String,
    /// How the program ended.
    pub end: End,
    /// Whether something is missing at the end: the program was ended by a signal, or the trace stops early.
    pub partial: bool,
    /// What a reader of the figures must know besides: whole sentences.
    pub notes: Vec<String>,
    /// The models, in the order in which they were asked for.
    pub models: Vec<MachineModel>,
    /// Index of the model of which details are shown where there is room for one.
    pub focus: usize,
    /// The graphs: the program's own first, then (where asked for) those of the processes it started, and of threads.
    pub streams: Vec<StreamResults>,
    /// Routines by number.
    pub routines: Vec<Name>,
    /// Stretches looked at closely.
    pub stretches: Vec<Stretch>,
}

/// The results of one stream of instructions.
#[derive(Clone, Debug)]
pub struct StreamResults {
    /// `all threads`, `thread 2`.
    pub name: String,
    /// Whether it has all threads of a process in it: no instruction is in two such graphs.
    pub whole: bool,
    /// One per model, in the order of [`IlpReport::models`].
    pub outcomes: Vec<ModelFigures>,
}

/// A part of a stream of which every instance was recorded.
#[derive(Clone, Debug)]
pub struct Stretch {
    /// Which: `dot, call 1`.
    pub title: String,
    /// Name of the model.
    pub model: String,
    /// Instances in it.
    pub instructions: u64,
    /// Those of its instances that the model counts.
    pub operations: u64,
    /// Its own critical path.
    pub critical_path: u64,
    /// Whether it was cut at the limit of instances.
    pub stopped: bool,
    /// Operations by step and class, if asked for; of [`Stretch::steps`], where there are some.
    pub histogram: Option<LevelHistogram>,
    /// First and last step of histogram and graph, from 1; `None` for all.
    pub steps: Option<(u64, u64)>,
    /// Longest dependence chains, longest first.
    pub chains: Vec<DependenceChain>,
    /// Its data-flow graph, if asked for.
    pub graph: Option<DataFlowGraph>,
    /// The graph with an iteration opened, if asked for and executed.
    pub opened: Option<OpenedStretch>,
    /// Loops that the graph has put together, with iterations that the page opens.
    pub loops: Vec<StretchLoop>,
    /// Instructions that are part of a loop: its place among [`Stretch::loops`], the innermost one's.
    pub loop_of: HashMap<StaticId, usize>,
    /// Its instructions by their numbers; at least those of chains and graph.
    pub sites: HashMap<StaticId, InstructionSite>,
}

/// A data-flow graph in which an iteration of a loop is shown instance by instance.
#[derive(Clone, Debug)]
pub struct OpenedStretch {
    /// Which: `iteration 3 of the loop at 0x4011d0, entry 1`.
    pub title: String,
    /// That of the stretch, with nodes of their own for the instances of the iteration.
    pub graph: DataFlowGraph,
}

/// A loop of a stretch, as users know it.
#[derive(Clone, Debug)]
pub struct StretchLoop {
    /// What `--open` calls it, for a shell: `0x4011d0`, or `libm.so.6:0x4011d0`.
    pub name: String,
    /// Address of the last instruction that jumps back to its first, as the file has it.
    pub end: u64,
    /// Entries, iterations, graphs.
    pub found: GraphLoop,
}

/// An instruction at its place in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionSite {
    /// The instruction, disassembled.
    pub text: String,
    /// Where it stands in its module, as the file has it.
    pub address: u64,
    /// Its histogram class.
    pub kind: HistogramClass,
    /// Routine it belongs to.
    pub routine: String,
    /// Its source line, if known.
    pub place: Option<SourceLine>,
}

impl Stretch {
    /// First and last step of the histogram.
    fn drawn_steps(&self) -> (u64, u64) {
        let (first, last) = self.steps.unwrap_or((1, self.critical_path));
        (first, last.min(self.critical_path))
    }

    /// Which iteration a graph has opened, if it has one: `iteration 3 of the loop at 0x4011d0, entry 1`.
    fn title_of(&self, graph: &DataFlowGraph) -> Option<String> {
        let is = |other: &DataFlowGraph| std::ptr::eq(other, graph);
        if let Some(opened) = self.opened.as_ref().filter(|it| is(&it.graph)) {
            return Some(opened.title.clone());
        }
        self.loops.iter().find_map(|own| {
            let found = own.found.opened.iter().find(|it| is(&it.graph))?;
            let head = self.site(own.found.head).address;
            Some(opened_title(head, found.entry, found.iteration))
        })
    }

    /// The graph that there is one file for: with the iteration that was asked for, if there is one.
    fn shown_graph(&self) -> Option<&DataFlowGraph> {
        self.opened
            .as_ref()
            .map(|it| &it.graph)
            .or(self.graph.as_ref())
    }

    /// An instruction by its number.
    fn site(&self, number: StaticId) -> InstructionSite {
        self.sites
            .get(&number)
            .cloned()
            .unwrap_or_else(|| InstructionSite {
                text: format!("instruction {}", number.0),
                address: 0,
                kind: HistogramClass::Other,
                routine: String::new(),
                place: None,
            })
    }
}

impl IlpReport {
    /// The graphs of whole processes.
    fn processes(&self) -> impl Iterator<Item = (usize, &StreamResults)> {
        self.streams.iter().enumerate().filter(|(_, s)| s.whole)
    }

    /// Index of the graph of which details are shown: of the process that did most. 0 where there are none.
    fn main(&self) -> usize {
        let did =
            |stream: &StreamResults| stream.outcomes.get(self.focus).map_or(0, |o| o.operations);
        self.processes()
            .max_by_key(|(index, stream)| (did(stream), std::cmp::Reverse(*index)))
            .map_or(0, |(index, _)| index)
    }

    /// The figures of which details are shown.
    fn shown(&self) -> Option<&ModelFigures> {
        self.streams.get(self.main())?.outcomes.get(self.focus)
    }

    /// Name of a routine.
    fn name(&self, routine: RoutineId) -> Name {
        let index = routine.0 as usize;
        self.routines.get(index).cloned().unwrap_or_else(|| Name {
            name: format!("routine {index}"),
            ..Name::default()
        })
    }
}

/// What to call an opened iteration of the loop that begins at an address: `iteration 3 of the loop at 0x4011d0, entry
/// 1`.
pub fn opened_title(address: u64, entry: u64, iteration: u64) -> String {
    format!("iteration {iteration} of the loop at {address:#x}, entry {entry}")
}

/// `dot.c:12`, with the file's last part only; empty when unknown.
fn place(place: Option<&SourceLine>) -> String {
    place.map_or_else(String::new, |p| {
        let file = p.file.rsplit('/').next().unwrap_or(&p.file);
        format!("{}:{}", crate::shared::style::safe(file), p.line)
    })
}

/// Routines of an outcome: those that did most themselves first.
fn by_own(outcome: &ModelFigures) -> Vec<RoutineFigures> {
    let mut routines: Vec<RoutineFigures> = outcome
        .routines
        .iter()
        .filter(|r| r.calls > 0)
        .copied()
        .collect();
    routines.sort_by_key(|r| {
        (
            std::cmp::Reverse((r.own_operations, r.operations)),
            r.routine,
        )
    });
    routines
}

/// A quotient, `None` where it would be without meaning.
fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
