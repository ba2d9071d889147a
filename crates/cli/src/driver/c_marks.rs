//! Marks in C and C++: `#pragma ompp ...` and `_Pragma("ompp ...")` become calls of `parascan.h`'s functions; lines
//! stay where they are.

use parascan_formats::c_text::{
    comment, is_raw_prefix, is_word, literal, logical_line, number, raw_string, splice, word,
};

use super::mark::{PhaseEnd, PhaseMark};

/// OpenMP's directives that stand alone, without a statement behind them; `target` does with the words of
/// [`TRANSFERS`].
const STANDALONE: &[&str] = &[
    "allocate",
    "assumes",
    "barrier",
    "begin",
    "cancel",
    "cancellation",
    "declare",
    "depobj",
    "end",
    "error",
    "flush",
    "interop",
    "nothing",
    "requires",
    "scan",
    "taskwait",
    "taskyield",
    "threadprivate",
];

/// What follows `target` in directives that only move data.
const TRANSFERS: &[&str] = &["enter", "exit", "update"];

/// The source with its marks translated; `None` if there are none. What is wrong becomes an `#error` at its place, so
/// that the compiler reports it exactly where the code is compiled.
pub fn translate(source: &[u8]) -> Option<Vec<u8>> {
    let mentioned = source.windows(4).any(|w| w == b"ompp");
    let mut lexer = Lexer::new(source, false);
    if mentioned {
        lexer.run();
    }
    lexer.marked.then_some(lexer.out)
}

/// What stands before a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextBefore {
    /// The end of a statement or the beginning of a block.
    Boundary,
    /// Something that the next statement belongs to.
    Inside,
}

struct Lexer<'a> {
    source: &'a [u8],
    at: usize,
    out: Vec<u8>,
    marked: bool,
    /// Inside of a directive, where `#` begins no other and lines end with a backslash.
    directive: bool,
    fresh_line: bool,
    before: TextBefore,
}

impl<'a> Lexer<'a> {
    fn new(source: &'a [u8], directive: bool) -> Self {
        Self {
            source,
            at: 0,
            out: Vec::with_capacity(source.len() + 256),
            marked: false,
            directive,
            fresh_line: true,
            before: TextBefore::Boundary,
        }
    }

