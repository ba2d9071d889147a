//! What names mean where a loop stands.

use super::super::{file, text};

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
