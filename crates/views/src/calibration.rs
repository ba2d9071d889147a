//! What threads cost on a machine.

use parascan_analysis::costs::{Calibration, Measured};
use serde::Serialize;

use crate::shared::csv::document;
use crate::shared::json;
use crate::shared::style::{Style, TextTone, safe};
use crate::shared::table::{self, Column};

const COLUMNS: [Column; 5] = [
    table::number("Threads"),
    table::number("Start"),
    table::number("Reduction").goes(1),
    table::number("Ordered").goes(3),
    table::number("Task").goes(2),
];

/// The measurements and the costs that follow as text.
pub fn calibration_text(found: &Calibration, place: &str, style: &Style) -> String {
    let title = format!(
        "Costs of threads on {}, in nanoseconds",
        safe(&found.machine)
    );
    let mut out = style.paragraph(Some(TextTone::Heading), "", "", &title);
    out.push('\n');
    let rows = found.measured.iter().map(|m| {
        let figures = [m.start_ns, m.reduction_ns, m.ordered_ns, m.task_ns];
        let figures = figures.into_iter().map(|ns| format!("{ns:.0}"));
        std::iter::once(m.threads.to_string())
            .chain(figures)
            .collect()
    });
    out += &table::layout(&COLUMNS, rows.collect(), style);
    out.push('\n');
    if let Some(memory) = &found.memory {
        let text = format!(
            "Memory: one thread moves {:.1} GB in a second, {} threads together {:.1}; the last cache holds {:.1} MB.",
            memory.one_thread,
            memory.threads,
            memory.all_threads,
            memory.cache_bytes as f64 / 1e6
        );
        out += &style.paragraph(None, "", "", &text);
        out.push('\n');
    }
    let costs = &found.costs;
    let text = format!(
        "Plans count {:.0} ns and {:.0} for each thread to start and end a parallel loop, {:.0} for each thread and reduced variable, {:.0} for \
         each iteration in order, and {:.0} for each task. Kept in {}.",
        costs.fork_join_ns,
        costs.fork_join_per_thread_ns,
        costs.reduction_ns,
        costs.ordered_ns,
        costs.task_ns,
        safe(place),
    );
    out + &style.paragraph(None, "", "", &text)
}

#[derive(Serialize)]
struct CalibrationJson<'a> {
    file: &'a str,
    machine: &'a str,
    costs: &'a parascan_analysis::costs::Costs,
    memory: Option<parascan_analysis::memory::MemorySpeed>,
    measured: &'a [Measured],
}

/// The calibration as JSON; `place` is the file that keeps it.
pub fn calibration_json(found: &Calibration, place: &str) -> String {
    json::document(
        "parascan-costs",
        &CalibrationJson {
            file: place,
            machine: &found.machine,
            costs: &found.costs,
            memory: found.memory,
            measured: &found.measured,
        },
    )
}

/// The measurements as CSV.
pub fn calibration_csv(found: &Calibration) -> String {
    let header = [
        "threads",
        "start_ns",
        "reduction_ns",
        "ordered_ns",
        "task_ns",
    ];
    let rows = found.measured.iter().map(|m| {
        let figures = [m.start_ns, m.reduction_ns, m.ordered_ns, m.task_ns];
        let figures = figures.into_iter().map(|ns| ns.to_string());
        std::iter::once(m.threads.to_string())
            .chain(figures)
            .collect()
    });
    document(header.into_iter(), rows)
}
