//! What stands on the lines above a loop.

use super::file::SourceText;
use super::words::{is_loud, is_name, words};

/// A line, as far as it matters to a loop below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineAbove {
    /// Nothing, or a comment, or something for the preprocessor that stands for nothing itself.
    Blank,
    Pragma,
    If,
    Else,
    EndIf,
    Code,
}

/// The first of the lines that a line is joined with by backslashes.
fn first(source: &SourceText, mut number: usize) -> usize {
    while number > 0 && is_continued(source, number - 1) {
        number -= 1;
    }
    number
}

/// Whether a line (from 0) goes on in the next.
pub(super) fn is_continued(source: &SourceText, number: usize) -> bool {
    source.plain_line(number).trim_end().ends_with('\\')
}

fn kind(source: &SourceText, number: usize) -> LineAbove {
    let line = source.plain_line(number).trim();
    let Some(rest) = line.strip_prefix('#') else {
        return match line.is_empty() {
            true => LineAbove::Blank,
            false => LineAbove::Code,
        };
    };
    match words(rest.trim_start()).next().unwrap_or_default() {
        "pragma" => LineAbove::Pragma,
        "if" | "ifdef" | "ifndef" => LineAbove::If,
        "else" | "elif" | "elifdef" | "elifndef" => LineAbove::Else,
        "endif" => LineAbove::EndIf,
        _ => LineAbove::Blank,
    }
}

/// What stands above a line (from 0) and belongs to it: a directive, or something else that a directive must not be
/// parted from.
pub(super) fn directive(source: &SourceText, line: usize) -> Option<String> {
    above(source, line, None)
}

/// The same within a branch of the `#if` that begins on line `group`.
fn above(source: &SourceText, line: usize, branch_of: Option<usize>) -> Option<String> {
    let mut below = line;
    while below > branch_of.map_or(0, |start| start + 1) {
        let number = first(source, below - 1);
        below = number;
        match kind(source, number) {
            LineAbove::Blank | LineAbove::If => {}
            LineAbove::Else if branch_of.is_some() => return None,
            LineAbove::Else => below = group(source, number).0,
            LineAbove::EndIf => {
                let (start, ends) = group(source, number);
                let found = ends.iter().find_map(|&end| above(source, end, Some(start)));
                if found.is_some() {
                    return found;
                }
                below = start;
            }
            LineAbove::Pragma => {
                let text = source.line(number).trim().trim_end_matches('\\').trim();
                let (_, text) = text.split_once("pragma")?;
                return Some(format!("#pragma {}", text.trim()));
            }
            LineAbove::Code => return attached(source, number),
        }
    }
    None
}

/// Where the `#if` begins to which an `#else` or `#endif` belongs, and where branches of it end.
fn group(source: &SourceText, last: usize) -> (usize, Vec<usize>) {
    let mut ends = vec![last];
    let mut depth = 0;
    for number in (0..last).rev() {
        match kind(source, number) {
            LineAbove::EndIf => depth += 1,
            LineAbove::If if depth == 0 => return (number, ends),
            LineAbove::If => depth -= 1,
            LineAbove::Else if depth == 0 => ends.push(number),
            _ => {}
        }
    }
    (0, ends)
}

/// Of a line of code: what in it belongs to the statement below.
fn attached(source: &SourceText, number: usize) -> Option<String> {
    let (line, whole) = (source.plain_line(number).trim(), source.line(number).trim());
    if let Some(at) = line.rfind("_Pragma") {
        return closes(&line[at..]).then(|| operator(whole, whole));
    }
    let name = words(line).next().unwrap_or_default();
    let alone = line == name || line[name.len()..].trim_start().starts_with('(') && closes(line);
    let attribute =
        name == "__attribute__" && alone || line.starts_with("[[") && line.ends_with("]]");
    if attribute {
        return Some(whole.to_owned());
    }
    if !alone || !is_name(name) {
        return None;
    }
    let scopes = source.scopes();
    match scopes.macros.get(name) {
        Some(makes) if scopes.leads_to(name, &["_Pragma"]) => {
            let body = source.text.get(makes.start..)?.lines().next()?;
            Some(operator(body, whole))
        }
        Some(_) if scopes.leads_to(name, &["__attribute__", "likely", "unlikely"]) => {
            Some(whole.to_owned())
        }
        Some(_) => None,
        // A macro of another file.
        None => is_loud(name).then(|| whole.to_owned()),
    }
}

/// Whether a line ends with the bracket that closes its first one.
fn closes(line: &str) -> bool {
    let mut depth = 0;
    let end = line.char_indices().find(|&(_, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ')' && depth == 0
    });
    end.is_some_and(|(at, _)| at + 1 == line.len())
}

/// The directive of the operator `_Pragma("...")` in a text; what stands above the loop where it is put together.
fn operator(text: &str, whole: &str) -> String {
    let inner = text
        .split_once("_Pragma")
        .and_then(|(_, rest)| Some(rest.split_once('"')?.1.rsplit_once('"')?.0));
    match inner {
        Some(inner) => format!("#pragma {}", inner.replace("\\\"", "\"")),
        None => whole.to_owned(),
    }
}
