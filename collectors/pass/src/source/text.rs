//! The statement of a loop as the source file has it. Only what is certainly a canonical loop of OpenMP passes.

use std::cell::RefCell;
use std::collections::HashMap;

use parascan_formats::source::{ObstacleKind, Statement};

/// A loop's statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loop {
    /// Which it is.
    pub statement: Statement,
    /// Variable that the header of a `for` steps.
    pub index: Option<String>,
    /// What in its header is not canonical.
    pub problems: Vec<ObstacleKind>,
    /// Directive above it.
    pub directive: Option<String>,
    /// Whether it is the first thing on its line.
    pub starts_line: bool,
    /// Whether it has a way out but its test, be it one that is never taken.
    pub leaves: bool,
}

/// A source file whose lines are found without a search: a file may have very many loops.
#[derive(Debug)]
pub struct Source {
    text: String,
    /// Where each line begins.
    starts: Vec<usize>,
    /// Answers of [`aliased`].
    aliased: RefCell<HashMap<String, bool>>,
}

impl Source {
    /// Finds the lines.
    pub fn new(text: String) -> Self {
        let ends = text.match_indices('\n').map(|(i, _)| i + 1);
        let starts = std::iter::once(0).chain(ends).collect();
        Self {
            text,
            starts,
            aliased: RefCell::default(),
        }
    }

    /// A line by its number, from 0, without its end.
    fn line(&self, number: usize) -> Option<&str> {
        let start = *self.starts.get(number)?;
        let end = self.starts.get(number + 1);
        let line = self
            .text
            .get(start..end.map_or(self.text.len(), |e| e - 1))?;
        Some(line.strip_suffix('\r').unwrap_or(line))
    }
}

/// The statement at a line and column (in bytes), both from 1, to such a place; none when there is no loop.
pub fn at(source: &Source, line: u32, column: u32, end: (u32, u32)) -> Option<Loop> {
    let start = *source.starts.get((line as usize).saturating_sub(1))?;
    let position = start + (column as usize).checked_sub(1)?;
    let before = source.text.get(start..position)?;
    let rest = source.text.get(position..)?;
    let mut found = Loop {
        directive: directive(source, line),
        starts_line: before.trim().is_empty(),
        leaves: leaves(source, position, end),
        ..Loop::default()
    };
    let word: String = rest.chars().take_while(|c| is_word(*c)).collect();
    match word.as_str() {
        "while" => found.statement = Statement::While,
        "do" => found.statement = Statement::Do,
        "for" => {
            let header = strip_comments(rest.get(3..)?);
            let header = parentheses(&header)?;
            header_of(&header, &mut found);
        }
        _ => return None,
    }
    Some(found)
}

/// Whether a file declares another name for a variable, of which the compiler knows for good what it stands for: a constant pointer or
/// a reference, an alias. Of those that the compiler reports as pointers it does not matter.
pub fn aliased(source: &Source, name: &str) -> bool {
    if name.is_empty() {
        return false;
    }
    if let Some(known) = source.aliased.borrow().get(name) {
        return *known;
    }
    let found = has_alias(&source.text, name);
    source.aliased.borrow_mut().insert(name.to_owned(), found);
    found
}

fn has_alias(text: &str, name: &str) -> bool {
    text.lines().any(|line| {
        let mut from = 0;
        while let Some(at) = line[from..].find(name).map(|at| at + from) {
            let (before, after) = (&line[..at], &line[at + name.len()..]);
            // Only the same declaration, of which the members of a structure are a part.
            let begin = before.rsplit_once(';').map(|(_, last)| last);
            let begin = begin.filter(|last| !last.trim_start().starts_with('}'));
            let before = begin.unwrap_or(before);
            let whole = !before.ends_with(is_word) && !after.starts_with(is_word);
            if whole && before.ends_with('"') && after.starts_with('"') {
                return true;
            }
            let quoted = before.matches('"').count() % 2 == 1;
            if whole
                && !quoted
                && let Some((left, _)) = before.split_once(['=', '{'])
            {
                let reference = left
                    .trim_end()
                    .rsplit_once('&')
                    .is_some_and(|(kind, word)| {
                        let name = word.trim().trim_matches(['(', ')']);
                        is_name(name) && !kind.ends_with('&')
                    });
                let constant = ["const", "constexpr", "constinit"]
                    .iter()
                    .any(|w| mentions(left, w));
                if reference || constant && (left.contains('*') || before.contains('&')) {
                    return true;
                }
            }
            from = at + name.len();
        }
        false
    })
}

