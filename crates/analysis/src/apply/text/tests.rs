//! Lines around loops, and declarations moved into them: there, there again, and gone.

use proptest::prelude::*;

use super::super::Declaration;
use super::*;

fn edit(line: u32, column: u32, text: &str) -> Edit {
    Edit {
        file: "a.c".into(),
        line,
        column,
        before: vec!["#pragma omp parallel for".into()],
        after: None,
        declarations: Vec::new(),
        text: Some(Fingerprint::of(text.as_bytes())),
        ranks: vec![1],
    }
}

fn around(line: u32, column: u32, last: u32, text: &str) -> Edit {
    Edit {
        before: vec!["{".into(), "    #pragma omp for".into()],
        after: Some((last, vec!["}".into()])),
        ..edit(line, column, text)
    }
}

fn all(text: &str, edits: &[Edit]) -> EditedText {
    let edits: Vec<&Edit> = edits.iter().collect();
    rewrite(
        text,
        &edits,
        &vec![true; edits.len()],
        false,
        OtherEdits::Stay,
    )
}

const NEST: &str = "int f() {\n\tfor (;;)\n\t  for (;;) {\n\t  }\n}\n";

#[test]
fn lines_have_the_indentation_and_the_ending_of_their_loop() {
    for ending in ["\n", "\r\n"] {
        let text = NEST.replace('\n', ending);
        let edits = [around(2, 2, 4, &text), edit(3, 4, &text)];
        let expected = "int f() {\n\t{\n\t    #pragma omp for\n\tfor (;;)\n\t  #pragma omp parallel for\n\t  for (;;) {\n\t  }\n\t}\n}\n";
        assert_eq!(all(&text, &edits).text, expected.replace('\n', ending));
    }
}

#[test]
fn a_second_time_nothing_changes_and_others_can_be_added() {
    let edits = [around(2, 2, 4, NEST), around(3, 4, 4, NEST)];
    let both: Vec<&Edit> = edits.iter().collect();
    let first = rewrite(NEST, &both, &[true, false], false, OtherEdits::Stay);
    assert_eq!(first.states, [EditState::Added, EditState::Absent]);
    let again = rewrite(&first.text, &both, &[true, false], false, OtherEdits::Stay);
    assert_eq!(again.states, [EditState::Present, EditState::Absent]);
    assert_eq!(again.text, first.text);
    let second = rewrite(&first.text, &both, &[false, true], false, OtherEdits::Stay);
    assert_eq!(second.states, [EditState::Present, EditState::Added]);
    assert_eq!(second.text, all(NEST, &edits).text);
    assert!(second.text.ends_with("\t  }\n\t  }\n\t}\n}\n"));
}

#[test]
fn a_changed_file_is_refused() {
    let edits = [edit(2, 2, NEST)];
    let changed = NEST.replace("f()", "g()");
    assert_eq!(
        all(&changed, &edits).states,
        [EditState::Refused(Refusal::Changed)]
    );
    // With the edit in it, too.
    let with = all(NEST, &edits).text.replace("f()", "g()");
    let again = all(&with, &edits);
    assert_eq!(again.states, [EditState::Refused(Refusal::Changed)]);
    assert_eq!(again.text, with);
}

#[test]
fn without_a_fingerprint_the_time_counts() {
    let edit = Edit {
        text: None,
        ..edit(2, 2, NEST)
    };
    let newer = rewrite(NEST, &[&edit], &[true], false, OtherEdits::Stay);
    assert_eq!(newer.states, [EditState::Refused(Refusal::Newer)]);
    let older = rewrite(NEST, &[&edit], &[true], true, OtherEdits::Stay);
    assert_eq!(older.states, [EditState::Added]);
    // It is newer now, and has what was asked for.
    let again = rewrite(&older.text, &[&edit], &[true], false, OtherEdits::Stay);
    assert_eq!(again.states, [EditState::Present]);
    assert_eq!(again.text, older.text);
}

