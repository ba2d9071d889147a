//! Which loops are all of the body of the one around them, so that a directive can run them as one.

use super::super::nest;
use super::super::read::{
    AccessKind, SourceAccess, SourceBlock, SourceFunction, SourceLoop, SourceVariable,
};
use super::super::{file, text, within};
use super::access;

/// Whether a directive can run a loop over `i` (0) and the one over `j` (1) on its second line as one: blocks go on
/// from the outer header 1 to the start 2 of the inner loop with header 3, body 4 and latch 5, to what is between that
/// and the outer latch 7 in 6, and to 8; accesses also of `t` (2), `g` (3, a global), `p` (4).
fn runs_as_one(text: &str, accesses: &[(usize, SourceAccess)]) -> bool {
    let successors: [&[usize]; 9] = [&[1], &[2, 8], &[3], &[4, 6], &[5], &[3], &[7], &[1], &[]];
    let blocks = successors.iter().map(|s| SourceBlock {
        successors: s.to_vec(),
        ..SourceBlock::default()
    });
    let mut blocks: Vec<SourceBlock> = blocks.collect();
    let steps = [
        (0, access(AccessKind::Write, 0, 0)),
        (1, access(AccessKind::Read, 0, 0)),
        (2, access(AccessKind::Write, 1, 0)),
        (3, access(AccessKind::Read, 1, 0)),
        (5, access(AccessKind::Write, 1, 0)),
        (7, access(AccessKind::Write, 0, 0)),
    ];
    for (block, access) in steps.iter().chain(accesses) {
        blocks[*block].accesses.push(access.clone());
    }
    let variables = ["i", "j", "t", "g", "p"].map(|name| SourceVariable {
        name: name.into(),
        bytes: 4,
        integer: name != "p",
        global: name == "g",
        shape: u32::from(name == "p"),
        ..SourceVariable::default()
    });
    let lines: Vec<&str> = text.lines().collect();
    let at = |line: usize| (line as u32 + 1, lines[line].len() as u32);
    let column = |line: usize| lines[line].find("for").unwrap() as u32 + 1;
    let inner = lines.iter().rposition(|l| l.contains("for (j")).unwrap();
    let ends = |header: &str| at(lines.iter().rposition(|l| l.ends_with(header)).unwrap());
    let l = |header: usize, blocks: Vec<usize>, line: usize, end: (u32, u32)| SourceLoop {
        header,
        blocks,
        line: line as u32 + 1,
        column: column(line),
        end,
        ..SourceLoop::default()
    };
    let last = at(lines.len() - 1);
    let (outer, inside) = if lines.last() == Some(&"}") {
        (last, ends("; }"))
    } else {
        (last, last)
    };
    let function = SourceFunction {
        infinite: false,
        blocks,
        variables: variables.to_vec(),
        loops: vec![
            l(1, (1..=7).collect(), 0, outer),
            l(3, vec![3, 4, 5], inner, inside),
        ],
    };
    let source = file::SourceText::new(text.to_owned());
    let outer = &function.loops[0];
    let statement = text::at(&source, outer.line, outer.column, outer.end).unwrap();
    let place = within::LoopInFunction::new(&function, outer, Some(&statement), &|_, _| false);
    !nest::inside(&place, &source, &statement).is_empty()
}

#[test]
fn nests_that_a_directive_runs_as_one_are_seen() {
    use AccessKind::{Call, Escape, Read, Write};
    let outer = "for (i = 0; i < n; i++)";
    let perfect = format!("{outer}\n for (j = 0; j < m; j++) {{ x; }}");
    let one = |accesses: &[(usize, SourceAccess)]| runs_as_one(&perfect, accesses);
    assert!(one(&[]));
    // What the headers read must stay as it is.
    assert!(one(&[(2, access(Read, 2, 0)), (3, access(Read, 2, 0))]));
    for block in [2, 3, 5, 6] {
        let bound = (block, access(Read, 2, 0));
        let written = (4, access(Write, 2, 0));
        assert!(!one(&[bound.clone(), written]), "{block}");
        assert!(!one(&[
            bound.clone(),
            (0, access(Escape, 2, 0)),
            (4, access(Call, 2, 0))
        ]));
        assert!(
            !one(&[(block, access(Read, 0, 0))]),
            "the outer index in {block}"
        );
        assert!(!one(&[(block, access(Write, 2, 0))]), "a write in {block}");
        assert!(!one(&[(block, access(Call, 2, 0))]), "a call in {block}");
        let through = SourceAccess {
            pointee: true,
            ..access(Read, 4, 0)
        };
        assert!(!one(&[(block, through)]), "a pointer in {block}");
    }
    let global = (3, access(Read, 3, 0));
    assert!(one(std::slice::from_ref(&global)));
    assert!(!one(&[global.clone(), (4, access(Write, 3, 0))]));
    let called = SourceAccess {
        callee: "f".into(),
        kind: Call,
        ..SourceAccess::default()
    };
    assert!(!one(&[global.clone(), (4, called)]));
    let through = SourceAccess {
        pointee: true,
        ..access(Write, 4, 0)
    };
    assert!(!one(&[global, (4, through)]));
    assert!(
        !one(&[(0, access(Escape, 1, 0))]),
        "the inner index is kept"
    );
}

