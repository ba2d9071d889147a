//! The results of `parascan ilp` as CSV, as documented in `docs/json.md`.

use parascan_ddg::result::{Flows, ModelFigures, Resources, RoutineFigures};

use super::text::notes;
use super::{IlpReport, Name, by_own, ratio};
use crate::shared::csv::document;
use crate::shared::style::safe;

const COLUMNS: [&str; 33] = [
    "graph",
    "model",
    "routine",
    "module",
    "file",
    "line",
    "calls",
    "measured",
    "operations",
    "critical_path",
    "parallelism",
    "share",
    "own_operations",
    "own_measured",
    "own_share",
    "own_critical_path",
    "own_parallelism",
    "instructions",
    "counted_levels",
    "most_alive",
    "most_alive_level",
    "widest",
    "widest_level",
    "units_90",
    "units_99",
    "units_100",
    "read_by",
    "read_by_module",
    "thread",
    "read_by_thread",
    "reads",
    "partial",
    "notes",
];
/// So many of these are of resources.
const RESOURCES: usize = 8;
/// So many are of flows.
const FLOWS: usize = 5;
/// The last of these are of the run: each line of a whole has them, as readers look for a graph and a model, and a
/// line that is of neither would be in their way.
const RUN: usize = 2;

/// The results as CSV: per graph and model a row for the whole (`routine` empty), then one per routine, then (where
/// they were asked for) one per flow of values.
pub fn csv(report: &IlpReport) -> String {
    // Notes are sentences, so that spaces keep them apart.
    let run = [report.partial.to_string(), notes(report).join(" ")];
    let rows = report.streams.iter().flat_map(|stream| {
        let run = &run;
        stream.outcomes.iter().flat_map(move |outcome| {
            let start = vec![safe(&stream.name), safe(&outcome.model)];
            let whole = [start.clone(), whole(outcome, run)].concat();
            let routines = by_own(outcome).into_iter().map(move |routine| {
                let name = report.name(routine.routine);
                [start.clone(), cells(&routine, &name, outcome)].concat()
            });
            let start = vec![safe(&stream.name), safe(&outcome.model)];
            let flows = outcome.flows.iter().flat_map(|found| flows(report, found));
            let flows = flows.map(move |cells| [start.clone(), cells].concat());
            std::iter::once(whole).chain(routines).chain(flows)
        })
    });
    document(COLUMNS.into_iter(), rows)
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |v| v.to_string())
}

fn whole(outcome: &ModelFigures, run: &[String; RUN]) -> Vec<String> {
    let mut cells = vec![String::new(); COLUMNS.len() - 2];
    cells[6] = outcome.operations.to_string();
    cells[7] = outcome.critical_path.to_string();
    cells[8] = outcome.parallelism().to_string();
    cells[15] = outcome.instructions.to_string();
    if let Some(Resources {
        levels, alive, all, ..
    }) = &outcome.resources
    {
        let [units_90, units_99, units_100] = all.enough;
        let numbers: [u64; RESOURCES] = [
            *levels,
            alive.number,
            alive.level,
            all.most.number,
            all.most.level,
            units_90,
            units_99,
            units_100,
        ];
        for (cell, number) in cells[16..].iter_mut().zip(numbers) {
            *cell = number.to_string();
        }
    }
    let behind = cells.len() - RUN;
    cells[behind..].clone_from_slice(run);
    cells
}

/// A row for each pair of routines, then of threads, most reads first.
fn flows(report: &IlpReport, flows: &Flows) -> Vec<Vec<String>> {
    let row = |from: Name, last: [String; FLOWS]| {
        let mut cells = vec![safe(&from.name), safe(&from.module)];
        cells.resize(COLUMNS.len() - 2 - RUN - FLOWS, String::new());
        cells.extend(last);
        cells.resize(COLUMNS.len() - 2, String::new());
        cells
    };
    let routines = flows.routines.iter().map(|flow| {
        let to = report.name(flow.to);
        let [name, module] = [safe(&to.name), safe(&to.module)];
        let reads = flow.reads.to_string();
        let none = String::new;
        row(
            report.name(flow.from),
            [name, module, none(), none(), reads],
        )
    });
    let threads = flows.threads.iter().map(|flow| {
        let [from, to] = [flow.from.0.to_string(), flow.to.0.to_string()];
        let none = String::new;
        let reads = flow.reads.to_string();
        row(Name::default(), [none(), none(), from, to, reads])
    });
    routines.chain(threads).collect()
}

fn cells(routine: &RoutineFigures, name: &Name, outcome: &ModelFigures) -> Vec<String> {
    let place = name.place.as_ref();
    let own_parallelism = routine
        .own_steps
        .and_then(|steps| ratio(routine.own_measured, steps));
    let mut cells = vec![
        safe(&name.name),
        safe(&name.module),
        safe(place.map_or("", |p| &p.file)),
        place.map_or(0, |p| p.line).to_string(),
        routine.calls.to_string(),
        routine.measured.to_string(),
        routine.operations.to_string(),
        routine.steps.to_string(),
        number(ratio(routine.operations, routine.steps)),
        number(ratio(routine.outermost_operations, outcome.operations)),
        routine.own_operations.to_string(),
        routine.own_measured.to_string(),
        number(ratio(routine.own_operations, outcome.operations)),
        routine
            .own_steps
            .map_or_else(String::new, |s| s.to_string()),
        number(own_parallelism),
    ];
    cells.resize(COLUMNS.len() - 2, String::new());
    cells
}
