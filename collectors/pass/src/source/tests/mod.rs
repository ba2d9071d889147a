//! Statements and data flow of loops, without LLVM.

mod nests;

use parascan_formats::source::{ObstacleKind, Sharing, SharingDoubt, Statement};

use super::allocated;
use super::file;
use super::flow;
use super::functions;
use super::read::{
    AccessKind, Allocated, SourceAccess, SourceBlock, SourceFunction, SourceLoop, SourceVariable,
};
use super::text;
use super::within;

fn at(text: &str, line: u32, column: u32) -> Option<text::LoopStatement> {
    let last = text.lines().count() as u32;
    let end = text.lines().last().map_or(1, |l| l.len() as u32);
    text::at(
        &file::SourceText::new(text.to_owned()),
        line,
        column,
        (last, end),
    )
}

fn statement(text: &str) -> text::LoopStatement {
    at(text, 1, 1).unwrap()
}

#[test]
fn canonical_headers_pass() {
    for (header, index) in [
        ("for (i = 0; i < n; i++) {}", "i"),
        ("for (int i = lo(1, 2); n - 1 >= i; i += 2) {}", "i"),
        ("for (std::size_t k{}, i = 0; i < n; ++i) {}", ""),
        ("for (unsigned i = n; i > 0; i = i - step) {}", "i"),
        ("for (double *p = a; p != a + n; ++p) {}", "p"),
        ("for (j=1;j<n[1]-1;j++) a[j] = 1;", "j"),
        ("for (c = 'a'; c <= ')'; c++) h[c]++;", "c"),
        ("for (i = 0; i < strlen(\"a;b)\"); i++) {}", "i"),
        ("for (i = 0; i < 1'000'000; i++) {}", "i"),
        ("for (i = 0; i < MIN(n, m); i++) {}", "i"),
        ("for (i = 0; i < (n < m && f ? n : m); i++) {}", "i"),
        ("for (i = n; i != 0; i--) {}", "i"),
        ("for (i = 0; i < o->n; i += o->block) {}", "i"),
        ("for (i = n; (n) < (i); i -= o->block) {}", "i"),
        ("for (decltype(v.size()) i = 0; (i) < (n); i++) {}", "i"),
        ("for (__typeof__ (n) i = 0; i < n; i++) {}", "i"),
        (
            "for /* rows */ (i = 0; // from the first\n i <= end->last; i = 2 + i)",
            "i",
        ),
    ] {
        let found = statement(header);
        assert_eq!(found.statement, Statement::For, "{header}");
        if index.is_empty() {
            assert_eq!(found.problems, [ObstacleKind::Init], "{header}");
        } else {
            assert_eq!(found.index.as_deref(), Some(index), "{header}");
            assert!(found.problems.is_empty(), "{header}: {:?}", found.problems);
        }
    }
}

#[test]
fn other_headers_do_not() {
    use ObstacleKind::{Init, Step, Test};
    for (header, problem) in [
        ("for (; i < n; i++)", Init),
        ("for (i = 0, j = 1; i < n; i++)", Init),
        ("for (s.i = 0; s.i < n; s.i++)", Init),
        ("for (decltype(n) *p(0) = 0; i < n; i++)", Init),
        ("for (*p = 0; *p < n; ++*p)", Init),
        ("for (i = 0; ; i++)", Test),
        ("for (i = 0; i * i < n; i++)", Test),
        ("for (i = 0; i < n && !done; i++)", Test),
        ("for (i = 0; (size_t)i < n; i++)", Test),
        ("for (i = 0; i < n - i; i++)", Test),
        ("for (i = 0; i != n; i += 2)", Test),
        ("for (i = n - 1; i < n; i--)", Test),
        ("for (i = n - 1; i != -1u; --i)", Test),
        ("for (i = n - 1; i != '0'; --i)", Test),
        ("for (i = 0; i < n < m ? n : m; i++)", Test),
        ("for (i = 0; i < n, more(); i++)", Test),
        ("for (i = 0; 0 < i; i++)", Test),
        ("for (i = 0; a[i]; i++)", Test),
        ("for (i = 0; i < n; i++, j++)", Step),
        ("for (i = 1; i < n; i *= 2)", Step),
        ("for (i = 1; i < n; i += i)", Step),
        ("for (i = 0; i < n;)", Step),
        ("for (p = list; p != end; p = p->next)", Test),
    ] {
        assert!(statement(header).problems.contains(&problem), "{header}");
    }
    assert_eq!(statement("while (1) {}").statement, Statement::While);
    assert_eq!(statement("do x(); while (1);").statement, Statement::Do);
    assert_eq!(
        statement("for (auto &x : v) {}").statement,
        Statement::RangeFor
    );
    assert_eq!(at("LOOP(i, n) {}", 1, 1), None);
    assert_eq!(at("x", 3, 1), None);
}

