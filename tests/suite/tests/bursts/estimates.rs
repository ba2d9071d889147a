//! What the profile of a long run says: estimates that follow from its bursts, and counts of all of it.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use parascan_suite::process::run;
use parascan_suite::tool::{LIMIT, Setup};
use serde_json::Value;

use crate::{PROGRAM, SHORT_BEGINNING, build_usual, region, regions};

#[test]
fn long_runs_are_estimated_and_say_so() -> Result<()> {
    let setup = Setup::new()?;
    let program = build_usual(&setup, &[])?;
    let steps = "3000";
    let plain = run(Command::new(&program).arg(steps), LIMIT)?;
    let (profile, exact) = (setup.path("b.prof"), setup.path("e.prof"));
    let recorded = setup.tool.record_with(
        &["--beginning", "0.3", "--seed", "7"],
        &program,
        &[steps],
        &profile,
    )?;
    assert_eq!(recorded.code(), Some(3), "{}", recorded.errors());
    assert_eq!(recorded.text(), plain.text());
    let found = regions(&setup, &profile)?;
    let bursts = &found["profiles"][0]["bursts"];
    assert_eq!(bursts["seed"], 7);
    assert_eq!(bursts["native"], true);
    assert!(bursts["count"].as_u64() > Some(5), "{bursts}");
    assert!(
        bursts["work"].as_f64() < found["work"].as_f64().map(|w| w / 2.0),
        "{bursts}"
    );
    // A tenth of the run, tracked as a whole, for comparison.
    let recorded =
        setup
            .tool
            .record_with(&["--exact", "--levels", "0..8"], &program, &["300"], &exact)?;
    assert_eq!(recorded.code(), Some(3), "{}", recorded.errors());
    let whole = regions(&setup, &exact)?;
    assert!(whole["profiles"][0]["bursts"].is_null());
    for (function, kind) in [
        ("smooth", "loop"),
        ("chain", "loop"),
        ("smooth", "function"),
    ] {
        let (part, all) = (
            region(&found, function, kind)?,
            region(&whole, function, kind)?,
        );
        assert_eq!(part["class"], all["class"], "{function}");
        let figure = |row: &Value, name: &str| row[name].as_f64().context("a number");
        assert_eq!(
            figure(part, "instances")?,
            10.0 * figure(all, "instances")?,
            "{function}"
        );
        let error = figure(part, "coverage_error")?;
        let off = (figure(part, "coverage")? - figure(all, "coverage")?).abs();
        // The run's beginning and end, which differ.
        assert!(off <= error + 0.01, "{function} {kind}: {off} of {error}");
        let (a, b) = (
            figure(part, "self_parallelism")?,
            figure(all, "self_parallelism")?,
        );
        assert!((a / b - 1.0).abs() < 0.05, "{function} {kind}: {a} for {b}");
        assert!(part["seen_whole"].as_u64() < part["instances"].as_u64());
    }
    for command in ["plan", "regions", "effort", "types", "chart"] {
        let printed = run(setup.tool.parascan().arg(command).arg(&profile), LIMIT)?;
        assert_eq!(printed.code(), Some(0), "{command}: {}", printed.errors());
        let text = printed.text();
        assert!(text.contains("(estimates)"), "{command}: {text}");
    }
    let page = setup.path("report.html");
    let mut report = setup.tool.parascan();
    let done = run(
        report.arg("report").arg(&profile).arg("-o").arg(&page),
        LIMIT,
    )?;
    assert_eq!(done.code(), Some(0), "{}", done.errors());
    // Nobody saw `main` whole: not serial.
    let main = region(&found, "main", "function")?;
    assert_eq!(main["class"], "UNSEEN");
    assert!(main["self_parallelism"].is_null() && found["critical_path"].is_null());
    Ok(())
}

#[test]
fn no_code_follows_from_a_part_of_the_run_and_a_look_at_all_of_it_has_code() -> Result<()> {
    let setup = Setup::new()?;
    let program = build_usual(&setup, &[])?;
    let profile = setup.path("b.prof");
    let plan = || -> Result<Vec<Value>> {
        let mut command = setup.tool.parascan();
        let printed = run(
            command
                .args(["plan", "--ideal", "--format", "json"])
                .arg(&profile),
            LIMIT,
        )?;
        let plan: Value = serde_json::from_str(&printed.text())?;
        plan["plan"].as_array().cloned().context("a plan")
    };
    setup
        .tool
        .record_with(SHORT_BEGINNING, &program, &["1000"], &profile)?;
    let entries = plan()?;
    assert!(!entries.is_empty());
    for entry in entries.iter().filter(|e| !e["seen_whole"].is_null()) {
        assert!(
            entry["pragma"].is_null() && entry["patch"].is_null(),
            "{entry}"
        );
    }
    let recorded = setup.tool.record_with(
        &["--beginning", "0.3", "--explain"],
        &program,
        &["200"],
        &profile,
    )?;
    assert_eq!(recorded.code(), Some(3), "{}", recorded.errors());
    let entries = plan()?;
    let smooth = entries.iter().find(|e| e["function"] == "main");
    let smooth = smooth.context("the loop over rows")?;
    assert_eq!(smooth["certainty"], "observed", "{smooth}");
    Ok(())
}

