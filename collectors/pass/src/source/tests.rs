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
    assert!(!leaves("{ while (x) break; }"));
    assert!(!leaves("{ f([&](int x) { return x; }); }"));
    assert!(!leaves("{ a[i] = breaks + returned; } // return"));
}

#[test]
fn functions_that_the_compiler_may_compute_are_seen() {
    let text = "int f() { return 1; }\nconstexpr int\ng(int n) {\n}\nconstexpr int N = 3;\nint h(int n) {\n";
    let constexpr = |line| scopes::is_constexpr(&file::Source::new(text.to_owned()), line);
    assert_eq!([1, 3, 6].map(constexpr), [false, true, false]);
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