#[test]
fn other_names_of_a_variable_are_seen() {
    let aliased = |text: &str| {
        file::SourceText::new(text.to_owned())
            .aliased()
            .contains("sum")
    };
    for text in [
        "static double *const p = &sum;",
        "double sum; double &r = sum;",
        "static const struct { double *p; } table = { &sum };",
        "extern double other __attribute__((alias(\"sum\")));",
        "constexpr int *first = sum;\n",
        "static int &r(sum);",
        "static int &r =\n  sum;",
        "int &r\n{sum};",
        "#define SUM sum\nint &r = SUM;",
        "void f() { if (int &r = sum; r) { } }",
        "int (&r)[3] = sum;",
        "int a = 1, &r(sum);",
        "[[maybe_unused]] decltype(x) &r = sum;",
        "struct S { T &&r{sum}; };",
        "void f() { auto &[a, b] = sum; }",
        "struct S { int n; int g() { return n; } };\nint &&r = (int &&)sum;",
        "#define REFER(r, v) static int &r = v\nREFER(r, sum);",
        "extern double other\n  __attribute__((alias(\n\"sum\")));",
    ] {
        assert!(aliased(text), "{text}");
    }
    for text in [
        "double sum = 0;",
        "const double last = sum;",
        "double &r = summand;",
        "total = a & b; x = sum;",
        "if (a && b == sum) f(&sum);",
        "const char *name = \"the sum\";",
        "int &f(int sum); int &g(const T &sum) { return h(sum); }",
        "T &operator=(const T &t) { sum = t.n; return *this; }\nint k;",
        "void f() { const int n = 3; int *p; p = g(sum); }",
        "void f() { if (x & g(sum)) x = y & g(sum); return x & g(sum); }",
        "const double *f(int n) { return g(sum); }",
        "#define ADD(r, v) r += v\nvoid f() { ADD(r, sum); }",
    ] {
        assert!(!aliased(text), "{text}");
    }
}

#[test]
fn ways_out_that_are_never_taken_are_seen() {
    let leaves = |body: &str| statement(&format!("for (i = 0; i < n; i++) {body}")).leaves;
    assert!(leaves("{ if (0) break; a[i] = 1; }"));
    assert!(leaves("{ if (DEBUG) return; }"));
    assert!(leaves("{ if (DEBUG) goto out; }"));
    assert!(leaves("{ if (x) goto next; a[i] = x ? next : 1; }"));
    assert!(!leaves("{ if (x) goto next; a[i] = 1; next:; }"));
    assert!(!leaves("{ puts(\"goto x\"); /* return */ }"));
    assert!(!leaves("{ while (x) break; }"));
    assert!(!leaves("{ f([&](int x) { return x; }); }"));
    assert!(!leaves("{ a[i] = breaks + returned; } // return"));
}

#[test]
fn ways_out_belong_to_the_statement_that_they_leave() {
    let leaves = |body: &str| statement(&format!("for (i = 0; i < n; i++) {body}")).leaves;
    for body in [
        "{ for (k = 0; k < 3; k++) s += k; if (DEBUG) break; }",
        "{ for (k = 0; k < 3; k++) s += k; else_(); do s--; while (s > 3); break; }",
        "{ switch (a[i]) { case 0: break; } if (DEBUG) break; }",
        "if (a[i]) while (x) break; else break;",
        "{ int *q = new int[4](); if (DEBUG) return -1; delete[] q; }",
        "{ auto f = [](int x) { return x; }; if constexpr (B) return -1; }",
        "{ if (x) [[unlikely]] { return; } }",
        "{ if (x) [[unlikely]] { break; } for (;;) {} }",
        "{ FOREACH(x, list) { if (x) break; } }",
        "{ s += ({ if (DEBUG) break; 1; }); }",
        "{ try { f(); } catch (...) { break; } }",
        "{ case 3: a[i] = 1; }",
        "{ goto *labels[i]; }",
        "{ TRY(f(), return); }",
        "try { f(); } catch (int) { while (x) {} } catch (...) { break; }",
    ] {
        assert!(leaves(body), "{body}");
    }
    for body in [
        "{ for (auto &x : v) if (x) break; else continue; }",
        "{ do { if (x) break; } while (y); switch (x) { default: break; case 1: while (z) break; } }",
        "{ for (j = 0; j < 3; j++) for (k = 0; k < 3; k++) { if (x) { break; } else break; } }",
        "{ while (x) if (y) break; else if (z) break; else { break; } }",
        "{ auto f = [&, n = a[i]](int x) mutable -> int { if (x) return 1; return 2; }; f(3); }",
        "{ g([this] { return 1; }, [=](auto x) noexcept { return x; }); }",
        "{ struct less { bool operator()(int a, int b) { return a < b; } }; sort(v, less{}); }",
        "{ switch (x) { case A::B: { break; } case 1 ? 2 : 3: break; } }",
        "{ s += ({ int k; while (x) break; k; }); }",
        "{ s += _Generic(s, int: 1, default: 2); again: if (s < 3) goto again; }",
    ] {
        assert!(!leaves(body), "{body}");
    }
}

#[test]
fn ways_out_in_macros_are_seen() {
    let leaves = |define: &str, body: &str| {
        let text = format!("{define}\nfor (i = 0; i < n; i++) {{ {body} }}\n");
        at(&text, text.lines().count() as u32, 1).unwrap().leaves
    };
    let check = "#define CHECK(c) do { if (DEBUG && !(c)) return -1; } while (0)";
    assert!(leaves(check, "CHECK(i > 0);"));
    assert!(leaves(check, "switch (i) { default: CHECK(i > 0); }"));
    assert!(!leaves(check, "f([&] { CHECK(i > 0); });"));
    assert!(!leaves(check, "CHECKED(i > 0);"));
    let stop = "#define STOP if (DEBUG) break\n#define OUT STOP";
    assert!(leaves(stop, "OUT;"));
    assert!(!leaves(stop, "while (x) OUT;"));
    assert!(leaves("#define BAIL \\\n  goto fail", "BAIL;"));
    assert!(leaves(
        "#define FIND(x) while (1) { if (x) break; } break",
        "FIND(i);"
    ));
    assert!(!leaves(
        "#define FIND(x) while (1) { if (x) break; }",
        "FIND(i)"
    ));
    assert!(!leaves(
        "#define EACH(x, n) for (x = 0; x < n; x++)",
        "EACH(k, 4) { if (k) break; }"
    ));
    // The definition that counts is any one.
    assert!(leaves(
        "#ifdef D\n#define C return\n#else\n#define C\n#endif",
        "C;"
    ));
    assert!(leaves("#define A B return\n#define B A", "A;"));
}

