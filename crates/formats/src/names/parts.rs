//! The brackets in a name.

/// Deepest nesting that is looked at.
const DEEPEST: usize = 64;
/// Longest name that is looked at, in bytes.
const LONGEST: usize = 1 << 16;

/// Operators of C++ with brackets in their names, or with what looks like some; longer ones first.
const OPERATORS: [&str; 14] = [
    "()", "[]", "<=>", "->*", "<<=", ">>=", "->", "<<", ">>", "<=", ">=", "<", ">", ",",
];

/// A piece of a demangled name: plain text, or a pair of brackets with what is in it.
#[derive(Debug)]
pub enum NamePart<'a> {
    /// Without brackets, but for those of operators.
    Text(&'a str),
    /// A pair of brackets.
    Group(BracketGroup<'a>),
}

/// What stands in a pair of brackets.
#[derive(Debug)]
pub struct BracketGroup<'a> {
    /// The bracket it begins with.
    pub open: char,
    /// All of it, with its brackets.
    pub whole: &'a str,
    /// What stands between commas.
    pub parts: Vec<Vec<NamePart<'a>>>,
}

/// A bracket that is open.
struct OpenBracket<'a> {
    open: char,
    /// Where it stands.
    start: usize,
    parts: Vec<Vec<NamePart<'a>>>,
}

/// The pieces of a demangled name; none where its brackets do not match, or where it is too long or too deep to be a
/// name.
pub fn parts(name: &str) -> Option<Vec<NamePart<'_>>> {
    if name.len() > LONGEST {
        return None;
    }
    let mut stack = vec![OpenBracket {
        open: ' ',
        start: 0,
        parts: vec![Vec::new()],
    }];
    // Where the text began that is being read.
    let mut from = 0;
    let mut at = 0;
    while let Some(c) = name[at..].chars().next() {
        if let Some(length) = operator(name, at) {
            at += length;
            continue;
        }
        let closes = match c {
            ')' => '(',
            '>' => '<',
            ']' => '[',
            '}' => '{',
            _ => ' ',
        };
        let is_open = matches!(c, '(' | '<' | '[' | '{');
        let is_comma = c == ',' && stack.len() > 1;
        if name[at..].starts_with("->") {
            at += 2;
            continue;
        }
        if is_open || is_comma || closes != ' ' {
            let part = stack.last_mut()?.parts.last_mut()?;
            if at > from {
                part.push(NamePart::Text(&name[from..at]));
            }
            from = at + 1;
        }
        if is_open {
            if stack.len() > DEEPEST {
                return None;
            }
            stack.push(OpenBracket {
                open: c,
                start: at,
                parts: vec![Vec::new()],
            });
        } else if is_comma {
            stack.last_mut()?.parts.push(Vec::new());
        } else if closes != ' ' {
            let OpenBracket { open, start, parts } = stack.pop()?;
            let around = stack.last_mut()?.parts.last_mut()?;
            if open != closes {
                return None;
            }
            around.push(NamePart::Group(BracketGroup {
                open,
                whole: &name[start..=at],
                parts,
            }));
        }
        at += c.len_utf8();
    }
    let mut last = stack.pop().filter(|_| stack.is_empty())?;
    let mut pieces = last.parts.pop()?;
    if from < name.len() {
        pieces.push(NamePart::Text(&name[from..]));
    }
    Some(pieces)
}

/// How long the name of an operator is that begins here; none where none does.
fn operator(name: &str, at: usize) -> Option<usize> {
    const WORD: &str = "operator";
    let symbol = name[at..].strip_prefix(WORD)?;
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let begins = !name[..at].chars().next_back().is_some_and(is_part);
    let found = OPERATORS.iter().find(|known| symbol.starts_with(**known))?;
    begins.then_some(WORD.len() + found.len())
}
