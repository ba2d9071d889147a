//! Width, colours, and how names and numbers are written.

use std::borrow::Cow;
use std::fmt::Write;

use anstyle::{AnsiColor, Effects};
pub(crate) use parascan_analysis::numbers::{count, grouped};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::shared::ascii::in_ascii;

/// How text is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Columns of the terminal. Less than [`Style::MIN_WIDTH`] counts as that.
    pub width: usize,
    /// Whether to write colours as ANSI escape sequences.
    pub color: bool,
    /// Whether the locale has UTF-8: see [`Style::lay_out`].
    pub utf8: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self::plain(100)
    }
}

/// What a piece of text is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextTone {
    Heading,
    Code,
    Warning,
    Dim,
    /// Parallel as it is.
    Parallel,
    /// Parallel in part, or with some work.
    Partly,
    /// Parts that can run side by side.
    Tasks,
    /// What is wrong, or in the way.
    Wrong,
}

impl Style {
    /// Narrowest layout.
    pub const MIN_WIDTH: usize = 24;
    /// Widest layout: longer lines are hard to read.
    pub const MAX_WIDTH: usize = 160;

    /// Text without colours, `width` columns wide, in a locale with UTF-8.
    pub const fn plain(width: usize) -> Self {
        Self {
            width,
            color: false,
            utf8: true,
        }
    }

    /// Text in this style: what `make` gives, drawn with ASCII alone where the locale does not have UTF-8.
    pub fn lay_out(&self, make: impl FnOnce(&Self) -> String) -> String {
        let text = make(self);
        if self.utf8 { text } else { in_ascii(&text) }
    }

    pub(crate) fn columns(&self) -> usize {
        self.width.clamp(Self::MIN_WIDTH, Self::MAX_WIDTH)
    }

    /// `text` in its colour, if there are colours.
    pub(crate) fn paint(&self, tone: TextTone, text: &str) -> String {
        if !self.color || text.is_empty() {
            return text.to_owned();
        }
        let style = match tone {
            TextTone::Heading => anstyle::Style::new().effects(Effects::BOLD),
            TextTone::Code | TextTone::Parallel => AnsiColor::Green.on_default(),
            TextTone::Warning | TextTone::Partly => AnsiColor::Yellow.on_default(),
            TextTone::Tasks => AnsiColor::Cyan.on_default(),
            TextTone::Wrong => AnsiColor::Red.on_default(),
            TextTone::Dim => anstyle::Style::new().effects(Effects::DIMMED),
        };
        format!("{style}{text}{style:#}")
    }

    /// The end of a list that leaves these out.
    pub(crate) fn and_more(&self, left_out: &str) -> String {
        let text = format!("and {left_out}; `--format json` lists them");
        self.paragraph(Some(TextTone::Dim), "  ", "    ", &text)
    }

    /// A paragraph, broken at spaces, with these indents; every line in its colour.
    pub(crate) fn paragraph(
        &self,
        tone: Option<TextTone>,
        first: &str,
        rest: &str,
        text: &str,
    ) -> String {
        // As wide as it will be.
        let text = match self.utf8 {
            true => Cow::Borrowed(text),
            false => Cow::Owned(in_ascii(text)),
        };
        let mut out = String::new();
        for (number, line) in wrap(&text, self.columns(), first, rest).iter().enumerate() {
            let indent = if number == 0 { first } else { rest };
            let line = match tone {
                Some(tone) => self.paint(tone, line),
                None => line.clone(),
            };
            let _ = writeln!(out, "{indent}{line}");
        }
        out
    }
}

/// A preprocessor directive, broken at spaces by `\\` as the language demands.
pub(crate) fn continued(style: &Style, indent: &str, directive: &str) -> String {
    let lines = wrap(directive, style.columns().saturating_sub(2), indent, indent);
    let mut out = String::new();
    for (number, line) in lines.iter().enumerate() {
        let more = if number + 1 < lines.len() { " \\" } else { "" };
        let _ = writeln!(
            out,
            "{indent}{}",
            style.paint(TextTone::Code, &format!("{line}{more}"))
        );
    }
    out
}

/// Columns that text has beside its indent, however wide that is.
const LEAST_ROOM: usize = 8;

/// Breaks text at spaces into lines that fit beside their indents, which they do not have yet; a longer word is broken
/// anywhere.
pub(crate) fn wrap(text: &str, columns: usize, first: &str, rest: &str) -> Vec<String> {
    let columns = columns.max(first.width().max(rest.width()) + LEAST_ROOM);
    let options = textwrap::Options::new(columns)
        .initial_indent(first)
        .subsequent_indent(rest)
        .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    let lines = textwrap::wrap(text, options);
    let indents = std::iter::once(first).chain(std::iter::repeat(rest));
    let bare = lines
        .iter()
        .zip(indents)
        .map(|(line, indent)| line.strip_prefix(indent).unwrap_or(line));
    bare.map(str::to_owned).collect()
}

