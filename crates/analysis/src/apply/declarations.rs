//! Declarations that move into their loop: a variable that is declared without a value and used in one loop only needs
//! no `private` there.
//!
//! What `private(t)` says of a loop, a declaration in its body says as well, and nobody has to keep it true. It is
//! moved only where the text shows that it may be, in any style of C or C++ that has no surprises:
//!
//! - the line declares nothing but variables that `private` names, of plain types, without values, in the block around
//!   the loop;
//! - behind it, their names stand in the loop's body alone, in no macro of the file, and no line for the preprocessor
//!   nor what looks like a macro of another file comes in between;
//! - the body is a block that begins behind the loop's head, on a line that ends there.
//!
//! Whatever else stays as it is, with its clause. **Blind spot:** a macro of another file that is not written in
//! capitals, and that uses a variable of the function that it stands in.

use std::collections::BTreeMap;

use parascan_formats::c_text::closed_literal;

/// A variable that a loop's `private` names, proved by its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The variable, as the source writes it.
    pub name: String,
    /// Line of its declaration, from 1.
    pub line: u32,
}

/// Lines that move into a loop's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MovedLines {
    /// Their indexes, from 0, in ascending order.
    pub(super) lines: Vec<usize>,
    /// What they declare.
    pub(super) names: Vec<String>,
    /// The line behind which they come: the last of the loop's head.
    pub(super) head: usize,
    /// The first line of the body, whose indentation they have.
    pub(super) body: usize,
}

/// Variables by the index of the line that declares them, from 0.
pub(super) fn by_line(declarations: &[Declaration]) -> BTreeMap<usize, Vec<&str>> {
    let mut lines: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for Declaration { name, line } in declarations {
        let index = (*line as usize).saturating_sub(1);
        lines.entry(index).or_default().push(name);
    }
    lines
}

/// A directive without some of the names of its clause `private`.
pub(super) fn without_names(directive: &str, names: &[String]) -> String {
    const CLAUSE: &str = " private(";
    let parts = directive.split_once(CLAUSE);
    let Some((before, (list, behind))) = parts.and_then(|(b, r)| Some((b, r.split_once(')')?)))
    else {
        return directive.to_owned();
    };
    let left = |name: &&str| !names.iter().any(|n| n == name.trim());
    let left: Vec<&str> = list.split(',').filter(left).collect();
    match left.is_empty() {
        true => format!("{before}{behind}"),
        false => format!("{before}{CLAUSE}{}){behind}", left.join(",")),
    }
}

/// Whether a word stands in a line, be it in a comment.
pub(super) fn has_word(line: &str, word: &str) -> bool {
    let mut words = line.split(|c: char| !is_word(c));
    words.any(|other| other == word)
}

/// How many lines below the beginning of a loop its head ends, if that opens a block and nothing stands behind it.
pub(super) fn head_of(lines: &[&str]) -> Option<usize> {
    // No head is longer.
    let tokens = lex(&lines[..lines.len().min(50)])?;
    let first = tokens.iter().position(|t| t.is("for"))?;
    Some(tokens[opening(&tokens, first)?].line)
}

/// The lines that can move into the loop that begins on the line of this index.
pub(super) fn movable(
    tokens: &[Token],
    loop_line: usize,
    declarations: &[Declaration],
) -> Option<MovedLines> {
    let first = tokens
        .iter()
        .position(|t| t.line == loop_line && t.is("for"))?;
    let open = opening(tokens, first)?;
    let close = closing(tokens, open, ('{', '}'))?;
    let head = tokens[open].line;
    let body = tokens[open + 1].line;
    let mut moves = MovedLines {
        lines: Vec::new(),
        names: Vec::new(),
        head,
        body,
    };
    for (line, names) in by_line(declarations) {
        if line < loop_line && is_movable(tokens, (open, close), line, &names) {
            moves.lines.push(line);
            moves.names.extend(names.iter().map(|&n| n.to_owned()));
        }
    }
    let closed_later = tokens[close].line > head;
    (closed_later && !moves.lines.is_empty()).then_some(moves)
}

