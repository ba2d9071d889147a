//! What the pass makes of accesses: the code that stays, seen in the optimizer's output.

use anyhow::Context as _;
use parascan_suite::process::run;
use parascan_suite::tool::{LIMIT, Tool};

/// A function of a source text as the optimizer leaves it, tracked code alone.
fn emitted(source: &str, name: &str) -> anyhow::Result<String> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("source.c");
    std::fs::write(&path, source)?;
    let mut driver = Tool::find()?.driver(&path);
    driver.args(["--parascan-exact", "-O2", "-S", "-emit-llvm", "-o", "-"]);
    let text = run(driver.arg(&path), LIMIT)?.text();
    let head = format!("@{name}(");
    let function = text
        .split("\ndefine ")
        .find(|part| part.split('\n').next().is_some_and(|l| l.contains(&head)));
    let function = function.with_context(|| format!("no {name} in {text}"))?;
    Ok(function.split("\n}").next().unwrap_or_default().to_owned())
}

/// Loads of tags.
fn tags(function: &str) -> usize {
    let loads = |ty: &str| function.matches(&format!("= load {ty}, ptr")).count();
    loads("i8") + loads("i16")
}

#[test]
fn pointers_to_characters_are_pointers() -> anyhow::Result<()> {
    let source = "struct s { unsigned char *bytes; };\n\
                  unsigned char *strict(struct s *s) { return s->bytes; }\n\
                  union u { unsigned char *bytes; long number; };\n\
                  long loose(union u *u) { return u->number; }\n";
    assert_eq!(tags(&emitted(source, "strict")?), 0);
    assert_ne!(tags(&emitted(source, "loose")?), 0);
    Ok(())
}

#[test]
fn fields_are_found_from_their_structure() -> anyhow::Result<()> {
    let source = "struct s { int a, b, c, d, e; };\n\
                  int sum(struct s *s) { return s->a + s->b + s->c + s->d + s->e; }\n";
    let function = emitted(source, "sum")?;
    let masks = function.matches(" = and i64 ").count();
    assert_eq!(masks, 1, "one address for five fields:\n{function}");
    Ok(())
}

#[test]
fn rare_calls_keep_registers() -> anyhow::Result<()> {
    let function = emitted("void set(char *p) { *p = 1; }\n", "set")?;
    let call = "call preserve_allcc void @__ps_open_kept(";
    if std::is_x86_feature_detected!("avx2") {
        assert!(function.contains(call), "{function}");
    } else {
        eprintln!("NOT TESTED: this processor has no AVX2");
        assert!(!function.contains(call), "{function}");
    }
    Ok(())
}
