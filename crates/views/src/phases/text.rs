//! Regions, loops, phases and outliers for people.

use parascan_analysis::phases::candidates::CandidateLoop;
use parascan_analysis::phases::cut::Start;
use parascan_analysis::phases::figures::TimeSummary;
use parascan_analysis::phases::{PhaseMethod, Phases};
use parascan_formats::omp::OverheadClass;

use super::regions::{regions, within};
use super::{conclusions, region_counters, words};
use crate::shared::style::{Style, TextTone, count, grouped, percent, safe};
use crate::shared::table::{self, Column};

/// The run, its regions, the loops found and what was chosen: what `parascan omp` prints. At most `rows` regions and
/// loops.
pub fn omp_text(result: &Phases, style: &Style, rows: usize) -> String {
    let mut out = header(result, style);
    out += &losses(result, style, rows);
    out += &heading(style, "Regions");
    out += &regions(result, style, rows);
    out += &counted(result, style, rows);
    out += &heading(style, "Loops in the control flow");
    out += &loops(result, style, rows);
    out += &heading(style, "Phases");
    out + &chosen(result, style)
}

/// The phases with overheads and efficiencies, and what is special about outliers: what `parascan phases` prints. At
/// most `rows` phases, regions and outliers.
pub fn phases_text(result: &Phases, style: &Style, rows: usize) -> String {
    let mut out = header(result, style);
    out += &losses(result, style, rows);
    let (_, many) = words::unit(result);
    out += &heading(style, title(result));
    out += &chosen(result, style);
    if result.choice.is_none() {
        out += &heading(style, "Loops in the control flow");
        out += &loops(result, style, rows);
        out += &heading(style, "Regions");
        return out + &regions(result, style, rows) + &counted(result, style, rows);
    }
    out += &each(result, style, rows);
    out += &heading(style, &format!("Threads, within {many}"));
    out += &threads(result, style, rows);
    if !result.outliers.is_empty() {
        out += &heading(style, "Phases that are not like the others");
        for outlier in result.outliers.iter().take(rows) {
            out += &style.paragraph(None, "", "  ", &words::outlier(result, outlier));
        }
        let more = result.outliers.len().saturating_sub(rows);
        if more > 0 {
            out += &format!("and {more} more (--rows, or --format json)\n");
        }
    }
    out += &heading(style, &format!("Regions, within {many}"));
    out += &within(result, style, rows);
    out + &counted(result, style, rows)
}

/// What counters counted in regions, where that is known.
fn counted(result: &Phases, style: &Style, rows: usize) -> String {
    match region_counters::tree(result, style, rows) {
        Some(tree) => heading(style, "Counters of regions, in the whole run") + &tree,
        None => String::new(),
    }
}

/// What the section of phases is called.
fn title(result: &Phases) -> &'static str {
    match result.intervals {
        Some(_) => "Slices of time",
        None => "Phases",
    }
}

fn heading(style: &Style, text: &str) -> String {
    format!("\n{}\n", style.paint(TextTone::Heading, text))
}

fn header(result: &Phases, style: &Style) -> String {
    let program = words::program(result);
    let partial = if result.run.end.partial() {
        " (partial recording)"
    } else {
        ""
    };
    let title = format!("OpenMP run of {program}{partial}");
    let mut out = style.paragraph(Some(TextTone::Heading), "", "", &title);
    let command: Vec<String> = result.run.command.iter().map(|w| safe(w)).collect();
    out += &style.paragraph(Some(TextTone::Dim), "  ", "    ", &command.join(" "));
    let runtime = if result.run.runtime.is_empty() {
        "no OpenMP runtime".to_owned()
    } else {
        safe(&result.run.runtime)
    };
    out += &style.paragraph(
        None,
        "",
        "  ",
        &format!(
            "{}, {}, {}; {runtime}.",
            words::time(result.run.duration),
            count(result.threads.into(), "thread", "threads"),
            words::end(result.run.end),
        ),
    );
    if let Some(warning) = super::busy::warning(result) {
        out += &style.paragraph(Some(TextTone::Warning), "Warning: ", "  ", &warning);
    }
    out += &style.paragraph(None, "", "  ", &spent(&result.total));
    out += &style.paragraph(None, "", "  ", &efficiencies(&result.total));
    for remark in words::blind(result) {
        out += &style.paragraph(Some(TextTone::Warning), "Note: ", "      ", &remark);
    }
    out
}

