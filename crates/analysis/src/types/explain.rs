//! Each decision in a sentence.

use crate::numbers::grouped;
use crate::types::{DecidingRule, Decision, Label, StageFlow, TypeOptions, TypedRegion};

pub(super) fn explain(typed: &TypedRegion, options: &TypeOptions) -> String {
    let (Some(label), Some(decision)) = (typed.label, &typed.decision) else {
        return "its critical path, or that of what runs inside it, was not measured".to_owned();
    };
    let mut text = if label == Label::MixedTlp {
        let votes: Vec<String> = typed
            .votes
            .iter()
            .map(|vote| {
                format!(
                    "{} in {:.0}% of its work",
                    vote.label.name(),
                    100.0 * vote.share
                )
            })
            .collect();
        format!(
            "its instances differ: {}; where they are {}, {}",
            votes.join(", "),
            typed.votes[0].label.name(),
            sentence(typed.votes[0].label, decision, options)
        )
    } else {
        sentence(label, decision, options)
    };
    if let Some(first) = typed.votes.first().filter(|_| label != Label::MixedTlp)
        && first.share < 1.0
    {
        text += &format!(" (in {:.1}% of its work)", 100.0 * first.share);
    }
    if decision.estimated {
        text += " (what ran inside is known as sums only, because the tree is summarised there)";
    }
    if let Some(pipeline) = &typed.pipeline {
        text += &format!(
            "; the loops {} look like the stages of a pipeline: they depend on each other (together they take {} where the longest alone takes {}) and overlap (one after the other they would take {}){}",
            pipeline.stages.join(", "),
            grouped(pipeline.cp_actual),
            grouped(pipeline.cp_perfect),
            grouped(pipeline.cp_no_tlp),
            if pipeline.equal_iterations {
                ", with the same number of iterations each"
            } else {
                ""
            },
        );
        for flows in pipeline
            .observed
            .chunk_by(|a, b| (&a.from, &a.to) == (&b.from, &b.to))
        {
            text += &observed(&flows[0], flows.len() - 1);
        }
    }
    text
}

/// What evidence saw going from one stage to another: the first of it, and how many more.
fn observed(flow: &StageFlow, more: usize) -> String {
    let name = match &*flow.name {
        "" => String::new(),
        name => format!(" (`{name}`)"),
    };
    let more = match more {
        0 => String::new(),
        more => format!(", and {more} more from the one to the other"),
    };
    format!(
        "; observed: {} reads on line {} what {} wrote on line {}{name}{more}",
        flow.to, flow.read, flow.from, flow.written
    )
}

fn sentence(label: Label, decision: &Decision, options: &TypeOptions) -> String {
    let parallelism = number(decision.parallelism);
    let children = each(decision);
    let fitness = decision.fitness.map_or_else(
        || "none".to_owned(),
        |f| {
            if f < 0.0 {
                "below 0".to_owned()
            } else {
                format!("{f:.2}")
            }
        },
    );
    let range = format!(
        "the children's critical paths are {} one after the other and {} at once, its own is {}: fitness {fitness}",
        grouped(decision.cp_no_tlp),
        grouped(decision.cp_perfect),
        grouped(decision.cp_actual)
    );
    match (decision.rule, label) {
        (DecidingRule::NoChildren, Label::Dlp) => format!(
            "no loop or call inside, and parallelism {parallelism} is above {}",
            options.p_dlp
        ),
        (DecidingRule::NoChildren, _) => format!(
            "no loop or call inside, and parallelism {parallelism} is not above {}",
            options.p_dlp
        ),
        (DecidingRule::OneChild, Label::Dlp) => format!(
            "one loop or call inside with the same parallelism, and {parallelism} is above {}",
            options.p_dlp
        ),
        (DecidingRule::OneChild, _) => {
            format!(
                "{children} inside with nothing beside it to overlap with, and parallelism {parallelism}"
            )
        }
        (DecidingRule::Homogeneous, _) => format!(
            "{children} inside, all of the same region, work and parallelism ({}), which add up to its own, {parallelism}",
            decision.child_parallelism.map_or_else(String::new, number)
        ),
        (DecidingRule::Fitness, Label::PerfectTlp) => {
            format!("{children} inside can all run at once: {range}")
        }
        (DecidingRule::Fitness, Label::PartialTlp) => format!(
            "{children} inside overlap in part: {range}, above {}",
            options.f_min
        ),
        (DecidingRule::Fitness, Label::NoTlp) => {
            format!("{children} inside wait for each other: {range}")
        }
        (DecidingRule::Fitness, _) => format!(
            "{children} inside hardly overlap: {range}, not above {}",
            options.f_min
        ),
    }
}

/// `3 loops or calls`, as a mean where there are several instances.
fn each(decision: &Decision) -> String {
    if decision.children == decision.instances {
        return "one loop or call".to_owned();
    }
    let mean = decision.children as f64 / decision.instances as f64;
    format!("{} loops or calls", number(mean))
}

/// At most two decimals.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    if value >= 99.995 {
        grouped(value.round() as u64)
    } else {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn large_numbers_have_separators() {
        let numbers = [1.5, 8.0, 99.994, 99.996, 71_874.2];
        assert_eq!(numbers.map(number), ["1.5", "8", "99.99", "100", "71,874"]);
    }
}
