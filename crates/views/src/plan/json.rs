//! The plan as JSON (`docs/plan.md`).

use parascan_analysis::costs::ExpectedRange;
use parascan_analysis::memory::{MemoryBound, MemorySpeed};
use parascan_analysis::personality::Personality;
use parascan_analysis::plan::{Plan, PlanOutlook, RejectedRegion};
use parascan_formats::profile::BlindSpot;
use serde::Serialize;

use crate::regions::json::RegionJson;
use crate::shared::json::{self, Totals};

/// Entries, what was left out and why, and expected speedups, format `parascan-plan` (`docs/plan.md`).
pub fn plan_json(plan: &Plan) -> String {
    json::document(
        "parascan-plan",
        &PlanJson {
            totals: Totals::new(&plan.program, &plan.inputs, plan.work, plan.critical_path),
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
        },
    )
}

fn entry_of(
    plan: &Plan,
    of: impl Fn(&PlanOutlook) -> Option<&ExpectedRange>,
) -> Option<ExpectedRange> {
    plan.outlook
        .as_ref()
        .and_then(|outlook| of(outlook).copied())
}

fn curve(outlook: &PlanOutlook) -> Vec<PointJson> {
    let point = |&(cores, expected): &(u32, ExpectedRange)| PointJson { cores, expected };
    outlook.curve.iter().map(point).collect()
}

#[derive(Serialize)]
struct PlanJson<'a> {
    #[serde(flatten)]
    totals: Totals<'a>,
    personality: &'a Personality,
    cores: Option<u32>,
    speedup: f64,
    speedup_on_cores: Option<f64>,
    machine: Option<MachineJson>,
    expected: Option<ExpectedRange>,
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
    memory: Option<MemorySpeed>,
}

impl From<&PlanOutlook> for MachineJson {
    fn from(outlook: &PlanOutlook) -> Self {
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
    expected: ExpectedRange,
}

#[derive(Serialize)]
struct EntryJson<'a> {
    #[serde(flatten)]
    region: RegionJson<'a>,
    speedup_on_cores: Option<f64>,
    expected: Option<ExpectedRange>,
    expected_so_far: Option<ExpectedRange>,
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

impl<'a> From<&'a RejectedRegion> for RejectedJson<'a> {
    fn from(rejected: &'a RejectedRegion) -> Self {
        Self {
            region: RegionJson::from(&rejected.region),
            reason: rejected.reason.code(),
            explanation: rejected.reason.explain(&rejected.region),
            chosen: rejected.reason.chosen().iter().map(|id| &**id).collect(),
        }
    }
}