/// What is lost most, and why; nothing where nothing is.
fn losses(result: &Phases, style: &Style, rows: usize) -> String {
    if result.losses.is_empty() {
        return String::new();
    }
    let mut out = heading(style, "Where time is lost, in the whole run");
    if let Some(remark) = conclusions::caution(result) {
        out += &style.paragraph(Some(TextTone::Warning), "Note: ", "      ", &remark);
    }
    let shown = rows.min(conclusions::SHOWN);
    for (loss, number) in result.losses.iter().take(shown).zip(1..) {
        let text = conclusions::loss(result, loss);
        out += &style.paragraph(None, &format!("{number}. "), "   ", &text);
    }
    let more = result.losses.len().saturating_sub(shown);
    if more > 0 {
        out += &format!("and {more} more (--format json)\n");
    }
    out
}

/// Where the threads' time went.
fn spent(summary: &TimeSummary) -> String {
    let mut parts = vec![format!("work {}", percent(summary.part(summary.work)))];
    for class in OverheadClass::ALL {
        parts.push(format!(
            "{} {}",
            words::class(class),
            percent(summary.share(class))
        ));
    }
    parts.push(format!(
        "outside parallel regions {}",
        percent(summary.part(summary.idle))
    ));
    format!("Time of all threads: {}.", parts.join(", "))
}

fn efficiencies(summary: &TimeSummary) -> String {
    format!(
        "Parallel efficiency {} = load balance {} x serialization {}.",
        words::share(summary.parallel_efficiency),
        words::share(summary.load_balance),
        words::share(summary.serialization)
    )
}

fn chosen(result: &Phases, style: &Style) -> String {
    let mut out = style.paragraph(None, "", "  ", &words::choice(result));
    if let Some(doubt) = words::doubt(result) {
        out += &style.paragraph(Some(TextTone::Warning), "  ", "    ", &doubt);
    }
    for line in words::paths(result) {
        out += &style.paragraph(None, "  ", "    ", &line);
    }
    if let (Some((least, median, most)), None) = (words::extremes(result), result.intervals) {
        let covered = result.inside.wall as f64 / result.run.duration.max(1) as f64;
        out += &style.paragraph(
            None,
            "  ",
            "    ",
            &format!(
                "They take {} of the run; the median is {}, the shortest {}, the longest {}.",
                percent(covered),
                words::time(median),
                words::time(least),
                words::time(most)
            ),
        );
    }
    out
}

/// A table and what was left out of it.
fn finish(
    columns: &[Column],
    rows: Vec<Vec<String>>,
    all: usize,
    none: &str,
    style: &Style,
) -> String {
    if rows.is_empty() {
        return style.paragraph(None, "", "", none);
    }
    let more = all.saturating_sub(rows.len());
    let mut out = table::layout_of(columns, rows, style, "--format json");
    if more > 0 {
        out += &format!("and {more} more (--rows, or --format json)\n");
    }
    out
}

fn loops(result: &Phases, style: &Style, rows: usize) -> String {
    const COLUMNS: [Column; 9] = [
        table::name("", usize::MAX),
        table::name("Begins at", 14).easy(24),
        table::name("Inside", 8).goes(3),
        table::number("Iterations"),
        table::number("Entries").goes(5),
        table::number("Covered").goes(1),
        table::number("Regular").goes(4),
        table::number("Score").goes(2),
        table::name("As phases", 9),
    ];
    let chosen = match result.choice.as_ref().map(|c| c.how) {
        Some(PhaseMethod::Loop(index)) => Some(index),
        _ => None,
    };
    let row = |(index, candidate): (usize, &CandidateLoop)| {
        let mark = if chosen == Some(index) { ">" } else { "" };
        let partial = match (&candidate.rule.start, candidate.found.partial) {
            (Start::Period { .. }, _) => " ~",
            (_, true) => " *",
            (_, false) => "",
        };
        vec![
            mark.to_owned(),
            format!("{}{partial}", words::node(result, candidate.found.header)),
            words::node(result, candidate.layer),
            grouped(candidate.found.trips()),
            grouped(candidate.found.entries),
            percent(candidate.covered),
            format!("{:.2}", candidate.regularity),
            format!("{:.3}", candidate.score),
            if mark.is_empty() {
                words::verdict(candidate).to_owned()
            } else {
                "chosen".to_owned()
            },
        ]
    };
    let shown: Vec<Vec<String>> = result
        .candidates
        .iter()
        .enumerate()
        .take(rows)
        .map(row)
        .collect();
    let by_sequence = |c: &CandidateLoop| matches!(c.rule.start, Start::Period { .. });
    let listed = || result.candidates.iter().take(rows);
    let partial = listed().any(|c| c.found.partial && !by_sequence(c));
    let mut out = finish(
        &COLUMNS,
        shown,
        result.candidates.len(),
        "None: no region was entered again after others.",
        style,
    );
    if partial {
        out += &style.paragraph(
            Some(TextTone::Dim),
            "",
            "",
            "* another reading of a loop: only its rarest returns begin an iteration",
        );
    }
    if listed().any(by_sequence) {
        out += &style.paragraph(
            Some(TextTone::Dim),
            "",
            "",
            "~ another reading of a loop: an iteration begins where its sequence of regions begins anew",
        );
    }
    out
}