/// A name from outside, safe to print: control characters and those that change the writing direction or are
/// invisible become escapes.
pub(crate) fn safe(name: &str) -> String {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
    };
    if !name.chars().any(hidden) {
        return name.to_owned();
    }
    let mut out = String::with_capacity(name.len() + 8);
    for c in name.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if hidden(c) && (c as u32) < 0x100 => {
                let _ = write!(out, "\\x{:02x}", c as u32);
            }
            c if hidden(c) => {
                let _ = write!(out, "\\u{{{:x}}}", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}

/// At most `columns` wide; what is too long loses its middle.
pub(crate) fn shorten(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(1);
    let take = |chars: &mut dyn Iterator<Item = char>, room: usize| {
        let mut used = 0;
        let mut taken = Vec::new();
        for c in chars {
            used += c.width().unwrap_or(0);
            if used > room {
                break;
            }
            taken.push(c);
        }
        taken
    };
    let head: String = take(&mut text.chars(), room.div_ceil(2))
        .into_iter()
        .collect();
    let tail: String = take(&mut text.chars().rev(), room / 2)
        .into_iter()
        .rev()
        .collect();
    format!("{head}…{tail}")
}

/// A parallelism or speedup with three or four digits.
pub(crate) fn factor(value: f64) -> String {
    if !value.is_finite() {
        "-".to_owned()
    } else if value >= 999.5 {
        grouped(value.round() as u64)
    } else if value >= 99.95 {
        format!("{value:.0}")
    } else if value >= 9.995 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

/// `0.25`, `20`, `1k`, `2.5M`.
pub(crate) fn short_number(value: f64) -> String {
    for (scale, letter) in [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")] {
        if value >= scale * 0.9999 {
            return format!("{}{letter}", digits(value / scale, 3));
        }
    }
    // Of small numbers the first three digits that are not 0.
    let zeros = if value > 0.0 {
        (-value.log10()).floor()
    } else {
        0.0
    };
    digits(value, 3 + zeros.clamp(0.0, 9.0) as usize)
}

/// Up to so many decimals, without zeros at the end.
fn digits(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A speedup: `1.00x` would hide what a small one is worth, so there are more digits close to 1.
pub(crate) fn speedup(value: f64) -> String {
    if (1.0..1.1).contains(&value) {
        format!("{value:.4}x")
    } else {
        format!("{}x", factor(value))
    }
}

/// A share in per cent.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

/// Text for XML and HTML, also between double quotes. Control characters were made visible before, by [`safe`].
pub(crate) fn escaped(text: &str) -> String {
    // Two that are no characters in XML; `safe` leaves them as they are.
    let text = text.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}");
    html_escape::encode_double_quoted_attribute(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_are_escaped() {
        assert_eq!(
            escaped("<a b=\"&\u{ffff}\">"),
            "&lt;a b=&quot;&amp;\u{fffd}&quot;&gt;"
        );
        assert_eq!(safe("f\u{1b}[2J\n"), "f\\x1b[2J\\n");
        assert_eq!(safe("a\u{202e}b\u{9b}"), "a\\u{202e}b\\x9b");
        assert_eq!(safe("größe<int>"), "größe<int>");
    }

    #[test]
    fn numbers() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(123), "123");
        assert_eq!(factor(7.0 / 4.0), "1.75");
        assert_eq!(factor(99.96), "100");
        assert_eq!(factor(999.9), "1,000");
        assert_eq!(speedup(1.001), "1.0010x");
        assert_eq!(speedup(2.0), "2.00x");
    }

    #[test]
    fn numbers_are_short() {
        let numbers = [0.0, 0.25, 0.0025, 20.0, 1000.0, 2_500_000.0];
        let texts = ["0", "0.25", "0.0025", "20", "1k", "2.5M"];
        assert_eq!(numbers.map(short_number), texts);
    }

    #[test]
    fn text_is_broken_and_shortened_by_columns() {
        assert_eq!(wrap("aa bb cc", 8, "", ""), ["aa bb cc"]);
        assert_eq!(wrap("aaa bbb ccc", 8, "", ""), ["aaa bbb", "ccc"]);
        // A word is broken for the lines that follow, wherever it stands.
        assert_eq!(wrap("aaaaaaaaaaaaa", 10, "", "  "), ["aaaaaaaa", "aaaaa"]);
        assert_eq!(
            wrap("aa bb cc", 20, "- the indent is wide ", ""),
            ["aa bb cc"]
        );
        assert_eq!(wrap("", 10, "", ""), [""]);
        assert_eq!(shorten("abcdefgh", 5), "ab…gh");
        assert_eq!(shorten("漢字漢字", 5), "漢…字");
        assert_eq!(shorten("abc", 3), "abc");
    }
}