#[test]
fn names_that_clauses_cannot_mean_are_seen() {
    let doubtful_name = |text: &str, name: &str, exact| {
        let line = text.lines().position(|l| l.starts_with("for (")).unwrap();
        let last = text.lines().count() as u32;
        let end = text.lines().last().map_or(1, |l| l.len() as u32);
        let source = file::SourceText::new(text.to_owned());
        let statement = text::at(&source, line as u32 + 1, 1, (last, end));
        text::doubtful(&source, statement.as_ref(), name, exact)
    };
    let doubtful = |text: &str| doubtful_name(text, "sum", false);
    for text in [
        "for (i = 0; i < n; i++) ::sum += a[i];",
        "for (i = 0; i < n; i++) { sum += a[i]; b[i] = Q::sum; }",
        "for (i = 0; i < n; i++) s.sum += a[i];",
        "#define S (::sum)\nfor (i = 0; i < n; i++) S += sum;",
        "for (i = 0; i < n; i++) r += a[i];",
        "#define sum total\nfor (i = 0; i < n; i++) sum += a[i];",
        "static int &r = sum;\nfor (i = 0; i < n; i++) sum += a[i];",
    ] {
        assert!(doubtful(text), "{text}");
    }
    for text in [
        "for (i = 0; i < n; i++) { s->sum = 1; sum += a[i]; }",
        "#define ADD(x) TO(x)\n#define TO(x) sum += x\nfor (i = 0; i < n; i++) ADD(a[i]);",
        "int f() { return ::sum; }\nfor (i = 0; i < n; i++) sum += std::max(a[i], 1);",
        "for (i = 0; i < n; i++) sum\n += a[i];",
    ] {
        assert!(!doubtful(text), "{text}");
    }
    // In a namespace: whether it is doubtful, and whether where others have its name.
    for (text, doubtful) in [
        ("for (i = 0; i < n; i++) sum += a[i];", [false, true]),
        ("for (i = 0; i < n; i++) in::sum += a[i];", [false, true]),
        (
            "for (i = 0; i < n; i++) app::in::sum += a[i];",
            [false, false],
        ),
        (
            "for (i = 0; i < n; i++) app::in::sum += sum;",
            [false, true],
        ),
        ("for (i = 0; i < n; i++) other::sum += sum;", [true, true]),
        (
            "for (i = 0; i < n; i++) other::in::sum += a[i];",
            [true, true],
        ),
        ("for (i = 0; i < n; i++) p::sum += a[i];", [true, true]),
        ("for (i = 0; i < n; i++) ::sum += a[i];", [true, true]),
        ("for (i = 0; i < n; i++) s.sum += a[i];", [true, true]),
        (
            "static int &r = sum;\nfor (i = 0; i < n; i++) sum += a[i];",
            [true, true],
        ),
    ] {
        let found = [false, true].map(|exact| doubtful_name(text, "app::in::sum", exact));
        assert_eq!(found, doubtful, "{text}");
    }
}

#[test]
fn macros_that_directives_would_be_made_of_are_seen() {
    let found = |text: &str| {
        let source = file::SourceText::new(text.to_owned());
        source.scopes().in_directives()
    };
    assert_eq!(found("#define private static\n"), Some("private"));
    assert_eq!(found("#define private(x) x\n"), Some("private"));
    assert_eq!(found("x();\n # define max 3\n#undef max\n"), Some("max"));
    assert_eq!(found("#define for if (0) {} else for\n"), Some("for"));
    for text in [
        "#define max(a, b) ((a) > (b) ? (a) : (b))\n",
        "#define LOOP for\n",
        "// #define private static\n",
        "#ifdef private\n#undef private\n#endif\n",
    ] {
        assert_eq!(found(text), None, "{text}");
    }
}

#[test]
fn structured_bindings_that_a_loop_names_are_seen() {
    let names = |text: &str| {
        let line = text.lines().position(|l| l.starts_with("for (")).unwrap();
        let column = text.lines().nth(line).map_or(1, str::len) as u32;
        let source = file::SourceText::new(text.to_owned());
        let end = (line as u32 + 1, column);
        let statement = text::at(&source, line as u32 + 1, 1, end).unwrap();
        source.scopes().bindings(statement.text).count()
    };
    for declared in [
        "auto [x, y] = q;",
        "auto const &[x, y] = q;",
        "const auto& [x] = q;",
        "auto volatile const [y, x]{q};",
        "auto [x, y] = q; auto f = [=](int n) {",
        "for (auto const &[k, x] : m) {",
        "for (auto &[k, x] : m)",
        "if (auto [x, y] = q; y)",
    ] {
        let text = format!("void f() {{ {declared}\nfor (i = 0; i < n; i++) a[i] += x;\n}} }} }}");
        assert_eq!(names(&text), 1, "{declared}");
    }
    for declared in [
        "{ auto [x, y] = q; }",
        "for (auto [k, x] : m) { x++; }",
        "for (auto [k, x] : m) for (;;) x++;",
        "if (auto [x, y] = q; y) x++; else { x--; }",
        "} void g() { auto [x, y] = q; } void f() {",
        "} auto [x, y] = q; void f() {",
        "auto [z, y] = q;",
    ] {
        let text = format!("void f() {{ {declared}\nfor (i = 0; i < n; i++) a[i] += x;\n}} }}");
        assert_eq!(names(&text), 0, "{declared}");
    }
    assert_eq!(
        names("void f() { auto [x] = q;\nfor (i = 0; i < n; i++) a[i].x = p->x;\n}"),
        0
    );
}

