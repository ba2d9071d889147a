//! Plain `cargo test` needs no more than a Rust toolchain and a C compiler: tests of the default members that need the
//! built tool or a browser ask for it in their first line, and are left out where it is missing.

use std::fs;
use std::path::Path;

use anyhow::Result;

use crate::walk::files;

/// Tests of a file, each with its name and what it does.
fn tests(code: &str) -> Vec<(&str, &str)> {
    let bodies = code.split("#[test]\n").skip(1).filter_map(|rest| {
        let (_, rest) = rest.split_once("fn ")?;
        let (name, body) = rest.split_once('(')?;
        Some((name, body.split("\n}\n").next()?))
    });
    bodies.collect()
}

/// Names of the tests in a folder that do not ask in their first statement, of those that this says have to.
fn unguarded(
    folder: &str,
    guard: &str,
    has_to: impl Fn(&str, &str) -> bool,
) -> Result<Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(folder);
    let (mut found, mut guarded) = (Vec::new(), 0);
    for path in files(&folder, &["rs"], |_| true)? {
        let code = fs::read_to_string(&path)?;
        for (name, body) in tests(&code) {
            let first = body
                .split_once("{\n")
                .map_or("", |(_, rest)| rest.trim_start());
            if first.starts_with(&format!("if {guard}() {{")) {
                guarded += 1;
            } else if has_to(&code, body) {
                found.push(format!("{}: {name}", path.display()));
            }
        }
    }
    assert!(guarded > 0, "no test in {} asks", folder.display());
    Ok(found)
}

#[test]
fn tests_ask_for_what_plain_cargo_test_has_not() -> Result<()> {
    // All tests of the command line run the tool.
    let mut found = unguarded("crates/cli/tests", "common::no_tool", |_, _| true)?;
    // In files of which a helper starts the browser, all tests use it; helpers of other files are called `opened`.
    found.extend(unguarded(
        "crates/views/tests",
        "browser::missing",
        |code, body| {
            let helper = code.contains("-> (Browser, ");
            ["Browser::new", "= opened("]
                .iter()
                .any(|start| body.contains(start))
                || helper
        },
    )?);
    assert!(found.is_empty(), "{found:#?}");
    Ok(())
}
