//! Statements and data flow of loops, without LLVM.

use parascan_formats::source::{ObstacleKind, Sharing, Statement, Why};

use super::file;
use super::flow;
use super::read::{Access, Block, Function, Kind, Loop, Variable};
use super::scopes;
use super::text;

fn at(text: &str, line: u32, column: u32) -> Option<text::Loop> {
    let last = text.lines().count() as u32;
    let end = text.lines().last().map_or(1, |l| l.len() as u32);
    text::at(
        &file::Source::new(text.to_owned()),
        line,
        column,
        (last, end),
    )
}

fn statement(text: &str) -> text::Loop {
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
    let aliased = |text: &str| text::aliased(&file::Source::new(text.to_owned()), "sum");
    for text in [
        "static double *const p = &sum;",
        "double sum; double &r = sum;",
        "static const struct { double *p; } table = { &sum };",
        "extern double other __attribute__((alias(\"sum\")));",
        "constexpr int *first = sum;\n",
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
fn functions_that_the_compiler_may_compute_are_seen() {
    let text = "int f() { return 1; }\nconstexpr int\ng(int n) {\n}\nconstexpr int N = 3;\nint h(int n) {\n";
    let constexpr = |line| scopes::is_constexpr(&file::Source::new(text.to_owned()), line);
    assert_eq!([1, 3, 6].map(constexpr), [false, true, false]);
    let lambda = |used: &str| {
        let text = format!("auto sq = [](int n) {{\nreturn n; }};\n{used}\n");
        scopes::is_constexpr(&file::Source::new(text), 1)
    };
    assert!(lambda("static_assert(sq(4) == 4);"));
    assert!(lambda("constexpr int four = 2 + sq(2);"));
    assert!(!lambda("constexpr int four = 4; int i = sq(2);"));
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
    let other = |text: &str| file::Source::new(text.to_owned()).scopes().is_other("g");
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
        scopes::has_target(&file::Source::new(text.to_owned()), line as u32 + 1)
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
fn access(kind: Kind, v: usize, offset: u64) -> Access {
    Access {
        kind,
        variable: Some(v),
        offset: Some(offset),
        bytes: 4,
        line: 7,
        ..Access::default()
    }
}

/// Blocks: 0 before, 1 header, 2 body, 3 one side of a branch in the body, 4 latch, 5 after.
fn sharing(bytes: u64, accesses: &[(usize, Kind, u64)]) -> Option<Sharing> {
    let mut blocks: Vec<Block> = [&[1][..], &[2, 5], &[3, 4], &[4], &[1], &[]]
        .iter()
        .map(|successors| Block {
            successors: successors.to_vec(),
            ..Block::default()
        })
        .collect();
    for &(block, kind, offset) in accesses {
        blocks[block].accesses.push(access(kind, 0, offset));
    }
    let function = Function {
        blocks,
        variables: vec![Variable {
            name: "t".into(),
            bytes,
            integer: true,
            shape: if bytes > 4 { 3 } else { 0 },
            ..Variable::default()
        }],
        loops: Vec::new(),
    };
    let l = Loop {
        header: 1,
        blocks: vec![1, 2, 3, 4],
        ..Loop::default()
    };
    let source = flow::source(&function, &l, None, &|_| false);
    source.variables.first().map(|v| v.sharing)
}

#[test]
fn scalars() {
    use Kind::{Escape, Lifetime, Read, Write};
    let t = |accesses: &[(usize, Kind, u64)]| sharing(4, accesses);
    assert_eq!(t(&[(2, Read, 0)]), None);
    assert_eq!(t(&[(2, Write, 0), (2, Read, 0)]), Some(Sharing::Private));
    assert_eq!(
        t(&[(2, Write, 0), (4, Read, 0), (5, Read, 0)]),
        Some(Sharing::LastPrivate)
    );
    let carried = Some(Sharing::Unknown(Why::Carried));
    assert_eq!(t(&[(2, Read, 0), (2, Write, 0)]), carried);
    assert_eq!(t(&[(3, Write, 0), (4, Read, 0)]), carried);
    assert_eq!(t(&[(3, Write, 0), (3, Read, 0)]), Some(Sharing::Private));
    let conditional = Some(Sharing::Unknown(Why::Conditional));
    assert_eq!(t(&[(3, Write, 0), (5, Read, 0)]), conditional);
    assert_eq!(
        t(&[(3, Write, 0), (5, Write, 0), (5, Read, 0)]),
        Some(Sharing::Private)
    );
    assert_eq!(
        t(&[(3, Write, 0), (5, Lifetime, 0), (5, Read, 0)]),
        Some(Sharing::Private)
    );
    let escapes = Some(Sharing::Unknown(Why::Escapes));
    assert_eq!(t(&[(0, Escape, 0), (2, Write, 0)]), escapes);
    assert_eq!(t(&[(2, Escape, 0)]), escapes);
}

#[test]
fn structures_by_member() {
    use Kind::{Read, Write};
    let t = |accesses: &[(usize, Kind, u64)]| sharing(8, accesses);
    let both = [(2, Write, 0), (2, Write, 4), (4, Read, 0), (4, Read, 4)];
    assert_eq!(t(&both), Some(Sharing::Private));
    assert_eq!(
        t(&[(2, Write, 0), (4, Read, 0), (4, Read, 4)]),
        Some(Sharing::FirstPrivate)
    );
    assert_eq!(
        t(&[(2, Write, 0), (4, Read, 4), (4, Write, 4)]),
        Some(Sharing::Unknown(Why::Carried))
    );
    // The last iteration's copy would carry a member that it never set.
    assert_eq!(
        t(&[(2, Write, 0), (5, Read, 0), (5, Read, 4)]),
        Some(Sharing::Unknown(Why::Conditional))
    );
    assert_eq!(
        t(&[(2, Write, 0), (2, Write, 4), (5, Read, 4)]),
        Some(Sharing::LastPrivate)
    );
}

/// Obstacles of a loop that steps `i` (1) in front of which line 7 does something: blocks with their successors, which go on from the
/// header 1 to the latch 4, and accesses of `t` (0) and `p` (2).
fn obstacles(successors: &[&[usize]], accesses: &[(usize, Access)]) -> Vec<(ObstacleKind, String)> {
    let mut blocks: Vec<Block> = successors
        .iter()
        .map(|s| Block {
            successors: s.to_vec(),
            ..Block::default()
        })
        .collect();
    for (block, access) in accesses {
        blocks[*block].accesses.push(access.clone());
    }
    blocks[4].accesses.push(access(Kind::Write, 1, 0));
    let variables = ["t", "i", "p"].map(|name| Variable {
        name: name.into(),
        bytes: 4,
        integer: true,
        ..Variable::default()
    });
    let function = Function {
        blocks,
        variables: variables.to_vec(),
        loops: Vec::new(),
    };
    let l = Loop {
        header: 1,
        blocks: vec![1, 2, 3, 4],
        line: 7,
        ..Loop::default()
    };
    let text = text::Loop {
        starts_line: true,
        ..statement("for (i = f(t); i < n; i++) {}")
    };
    let source = flow::source(&function, &l, Some(&text), &|_| false);
    let all = source.obstacles.into_iter();
    all.map(|o| (o.kind, o.name)).collect()
}

#[test]
fn what_every_thread_would_evaluate() {
    use Kind::{Call, Read, Write};
    use ObstacleKind::{StartEffect, StartWritten};
    let found = |accesses: &[(usize, Access)]| {
        obstacles(&[&[1], &[2, 5], &[3, 4], &[4], &[1], &[]], accesses)
    };
    let t = |kind| access(kind, 0, 0);
    let p = |kind| Access {
        pointee: true,
        ..access(kind, 2, 0)
    };
    let call = |name: &str| Access {
        callee: name.into(),
        line: 7,
        kind: Call,
        ..Access::default()
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
    let of_library = Access {
        library: true,
        ..call("size")
    };
    assert_eq!(found(&[(0, of_library)]), []);
    let size = [(StartEffect, "size".to_owned())];
    assert_eq!(found(&[(0, call("size"))]), size);
    let above = Access { line: 6, ..t(Read) };
    assert_eq!(found(&[(0, above), (3, t(Write))]), []);
}

#[test]
fn a_bound_may_have_a_condition_of_its_own() {
    use ObstacleKind::{BoundWritten, Exit};
    let read = (1, access(Kind::Read, 0, 0));
    let chosen: [&[usize]; 6] = [&[1], &[2, 3], &[3], &[4, 5], &[1], &[]];
    assert_eq!(obstacles(&chosen, std::slice::from_ref(&read)), []);
    let written = [read, (4, access(Kind::Write, 0, 0))];
    assert_eq!(
        obstacles(&chosen, &written),
        [(BoundWritten, "t".to_owned())]
    );
    let left: [&[usize]; 6] = [&[1], &[2, 5], &[3, 5], &[4], &[1], &[]];
    assert_eq!(obstacles(&left, &[]), [(Exit, String::new())]);
    let passed: [&[usize]; 6] = [&[1], &[2, 3], &[4], &[4, 5], &[1], &[]];
    assert_eq!(obstacles(&passed, &[]), [(Exit, String::new())]);
}
