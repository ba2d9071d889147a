//! A plan in sentences: its rules, what it brings, what that is worth, why it may be empty.

use parascan_analysis::class::RegionClass;
use parascan_analysis::costs::ExpectedRange;
use parascan_analysis::personality::CandidateKind;
use parascan_analysis::plan::{Plan, PlanOutlook, PlanTarget, RejectionReason};
use parascan_analysis::regions::RegionFigures;
use parascan_formats::module::RegionKind;

use crate::shared::style::{factor, safe, speedup};

/// Why a plan is empty.
pub(crate) fn nothing(plan: &Plan) -> String {
    let name = safe(&plan.personality.name);
    let nothing = match &plan.outlook {
        None => format!("No region meets the thresholds of personality `{name}`."),
        Some(outlook) => format!(
            "No region meets the thresholds of personality `{name}` and pays {}; `--ideal` shows what dependences alone would allow.",
            match outlook.target {
                PlanTarget::Threads => format!("for its threads {}", on(outlook)),
                PlanTarget::Vectors(_) | PlanTarget::Device(_) => on(outlook),
            }
        ),
    };
    let could_be_tasks = plan.rejected.iter().any(|rejected| {
        let task = rejected.region.class == RegionClass::Task;
        task && matches!(rejected.reason, RejectionReason::KindNotPlanned(_))
    });
    match could_be_tasks {
        true => format!(
            "{nothing} Calls may run side by side: `--personality tasks` plans functions, too."
        ),
        false => nothing,
    }
}

/// The thresholds applied.
pub(crate) fn rules(plan: &Plan) -> String {
    let personality = &plan.personality;
    let kind = |kind| personality.kinds.contains(&kind);
    let mut least = Vec::new();
    if kind(CandidateKind::Loop) || kind(CandidateKind::Doall) || kind(CandidateKind::Innermost) {
        least.push(format!(
            "{}% by a DOALL loop",
            personality.min_speedup_doall
        ));
    }
    if kind(CandidateKind::Loop) || kind(CandidateKind::Doacross) {
        least.push(format!(
            "{}% by a DOACROSS loop",
            personality.min_speedup_doacross
        ));
    }
    if kind(CandidateKind::Function) {
        least.push(format!("{}% by tasks", personality.min_speedup_task));
    }
    format!(
        "Personality {}: self-parallelism of {} or more, program faster by {}.",
        safe(&personality.name),
        personality.min_self_parallelism,
        least.join(", "),
    )
}

/// What to do where entries have no code because nobody looked at their accesses.
pub(crate) fn to_settle(plan: &Plan) -> Option<&'static str> {
    (!plan.observed && plan.entries.iter().any(unsettled)).then_some(
        "Where something has to be looked at first, `parascan explain` with this profile runs the program once more, \
         looks at every access, and names what stops a loop or settles it.",
    )
}

/// Speedups on processors without end.
pub(crate) fn ideal(plan: &Plan) -> String {
    let mut text = format!(
        "With all of them the program would run {} as fast",
        speedup(plan.speedup)
    );
    if let (Some(cores), Some(on_cores)) = (plan.cores, plan.speedup_on_cores) {
        text += &format!(", on {cores} cores {}", speedup(on_cores));
    }
    text + ". Speedups are ideal: no overhead, no limit by memory or by the number of processors, and one run of the \
            program stands for all."
}

/// Speedups on the machine that the plan is for.
pub(crate) fn expectation(plan: &Plan, outlook: &PlanOutlook) -> String {
    let mut text = format!(
        "With all of them the program is expected to run {} as fast {} ({});{} ideal {}.",
        speedup(outlook.all.speedup),
        on(outlook),
        range(&outlook.all),
        match outlook.curve[..] {
            [] => String::new(),
            _ => format!(" on {};", curve(outlook)),
        },
        speedup(plan.speedup)
    );
    text += &format!(" {}", limits(outlook));
    text
}

/// What runs the regions: `on 2 cores`.
pub(crate) fn on(outlook: &PlanOutlook) -> String {
    match outlook.target {
        PlanTarget::Threads => format!("on {} cores", outlook.machine.cores),
        PlanTarget::Vectors(bytes) => format!("with vectors of {bytes} bytes"),
        PlanTarget::Device(device) => {
            format!(
                "with a device {} times as fast as a core",
                factor(device.faster)
            )
        }
    }
}

/// `1.60x to 1.97x`.
pub(crate) fn range(expected: &ExpectedRange) -> String {
    format!("{} to {}", speedup(expected.least), speedup(expected.most))
}

/// Expected speedups on other numbers of cores.
pub(crate) fn curve(outlook: &PlanOutlook) -> String {
    let others = outlook
        .curve
        .iter()
        .filter(|(cores, _)| *cores != outlook.machine.cores);
    let others: Vec<String> = others
        .map(|(cores, expected)| format!("{cores}: {}", speedup(expected.speedup)))
        .collect();
    others.join(", ")
}

/// What expected figures are made of, and what is not in them.
pub(crate) fn limits(outlook: &PlanOutlook) -> String {
    let rate = outlook.units_per_ns;
    let rate = match outlook.machine.serial_seconds {
        Some(_) if outlook.machine.recorded => format!(
            "at {} units of work in a nanosecond, as native code between bursts took",
            factor(rate)
        ),
        Some(_) => format!(
            "at the program's {} units of work in a nanosecond",
            factor(rate)
        ),
        None => format!(
            "at {} units of work in a nanosecond, a guess that may be ten times off (`--serial-time` gives the program's own time)",
            factor(rate)
        ),
    };
    let costs = match (outlook.machine.calibrated, outlook.machine.memory) {
        (true, _) => "what threads cost, measured on this machine",
        // What was measured says nothing of this personality's threads.
        (false, Some(_)) => "what threads cost, the personality's own figures",
        (false, None) => {
            "what threads cost, rounded published figures (`parascan calibrate` measures them)"
        }
    };
    let memory = match outlook.machine.memory {
        Some(_) => "what loops stream through memory, as fast as it was measured",
        None => "what loops stream through memory, as fast as a guess has it",
    };
    match outlook.target {
        PlanTarget::Threads => {}
        PlanTarget::Vectors(_) => {
            return format!(
                "Expected figures count so many elements at a time as a vector holds, a guess for those that are not side by side, {rate}, and \
                 {memory}; the range goes from nothing to all. One run of the program stands for all."
            );
        }
        PlanTarget::Device(_) => {
            return format!(
                "Expected figures are orders of magnitude: those of the personality for the device, what every instance copies, and work {rate}. \
                 Nothing was measured on a device. One run of the program stands for all."
            );
        }
    }
    format!(
        "Expected figures count {costs}, {rate}, {memory}, and the largest share of a core; not how caches are shared. One run of the program \
         stands for all."
    )
}

/// Whether a run that looks at every access could say more of a planned region.
fn unsettled(entry: &RegionFigures) -> bool {
    entry.kind == RegionKind::Loop && !entry.needs.is_empty()
}
