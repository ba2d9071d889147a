//! Variables that a file gives other names, of which the compiler knows for good what they stand for: references,
//! constant pointers, aliases for the linker. Of those that the compiler reports as pointers it does not matter.

use indexmap::IndexSet;

use super::scopes::Scopes;
use super::tokens::{closing, group, names, tokens};
use super::words::{is_word, words};

/// Words before the name, as a string, of another object.
const BY_STRING: &[&str] = &[
    "alias",
    "__alias__",
    "asm",
    "__asm__",
    "__asm",
    "weakref",
    "ifunc",
];

/// Names of variables that declarations in a file may give other names. Of the text as it is, and of its code.
pub(super) fn aliased(text: &str, code: &str, scopes: &Scopes) -> IndexSet<String> {
    let mut finder = Finder {
        scopes,
        found: IndexSet::new(),
    };
    finder.statements(&tokens(code), true);
    finder.by_string(text, code);
    finder.found
}

struct Finder<'a> {
    scopes: &'a Scopes,
    found: IndexSet<String>,
}

impl Finder<'_> {
    /// Looks at all declarations of a text, those in brackets included. In parentheses none has its value in further
    /// ones.
    fn statements(&mut self, t: &[&str], called: bool) {
        let (mut start, mut at) = (0, 0);
        while at < t.len() {
            match t[at] {
                ";" => {
                    self.declared(&t[start..at], called);
                    start = at + 1;
                    at += 1;
                }
                "(" | "[" | "{" => {
                    let (inside, behind) = group(t, at);
                    self.statements(inside, t[at] == "{");
                    if t[at] == "{" && is_block(&t[start..at]) {
                        start = behind;
                    }
                    at = behind;
                }
                _ => at += 1,
            }
        }
        self.declared(&t[start..], called);
    }

    /// Notes what a declaration leads to if it declares another name.
    fn declared(&mut self, t: &[&str], called: bool) {
        let value = reference(t, called).or_else(|| constant_pointer(t));
        if let Some(value) = value {
            self.note(&t[value..], 4);
            return;
        }
        // A macro that declares one.
        let (Some(name), Some(&"(")) = (t.first(), t.get(1)) else {
            return;
        };
        let declares = |body: &str| {
            let body = tokens(body);
            let behind = group(&body, 0).1;
            let parts = body[behind..].split(|token| *token == ";");
            parts
                .into_iter()
                .any(|part| reference(part, true).is_some() || constant_pointer(part).is_some())
        };
        if self
            .scopes
            .bodies(name)
            .any(|body| body.starts_with('(') && declares(body))
        {
            self.note(group(t, 1).0, 4);
        }
    }

    /// Notes all names of an expression, and of what its macros stand for.
    fn note(&mut self, t: &[&str], depth: u32) {
        for token in t.iter().filter(|token| names(token)) {
            let scopes = self.scopes;
            if depth > 0 && self.found.insert((*token).to_owned()) {
                scopes
                    .bodies(token)
                    .for_each(|body| self.note(&tokens(body), depth - 1));
            }
        }
    }

    /// Notes what attributes and assembly name in strings.
    fn by_string(&mut self, text: &str, code: &str) {
        for word in BY_STRING {
            for (at, _) in code.match_indices(word) {
                let behind = code[at + word.len()..].trim_start();
                let whole = !code[..at].ends_with(is_word);
                if !whole || !behind.starts_with('(') {
                    continue;
                }
                let from = code.len() - behind.len();
                let mut depth = 0;
                let end = behind.find(|c| {
                    depth += i32::from(c == '(') - i32::from(c == ')');
                    depth == 0
                });
                let inside = text.get(from..from + end.unwrap_or(0)).unwrap_or_default();
                let all = words(inside).filter(|w| !w.is_empty());
                self.found.extend(all.map(str::to_owned));
            }
        }
    }
}