const PHASES: [Column; 11] = [
    table::number("Phase"),
    table::number("From").goes(7),
    table::number("Time"),
    table::number("Work").goes(5),
    table::number("Sync.").goes(4),
    table::number("Limited").goes(3),
    table::number("Mgmt.").goes(2),
    table::number("Imbal.").goes(1),
    table::number("Outside").goes(6),
    table::number("Par. eff."),
    table::number("Balance").goes(8),
];

fn each(result: &Phases, style: &Style, rows: usize) -> String {
    let number = result.phases().count();
    // The outliers and, up to the limit, the first ones.
    let special = |phase: u32| result.outliers.iter().any(|o| o.phase == phase);
    let plain = rows.saturating_sub(result.outliers.len().min(rows));
    let mut taken = 0;
    let mut left = 0u64;
    let mut cells = Vec::new();
    for (phase, piece) in result.phases() {
        let is_special = special(phase);
        if !is_special {
            taken += 1;
        }
        if cells.len() >= rows || (!is_special && taken > plain) {
            left += 1;
            continue;
        }
        let summary = piece.summary(result.threads);
        let mark = if is_special { "!" } else { "" };
        let mut row = vec![
            format!("{mark}{}", words::numbers(result, &[(phase, piece)]).1),
            words::time(piece.time.start),
            words::time(piece.wall()),
        ];
        row.extend(row_of(&summary));
        cells.push(row);
    }
    let mut columns = PHASES;
    if result.intervals.is_some() {
        columns[0] = table::number("Slice");
    }
    let mut out = format!("\n{}", table::layout(&columns, cells, style));
    if left > 0 {
        out += &format!("and {left} more (--rows, or --format csv)\n");
    }
    if number > 0 {
        let legend = if result.outliers.is_empty() {
            "Shares of the time of all threads."
        } else {
            "Shares of the time of all threads; ! is not like the others."
        };
        out += &style.paragraph(Some(TextTone::Dim), "", "", legend);
    }
    if let Some(remark) = words::tail(&result.pieces) {
        out += &style.paragraph(Some(TextTone::Dim), "", "", remark);
    }
    out
}

/// Shares and efficiencies, as the last eight columns of [`PHASES`].
fn row_of(summary: &TimeSummary) -> Vec<String> {
    let mut row = vec![percent(summary.part(summary.work))];
    row.extend(OverheadClass::ALL.map(|class| percent(summary.share(class))));
    row.extend([
        percent(summary.part(summary.idle)),
        words::share(summary.parallel_efficiency),
        words::share(summary.load_balance),
    ]);
    row
}

/// At most `rows` of the threads that took part.
fn threads(result: &Phases, style: &Style, rows: usize) -> String {
    let mut columns = vec![table::number("Thread")];
    columns.extend(&PHASES[3..9]);
    let of_phases = (0..result.threads).map(|thread| {
        let cells = result.phases().flat_map(|(_, p)| &p.cells);
        let own = cells.filter(|c| c.thread == thread);
        let figures = own.map(|c| (c.thread, &c.figures));
        (thread, TimeSummary::new(result.inside.wall, 1, figures))
    });
    let took_part: Vec<(u32, TimeSummary)> = of_phases
        .filter(|(_, summary)| summary.work > 0 || summary.lost.iter().any(|&lost| lost > 0))
        .collect();
    let shown = took_part.iter().take(rows).map(|(thread, summary)| {
        let mut row = vec![thread.to_string()];
        row.extend(row_of(summary).into_iter().take(6));
        row
    });
    let none = "No thread was in a region.";
    let mut out = finish(&columns, shown.collect(), took_part.len(), none, style);
    let absent = u64::from(result.threads) - took_part.len() as u64;
    if absent > 0 {
        let text = format!(
            "{} took no part.",
            count(absent, "thread of the run", "threads of the run")
        );
        out += &style.paragraph(Some(TextTone::Dim), "", "", &text);
    }
    out
}
