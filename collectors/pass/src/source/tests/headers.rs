//! The header of a `for`: which are those that directives take, how far they step, what every thread would evaluate.

use parascan_formats::source::{ObstacleKind, Statement};

use super::super::read::{
    AccessKind, SourceAccess, SourceBlock, SourceFunction, SourceLoop, SourceVariable,
};
use super::super::{flow, text, within};
use super::{access, at, statement};

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
