//! What several sections of the page have: paragraphs and tables.

use serde::Serialize;

/// Most rows of a table, and most paragraphs of a list.
pub(super) const ROWS: usize = 5000;

/// A paragraph, which the template escapes.
#[derive(Debug, Serialize)]
pub(super) struct Paragraph {
    /// `note`, `quiet`, or nothing.
    class: &'static str,
    text: String,
}

impl Paragraph {
    /// One that is like the others.
    pub(super) fn plain(text: impl Into<String>) -> Self {
        let (class, text) = ("", text.into());
        Self { class, text }
    }

    /// One that is less important.
    pub(super) fn quiet(text: impl Into<String>) -> Self {
        let (class, text) = ("quiet", text.into());
        Self { class, text }
    }

    /// One that must not be missed.
    pub(super) fn note(text: impl Into<String>) -> Self {
        let (class, text) = ("note", text.into());
        Self { class, text }
    }
}

/// A table that scrolls by itself.
#[derive(Debug, Serialize)]
pub(super) struct PageTable {
    /// The element's name in the page.
    id: &'static str,
    /// What it is called for those who do not see it.
    name: &'static str,
    columns: Vec<PageColumn>,
    rows: Vec<PageRow>,
    /// Rows that there was no room for.
    more: usize,
}

#[derive(Debug, Serialize)]
struct PageColumn {
    name: &'static str,
    /// It holds numbers.
    number: bool,
}

/// A row of a table.
#[derive(Debug, Serialize)]
pub(super) struct PageRow {
    /// It is marked.
    pub(super) chosen: bool,
    pub(super) cells: Vec<PageCell>,
}

/// A cell: its bar, where it has one, else its text.
#[derive(Debug, Serialize)]
pub(super) struct PageCell {
    text: String,
    bar: Vec<BarPart>,
}

/// A coloured stretch of a bar that shows shares.
#[derive(Debug, Serialize)]
pub(super) struct BarPart {
    /// Class of its colour.
    pub(super) class: String,
    /// Its width in per cent of the bar.
    pub(super) width: String,
}

impl PageTable {
    /// A table; columns whose name ends with `#` hold numbers.
    pub(super) fn new(
        id: &'static str,
        name: &'static str,
        columns: &[&'static str],
        mut rows: Vec<PageRow>,
    ) -> Self {
        let column = |name: &&'static str| PageColumn {
            name: name.trim_end_matches('#'),
            number: name.ends_with('#'),
        };
        let more = rows.len().saturating_sub(ROWS);
        rows.truncate(ROWS);
        Self {
            id,
            name,
            columns: columns.iter().map(column).collect(),
            rows,
            more,
        }
    }
}

impl PageCell {
    /// A bar of these parts.
    pub(super) fn bar(bar: Vec<BarPart>) -> Self {
        let text = String::new();
        Self { text, bar }
    }
}

impl From<String> for PageCell {
    fn from(text: String) -> Self {
        let bar = Vec::new();
        Self { text, bar }
    }
}
