//! Tables that fit the width: a row is always one line. Where there is no room, the least important columns go first,
//! and names lose their middle; numbers are never cut.

mod bar;
mod fit;
mod place;

use unicode_width::UnicodeWidthStr;

use crate::shared::style::{Style, TextTone, shorten};
use crate::shared::{ascii, names};

pub(crate) use bar::bar;

/// From this order on columns are extras: they go before names are hard to read.
const EXTRA: u8 = 4;

/// What stands in a column, which says how it is shortened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ColumnContent {
    /// Stands to the right, and is never cut.
    Number,
    /// Loses its middle.
    Text,
    /// `file:first-last`: keeps the name of the file and the first line.
    Place,
    /// The name of a function: loses arguments of templates, then outer scopes.
    Function,
    /// Part of a column before it, which it follows closely; without a title.
    Bar,
}

/// What stands in one place of all rows, and what becomes of it where there is little room.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column<'a> {
    pub(crate) title: &'a str,
    holds: ColumnContent,
    /// Names may be shortened down to this before a column goes.
    least: usize,
    /// The same for columns that are no more than extras.
    easy: usize,
    /// Columns go from the highest of these on; those of 0 stay, those of [`EXTRA`] or more are extras.
    goes: u8,
}

impl Column<'_> {
    /// Lets the column go where there is no room, before all of a smaller `order`.
    #[must_use]
    pub(crate) const fn goes(mut self, order: u8) -> Self {
        self.goes = order;
        self
    }

    /// Lets extras go only before the column is narrower than that.
    #[must_use]
    pub(crate) const fn easy(mut self, width: usize) -> Self {
        self.easy = width;
        self
    }

    /// Columns between the column before and this one.
    const fn gap(&self) -> usize {
        match self.holds {
            ColumnContent::Bar => 1,
            _ => 2,
        }
    }

    /// The text of a cell in at most `width` columns.
    fn shortened(&self, cell: &Cell, width: usize, style: &Style) -> String {
        match style.utf8 {
            true => self.cut(cell, width),
            false => ascii::fitted(width, |room| self.cut(cell, room)),
        }
    }

    fn cut(&self, cell: &Cell, width: usize) -> String {
        if cell.text.width() <= width {
            return cell.text.clone();
        }
        let text = match &cell.brief {
            Some(brief) if brief.width() <= width => return brief.clone(),
            Some(brief) => brief,
            None => &cell.text,
        };
        match self.holds {
            ColumnContent::Place => place::shortened(text, width),
            ColumnContent::Function => names::fitted(text, width),
            ColumnContent::Number | ColumnContent::Text | ColumnContent::Bar => {
                shorten(text, width)
            }
        }
    }
}

/// A column of text that may be shortened to `least` columns.
pub(crate) const fn name(title: &str, least: usize) -> Column<'_> {
    column(title, ColumnContent::Text, least, least)
}

/// A column of places: `file:first-last`.
pub(crate) const fn place(title: &str) -> Column<'_> {
    column(title, ColumnContent::Place, 14, 20)
}

/// A column of functions, as [`names::ShortNames`] has them.
pub(crate) const fn function(title: &str) -> Column<'_> {
    column(title, ColumnContent::Function, 10, 22)
}

/// A column of numbers.
pub(crate) const fn number(title: &str) -> Column<'_> {
    column(title, ColumnContent::Number, usize::MAX, usize::MAX)
}

/// A column of [`mod@bar`]s for the numbers in the column before.
pub(crate) const fn bars() -> Column<'static> {
    column("", ColumnContent::Bar, usize::MAX, usize::MAX)
}

const fn column(title: &str, holds: ColumnContent, least: usize, easy: usize) -> Column<'_> {
    Column {
        title,
        holds,
        least,
        easy,
        goes: 0,
    }
}

/// What stands in a row and column.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    text: String,
    /// What takes the place of the text where that does not fit.
    brief: Option<String>,
    tone: Option<TextTone>,
}

