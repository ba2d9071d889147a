//! The statement of a loop as the source file has it. Only what is certainly a canonical loop of OpenMP passes.

use std::ops::Range;

use parascan_formats::source::{ObstacleKind, Statement};

use super::above;
use super::extent;
use super::file::SourceText;
use super::leaving;
use super::scopes::{self, Scopes};
use super::words::{is_name, is_word, mentions};

/// A loop's statement in the source text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoopStatement {
    /// Whether it is a `for`, a `while`, ...; unknown where the text says nothing certain.
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
    /// Whether its test is `!=`, which a variable without a sign meets in the end even if it begins beyond the bound.
    pub wraps: bool,
    /// Last line of its header.
    pub header_end: u32,
    /// Its last line, if nothing else follows on that; 0 if something does, or where it is not known.
    pub last_line: u32,
    /// Whether its index becomes smaller.
    pub descends: bool,
    /// What its index begins with, in a plain assignment; empty where it declares the index, or has literals other than
    /// numbers.
    pub start: String,
    /// Amount by which it steps its index, where that is a number; of several that a macro may stand for the largest.
    pub step: Option<u64>,
    /// The same where there is but one.
    pub only_step: Option<u64>,
    /// How many values its index goes through, in steps of 1, where both ends are numbers.
    pub range: Option<u64>,
    /// Relation between its index and the bound.
    pub relation: Option<&'static str>,
    /// Whether it has vector instructions or their types.
    pub vectors: bool,
    /// Whether it begins to read the arguments of the function that have no names.
    pub arguments: bool,
    /// Where its text lies.
    pub text: Range<usize>,
    /// Where its header ends.
    pub body: usize,
    /// Where it ends, if the text and the compiler agree on that and the preprocessor changes nothing in it.
    pub end: Option<usize>,
    /// The macro whose argument the loop is, or an empty name where a line before goes on in the loop's.
    pub part_of: Option<String>,
}

/// The statement at a line and column (in bytes), both from 1, to such a place; none when there is no loop.
pub fn at(source: &SourceText, line: u32, column: u32, end: (u32, u32)) -> Option<LoopStatement> {
    let position = source.position(line, column)?;
    let before = source.plain.get(source.position(line, 1)?..position)?;
    let rest = source.plain.get(position..)?;
    let number = (line as usize).checked_sub(1)?;
    let scopes = source.scopes();
    let range = whole(&scopes.code, position, source.position(end.0, end.1));
    let text = scopes.code.get(range.clone()).unwrap_or_default();
    let argument_of = scopes.argument_of(position).map(str::to_owned);
    let joined = number > 0 && above::is_continued(source, number - 1);
    let mut found = LoopStatement {
        directive: above::directive(source, number),
        starts_line: before.trim().is_empty() && !source.is_hidden(number),
        leaves: leaving::leaves(scopes, text),
        vectors: scopes::has_vectors(text),
        arguments: scopes.leads_to(text, &["va_start", "__builtin_va_start"]),
        text: range,
        part_of: argument_of.or_else(|| joined.then(String::new)),
        ..LoopStatement::default()
    };
    let word: String = rest.chars().take_while(|c| is_word(*c)).collect();
    match word.as_str() {
        "while" => found.statement = Statement::While,
        "do" => found.statement = Statement::Do,
        "for" => {
            let (gap, _) = rest[3..].split_once('(')?;
            let header = parentheses(&rest[3..])?;
            let lines = gap.matches('\n').count() + header.matches('\n').count();
            found.header_end = line + lines as u32;
            found.body = position + "for()".len() + gap.len() + header.len();
            found.end = extent::end(source, position, end);
            header_of(header, &mut found);
            found.last_line = extent::last_line(source, position, end).unwrap_or(0);
            let steps = steps(header, found.index.as_deref(), scopes);
            found.step = steps.iter().max().copied().flatten();
            found.only_step = found
                .step
                .filter(|_| steps.iter().all(|s| *s == found.step));
            found.range = values_between(header, found.index.as_deref(), scopes);
        }
        _ => return None,
    }
    Some(found)
}

