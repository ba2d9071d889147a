//! Regions as CSV: the list, and the cells that plans have too.

use parascan_analysis::advice::Certainty;
use parascan_analysis::regions::{RegionFigures, Regions};

use crate::shared::csv::{document, name_cells, text};
use crate::shared::style::safe;

/// Columns of a region.
pub(crate) const COLUMNS: [&str; 46] = [
    "rank",
    "id",
    "kind",
    "file",
    "line",
    "column",
    "end_line",
    "function",
    "class",
    "self_parallelism",
    "total_parallelism",
    "coverage",
    "exclusive_coverage",
    "speedup",
    "cumulative_speedup",
    "iterations",
    "iterations_min",
    "iterations_mean",
    "iterations_max",
    "instances",
    "work",
    "critical_path",
    "self_work",
    "gap",
    "measured",
    "seen_whole",
    "seen_stretches",
    "coverage_error",
    "self_parallelism_low",
    "self_parallelism_high",
    "depth",
    "parent",
    "recursive",
    "counted",
    "reductions",
    "pragma",
    "patch",
    "proposal",
    "clauses",
    "certainty",
    "unproved",
    "confidence",
    "needs",
    "hints",
    "blocking",
    "caller",
];

/// All regions, largest coverage first.
pub fn regions_csv(regions: &Regions) -> String {
    document(COLUMNS.into_iter(), regions.rows.iter().map(cells))
}

/// Cells of a region, one for each of [`COLUMNS`].
pub(crate) fn cells(row: &RegionFigures) -> Vec<String> {
    let reductions: Vec<String> = row
        .reductions
        .iter()
        .map(|r| format!("{}:{}", r.operator, r.name))
        .collect();
    let iterations = row.iterations.as_ref();
    let interval = row.sample.and_then(|sample| sample.self_parallelism);
    let mut cells = vec![text(row.rank.as_ref())];
    cells.extend(name_cells(row));
    cells.extend([
        text(row.self_parallelism.as_ref()),
        text(row.total_parallelism.as_ref()),
        row.coverage.to_string(),
        row.exclusive_coverage.to_string(),
        row.speedup.to_string(),
        text(row.cumulative_speedup.as_ref()),
        text(iterations.map(|i| &i.total)),
        text(iterations.map(|i| &i.min)),
        text(iterations.map(|i| &i.mean)),
        text(iterations.map(|i| &i.max)),
        row.instances.to_string(),
        row.work.to_string(),
        text(row.critical_path.as_ref()),
        row.self_work.to_string(),
        text(row.gap.as_ref()),
        row.measured.to_string(),
        text(row.sample.as_ref().map(|s| &s.whole)),
        text(row.sample.as_ref().map(|s| &s.segments)),
        text(row.sample.as_ref().map(|s| &s.coverage_error)),
        text(interval.as_ref().map(|(low, _)| low)),
        text(interval.as_ref().and_then(|(_, high)| high.as_ref())),
        row.depth.to_string(),
        safe(row.parent.as_deref().unwrap_or_default()),
        row.recursive.to_string(),
        row.counted.to_string(),
        safe(&reductions.join(" ")),
        safe(row.pragma.as_deref().unwrap_or_default()),
        row.patch.as_ref().map_or_else(String::new, |patch| {
            let place = [format!("(lines {} to {})", row.line, patch.last_line)];
            let lines = patch.before.iter().chain(&place).chain(&patch.after);
            let lines: Vec<&str> = lines.map(String::as_str).collect();
            safe(&lines.join("\n"))
        }),
        safe(row.proposal.as_deref().unwrap_or_default()),
        safe(&row.clauses.join(" ")),
        match row.certainty {
            Some(Certainty::Complete) => "complete",
            Some(Certainty::Observed) => "observed",
            Some(Certainty::Unchecked) => "unchecked",
            None => "",
        }
        .to_owned(),
        safe(row.unproved.as_deref().unwrap_or_default()),
        safe(row.confidence.as_deref().unwrap_or_default()),
        safe(&row.needs.join("; ")),
        safe(&row.hints.join("; ")),
        safe(row.blocking.as_deref().unwrap_or_default()),
        safe(row.caller.as_ref().map(|c| &*c.id).unwrap_or_default()),
    ]);
    cells
}