    fn rest(&self) -> &'a [u8] {
        &self.source[self.at..]
    }

    fn copy(&mut self, length: usize) {
        self.out.extend(&self.rest()[..length]);
        self.at += length;
    }

    fn run(&mut self) {
        while let Some(&byte) = self.rest().first() {
            let rest = self.rest();
            if byte == b'\n' {
                self.fresh_line = true;
                self.copy(1);
            } else if byte.is_ascii_whitespace() {
                self.copy(1);
            } else if let Some(length) = splice(rest).or_else(|| comment(rest)) {
                self.copy(length);
            } else if !self.directive
                && self.fresh_line
                && (byte == b'#' || rest.starts_with(b"%:"))
            {
                self.directive_line();
            } else {
                self.token(byte);
            }
        }
    }

    fn token(&mut self, byte: u8) {
        self.fresh_line = false;
        let rest = self.rest();
        let after = std::mem::replace(&mut self.before, TextBefore::Inside);
        if is_word(byte) && !byte.is_ascii_digit() {
            let length = rest.iter().take_while(|&&b| is_word(b)).count();
            if &rest[..length] == b"_Pragma" && self.operator(after) {
                return;
            }
            let raw = is_raw_prefix(&rest[..length]);
            self.copy(length);
            if raw && self.rest().starts_with(b"\"") {
                let length = raw_string(self.rest());
                self.copy(length);
            }
        } else if byte.is_ascii_digit() {
            self.copy(number(rest));
        } else if matches!(byte, b'"' | b'\'') {
            self.copy(literal(rest));
        } else {
            if b";{}:".contains(&byte) {
                self.before = TextBefore::Boundary;
            }
            self.copy(1);
        }
    }

    /// A line that begins with `#`, with all its continuations.
    fn directive_line(&mut self) {
        let (length, text) = logical_line(self.rest());
        let line = &self.rest()[..length];
        let text = text.trim_start();
        let text = text.strip_prefix('#').or_else(|| text.strip_prefix("%:"));
        let (name, rest) = word(text.unwrap_or_default());
        let (first, rest) = word(rest);
        if name == "pragma" && first == "ompp" {
            let call = match PhaseMark::parse(rest) {
                Err(message) => format!("#error {message}"),
                Ok(_) if self.before == TextBefore::Inside => {
                    "#error ompp: a mark stands between statements, not before the one that something else belongs to"
                        .to_owned()
                }
                Ok(mark) => call(&mark),
            };
            self.replace(length, &call);
            self.before = TextBefore::Boundary;
            return;
        }
        if name == "pragma" && first == "omp" && takes_statement(rest) {
            self.before = TextBefore::Inside;
        }
        if name == "define" {
            let mut inner = Lexer::new(line, true);
            inner.run();
            self.marked |= inner.marked;
            self.out.extend(inner.out);
            self.at += length;
        } else {
            self.copy(length);
        }
    }

    /// `_Pragma("ompp ...")`, if it is one. In a macro nothing is known of what stands before it.
    fn operator(&mut self, after: TextBefore) -> bool {
        let mut end = self.at + "_Pragma".len();
        let mut skip = |what: &[u8]| {
            let rest = &self.source[end..];
            let blank = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
            let found = rest[blank..].starts_with(what);
            end += blank + if found { what.len() } else { 0 };
            (found, end)
        };
        let (true, open) = skip(b"(") else {
            return false;
        };
        let start = open
            + self.source[open..]
                .iter()
                .take_while(|b| b.is_ascii_whitespace())
                .count();
        if self.source.get(start) != Some(&b'"') {
            return false;
        }
        let stop = start + literal(&self.source[start..]);
        let close = stop
            + self.source[stop..]
                .iter()
                .take_while(|b| b.is_ascii_whitespace())
                .count();
        if self.source.get(close) != Some(&b')') || stop < start + 2 {
            return false;
        }
        let text = String::from_utf8_lossy(&self.source[start + 1..stop - 1]).replace("\\\"", "\"");
        let (first, rest) = word(&text);
        if first != "ompp" {
            return false;
        }
        let call = match PhaseMark::parse(rest) {
            Err(message) => format!("_Static_assert(0, \"{message}\");"),
            Ok(_) if after == TextBefore::Inside && !self.directive => {
                "_Static_assert(0, \"ompp: a mark stands between statements\");".to_owned()
            }
            Ok(mark) => call(&mark),
        };
        self.replace(close + 1 - self.at, &call);
        self.before = TextBefore::Boundary;
        true
    }

    /// Puts text in the place of the next bytes, and as many ends of lines behind it as they have.
    fn replace(&mut self, length: usize, text: &str) {
        let lines = self.rest()[..length]
            .iter()
            .filter(|&&b| b == b'\n')
            .count();
        self.out.extend(text.as_bytes());
        for _ in 0..lines {
            self.out
                .extend(if self.directive { &b"\\\n"[..] } else { b"\n" });
        }
        self.at += length;
        self.marked = true;
    }
}

/// Whether an OpenMP directive, without `omp`, needs a statement behind it.
fn takes_statement(directive: &str) -> bool {
    let (name, rest) = word(directive);
    let alone = match name {
        "target" => TRANSFERS.contains(&word(rest).0),
        "ordered" => ["depend", "doacross"].contains(&word(rest).0),
        _ => STANDALONE.contains(&name),
    };
    !alone
}