#[test]
fn lines_with_other_numbers_are_seen() {
    let renumbered = |text: &str| file::SourceText::new(text.to_owned()).is_renumbered();
    assert!(renumbered("int a;\n#line 12\n"));
    assert!(renumbered(" # 12 \"file.c\" 2\n"));
    assert!(renumbered("%:line 12\n"));
    assert!(!renumbered(
        "#define line 12\n// #line 3\n#ifdef A\n#endif\nline 12\n"
    ));
}

#[test]
fn what_the_compiler_reads_otherwise_is_seen() {
    let loops = |text: &str| {
        at(
            text,
            2,
            text.lines().nth(1).unwrap().find("for").unwrap() as u32 + 1,
        )
        .unwrap()
    };
    assert!(!loops("x(); /* two\n lines */ for (i = 0; i < n; i++) {}").starts_line);
    assert!(loops("x(); /* one */\n /* line */ for (i = 0; i < n; i++) {}").starts_line);
    let digraphs = loops("%:pragma unroll 2\nfor (i = 0; i < n; i++) <% a<:i:> = 1; %>");
    assert_eq!(digraphs.directive.as_deref(), Some("#pragma unroll 2"));
    assert!(!digraphs.leaves);
    assert!(loops("\nfor (i = 0; i < n; i++) { va_start(ap, n); }").arguments);
    assert!(!loops("\nfor (i = 0; i < n; i++) { va_copy(a, ap); }").arguments);
}

#[test]
fn the_last_line_of_a_loop_is_one_behind_which_lines_can_stand() {
    // `$` stands in front of what the compiler says is the loop's last word or sign.
    let last = |text: &str| {
        let mark = text.find('$').unwrap();
        let before = &text[..mark];
        let line = before.matches('\n').count() as u32 + 1;
        let column = (mark - before.rfind('\n').map_or(0, |n| n + 1)) as u32 + 1;
        let source = file::SourceText::new(text.replace('$', ""));
        text::at(&source, 1, 1, (line, column)).unwrap().last_line
    };
    assert_eq!(last("for (i = 0; i < n; i++) {\n a[i] = 1;\n$}\nx;"), 3);
    assert_eq!(last("for (i = 0; i < n; i++) $}\n"), 0);
    assert_eq!(
        last("for (i = 0; i < n; i++)\n a[i] = f(\"}\", 1$)\n ; // }\nx;"),
        3
    );
    assert_eq!(
        last("for (i = 0; i < n; i++)\n if (a) {\n } else\n  if (b) x = $1;\n"),
        4
    );
    assert_eq!(
        last("for (i = 0; i < n; i++)\n for (j = 0; j < n; j++) {\n if (x) y; $}\n"),
        3
    );
    assert_eq!(last("for (i = 0; i < n; i++)\n $SET(a[i], (1));\nx;"), 2);
    // A macro that is the whole statement: the `;` is that of the next one.
    assert_eq!(last("for (i = 0; i < n; i++)\n $SET(a[i], (1))\nx;"), 0);
    // What follows on the line would come in between.
    assert_eq!(
        last("for (i = 0; i < n; i++) {\n$} /* x\n a\n */\n y;\n"),
        0
    );
    assert_eq!(
        last("for (i = 0; i < n; i++) {\n$} /* x\n/* a */\n y;\n"),
        0
    );
    assert_eq!(last("for (i = 0; i < n; i++) {\n$} // x \\\n a\n y;\n"), 0);
    assert_eq!(last("for (i = 0; i < n; i++) {\n$} x;\n"), 0);
    assert_eq!(last("for (i = 0; i < n; i++) {\n$} /* x\n */ y;\n"), 0);
    assert_eq!(last("for (i = 0; i < n; i++) {\n$} \\\n y;\n"), 0);
    // The text and the compiler do not agree.
    assert_eq!(last("for (i = 0; i < n; i++) EACH(j) {\n x;\n$}\ny;\n"), 0);
    assert_eq!(last("for (i = 0; i < n; i++) {\n x$;\n}\n"), 0);
    assert_eq!(last("for (i = 0; i < n; i++)\n if (a) $x; else y;\n"), 0);
    // The preprocessor decides.
    assert_eq!(
        last("for (i = 0; i < n; i++) {\n#if A\n x;\n#endif\n$}\ny;"),
        0
    );
}

