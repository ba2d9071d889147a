//! A source file: its lines, and its text without comments and without what stands in literals.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use indexmap::IndexSet;
use parascan_formats::c_text::{closed_literal, comment, is_raw_prefix, literal, raw_string};
use parascan_formats::source::Fingerprint;

use super::aliases;
use super::directives::Directives;
use super::scopes::Scopes;
use super::words::{is_word, last_word, words};

/// Headers that are looked at for one file.
const HEADERS: usize = 100;

/// A source file whose lines are found without a search: a file may have very many loops.
#[derive(Debug)]
pub struct SourceText {
    /// What the file holds, unchanged.
    pub(super) text: String,
    /// The same with blanks in place of comments and of what stands in literals: positions stay.
    pub(super) plain: String,
    /// Where each line begins.
    starts: Vec<usize>,
    /// That of the text.
    pub(super) fingerprint: Fingerprint,
    /// Beginnings of lines within comments and literals.
    hidden: Vec<usize>,
    /// The headers beside it, as `plain`.
    headers: Vec<String>,
    scopes: OnceCell<Scopes>,
    aliased: OnceCell<IndexSet<String>>,
    directives: OnceCell<Directives>,
    taken: OnceCell<Rc<IndexSet<String>>>,
}

impl SourceText {
    /// Takes a file's text, and finds where its lines begin.
    pub fn new(text: String) -> Self {
        let ends = text.match_indices('\n').map(|(i, _)| i + 1);
        let starts = std::iter::once(0).chain(ends).collect();
        let (plain, hidden) = plain(&text);
        Self {
            plain,
            fingerprint: Fingerprint::of(text.as_bytes()),
            text,
            starts,
            hidden,
            headers: Vec::new(),
            scopes: OnceCell::new(),
            aliased: OnceCell::new(),
            directives: OnceCell::new(),
            taken: OnceCell::new(),
        }
    }

    /// Reads a file and the headers that it includes by quotes, as far as they lie beside it.
    pub fn read(path: &Path) -> Option<Self> {
        let mut source = Self::new(std::fs::read_to_string(path).ok()?);
        let mut seen = IndexSet::from([path.to_owned()]);
        let mut work = included(&source.text, &source.plain, path);
        while let Some(next) = work.pop().filter(|_| seen.len() <= HEADERS) {
            let Some(text) = seen
                .insert(next.clone())
                .then(|| std::fs::read_to_string(&next))
            else {
                continue;
            };
            let Ok(text) = text else { continue };
            let plain = plain(&text).0;
            work.extend(included(&text, &plain, &next));
            source.headers.push(plain);
        }
        Some(source)
    }

    /// Whether its lines have other numbers, or another file's, for the compiler.
    pub(super) fn is_renumbered(&self) -> bool {
        let mut directives = self
            .plain
            .lines()
            .filter_map(|l| l.trim_start().strip_prefix('#'));
        directives.any(|rest| {
            let rest = rest.trim_start();
            rest.starts_with(|c: char| c.is_ascii_digit()) || words(rest).next() == Some("line")
        })
    }

    /// Position of a line and column (in bytes), both from 1.
    pub(super) fn position(&self, line: u32, column: u32) -> Option<usize> {
        let start = *self.starts.get((line as usize).checked_sub(1)?)?;
        let position = start + (column as usize).checked_sub(1)?;
        (position <= self.text.len()).then_some(position)
    }

    /// Directives of OpenMP that it has already.
    pub(super) fn directives(&self) -> &Directives {
        self.directives.get_or_init(|| Directives::find(&self.text))
    }

    /// What follows `parascan_` in its names, and in those of the headers beside it: patches make such names.
    pub(super) fn taken(&self) -> Rc<IndexSet<String>> {
        let find = || {
            let texts = self.headers.iter().chain([&self.plain]);
            let names = texts.flat_map(|text| words(text));
            let names = names.filter_map(|name| name.strip_prefix("parascan_"));
            Rc::new(names.map(str::to_owned).collect())
        };
        Rc::clone(self.taken.get_or_init(find))
    }

