//! CSV as documented in `docs/json.md`: the columns are the JSON fields of the same name.

use parascan_analysis::advice::Certainty;
use parascan_analysis::plan::{Plan, Reason};
use parascan_analysis::regions::{RegionFigures, Regions};
use parascan_formats::module::RegionKind;

use crate::shared::style::safe;

const COLUMNS: [&str; 46] = [
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

/// Chosen regions in order, then those left out, with the reason.
pub fn plan_csv(plan: &Plan) -> String {
    let header = COLUMNS
        .into_iter()
        .chain(["speedup_on_cores", "reason", "explanation"])
        .chain(["expected", "expected_low", "expected_high"]);
    let chosen = plan.entries.iter().enumerate().map(|(index, entry)| {
        let mut row = cells(entry);
        row.extend([text(plan.on_cores.get(index)), String::new(), String::new()]);
        let expected = plan.outlook.as_ref().and_then(|o| o.alone.get(index));
        row.extend([
            text(expected.map(|e| &e.speedup)),
            text(expected.map(|e| &e.least)),
            text(expected.map(|e| &e.most)),
        ]);
        row
    });
    let rejected = plan.rejected.iter().map(|one| {
        let mut row = cells(&one.region);
        let code = Reason::code(&one.reason).to_owned();
        row.extend([String::new(), code, safe(&one.reason.explain(&one.region))]);
        row.extend([String::new(), String::new(), String::new()]);
        row
    });
    document(header, chosen.chain(rejected))
}

/// All regions, largest coverage first.
pub fn regions_csv(regions: &Regions) -> String {
    document(COLUMNS.into_iter(), regions.rows.iter().map(cells))
}

pub(crate) fn document<'a>(
    header: impl Iterator<Item = &'a str>,
    rows: impl Iterator<Item = Vec<String>>,
) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let to_memory = "writing to memory succeeds";
    writer.write_record(header).expect(to_memory);
    for row in rows {
        writer.write_record(row).expect(to_memory);
    }
    let bytes = writer.into_inner().expect(to_memory);
    String::from_utf8(bytes).expect("made of strings")
}

fn cells(row: &RegionFigures) -> Vec<String> {
    let reductions: Vec<String> = row
        .reductions
        .iter()
        .map(|r| format!("{}:{}", r.operator, r.name))
        .collect();
    let iterations = row.iterations.as_ref();
    let interval = row.sample.and_then(|sample| sample.self_parallelism);
    vec![
        text(row.rank.as_ref()),
        safe(&row.id),
        kind_name(row.kind).to_owned(),
        safe(&row.file),
        row.line.to_string(),
        row.column.to_string(),
        row.end_line.to_string(),
        safe(&row.function),
        row.class.name().to_owned(),
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
    ]
}

/// The kind as in JSON.
pub(crate) fn kind_name(kind: RegionKind) -> &'static str {
    match kind {
        RegionKind::Function => "function",
        RegionKind::Loop => "loop",
        RegionKind::Iteration => "iteration",
    }
}

fn text(value: Option<&impl ToString>) -> String {
    value.map_or_else(String::new, ToString::to_string)
}
