//! The p-chart in a terminal, with the table of letters below.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use parascan_analysis::chart::{Chart, ChartBox};
use parascan_analysis::types::Label;
use unicode_width::UnicodeWidthStr;

use super::{axis, kind, known, left_out, lines, share, times, top_power};
use crate::shared::axes;
use crate::shared::header::ResultHeader;
use crate::shared::names::ShortNames;
use crate::shared::style::{Style, TextTone, count, grouped, percent, safe};
use crate::shared::table::{self, Column};

/// Rows of the drawing.
const ROWS: usize = 18;
/// What stands where the same region runs once more.
const AGAIN: &str = "•";

/// A p-chart drawn with block characters, as wide as the style says, and its letters.
pub fn chart_text(chart: &Chart, style: &Style) -> String {
    const COLUMNS: [Column; 10] = [
        table::name("", 1),
        table::name("Region", 14).easy(24),
        table::name("Lines", usize::MAX).goes(6),
        table::function("Function").goes(2),
        table::name("Kind", usize::MAX).goes(4),
        table::name("Type", usize::MAX).goes(3),
        table::number("Instances").goes(5),
        table::number("Work"),
        table::number("Total-par."),
        table::number("Self-par.").goes(1),
    ];
    let model = &chart.model;
    let mut hidden = 0;
    let mut out = ResultHeader {
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
            Some(TextTone::Dim),
            "",
            "",
            &format!("{} (log2) over work", axis(chart)),
        );
        let drawing = drawing(chart, style);
        out += &drawing.text;
        out.push('\n');
        let function = |region: u32| model.regions[region as usize].fixed.function.as_str();
        let names = ShortNames::new(chart.legend.iter().map(|row| function(row.region)));
        let rows = chart.legend.iter().map(|row| {
            let region = &model.regions[row.region as usize];
            let letter = match drawing.lettered.contains(&row.region) {
                true => row.letter.to_string(),
                false => format!("({})", row.letter),
            };
            vec![
                letter,
                safe(&region.id),
                lines(chart, row.region),
                names.of(&region.fixed.function),
                kind(chart, row.region).to_owned(),
                row.label.map_or("?", Label::name).to_owned(),
                grouped(row.instances),
                percent(share(chart, row.work)),
                known(row.total_parallelism),
                known(row.self_parallelism),
            ]
        });
        out += &table::layout(&COLUMNS, rows.collect(), style);
        hidden = chart
            .legend
            .iter()
            .filter(|row| !drawing.lettered.contains(&row.region))
            .count();
    }
    let mut notes = left_out(chart);
    if hidden > 0 {
        let letters = count(
            hidden as u64,
            "letter in brackets is",
            "letters in brackets are",
        );
        notes.push(format!("{letters} not visible at this width."));
    }
    if !notes.is_empty() {
        out.push('\n');
    }
    for note in notes {
        out += &style.paragraph(None, "", "  ", &note);
    }
    out
}

/// What the drawing shows of the boxes.
struct CharacterDrawing {
    text: String,
    /// Regions whose letter stands in it.
    lettered: BTreeSet<u32>,
}

/// Columns and row of a box.
#[derive(Clone, Copy)]
struct Cells {
    from: usize,
    to: usize,
    row: usize,
}

fn drawing(chart: &Chart, style: &Style) -> CharacterDrawing {
    let columns = axes::room(style.columns());
    let top = top_power(chart);
    let mut grid = vec![vec![' '; columns]; ROWS];
    let column = |work: u64| ((share(chart, work) * columns as f64).round() as usize).min(columns);
    let cells = |one: &ChartBox| Cells {
        from: column(one.start),
        to: column(one.start.saturating_add(one.work)),
        row: ROWS - 1 - (share_of_height(chart, one, top) * (ROWS - 1) as f64).round() as usize,
    };
    // As in the picture the lowest boxes are in front, so that every top is seen; of equally high ones the inner.
    let mut order: Vec<&ChartBox> = chart.boxes.iter().collect();
    order.sort_by_key(|one| (cells(one).row, one.level));
    for one in order {
        outline(&mut grid, cells(one));
    }
    let lettered = letters(chart, &mut grid, cells);
    let step = (top as usize).div_ceil(ROWS / 2);
    let mut out = String::new();
    for (number, line) in grid.iter().enumerate() {
        let from_base = ROWS - 1 - number;
        let power = (0..=top).step_by(step).find(|&p| {
            (f64::from(p) / f64::from(top) * (ROWS - 1) as f64).round() as usize == from_base
        });
        let label = power.map_or_else(String::new, |p| {
            match grouped(1u64.checked_shl(p).unwrap_or(u64::MAX)) {
                text if text.len() < axes::AXIS && p < 64 => text,
                _ => format!("2^{p}"),
            }
        });
        let text: String = line.iter().collect();
        out += &axes::row(&label, &text);
    }
    out += &axes::base(columns);
    let (left, right) = ("0%", format!("100% = {} units", grouped(chart.model.work)));
    let indent = axes::AXIS + 1;
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
    CharacterDrawing {
        text: out,
        lettered,
    }
}

