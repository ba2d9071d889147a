//! Lines of code: which lines of a C or C++ file hold anything but blanks and comments.

use std::collections::BTreeMap;

use parascan_formats::c_text::{comment, is_raw_prefix, is_word, literal, number, raw_string};
use parascan_formats::module::RegionStatic;
use serde::Serialize;

/// Which lines of a file are code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeLines {
    /// `before[n]`: lines of code among the first `n` lines.
    before: Vec<u32>,
}

/// Sources of a program by file name as in [`RegionStatic::file`].
pub type Sources = BTreeMap<String, CodeLines>;

/// Lines of code of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RegionLines {
    /// How many; at least 1.
    pub count: u32,
    /// How they were found.
    pub how: LineCountMethod,
}

/// How lines of code were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LineCountMethod {
    /// Counted in the source, without blank lines and comments.
    Source,
    /// From first to last line; the source was not there, or is shorter than the region.
    Span,
    /// Not even the place is known: counted as one line.
    Unknown,
}

impl CodeLines {
    /// Looks through a source text.
    pub fn new(text: &str) -> Self {
        let mut before = vec![0];
        let mut code = 0;
        for has_code in scan(text) {
            code += u32::from(has_code);
            before.push(code);
        }
        Self { before }
    }

    /// Lines of code from line `first` to line `last` (both counted from 1); none when the file is shorter.
    pub fn between(&self, first: u32, last: u32) -> Option<u32> {
        let end = self.before.get(last as usize)?;
        let start = self.before.get(first.checked_sub(1)? as usize)?;
        end.checked_sub(*start)
    }
}

/// Lines of code of a region: of its text, loops in it included, functions that it calls not.
pub(crate) fn lines_of(region: &RegionStatic, sources: &Sources) -> RegionLines {
    if region.line == 0 {
        return RegionLines {
            count: 1,
            how: LineCountMethod::Unknown,
        };
    }
    let last = region.end_line.max(region.line);
    let counted = sources
        .get(&region.file)
        .and_then(|source| source.between(region.line, last));
    match counted {
        Some(count) => RegionLines {
            count: count.max(1),
            how: LineCountMethod::Source,
        },
        None => RegionLines {
            count: (last - region.line).saturating_add(1),
            how: LineCountMethod::Span,
        },
    }
}

/// For every line whether there is code on it.
fn scan(text: &str) -> Vec<bool> {
    let bytes = text.as_bytes();
    let mut lines = vec![false; text.lines().count()];
    let (mut at, mut line) = (0, 0);
    while at < bytes.len() {
        let (length, code) = piece(&bytes[at..]);
        for &byte in &bytes[at..at + length] {
            if byte == b'\n' {
                line += 1;
            } else if code && !byte.is_ascii_whitespace() {
                lines[line] = true;
            }
        }
        at += length;
    }
    lines
}

/// Length of a comment, word, number or literal, or else of one character's byte; and whether that is code.
fn piece(text: &[u8]) -> (usize, bool) {
    if let Some(length) = comment(text) {
        return (length, false);
    }
    let length = match text[0] {
        b'0'..=b'9' => number(text),
        b'"' | b'\'' => literal(text),
        first if is_word(first) => {
            let end = text.iter().position(|&byte| !is_word(byte));
            let (word, rest) = text.split_at(end.unwrap_or(text.len()));
            let raw = is_raw_prefix(word) && rest.first() == Some(&b'"');
            word.len() + if raw { raw_string(rest) } else { 0 }
        }
        _ => 1,
    };
    (length, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Vec<u32> {
        let found = scan(text);
        (1..)
            .zip(found)
            .filter(|(_, code)| *code)
            .map(|(n, _)| n)
            .collect()
    }

    #[test]
    fn blank_lines_and_comments_do_not_count() {
        assert_eq!(
            code("int a;\n\n  \t\n// x\n/* a\n b\n*/ int b; // y\n"),
            [1, 7]
        );
        assert_eq!(
            code("a /* b */\n/* c */ d\n/**/\n/* // */ e\n/*/ still */\n"),
            [1, 2, 4]
        );
        assert_eq!(code("// goes on \\\n here\nx\n"), [3]);
        assert_eq!(code(""), []);
        assert_eq!(code("/* never closed\nint a;\n"), []);
    }

    #[test]
    fn strings_hide_comments() {
        assert_eq!(code("s = \"/*\";\nb;\n"), [1, 2]);
        assert_eq!(code("s = \"\\\"//\"; /*\n*/ c;\n"), [1, 2]);
        assert_eq!(code("c = '\"'; /*\n*/\n"), [1]);
        assert_eq!(code("c = '\\''; /*\n*/\n"), [1]);
        assert_eq!(code("s = \"a \\\n // b\";\n// c\n"), [1, 2]);
        assert_eq!(code("s = \"never closed\n// c\n"), [1]);
    }

    #[test]
    fn raw_strings_end_at_their_delimiter() {
        assert_eq!(code("s = R\"(/*)\";\n// x\ny;\n"), [1, 3]);
        assert_eq!(
            code("s = u8R\"x(\n)\"\n\n// text\n)x\"; // end\n//\n"),
            [1, 2, 4, 5]
        );
        assert_eq!(code("FOOR\"(/*\"; /*\n*/\n"), [1]);
    }

    #[test]
    fn digit_separators_are_no_characters() {
        assert_eq!(code("n = 1'000; /* '\n*/\nx;\n"), [1, 3]);
        assert_eq!(code("n = 0xA'B'C; // '\n//\n"), [1]);
        assert_eq!(code("c = u8'\"'; /*\n*/\n"), [1]);
    }

    #[test]
    fn windows_line_ends_and_other_alphabets() {
        assert_eq!(code("a;\r\n\r\n// b\r\nö = \"ß\\é\"; // ü\r\n"), [1, 4]);
    }

    #[test]
    fn counts_between_lines() {
        let lines = CodeLines::new("a\n\nb\n// c\nd\n");
        assert_eq!(lines.between(1, 5), Some(3));
        assert_eq!(lines.between(2, 4), Some(1));
        assert_eq!(lines.between(4, 4), Some(0));
        assert_eq!(lines.between(4, 6), None);
        assert_eq!(lines.between(0, 3), None);
        assert_eq!(lines.between(5, 4), Some(0));
    }
}
