//! Regions as JSON: the list, and the row that plans have too (`docs/json.md`).

use parascan_analysis::advice::{Certainty, Patch, Reduction};
use parascan_analysis::regions::{RegionFigures, Regions};
use parascan_formats::profile::BlindSpot;
use parascan_formats::source::{Sharing, SharingDoubt, Variable, VariableKind};
use serde::Serialize;

use crate::shared::json::{self, RegionNameJson, Totals};

/// Figures of every function and loop that ran, format `parascan-regions` (`docs/json.md`).
pub fn regions_json(regions: &Regions) -> String {
    let model = &regions.model;
    json::document(
        "parascan-regions",
        &RegionsJson {
            totals: Totals::new(
                model.program(),
                &model.inputs,
                model.work,
                model.critical_path,
            ),
            regions: regions.rows.iter().map(RegionJson::from).collect(),
            blind_spots: &model.blind_spots,
        },
    )
}

#[derive(Serialize)]
struct RegionsJson<'a> {
    #[serde(flatten)]
    totals: Totals<'a>,
    regions: Vec<RegionJson<'a>>,
    blind_spots: &'a [BlindSpot],
}

/// A variable that a loop writes and that is declared outside of it.
#[derive(Serialize)]
struct VariableJson<'a> {
    name: &'a str,
    line: u32,
    global: bool,
    shape: &'static str,
    elements: Option<u64>,
    sharing: &'static str,
    operator: Option<&'static str>,
    at: u32,
}

impl<'a> From<&'a Variable> for VariableJson<'a> {
    fn from(variable: &'a Variable) -> Self {
        let (shape, elements) = match variable.shape {
            VariableKind::Scalar => ("scalar", None),
            VariableKind::Pointer => ("pointer", None),
            VariableKind::Array(elements) => ("array", Some(elements).filter(|&n| n > 0)),
            VariableKind::Record => ("record", None),
        };
        let (sharing, operator) = match variable.sharing {
            Sharing::Index => ("index", None),
            Sharing::Private => ("private", None),
            Sharing::FirstPrivate => ("firstprivate", None),
            Sharing::LastPrivate => ("lastprivate", None),
            Sharing::Reduction(operator) => ("reduction", Some(operator.openmp())),
            Sharing::Own => ("own_elements", None),
            Sharing::Unknown(SharingDoubt::Carried) => ("unknown_carried", None),
            Sharing::Unknown(SharingDoubt::Conditional) => ("unknown_conditional", None),
            Sharing::Unknown(SharingDoubt::Escapes) => ("unknown_escapes", None),
            Sharing::Unknown(SharingDoubt::Passed) => ("unknown_passed", None),
            Sharing::Unknown(SharingDoubt::Kept) => ("unknown_kept", None),
            Sharing::Unknown(SharingDoubt::Unnamed) => ("unknown_unnamed", None),
            Sharing::Unknown(SharingDoubt::Handed) => ("unknown_handed", None),
            Sharing::Unknown(SharingDoubt::Scratch) => ("unknown_scratch", None),
            Sharing::Unknown(SharingDoubt::Global) => ("unknown_global", None),
            Sharing::Unknown(SharingDoubt::IndexAfter) => ("unknown_index_after", None),
        };
        Self {
            name: &variable.name,
            line: variable.line,
            global: variable.global,
            shape,
            elements,
            sharing,
            operator,
            at: variable.at,
        }
    }
}

/// A region's row, the same in plans and lists.
#[derive(Serialize)]
pub(crate) struct RegionJson<'a> {
    rank: Option<u32>,
    #[serde(flatten)]
    name: RegionNameJson<'a>,
    class: &'static str,
    self_parallelism: Option<f64>,
    total_parallelism: Option<f64>,
    coverage: f64,
    exclusive_coverage: f64,
    speedup: f64,
    cumulative_speedup: Option<f64>,
    iterations: Option<u64>,
    iterations_min: Option<u64>,
    iterations_mean: Option<f64>,
    iterations_max: Option<u64>,
    instances: u64,
    work: u64,
    critical_path: Option<u64>,
    self_work: u64,
    gap: Option<u64>,
    measured: f64,
    seen_whole: Option<u64>,
    seen_stretches: Option<u64>,
    coverage_error: Option<f64>,
    self_parallelism_low: Option<f64>,
    self_parallelism_high: Option<f64>,
    depth: u32,
    parent: Option<&'a str>,
    parents: Vec<&'a str>,
    recursive: bool,
    counted: bool,
    reductions: &'a [Reduction],
    pragma: Option<&'a str>,
    patch: Option<&'a Patch>,
    proposal: Option<&'a str>,
    clauses: &'a [String],
    certainty: Option<Certainty>,
    unproved: Option<&'a str>,
    confidence: Option<&'a str>,
    needs: &'a [String],
    hints: &'a [String],
    blocking: Option<&'a str>,
    variables: Vec<VariableJson<'a>>,
    caller: Option<&'a str>,
    caller_lines: Option<&'a [u32]>,
}

impl<'a> From<&'a RegionFigures> for RegionJson<'a> {
    fn from(row: &'a RegionFigures) -> Self {
        let iterations = row.iterations;
        let interval = row.sample.and_then(|sample| sample.self_parallelism);
        Self {
            rank: row.rank,
            name: row.into(),
            class: row.class.name(),
            self_parallelism: row.self_parallelism,
            total_parallelism: row.total_parallelism,
            coverage: row.coverage,
            exclusive_coverage: row.exclusive_coverage,
            speedup: row.speedup,
            cumulative_speedup: row.cumulative_speedup,
            iterations: iterations.map(|i| i.total),
            iterations_min: iterations.map(|i| i.min),
            iterations_mean: iterations.map(|i| i.mean),
            iterations_max: iterations.map(|i| i.max),
            instances: row.instances,
            work: row.work,
            critical_path: row.critical_path,
            self_work: row.self_work,
            gap: row.gap,
            measured: row.measured,
            seen_whole: row.sample.map(|sample| sample.whole),
            seen_stretches: row.sample.map(|sample| sample.segments),
            coverage_error: row.sample.map(|sample| sample.coverage_error),
            self_parallelism_low: interval.map(|(low, _)| low),
            self_parallelism_high: interval.and_then(|(_, high)| high),
            depth: row.depth,
            parent: row.parent.as_deref(),
            parents: row.parents.iter().map(|id| &**id).collect(),
            recursive: row.recursive,
            counted: row.counted,
            reductions: &row.reductions,
            pragma: row.pragma.as_deref(),
            patch: row.patch.as_ref(),
            proposal: row.proposal.as_deref(),
            clauses: &row.clauses,
            certainty: row.certainty,
            unproved: row.unproved.as_deref(),
            confidence: row.confidence.as_deref(),
            needs: &row.needs,
            hints: &row.hints,
            blocking: row.blocking.as_deref(),
            variables: row.variables.iter().map(VariableJson::from).collect(),
            caller: row.caller.as_ref().map(|c| &*c.id),
            caller_lines: row.caller.as_ref().map(|c| c.calls.as_slice()),
        }
    }
}
