//! Phases, or slices of time, as a table, and those that are unlike the others.

use parascan_analysis::phases::Phases;
use parascan_analysis::phases::figures::{RunPart, TimeSummary};
use parascan_formats::omp::OverheadClass;
use serde::Serialize;

use super::parts::{BarPart, PageCell, PageRow, PageTable, Paragraph, ROWS};
use crate::phases::words;
use crate::shared::style::{grouped, percent};

/// Outliers shown at once.
const OUTLIERS: usize = 10;

#[derive(Debug, Serialize)]
pub(super) struct PhaseSection {
    title: &'static str,
    /// None where there are no phases.
    table: Option<PageTable>,
    remarks: Vec<Paragraph>,
}

pub(super) fn phases(result: &Phases) -> PhaseSection {
    let (title, number) = match result.intervals {
        Some(_) => ("Slices of time", "Slice#"),
        None => ("Phases", "Phase#"),
    };
    let columns = [
        number,
        "From#",
        "Time#",
        "Iterations#",
        "",
        "Work#",
        "Sync.#",
        "Limited#",
        "Mgmt.#",
        "Imbal.#",
        "Outside#",
        "Par. eff.#",
        "Balance#",
        "Serial.#",
    ];
    let rows = result.phases();
    let rows: Vec<PageRow> = rows
        .map(|(number, piece)| row(result, number, piece))
        .collect();
    if rows.is_empty() {
        return PhaseSection {
            title,
            table: None,
            remarks: vec![Paragraph::plain("There are none.")],
        };
    }
    let tail = words::tail(&result.pieces).into_iter();
    PhaseSection {
        title,
        table: Some(PageTable::new("phase-table", "Phases", &columns, rows)),
        remarks: tail.map(Paragraph::quiet).collect(),
    }
}

fn row(result: &Phases, number: u32, piece: &RunPart) -> PageRow {
    let summary = piece.summary(result.threads);
    let mut cells: Vec<PageCell> = vec![
        words::numbers(result, &[(number, piece)]).1.into(),
        words::time(piece.time.start).into(),
        words::time(piece.wall()).into(),
        grouped(piece.iterations).into(),
        bar(&summary),
        percent(summary.part(summary.work)).into(),
    ];
    let lost = OverheadClass::ALL.map(|class| percent(summary.share(class)));
    cells.extend(lost.map(PageCell::from));
    cells.extend([
        percent(summary.part(summary.idle)).into(),
        words::share(summary.parallel_efficiency).into(),
        words::share(summary.load_balance).into(),
        words::share(summary.serialization).into(),
    ]);
    PageRow {
        chosen: result.outliers.iter().any(|o| o.phase == number),
        cells,
    }
}

/// Where the time went.
fn bar(summary: &TimeSummary) -> PageCell {
    let part = |class: String, time: u64| BarPart {
        class,
        width: format!("{:.2}", (summary.part(time) * 100.0).min(100.0)),
    };
    let lost = |class: OverheadClass| {
        let number = class as usize;
        part(format!("k{number}"), summary.lost[number])
    };
    let work = part("kw".to_owned(), summary.work);
    PageCell::bar(
        std::iter::once(work)
            .chain(OverheadClass::ALL.map(lost))
            .collect(),
    )
}

#[derive(Debug, Serialize)]
pub(super) struct OutlierSection {
    /// Those that are seen at once, or why there are none.
    first: Vec<Paragraph>,
    /// As many of the others as there is room for.
    others: Vec<Paragraph>,
    /// How many others there are.
    more: usize,
}

pub(super) fn outliers(result: &Phases) -> OutlierSection {
    let all = result.outliers.iter();
    let mut all = all.map(|outlier| Paragraph::plain(words::outlier(result, outlier)));
    let mut first: Vec<Paragraph> = all.by_ref().take(OUTLIERS).collect();
    if result.intervals.is_some() {
        first.insert(0, Paragraph::plain("Slices of time are not compared."));
    } else if result.outliers.is_empty() {
        first.push(Paragraph::plain("No phase is unlike the others."));
    }
    OutlierSection {
        first,
        others: all.take(ROWS).collect(),
        more: result.outliers.len().saturating_sub(OUTLIERS),
    }
}