/// Whether the text of a loop from this position on has a way out, which the compiler drops where its condition never holds: no
/// directive may stand above it nevertheless.
fn leaves(source: &Source, from: usize, (line, column): (u32, u32)) -> bool {
    let start = source.starts.get((line as usize).wrapping_sub(1));
    let to = start.map_or(0, |start| start + column as usize);
    let text = source.text.get(from..to.saturating_sub(1));
    let Some(text) = text.and_then(|text| text.split_once(')')) else {
        return false;
    };
    let text = strip_comments(text.1);
    // What is between quotes does not matter, and rarely looks like this.
    let has = |words: &[&str]| words.iter().any(|word| mentions(&text, word));
    let lambda = ["[&", "[=", "[]", "[this"]
        .iter()
        .any(|start| text.contains(start));
    let nested = has(&["for", "while", "do", "switch"]);
    has(&["goto"]) || has(&["return"]) && !lambda || has(&["break"]) && !nested
}

/// Whether a function whose name stands on this line (from 1) is one that the compiler may compute.
pub fn is_constexpr(source: &Source, line: u32) -> bool {
    let number = (line as usize).saturating_sub(1);
    let above = number.checked_sub(1).and_then(|n| source.line(n));
    // What ends on the line above is something else.
    let above = above.filter(|l| !l.trim_end().ends_with([';', '}', '{']));
    [above, source.line(number)]
        .into_iter()
        .flatten()
        .any(|l| mentions(l, "constexpr") || mentions(l, "consteval"))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The directive on the line above, blank lines and comments between them apart.
fn directive(source: &Source, line: u32) -> Option<String> {
    let above = |number: usize| source.line(number).unwrap_or_default();
    let number = (0..line.saturating_sub(1) as usize).rev().find(|&n| {
        let l = above(n).trim();
        let comment = l.starts_with("//") || l.starts_with("/*") && l.ends_with("*/");
        !l.is_empty() && !comment
    })?;
    // A directive may go on over several lines.
    let mut first = number;
    while first > 0 && above(first - 1).trim_end().ends_with('\\') {
        first -= 1;
    }
    let inner = above(first).trim().strip_prefix('#')?.trim_start();
    let inner = inner.strip_prefix("pragma")?;
    Some(format!(
        "#pragma {}",
        inner.trim().trim_end_matches('\\').trim()
    ))
}

/// Comments as a blank, strings and characters as they are.
fn strip_comments(text: &str) -> String {
    // Headers are short; a file is not looked at to its end.
    let text: String = text.chars().take(4096).collect();
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('/', Some('/')) => {
                chars.find(|c| *c == '\n');
                out.push(' ');
            }
            ('/', Some('*')) => {
                chars.next();
                let mut last = ' ';
                for c in chars.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
                out.push(' ');
            }
            _ => out.push(c),
        }
    }
    out
}

/// What the first pair of parentheses encloses.
fn parentheses(text: &str) -> Option<String> {
    let text = text.trim_start().strip_prefix('(')?;
    let mut depth = 1;
    for (i, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '"' | '\'' | '#' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(text[..i].to_owned());
        }
    }
    None
}

/// Parts of a text between characters that lie in no brackets.
fn split(text: &str, at: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut from) = (0, 0);
    for (i, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ if c == at && depth == 0 => {
                parts.push(&text[from..i]);
                from = i + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

fn header_of(header: &str, found: &mut Loop) {
    let parts = split(header, ';');
    let [init, test, step] = parts[..] else {
        let colon = header.replace("::", "  ").contains(':');
        found.statement = if colon && parts.len() <= 2 {
            Statement::RangeFor
        } else {
            Statement::Unknown
        };
        if parts.len() == 2 {
            found.problems.push(ObstacleKind::Init); // C++20: `for (init; x : range)`
        }
        return;
    };
    found.statement = Statement::For;
    let Some(index) = initialised(init) else {
        found.problems.push(ObstacleKind::Init);
        return;
    };
    found.index = Some(index.to_owned());
    let unit = unit_step(step, index);
    // The step must lead to the bound.
    let fits = match comparison(test, index) {
        Some("!=") => unit && !down(step),
        Some("<" | "<=") => !down(step),
        Some(_) => down(step),
        None => false,
    };
    if !fits {
        found.problems.push(ObstacleKind::Test);
    }
    if !unit && !stepped(step, index) {
        found.problems.push(ObstacleKind::Step);
    }
}

/// Whether a text names a variable.
fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !is_word(c)).any(|word| word == name)
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_word) && !text.starts_with(|c: char| c.is_ascii_digit())
}

