//! Ways out of a loop, and where it ends.

use super::super::{file, text};
use super::{at, statement};

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
