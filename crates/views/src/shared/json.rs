//! JSON as documented in `docs/json.md`.

use parascan_analysis::advice::{Certainty, Patch, Reduction};
use parascan_analysis::costs::Expected;
use parascan_analysis::memory::{Memory, MemoryBound};
use parascan_analysis::model::{Input, InputBursts};
use parascan_analysis::personality::Personality;
use parascan_analysis::plan::{Outlook, Plan, Rejected};
use parascan_analysis::regions::{RegionFigures, Regions};
use parascan_formats::module::RegionKind;
use parascan_formats::profile::{BlindSpot, End};
use parascan_formats::source::{Shape, Sharing, Variable, Why};
use serde::Serialize;

use crate::shared::header::{caveat_code, caveat_text, known_path, total_parallelism};

/// Version of the JSON documents; fields may be added without a new one.
pub(crate) const VERSION: u32 = 1;

/// The plan as JSON.
pub fn plan_json(plan: &Plan) -> String {
    to_string(&PlanJson {
        format: "parascan-plan",
        version: VERSION,
        program: &plan.program,
        profiles: profiles(&plan.inputs),
        work: plan.work,
        critical_path: known_path(plan.work, plan.critical_path),
        total_parallelism: total_parallelism(plan.work, plan.critical_path),
        personality: &plan.personality,
        cores: plan.cores,
        speedup: plan.speedup,
        speedup_on_cores: plan.speedup_on_cores,
        machine: plan.outlook.as_ref().map(MachineJson::from),
        expected: plan.outlook.as_ref().map(|outlook| outlook.all),
        curve: plan.outlook.as_ref().map(curve),
        optimal: plan.optimal,
        plan: plan
            .entries
            .iter()
            .enumerate()
            .map(|(index, entry)| EntryJson {
                region: RegionJson::from(entry),
                speedup_on_cores: plan.on_cores.get(index).copied(),
                expected: entry_of(plan, |outlook| outlook.alone.get(index)),
                expected_so_far: entry_of(plan, |outlook| outlook.so_far.get(index)),
                memory: plan
                    .outlook
                    .as_ref()
                    .and_then(|outlook| outlook.memory[index]),
            })
            .collect(),
        rejected: plan.rejected.iter().map(RejectedJson::from).collect(),
        blind_spots: &plan.blind_spots,
    })
}

fn entry_of(plan: &Plan, of: impl Fn(&Outlook) -> Option<&Expected>) -> Option<Expected> {
    plan.outlook
        .as_ref()
        .and_then(|outlook| of(outlook).copied())
}

fn curve(outlook: &Outlook) -> Vec<PointJson> {
    let point = |&(cores, expected): &(u32, Expected)| PointJson { cores, expected };
    outlook.curve.iter().map(point).collect()
}

/// All regions as JSON.
pub fn regions_json(regions: &Regions) -> String {
    let model = &regions.model;
    to_string(&RegionsJson {
        format: "parascan-regions",
        version: VERSION,
        program: model.program(),
        profiles: profiles(&model.inputs),
        work: model.work,
        critical_path: known_path(model.work, model.critical_path),
        total_parallelism: total_parallelism(model.work, model.critical_path),
        regions: regions.rows.iter().map(RegionJson::from).collect(),
        blind_spots: &model.blind_spots,
    })
}

pub(crate) fn to_string(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(document).expect("plain data becomes JSON");
    text.push('\n');
    text
}

#[derive(Serialize)]
struct PlanJson<'a> {
    format: &'static str,
    version: u32,
    program: &'a str,
    profiles: Vec<ProfileJson<'a>>,
    work: u64,
    critical_path: Option<u64>,
    total_parallelism: Option<f64>,
    personality: &'a Personality,
    cores: Option<u32>,
    speedup: f64,
    speedup_on_cores: Option<f64>,
    machine: Option<MachineJson>,
    expected: Option<Expected>,
    curve: Option<Vec<PointJson>>,
    optimal: bool,
    plan: Vec<EntryJson<'a>>,
    rejected: Vec<RejectedJson<'a>>,
    blind_spots: &'a [BlindSpot],
}

#[derive(Serialize)]
struct MachineJson {
    cores: u32,
    serial_seconds: Option<f64>,
    recorded: bool,
    units_per_ns: f64,
    calibrated: bool,
    memory: Option<Memory>,
}

impl From<&Outlook> for MachineJson {
    fn from(outlook: &Outlook) -> Self {
        Self {
            cores: outlook.machine.cores,
            serial_seconds: outlook.machine.serial_seconds,
            recorded: outlook.machine.serial_seconds.is_some() && outlook.machine.recorded,
            units_per_ns: outlook.units_per_ns,
            calibrated: outlook.machine.calibrated,
            memory: outlook.machine.memory,
        }
    }
}

#[derive(Serialize)]
struct PointJson {
    cores: u32,
    #[serde(flatten)]
    expected: Expected,
}

#[derive(Serialize)]
struct RegionsJson<'a> {
    format: &'static str,
    version: u32,
    program: &'a str,
    profiles: Vec<ProfileJson<'a>>,
    work: u64,
    critical_path: Option<u64>,
    total_parallelism: Option<f64>,
    regions: Vec<RegionJson<'a>>,
    blind_spots: &'a [BlindSpot],
}

