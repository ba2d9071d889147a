//! What stands around a loop: lines with other numbers, directives, functions of a kind of their own.

use super::super::{file, functions};
use super::{at, statement};

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