fn call(mark: &PhaseMark) -> String {
    let edge = match mark.edge {
        PhaseEnd::Begin => "begin",
        PhaseEnd::End => "end",
    };
    format!("parascan_phase_{edge}(\"{}\");", mark.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(source: &str) -> Option<String> {
        let result = translate(source.as_bytes()).map(|t| String::from_utf8(t).unwrap());
        if let Some(text) = &result {
            assert_eq!(
                text.matches('\n').count(),
                source.matches('\n').count(),
                "{source}"
            );
        }
        result
    }

    #[test]
    fn pragmas_become_calls_in_their_lines() {
        for (source, expected) in [
            (
                "{\n#pragma ompp phase start\n x;\n",
                "{\nparascan_phase_begin(\"phase\");\n x;\n",
            ),
            (
                "a;\n  #  pragma\tompp phase end st // x\n}",
                "a;\n  parascan_phase_end(\"st\");\n}",
            ),
            (
                "a;\n#pragma ompp /* 1\n2 */ phase \\\n end \"a b\"\n",
                "a;\nparascan_phase_end(\"a b\");\n\n\n",
            ),
            (
                "a;\r\n#pragma ompp phase end\r\nb;",
                "a;\r\nparascan_phase_end(\"phase\");\nb;",
            ),
            (
                "int c = 1'000; u8R\"x(\n#pragma ompp phase end\n)\" )x\"; L'\\''; // '\n%:pragma ompp phase end",
                "int c = 1'000; u8R\"x(\n#pragma ompp phase end\n)\" )x\"; L'\\''; // '\nparascan_phase_end(\"phase\");",
            ),
            (
                "#pragma omp barrier\n#pragma ompp phase end\n",
                "#pragma omp barrier\nparascan_phase_end(\"phase\");\n",
            ),
            (
                "a; _Pragma(\"ompp phase start \\\"a b\\\"\") b",
                "a; parascan_phase_begin(\"a b\"); b",
            ),
            (
                "#define X f(x) _Pragma( \"ompp phase end\" ) \\\n y\n",
                "#define X f(x) parascan_phase_end(\"phase\"); \\\n y\n",
            ),
        ] {
            assert_eq!(translated(source).as_deref(), Some(expected));
        }
    }

    #[test]
    fn what_is_no_mark_stays() {
        for source in [
            "",
            "int ompp;",
            "// \\\n#pragma ompp phase start\n",
            "/*\n#pragma ompp phase start\n*/",
            "\"\\\n#pragma ompp phase start\\\n\"",
            "#pragma omppx phase start\n",
            "#pragma omp ompp\n",
            "#define ompp(x) #x \\\n#pragma ompp phase start\n",
            "_Pragma(\"omp ompp\") x \"_Pragma(\\\"ompp phase start\\\")\"",
            "_Pragma",
            "_Pragma(\"ompp",
            "R\"ompp",
            "'ompp",
            "/*ompp",
            "ompp\\",
        ] {
            assert_eq!(translated(source), None, "{source}");
        }
    }

    #[test]
    fn wrong_marks_are_errors_in_their_lines() {
        for source in [
            "a;\n#pragma ompp phase begin\n",
            "a;\n#pragma ompp\n",
            "for (;;)\n#pragma ompp phase start\n",
            "if (a) b; else\n#pragma ompp phase start\n",
            "a;\n#pragma omp parallel\n#pragma ompp phase start\n{",
            "a;\n#pragma omp target data map(a)\n#pragma ompp phase start\n{",
        ] {
            let text = translated(source).unwrap();
            let line = text.lines().find(|l| l.starts_with("#error ompp: "));
            assert!(line.is_some(), "{text}");
        }
        for source in ["a; _Pragma(\"ompp x\")", "do _Pragma(\"ompp phase start\")"] {
            assert!(
                translated(source)
                    .unwrap()
                    .contains("_Static_assert(0, \"ompp: ")
            );
        }
    }
    #[test]
    fn text_that_ends_anywhere_keeps_its_lines() {
        let source = "#define M(x) _Pragma(\"ompp phase \\\n end\") \\\n 'a'\n/* ompp\n */ R\"-(\n)-\" '\\'' \"\\\"\" 1'0 // \\\n\n\
            ;\n#pragma ompp /*\n*/ phase start \"é\" \\\r\n\n_Pragma ( \"ompp phase end\" \n)\n";
        for (end, _) in source.char_indices() {
            translated(&source[..end]);
            translated(&source[end..]);
        }
        let whole = translated(source).unwrap();
        assert!(whole.contains("parascan_phase_begin(\"é\");"), "{whole}");
    }
}
