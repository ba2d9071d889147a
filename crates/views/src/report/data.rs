//! What the page is told, as JSON. The script beside this file is its only reader.

use std::collections::HashMap;

use parascan_analysis::advice::{Patch, Reduction};
use parascan_analysis::class::RegionClass;
use parascan_analysis::costs::ExpectedRange;
use parascan_analysis::effort::{EffortChart, LineCountMethod};
use parascan_analysis::model::ProfileInput;
use parascan_analysis::plan::{Plan, RejectionReason};
use parascan_analysis::regions::RegionFigures;
use parascan_analysis::types::{Label, TypeOptions, TypedRegion};
use parascan_formats::module::RegionKind;
use serde::Serialize;

use super::chart::{ChartData, chart};
use super::columns::Columns;
use super::flame::{FlameData, flame};
use super::source::{Budget, SourceExcerpt};
use super::{Report, Source, words};
use crate::compare::compare_sheet;
use crate::plan::words::{on, rules};
use crate::proof::proof_sheet;
use crate::shared::figures::{class_in_words, own_code, place};
use crate::shared::header::{known_path, measured, remarks, total_parallelism};
use crate::shared::names::ShortNames;
use crate::shared::style::safe;
use crate::shared::svg::colors::{FROM, STEPS};
use crate::shared::table::FramedTable;

