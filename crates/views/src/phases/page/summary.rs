//! The run as a whole: its figures as tiles, and what there is to remark on it.

use parascan_analysis::phases::Phases;
use parascan_formats::omp::OverheadClass;
use serde::Serialize;

use super::parts::Paragraph;
use crate::phases::{busy, words};
use crate::shared::style::{count, grouped, percent, safe};

#[derive(Debug, Serialize)]
pub(super) struct SummarySection {
    tiles: Vec<Tile>,
    remarks: Vec<Paragraph>,
}

/// A figure with its name.
#[derive(Debug, Serialize)]
struct Tile {
    name: &'static str,
    value: String,
    /// What else there is to say of it.
    more: String,
}

pub(super) fn summary(result: &Phases) -> SummarySection {
    SummarySection {
        tiles: tiles(result),
        remarks: remarks(result),
    }
}

fn tiles(result: &Phases) -> Vec<Tile> {
    let total = &result.total;
    let lost: u64 = total.lost.iter().sum();
    let most = OverheadClass::ALL
        .into_iter()
        .max_by_key(|&c| total.lost[c as usize]);
    let most = most.filter(|_| lost > 0).map_or(String::new(), |class| {
        let share = percent(total.share(class));
        format!("mostly {} {share}", words::class(class))
    });
    let efficiency = format!(
        "load balance {} × serialization {}",
        words::share(total.load_balance),
        words::share(total.serialization)
    );
    let unlike = count(
        result.outliers.len() as u64,
        "is unlike the others",
        "are unlike the others",
    );
    let tile = |name, value, more| Tile { name, value, more };
    vec![
        tile(
            "Wall time",
            words::time(result.run.duration),
            count(result.threads.into(), "thread", "threads"),
        ),
        tile("Phases", grouped(result.phases().count() as u64), unlike),
        tile(
            "Parallel efficiency",
            words::share(total.parallel_efficiency),
            efficiency,
        ),
        tile("Overheads", percent(total.part(lost)), most),
        tile(
            "Outside parallel regions",
            percent(total.part(total.idle)),
            "of the time of all threads".to_owned(),
        ),
    ]
}

fn remarks(result: &Phases) -> Vec<Paragraph> {
    let command: Vec<String> = result.run.command.iter().map(|w| safe(w)).collect();
    let mut remarks = vec![Paragraph::quiet(command.join(" "))];
    let warning = busy::warning(result).map(|warning| format!("Warning: {warning}"));
    remarks.extend(warning.map(Paragraph::note));
    remarks.extend(words::blind(result).into_iter().map(Paragraph::note));
    if result.run.end.partial() {
        remarks.push(Paragraph::note(words::end(result.run.end)));
    }
    remarks.push(Paragraph::plain(words::choice(result)));
    remarks.extend(words::doubt(result).map(Paragraph::note));
    remarks.extend(words::paths(result).into_iter().map(Paragraph::quiet));
    remarks
}
