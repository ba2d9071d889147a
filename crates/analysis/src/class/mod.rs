//! The class of a region: whether its iterations or calls can run in parallel, and what stops them.

pub(crate) mod names;

use parascan_formats::module::{RegionKind, RegionStatic};
use serde::{Deserialize, Serialize};

pub use names::{RegionClass, SerialReason};

use crate::evidence::LoopFacts;
use crate::model::InstanceSums;

/// How loops are told to be DOALL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClassRule {
    /// No iteration read what an earlier one had written, and every instance with two iterations or more has a critical
    /// path as long as that of its longest iteration.
    #[default]
    Gap,
    /// The rule of Kremlin's implementation: no instance's critical path is longer than that of its longest iteration
    /// by [`KREMLIN_GAP`] or more. Everything else is DOACROSS.
    Kremlin,
}

/// How regions are told to be parallel: the rule for DOALL loops, and floors below which overlap counts as serial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Classing {
    /// How loops are told to be DOALL.
    pub rule: ClassRule,
    /// Self-parallelism from which another loop is DOACROSS, see [`DOACROSS_MIN_SP`].
    pub doacross_from: f64,
    /// Self-parallelism from which a function is a task, see [`TASK_MIN_SP`].
    pub task_from: f64,
}

impl Default for Classing {
    fn default() -> Self {
        Self {
            rule: ClassRule::default(),
            doacross_from: DOACROSS_MIN_SP,
            task_from: TASK_MIN_SP,
        }
    }
}

/// Self-parallelism from which a loop that is not DOALL is DOACROSS. Neighbouring iterations of a serial chain overlap
/// as far as a processor's out-of-order execution finds anyway (the loads of the next iteration run beside the
/// additions of this one): that gives 1 to 3 and is no parallelism for threads.
pub const DOACROSS_MIN_SP: f64 = 3.0;

/// Self-parallelism from which a function with two calls or loops is a task. Lower than for loops: recursion that
/// splits in two has little self-parallelism in every instance, yet gains at every level.
pub const TASK_MIN_SP: f64 = 1.1;

/// Kremlin's tolerance, in latency units.
pub const KREMLIN_GAP: u64 = 5;

/// Class of a region with these figures over all its instances, and why, where it is serial. A loop that `evidence`
/// shows to hand values on is not DOALL, whatever its figures are.
pub fn classify(
    region: &RegionStatic,
    sums: &InstanceSums,
    evidence: Option<&LoopFacts>,
    classing: Classing,
) -> (RegionClass, Option<SerialReason>) {
    let Some(sp) = sums.self_parallelism() else {
        return if sums.sampled > 0 {
            (RegionClass::Unseen, Some(SerialReason::Unseen))
        } else {
            (RegionClass::Serial, Some(SerialReason::NotTracked))
        };
    };
    let serial = |reason| (RegionClass::Serial, Some(reason));
    if region.kind != RegionKind::Loop {
        return if sums.multi == 0 {
            serial(SerialReason::FewChildren)
        } else if sp < classing.task_from {
            serial(SerialReason::Dependences)
        } else {
            (RegionClass::Task, None)
        };
    }
    let carried =
        sums.carried > 0 || evidence.is_some_and(|facts| facts.blocking().next().is_some());
    let doall = if has_reductions(region, evidence) {
        RegionClass::DoallReduction
    } else {
        RegionClass::Doall
    };
    match classing.rule {
        ClassRule::Kremlin if sums.gap_max < KREMLIN_GAP => (doall, None),
        ClassRule::Kremlin => (RegionClass::Doacross, None),
        ClassRule::Gap if sums.multi == 0 => serial(SerialReason::FewIterations),
        ClassRule::Gap if sums.multi == sums.multi_flat && !carried => {
            if sums.unobserved > 0 {
                serial(SerialReason::NotObserved)
            } else {
                (doall, None)
            }
        }
        ClassRule::Gap if sp >= classing.doacross_from => (RegionClass::Doacross, None),
        ClassRule::Gap if may_overlap(sums, classing.doacross_from) => {
            (RegionClass::Unseen, Some(SerialReason::Unseen))
        }
        ClassRule::Gap => serial(SerialReason::Dependences),
    }
}

/// Whether what was seen of a loop with less self-parallelism than `floor` leaves open that it has more: its interval
/// reaches that far. Where that has no end, nothing is known of how much stretches differ, and what they showed stands.
fn may_overlap(sums: &InstanceSums, floor: f64) -> bool {
    let most = sums.self_parallelism_interval().and_then(|(_, most)| most);
    most.is_some_and(|most| most >= floor)
}

/// Whether a reduction of this loop was broken.
pub fn has_reductions(region: &RegionStatic, evidence: Option<&LoopFacts>) -> bool {
    !crate::advice::reductions(region, evidence).is_empty()
}