    /// A line by its number, from 0, without its end.
    fn within<'a>(&self, text: &'a str, number: usize) -> Option<&'a str> {
        let start = *self.starts.get(number)?;
        let end = self.starts.get(number + 1);
        let line = text.get(start..end.map_or(text.len(), |e| e - 1))?;
        Some(line.strip_suffix('\r').unwrap_or(line))
    }

    /// A line by its number, from 0, as it is.
    pub(super) fn line(&self, number: usize) -> &str {
        self.within(&self.text, number).unwrap_or_default()
    }

    /// A line by its number, from 0, without comments and what stands in literals.
    pub(super) fn plain_line(&self, number: usize) -> &str {
        self.within(&self.plain, number).unwrap_or_default()
    }

    /// Whether a line, from 0, begins within a comment or literal.
    pub(super) fn is_hidden(&self, number: usize) -> bool {
        let start = self.starts.get(number);
        start.is_some_and(|start| self.hidden.binary_search(start).is_ok())
    }

    /// What its brackets enclose, and its macros.
    pub(super) fn scopes(&self) -> &Scopes {
        self.scopes
            .get_or_init(|| Scopes::new(&self.plain, &self.headers))
    }

    /// Names of variables to which it gives other ones.
    pub(super) fn aliased(&self) -> &IndexSet<String> {
        let find = || aliases::aliased(&self.text, &self.scopes().code, self.scopes());
        self.aliased.get_or_init(find)
    }
}

/// Headers that a file includes by quotes.
fn included(text: &str, plain: &str, path: &Path) -> Vec<PathBuf> {
    let beside = path.parent().unwrap_or(Path::new(""));
    let name = |(line, plain): (&str, &str)| {
        let rest = plain.trim_start().strip_prefix('#')?.trim_start();
        rest.starts_with("include").then_some(())?;
        Some(beside.join(line.split('"').nth(1)?))
    };
    text.lines().zip(plain.lines()).filter_map(name).collect()
}

/// Blanks in place of comments and of what stands in literals, and brackets and `#` in place of what else stands for
/// them; and where lines begin within those.
fn plain(text: &str) -> (String, Vec<usize>) {
    let mut lines = Vec::new();
    let mut out = text.as_bytes().to_vec();
    let mut i = 0;
    while i < text.len() {
        let (from, to, end) = hidden(text, i);
        if let Some(sign) = digraph(&text.as_bytes()[i..]) {
            (out[i], out[i + 1]) = (sign, b' ');
            i += 2;
            continue;
        }
        for (at, byte) in (from..).zip(&mut out[from..to]) {
            if *byte == b'\n' {
                lines.push(at + 1);
            } else {
                *byte = b' ';
            }
        }
        i = end;
    }
    (String::from_utf8_lossy(&out).into_owned(), lines)
}

/// What two signs stand for.
fn digraph(rest: &[u8]) -> Option<u8> {
    match rest {
        [b'<', b':', b':', third, ..] if !matches!(third, b':' | b'>') => None,
        [b'<', b':', ..] => Some(b'['),
        [b':', b'>', ..] => Some(b']'),
        [b'<', b'%', ..] => Some(b'{'),
        [b'%', b'>', ..] => Some(b'}'),
        [b'%', b':', ..] => Some(b'#'),
        _ => None,
    }
}

/// What does not count of the comment or literal that begins at a position, if one does, and where it ends.
fn hidden(text: &str, i: usize) -> (usize, usize, usize) {
    let rest = &text.as_bytes()[i..];
    if let Some(length) = comment(rest) {
        return (i, i + length, i + length);
    }
    match rest[0] {
        b'"' if is_raw_prefix(last_word(&text[..i]).as_bytes()) => {
            let end = i + raw_string(rest);
            (i + 1, (end - 1).max(i + 1), end)
        }
        b'\'' if separates_digits(&text[..i]) => (i, i, i + 1),
        b'"' | b'\'' => {
            let end = i + literal(rest);
            let closing = usize::from(closed_literal(rest).is_some());
            (i + 1, end - closing, end)
        }
        _ => (i, i, i + 1),
    }
}

/// Whether an apostrophe behind this text is one within a number.
fn separates_digits(before: &str) -> bool {
    let number = before.trim_end_matches(|c| is_word(c) || c == '\'');
    before[number.len()..].starts_with(|c: char| c.is_ascii_digit())
}