#[test]
fn what_is_no_loop_of_its_own_is_refused() {
    let state = |text: &str, line, column| all(text, &[edit(line, column, text)]).states;
    let no_loop = |line, column| [EditState::Refused(Refusal::NoLoop { line, column })];
    for text in [
        "while (1);",
        "forest();",
        "if (1) for (;;);",
        "fo",
        "",
        "é for",
    ] {
        let column = text.find("for").unwrap_or(0) as u32 + 1;
        assert_eq!(state(text, 1, column), no_loop(1, column), "{text}");
    }
    for (line, column) in [(0, 1), (2, 1), (1, 0), (1, 99), (u32::MAX, u32::MAX)] {
        assert_eq!(state("for (;;);", line, column), no_loop(line, column));
    }
    let ends = "for (;;);\n";
    assert_eq!(all(ends, &[around(1, 1, 3, ends)]).states, no_loop(1, 1));
    assert_eq!(all(ends, &[around(1, 1, 0, ends)]).states, no_loop(1, 1));
    for text in ["#define L \\\n for (;;);", "#define L(x) for (;;);"] {
        let line = 1 + text.matches('\n').count() as u32;
        let column = text.lines().last().unwrap().find("for").unwrap() as u32 + 1;
        let refused = [EditState::Refused(Refusal::Macro(line))];
        assert_eq!(state(text, line, column), refused);
    }
}

/// Loops in a text: each begins on a line of its own, and some end further down.
fn texts() -> impl Strategy<Value = (String, Vec<Edit>)> {
    let line = (0..3usize, any::<bool>(), 0..4u32, any::<bool>());
    let ending = prop_oneof![Just("\n"), Just("\r\n")];
    (prop::collection::vec(line, 1..12), ending, any::<bool>()).prop_map(|(lines, ending, ends)| {
        let count = lines.len() as u32;
        let mut text: String = lines
            .iter()
            .map(|(indent, is_loop, ..)| {
                let word = if *is_loop { "for (;;);" } else { "{" };
                format!("{}{word}{ending}", "\t".repeat(*indent))
            })
            .collect();
        if !ends {
            text.truncate(text.len() - ending.len());
        }
        let mut edits = Vec::new();
        for (number, (indent, is_loop, down, with_end)) in (1..).zip(&lines) {
            let column = *indent as u32 + 1;
            let last = (number + down).min(count);
            if *is_loop && *with_end && (ends || last < count) {
                edits.push(around(number, column, last, &text));
            } else if *is_loop {
                edits.push(edit(number, column, &text));
            }
        }
        (text, edits)
    })
}

/// A function with a loop on line 5 that has `t` and `w` of its own, and one on line 9 that uses `s`, as a call
/// behind it does.
const OWN: &str = "void f(int n)\n{\n  double s;\n  double t, w; /* scratch */\n  for (int i = 0; i < n; i++) {\n    t = a[i], w = t;\n    a[i] = w;\n  }\n  for (;;) {\n    s = 1;\n  }\n  use(s);\n}\n";

fn private(line: u32, names: &[(&str, u32)], text: &str) -> Edit {
    let list: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
    Edit {
        before: vec![format!(
            "#pragma omp parallel for private({})",
            list.join(",")
        )],
        declarations: (names.iter())
            .map(|&(name, line)| Declaration {
                name: name.to_owned(),
                line,
            })
            .collect(),
        ..edit(line, 3, text)
    }
}

