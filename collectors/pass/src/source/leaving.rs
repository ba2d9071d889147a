//! The statements of a loop's text: which of its words lead out of it. The compiler drops ways out whose condition
//! never holds, but no directive may stand above such a loop nevertheless.

use super::scopes::Scopes;
use super::tokens::{closing, group, lambda, tokens};

/// Words that may lead out of a loop.
const WORDS: &[&str] = &["break", "return", "co_return", "goto", "case"];

/// Words with which another statement begins.
const STARTS: &[&str] = &[
    "break",
    "return",
    "co_return",
    "goto",
    "case",
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "try",
    "catch",
];

/// Nested deeper than that, nothing is said for the loop.
const DEEPEST: u32 = 100;

/// What in the loop has such words for its own.
#[derive(Clone, Copy, Default)]
struct OwnJumps {
    breaks: bool,
    cases: bool,
    returns: bool,
}

/// Within a function of its own.
const FUNCTION: OwnJumps = OwnJumps {
    breaks: true,
    cases: true,
    returns: true,
};

struct JumpWalker<'a> {
    scopes: &'a Scopes,
    labels: Vec<&'a str>,
    targets: Vec<&'a str>,
    leaves: bool,
    depth: u32,
}

/// Whether a loop can be left otherwise than by its test. The text begins with its `for`.
pub(super) fn leaves(scopes: &Scopes, text: &str) -> bool {
    let all = tokens(text);
    let open = all.iter().position(|t| *t == "(").unwrap_or(all.len());
    let (header, body) = group(&all, open.min(all.len()));
    let mut walker = JumpWalker {
        scopes,
        labels: Vec::new(),
        targets: Vec::new(),
        leaves: false,
        depth: 0,
    };
    walker.all(header, OwnJumps::default());
    walker.all(&all[body..], OwnJumps::default());
    let labels = &walker.labels;
    walker.leaves || walker.targets.iter().any(|t| !labels.contains(t))
}