#[test]
fn only_perfect_nests_run_as_one() {
    let inner = " for (j = 0; j < m; j++) { x; }";
    let text = |outer: &str, inner: &str| format!("{outer}\n{inner}");
    for (text, perfect) in [
        (
            format!("for (i = 0; i < n; i++) {{ // rows\n{inner}\n}}"),
            true,
        ),
        (
            format!("for (i = 0; i < n; i++) /* all */ {{ {{\n{inner}\n}}\n}}"),
            false,
        ),
        (
            format!("for (i = 0; i < n; i++) {{\n{inner}\n y();\n}}"),
            false,
        ),
        (
            format!("for (i = 0; i < n; i++) {{\n{inner}\n ;\n}}"),
            false,
        ),
        (
            format!("for (i = 0; i < n; i++) {{ y = 1;\n{inner}\n}}"),
            false,
        ),
        (
            format!("for (i = 0; i < n; i++) {{\n#if A\n{inner}\n#endif\n}}"),
            false,
        ),
        (
            format!("for (i = 0; i < n; i++) {{ EACH\n{inner}\n}}"),
            false,
        ),
        (
            format!("for (i = 0; i < n; i++) {{ row:\n{inner}\n}}"),
            false,
        ),
        (text("for (i = 0; i < n; i++) if (a)", inner), false),
        (
            text("for (i = 0; i < n; i++)", " for (j = i; j < m; j++) { x; }"),
            false,
        ),
        (
            text(
                "for (i = 0; i < n; i++)",
                " for (j = 0; j < i + 9; j++) { x; }",
            ),
            false,
        ),
        (
            text(
                "for (i = 0; i < n; i++)",
                " for (j = 0; j < m; j *= 2) { x; }",
            ),
            false,
        ),
        (text("for (; i < n; i++)", inner), false),
    ] {
        assert_eq!(runs_as_one(&text, &[]), perfect, "{text}");
    }
}

/// How many loops a directive can run as one with that over `i` (0), of which the first three lines are the headers of
/// loops, the others over `j` (1) and `k` (2). Blocks: the start of a loop 0, 2, 4, headers 1, 3, 5, body 6, latches 9,
/// 8, 7, end 10; accesses also of `t` (3). Of these blocks some divide.
fn of_three(headers: [&str; 3], accesses: &[(usize, SourceAccess)], divide: &[usize]) -> usize {
    let successors: [&[usize]; 11] = [
        &[1],
        &[2, 10],
        &[3],
        &[4, 9],
        &[5],
        &[6, 8],
        &[7],
        &[5],
        &[3],
        &[1],
        &[],
    ];
    let blocks = (0..).zip(successors).map(|(block, s)| SourceBlock {
        successors: s.to_vec(),
        delicate: divide.contains(&block),
        ..SourceBlock::default()
    });
    let mut blocks: Vec<SourceBlock> = blocks.collect();
    for (index, [start, header, latch]) in [[0, 1, 9], [2, 3, 8], [4, 5, 7]].iter().enumerate() {
        blocks[*start]
            .accesses
            .push(access(AccessKind::Write, index, 0));
        blocks[*header]
            .accesses
            .push(access(AccessKind::Read, index, 0));
        blocks[*latch]
            .accesses
            .push(access(AccessKind::Write, index, 0));
    }
    for (block, access) in accesses {
        blocks[*block].accesses.push(access.clone());
    }
    let variables = ["i", "j", "k", "t"].map(|name| SourceVariable {
        name: name.into(),
        bytes: 4,
        integer: true,
        ..SourceVariable::default()
    });
    let text = format!("{}\n x;", headers.join("\n"));
    let l = |line: u32, header: usize, blocks: Vec<usize>| SourceLoop {
        header,
        blocks,
        line,
        column: 1,
        end: (4, 2),
        ..SourceLoop::default()
    };
    let function = SourceFunction {
        blocks,
        variables: variables.to_vec(),
        loops: vec![
            l(1, 1, (1..=9).collect()),
            l(2, 3, (3..=8).collect()),
            l(3, 5, (5..=7).collect()),
        ],
        infinite: false,
    };
    let source = file::SourceText::new(text);
    let outer = &function.loops[0];
    let statement = text::at(&source, outer.line, outer.column, outer.end).unwrap();
    let place = within::LoopInFunction::new(&function, outer, Some(&statement), &|_, _| false);
    let found = nest::inside(&place, &source, &statement);
    let wanted = [(2, 1), (3, 1)];
    assert_eq!(found, wanted[..found.len()]);
    found.len() + 1
}

const I: &str = "for (i = 0; i < n; i++)";
const J: &str = "for (j = 0; j < n; j++)";
const K: &str = "for (k = 0; k < n; k++)";

