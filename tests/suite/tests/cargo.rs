//! `cargo parascan`: a program of Rust in two crates, under `rust/`.

use std::collections::HashSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use parascan_suite::process::run;
use parascan_suite::tool::{LIMIT, Setup, suite_dir};
use serde_json::Value;

const FILES: [&str; 5] = [
    "Cargo.toml",
    "build.rs",
    "src/main.rs",
    "grid/Cargo.toml",
    "grid/src/lib.rs",
];

/// What a command of cargo's prints, in a copy of the program.
fn cargo(setup: &Setup, words: &[&str]) -> Result<String> {
    let parascan = setup.tool.parascan();
    let bin = Path::new(parascan.get_program()).parent().context("bin")?;
    let path = std::env::var("PATH").unwrap_or_default();
    let mut cargo = Command::new("cargo");
    cargo
        .args(words)
        .args(["--offline", "--quiet", "--", "120"])
        .current_dir(setup.folder.path())
        .env("PATH", format!("{}:{path}", bin.display()))
        .env_remove("CARGO_TARGET_DIR");
    // What the cargo that runs this test says of itself.
    for name in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO", "RUSTC"] {
        cargo.env_remove(name);
    }
    let done = run(&mut cargo, LIMIT)?;
    ensure!(done.code() == Some(0), "{words:?}: {}", done.errors());
    Ok(done.text())
}

#[test]
fn programs_are_built_run_and_recorded() -> Result<()> {
    let setup = Setup::new()?;
    for name in FILES {
        let to = setup.path(name);
        std::fs::create_dir_all(to.parent().context("a folder")?)?;
        std::fs::copy(suite_dir().join("rust").join(name), to)?;
    }
    let alone = cargo(&setup, &["run", "--release"])?;
    assert!(alone.ends_with(" 5929 true true\n"), "{alone}");
    assert_eq!(cargo(&setup, &["parascan", "run"])?, alone);
    // What did not change is not compiled again, and makes the same program.
    let kept = || {
        let deps = "target/x86_64-unknown-linux-gnu/release/deps/parascan-objects";
        let objects = std::fs::read_dir(setup.path(deps))?;
        anyhow::Ok(
            objects
                .flatten()
                .map(|o| o.file_name())
                .collect::<HashSet<_>>(),
        )
    };
    let before = kept()?;
    let main = setup.path("src/main.rs");
    let text = std::fs::read_to_string(&main)?;
    std::fs::write(&main, text.replace("caught", "was_caught"))?;
    assert_eq!(cargo(&setup, &["parascan", "run"])?, alone);
    let after = kept()?;
    let all = after.len();
    assert!(
        after.is_superset(&before) && all > before.len() && all < 2 * before.len(),
        "{all}"
    );
    let mut parascan = setup.tool.parascan();
    parascan.args(["regions", "--format", "json"]);
    let done = run(parascan.arg(setup.path("parascan.prof")), LIMIT)?;
    ensure!(done.code() == Some(0), "{}", done.errors());
    let text = done.text();
    assert!(!text.contains("#pragma"), "{text}");
    let regions: Value = serde_json::from_str(&text)?;
    let regions = regions["regions"].as_array().context("regions")?;
    let library = std::fs::read_to_string(setup.path("grid/src/lib.rs"))?;
    let mut marked = 0;
    for (line, text) in (1_u64..).zip(library.lines()) {
        let Some((_, word)) = text.split_once("{ // ") else {
            continue;
        };
        marked += 1;
        let here = regions.iter().filter(|r| {
            let file = r["file"].as_str().unwrap_or_default();
            file.ends_with("grid/src/lib.rs") && r["line"] == line && r["kind"] == "loop"
        });
        let classes: Vec<&str> = here.filter_map(|r| r["class"].as_str()).collect();
        assert_eq!(classes, [word.to_uppercase()], "line {line}");
    }
    assert_eq!(marked, 7);
    let chains = |r: &&Value| r["function"] == "grid::chains" && r["kind"] == "function";
    let chains = regions.iter().find(chains);
    let parallel = chains.and_then(|r| r["self_parallelism"].as_f64());
    let parallel = parallel.context("grid::chains")?;
    assert!(parallel < 1.1, "times move with a block: {parallel}");
    Ok(())
}
