//! What the brackets of a source file enclose: arguments of macros, and declarations of what is no variable. And its
//! macros.

use std::ops::Range;

use super::tokens::tokens;
use super::words::{is_loud, is_name, is_word, last_word, mentions, mentions_any, words};
use indexmap::{IndexMap, IndexSet};

/// A macro that the file defines.
#[derive(Debug)]
pub(super) struct Macro {
    /// Where what it stands for begins.
    pub(super) start: usize,
    /// What it stands for.
    body: String,
    /// Whether it has arguments.
    takes: bool,
}

/// What is found in one pass over a file.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    /// The text without comments, literals and what is the preprocessor's.
    pub(super) code: String,
    /// Macros by their names.
    pub(super) macros: IndexMap<String, Macro>,
    /// All that macros stand for by the file and the headers beside it, with parameters in front.
    bodies: IndexMap<String, Vec<String>>,
    /// Arguments of macros, in order, those of arguments apart, with the macros' names.
    arguments: Vec<(Range<usize>, String)>,
    /// Names of what is no variable and no global of the file: types and functions of classes, enumerators, parameters
    /// of templates, `extern` declarations within functions.
    others: IndexSet<String>,
    /// Names of structured bindings, with where they mean these.
    bindings: Vec<(String, Range<usize>)>,
    /// Functions, in order.
    functions: Vec<Range<usize>>,
    /// Whether the file looks at floating-point exceptions, or sets how numbers are rounded: both are each thread's
    /// own.
    pub(super) sees_exceptions: bool,
}

/// What a bracket opens.
#[derive(Clone, Debug, PartialEq, Eq)]
enum BracketKind {
    Class,
    Namespace,
    Enumerators,
    Macro(String),
    Other,
}

#[derive(Debug)]
struct OpenBracket {
    bracket: u8,
    at: usize,
    kind: BracketKind,
}

impl Scopes {
    /// Of a text without comments and literals, and such texts of the headers beside it.
    pub(super) fn new(plain: &str, headers: &[String]) -> Self {
        let mut scopes = Self::default();
        headers.iter().for_each(|header| {
            scopes.define(header);
        });
        // Where they stand matters only in the file itself.
        scopes.macros.clear();
        let code = scopes.define(plain);
        scopes.templates(&code);
        scopes.bind(&code);
        scopes.sees_exceptions = mentions_any(&code, ENVIRONMENT);
        ScopeReader {
            code: &code,
            scopes: &mut scopes,
            open: Vec::new(),
            statement: 0,
        }
        .run();
        scopes.code = code;
        scopes
    }