/// The whole page.
#[derive(Debug, Serialize)]
pub(super) struct Page {
    program: String,
    partial: bool,
    work: u64,
    critical_path: Option<u64>,
    total_parallelism: Option<f64>,
    summary: Vec<(&'static str, String)>,
    plan: PlanData,
    proof: Option<FramedTable>,
    comparison: Option<FramedTable>,
    charts: Vec<ChartData>,
    flame: FlameData,
    /// Parallelism from which each colour but the first stands.
    steps: [f64; STEPS - 1],
    effort: EffortData,
    /// Parameters of the type scan, in words.
    types: String,
    regions: Columns,
    files: Vec<File>,
    remarks: Vec<String>,
    blind_spots: Vec<(String, u64)>,
    profiles: Vec<Provenance>,
}

#[derive(Debug, Serialize)]
struct PlanData {
    rules: String,
    speedup: f64,
    cores: Option<u32>,
    /// What the plan is for, as `on 2 cores`; none of ideal plans.
    on: Option<String>,
    speedup_on_cores: Option<f64>,
    expected: Option<ExpectedRange>,
    /// Cores, and what the plan is expected to bring on so many.
    curve: Vec<(u32, ExpectedRange)>,
    optimal: bool,
    /// Rows in order, each with its speedup on `cores`.
    entries: Vec<(u32, Option<f64>)>,
}

#[derive(Debug, Serialize)]
struct EffortData {
    rules: String,
    /// Speedup before the first step.
    start: f64,
    steps: Vec<StepData>,
}

#[derive(Debug, Serialize)]
struct StepData {
    region: u32,
    lines: u32,
    /// Whether the lines were counted in the source, without blanks and comments.
    counted: bool,
    lines_so_far: u64,
    relative: f64,
    overall: f64,
}

/// A region.
#[derive(Debug, Serialize)]
struct RegionRow {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    letter: Option<String>,
    place: String,
    /// Where it is, if that is a system header; all other places are of the code that leads there.
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<String>,
    kind: RegionKind,
    /// Its class in words.
    words: String,
    class: &'static str,
    file: u32,
    line: u32,
    column: u32,
    end_line: u32,
    /// Short, as [`ShortNames`] has it.
    function: String,
    /// The whole name, where that is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    whole: Option<String>,
    sp: Option<f64>,
    /// Half of the interval of the coverage, where figures are estimates.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<f64>,
    /// The interval of the self-parallelism then, if it is known; the end may be open.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<(f64, Option<f64>)>,
    tp: Option<f64>,
    coverage: f64,
    own: f64,
    speedup: f64,
    instances: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    iterations: Option<(u64, u64, f64, u64)>,
    work: u64,
    cp: Option<u64>,
    measured: f64,
    recursive: bool,
    counted: bool,
    parents: Vec<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reductions: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pragma: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<Patch>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hints: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    so_far: Option<f64>,
    /// What keeps its parts from running side by side, in words; empty where nothing does.
    #[serde(skip_serializing_if = "String::is_empty")]
    stops: String,
    /// Why it is not in the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Type of parallelism, empty when unknown.
    #[serde(rename = "type")]
    label: &'static str,
    /// What decided it.
    why: String,
}

/// A source file.
#[derive(Debug, Serialize)]
struct File {
    name: String,
    parts: Vec<SourceExcerpt>,
    /// What to know about the text, or why there is none.
    note: String,
}

#[derive(Debug, Serialize)]
struct Provenance {
    command: String,
    directory: String,
    started: u64,
    duration_ms: u64,
    machine: String,
    parascan: String,
    measured: String,
    work: u64,
    critical_path: u64,
}

/// Everything that the page shows.
pub(super) fn page(report: &Report) -> Page {
    let (plan, rows) = (report.plan, &report.regions.rows);
    let number_of: HashMap<&str, u32> =
        rows.iter().zip(0..).map(|(row, n)| (&*row.id, n)).collect();
    let (files, file_of) = files(rows, report.sources);
    // The plan's figures know its personality; the list's are those of the default one.
    let mut planned: HashMap<&str, (&RegionFigures, Option<String>)> = HashMap::new();
    for entry in &plan.entries {
        planned.insert(&entry.id, (entry, None));
    }
    for rejected in &plan.rejected {
        let why = safe(&rejected.reason.explain(&rejected.region));
        planned.insert(&rejected.region.id, (&rejected.region, Some(why)));
    }
    let typed: HashMap<&str, &TypedRegion> = report
        .types
        .rows
        .iter()
        .map(|t| (&*t.region.id, t))
        .collect();
    let names = ShortNames::new(rows.iter().map(|row| row.function.as_str()));
    let regions = rows.iter().map(|listed| {
        let (figures, reason) = planned.remove(&*listed.id).unwrap_or((listed, None));
        let in_plan = plan.entries.iter().any(|e| e.id == listed.id);
        let typed = typed.get(&*listed.id).copied();
        let caller = figures.caller.as_ref();
        let caller = caller.and_then(|c| Some((c, &rows[*number_of.get(&*c.id)? as usize])));
        let mut row = row(
            figures, in_plan, reason, typed, &file_of, &number_of, &names,
        );
        // Of what is in a system header those lines are shown that somebody can change.
        if let Some((caller, around)) = caller {
            row.file = file_of[around.file.as_str()];
            row.line = caller.lines()[0];
            (row.column, row.end_line) = (0, row.line);
            row.header = Some(place(figures));
        }
        row
    });
    Page {
        program: safe(&plan.program),
        partial: plan.inputs.iter().any(ProfileInput::partial),
        work: plan.work,
        critical_path: known_path(plan.work, plan.critical_path),
        total_parallelism: total_parallelism(plan.work, plan.critical_path),
        summary: words::summary(plan, report.regions),
        regions: Columns::new(regions),
        plan: plan_data(plan, &number_of),
        proof: report.proof.map(proof_sheet),
        comparison: report.comparison.map(compare_sheet),
        flame: flame(&report.regions.model, &number_of),
        steps: FROM,
        charts: report.charts.iter().map(|c| chart(c, &number_of)).collect(),
        effort: effort_data(report.effort, &number_of),
        types: type_rules(&report.types.options),
        files,
        remarks: remarks(&plan.inputs),
        blind_spots: plan
            .blind_spots
            .iter()
            .map(|s| (safe(&s.callee), s.calls))
            .collect(),
        profiles: provenance(plan),
    }
}

fn plan_data(plan: &Plan, number_of: &HashMap<&str, u32>) -> PlanData {
    PlanData {
        rules: rules(plan),
        speedup: plan.speedup,
        cores: match &plan.outlook {
            Some(outlook) => Some(outlook.machine.cores),
            None => plan.cores,
        },
        on: plan.outlook.as_ref().map(on),
        speedup_on_cores: plan.speedup_on_cores,
        expected: plan.outlook.as_ref().map(|outlook| outlook.all),
        curve: plan
            .outlook
            .as_ref()
            .map_or_else(Vec::new, |outlook| outlook.curve.clone()),
        optimal: plan.optimal,
        entries: plan
            .entries
            .iter()
            .enumerate()
            .filter_map(|(index, e)| {
                let on_cores = match &plan.outlook {
                    Some(outlook) => outlook.alone.get(index).map(|e| e.speedup),
                    None => plan.on_cores.get(index).copied(),
                };
                Some((*number_of.get(&*e.id)?, on_cores))
            })
            .collect(),
    }
}

fn effort_data(effort: &EffortChart, number_of: &HashMap<&str, u32>) -> EffortData {
    let steps = effort.steps.iter().filter_map(|step| {
        Some(StepData {
            region: *number_of.get(&*step.region.id)?,
            lines: step.lines.count,
            counted: step.lines.how == LineCountMethod::Source,
            lines_so_far: step.lines_so_far,
            relative: step.relative_speedup,
            overall: step.overall_speedup,
        })
    });
    EffortData {
        rules: format!(
            "Each step is the region that brings most speedup per line of code after the steps before it. Regions of \
             total parallelism below {} are serial and no step; the steps end where all regions left together bring no \
             more than {}%.",
            effort.options.serial_below, effort.options.min_speedup,
        ),
        start: effort.done_speedup,
        steps: steps.collect(),
    }
}

fn type_rules(options: &TypeOptions) -> String {
    format!(
        "Data parallel from parallelism {}, thread parallel from fitness {}; figures within {}% count as equal; a region \
         is mixed unless {}% of its work agrees.",
        options.p_dlp,
        options.f_min,
        100.0 * options.tolerance,
        100.0 * options.agreement,
    )
}

fn row(
    figures: &RegionFigures,
    in_plan: bool,
    reason: Option<String>,
    typed: Option<&TypedRegion>,
    file_of: &HashMap<&str, u32>,
    number_of: &HashMap<&str, u32>,
    names: &ShortNames,
) -> RegionRow {
    let (place, whole) = own_code(figures);
    let (function, whole) = (names.of(whole), safe(whole));
    RegionRow {
        id: safe(&figures.id),
        letter: figures.letter.as_deref().map(str::to_owned),
        stops: stops(figures),
        place,
        header: None,
        kind: figures.kind,
        words: class_in_words(figures),
        class: figures.class.name(),
        file: file_of[figures.file.as_str()],
        line: figures.line,
        column: figures.column,
        end_line: figures.end_line.max(figures.line),
        whole: (whole != function).then_some(whole),
        function,
        sp: figures.self_parallelism,
        error: figures.sample.map(|sample| sample.coverage_error),
        range: figures.sample.and_then(|sample| sample.self_parallelism),
        tp: figures.total_parallelism,
        coverage: figures.coverage,
        own: figures.exclusive_coverage,
        speedup: figures.speedup,
        instances: figures.instances,
        iterations: figures.iterations.map(|i| (i.total, i.min, i.mean, i.max)),
        work: figures.work,
        cp: figures.critical_path,
        measured: figures.measured,
        recursive: figures.recursive,
        counted: figures.counted,
        parents: figures
            .parents
            .iter()
            .filter_map(|id| number_of.get(&**id).copied())
            .collect(),
        reductions: figures.reductions.iter().map(reduction).collect(),
        pragma: figures.pragma.as_deref().map(safe),
        patch: figures.patch.clone(),
        hints: figures.notes().iter().map(|h| safe(h)).collect(),
        rank: figures.rank.filter(|_| in_plan),
        so_far: figures.cumulative_speedup.filter(|_| in_plan),
        reason,
        label: typed.and_then(|t| t.label).map_or("", Label::name),
        why: typed.map_or_else(String::new, |t| safe(&t.explanation)),
    }
}

/// What keeps the parts of a region from running side by side; nothing of parallel ones.
fn stops(figures: &RegionFigures) -> String {
    let text = match (figures.class, figures.serial_reason) {
        (RegionClass::Serial | RegionClass::Unseen, Some(reason)) => {
            RejectionReason::Serial(reason).explain(figures)
        }
        (RegionClass::Doacross, _) => figures.blocking.clone().unwrap_or_else(|| {
            "iterations use results of earlier ones; `parascan explain` names them".to_owned()
        }),
        _ => String::new(),
    };
    safe(&text)
}

fn reduction(reduction: &Reduction) -> String {
    let line = match reduction.line {
        0 => String::new(),
        line => format!(" on line {line}"),
    };
    format!("{} by {}{line}", safe(&reduction.name), reduction.operator)
}

/// What ran in a file.
#[derive(Debug, Default)]
struct InFile {
    /// Share of the program's work done there.
    work: f64,
    /// First and last lines of its regions.
    lines: Vec<(u32, u32)>,
}

/// Files by the work done in them, most first, and the number of each.
fn files<'a>(rows: &'a [RegionFigures], sources: &[Source]) -> (Vec<File>, HashMap<&'a str, u32>) {
    let mut by_name: HashMap<&str, InFile> = HashMap::new();
    for row in rows {
        let found = by_name.entry(&row.file).or_default();
        found.work += row.exclusive_coverage;
        found.lines.push((row.line, row.end_line));
    }
    let mut names: Vec<_> = by_name.into_iter().collect();
    names.sort_by(|(a, x), (b, y)| y.work.total_cmp(&x.work).then_with(|| a.cmp(b)));
    let mut budget = Budget::new();
    let files =
        names.iter().map(|(name, found)| {
            let source = sources.iter().find(|s| s.file == **name);
            let (parts, note) = match source.map(|s| (&s.text, s.changed)) {
            None => (Vec::new(), "The source is not part of this report.".to_owned()),
            Some((Err(why), _)) => (Vec::new(), safe(why)),
            Some((Ok(text), changed)) => match budget.parts(text, &found.lines) {
                None => (
                    Vec::new(),
                    "Left out: the report holds as much source as it may.".to_owned(),
                ),
                Some(parts) if changed => (
                    parts,
                    "This file was changed after the profile was recorded: lines may have moved."
                        .to_owned(),
                ),
                Some(parts) => (parts, String::new()),
            },
        };
            File {
                name: if name.is_empty() {
                    "(unknown file)".to_owned()
                } else {
                    safe(name)
                },
                parts,
                note,
            }
        });
    let files = files.collect();
    (
        files,
        names
            .iter()
            .zip(0..)
            .map(|((name, _), n)| (*name, n))
            .collect(),
    )
}

fn provenance(plan: &Plan) -> Vec<Provenance> {
    let one = plan.inputs.iter().map(|input| {
        let from = &input.provenance;
        let command: Vec<String> = from.command.iter().map(|w| safe(w)).collect();
        Provenance {
            command: command.join(" "),
            directory: safe(&from.directory),
            started: from.started,
            duration_ms: from.duration_ms,
            machine: safe(&from.machine),
            parascan: safe(&from.parascan),
            measured: measured(input),
            work: input.work,
            critical_path: input.critical_path,
        }
    });
    one.collect()
}