/// The variable of `variable = value` or `type variable = value`.
fn initialised(init: &str) -> Option<&str> {
    let (left, right) = assignment(init)?;
    if init.contains(',') && split(init, ',').len() > 1 || right.trim().is_empty() {
        return None;
    }
    let left = left.trim();
    if left.contains(['.', '[', '(', '{']) || left.contains("->") {
        return None;
    }
    let name = left.rsplit(|c: char| !is_word(c)).next()?;
    let before = left[..left.len() - name.len()].trim();
    // A declaration begins with a type: `*p = 0` is none.
    let declares = before.starts_with(|c: char| is_word(c) || c == ':');
    (is_name(name) && (before.is_empty() || declares) && !mentions(right, name)).then_some(name)
}

/// Both sides of a single plain `=`.
fn assignment(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let mut at = None;
    for i in 0..bytes.len() {
        if bytes[i] == b'=' {
            let next = bytes.get(i + 1) == Some(&b'=');
            let compound = i > 0 && b"=!<>+-*/%&|^".contains(&bytes[i - 1]);
            if next || compound || at.is_some() {
                return None;
            }
            at = Some(i);
        }
    }
    at.map(|i| (&text[..i], &text[i + 1..]))
}

/// The relation of `index < bound` or `bound > index`.
fn comparison<'a>(test: &'a str, index: &str) -> Option<&'a str> {
    if test.contains("&&") || test.contains("||") || test.contains(['?', ',']) {
        return None;
    }
    let bytes = test.as_bytes();
    let (mut depth, mut i, mut found) = (0, 0, None);
    while i < bytes.len() {
        let two = test.get(i..i + 2).unwrap_or("");
        match bytes[i] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ if depth > 0 => {}
            _ if matches!(two, "<<" | ">>" | "->") => i += 1,
            _ if matches!(two, "<=" | ">=" | "!=" | "==") => {
                if found.is_some() || two == "==" {
                    return None;
                }
                found = Some((i, two));
                i += 1;
            }
            b'<' | b'>' => {
                if found.is_some() {
                    return None;
                }
                found = Some((i, &test[i..=i]));
            }
            b'=' | b'&' | b'|' | b'^' => return None,
            _ => {}
        }
        i += 1;
    }
    let (at, relation) = found?;
    let (left, right) = (test[..at].trim(), test[at + relation.len()..].trim());
    let fits = |one: &str, other: &str| {
        one == index
            && !other.is_empty()
            && !mentions(other, index)
            && !other.contains("++")
            && !other.contains("--")
    };
    if fits(left, right) {
        return Some(relation);
    }
    let turned = match relation {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        other => other,
    };
    fits(right, left).then_some(turned)
}

/// Whether a step makes the variable smaller, as far as it is of one of the forms that pass.
fn down(step: &str) -> bool {
    step.contains('-')
}

fn blank_free(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Whether a step changes the variable by one.
fn unit_step(step: &str, index: &str) -> bool {
    let step = blank_free(step);
    [
        format!("{index}++"),
        format!("++{index}"),
        format!("{index}--"),
        format!("--{index}"),
        format!("{index}+=1"),
        format!("{index}-=1"),
        format!("{index}={index}+1"),
        format!("{index}={index}-1"),
    ]
    .contains(&step)
}

/// Whether a step changes the variable by something that it does not name.
fn stepped(step: &str, index: &str) -> bool {
    let plain = |amount: &str| {
        !amount.is_empty()
            && !mentions(amount, index)
            && amount
                .chars()
                .all(|c| is_word(c) || matches!(c, '*' | '(' | ')' | '.'))
    };
    let step = blank_free(step);
    let Some(rest) = step.strip_prefix(index) else {
        return false;
    };
    if let Some(amount) = rest.strip_prefix("+=").or_else(|| rest.strip_prefix("-=")) {
        return plain(amount);
    }
    let Some(sum) = rest.strip_prefix('=') else {
        return false;
    };
    let behind = sum
        .strip_prefix(&format!("{index}+"))
        .or_else(|| sum.strip_prefix(&format!("{index}-")));
    let before = sum.strip_suffix(&format!("+{index}"));
    behind.or(before).is_some_and(plain)
}
