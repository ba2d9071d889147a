//! Builds that leave a dependence out (`PARASCAN_WITHOUT`), and what `explain --without` makes of them. Derivations stand in the source.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use parascan_suite::process::run;
use parascan_suite::tool::{LIMIT, Tool, marked_line, quiet, suite_dir};
use serde_json::Value;

/// Iterations of the loops.
const N: f64 = 300.0;
/// Output of the program, whatever is left out.
const SAYS: &str = "3547541367 3731196577 85116972 85116972\n";

struct Scene {
    tool: Tool,
    folder: tempfile::TempDir,
}

impl Scene {
    fn new() -> Result<Self> {
        Ok(Self {
            tool: Tool::find()?,
            folder: tempfile::tempdir()?,
        })
    }

    /// Builds and records the program without these.
    fn record(&self, name: &str, level: &str, without: &str) -> Result<PathBuf> {
        let program = self.folder.path().join(name);
        let profile = program.with_extension("prof");
        quiet(
            self.tool
                .driver(Path::new("chains.c"))
                .env("PARASCAN_WITHOUT", without)
                .args([level, "-g"])
                .arg(suite_dir().join("without/chains.c"))
                .arg("-o")
                .arg(&program),
        )?;
        let mut record = self.tool.parascan();
        record
            .args(["record", "-o"])
            .arg(&profile)
            .arg("--")
            .arg(&program);
        let done = run(&mut record, LIMIT)?;
        ensure!(done.code() == Some(0), "{}", done.errors());
        let said = String::from_utf8_lossy(&done.stdout);
        ensure!(said == SAYS, "the program printed {said}");
        Ok(profile)
    }

    /// What `explain` says of a loop beside another build: its only cost.
    fn cost(&self, loop_: &str, level: &str, names: &[&str]) -> Result<Value> {
        let line = marked_line("without/chains.c", loop_)?;
        let cuts: Vec<String> = names
            .iter()
            .map(|n| format!("chains.c:{line}:{n}"))
            .collect();
        let whole = self.record("whole", level, "")?;
        let other = self.record("other", level, &cuts.join("; "))?;
        let mut explain = self.tool.parascan();
        explain
            .args(["explain", "--format", "json", "--without"])
            .arg(other);
        explain.arg(whole).arg(format!("chains.c:{line}"));
        let done = run(&mut explain, LIMIT)?;
        ensure!(done.code() == Some(0), "{}", done.errors());
        let all: Value = serde_json::from_slice(&done.stdout)?;
        let costs = &all["loops"][0]["costs"];
        ensure!(costs.as_array().is_some_and(|c| c.len() == 1), "{costs}");
        Ok(costs[0].clone())
    }
}

#[test]
fn the_longer_chain_is_all_that_the_shorter_leaves() -> Result<()> {
    let scene = Scene::new()?;
    for level in ["-O0", "-O2"] {
        let cost = scene.cost("flat", level, &["state"])?;
        let share = cost["share"].as_f64().context("a share")?;
        // 9 units an iteration become 4, up to what the first and last iteration have besides.
        ensure!(
            (share - 5.0 / 9.0).abs() < 20.0 / (9.0 * N),
            "{level}: {cost}"
        );
        ensure!(cost["class"] == "SERIAL", "{level}: {cost}");
        let cost = scene.cost("flat", level, &["sum"])?;
        ensure!(cost["share"] == 0.0, "{level}: {cost}");
    }
    Ok(())
}

#[test]
fn without_both_chains_the_loops_are_parallel() -> Result<()> {
    let scene = Scene::new()?;
    for (loop_, names) in [("flat", ["state", "sum"]), ("full", ["state[]", "mix"])] {
        let cost = scene.cost(loop_, "-O2", &names)?;
        ensure!(cost["class"] == "DOALL", "{loop_}: {cost}");
        ensure!(
            cost["share"].as_f64().is_some_and(|s| s > 0.9),
            "{loop_}: {cost}"
        );
    }
    Ok(())
}

#[test]
fn a_plan_of_such_a_build_gives_no_directive() -> Result<()> {
    let scene = Scene::new()?;
    let line = marked_line("without/chains.c", "flat")?;
    let cuts = format!("chains.c:{line}:state;chains.c:{line}:sum");
    let profile = scene.record("cut", "-O2", &cuts)?;
    let mut plan = scene.tool.parascan();
    let done = run(plan.arg("plan").arg(profile), LIMIT)?;
    let text = String::from_utf8_lossy(&done.stdout);
    ensure!(text.contains("built without these dependences"), "{text}");
    ensure!(!text.contains("#pragma"), "{text}");
    Ok(())
}

#[test]
fn what_names_no_loop_is_refused() -> Result<()> {
    let scene = Scene::new()?;
    let mut driver = scene.tool.driver(Path::new("chains.c"));
    let object = scene.folder.path().join("chains.o");
    let source = suite_dir().join("without/chains.c");
    driver
        .env("PARASCAN_WITHOUT", "chains.c:sum")
        .arg("-c")
        .arg(source);
    let done = run(driver.arg("-o").arg(&object), LIMIT)?;
    ensure!(done.code() != Some(0), "it was built");
    let errors = done.errors();
    ensure!(
        errors.contains("`chains.c:sum` is no file, line of a loop and name"),
        "{errors}"
    );
    Ok(())
}

#[test]
fn a_profile_that_lacks_nothing_is_refused() -> Result<()> {
    let scene = Scene::new()?;
    // No loop begins there.
    let whole = scene.record("whole", "-O2", "chains.c:1:sum")?;
    let mut explain = scene.tool.parascan();
    let done = run(
        explain
            .arg("explain")
            .arg(&whole)
            .arg("--without")
            .arg(&whole),
        LIMIT,
    )?;
    ensure!(done.code() == Some(2), "{:?}", done.code());
    ensure!(
        done.errors().contains("built with nothing left out"),
        "{}",
        done.errors()
    );
    Ok(())
}
