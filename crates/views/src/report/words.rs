//! The summary: what was found, in sentences for readers who do not know the terms.

use parascan_analysis::class::{RegionClass, SerialReason};
use parascan_analysis::model::ProfileInput;
use parascan_analysis::plan::Plan;
use parascan_analysis::regions::Regions;
use parascan_formats::module::RegionKind;

use crate::plan::words::{curve, limits, nothing, on, range};
use crate::shared::figures::{own_code, place};
use crate::shared::header::total_parallelism;
use crate::shared::names;
use crate::shared::style::{count, factor, percent, safe, speedup};

/// The paragraphs of the summary, each with a heading.
pub(super) fn summary(plan: &Plan, regions: &Regions) -> Vec<(&'static str, String)> {
    let mut out = vec![
        ("What was measured", measured(plan, regions)),
        ("How much parallelism there is", available(plan)),
        ("What the plan brings", gain(plan)),
    ];
    if let Some(text) = remaining(plan, regions) {
        out.push(("What stays serial", text));
    }
    out.push(("How sure this is", certainty(plan)));
    out
}

fn measured(plan: &Plan, regions: &Regions) -> String {
    let of_kind = |kind| regions.rows.iter().filter(|r| r.kind == kind).count() as u64;
    let runs = match plan.inputs.len() {
        1 => "One run".to_owned(),
        n => format!("{n} runs"),
    };
    let mut text = format!(
        "{runs} of {} did {} units of work in {} and {}.",
        program(plan),
        large(plan.work),
        count(of_kind(RegionKind::Function), "function", "functions"),
        count(of_kind(RegionKind::Loop), "loop", "loops"),
    );
    if let Some(hot) = regions
        .rows
        .iter()
        .max_by(|a, b| a.exclusive_coverage.total_cmp(&b.exclusive_coverage))
        .filter(|r| r.exclusive_coverage >= 0.1)
    {
        text += &format!(
            " The busiest place is {} in {}: {} of the work is done there.",
            place(hot),
            names::short(&hot.function),
            percent(hot.exclusive_coverage),
        );
    }
    text
}

fn available(plan: &Plan) -> String {
    let Some(total) = total_parallelism(plan.work, plan.critical_path) else {
        return "The critical path of the whole program, the longest chain of steps that must follow one another, is not known: it was not \
                tracked all the time, or not at all depths."
            .to_owned();
    };
    let verdict = match total {
        t if t < 1.5 => {
            "Nearly every step waits for the one before: there is almost nothing to gain without another algorithm."
        }
        t if t < 4.0 => "That is little: enough for a few cores at best.",
        t if t < 32.0 => "That is enough to keep a handful of cores busy.",
        t if t < 1000.0 => "That is plenty for any desktop or server processor.",
        _ => {
            "That is far more than any processor has cores: dependences are not what limits this program."
        }
    };
    format!(
        "The longest chain of steps that must follow one another, the critical path, is {} of all work. With as many \
         processors as it likes, the program as it is written could run at most {} times as fast. {verdict}",
        if total > 1000.0 {
            format!("1/{}", factor(total))
        } else {
            percent(1.0 / total)
        },
        factor(total),
    )
}

fn gain(plan: &Plan) -> String {
    let Some(first) = plan.entries.first() else {
        return format!(
            "{} The regions that were left out, and why, are listed below.",
            nothing(plan)
        );
    };
    let of = |class| plan.entries.iter().filter(|e| e.class == class).count() as u64;
    let kinds: Vec<String> = [
        (
            RegionClass::Doall,
            "loop with independent iterations",
            "loops with independent iterations",
        ),
        (
            RegionClass::DoallReduction,
            "loop that is independent but for a reduction",
            "loops that are independent but for reductions",
        ),
        (
            RegionClass::Doacross,
            "loop whose iterations overlap in part",
            "loops whose iterations overlap in part",
        ),
        (
            RegionClass::Task,
            "function whose parts can run side by side",
            "functions whose parts can run side by side",
        ),
    ]
    .into_iter()
    .filter(|(class, ..)| of(*class) > 0)
    .map(|(class, one, many)| count(of(class), one, many))
    .collect();
    let places = count(plan.entries.len() as u64, "place", "places");
    let mut text = match &plan.outlook {
        None => format!(
            "Changing {places} would let the program run up to {} times as fast: {}.",
            factor(plan.speedup),
            kinds.join(", "),
        ),
        Some(outlook) => format!(
            "Changing {places} is expected to let the program run {} times as fast {} ({}): {}.{} \
             With processors without end and threads that cost nothing it would be {}. {}",
            factor(outlook.all.speedup),
            on(outlook),
            range(&outlook.all),
            kinds.join(", "),
            match outlook.curve[..] {
                [] => String::new(),
                _ => format!(" On other numbers of cores: {}.", curve(outlook)),
            },
            speedup(plan.speedup),
            limits(outlook)
        ),
    };
    if let (Some(cores), Some(on_cores), None) = (plan.cores, plan.speedup_on_cores, &plan.outlook)
    {
        text += &format!(
            " On {cores} cores it would be {} times at most.",
            factor(on_cores)
        );
    }
    if plan.entries.len() > 1 {
        let (place, function) = own_code(first);
        let so_far = plan.so_far();
        text += &format!(
            " The first one, {place} in {}, brings {} times alone.",
            names::short(function),
            factor(so_far.first().copied().unwrap_or(first.speedup)),
        );
        // How many of them bring nine tenths of what all do.
        let goal = 1.0 + 0.9 * (so_far.last().copied().unwrap_or(1.0) - 1.0);
        let enough = so_far.iter().position(|&s| s >= goal);
        if let Some(enough) = enough
            .map(|i| i + 1)
            .filter(|&n| n > 1 && n < plan.entries.len())
        {
            text += &format!(" The first {enough} bring nine tenths of the gain.");
        }
    }
    text
}