#[test]
fn steps_are_read() {
    let step = |step: &str| {
        let text = format!("#define M 0x20000u\nfor (i = 0; i < n; {step}) {{}}\n");
        at(&text, 2, 1).unwrap().step
    };
    assert_eq!(step("i++"), Some(1));
    assert_eq!(step("i -= 1'000"), Some(1000));
    assert_eq!(step("i = 020 + i"), Some(16));
    assert_eq!(step("i += M"), Some(0x20000));
    assert_eq!(step("i += k"), None);
    assert_eq!(step("i += 2 * k"), None);
    // A macro of several definitions steps by one of them.
    let several = "#define M 2\n#undef M\n#define M 4\nfor (i = 0; i < n; i += M) {}\n";
    let several = at(several, 4, 1).unwrap();
    assert_eq!((several.step, several.only_step), (Some(4), None));
    assert_eq!(
        statement("for (i = n; 0 != i; i--) {}").relation,
        Some("!=")
    );
}

#[test]
fn values_of_an_index_between_two_numbers_are_counted() {
    let range = |init: &str, test: &str| {
        let text = format!("#define N 64\nfor ({init}; {test}; i++) {{}}\n");
        at(&text, 2, 1).unwrap().range
    };
    assert_eq!(range("i = 0", "i < 64"), Some(64));
    assert_eq!(range("int i = 1", "i <= N"), Some(64));
    assert_eq!(range("i = 0", "N != i"), Some(64));
    assert_eq!(range("i = 0", "i < n"), None);
    assert_eq!(range("i = k", "i < N"), None);
    assert_eq!(range("i = 0", "i < N - 1"), None);
}

#[test]
fn functions_that_the_compiler_may_compute_are_seen() {
    let text = "int f() { return 1; }\nconstexpr int\ng(int n) {\n}\nconstexpr int N = 3;\nint h(int n) {\n";
    let constexpr = |line| functions::is_constexpr(&file::SourceText::new(text.to_owned()), line);
    assert_eq!([1, 3, 6].map(constexpr), [false, true, false]);
    let above = |text: &str| {
        let line = text.lines().position(|l| l.contains("f(")).unwrap();
        functions::is_constexpr(&file::SourceText::new(text.to_owned()), line as u32 + 1)
    };
    assert!(above("constexpr\nNI\ndouble\nf(int n) {"));
    assert!(above("#define CX constexpr\nCX NI double f(int n) {"));
    assert!(above(
        "struct S {\nconsteval\n/* one\n; two */\nint\nf(\nint n) {"
    ));
    assert!(!above("constexpr int n = 2;\nNI\nint\nf(int n) {"));
    let lambda = |used: &str| {
        let text = format!("auto sq = [](int n) {{\nreturn n; }};\n{used}\n");
        functions::is_constexpr(&file::SourceText::new(text), 1)
    };
    assert!(lambda("static_assert(sq(4) == 4);"));
    assert!(lambda("constexpr int four = 2 + sq(2);"));
    assert!(!lambda("constexpr int four = 4; int i = sq(2);"));
    assert!(lambda("enum { A, B = sq(2) };"));
    assert!(lambda("std::array<int, sq(3)> a;"));
    assert!(lambda("switch (i) { case sq(2): return 1; }"));
    assert!(lambda("int a[sq(2)];"));
    assert!(!lambda("bool b = i < n && f(i, sq(n));"));
}

#[test]
fn what_stands_above_is_seen() {
    let text = "#pragma omp for \\\n  schedule(static)\n\n  // rows\n  for (i = 0; i < n; i++) {}\nx(); for (i = 0; i < n; i++) {}\n";
    let first = at(text, 5, 3).unwrap();
    assert_eq!(first.directive.as_deref(), Some("#pragma omp for"));
    assert!(first.starts_line);
    let second = at(text, 6, 6).unwrap();
    assert_eq!((second.directive, second.starts_line), (None, false));
}

#[test]
fn directives_above_are_seen_through_what_is_between() {
    let above = |text: &str| {
        let text = format!("{text}\nfor (i = 0; i < n; i++) {{}}\n");
        at(&text, text.lines().count() as u32, 1).unwrap().directive
    };
    let omp = Some("#pragma omp for".to_owned());
    for text in [
        "#ifdef _OPENMP\n#pragma omp for\n#endif",
        "#if A\nx();\n#elif B\n#pragma omp for\n#else\n#endif",
        "#if A\n#pragma omp for\n# if B\n# endif\n#endif\n#define K 1",
        "#pragma omp for\n#if A",
        "#pragma omp for\n#if A\nx();\n#else",
        "_Pragma(\"omp for\")",
        "x(); _Pragma(\"omp for\") /* rows */",
        "#define LOOP _Pragma(\"omp for\")\nx();\nLOOP",
        "#define LOOP(n) _Pragma(\"omp for\")\nLOOP(4)",
    ] {
        assert_eq!(above(text), omp, "{text}");
    }
    for text in [
        "[[likely]]",
        "__attribute__((opencl_unroll_hint(2)))",
        "SIMD",
        "SIMD(\"a)\")",
        "#define UNLIKELY [[unlikely]]\nUNLIKELY",
    ] {
        assert_eq!(above(text).as_deref(), text.lines().last(), "{text}");
    }
    for text in [
        "#ifdef A\n#pragma omp for\nx();\n#endif",
        "#pragma omp for\nx();",
        "x(); // #pragma omp for",
        "_Pragma(\"omp for\") for (j = 0; j < m; j++)",
        "#define CHECK x()\nCHECK",
        "CHECK(x);",
        "else",
        "f(x)",
        "A = (B)",
    ] {
        assert_eq!(above(text), None, "{text}");
    }
}

