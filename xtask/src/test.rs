//! Everything that must hold before a change is accepted.

use std::time::Instant;

use anyhow::{Context, Result};

use crate::build::{self, Extent};
use crate::command::{self, Cargo};
use crate::places::WorkFolders;
use crate::{lint, setup, tracer};

/// Packages with tests. The tracer cannot be a test program: the suite's `tracer` has its unit tests.
const PACKAGES: &[&str] = &[
    "parascan-abi",
    "parascan-system",
    "parascan-formats",
    "parascan-isa",
    "parascan-symbols",
    "parascan-ddg",
    "parascan-trace",
    "parascan-analysis",
    "parascan-views",
    "parascan-marks",
    "parascan-pass",
    "parascan-runtime",
    "parascan-omp",
    "xtask",
    "parascan",
    "parascan-suite",
    "parascan-reference",
    "parascan-bench",
];

/// How much is tried in a night: variables that tests read, with values.
const NIGHT: [(&str, &str); 4] = [
    ("PARASCAN_ADVERSARIES", "all"),
    ("PARASCAN_REFERENCE_CASES", "600"),
    ("PARASCAN_CSMITH_PROGRAMS", "120"),
    ("PARASCAN_LOOP_PROGRAMS", "60"),
];

/// Everything that [`test()`] tries with many more random programs, programs that take minutes to compile, all pragmas,
/// all of the system's programs, and how fast a page of many regions opens: hours, for a night.
pub fn all(places: &WorkFolders) -> Result<()> {
    let tested = test(places, &NIGHT);
    let large = ignored(places, "parascan-bench", "real", &[]);
    let pragmas = suite(places, "pragmas", &[]);
    let programs = suite(places, "programs", &[]);
    let opened = ignored(places, "parascan-views", "report", &["a_hundred_thousand"]);
    tested.and(large).and(pragmas).and(programs).and(opened)
}

/// Runs the tests of a test program that others leave out, those whose names have one of these in them (none: all).
fn ignored(places: &WorkFolders, package: &str, program: &str, names: &[&str]) -> Result<()> {
    Cargo::new(places, &["test", "--release", "--package", package])
        .args(&["--test", program, "--", "--ignored"])
        .args(names)
        .env("PARASCAN_HOME", places.home())
        .run()
}

/// Sets up, builds, lints, tests, with these variables in the environment of tests.
pub fn test(places: &WorkFolders, variables: &[(&str, &str)]) -> Result<()> {
    let begun = Instant::now();
    let step = |name: &str| eprintln!("xtask: {name} (after {} s)", begun.elapsed().as_secs());
    setup::install_beside(&[setup::TOOLCHAIN, setup::TRACER, setup::TESTING], || {
        build::command_line(places, Extent::Whole)
    })?;
    step("lint");
    lint::lint(places)?;
    step("build");
    build::build(places)?;
    tracer::build(places)?;
    step("tests");
    // Release form: tests share what the build made (see `crates/unified`), and the suite's own work is not slowed
    // down. In one command: of several, each would have features of its own, and compile for them anew.
    // Cargo names each test program, which says how many tests it has and how long they took.
    let mut tests = Cargo::new(places, &["test", "--release", "--no-fail-fast"])
        .args(&command::selected(PACKAGES))
        .args(&["--", "--quiet"])
        .env("PARASCAN_HOME", places.home());
    for (name, value) in variables {
        tests = tests.env(name, value);
    }
    let tested = tests.run();
    step("done");
    tested.context("tests failed (cargo names them above)")
}

/// Sets up, builds, then tries the pragmas of plans; `rest` is for that program.
pub fn pragmas(places: &WorkFolders, rest: &[&str]) -> Result<()> {
    setup::install(&[setup::TOOLCHAIN, setup::TESTING])?;
    build::build(places)?;
    suite(places, "pragmas", rest)
}

/// Sets up, builds with the tracer, then runs the system's programs under it; `rest` is for that program.
pub fn programs(places: &WorkFolders, rest: &[&str]) -> Result<()> {
    setup::install(&[setup::TOOLCHAIN, setup::TRACER])?;
    build::build(places)?;
    tracer::build(places)?;
    suite(places, "programs", rest)
}

/// Runs a program of the suite on the laid-out tool.
fn suite(places: &WorkFolders, program: &str, rest: &[&str]) -> Result<()> {
    Cargo::new(
        places,
        &[
            "run",
            "--release",
            "--quiet",
            "--package",
            "parascan-suite",
            "--bin",
            program,
            "--",
        ],
    )
    .args(rest)
    .env("PARASCAN_HOME", places.home())
    .run()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Packages with their features, as cargo resolves them for some packages.
    fn resolved(packages: &[&'static str], edges: &str) -> Result<BTreeSet<String>> {
        let places = WorkFolders::find()?;
        let tree = Cargo::new(&places, &["tree", "--locked", "--prefix", "none"])
            .args(&["--edges", edges, "--format", "{p} {f}"])
            .args(&command::selected(packages))
            .output()?;
        let lines = tree.lines().map(|line| line.trim_end_matches(" (*)"));
        Ok(lines.map(str::to_owned).collect())
    }

    /// A feature that only tests ask for makes cargo compile the package, and all that need it, a second time:
    /// the engines, the analyses, the views. Where this fails, give the feature to `crates/unified`.
    #[test]
    fn build_and_tests_share_what_they_compile() -> Result<()> {
        let build = resolved(build::TOOL, "normal,build")?;
        let tests = resolved(PACKAGES, "normal,build,dev")?;
        let differ: Vec<_> = build.difference(&tests).collect();
        assert!(build.len() > 100 && differ.is_empty(), "{differ:#?}");
        Ok(())
    }
}
