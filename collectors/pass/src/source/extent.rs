//! Where a loop's statement ends, if lines can be added behind it: the text and the compiler must agree on that.

use super::above;
use super::file::SourceText;
use super::words::is_word;

/// Nested deeper than that, nothing is said of a statement.
const DEEPEST: u32 = 100;

/// The last line of the statement that begins at a position and whose last word or sign stands at a line and column by
/// the debug information; none if something else follows on that line, or if the preprocessor may change what stands in
/// it.
pub(super) fn last_line(source: &SourceText, from: usize, last: (u32, u32)) -> Option<u32> {
    let end = end(source, from, last)?;
    let behind = source.plain.get(source.position(last.0, last.1)?..end)?;
    let number = last.0 as usize + behind.matches('\n').count();
    let rest = source.plain.get(end..)?.lines().next().unwrap_or_default();
    let ends = rest.trim().is_empty()
        && !source.is_hidden(number)
        && !above::is_continued(source, number - 1);
    ends.then_some(number as u32)
}

/// Where that statement ends; none if the preprocessor may change what stands in it.
pub(super) fn end(source: &SourceText, from: usize, (line, column): (u32, u32)) -> Option<usize> {
    let last = source.position(line, column)?;
    let end = from + statement(source.plain.get(from..)?, DEEPEST)?;
    let behind = source.plain.get(last..end)?;
    let own = behind == "}" || is_last(behind);
    let text = source.plain.get(from..end)?;
    (own && !text.contains('#')).then_some(end)
}

/// Whether a text is the last word or sign of a statement, be it the call of a macro, and its `;`.
fn is_last(text: &str) -> bool {
    let name = word(text).len();
    let rest = match text[name..].trim_start() {
        call if name > 0 && call.starts_with('(') => group(call).map(|length| &call[length..]),
        rest if name > 0 => Some(rest),
        _ => text.strip_prefix([')', ']']),
    };
    rest.is_some_and(|rest| rest.trim() == ";")
}

/// Length of the statement with which a text begins; none of those that are more than one line of control.
fn statement(text: &str, deepest: u32) -> Option<usize> {
    let deepest = deepest.checked_sub(1)?;
    let start = text.len() - text.trim_start().len();
    let rest = &text[start..];
    let word = word(rest);
    let length = match word {
        "" if rest.starts_with('{') => group(rest)?,
        "for" | "while" | "switch" => controlled(rest, word.len(), deepest)?,
        "if" => {
            let then = controlled(rest, word.len(), deepest)?;
            let gap = rest[then..].len() - rest[then..].trim_start().len();
            match self::word(&rest[then + gap..]) {
                "else" => {
                    let other = then + gap + "else".len();
                    other + statement(&rest[other..], deepest)?
                }
                _ => then,
            }
        }
        "do" | "try" | "case" | "default" | "else" => return None,
        _ => simple(rest)?,
    };
    Some(start + length)
}

/// Length of a statement whose first word, of this length, has a condition in parentheses and another statement behind
/// it.
fn controlled(text: &str, word: usize, deepest: u32) -> Option<usize> {
    let gap = text[word..].len() - text[word..].trim_start().len();
    let open = word + gap;
    let body = open
        + text[open..]
            .starts_with('(')
            .then(|| group(&text[open..]))??;
    Some(body + statement(&text[body..], deepest)?)
}

/// Length of a statement that ends in `;`.
fn simple(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, sign) in text.char_indices() {
        match sign {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            ';' if depth == 0 => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Length of what a bracket encloses, both brackets included.
pub(super) fn group(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, sign) in text.char_indices() {
        match sign {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The word with which a text begins.
fn word(text: &str) -> &str {
    &text[..text.find(|c| !is_word(c)).unwrap_or(text.len())]
}