#[test]
fn loops_that_no_directive_can_stand_above_are_seen() {
    let part_of = |text: &str| {
        let line = text.lines().position(|l| l.starts_with("for (")).unwrap();
        at(text, line as u32 + 1, 1).unwrap().part_of
    };
    let time = Some("TIME".to_owned());
    let of_macro = "#define timed(x) { x }\nvoid f() { timed(g(\nfor (i = 0; i < n; i++) {}\n)); }";
    assert_eq!(part_of(of_macro).as_deref(), Some("timed"));
    for text in [
        "TIME(\nfor (i = 0; i < n; i++) {}\n)",
        "TIME(1, auto l = [&] {\nfor (i = 0; i < n; i++) {}\n};)",
    ] {
        assert_eq!(part_of(text), time, "{text}");
    }
    assert_eq!(
        part_of("x(); \\\nfor (i = 0; i < n; i++) {}"),
        Some(String::new())
    );
    for text in [
        "for_each(a, b, [&] {\nfor (i = 0; i < n; i++) {}\n});",
        "TEST(a, b) {\nfor (i = 0; i < n; i++) {}\n}",
        "char c = '('; TIME(x);\nfor (i = 0; i < n; i++) {}",
        "// TIME(\nfor (i = 0; i < n; i++) {}\n// )",
    ] {
        assert_eq!(part_of(text), None, "{text}");
    }
}

#[test]
fn names_that_stand_for_something_else_are_seen() {
    let other = |text: &str| {
        file::SourceText::new(text.to_owned())
            .scopes()
            .is_other("g")
    };
    for text in [
        "void f() { enum { a = 1, g }; }",
        "void f() { struct g { int q; }; }",
        "struct S { enum : int { g }; };",
        "void f() { using g = int; }",
        "void f() { typedef int g; }",
        "void f() { typedef int (*g)(int); }",
        "void f() { extern int h[2], g; }",
        "template <class T, int g = 3> void f() {}",
        "struct S : T { void g(); };",
        "class S { public: double g() const { return 1; } };",
    ] {
        assert!(other(text), "{text}");
    }
    for text in [
        "double g; void f() { g = 1; h(g); }",
        "extern \"C\" { extern double g; } namespace n { extern int g; }",
        "struct g { int n; } g;",
        "void f() { struct g *p = &g; }",
        "enum color f(int a) { h(1, g); }",
        "struct S f(int a) { g(); }",
        "struct S { int n = 3; } s = { g };",
        "enum class E { g };",
        "void f() { e(\"enum { g }\"); }",
    ] {
        assert!(!other(text), "{text}");
    }
}

#[test]
fn functions_for_other_processors_are_seen() {
    let target = |text: &str| {
        let line = text.lines().position(|l| l.contains("f(")).unwrap();
        functions::has_target(&file::SourceText::new(text.to_owned()), line as u32 + 1)
    };
    assert!(target(
        "__attribute__((target(\"avx2\")))\nstatic void f(int n) {\n}"
    ));
    assert!(target(
        "#define AVX __attribute__((target(\"avx2\")))\nAVX void f(int n) {}"
    ));
    assert!(target("#pragma GCC target(\"avx2\")\nvoid f(int n) {}"));
    assert!(!target("#pragma omp target\nint target;\nvoid f(int n) {}"));
    let vectors = |body: &str| statement(&format!("for (i = 0; i < n; i++) {body}")).vectors;
    assert!(vectors("a[i] = _mm256_add_ps(a[i], b);"));
    assert!(!vectors("a[i] = mm256(b);"));
}

/// Four bytes of variable `v` at an offset.
fn access(kind: AccessKind, v: usize, offset: u64) -> SourceAccess {
    SourceAccess {
        kind,
        variable: Some(v),
        offset: Some(offset),
        bytes: 4,
        line: 7,
        ..SourceAccess::default()
    }
}

/// Blocks: 0 before, 1 header, 2 body, 3 one side of a branch in the body, 4 latch, 5 after.
fn sharing(bytes: u64, accesses: &[(usize, AccessKind, u64)]) -> Option<Sharing> {
    let mut blocks: Vec<SourceBlock> = [&[1][..], &[2, 5], &[3, 4], &[4], &[1], &[]]
        .iter()
        .map(|successors| SourceBlock {
            successors: successors.to_vec(),
            ..SourceBlock::default()
        })
        .collect();
    for &(block, kind, offset) in accesses {
        blocks[block].accesses.push(access(kind, 0, offset));
    }
    let function = SourceFunction {
        infinite: false,
        blocks,
        variables: vec![SourceVariable {
            name: "t".into(),
            bytes,
            integer: true,
            shape: if bytes > 4 { 3 } else { 0 },
            ..SourceVariable::default()
        }],
        loops: Vec::new(),
    };
    let l = SourceLoop {
        header: 1,
        blocks: vec![1, 2, 3, 4],
        ..SourceLoop::default()
    };
    let source = flow::source(
        &within::LoopInFunction::new(&function, &l, None, &|_, _| false),
        None,
    );
    source.variables.first().map(|v| v.sharing)
}