impl Cell {
    /// With a shorter form for where there is no room.
    pub(crate) fn or(mut self, brief: String) -> Self {
        self.brief = Some(brief);
        self
    }

    /// With the characters that a style has.
    fn written_in(mut self, style: &Style) -> Self {
        if !style.utf8 {
            self.text = ascii::in_ascii(&self.text);
            self.brief = self.brief.map(|brief| ascii::in_ascii(&brief));
        }
        self
    }

    /// The shorter form, where there is one.
    fn shortest(&self) -> &str {
        self.brief.as_ref().unwrap_or(&self.text)
    }

    /// In a colour.
    pub(crate) const fn toned(mut self, tone: Option<TextTone>) -> Self {
        self.tone = tone;
        self
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self {
            text,
            brief: None,
            tone: None,
        }
    }
}

/// A table with what is said before and behind it, in whatever form it is shown.
#[derive(Clone, Debug, serde::Serialize)]
pub(crate) struct FramedTable {
    pub(crate) before: String,
    pub(crate) titles: Vec<String>,
    /// Which columns are numbers.
    pub(crate) numbers: Vec<bool>,
    /// Which columns go first where there is no room, as [`Column::goes`] has it.
    #[serde(skip)]
    pub(crate) goes: Vec<u8>,
    pub(crate) rows: Vec<Vec<String>>,
    pub(crate) after: Vec<String>,
}

impl FramedTable {
    /// The table alone, as text; `cell` says how the text in the column of a title is shown.
    pub(crate) fn layout(&self, style: &Style, cell: impl Fn(&str, &str) -> Cell) -> String {
        let titled = self.titles.iter().zip(&self.numbers).zip(&self.goes);
        let columns: Vec<Column<'_>> = titled
            .map(|((title, &is_number), &goes)| {
                let column = match (is_number, title.as_str()) {
                    (true, title) => number(title),
                    (false, title @ "Where") => place(title),
                    (false, title @ "Function") => function(title),
                    (false, title) => name(title, usize::MAX),
                };
                column.goes(goes)
            })
            .collect();
        let rows = self.rows.iter().map(|row| {
            let cells = self.titles.iter().zip(row);
            cells.map(|(title, text)| cell(title, text)).collect()
        });
        layout::<Cell>(&columns, rows.collect(), style)
    }
}

/// Rows as a table, with a line below that names the columns for which there was no room, and how to see them;
/// `--format csv` is one way.
pub(crate) fn layout<C: Into<Cell>>(
    columns: &[Column],
    rows: Vec<Vec<C>>,
    style: &Style,
) -> String {
    layout_of(columns, rows, style, "--format csv")
}

/// The same; `other` is the option that prints all of the figures.
pub(crate) fn layout_of<C: Into<Cell>>(
    columns: &[Column],
    rows: Vec<Vec<C>>,
    style: &Style,
    other: &str,
) -> String {
    let cells = |row: Vec<C>| {
        let row = row.into_iter().map(Into::into);
        row.map(|cell| cell.written_in(style)).collect()
    };
    let rows: Vec<Vec<Cell>> = rows.into_iter().map(cells).collect();
    let mut natural: Vec<usize> = columns.iter().map(|c| c.title.width()).collect();
    for row in &rows {
        for (width, cell) in natural.iter_mut().zip(row) {
            *width = (*width).max(cell.text.width());
        }
    }
    let fitted = fitted(columns, &rows, &natural, style);
    let mut out = String::new();
    let heading = fitted.iter().map(|&(at, width)| {
        let title = |room| shorten(columns[at].title, room);
        let title = match style.utf8 {
            true => title(width),
            false => ascii::fitted(width, title),
        };
        (&columns[at], title, width, None)
    });
    out += &style.paint(TextTone::Heading, &line(heading, style));
    out.push('\n');
    for row in &rows {
        let cells = fitted.iter().filter_map(|&(at, width)| {
            let (column, cell) = (&columns[at], row.get(at)?);
            Some((
                column,
                column.shortened(cell, width, style),
                width,
                cell.tone,
            ))
        });
        out += &line(cells, style);
        out.push('\n');
    }
    out + &left_out(columns, &natural, &fitted, style, other)
}

