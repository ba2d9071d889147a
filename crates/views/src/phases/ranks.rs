//! Phases of several processes side by side: text, JSON and CSV.

use parascan_analysis::phases::Phases;
use parascan_analysis::phases::busy::MachineLoad;
use parascan_analysis::phases::figures::TimeSummary;
use parascan_analysis::phases::ranks::{RankPhase, Ranks};
use parascan_formats::omp::Run;
use serde::Serialize;

use super::{busy, words};
use crate::shared::csv::document;
use crate::shared::json;
use crate::shared::style::{Style, TextTone, count, grouped, safe};
use crate::shared::table::{self, Column};

/// Columns of a rank's times in the table of phases, with what is around them.
const OF_RANK: usize = 9;
/// Columns of what stands before them.
const OTHERS: usize = 44;

/// The ranks, the phases with each one's time as far as there is room, which rank is last: at most `rows` rows of each.
/// `names` are those of the recordings.
pub fn ranks_text(ranks: &Ranks, names: &[String], style: &Style, rows: usize) -> String {
    let Some(first) = ranks.each.first() else {
        return String::new();
    };
    let number = ranks.each.len() as u64;
    let title = format!(
        "Run of {}, {}",
        words::program(first),
        count(number, "process", "processes")
    );
    let mut out = style.paragraph(Some(TextTone::Heading), "", "", &title);
    if let Some(warning) = busy::of_ranks(ranks) {
        out += &style.paragraph(Some(TextTone::Warning), "Warning: ", "  ", &warning);
    }
    let partial = |rank: &Phases| rank.run.end.partial();
    if let Some(which) = words::ranks(ranks, partial) {
        let note = format!("Of {which} the recording is partial.");
        out += &style.paragraph(Some(TextTone::Warning), "Note: ", "      ", &note);
    }
    out += &style.paragraph(None, "", "  ", &words::choice(first));
    out += &style.paragraph(None, "", "  ", &in_words(ranks));
    out += &format!("\n{}\n", style.paint(TextTone::Heading, "Ranks"));
    out += &of_ranks(ranks, names, style, rows);
    out += &format!("\n{}\n", style.paint(TextTone::Heading, "Phases, by rank"));
    out + &of_phases(ranks, style, rows)
}

/// How unlike the ranks are.
fn in_words(ranks: &Ranks) -> String {
    let Some(imbalance) = ranks.imbalance else {
        return "No time passed in phases.".to_owned();
    };
    let last = ranks.slowest();
    let most = last.iter().copied().max().unwrap_or(0);
    let rank = last.iter().position(|&n| n == most).unwrap_or(0);
    format!(
        "Imbalance between ranks {imbalance:.3}: the longest time of each phase over the mean of ranks, all phases together. Rank {rank} takes \
         longest in {} of {}.",
        grouped(most),
        count(ranks.phases.len() as u64, "phase", "phases")
    )
}

fn of_ranks(ranks: &Ranks, names: &[String], style: &Style, rows: usize) -> String {
    let columns = [
        table::number("Rank"),
        table::name("Recording", 12),
        table::number("Time").goes(2),
        table::number("Threads").goes(3),
        table::number("In phases"),
        table::number("Par. eff."),
        table::number("Longest in").goes(1),
    ];
    let last = ranks.slowest();
    let lines = ranks.each.iter().zip(names).zip(last).enumerate();
    let row = |(rank, ((of_rank, name), last)): (usize, ((&Phases, &String), u64))| {
        vec![
            rank.to_string(),
            safe(name),
            words::time(of_rank.run.duration),
            of_rank.threads.to_string(),
            words::time(of_rank.inside.wall),
            words::share(of_rank.inside.parallel_efficiency),
            grouped(last),
        ]
    };
    let shown: Vec<Vec<String>> = lines.take(rows).map(row).collect();
    table::layout(&columns, shown, style) + &more(ranks.each.len(), rows)
}