#[test]
fn scalars() {
    use AccessKind::{Escape, Lifetime, Read, Write};
    let t = |accesses: &[(usize, AccessKind, u64)]| sharing(4, accesses);
    assert_eq!(t(&[(2, Read, 0)]), None);
    assert_eq!(t(&[(2, Write, 0), (2, Read, 0)]), Some(Sharing::Private));
    assert_eq!(
        t(&[(2, Write, 0), (4, Read, 0), (5, Read, 0)]),
        Some(Sharing::LastPrivate)
    );
    let carried = Some(Sharing::Unknown(SharingDoubt::Carried));
    assert_eq!(t(&[(2, Read, 0), (2, Write, 0)]), carried);
    assert_eq!(t(&[(3, Write, 0), (4, Read, 0)]), carried);
    assert_eq!(t(&[(3, Write, 0), (3, Read, 0)]), Some(Sharing::Private));
    let conditional = Some(Sharing::Unknown(SharingDoubt::Conditional));
    assert_eq!(t(&[(3, Write, 0), (5, Read, 0)]), conditional);
    assert_eq!(
        t(&[(3, Write, 0), (5, Write, 0), (5, Read, 0)]),
        Some(Sharing::Private)
    );
    assert_eq!(
        t(&[(3, Write, 0), (5, Lifetime, 0), (5, Read, 0)]),
        Some(Sharing::Private)
    );
    let escapes = Some(Sharing::Unknown(SharingDoubt::Escapes));
    assert_eq!(t(&[(0, Escape, 0), (2, Write, 0)]), escapes);
    assert_eq!(t(&[(2, Escape, 0)]), escapes);
}

#[test]
fn structures_by_member() {
    use AccessKind::{Read, Write};
    let t = |accesses: &[(usize, AccessKind, u64)]| sharing(8, accesses);
    let both = [(2, Write, 0), (2, Write, 4), (4, Read, 0), (4, Read, 4)];
    assert_eq!(t(&both), Some(Sharing::Private));
    assert_eq!(
        t(&[(2, Write, 0), (4, Read, 0), (4, Read, 4)]),
        Some(Sharing::FirstPrivate)
    );
    assert_eq!(
        t(&[(2, Write, 0), (4, Read, 4), (4, Write, 4)]),
        Some(Sharing::Unknown(SharingDoubt::Carried))
    );
    // The last iteration's copy would carry a member that it never set.
    assert_eq!(
        t(&[(2, Write, 0), (5, Read, 0), (5, Read, 4)]),
        Some(Sharing::Unknown(SharingDoubt::Conditional))
    );
    assert_eq!(
        t(&[(2, Write, 0), (2, Write, 4), (5, Read, 4)]),
        Some(Sharing::LastPrivate)
    );
}

/// Obstacles of a loop that steps `i` (1) in front of which line 7 does something: blocks with their successors, which
/// go on from the header 1 to the latch 4, and accesses of `t` (0) and `p` (2).
fn obstacles(
    successors: &[&[usize]],
    accesses: &[(usize, SourceAccess)],
) -> Vec<(ObstacleKind, String)> {
    let mut blocks: Vec<SourceBlock> = successors
        .iter()
        .map(|s| SourceBlock {
            successors: s.to_vec(),
            ..SourceBlock::default()
        })
        .collect();
    for (block, access) in accesses {
        blocks[*block].accesses.push(access.clone());
    }
    blocks[4].accesses.push(access(AccessKind::Write, 1, 0));
    let variables = ["t", "i", "p"].map(|name| SourceVariable {
        name: name.into(),
        bytes: 4,
        integer: true,
        ..SourceVariable::default()
    });
    let function = SourceFunction {
        infinite: false,
        blocks,
        variables: variables.to_vec(),
        loops: Vec::new(),
    };
    let l = SourceLoop {
        header: 1,
        blocks: vec![1, 2, 3, 4],
        line: 7,
        ..SourceLoop::default()
    };
    let text = text::LoopStatement {
        starts_line: true,
        ..statement("for (i = f(t); i < n; i++) {}")
    };
    let source = flow::source(
        &within::LoopInFunction::new(&function, &l, Some(&text), &|_, _| false),
        Some(&text),
    );
    let all = source.obstacles.into_iter();
    all.map(|o| (o.kind, o.name)).collect()
}

#[test]
fn what_every_thread_would_evaluate() {
    use AccessKind::{Call, Read, Write};
    use ObstacleKind::{StartEffect, StartWritten};
    let found = |accesses: &[(usize, SourceAccess)]| {
        obstacles(&[&[1], &[2, 5], &[3, 4], &[4], &[1], &[]], accesses)
    };
    let t = |kind| access(kind, 0, 0);
    let p = |kind| SourceAccess {
        pointee: true,
        ..access(kind, 2, 0)
    };
    let call = |name: &str| SourceAccess {
        callee: name.into(),
        line: 7,
        kind: Call,
        ..SourceAccess::default()
    };
    let read = vec![(StartWritten, "t".to_owned())];
    assert_eq!(found(&[(0, t(Read))]), []);
    assert_eq!(found(&[(0, t(Read)), (3, t(Write))]), read);
    assert_eq!(found(&[(0, t(Write))]), [(StartEffect, "t".to_owned())]);
    assert_eq!(found(&[(0, p(Read)), (3, t(Write))]), []);
    let through = [(0, p(Read)), (3, p(Write))];
    assert_eq!(found(&through), [(StartWritten, "p".to_owned())]);
    assert_eq!(found(&[(0, call("f"))]), [(StartEffect, "f".to_owned())]);
    // A function of that name may be anybody's.
    let of_library = SourceAccess {
        library: true,
        ..call("size")
    };
    assert_eq!(found(&[(0, of_library)]), []);
    let size = [(StartEffect, "size".to_owned())];
    assert_eq!(found(&[(0, call("size"))]), size);
    let above = SourceAccess { line: 6, ..t(Read) };
    assert_eq!(found(&[(0, above), (3, t(Write))]), []);
}

