//! What is said of a busy machine, in words.

use parascan_analysis::phases::Phases;
use parascan_formats::omp::OverheadClass;

use super::words;
use crate::shared::style::{count, percent};

/// That figures are not the program's alone, and what they would be without the others; None where there is nothing to
/// warn of.
pub(super) fn warning(result: &Phases) -> Option<String> {
    let busy = &result.busy;
    if !busy.warn {
        return None;
    }
    let crowded = busy.processors > 0 && result.threads > busy.processors;
    let crowd = || {
        format!(
            "{} on {}",
            count(result.threads.into(), "thread", "threads"),
            count(busy.processors.into(), "processor", "processors")
        )
    };
    let mut facts = Vec::new();
    if crowded {
        facts.push(crowd());
    }
    if let Some(time) = busy.processor_time {
        let time = words::time(time);
        facts.push(format!("{time} of processor time in all"));
    }
    if let Some(switches) = busy.involuntary_switches {
        let switches = count(switches, "involuntary switch", "involuntary switches");
        facts.push(switches);
    }
    let facts = facts.join(", ");
    let waits = busy.held_up.filter(|&held_up| held_up > 0).map(|held_up| {
        format!(
            " Waits were longer for that by {} of the time of all threads (an estimate).",
            percent(result.total.part(held_up))
        )
    });
    let mut text = match busy.share {
        Some(share) if share > 0.0 => format!(
            "The machine was busy: while they worked or were to come to a parallel region, threads were ready to run but had no processor for {} of the time ({facts}).",
            percent(share)
        ),
        Some(_) if !crowded => format!(
            "The machine was busy: waits of threads were over, but they had no processor to go on ({facts})."
        ),
        Some(_) => format!(
            "More threads than processors ({facts}); none was seen to lack a processor while it worked or was to come to a region."
        ),
        None => format!(
            "More threads than processors ({facts}); the kernel does not tell how long threads waited for one."
        ),
    };
    text += waits.as_deref().unwrap_or_default();
    if let Some(without) = &busy.without {
        text += &format!(
            " All figures include that. An estimate without what was seen of it: imbalance {} (here {}), parallel efficiency {} ({}), load balance {} ({}).",
            percent(without.share(OverheadClass::Imbalance)),
            percent(result.total.share(OverheadClass::Imbalance)),
            words::share(without.parallel_efficiency),
            words::share(result.total.parallel_efficiency),
            words::share(without.load_balance),
            words::share(result.total.load_balance),
        );
    }
    Some(text)
}