/// Whether a clause with the name of a global might mean another variable, or not all that a loop reaches of this one:
/// the file gives it another name, or the name another meaning, or the loop reaches it otherwise than by its name
/// alone. If `exact`, the function has something else of that name in another scope, and the loop must write all of the
/// scopes in front.
pub fn doubtful(
    source: &SourceText,
    statement: Option<&LoopStatement>,
    name: &str,
    exact: bool,
) -> bool {
    let scopes = source.scopes();
    let otherwise = |l: &LoopStatement| {
        let code = scopes.code.get(l.text.clone()).unwrap_or_default();
        !scopes.names(code, name, exact)
    };
    let name = name.rsplit("::").next().unwrap_or(name);
    source.aliased().contains(name)
        || scopes.is_other(name)
        || scopes.is_constant(name)
        || statement.is_some_and(otherwise)
}

/// The text of a loop, from its first word to the last one of its last statement.
fn whole(code: &str, from: usize, last: Option<usize>) -> Range<usize> {
    let Some(last) = last.filter(|last| *last > from && code.is_char_boundary(*last)) else {
        return from..code.len();
    };
    let rest = &code[last..];
    let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    let behind = rest[word..].trim_start();
    let end = match behind.strip_prefix('(').filter(|_| word > 0) {
        // A macro's arguments.
        Some(_) => {
            rest.len() - behind.len() + parentheses(behind).map_or(0, |inside| inside.len() + 2)
        }
        None => word.max(rest.chars().next().map_or(0, char::len_utf8)),
    };
    from..last + end
}

