//! What is said of a busy machine, in words.

use parascan_analysis::phases::Phases;
use parascan_analysis::phases::ranks::Ranks;
use parascan_formats::omp::OverheadClass;

use super::words;
use crate::shared::style::{count, percent};

/// A share that is shown as 0.0%: threads without a processor for so little are no sign of a busy machine.
const HARDLY: f64 = 0.0005;

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
        Some(share) if crowded && share > 0.0 && share < HARDLY => format!(
            "More threads than processors ({facts}); while they worked or were to come to a region, hardly any was seen to lack a processor."
        ),
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

/// That times of ranks are not the program's alone; None where there is nothing to warn of.
pub(super) fn of_ranks(ranks: &Ranks) -> Option<String> {
    let which = words::ranks(ranks, |rank| rank.busy.warn)?;
    let mut text = format!(
        "The machine was busy while {which} ran: all times include that of threads without a processor, and of waits for these."
    );
    let shares = ranks.each.iter().map(|rank| rank.busy.share.unwrap_or(0.0));
    let most = shares.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((rank, share)) = most.filter(|most| most.1 > 0.0) {
        text += &format!(
            " In rank {rank} threads were ready to run but had no processor for {} of the time.",
            percent(share)
        );
    }
    if let (Some(without), Some(imbalance)) = (ranks.without, ranks.imbalance) {
        text += &format!(
            " An estimate without what was seen of it: imbalance between ranks {without:.3} (here {imbalance:.3})."
        );
    }
    Some(text + " `parascan phases FILE` says more of one recording.")
}