#[test]
fn nests_go_on_as_long_as_headers_stay_the_same() {
    use AccessKind::{Call, Read, Write};
    let plain = |accesses: &[(usize, SourceAccess)]| of_three([I, J, K], accesses, &[]);
    assert_eq!(plain(&[]), 3);
    let bound = access(Read, 3, 0);
    assert_eq!(
        plain(&[(2, bound.clone()), (3, bound.clone()), (5, bound.clone())]),
        3
    );
    // The innermost header reads what the nest sets, or an index, or does something.
    for block in [4, 5, 7, 8] {
        let loops = if block == 8 { 1 } else { 2 };
        for other in [0, 1] {
            let read = (block, access(Read, other, 0));
            // The latch of a loop may read its own index.
            let own = block == 8 && other == 1;
            assert_eq!(
                plain(&[read]),
                if own { 3 } else { loops },
                "{other} in {block}"
            );
        }
        assert_eq!(
            plain(&[(block, access(Write, 3, 0))]),
            loops,
            "a write in {block}"
        );
        assert_eq!(
            plain(&[(block, access(Call, 3, 0))]),
            loops,
            "a call in {block}"
        );
        let anywhere = SourceAccess {
            offset: None,
            ..bound.clone()
        };
        assert_eq!(
            plain(&[(block, anywhere)]),
            loops,
            "some element in {block}"
        );
        let set_in_body = [(block, bound.clone()), (6, access(Write, 3, 0))];
        assert_eq!(
            plain(&set_in_body),
            loops,
            "set in the body, read in {block}"
        );
        assert_eq!(
            of_three([I, J, K], &[], &[block]),
            loops,
            "a division in {block}"
        );
    }
    // The outermost loop's own head is evaluated first in any case.
    assert_eq!(of_three([I, J, K], &[], &[0, 1, 6, 9]), 3);
    assert_eq!(of_three([I, J, K], &[], &[2]), 1);
    assert_eq!(of_three([I, J, K], &[], &[3]), 1);
}

#[test]
fn what_pointers_lead_to_is_there_where_the_first_test_reads_it() {
    let through = |v: usize, offset: u64, member: &str| SourceAccess {
        pointee: true,
        member: member.into(),
        ..access(AccessKind::Read, v, offset)
    };
    let loops = |first: &[SourceAccess], inner: &[SourceAccess], body: &[SourceAccess]| {
        let at = |block: usize, all: &[SourceAccess]| {
            let all = all.iter().map(move |a| (block, a.clone()));
            all.collect::<Vec<_>>()
        };
        of_three(
            [I, J, K],
            &[at(1, first), at(5, inner), at(6, body)].concat(),
            &[],
        )
    };
    let (planes, columns) = (through(3, 0, "planes"), through(3, 8, "columns"));
    let one = std::slice::from_ref::<SourceAccess>;
    assert_eq!(loops(one(&planes), one(&columns), &[]), 3);
    assert_eq!(loops(one(&planes), one(&planes), &[]), 3);
    // Not there for sure: not read in any case, an element beyond what is read, some element.
    assert_eq!(loops(&[], one(&columns), &[]), 2);
    assert_eq!(loops(one(&through(2, 0, "planes")), one(&columns), &[]), 2);
    assert_eq!(loops(one(&planes), one(&through(3, 16, "")), &[]), 2);
    assert_eq!(loops(one(&through(3, 0, "")), one(&columns), &[]), 2);
    assert_eq!(
        loops(one(&through(3, 0, "")), one(&through(3, 0, "")), &[]),
        3
    );
    let somewhere = SourceAccess {
        offset: None,
        ..columns.clone()
    };
    assert_eq!(loops(one(&planes), one(&somewhere), &[]), 2);
    assert_eq!(loops(one(&somewhere), one(&columns), &[]), 2);
    // The nest may change it.
    let written = SourceAccess {
        kind: AccessKind::Write,
        ..columns.clone()
    };
    assert_eq!(loops(one(&planes), one(&columns), &[written]), 2);
    let call = SourceAccess {
        callee: "f".into(),
        kind: AccessKind::Call,
        ..SourceAccess::default()
    };
    assert_eq!(loops(one(&planes), one(&columns), &[call]), 2);
}

#[test]
fn the_text_of_every_header_counts() {
    let inner = |k: &str| of_three([I, J, k], &[], &[]);
    for k in [
        "for (k = i; k < n; k++)",
        "for (k = 0; k < n - j; k++)",
        "for (k = 0; k < n; k += i)",
        "for (k = 0; k < n; k += s)",
        "for (k = 0; k < n; k *= 2)",
        "for (k = 0; k < n; k += 0)",
        "if (a) for (k = 0; k < n; k++)",
    ] {
        assert_eq!(inner(k), 2, "{k}");
    }
    assert_eq!(inner("for (k = n; k > 0; k -= 3)"), 3);
    assert_eq!(of_three([I, "for (j = i; j < n; j++)", K], &[], &[]), 1);
    assert_eq!(of_three([I, "for (j = 0; j < n; j += s)", K], &[], &[]), 1);
    // An outer step only says how many iterations there are.
    assert_eq!(of_three(["for (i = 0; i < n; i += s)", J, K], &[], &[]), 3);
}
