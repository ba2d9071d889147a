//! The results of `parascan ilp` as CSV, as documented in `docs/json.md`.

use parascan_ddg::result::{Outcome, Resources, Routine};

use super::{Name, Report, by_own, ratio};
use crate::csv::document;
use crate::style::safe;

const COLUMNS: [&str; 26] = [
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
];
/// The last of these are of resources.
const RESOURCES: usize = 8;

/// The results as CSV: per graph and model a row for the whole (`routine` empty), then one per routine.
pub fn csv(report: &Report) -> String {
    let rows = report.streams.iter().flat_map(|stream| {
        stream.outcomes.iter().flat_map(move |outcome| {
            let start = vec![safe(&stream.name), safe(&outcome.model)];
            let whole = [start.clone(), whole(outcome)].concat();
            let routines = by_own(outcome).into_iter().map(move |routine| {
                let name = report.name(&routine);
                [start.clone(), cells(&routine, &name, outcome)].concat()
            });
            std::iter::once(whole).chain(routines)
        })
    });
    document(COLUMNS.into_iter(), rows)
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |v| v.to_string())
}

fn whole(outcome: &Outcome) -> Vec<String> {
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
    cells
}

fn cells(routine: &Routine, name: &Name, outcome: &Outcome) -> Vec<String> {
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