/// The largest serial region, where there is one that matters.
fn remaining(plan: &Plan, regions: &Regions) -> Option<String> {
    let left = regions
        .rows
        .iter()
        .filter(|r| {
            matches!(r.class, RegionClass::Serial | RegionClass::Unseen)
                && r.exclusive_coverage >= 0.05
        })
        .max_by(|a, b| a.exclusive_coverage.total_cmp(&b.exclusive_coverage))?;
    let inside = plan
        .rejected
        .iter()
        .any(|r| r.region.id == left.id && r.reason.code() == "inside_chosen");
    if inside {
        return None;
    }
    let why = match left.serial_reason {
        Some(SerialReason::Unseen) => {
            "too little of it was seen to tell whether its parts could overlap"
        }
        Some(SerialReason::NotTracked) => "whether its parts could overlap was not measured",
        Some(SerialReason::FewChildren | SerialReason::FewIterations) => {
            "it has no parts that could run side by side"
        }
        _ => "its parts wait for each other",
    };
    Some(format!(
        "{} in {} does {} of the work itself, and {why}; unless it runs inside a region of the plan, that share stays as \
         it is.",
        place(left),
        names::short(&left.function),
        percent(left.exclusive_coverage),
    ))
}

fn certainty(plan: &Plan) -> String {
    let bounds = "upper bounds from the program's dependences alone, without the cost of threads, memory and \
                  synchronization";
    let mut text = match plan.outlook {
        Some(_) => format!(
            "Ideal speedups are {bounds}; expected ones are estimates of these. All hold for the inputs that were run."
        ),
        None => format!("All speedups are {bounds}, and they hold for the inputs that were run."),
    };
    if plan.inputs.iter().any(|i| i.end.partial()) {
        text += " The program did not end by itself: figures cover what it did until then.";
    } else if plan.inputs.iter().any(ProfileInput::partial) {
        text +=
            " The clocks were full before the program ended: figures cover what it did until then.";
    }
    if plan.inputs.iter().any(ProfileInput::estimated) {
        text += " Only stretches of the run were tracked: figures with ~ or ± are estimates from these.";
    }
    if !plan.blind_spots.is_empty() {
        let calls = plan
            .blind_spots
            .iter()
            .fold(0u64, |sum, s| sum.saturating_add(s.calls));
        text += &format!(
            " {} into {} could not be looked into; dependences through them are missing.",
            count(calls, "call", "calls"),
            count(plan.blind_spots.len() as u64, "function", "functions"),
        );
    }
    text
}

fn program(plan: &Plan) -> String {
    if plan.program.is_empty() {
        "an unknown program".to_owned()
    } else {
        let name = plan.program.rsplit('/').next();
        safe(name.unwrap_or_default())
    }
}

/// `1234567` as `1.2 million`.
fn large(number: u64) -> String {
    let scales = [
        (1e12, "trillion"),
        (1e9, "billion"),
        (1e6, "million"),
        (1e3, "thousand"),
    ];
    match scales.iter().find(|(scale, _)| number as f64 >= *scale) {
        Some((scale, word)) => format!("{} {word}", factor(number as f64 / scale)),
        None => number.to_string(),
    }
}
