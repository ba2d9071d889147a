//! Words and signs of a text without comments and literals, and the brackets among them.

use super::words::{is_name, is_word};

/// Signs of two characters that mean something else than their parts.
const PAIRS: &[&str] = &["::", "->", "==", "!=", "<=", ">=", "&&", "||"];

/// Words and signs, in order.
pub(super) fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if rest.get(..2).is_some_and(|two| PAIRS.contains(&two)) {
            2
        } else {
            first.len_utf8()
        };
        found.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    found
}

/// Where the bracket is closed that opens at an index; the end where none closes it.
pub(super) fn closing(tokens: &[&str], open: usize) -> usize {
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate().skip(open) {
        match *token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth <= 0 {
            return i;
        }
    }
    tokens.len()
}

/// What the bracket at an index encloses, and what stands behind it.
pub(super) fn group<'t, 'a>(tokens: &'t [&'a str], open: usize) -> (&'t [&'a str], usize) {
    let close = closing(tokens, open);
    (
        &tokens[(open + 1).min(close)..close],
        (close + 1).min(tokens.len()),
    )
}

/// Whether a lambda's captures open at an index of a statement that begins at another: where its body opens.
pub(super) fn lambda(tokens: &[&str], from: usize, open: usize) -> Option<usize> {
    const BEFORE: &[&str] = &[
        "return",
        "co_return",
        "co_yield",
        "else",
        "do",
        "and",
        "or",
        "not",
    ];
    if let Some(before) = open.checked_sub(1).filter(|b| *b >= from) {
        let before = tokens[before];
        let value = before.chars().all(is_word) && !BEFORE.contains(&before);
        if value || matches!(before, ")" | "]" | "}" | "\"" | "'") {
            return None;
        }
    }
    if tokens.get(open + 1) == Some(&"[") {
        return None; // An attribute.
    }
    let mut at = group(tokens, open).1;
    loop {
        match *tokens.get(at)? {
            "{" => return Some(at),
            "(" | "[" => at = group(tokens, at).1,
            ";" | "," | ")" | "]" | "}" | "=" => return None,
            _ => at += 1,
        }
    }
}

/// Whether a token is the name of something.
pub(super) fn names(token: &str) -> bool {
    is_name(token)
}