#[test]
fn a_bound_may_have_a_condition_of_its_own() {
    use ObstacleKind::{BoundWritten, Exit};
    let read = (1, access(AccessKind::Read, 0, 0));
    let chosen: [&[usize]; 6] = [&[1], &[2, 3], &[3], &[4, 5], &[1], &[]];
    assert_eq!(obstacles(&chosen, std::slice::from_ref(&read)), []);
    let written = [read, (4, access(AccessKind::Write, 0, 0))];
    assert_eq!(
        obstacles(&chosen, &written),
        [(BoundWritten, "t".to_owned())]
    );
    // In another member of a structure.
    let body: [&[usize]; 6] = [&[1], &[2, 5], &[3, 4], &[4], &[1], &[]];
    let beside = |offset| {
        let write = (3, access(AccessKind::Write, 0, offset));
        obstacles(&body, &[written[0].clone(), write])
    };
    assert_eq!(beside(8), []);
    assert_eq!(beside(1), [(BoundWritten, "t".to_owned())]);
    let left: [&[usize]; 6] = [&[1], &[2, 5], &[3, 5], &[4], &[1], &[]];
    assert_eq!(obstacles(&left, &[]), [(Exit, String::new())]);
    let passed: [&[usize]; 6] = [&[1], &[2, 3], &[4], &[4, 5], &[1], &[]];
    assert_eq!(obstacles(&passed, &[]), [(Exit, String::new())]);
}

/// The lengths of arrays that a loop of blocks 2 and 3 reaches through `h` (0), whose memory block 1 takes for `n` (1)
/// elements and one more; it follows 0 and comes before 2, as `successors` says.
fn lengths(successors: &[&[usize]], accesses: &[(usize, SourceAccess)], text: &str) -> Vec<String> {
    let blocks = successors.iter().map(|s| SourceBlock {
        successors: s.to_vec(),
        ..SourceBlock::default()
    });
    let mut blocks: Vec<SourceBlock> = blocks.collect();
    let update = |kind| SourceAccess {
        pointee: true,
        bytes: 4,
        ..access(kind, 0, 0)
    };
    let followed = SourceAccess {
        followed: true,
        ..access(AccessKind::Read, 0, 0)
    };
    blocks[1].accesses.push(SourceAccess {
        line: 3,
        ..access(AccessKind::Write, 0, 0)
    });
    let all = [
        followed,
        update(AccessKind::Read),
        update(AccessKind::Write),
    ];
    blocks[3].accesses.extend(all);
    for (block, access) in accesses {
        blocks[*block].accesses.push(access.clone());
    }
    let variables = ["h", "n"].map(|name| SourceVariable {
        name: name.into(),
        bytes: 4,
        integer: name == "n",
        shape: u32::from(name == "h"),
        target: u32::from(name == "h"),
        target_bytes: 4,
        allocated: (name == "h").then_some(Allocated {
            block: 1,
            length: Some(1),
            offset: 1,
        }),
        ..SourceVariable::default()
    });
    let function = SourceFunction {
        infinite: false,
        blocks,
        variables: variables.to_vec(),
        loops: Vec::new(),
    };
    let l = SourceLoop {
        header: 2,
        blocks: vec![2, 3],
        line: 7,
        ..SourceLoop::default()
    };
    let statement = statement("for (i = 0; i < 9; i++) {}");
    let place = within::LoopInFunction::new(&function, &l, Some(&statement), &|_, _| false);
    let source = file::SourceText::new(text.to_owned());
    let found = allocated::arrays(&place, source.scopes());
    found.iter().map(|a| a.length().to_owned()).collect()
}

#[test]
fn lengths_of_arrays_behind_pointers_are_read() {
    let straight: [&[usize]; 5] = [&[1], &[2], &[3, 4], &[2], &[]];
    let text = "int f(int n) {}";
    let found = |accesses: &[(usize, SourceAccess)]| lengths(&straight, accesses, text);
    assert_eq!(found(&[]), ["n + 1"]);
    // One way to the loop leads past what takes the memory.
    let past: [&[usize]; 5] = [&[1, 2], &[2], &[3, 4], &[2], &[]];
    assert!(lengths(&past, &[], text).is_empty());
    // The name means something else as well.
    assert!(lengths(&straight, &[], "#define n 3\n").is_empty());
    assert!(lengths(&straight, &[], "enum { n = 3 };\n").is_empty());
    let kept = SourceAccess {
        kept: true,
        line: 3,
        ..access(AccessKind::Read, 0, 0)
    };
    assert!(found(&[(1, kept.clone())]).is_empty(), "another name");
    assert_eq!(found(&[(4, kept)]), ["n + 1"], "behind the loop");
    assert!(
        found(&[(3, access(AccessKind::Read, 0, 0))]).is_empty(),
        "used otherwise"
    );
    let part = SourceAccess {
        pointee: true,
        bytes: 2,
        ..access(AccessKind::Read, 0, 0)
    };
    assert!(found(&[(3, part)]).is_empty(), "a part of an element");
}