    /// Notes all macros. Gives the text without what is the preprocessor's.
    fn define(&mut self, plain: &str) -> String {
        let mut code = String::with_capacity(plain.len());
        let (mut start, mut directive) = (0, false);
        let mut from = 0;
        for line in plain.split_inclusive('\n') {
            let continued = line.trim_end().ends_with('\\');
            if !directive {
                from = start;
                directive = line.trim_start().starts_with('#');
            }
            start += line.len();
            if directive {
                code.extend(line.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }));
                if !continued {
                    self.define_one(&plain[from..start], from);
                    directive = false;
                }
            } else {
                code.push_str(line);
            }
        }
        code
    }

    /// Notes the macro of one `#define`.
    fn define_one(&mut self, text: &str, at: usize) {
        let Some((before, rest)) = text.split_once("define") else {
            return;
        };
        let rest_trimmed = rest.trim_start();
        let name: String = rest_trimmed.chars().take_while(|c| is_word(*c)).collect();
        if before.trim_matches([' ', '\t', '#']).is_empty() && is_name(&name) {
            let behind = &rest_trimmed[name.len()..];
            let known = Macro {
                start: at + text.len() - behind.len(),
                body: behind.to_owned(),
                takes: behind.starts_with('('),
            };
            let bodies = self.bodies.entry(name.clone()).or_default();
            bodies.push(known.body.replace("\\\n", " "));
            self.macros.insert(name, known);
        }
    }

    /// Notes parameters of templates.
    fn templates(&mut self, code: &str) {
        for (at, _) in code.match_indices("template") {
            let rest = code[at + "template".len()..].trim_start();
            let Some(rest) = rest.strip_prefix('<') else {
                continue;
            };
            let mut depth = 1;
            let end = rest.find(|c| {
                depth += i32::from(c == '<') - i32::from(c == '>');
                depth == 0 || matches!(c, ';' | '{')
            });
            for parameter in rest[..end.unwrap_or(0)].split(',') {
                let declared = parameter.split('=').next().unwrap_or_default();
                self.others.insert(last_word(declared).to_owned());
            }
        }
    }

    /// The macro of which what stands at a position is an argument.
    pub(super) fn argument_of(&self, position: usize) -> Option<&str> {
        let next = self.arguments.partition_point(|(r, _)| r.start <= position);
        let (range, name) = self.arguments.get(next.checked_sub(1)?)?;
        range.contains(&position).then_some(name)
    }

    /// The structured bindings from in front of a text within a function that it names.
    pub(super) fn bindings(&self, text: Range<usize>) -> impl Iterator<Item = &str> {
        let inside = tokens(self.code.get(text.clone()).unwrap_or_default());
        let known = self
            .bindings
            .iter()
            .filter(move |(_, scope)| scope.contains(&text.start));
        let local =
            known.filter(|(_, scope)| self.functions.iter().any(|f| f.contains(&scope.start)));
        let used = local.filter(move |(name, _)| {
            let mut uses = Vec::new();
            self.uses(&inside, name, 4, &mut uses);
            uses.iter().any(String::is_empty)
        });
        used.map(|(name, _)| name.as_str())
    }

    /// Notes the names of structured bindings: `auto const &[a, b] = ...`.
    fn bind(&mut self, code: &str) {
        for (at, word) in code.match_indices("auto") {
            let mut rest = code[at + word.len()..].trim_start();
            while let Some(next) = ["const", "volatile", "&"]
                .iter()
                .find_map(|w| rest.strip_prefix(w))
            {
                rest = next.trim_start();
            }
            let list = rest.strip_prefix('[').and_then(|list| list.split_once(']'));
            let names = list.map(|(names, _)| words(names)).into_iter().flatten();
            let scope = at..scope_end(code, at);
            let names = names.filter(|name| is_name(name));
            self.bindings
                .extend(names.map(|name| (name.to_owned(), scope.clone())));
        }
    }

    /// Whether a name stands somewhere for something else than a variable.
    pub(super) fn is_other(&self, name: &str) -> bool {
        self.others.contains(name)
    }

    /// Whether a text names a variable, and nothing else that has its name in another scope: a variable of a namespace
    /// by its name alone or with that namespace in front, others by their name alone. If `exact`, something else has
    /// that name as well, and only all of the scopes in front tell them apart. Macros are looked into.
    pub(super) fn names(&self, text: &str, name: &str, exact: bool) -> bool {
        let (scope, last) = name.split_at(name.rfind("::").map_or(0, |colons| colons + 2));
        let mut uses = Vec::new();
        self.uses(&tokens(text), last, 4, &mut uses);
        uses.retain(|before| before != ".");
        let same = |before: &String| {
            let outer = scope.strip_suffix(before.as_str());
            outer.is_some_and(|outer| {
                outer.is_empty() || !exact && (before.is_empty() || outer.ends_with("::"))
            })
        };
        !uses.is_empty() && uses.iter().all(same)
    }

    /// Gathers the scopes in front of a name (`a::b::`), or `.` where it is a member's.
    fn uses(&self, t: &[&str], name: &str, depth: u32, uses: &mut Vec<String>) {
        for (at, token) in t.iter().enumerate() {
            if *token == name {
                let mut from = at;
                while t[..from].last() == Some(&"::") {
                    from -= 1;
                    let within = t[..from].last();
                    from -= usize::from(within.is_some_and(|w| w.chars().all(is_word)));
                }
                let member = matches!(t[..from].last(), Some(&("." | "->")));
                uses.push(match member {
                    true => ".".to_owned(),
                    false => t[from..at].concat(),
                });
            } else if depth > 0 {
                self.bodies(token)
                    .for_each(|body| self.uses(&tokens(body), name, depth - 1, uses));
            }
        }
    }

    /// Whether a name is that of a macro.
    pub(super) fn is_macro(&self, name: &str) -> bool {
        self.bodies.contains_key(name)
    }

    /// Whether a name alone stands for something else.
    pub(super) fn is_constant(&self, name: &str) -> bool {
        self.bodies(name).any(|body| !body.starts_with('('))
    }

    /// All that a macro stands for, with its parameters in front.
    pub(super) fn bodies(&self, name: &str) -> impl Iterator<Item = &str> {
        let all = self.bodies.get(name).into_iter().flatten();
        all.map(String::as_str)
    }

    /// The macro that is named as a word of directives, which is expanded in them.
    pub(super) fn in_directives(&self) -> Option<&'static str> {
        let clause = |word: &&str| self.is_macro(word);
        let word = |word: &&str| self.is_constant(word);
        let found = CLAUSES.iter().find(|w| clause(w));
        found
            .or_else(|| DIRECTIVES.iter().find(|w| word(w)))
            .copied()
    }

    /// Whether a text has one of these words, or a macro that leads to one.
    pub(super) fn leads_to(&self, text: &str, names: &[&str]) -> bool {
        self.leads_within(text, names, 4)
    }

    fn leads_within(&self, text: &str, names: &[&str], depth: u32) -> bool {
        // A parameter is what the text has in its place.
        let free = |body: &str| {
            let head = body.strip_prefix('(').and_then(|rest| rest.split_once(')'));
            let bound = |name: &&str| head.is_some_and(|(all, _)| words(all).any(|w| w == *name));
            let names = names.iter().copied().filter(|name| !bound(name));
            names.collect::<Vec<&str>>()
        };
        let of_macro = |word: &str| {
            let mut bodies = self.bodies(word).filter(|_| depth > 0);
            bodies.any(|body| self.leads_within(body, &free(body), depth - 1))
        };
        words(text).any(|word| names.contains(&word) || of_macro(word))
    }
}