fn of_phases(ranks: &Ranks, style: &Style, rows: usize) -> String {
    let fits = style.columns().saturating_sub(OTHERS) / OF_RANK;
    let each = ranks.each.len() <= fits;
    let titles: Vec<String> = (0..ranks.each.len())
        .map(|rank| format!("R. {rank}"))
        .collect();
    let mut columns: Vec<Column<'_>> = vec![
        table::number("Phase"),
        table::number("Mean").goes(1),
        table::number("Max"),
        table::number("Max/mean"),
        table::number("Longest"),
    ];
    if each {
        columns.extend(titles.iter().map(|title| table::number(title)));
    }
    let row = |side: &RankPhase| {
        let (rank, longest) = side.slowest();
        let mut row = vec![
            if side.last == side.first {
                side.first.to_string()
            } else {
                format!("{}-{}", side.first, side.last)
            },
            words::time(side.mean().round() as u64),
            words::time(longest),
            side.imbalance()
                .map_or_else(|| "-".to_owned(), |i| format!("{i:.2}")),
            rank.to_string(),
        ];
        if each {
            row.extend(side.times.iter().map(|&time| words::time(time)));
        }
        row
    };
    let shown: Vec<Vec<String>> = ranks.phases.iter().take(rows).map(row).collect();
    let mut out = table::layout(&columns, shown, style) + &more(ranks.phases.len(), rows);
    let legend = if each {
        "Wall time of each rank; Longest is the rank that takes most."
    } else {
        "Wall time; Longest is the rank that takes most. --format json has the time of each."
    };
    out += &style.paragraph(Some(TextTone::Dim), "", "", legend);
    if let Some(remark) = ranks.each.iter().find_map(|one| words::tail(&one.pieces)) {
        out += &style.paragraph(Some(TextTone::Dim), "", "", remark);
    }
    out
}

fn more(all: usize, shown: usize) -> String {
    match all.saturating_sub(shown) {
        0 => String::new(),
        more => format!("and {more} more (--rows, or --format json)\n"),
    }
}

#[derive(Serialize)]
struct RanksJson<'a> {
    imbalance: Option<f64>,
    without: Option<f64>,
    choice: String,
    ranks: Vec<RankJson<'a>>,
    phases: Vec<SideJson<'a>>,
}

#[derive(Serialize)]
struct RankJson<'a> {
    rank: usize,
    recording: &'a str,
    run: &'a Run,
    threads: u32,
    busy: &'a MachineLoad,
    total: TimeSummary,
    inside: TimeSummary,
    longest_in: u64,
}

#[derive(Serialize)]
struct SideJson<'a> {
    first: u64,
    last: u64,
    times: &'a [u64],
    undisturbed: &'a [u64],
    mean: f64,
    imbalance: Option<f64>,
    longest: usize,
}

/// All that is known of the phases of several processes as JSON.
pub fn ranks_json(ranks: &Ranks, names: &[String]) -> String {
    let each = ranks
        .each
        .iter()
        .zip(names)
        .zip(ranks.slowest())
        .enumerate();
    json::document(
        "parascan-ranks",
        &RanksJson {
            imbalance: ranks.imbalance,
            without: ranks.without,
            choice: ranks.each.first().map_or(String::new(), words::choice),
            ranks: each
                .map(|(rank, ((of_rank, name), longest_in))| RankJson {
                    rank,
                    recording: name,
                    run: &of_rank.run,
                    threads: of_rank.threads,
                    busy: &of_rank.busy,
                    total: of_rank.total,
                    inside: of_rank.inside,
                    longest_in,
                })
                .collect(),
            phases: ranks
                .phases
                .iter()
                .map(|side| SideJson {
                    first: side.first,
                    last: side.last,
                    times: &side.times,
                    undisturbed: &side.undisturbed,
                    mean: side.mean(),
                    imbalance: side.imbalance(),
                    longest: side.slowest().0,
                })
                .collect(),
        },
    )
}

/// A row for each phase of each rank, each with whether that rank's machine was busy.
pub fn ranks_csv(ranks: &Ranks) -> String {
    let rows = ranks.phases.iter().flat_map(|side| {
        let each = side.times.iter().zip(&side.undisturbed).zip(&ranks.each);
        each.enumerate()
            .map(|(rank, ((time, undisturbed), of_rank))| {
                vec![
                    side.first.to_string(),
                    side.last.to_string(),
                    rank.to_string(),
                    time.to_string(),
                    of_rank.busy.warn.to_string(),
                    undisturbed.to_string(),
                ]
            })
    });
    let header = ["first", "last", "rank", "wall", "busy", "undisturbed"];
    document(header.into_iter(), rows)
}