#[test]
fn repeated_runs_add_up() -> Result<()> {
    let setup = Setup::new()?;
    let program = build_usual(&setup, &[])?;
    let profile = setup.path("b.prof");
    setup
        .tool
        .record_with(SHORT_BEGINNING, &program, &["1500"], &profile)?;
    let one = regions(&setup, &profile)?;
    let recorded = setup.tool.record_with(
        &["--beginning", "0.3", "--repeat", "3"],
        &program,
        &["1500"],
        &profile,
    )?;
    assert_eq!(recorded.code(), Some(3), "{}", recorded.errors());
    assert!(
        recorded.errors().contains("3 runs in bursts"),
        "{}",
        recorded.errors()
    );
    let three = regions(&setup, &profile)?;
    let count = |found: &Value| found["profiles"][0]["bursts"]["count"].as_u64();
    assert!(
        count(&three) > count(&one),
        "{:?} {:?}",
        count(&three),
        count(&one)
    );
    for (function, kind) in [("smooth", "loop"), ("chain", "function")] {
        let instances = |found| -> Result<u64> {
            region(found, function, kind)?["instances"]
                .as_u64()
                .context("a number")
        };
        assert_eq!(instances(&three)?, 3 * instances(&one)?, "{function}");
        let coverage = |found| -> Result<f64> {
            region(found, function, kind)?["coverage"]
                .as_f64()
                .context("a number")
        };
        assert!(
            (coverage(&three)? - coverage(&one)?).abs() < 0.1,
            "{function}"
        );
    }
    // What is short is measured as a whole, once.
    let recorded = setup
        .tool
        .record_with(&["--repeat", "3", "-q"], &program, &["3"], &profile)?;
    assert_eq!(recorded.code(), Some(3), "{}", recorded.errors());
    assert!(regions(&setup, &profile)?["profiles"][0]["bursts"].is_null());
    Ok(())
}

/// Behind `--until` nothing is tracked, but all is counted.
#[test]
fn nothing_is_tracked_behind_a_time_that_was_given() -> Result<()> {
    let setup = Setup::new()?;
    let program = build_usual(&setup, &[])?;
    let profile = setup.path("u.prof");
    let bursts = |flags: &[&str]| {
        let flags: Vec<&str> = SHORT_BEGINNING.iter().chain(flags).copied().collect();
        let recorded = setup
            .tool
            .record_with(&flags, &program, &["4000"], &profile)?;
        ensure!(recorded.code() == Some(3), "{}", recorded.errors());
        let found = regions(&setup, &profile)?;
        let count = found["profiles"][0]["bursts"]["count"].as_u64();
        let calls = region(&found, "smooth", "function")?["instances"].as_u64();
        ensure!(calls == Some(4000 * 600), "{calls:?}");
        count.context("bursts")
    };
    let (all, some, none) = (
        bursts(&[])?,
        bursts(&["--until", "0.5"])?,
        bursts(&["--until", "0.1"])?,
    );
    ensure!(
        none == 0 && 2 * some < all,
        "{none}, {some} and {all} bursts"
    );
    Ok(())
}

/// A killed program leaves what its bursts saw.
#[test]
fn killed_programs_leave_a_profile() -> Result<()> {
    let setup = Setup::new()?;
    let text = PROGRAM
        .replace(
            "#include <stdlib.h>",
            "#include <signal.h>\n#include <stdlib.h>",
        )
        .replace(
            "y += deep",
            "if (s == 900) raise(SIGKILL);\n        y += deep",
        );
    let program = setup.build(&text, &["-O1", "-g"])?;
    let profile = setup.path("b.prof");
    let recorded = setup
        .tool
        .record_with(SHORT_BEGINNING, &program, &["3000"], &profile)?;
    assert!(recorded.code() != Some(3));
    let found = regions(&setup, &profile)?;
    assert_eq!(found["profiles"][0]["partial"], true);
    assert_eq!(found["profiles"][0]["signal"], 9);
    let smooth = region(&found, "smooth", "function")?;
    // 600 in each of the steps, of which the last was left.
    assert_eq!(smooth["instances"], 600 * 901);
    Ok(())
}

/// Multiplications that take a thousand units, so that bursts see more than clocks can hold: they start again between
/// bursts, and figures are right all the time.
const SLOW: &str = "
#include <stdio.h>
volatile unsigned seed = 3;
__attribute__((noinline)) static unsigned chain(unsigned x) {
    for (int i = 0; i < 500; i++)
        x = x * 5 ^ i;
    return x;
}
int main(void) {
    unsigned x = seed;
    for (int k = 0; k < 1000000; k++)
        x = chain(x);
    printf(\"%u\\n\", x);
}
";

#[test]
fn clocks_start_again_between_bursts() -> Result<()> {
    let setup = Setup::new()?;
    let table = setup.path("slow.toml");
    let mut latencies = setup.tool.parascan();
    let printed = run(latencies.args(["latencies", "--format", "toml"]), LIMIT)?;
    std::fs::write(
        &table,
        printed.text().replace("int_mul = 3", "int_mul = 1000"),
    )?;
    let latency = format!("--parascan-latency={}", table.display());
    let program = setup.build(SLOW, &["-O1", "-g", &latency])?;
    let plain = run(&mut Command::new(&program), LIMIT)?;
    let profile = setup.path("a.prof");
    let recorded = setup
        .tool
        .record_with(&["--overhead", "100"], &program, &[], &profile)?;
    assert_eq!(recorded.text(), plain.text());
    let found = regions(&setup, &profile)?;
    let bursts = &found["profiles"][0]["bursts"];
    assert_eq!(bursts["ended"], false, "{bursts}");
    // More than clocks hold, all of it one chain.
    assert!(bursts["work"].as_f64() > Some(3e9), "{bursts}");
    let chain = region(&found, "chain", "function")?;
    assert_eq!(chain["instances"], 1_000_000);
    let figure = |name: &str| chain[name].as_f64().context("a number");
    // 500 multiplications one after the other, and as many operations beside them.
    let each = figure("critical_path")? / 1e6;
    assert!((500_000.0..503_000.0).contains(&each), "{each}");
    assert!(chain["seen_whole"].as_u64() > Some(5000), "{chain}");
    assert!(figure("self_parallelism")? < 1.1);
    Ok(())
}