/// What the first pair of parentheses encloses.
fn parentheses(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let end = text.starts_with('(').then(|| extent::group(text))??;
    let inside = &text[1..end - 1];
    (!inside.contains('#')).then_some(inside)
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

fn header_of(header: &str, found: &mut LoopStatement) {
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
    found.start = start(init, index);
    // A member's arrow is no minus.
    let step = &step.replace("->", ".");
    found.descends = down(step);
    let unit = unit_step(step, index);
    let relation = comparison(test, index);
    const RELATIONS: [&str; 5] = ["<", "<=", ">", ">=", "!="];
    found.relation = RELATIONS.into_iter().find(|r| Some(*r) == relation);
    found.wraps = relation == Some("!=") && !(down(step) || from_zero(init));
    // The step must lead to the bound.
    let fits = match relation {
        Some("!=") => unit && (!down(step) || to_zero(test, index)),
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

/// The variable of `variable = value` or `type variable = value`.
fn initialised(init: &str) -> Option<&str> {
    let (left, right) = assignment(init)?;
    if init.contains(',') && split(init, ',').len() > 1 || right.trim().is_empty() {
        return None;
    }
    let left = left.trim();
    let behind = behind_type_of(left);
    let left = behind.unwrap_or(left);
    if left.contains(['.', '[', '(', '{']) || left.contains("->") {
        return None;
    }
    let name = left.rsplit(|c: char| !is_word(c)).next()?;
    let before = left[..left.len() - name.len()].trim();
    // A declaration begins with a type: `*p = 0` is none.
    let declares = before.starts_with(|c: char| is_word(c) || c == ':');
    let alone = before.is_empty() || declares;
    (is_name(name) && alone && !mentions(right, name)).then_some(name)
}

/// What follows in a declaration whose type is that of an expression: `decltype(n) i`.
fn behind_type_of(left: &str) -> Option<&str> {
    const OPERATORS: [&str; 4] = ["decltype", "typeof", "__typeof__", "__typeof"];
    let mut behind = OPERATORS.iter().filter_map(|operator| {
        let rest = left.strip_prefix(operator)?.trim_start();
        rest.starts_with('(')
            .then(|| rest.get(extent::group(rest)?..))?
    });
    behind.next()
}

/// [`LoopStatement::start`].
fn start(init: &str, index: &str) -> String {
    let value = assignment(init).filter(|(left, _)| left.trim() == index);
    let value = value.map_or("", |(_, value)| value);
    if value.contains(['"', '\'', '{']) {
        return String::new(); // a lambda's
    }
    let words: Vec<&str> = value.split_whitespace().collect();
    words.join(" ")
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
            b'=' | b'&' | b'|' | b'^' | b'?' | b',' => return None,
            _ => {}
        }
        i += 1;
    }
    let (at, relation) = found?;
    let (left, right) = (test[..at].trim(), test[at + relation.len()..].trim());
    let fits = |one: &str, other: &str| {
        (one == index || blank_free(one) == format!("({index})"))
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

/// Whether a test by `!=` ends at 0: on the way down to anything else an unsigned variable may pass through it.
fn to_zero(test: &str, index: &str) -> bool {
    let test = blank_free(test);
    test == format!("{index}!=0") || test == format!("0!={index}")
}

/// Whether a loop begins at 0, from where the way up leads to any bound.
fn from_zero(init: &str) -> bool {
    assignment(init).is_some_and(|(_, value)| value.trim() == "0")
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

/// The numbers by which the third part of a header may step: that of a macro has one in each of its definitions, or
/// none.
fn steps(header: &str, index: Option<&str>, scopes: &Scopes) -> Vec<Option<u64>> {
    let parts = split(header, ';');
    let Some(step) = parts.get(2).map(|step| blank_free(step)) else {
        return Vec::new();
    };
    if step.contains("++") || step.contains("--") {
        return vec![Some(1)];
    }
    let words = step.split(|c: char| !is_word(c) && c != '\'');
    let mut amounts = words.filter(|word| !word.is_empty() && Some(*word) != index);
    let Some(amount) = amounts.next().filter(|_| amounts.next().is_none()) else {
        return Vec::new();
    };
    match number(amount) {
        Some(amount) => vec![Some(amount)],
        None => (scopes.bodies(amount))
            .map(|body| number(body.trim()))
            .collect(),
    }
}

/// [`LoopStatement::range`], of which both ends may be macros.
fn values_between(header: &str, index: Option<&str>, scopes: &Scopes) -> Option<u64> {
    let parts = split(header, ';');
    let [init, test, _] = parts[..] else {
        return None;
    };
    let values = |text: &str| -> Vec<u64> {
        let of_macros = scopes.bodies(text.trim()).map(|body| number(body.trim()));
        let all = std::iter::once(number(text.trim())).chain(of_macros);
        all.flatten().collect()
    };
    let first = values(assignment(init)?.1);
    let sides = test.split(['<', '>', '=', '!']).map(str::trim);
    let mut sides = sides.filter(|side| !side.is_empty());
    let (left, right) = (sides.next()?, sides.next()?);
    let last = match index? {
        index if left == index => values(right),
        index if right == index => values(left),
        _ => return None,
    };
    let ends = || first.iter().chain(&last);
    let between = ends().max()? - ends().min()?;
    let both = u64::from(test.contains("<=") || test.contains(">="));
    (!first.is_empty() && !last.is_empty()).then_some(between + both)
}

/// The value of a whole number as C writes it.
fn number(text: &str) -> Option<u64> {
    let text = text
        .trim_end_matches(['u', 'U', 'l', 'L', 'z', 'Z'])
        .replace('\'', "");
    let lower = text.to_ascii_lowercase();
    let (digits, base) = match lower.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => match lower.strip_prefix("0b") {
            Some(digits) => (digits, 2),
            None if lower.len() > 1 && lower.starts_with('0') => (&lower[1..], 8),
            None => (lower.as_str(), 10),
        },
    };
    u64::from_str_radix(digits, base).ok()
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