#[test]
fn declarations_move_and_come_back() {
    for (ending, indent) in [("\n", "  "), ("\r\n", "\t")] {
        let text = OWN.replace('\n', ending).replace("  ", indent);
        let column = indent.len() as u32 + 1;
        let edits = [
            private(5, &[("t", 4), ("w", 4)], &text),
            private(9, &[("s", 3)], &text),
        ]
        .map(|e| Edit { column, ..e });
        let expected = "void f(int n)\n{\n  double s;\n  #pragma omp parallel for\n  for (int i = 0; i < n; i++) {\n    double t, w; /* scratch */\n    t = a[i], w = t;\n    a[i] = w;\n  }\n  #pragma omp parallel for private(s)\n  for (;;) {\n    s = 1;\n  }\n  use(s);\n}\n";
        let expected = expected.replace('\n', ending).replace("  ", indent);
        let both: Vec<&Edit> = edits.iter().collect();
        assert_eq!(all(&text, &edits).text, expected);
        // One after the other, in either order, and again.
        for wanted in [[true, false], [false, true]] {
            let first = rewrite(&text, &both, &wanted, false, OtherEdits::Stay).text;
            let again = rewrite(&first, &both, &wanted, false, OtherEdits::Stay);
            assert_eq!(again.text, first);
            let second = rewrite(&first, &both, &[true, true], false, OtherEdits::Stay);
            assert_eq!(second.text, expected);
            assert!(!second.states.contains(&EditState::Absent));
        }
        // A file that was changed elsewhere is refused as others are.
        let changed = expected.replace("use(s)", "use(s + 1)");
        let again = all(&changed, &edits);
        assert_eq!(again.states, vec![EditState::Refused(Refusal::Changed); 2]);
    }
}

/// Of loops in each other that have one variable, the one with the directive has the declaration; with both, one of
/// them.
#[test]
fn one_of_two_loops_has_the_declaration() {
    let text = "void f(int n)\n{\n  double t;\n  for (int i = 0; i < n; i++) {\n  for (int k = 0; k < n; k++) {\n    t = a[i][k];\n  }\n  }\n}\n";
    let edits = [private(4, &[("t", 3)], text), private(5, &[("t", 3)], text)];
    let both: Vec<&Edit> = edits.iter().collect();
    for (wanted, expected) in [
        (
            [true, false],
            "for\n  for (int i = 0; i < n; i++) {\n  double t;\n  for",
        ),
        (
            [false, true],
            "for\n  for (int k = 0; k < n; k++) {\n    double t;\n    t =",
        ),
        (
            [true, true],
            "i++) {\n  double t;\n  #pragma omp parallel for private(t)\n",
        ),
    ] {
        let found = rewrite(text, &both, &wanted, false, OtherEdits::Stay);
        assert!(found.text.contains(expected), "{}", found.text);
        assert_eq!(found.text.matches("double t;").count(), 1);
        let again = rewrite(&found.text, &both, &wanted, false, OtherEdits::Stay);
        assert_eq!(again.text, found.text);
        let none = rewrite(&found.text, &both, &[false, false], false, OtherEdits::Go);
        assert_eq!(none.text, text);
    }
}

/// What could not be put back as it was keeps its clause: the line behind it is indented otherwise, or has the name
/// in a comment.
#[test]
fn what_would_not_come_back_stays() {
    for (other, line) in [
        ("     double t, w; /* scratch */", 5),
        ("  double t, w;\n  /* t is new here */", 6),
    ] {
        let text = OWN.replace("  double t, w; /* scratch */", other);
        let edits = [private(line, &[("t", 4), ("w", 4)], &text)];
        let found = all(&text, &edits);
        assert_eq!(found.states, [EditState::Added]);
        assert!(found.text.contains("for private(t,w)\n"), "{}", found.text);
        assert_eq!(all(&found.text, &edits).states, [EditState::Present]);
    }
    // What another loop has moves all the same.
    let text = OWN
        .replace("  double s;\n", "      double s;\n")
        .replace("  use(s);\n", "");
    let edits = [
        private(5, &[("t", 4), ("w", 4)], &text),
        private(9, &[("s", 3)], &text),
    ];
    let found = all(&text, &edits).text;
    assert!(found.contains("for\n  for (int i"), "{found}");
    assert!(found.contains("for private(s)\n"), "{found}");
}