/// Whether a line declares these variables and nothing else, and they are used between these tokens alone.
fn is_movable(
    tokens: &[Token],
    (open, close): (usize, usize),
    line: usize,
    names: &[&str],
) -> bool {
    let Some(start) = tokens.iter().position(|t| t.line == line) else {
        return false;
    };
    let length = tokens[start..]
        .iter()
        .take_while(|t| t.line == line)
        .count();
    let end = start + length;
    let begins = start.checked_sub(1).map(|before| &tokens[before]);
    // The first line of a function stands behind its bracket: what stands in no brackets is no local variable.
    if !begins.is_some_and(|t| t.ends_statement() && !t.directive) {
        return false;
    }
    let declared = declared(&tokens[start..end]);
    let same =
        |found: &[&str]| found.len() == names.len() && names.iter().all(|n| found.contains(n));
    if !declared.is_some_and(|found| same(&found)) {
        return false;
    }
    let in_macro = |t: &Token| t.directive && names.iter().any(|n| t.is(n));
    if tokens.iter().any(in_macro) {
        return false;
    }
    let around: i32 = tokens[..start].iter().map(Token::depth).sum();
    if around < 1 {
        return false;
    }
    // To the end of the block that it stands in.
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(end) {
        depth += token.depth();
        if depth < 0 {
            return at > close;
        }
        if token.directive {
            return false;
        }
        if open < at && at < close {
            continue;
        }
        let before = |n: usize| &tokens[at - n];
        let member = before(1).sign('.') || before(1).sign('>') && before(2).sign('-');
        let used = !member && names.iter().any(|n| token.is(n));
        let called = tokens.get(at + 1).is_some_and(|t| t.sign('('));
        if used || token.in_capitals() && (called || before(1).ends_statement()) {
            return false;
        }
    }
    false
}

/// What a line of nothing but a plain declaration declares.
fn declared<'a>(tokens: &[Token<'a>]) -> Option<Vec<&'a str>> {
    const NONE: [&str; 24] = [
        "static",
        "extern",
        "register",
        "volatile",
        "const",
        "typedef",
        "auto",
        "return",
        "goto",
        "else",
        "case",
        "do",
        "delete",
        "throw",
        "using",
        "new",
        "constexpr",
        "thread_local",
        "_Thread_local",
        "_Atomic",
        "friend",
        "break",
        "continue",
        "co_return",
    ];
    let (last, rest) = tokens.split_last()?;
    if !last.sign(';') || tokens.iter().any(|t| t.directive) {
        return None;
    }
    let mut names = Vec::new();
    for (number, part) in rest.split(|t| t.sign(',')).enumerate() {
        let in_front = part
            .iter()
            .take_while(|t| t.word().is_some() || t.sign('*'));
        let (name, of_type) = part[..in_front.count()].split_last()?;
        let types = of_type.iter().take_while(|t| t.word().is_some()).count();
        let plain = |t: &Token| !NONE.iter().any(|word| t.is(word));
        let fits = match number {
            0 => types >= 1 && of_type[..types].iter().all(plain),
            _ => types == 0,
        };
        let stars = of_type[types..].iter().all(|t| t.sign('*'));
        let lengths = &part[of_type.len() + 1..];
        if !(fits && stars && are_lengths(lengths)) {
            return None;
        }
        names.push(name.word()?);
    }
    Some(names)
}

/// Whether this is `[3][N]`, or nothing: numbers and names in capitals.
fn are_lengths(tokens: &[Token]) -> bool {
    let constant = |t: &Token| t.number() || t.in_capitals();
    tokens
        .chunks(3)
        .all(|c| matches!(c, [a, n, b] if a.sign('[') && constant(n) && b.sign(']')))
}

/// The `{` that ends a loop's head, with nothing behind it on its line.
fn opening(tokens: &[Token], first: usize) -> Option<usize> {
    tokens.get(first + 1).filter(|t| t.sign('('))?;
    let open = closing(tokens, first + 1, ('(', ')'))? + 1;
    tokens.get(open).filter(|t| t.sign('{'))?;
    let next = tokens.get(open + 1)?;
    (next.line > tokens[open].line).then_some(open)
}