/// Whether what opens behind this is a block of statements or declarations, not a value or a class.
fn is_block(head: &[&str]) -> bool {
    let mut flat = Vec::new();
    let mut at = 0;
    while at < head.len() {
        flat.push(head[at]);
        at = match head[at] {
            "(" | "[" | "{" => closing(head, at) + 1,
            _ => at + 1,
        };
    }
    if flat.contains(&"operator") {
        return true;
    }
    match (flat.first(), flat.last()) {
        (None, _) | (Some(&("namespace" | "extern" | "inline")), _) if !flat.contains(&"=") => true,
        (_, Some(&("else" | "do" | "try" | ":"))) => true,
        _ => flat.contains(&"(") && !flat.contains(&"="),
    }
}

/// Of a declaration of a reference: where what it refers to begins. What has its value in parentheses might be
/// something else.
fn reference(t: &[&str], called: bool) -> Option<usize> {
    const NO_TYPES: &[&str] = &[
        "return",
        "co_return",
        "delete",
        "throw",
        "case",
        "goto",
        "else",
    ];
    let of_type = |token: &str| {
        let word = token.chars().all(is_word) && !NO_TYPES.contains(&token);
        word || matches!(token, "::" | "<" | ">" | "," | "*")
    };
    let is_reference = |at: usize| matches!(t.get(at), Some(&("&" | "&&")));
    let mut at = 0;
    while at < t.len() {
        let value = match t[at] {
            // To an array or a function.
            "(" if is_reference(at + 1) && t.get(at + 3) == Some(&")") => {
                let behind = group(t, at + 4).1;
                (t.get(behind) == Some(&"=")).then_some(behind)
            }
            _ if is_reference(at) => {
                let next = match t.get(at + 1) {
                    Some(&"[") => group(t, at + 1).1, // A structured binding.
                    Some(&name) if names(name) && name != "operator" => at + 2,
                    _ => t.len(),
                };
                let before = &t[..at];
                let declares =
                    before.iter().all(|token| of_type(token)) || before.last() == Some(&",");
                match t.get(next) {
                    Some(&"=") => Some(next),
                    Some(&"{") if called && declares => Some(next),
                    Some(&"(") if called && declares && !before.is_empty() => {
                        (!is_parameters(group(t, next).0)).then_some(next)
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        if value.is_some() {
            return value.map(|value| value + 1);
        }
        at = match t[at] {
            "(" | "[" | "{" => group(t, at).1,
            _ => at + 1,
        };
    }
    None
}

/// Whether parentheses have the parameters of a function, not a value.
fn is_parameters(t: &[&str]) -> bool {
    let kind = |token: &str| names(token) || token == ">";
    t.is_empty()
        || t.windows(2).any(|two| kind(two[0]) && names(two[1]))
        || t.windows(3).any(|three| {
            kind(three[0])
                && matches!(three[1], "&" | "&&" | "*")
                && (names(three[2]) || matches!(three[2], "," | "const"))
        })
        || t.last()
            .is_some_and(|last| matches!(*last, "&" | "&&" | "*"))
}

/// Of a declaration of a constant that may have a pointer: where its value begins.
fn constant_pointer(t: &[&str]) -> Option<usize> {
    const CONSTANT: &[&str] = &["const", "constexpr", "constinit"];
    const TAGS: &[&str] = &["struct", "class", "union"];
    let (mut at, mut class) = (0, false);
    let value = loop {
        match *t.get(at)? {
            "=" => break at,
            "{" if class => {
                class = false;
                at = group(t, at).1;
            }
            "{" => break at,
            "(" | "[" => at = group(t, at).1,
            token => {
                class |= TAGS.contains(&token);
                at += 1;
            }
        }
    };
    let (left, right) = t.split_at(value);
    let constant = left.iter().any(|token| CONSTANT.contains(token));
    let pointer = left.contains(&"*") || right.contains(&"&");
    (constant && pointer).then_some(value + 1)
}