/// Draws a box: its top, its sides, and nothing inside.
fn outline(grid: &mut [Vec<char>], Cells { from, to, row }: Cells) {
    for (number, line) in grid.iter_mut().enumerate().skip(row) {
        for (place, cell) in line.iter_mut().enumerate().take(to).skip(from) {
            let edge = place == from || place + 1 == to;
            *cell = match (number == row, edge) {
                (true, true) if to - from == 1 => '╥',
                (true, true) if place == from => '┌',
                (true, true) => '┐',
                (true, false) => '─',
                (false, edge) if edge || to - from <= 2 => '│',
                (false, _) => ' ',
            };
        }
    }
}

/// Puts letters into the tops of boxes, those of wide ones first; returns the regions that have one. The same region
/// once more has a dot, as in the paper.
fn letters(
    chart: &Chart,
    grid: &mut [Vec<char>],
    cells: impl Fn(&ChartBox) -> Cells,
) -> BTreeSet<u32> {
    let mut lettered = BTreeSet::new();
    let mut order: Vec<usize> = (0..chart.boxes.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(chart.boxes[index].work));
    let mut ends: HashMap<(Option<usize>, u64), usize> = HashMap::new();
    for (index, one) in chart.boxes.iter().enumerate() {
        ends.insert((one.parent, one.start.saturating_add(one.work)), index);
    }
    let mut marked = vec![false; chart.boxes.len()];
    for index in order {
        let one = &chart.boxes[index];
        let at = cells(one);
        let before = ends.get(&(one.parent, one.start));
        let again = before.is_some_and(|&before| {
            chart.boxes[before].region == one.region && one.instances == 1 && marked[before]
        });
        let letter = chart.letter(one.region);
        let texts = if again {
            vec![AGAIN.to_owned()]
        } else {
            vec![format!("{letter}{}", times(one)), letter.to_owned()]
        };
        marked[index] = texts.iter().any(|text| write(grid, at, text));
        if marked[index] && !again {
            lettered.insert(one.region);
        }
    }
    lettered
}

/// Writes a text into the top of a box, near its middle, over nothing but lines.
fn write(grid: &mut [Vec<char>], Cells { from, to, row }: Cells, text: &str) -> bool {
    let wide = text.width();
    if to.saturating_sub(from) < wide {
        return false;
    }
    let line = &mut grid[row];
    let over = |c: char| matches!(c, '─' | '╥') || (to - from <= 2 && matches!(c, '┌' | '┐'));
    // Two names beside each other would read as one.
    let named = |c: &char| c.is_alphanumeric() || *c == '×';
    let fits = |at: usize| {
        line[at..at + wide].iter().all(|&c| over(c))
            && !line.get(at + wide).is_some_and(named)
            && !at.checked_sub(1).is_some_and(|before| named(&line[before]))
    };
    let room = to - from - wide;
    let middle = from + room / 2;
    // The middle, then one after it and one before, and so on.
    let places = (0..=room + 1).map(|n| match n % 2 {
        0 => Some(middle + n / 2),
        _ => middle.checked_sub(n / 2 + 1),
    });
    let inside = |at: &usize| (from..=from + room).contains(at);
    let Some(at) = places.flatten().filter(inside).find(|&at| fits(at)) else {
        return false;
    };
    for (cell, c) in line[at..].iter_mut().zip(text.chars()) {
        *cell = c;
    }
    true
}

/// Height of a box on the vertical axis, from 0 (parallelism 1, or unknown) to 1.
fn share_of_height(chart: &Chart, one: &ChartBox, top: u32) -> f64 {
    let height = one.height(&chart.options).unwrap_or(1.0);
    height.max(1.0).log2() / f64::from(top)
}