/// Where the bracket that is opened here is closed.
fn closing(tokens: &[Token], open: usize, (opens, closes): (char, char)) -> Option<usize> {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if token.directive {
            return None;
        }
        depth += i32::from(token.sign(opens)) - i32::from(token.sign(closes));
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// A part of the text that is neither space nor comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    /// Index of its line, from 0.
    line: usize,
    /// Whether it is the preprocessor's.
    directive: bool,
    kind: TokenKind<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenKind<'a> {
    Word(&'a str),
    Number,
    /// In quotation marks.
    Quoted,
    Sign(char),
}

impl<'a> Token<'a> {
    fn word(&self) -> Option<&'a str> {
        match self.kind {
            TokenKind::Word(word) => Some(word),
            _ => None,
        }
    }

    fn is(&self, word: &str) -> bool {
        self.word() == Some(word)
    }

    fn sign(&self, sign: char) -> bool {
        self.kind == TokenKind::Sign(sign)
    }

    fn number(&self) -> bool {
        self.kind == TokenKind::Number
    }

    fn ends_statement(&self) -> bool {
        matches!(self.kind, TokenKind::Sign(';' | '{' | '}'))
    }

    fn in_capitals(&self) -> bool {
        self.word().is_some_and(|word| {
            let capital = word.contains(|c: char| c.is_ascii_uppercase());
            capital && !word.contains(|c: char| c.is_ascii_lowercase())
        })
    }

    fn depth(&self) -> i32 {
        match self.kind {
            TokenKind::Sign('{') if !self.directive => 1,
            TokenKind::Sign('}') if !self.directive => -1,
            _ => 0,
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The tokens of a text; none where it has what is not understood here: raw strings, lines that go on behind a
/// backslash (but the preprocessor's), or quotation marks without an end.
pub(super) fn lex<'a>(lines: &[&'a str]) -> Option<Vec<Token<'a>>> {
    let mut tokens: Vec<Token> = Vec::new();
    let (mut comment, mut directive) = (false, false);
    for (line, &text) in lines.iter().enumerate() {
        let text = text.trim_end();
        let mut rest = text;
        let mut first = !directive;
        loop {
            if comment {
                let Some((_, behind)) = rest.split_once("*/") else {
                    break;
                };
                (comment, rest) = (false, behind);
            }
            rest = rest.trim_start();
            let Some(c) = rest.chars().next() else {
                break;
            };
            if rest.starts_with("//") {
                if text.ends_with('\\') {
                    return None;
                }
                break;
            }
            if let Some(behind) = rest.strip_prefix("/*") {
                (comment, rest) = (true, behind);
                continue;
            }
            if c == '\\' {
                // Lines of the preprocessor alone go on.
                if directive && rest.len() == 1 {
                    break;
                }
                return None;
            }
            directive |= first && c == '#';
            first = false;
            let (kind, length) = token(rest, c)?;
            tokens.push(Token {
                line,
                directive,
                kind,
            });
            rest = &rest[length..];
        }
        directive &= comment || text.ends_with('\\');
    }
    (!comment).then_some(tokens)
}

