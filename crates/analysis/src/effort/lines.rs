//! Lines of code: which lines of a C or C++ file hold anything but blanks and comments.

use std::collections::BTreeMap;

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
pub struct Lines {
    /// How many; at least 1.
    pub count: u32,
    /// How they were found.
    pub how: Counted,
}

/// How lines of code were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
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
pub(crate) fn lines_of(region: &RegionStatic, sources: &Sources) -> Lines {
    if region.line == 0 {
        return Lines {
            count: 1,
            how: Counted::Unknown,
        };
    }
    let last = region.end_line.max(region.line);
    let counted = sources
        .get(&region.file)
        .and_then(|source| source.between(region.line, last));
    match counted {
        Some(count) => Lines {
            count: count.max(1),
            how: Counted::Source,
        },
        None => Lines {
            count: (last - region.line).saturating_add(1),
            how: Counted::Span,
        },
    }
}

/// Where in the text a character stands.
#[derive(Clone, PartialEq)]
enum LexerState {
    Code,
    LineComment,
    BlockComment,
    /// A string or character, until this character.
    Quoted(char),
    /// A raw string, until this text.
    Raw(String),
}

/// For every line whether there is code on it.
fn scan(text: &str) -> Vec<bool> {
    let mut lines = Vec::new();
    let mut place = LexerState::Code;
    // The identifier or number just before, to tell `R"(`, `u8'x'` and `1'000` apart.
    let mut word = String::new();
    for line in text.lines() {
        let mut code = false;
        let mut at = 0;
        while let Some(c) = line[at..].chars().next() {
            let rest = &line[at..];
            at += c.len_utf8();
            match &place {
                LexerState::Code if rest.starts_with("//") => {
                    place = LexerState::LineComment;
                    break;
                }
                LexerState::Code if rest.starts_with("/*") => {
                    place = LexerState::BlockComment;
                    at += 1;
                    word.clear();
                }
                LexerState::Code => {
                    code |= !c.is_whitespace();
                    match c {
                        '"' if matches!(&*word, "R" | "LR" | "uR" | "UR" | "u8R") => {
                            let open = line[at..].find('(').unwrap_or(line.len() - at);
                            place = LexerState::Raw(format!("){}\"", &line[at..at + open]));
                            at = (at + open + 1).min(line.len());
                        }
                        // An apostrophe inside a number separates digits.
                        '\'' if word.starts_with(|c: char| c.is_ascii_digit()) => {}
                        '"' | '\'' => place = LexerState::Quoted(c),
                        _ => {}
                    }
                    if c.is_alphanumeric() || c == '_' || (c == '\'' && place == LexerState::Code) {
                        word.push(c);
                    } else {
                        word.clear();
                    }
                }
                LexerState::LineComment => break,
                LexerState::BlockComment => {
                    if rest.starts_with("*/") {
                        place = LexerState::Code;
                        at += 1;
                    }
                }
                LexerState::Quoted(end) => {
                    code = true;
                    if c == '\\' {
                        at += line[at..].chars().next().map_or(0, char::len_utf8);
                    } else if c == *end {
                        place = LexerState::Code;
                    }
                }
                LexerState::Raw(end) => {
                    code |= !c.is_whitespace();
                    if rest.starts_with(&**end) {
                        at += end.len() - 1;
                        place = LexerState::Code;
                    }
                }
            }
        }
        lines.push(code);
        // A backslash at the end of a line continues comments and strings.
        let continued = line.ends_with('\\');
        if !continued && matches!(place, LexerState::LineComment | LexerState::Quoted(_)) {
            place = LexerState::Code;
        }
        if !continued {
            word.clear();
        }
    }
    lines
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