/// Which columns are shown, with their widths.
fn fitted(
    columns: &[Column],
    rows: &[Vec<Cell>],
    natural: &[usize],
    style: &Style,
) -> Vec<(usize, usize)> {
    let width = style.columns();
    let cells = |at: usize| rows.iter().filter_map(move |row| row.get(at));
    // The widest cell of a column, and its title.
    let widest = |at: usize, of: &dyn Fn(&Cell) -> usize| {
        let widest = cells(at).map(of).max().unwrap_or(0);
        widest.max(columns[at].title.width())
    };
    // With the shorter forms first.
    let brief = |at: usize| widest(at, &|cell| cell.shortest().width()).min(natural[at]);
    let mut taken: Vec<usize> = (0..columns.len()).map(brief).collect();
    let kept = fit::kept(columns, &taken, width);
    let mut widths = fit::widths(columns, &kept, &taken, width);
    // What shorter names leave over is for other columns; places, which stand in front and say most, get it last.
    for &at in kept.iter().rev() {
        if widths[at] < taken[at] {
            taken[at] = widest(at, &|cell| {
                columns[at].shortened(cell, widths[at], style).width()
            });
            taken[at] = taken[at].min(widths[at]);
            widths = fit::widths(columns, &kept, &taken, width);
        }
    }
    // Then for the longer forms.
    for &at in &kept {
        let wider = std::mem::replace(&mut widths[at], natural[at]);
        if fit::total(columns, &kept, &widths) > width {
            widths[at] = wider;
        }
    }
    kept.into_iter().map(|at| (at, widths[at])).collect()
}

/// Cells side by side, without spaces at the end.
fn line<'a>(
    cells: impl Iterator<Item = (&'a Column<'a>, String, usize, Option<TextTone>)>,
    style: &Style,
) -> String {
    let mut out = String::new();
    let mut space = 0;
    for (number, (column, text, width, tone)) in cells.enumerate() {
        if number > 0 {
            space += column.gap();
        }
        let rest = width.saturating_sub(text.width());
        if column.holds == ColumnContent::Number {
            space += rest;
        }
        if !text.is_empty() {
            out.push_str(&" ".repeat(std::mem::take(&mut space)));
            match tone {
                Some(tone) => out += &style.paint(tone, &text),
                None => out += &text,
            }
        }
        if column.holds != ColumnContent::Number {
            space += rest;
        }
    }
    out
}

/// Which columns are not there, and how to see them; empty where all are.
fn left_out(
    columns: &[Column],
    natural: &[usize],
    fitted: &[(usize, usize)],
    style: &Style,
    other: &str,
) -> String {
    let is_there = |at: usize| fitted.iter().any(|&(kept, _)| kept == at);
    let names: Vec<&str> = (0..columns.len())
        .filter(|&at| !is_there(at) && !columns[at].title.is_empty())
        .map(|at| columns[at].title)
        .collect();
    let wider = match fit::least(columns, natural) {
        width if width <= Style::MAX_WIDTH => {
            format!("a terminal of {width} columns, COLUMNS={width} in pipes, or {other}")
        }
        _ => other.to_owned(),
    };
    not_shown(&names, &wider, style)
}

/// The line that names columns for which there was no room, and says what shows them; nothing where there are none.
pub(crate) fn not_shown(titles: &[&str], how: &str, style: &Style) -> String {
    if titles.is_empty() {
        return String::new();
    }
    let text = format!("Not shown: {} ({how}).", titles.join(", "));
    style.paragraph(Some(TextTone::Dim), "", "  ", &text)
}

#[cfg(test)]
mod tests;
