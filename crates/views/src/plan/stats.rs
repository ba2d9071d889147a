//! How much a plan spares its reader.

use parascan_analysis::plan::Stats;
use serde::Serialize;

use crate::shared::csv::document;
use crate::shared::json;
use crate::shared::style::{Style, TextTone, count, percent};

/// The figures in sentences, with the paper's beside them.
pub fn stats_text(stats: &Stats, style: &Style) -> String {
    let part = |number: usize| {
        let share = if stats.regions == 0 {
            0.0
        } else {
            number as f64 / stats.regions as f64
        };
        format!("{number} ({})", percent(share))
    };
    let mut out = style.paragraph(
        Some(TextTone::Heading),
        "",
        "",
        &format!(
            "{} ran",
            count(
                stats.regions as u64,
                "function or loop",
                "functions and loops"
            )
        ),
    );
    let mut lines = vec![
        format!(
            "Low parallelism, below {}: {} by total parallelism, {} by self-parallelism. Kremlin's paper: 25.8% and 58.9% of 2,535 regions, \
             below 5.",
            stats.low_below,
            part(stats.low_total_parallelism),
            part(stats.low_self_parallelism)
        ),
        format!(
            "Left to look at: {} by work alone, {} with self-parallelism, {} in the plan. The paper: 58.9%, 25.4%, 3.0%.",
            part(stats.by_work),
            part(stats.by_self_parallelism),
            part(stats.planned)
        ),
    ];
    if let [quarter, half, three, _] = stats.shares[..] {
        lines.push(format!(
            "Of what the plan saves, its first quarter saves {}, its first half {}, three quarters {}. The paper, measured: 56.2%, 86.4%, 95.6%.",
            percent(quarter),
            percent(half),
            percent(three)
        ));
    }
    if stats.unmeasured > 0 {
        lines.push(format!(
            "Not measured, and in neither of the first two: {}.",
            part(stats.unmeasured)
        ));
    }
    for line in lines {
        out += &style.paragraph(None, "", "  ", &line);
    }
    out
}

#[derive(Serialize)]
struct StatsJson<'a> {
    #[serde(flatten)]
    stats: &'a Stats,
}

/// The statistics of planning as JSON.
pub fn stats_json(stats: &Stats) -> String {
    json::document("parascan-plan-stats", &StatsJson { stats })
}

/// The statistics of planning as CSV: names and values.
pub fn stats_csv(stats: &Stats) -> String {
    let counts = [
        ("regions", stats.regions),
        ("unmeasured", stats.unmeasured),
        ("low_total_parallelism", stats.low_total_parallelism),
        ("low_self_parallelism", stats.low_self_parallelism),
        ("by_work", stats.by_work),
        ("by_self_parallelism", stats.by_self_parallelism),
        ("planned", stats.planned),
    ];
    let rows = counts.map(|(name, value)| vec![name.to_owned(), value.to_string()]);
    let shares = (1..).zip(&stats.shares);
    let shares = shares.map(|(quarter, share)| vec![format!("share_{quarter}"), share.to_string()]);
    document(
        ["name", "value"].into_iter(),
        rows.into_iter().chain(shares),
    )
}
