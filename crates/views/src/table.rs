//! Tables that fit the width, and what takes their place where the terminal is too narrow.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use unicode_width::UnicodeWidthStr;

use crate::style::{Style, Tone, shorten};

/// A column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column<'a> {
    pub(crate) title: &'a str,
    /// Numbers stand to the right.
    pub(crate) number: bool,
    /// Names may be shortened down to this; numbers never.
    pub(crate) least: usize,
}

/// A table with what is said before and behind it, in whatever form it is shown.
#[derive(Clone, Debug, serde::Serialize)]
pub(crate) struct Sheet {
    pub(crate) before: String,
    pub(crate) titles: Vec<String>,
    /// Which columns are numbers.
    pub(crate) numbers: Vec<bool>,
    pub(crate) rows: Vec<Vec<String>>,
    pub(crate) after: Vec<String>,
}

impl Sheet {
    /// The table alone, as text.
    pub(crate) fn layout(&self, style: &Style) -> String {
        let titled = self.titles.iter().zip(&self.numbers);
        let columns: Vec<Column<'_>> = titled
            .map(|(title, &is_number)| match (is_number, title.as_str()) {
                (true, title) => number(title),
                // Places and names of functions may be cut.
                (false, title @ ("Where" | "Function")) => name(title, 10),
                (false, title) => name(title, usize::MAX),
            })
            .collect();
        layout(&columns, self.rows.clone(), style)
    }
}

/// A column of names that may be shortened to `least` columns.
pub(crate) const fn name(title: &str, least: usize) -> Column<'_> {
    Column {
        title,
        number: false,
        least,
    }
}

/// A column of numbers.
pub(crate) const fn number(title: &str) -> Column<'_> {
    Column {
        title,
        number: true,
        least: usize::MAX,
    }
}

/// Rows as a table; where names would have to be shortened too far, as blocks of `title value` lines, one per row, under
/// its first name.
pub(crate) fn layout(columns: &[Column], mut rows: Vec<Vec<String>>, style: &Style) -> String {
    let width = style.columns();
    let mut widths: Vec<usize> = columns.iter().map(|c| c.title.width()).collect();
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    // Two columns of space between columns.
    let between = 2 * (columns.len().saturating_sub(1));
    let mut excess = (widths.iter().sum::<usize>() + between).saturating_sub(width);
    while excess > 0 {
        // The widest name gives way first.
        let widest = (0..columns.len())
            .filter(|&i| widths[i] > columns[i].least.max(columns[i].title.width()))
            .max_by_key(|&i| widths[i]);
        let Some(widest) = widest else {
            return blocks(columns, &rows, style);
        };
        widths[widest] -= 1;
        excess -= 1;
    }
    for row in &mut rows {
        for (cell, &width) in row.iter_mut().zip(&widths) {
            *cell = shorten(cell, width);
        }
    }
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(columns.iter().map(|c| c.title))
        .add_rows(rows);
    for (index, column) in columns.iter().enumerate() {
        let Some(settings) = table.column_mut(index) else {
            continue;
        };
        settings.set_padding((0, if index + 1 == columns.len() { 0 } else { 2 }));
        if column.number {
            settings.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut out = String::new();
    for (index, line) in table.lines().enumerate() {
        let line = line.trim_end();
        if index == 0 {
            out += &style.paint(Tone::Heading, line);
        } else {
            out += line;
        }
        out.push('\n');
    }
    out
}

fn blocks(columns: &[Column], rows: &[Vec<String>], style: &Style) -> String {
    // A number in front (the rank) shares the heading with the name behind it.
    let headings = if columns.first().is_some_and(|c| c.number) {
        2
    } else {
        1
    };
    let values = columns.iter().skip(headings);
    let title = values.map(|c| c.title.width()).max().unwrap_or(0);
    let mut out = String::new();
    for row in rows {
        let heading = row
            .iter()
            .take(headings)
            .cloned()
            .collect::<Vec<_>>()
            .join("  ");
        out += &style.paragraph(Some(Tone::Heading), "", "  ", &heading);
        for (column, cell) in columns.iter().zip(row).skip(headings) {
            if !cell.is_empty() {
                let first = format!("  {:title$} ", column.title);
                out += &style.paragraph(None, &first, &" ".repeat(title + 3), cell);
            }
        }
    }
    out
}