#[derive(Serialize)]
pub(crate) struct ProfileJson<'a> {
    command: &'a [String],
    directory: &'a str,
    started: u64,
    duration_ms: u64,
    runs: u32,
    first_level: u32,
    end_level: Option<u32>,
    depth_reached: u32,
    machine: &'a str,
    parascan: &'a str,
    latencies: &'a [String],
    work: u64,
    critical_path: u64,
    exit_code: Option<i32>,
    signal: Option<i32>,
    partial: bool,
    bursts: Option<InputBursts>,
    caveats: Vec<CaveatJson>,
}

#[derive(Serialize)]
struct CaveatJson {
    code: &'static str,
    text: String,
}

pub(crate) fn profiles(inputs: &[Input]) -> Vec<ProfileJson<'_>> {
    let one = |input: &'_ Input| {
        let (exit_code, signal) = match input.end {
            End::Exited(code) => (Some(code), None),
            End::Signalled(signal) => (None, Some(signal)),
            End::Unknown => (None, None),
        };
        (exit_code, signal)
    };
    inputs
        .iter()
        .map(|input| {
            let (exit_code, signal) = one(input);
            let from = &input.provenance;
            ProfileJson {
                command: &from.command,
                directory: &from.directory,
                started: from.started,
                duration_ms: from.duration_ms,
                runs: from.runs,
                first_level: from.first_level,
                end_level: from.end_level,
                depth_reached: from.depth_reached,
                machine: &from.machine,
                parascan: &from.parascan,
                latencies: &input.latencies,
                work: input.work,
                critical_path: input.critical_path,
                exit_code,
                signal,
                partial: input.partial(),
                bursts: input.bursts,
                caveats: input
                    .caveats
                    .iter()
                    .map(|caveat| CaveatJson {
                        code: caveat_code(caveat),
                        text: caveat_text(caveat),
                    })
                    .collect(),
            }
        })
        .collect()
}

#[derive(Serialize)]
struct EntryJson<'a> {
    #[serde(flatten)]
    region: RegionJson<'a>,
    speedup_on_cores: Option<f64>,
    expected: Option<Expected>,
    expected_so_far: Option<Expected>,
    memory: Option<MemoryBound>,
}

#[derive(Serialize)]
struct RejectedJson<'a> {
    #[serde(flatten)]
    region: RegionJson<'a>,
    reason: &'static str,
    explanation: String,
    chosen: Vec<&'a str>,
}

impl<'a> From<&'a Rejected> for RejectedJson<'a> {
    fn from(rejected: &'a Rejected) -> Self {
        Self {
            region: RegionJson::from(&rejected.region),
            reason: rejected.reason.code(),
            explanation: rejected.reason.explain(&rejected.region),
            chosen: rejected.reason.chosen().iter().map(|id| &**id).collect(),
        }
    }
}

/// Which region it is, and how much of the program.
#[derive(Serialize)]
pub(crate) struct PlaceJson<'a> {
    letter: Option<&'a str>,
    id: &'a str,
    kind: RegionKind,
    file: &'a str,
    line: u32,
    column: u32,
    end_line: u32,
    function: &'a str,
    class: &'static str,
    coverage: f64,
    coverage_error: Option<f64>,
    total_parallelism: Option<f64>,
}

impl<'a> From<&'a RegionFigures> for PlaceJson<'a> {
    fn from(row: &'a RegionFigures) -> Self {
        Self {
            letter: row.letter.as_deref(),
            id: &row.id,
            kind: row.kind,
            file: &row.file,
            line: row.line,
            column: row.column,
            end_line: row.end_line,
            function: &row.function,
            class: row.class.name(),
            coverage: row.coverage,
            coverage_error: row.sample.map(|sample| sample.coverage_error),
            total_parallelism: row.total_parallelism,
        }
    }
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
            Shape::Scalar => ("scalar", None),
            Shape::Pointer => ("pointer", None),
            Shape::Array(elements) => ("array", Some(elements).filter(|&n| n > 0)),
            Shape::Record => ("record", None),
        };
        let (sharing, operator) = match variable.sharing {
            Sharing::Index => ("index", None),
            Sharing::Private => ("private", None),
            Sharing::FirstPrivate => ("firstprivate", None),
            Sharing::LastPrivate => ("lastprivate", None),
            Sharing::Reduction(operator) => ("reduction", Some(operator.openmp())),
            Sharing::Own => ("own_elements", None),
            Sharing::Unknown(Why::Carried) => ("unknown_carried", None),
            Sharing::Unknown(Why::Conditional) => ("unknown_conditional", None),
            Sharing::Unknown(Why::Escapes) => ("unknown_escapes", None),
            Sharing::Unknown(Why::Passed) => ("unknown_passed", None),
            Sharing::Unknown(Why::Kept) => ("unknown_kept", None),
            Sharing::Unknown(Why::Unnamed) => ("unknown_unnamed", None),
            Sharing::Unknown(Why::Handed) => ("unknown_handed", None),
            Sharing::Unknown(Why::Scratch) => ("unknown_scratch", None),
            Sharing::Unknown(Why::Global) => ("unknown_global", None),
            Sharing::Unknown(Why::IndexAfter) => ("unknown_index_after", None),
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
struct RegionJson<'a> {
    rank: Option<u32>,
    id: &'a str,
    kind: RegionKind,
    file: &'a str,
    line: u32,
    column: u32,
    end_line: u32,
    function: &'a str,
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
            id: &row.id,
            kind: row.kind,
            file: &row.file,
            line: row.line,
            column: row.column,
            end_line: row.end_line,
            function: &row.function,
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