/// The token at the beginning of a text, and its length in bytes.
fn token(text: &str, c: char) -> Option<(TokenKind<'_>, usize)> {
    if c == '"' || c == '\'' {
        return Some((TokenKind::Quoted, closed_literal(text.as_bytes())?));
    }
    let end = |part: fn(char) -> bool| text.find(|c| !part(c)).unwrap_or(text.len());
    if c.is_ascii_digit() {
        return Some((
            TokenKind::Number,
            end(|c| is_word(c) || matches!(c, '.' | '\'')),
        ));
    }
    if is_word(c) {
        let word = &text[..end(is_word)];
        let raw = word.ends_with('R') && text[word.len()..].starts_with('"');
        return (!raw).then_some((TokenKind::Word(word), word.len()));
    }
    Some((TokenKind::Sign(c), c.len_utf8()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that move into the loop that begins on the line with `for (i`, where `t` and `w` are private and
    /// declared on the first lines that have their names.
    fn moves(text: &str) -> Option<(Vec<usize>, Vec<String>)> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let at = lines.iter().position(|l| l.contains("for (i")).unwrap();
        let declared = |name: &&str| lines.iter().any(|l| has_word(l, name));
        let of = |name: &str| Declaration {
            name: name.to_owned(),
            line: lines.iter().position(|l| has_word(l, name)).unwrap() as u32 + 1,
        };
        let all: Vec<Declaration> = ["t", "w"].into_iter().filter(declared).map(of).collect();
        let tokens = lex(&lines)?;
        movable(&tokens, at, &all).map(|m| (m.lines, m.names))
    }

    fn function(declarations: &str, body: &str, behind: &str) -> String {
        format!(
            "void f(int n)\n{{\n{declarations}  for (i = 0; i < n; i++) {{\n{body}  }}\n{behind}}}\n"
        )
    }

    #[test]
    fn what_only_the_loop_uses_moves() {
        for (declarations, body) in [
            ("  double t;\n", "    t = a[i];\n"),
            (
                "  unsigned long t; /* \"half\" of it */\n",
                "    t = a[i];\n",
            ),
            ("  struct pair *t;\n", "    t = &a[i];\n"),
            ("  double t, w[3][N];\n", "    t = w[0][1] = a[i];\n"),
            (
                "  real t;\n  int i;\n  p.t = 4; q->w = 2;\n",
                "    t = a[i];\n",
            ),
        ] {
            let text = function(declarations, body, "  g();\n");
            let (lines, names) = moves(&text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(lines, [2]);
            let both = declarations.contains(", w");
            assert_eq!(names.len(), 1 + usize::from(both), "{text}");
        }
        let two = function("  double t;\n  double w;\n", "    t = w = a[i];\n", "");
        assert_eq!(moves(&two).unwrap().0, [2, 3]);
    }

    #[test]
    fn what_something_else_may_use_stays() {
        let body = "    t = a[i];\n";
        for (declarations, body, behind) in [
            // Used outside, before and behind, or in the head of the loop.
            ("  double t;\n", body, "  use(t);\n"),
            ("  double t;\n  use(&t);\n", body, ""),
            ("  double t;\n", body, "  for (t = 0;;) {\n  }\n"),
            // Not a plain declaration of it alone.
            ("  double t = 0;\n", body, ""),
            ("  static double t;\n", body, ""),
            ("  double t, s;\n", body, ""),
            ("  double t; g();\n", body, ""),
            ("  double\n    t;\n", body, ""),
            ("  double t[n];\n", body, ""),
            ("  int (*t)(void);\n", body, ""),
            ("  std::size_t t;\n", body, ""),
            ("  return t;\n", body, ""),
            // What the preprocessor may do.
            ("  double t;\n#ifdef A\n", body, "#endif\n"),
            ("#define USE g(t)\n  double t;\n", body, ""),
            ("  double t;\n", body, "  USE_ALL(n);\n"),
            ("  double t;\n", body, "  USE_ALL\n  g();\n"),
            ("  double t;\n  g(\\\n1);\n", body, ""),
            // Its block ends before the loop.
            ("  {\n  double t;\n  }\n", body, ""),
            ("  { double s;\n  double t;\n  s = 1; }\n", body, ""),
        ] {
            let text = function(declarations, body, behind);
            assert_eq!(moves(&text), None, "{text}");
        }
        // Parameters of old style, and file scope.
        let old = "void f(t)\ndouble t;\n{\n  for (i = 0;;) {\n    t = 1;\n  }\n}\n";
        assert_eq!(moves(old), None);
        let global =
            "int g(void) {}\ndouble t;\nvoid f(void) {\n  for (i = 0;;) {\n    t = 1;\n  }\n}\n";
        assert_eq!(moves(global), None);
    }

    #[test]
    fn a_body_that_is_no_block_of_its_own_lines_takes_nothing() {
        for head in [
            "  for (i = 0; i < n; i++)\n    t = a[i];\n",
            "  for (i = 0; i < n; i++) { t = a[i];\n  }\n",
            "  for (i = 0; i < n; i++) { t = a[i]; }\n",
            "  for (i = 0; i < n; i++)\n    for (;;) {\n      t = a[i];\n    }\n",
        ] {
            let text = format!("void f(int n) {{\n  double t;\n{head}}}\n");
            assert_eq!(moves(&text), None, "{text}");
        }
        let next_line = "void f(int n) {\n  double t;\n  for (i = 0;\n       i < n; i++)\n  { // one\n    t = a[i];\n  }\n}\n";
        let lines: Vec<&str> = next_line.split_inclusive('\n').collect();
        assert_eq!(head_of(&lines[2..]), Some(2));
        assert_eq!(moves(next_line).unwrap().0, [1]);
    }

    #[test]
    fn names_leave_their_clause() {
        let directive = "#pragma omp parallel for firstprivate(b) private(a,t) reduction(+:s)";
        let without = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&n| n.to_owned()).collect();
            without_names(directive, &names)
        };
        assert_eq!(without(&[]), directive);
        assert_eq!(without(&["t"]), directive.replace(",t", ""));
        assert_eq!(without(&["t", "a"]), directive.replace(" private(a,t)", ""));
    }

    #[test]
    fn what_is_not_understood_has_no_tokens() {
        let lexed = |text: &str| lex(&text.split_inclusive('\n').collect::<Vec<_>>()).is_some();
        for text in ["R\"(x)\"", "\"open\n", "/* open", "a \\\nb", "// a \\\n b"] {
            assert!(!lexed(text), "{text}");
        }
        for text in [
            "1'000 + '\\'' + \"\\\"{\"",
            "#define A \\\n {\nint a;",
            "/* { \n */ é",
        ] {
            assert!(lexed(text), "{text}");
        }
    }
}
