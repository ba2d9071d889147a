//! What tests of regions and plans ask of a profile.

use parascan_analysis::costs::Costs;
use parascan_analysis::plan::{Plan, PlanOptions, RejectionReason, plan};
use parascan_analysis::regions::{RegionFigures, regions};
use parascan_formats::profile::Profile;

/// Figures of the loop or function that begins on a line.
pub fn row(profile: &Profile, line: u32) -> RegionFigures {
    let rows = regions(std::slice::from_ref(profile)).unwrap().rows;
    rows.into_iter().find(|row| row.line == line).unwrap()
}

/// The plan of one profile.
pub fn planned(profile: &Profile, options: &PlanOptions) -> Plan {
    plan(std::slice::from_ref(profile), options).unwrap()
}

/// Lines of what a plan proposes, in its order.
pub fn lines(plan: &Plan) -> Vec<u32> {
    plan.entries.iter().map(|e| e.line).collect()
}

/// Why a plan leaves out what begins on a line.
pub fn reason(plan: &Plan, line: u32) -> &RejectionReason {
    let mut rejected = plan.rejected.iter();
    &rejected.find(|r| r.region.line == line).unwrap().reason
}

/// Threads that cost nothing.
pub fn free(mut options: PlanOptions) -> PlanOptions {
    options.personality.costs = Costs {
        fork_join_ns: 0.0,
        fork_join_per_thread_ns: 0.0,
        reduction_ns: 0.0,
        ordered_ns: 0.0,
        task_ns: 0.0,
    };
    options
}