/// A function with loops, each with a variable of its own: declared somewhere in front of it, and now and then used
/// elsewhere.
fn functions() -> impl Strategy<Value = (String, Vec<Edit>)> {
    let part = (0..3usize, any::<bool>(), 0..4u8);
    (prop::collection::vec(part, 1..8), any::<bool>()).prop_map(|(parts, together)| {
        let mut lines = vec!["void f(void) {".to_owned()];
        let mut declared = Vec::new();
        let mut loops = Vec::new();
        let declare = |lines: &mut Vec<String>, number: usize, indent: usize| {
            lines.push(format!("{}double t{number};", " ".repeat(indent)));
            lines.len() as u32
        };
        if together {
            for (number, (indent, ..)) in parts.iter().enumerate() {
                declared.push(declare(&mut lines, number, *indent));
            }
        }
        for (number, (indent, with_end, other)) in parts.iter().enumerate() {
            if !together {
                declared.push(declare(&mut lines, number, *indent));
            }
            if *other == 0 {
                lines.push(format!("use(&t{number});"));
            }
            lines.push("  for (;;) {".to_owned());
            let first = lines.len() as u32;
            let nested = *other == 1;
            if nested {
                lines.push("  for (;;) {".to_owned());
            }
            lines.push(format!("    t{number} = {other};"));
            lines.push("  }".to_owned());
            let last = lines.len() as u32;
            if nested {
                lines.push("  }".to_owned());
                loops.push((number, first + 1, *with_end, last));
            }
            loops.push((number, first, *with_end, lines.len() as u32));
        }
        lines.push("}\n".to_owned());
        let text = lines.join("\n");
        let edit = |&(number, line, with_end, last): &(usize, u32, bool, u32)| {
            let name = format!("t{number}");
            let own = private(line, &[(&name, declared[number])], &text);
            let after = with_end.then(|| (last, vec!["// end".to_owned()]));
            Edit { after, ..own }
        };
        let edits = loops.iter().map(edit).collect();
        (text, edits)
    })
}

fn any_text() -> impl Strategy<Value = (String, Vec<Edit>)> {
    prop_oneof![texts(), functions()]
}

proptest! {
    #[test]
    fn what_is_put_in_is_found_again((text, edits) in any_text(), some in prop::collection::vec(any::<bool>(), 16)) {
        let edits: Vec<&Edit> = edits.iter().collect();
        let some = &some[..edits.len().min(16)];
        let first = rewrite(&text, &edits, some, false, OtherEdits::Stay);
        let same = rewrite(&first.text, &edits, some, false, OtherEdits::Stay);
        prop_assert_eq!(&same.text, &first.text);
        let expected = some.iter().map(|&w| if w { EditState::Present } else { EditState::Absent });
        prop_assert_eq!(same.states, expected.collect::<Vec<_>>());
        // Others go when they are asked to.
        let none = vec![false; edits.len()];
        let without = rewrite(&first.text, &edits, &none, false, OtherEdits::Go);
        prop_assert_eq!(&without.text, &text);
        let others: Vec<bool> = some.iter().map(|s| !s).collect();
        let swapped = rewrite(&first.text, &edits, &others, false, OtherEdits::Go);
        prop_assert_eq!(swapped.text, rewrite(&text, &edits, &others, false, OtherEdits::Go).text);
        // In two steps or at once.
        let wanted = vec![true; edits.len()];
        let rest = rewrite(&first.text, &edits, &wanted, false, OtherEdits::Stay);
        prop_assert_eq!(rest.text, rewrite(&text, &edits, &wanted, false, OtherEdits::Stay).text);
    }

    #[test]
    fn foreign_places_never_panic(text in "(for|[ \t\n{é#\\\\]){0,20}", line in 0..9u32, column in 0..9u32, last in 0..9u32) {
        let own = around(line, column, last, &text);
        let other = edit(line, column, "other");
        let given = rewrite(&text, &[&own, &other], &[true, true], true, OtherEdits::Stay);
        let _ = rewrite(&given.text, &[&own, &other], &[true, true], true, OtherEdits::Stay);
    }
}