struct ScopeReader<'a> {
    code: &'a str,
    scopes: &'a mut Scopes,
    open: Vec<OpenBracket>,
    /// Where the statement or declaration begins.
    statement: usize,
}

impl ScopeReader<'_> {
    fn run(mut self) {
        for (i, byte) in self.code.bytes().enumerate() {
            match byte {
                b'(' | b'[' | b'{' => {
                    let kind = self.kind(byte, i);
                    self.open.push(OpenBracket {
                        bracket: byte,
                        at: i + 1,
                        kind,
                    });
                }
                b')' => self.close(b'(', i),
                b']' => self.close(b'[', i),
                b'}' => self.close(b'{', i),
                b';' if self.is_nested() => self.declared(i),
                _ => {}
            }
            if matches!(byte, b';' | b'{' | b'}') {
                self.statement = i + 1;
            }
        }
    }

    fn is_nested(&self) -> bool {
        let mut braces = self.open.iter().filter(|o| o.bracket == b'{');
        braces.any(|o| o.kind != BracketKind::Namespace)
    }

    /// What a bracket opens; notes what is declared by it.
    fn kind(&mut self, bracket: u8, at: usize) -> BracketKind {
        let code = self.code;
        let head = &code[self.statement..at];
        let name = last_word(head);
        match bracket {
            b'(' if is_name(name) => {
                if self
                    .open
                    .last()
                    .is_some_and(|o| o.kind == BracketKind::Class)
                {
                    self.scopes.others.insert(name.to_owned());
                }
                let known = self.scopes.macros.get(name);
                match known.map_or(is_loud(name), |m| m.takes) {
                    true => BracketKind::Macro(name.to_owned()),
                    false => BracketKind::Other,
                }
            }
            b'{' if matches!(words(head.trim()).next(), Some("namespace" | "extern")) => {
                BracketKind::Namespace
            }
            b'{' if head.contains(['(', '=']) => BracketKind::Other,
            b'{' if mentions(head, "enum") => match mentions_any(head, &["class", "struct"]) {
                true => BracketKind::Other,
                false => BracketKind::Enumerators,
            },
            b'{' if mentions_any(head, TAGS) => {
                if self.is_nested() {
                    self.tag(head);
                }
                BracketKind::Class
            }
            _ => BracketKind::Other,
        }
    }

    /// Notes the name of a structure or class.
    fn tag(&mut self, head: &str) {
        let mut named = words(head).skip_while(|w| !TAGS.contains(w)).skip(1);
        let name = named.find(|w| !w.is_empty() && *w != "class");
        self.scopes.others.extend(name.map(str::to_owned));
    }

    fn close(&mut self, bracket: u8, at: usize) {
        let Some(index) = self.open.iter().rposition(|o| o.bracket == bracket) else {
            return;
        };
        let closed = self.open.drain(index..).next().expect("at least one");
        let inside = &self.code[closed.at..at];
        let code = matches!(closed.kind, BracketKind::Other) && bracket == b'{';
        let of_none =
            |o: &OpenBracket| matches!(o.kind, BracketKind::Namespace | BracketKind::Class);
        if code && self.open.iter().all(of_none) {
            self.scopes.functions.push(closed.at..at);
        }
        match closed.kind {
            BracketKind::Enumerators => {
                for one in inside.split(',') {
                    let name = words(one.trim_start()).next().unwrap_or_default();
                    self.scopes.others.insert(name.to_owned());
                }
            }
            BracketKind::Macro(name)
                if !self
                    .open
                    .iter()
                    .any(|o| matches!(o.kind, BracketKind::Macro(_))) =>
            {
                self.scopes.arguments.push((closed.at..at, name));
            }
            _ => {}
        }
    }

    /// Notes what a declaration within braces declares.
    fn declared(&mut self, end: usize) {
        let code = self.code;
        let text = code[self.statement..end].trim();
        let first = words(text).next().unwrap_or_default();
        match first {
            "using" => {
                let left = text.split('=').next().unwrap_or_default();
                self.scopes.others.insert(last_word(left).to_owned());
            }
            "typedef" => {
                let pointer = text
                    .split_once("(*")
                    .map(|(_, rest)| words(rest.trim_start()).next());
                let plain = last_word(text.split('[').next().unwrap_or_default());
                let name = pointer.flatten().unwrap_or(plain);
                self.scopes.others.insert(name.to_owned());
            }
            // One name for a global of any file, which clang takes in no clause.
            "extern" => {
                for one in text.split(',') {
                    let plain = one.split(['[', '=']).next().unwrap_or_default();
                    self.scopes.others.insert(last_word(plain).to_owned());
                }
            }
            // `struct name;` alone: with more it is a variable.
            _ if TAGS.contains(&first) && words(text).filter(|w| !w.is_empty()).count() == 2 => {
                self.tag(text);
            }
            _ => {}
        }
    }
}