impl<'a> JumpWalker<'a> {
    /// Statements, one after the other.
    fn all(&mut self, t: &[&'a str], owned: OwnJumps) {
        self.depth += 1;
        if self.depth > DEEPEST {
            self.leaves = true;
        }
        let mut at = 0;
        while at < t.len() && !self.leaves {
            at = self.statement(t, at, owned).max(at + 1);
        }
        self.depth -= 1;
    }

    /// The statement that begins at an index; where the next one does.
    fn statement(&mut self, t: &[&'a str], from: usize, owned: OwnJumps) -> usize {
        let (mut at, mut chosen) = (from, false);
        loop {
            at = match t.get(at) {
                None => return at,
                Some(&"if") => {
                    chosen = true;
                    at = self.parentheses(t, at, owned);
                    continue;
                }
                Some(&("else" | "try")) => {
                    at += 1;
                    continue;
                }
                Some(&"catch") => {
                    at = self.parentheses(t, at, owned);
                    continue;
                }
                Some(_) => match self.before(t, at, owned) {
                    Some(behind) => {
                        at = behind;
                        continue;
                    }
                    None => self.one(t, at, owned),
                },
            };
            let more = match t.get(at) {
                Some(&"else") => chosen,
                Some(&"catch") => true,
                _ => false,
            };
            if !more {
                return at;
            }
        }
    }

    /// Where the statement goes on behind an attribute or a label.
    fn before(&mut self, t: &[&'a str], at: usize, owned: OwnJumps) -> Option<usize> {
        let next = t.get(at + 1).copied().unwrap_or_default();
        match t[at] {
            "[" if next == "[" => Some(group(t, at).1),
            "__attribute__" if next == "(" => Some(group(t, at + 1).1),
            "case" => {
                self.leaves |= !owned.cases;
                let (mut end, mut choices) = (at + 1, 0);
                while end < t.len() && (t[end] != ":" || choices > 0) {
                    choices += i32::from(t[end] == "?") - i32::from(t[end] == ":");
                    end += 1;
                }
                Some(end + 1)
            }
            "default" if next == ":" => {
                self.leaves |= !owned.cases;
                Some(at + 2)
            }
            label if next == ":" && super::tokens::names(label) => {
                self.labels.push(label);
                Some(at + 2)
            }
            _ => None,
        }
    }

    /// A statement without what may stand in front of it; where it ends.
    fn one(&mut self, t: &[&'a str], at: usize, owned: OwnJumps) -> usize {
        match t[at] {
            "{" => {
                let (inside, behind) = group(t, at);
                self.all(inside, owned);
                behind
            }
            "for" | "while" => {
                let body = self.parentheses(t, at, owned);
                self.body(
                    t,
                    body,
                    OwnJumps {
                        breaks: true,
                        ..owned
                    },
                )
            }
            "switch" => {
                let body = self.parentheses(t, at, owned);
                let inner = OwnJumps {
                    breaks: true,
                    cases: true,
                    ..owned
                };
                self.body(t, body, inner)
            }
            "do" => {
                let test = self.body(
                    t,
                    at + 1,
                    OwnJumps {
                        breaks: true,
                        ..owned
                    },
                );
                match t.get(test) {
                    Some(&"while") => ended(t, self.parentheses(t, test, owned)),
                    _ => test,
                }
            }
            "break" => {
                self.leaves |= !owned.breaks;
                ended(t, at + 1)
            }
            "return" | "co_return" => {
                self.leaves |= !owned.returns;
                self.expression(t, at + 1, owned)
            }
            "goto" => {
                self.targets.extend(t.get(at + 1).or(Some(&"")));
                ended(t, at + 2)
            }
            ";" | "}" | ")" | "]" => at + 1,
            name => match self.opened(name) {
                Some(words) => {
                    let body = match t.get(at + 1) {
                        Some(&"(") => self.parentheses(t, at, owned),
                        _ => at + 1,
                    };
                    let inner = OwnJumps {
                        breaks: true,
                        cases: owned.cases || words,
                        ..owned
                    };
                    self.body(t, body, inner)
                }
                None => self.expression(t, at, owned),
            },
        }
    }

    /// The statement of a loop or choice in the loop.
    fn body(&mut self, t: &[&'a str], at: usize, owned: OwnJumps) -> usize {
        self.depth += 1;
        let end = if self.depth > DEEPEST {
            self.leaves = true;
            t.len()
        } else {
            self.statement(t, at, owned)
        };
        self.depth -= 1;
        end
    }

    /// What the next parentheses enclose; where the text goes on behind them.
    fn parentheses(&mut self, t: &[&'a str], at: usize, owned: OwnJumps) -> usize {
        let near = t.iter().enumerate().skip(at + 1).take(2);
        let open = near
            .filter(|(_, token)| **token == "(")
            .map(|(i, _)| i)
            .next();
        let Some(open) = open else {
            return at + 1; // `if consteval {`
        };
        let (inside, behind) = group(t, open);
        self.all(inside, owned);
        behind
    }

    /// An expression or declaration; where it ends.
    fn expression(&mut self, t: &[&'a str], from: usize, owned: OwnJumps) -> usize {
        let (mut at, mut class) = (from, false);
        while let Some(&token) = t.get(at) {
            match token {
                ";" => return at + 1,
                "(" | "[" | "{" => {
                    let body = (token == "[").then(|| lambda(t, from, at)).flatten();
                    let own = body.is_some() || token == "{" && class;
                    let (inside, behind) = group(t, body.unwrap_or(at));
                    self.all(inside, if own { FUNCTION } else { owned });
                    at = behind;
                    let next = t.get(at).is_some_and(|n| super::tokens::names(n));
                    if token == "{" && !class && next {
                        return at;
                    }
                }
                "=" => {
                    class = false;
                    at += 1;
                }
                "struct" | "class" | "union" => {
                    class = !t[from..at].contains(&"(");
                    at += 1;
                }
                _ if at > from && STARTS.contains(&token) => return at,
                _ => {
                    self.stands_for(token, owned);
                    at += 1;
                }
            }
        }
        at
    }

    /// What a macro stands for.
    fn stands_for(&mut self, name: &str, owned: OwnJumps) {
        let scopes = self.scopes;
        if !scopes.is_macro(name) || !scopes.leads_to(name, WORDS) || self.depth > DEEPEST {
            return;
        }
        for body in scopes.bodies(name) {
            // Macros may name each other in turn.
            self.depth += DEEPEST / 8;
            self.all(&without_parameters(body), owned);
            self.depth -= DEEPEST / 8;
        }
    }

    /// Whether a name is that of a macro that is the head of a loop, and of nothing more; whether of a `switch`, too.
    fn opened(&self, name: &str) -> Option<bool> {
        let mut bodies = self.scopes.bodies(name).peekable();
        bodies.peek()?;
        let mut switch = false;
        for body in bodies {
            let body = without_parameters(body);
            let mut at = 0;
            let mut loops = false;
            while at < body.len() {
                loops |= matches!(body[at], "for" | "while" | "switch");
                switch |= body[at] == "switch";
                let head = matches!(body[at], "for" | "while" | "switch" | "if");
                if !head || body.get(at + 1) != Some(&"(") || closing(&body, at + 1) == body.len() {
                    return None;
                }
                at = group(&body, at + 1).1;
            }
            if !loops {
                return None;
            }
        }
        Some(switch)
    }
}

/// Behind the semicolon at an index, if there is one.
fn ended(t: &[&str], at: usize) -> usize {
    at + usize::from(t.get(at) == Some(&";"))
}

/// The text of a macro's definition behind its parameters.
fn without_parameters(body: &str) -> Vec<&str> {
    let mut all = tokens(body);
    if body.starts_with('(') {
        let (_, behind) = group(&all, 0);
        all.drain(..behind);
    }
    all
}
