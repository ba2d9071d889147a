//! The p-chart in a terminal, with the table of letters below.

use std::fmt::Write;

use parascan_analysis::chart::Chart;
use unicode_width::UnicodeWidthStr;

use super::{axis, kind, known, left_out, lines, share, share_of_height, times, top_power};
use crate::header::Header;
use crate::names::Names;
use crate::style::{Style, Tone, grouped, percent, safe};
use crate::table::{self, Column};

/// Rows of the drawing.
const ROWS: usize = 18;
/// Columns of the vertical axis.
const AXIS: usize = 8;

/// The chart as text.
pub fn chart_text(chart: &Chart, style: &Style) -> String {
    const COLUMNS: [Column; 9] = [
        table::name("", 1),
        table::name("Region", 14).easy(24),
        table::name("Lines", usize::MAX).goes(5),
        table::function("Function").goes(2),
        table::name("Kind", usize::MAX).goes(3),
        table::number("Instances").goes(4),
        table::number("Work"),
        table::number("Total-par."),
        table::number("Self-par.").goes(1),
    ];
    let model = &chart.model;
    let mut out = Header {
        what: "p-chart",
        program: model.program(),
        inputs: &model.inputs,
        work: model.work,
        critical_path: model.critical_path,
        blind_spots: &model.blind_spots,
    }
    .text(style);
    out.push('\n');
    if chart.boxes.is_empty() {
        out += "No region to draw.\n";
    } else {
        out += &style.paragraph(
            Some(Tone::Dim),
            "",
            "",
            &format!("{} (log2) over work", axis(chart)),
        );
        out += &drawing(chart, style);
        out.push('\n');
        let function = |region: u32| model.regions[region as usize].fixed.function.as_str();
        let names = Names::new(chart.legend.iter().map(|row| function(row.region)));
        let rows = chart.legend.iter().map(|row| {
            let region = &model.regions[row.region as usize];
            vec![
                row.letter.to_string(),
                safe(&region.id),
                lines(chart, row.region),
                names.of(&region.fixed.function),
                kind(chart, row.region).to_owned(),
                grouped(row.instances),
                percent(share(chart, row.work)),
                known(row.total_parallelism),
                known(row.self_parallelism),
            ]
        });
        out += &table::layout(&COLUMNS, rows.collect(), style);
    }
    let notes = left_out(chart);
    if !notes.is_empty() {
        out.push('\n');
    }
    for note in notes {
        out += &style.paragraph(None, "", "  ", &note);
    }
    out
}

fn drawing(chart: &Chart, style: &Style) -> String {
    let columns = style.columns() - AXIS - 2;
    let top = top_power(chart);
    let mut grid = vec![vec![' '; columns]; ROWS];
    let column = |work: u64| ((share(chart, work) * columns as f64).round() as usize).min(columns);
    for one in &chart.boxes {
        let (from, to) = (
            column(one.start),
            column(one.start.saturating_add(one.work)),
        );
        let row =
            ROWS - 1 - (share_of_height(chart, one, top) * (ROWS - 1) as f64).round() as usize;
        if to <= from {
            continue;
        }
        for (number, line) in grid.iter_mut().enumerate().skip(row) {
            for (place, cell) in line.iter_mut().enumerate().take(to).skip(from) {
                let edge = place == from || place + 1 == to;
                *cell = match (number == row, edge) {
                    (true, true) if to - from == 1 => '╥',
                    (true, true) if place == from => '┌',
                    (true, true) => '┐',
                    (true, false) => '─',
                    (false, true) if to - from > 2 => '│',
                    (false, _) => {
                        if to - from <= 2 {
                            '│'
                        } else {
                            ' '
                        }
                    }
                };
            }
        }
    }
    // Letters last, widest boxes first; a letter takes the place of a line only.
    let mut order: Vec<_> = chart.boxes.iter().collect();
    order.sort_by_key(|one| std::cmp::Reverse(one.work));
    for one in order {
        let (from, to) = (
            column(one.start),
            column(one.start.saturating_add(one.work)),
        );
        let row =
            ROWS - 1 - (share_of_height(chart, one, top) * (ROWS - 1) as f64).round() as usize;
        let letter = chart.letter(one.region);
        for text in [format!("{letter}{}", times(one)), letter.to_owned()] {
            let wide = text.width();
            let line = |place: usize| {
                matches!(grid[row][place], '─' | '╥')
                    || (to - from <= 2 && matches!(grid[row][place], '┌' | '┐'))
            };
            // Two names beside each other would read as one.
            let apart = |at: usize| !grid[row].get(at).is_some_and(|c| c.is_alphanumeric());
            let fits = |at: usize| {
                (at..at + wide).all(line) && apart(at + wide) && at.checked_sub(1).is_none_or(apart)
            };
            let room = (to - from).saturating_sub(wide);
            let middle = from + room / 2;
            let place = if to - from < wide {
                None
            } else {
                (0..=room)
                    .map(|d| {
                        if d % 2 == 0 {
                            middle.saturating_add(d / 2)
                        } else {
                            middle.saturating_sub(d / 2 + 1)
                        }
                    })
                    .find(|&at| at >= from && at + wide <= to && fits(at))
            };
            if let Some(at) = place {
                for (offset, c) in text.chars().enumerate() {
                    grid[row][at + offset] = c;
                }
                break;
            }
        }
    }
    let step = (top as usize).div_ceil(ROWS / 2);
    let mut out = String::new();
    for (number, line) in grid.iter().enumerate() {
        let from_base = ROWS - 1 - number;
        let power = (0..=top).step_by(step).find(|&p| {
            (f64::from(p) / f64::from(top) * (ROWS - 1) as f64).round() as usize == from_base
        });
        let label = power.map_or_else(String::new, |p| {
            match grouped(1u64.checked_shl(p).unwrap_or(u64::MAX)) {
                text if text.len() < AXIS && p < 64 => text,
                _ => format!("2^{p}"),
            }
        });
        let text: String = line.iter().collect();
        let _ = writeln!(
            out,
            "{label:>width$} ┤{}",
            text.trim_end(),
            width = AXIS - 1
        );
    }
    let _ = writeln!(
        out,
        "{:>width$} └{}",
        "",
        "─".repeat(columns),
        width = AXIS - 1
    );
    let (left, right) = ("0%", format!("100% = {} units", grouped(chart.model.work)));
    let indent = AXIS + 1;
    if left.len() + right.len() < columns {
        let half = "50%";
        let space = columns - left.len() - right.len();
        let middle = (columns / 2).saturating_sub(left.len() + 1);
        let between = if middle + half.len() + 1 < space {
            format!(
                "{}{half}{}",
                " ".repeat(middle),
                " ".repeat(space - middle - half.len())
            )
        } else {
            " ".repeat(space)
        };
        let _ = writeln!(out, "{}{left}{between}{right}", " ".repeat(indent));
    }
    out
}