/// Words of directives in front of parentheses.
const CLAUSES: &[&str] = &["private", "firstprivate", "lastprivate", "reduction"];

/// Other words of directives.
const DIRECTIVES: &[&str] = &["pragma", "omp", "parallel", "for", "min", "max"];

/// Functions about what every thread has of its own for floating-point numbers.
const ENVIRONMENT: &[&str] = &[
    "fetestexcept",
    "feenableexcept",
    "fegetexceptflag",
    "fesetround",
    "fesetenv",
    "fegetenv",
    "_mm_getcsr",
    "_mm_setcsr",
    "_MM_GET_EXCEPTION_STATE",
    "_MM_SET_EXCEPTION_STATE",
    "_MM_SET_ROUNDING_MODE",
    "_MM_SET_FLUSH_ZERO_MODE",
    "_MM_SET_DENORMALS_ZERO_MODE",
];

const TAGS: &[&str] = &["struct", "class", "union", "enum"];

/// Where the scope of what is declared at a position ends: with the block around it, or with the statement whose header
/// it stands in.
fn scope_end(code: &str, from: usize) -> usize {
    let (mut depth, mut header) = (0, false);
    for (at, byte) in code.bytes().enumerate().skip(from) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' if depth == 0 => header = true,
            b'}' if depth == 0 => return at,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        let ended = header && depth == 0 && matches!(byte, b';' | b'}');
        if ended && !code[at + 1..].trim_start().starts_with("else") {
            return at;
        }
    }
    code.len()
}

/// Whether a text has vector instructions or their types.
pub(super) fn has_vectors(text: &str) -> bool {
    const BEGIN: &[&str] = &[
        "_mm",
        "__m64",
        "__m128",
        "__m256",
        "__m512",
        "__builtin_ia32",
    ];
    words(text).any(|word| BEGIN.iter().any(|begin| word.starts_with(begin)))
}
