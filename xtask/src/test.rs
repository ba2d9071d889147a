//! Everything that must hold before a change is accepted.

use std::time::Instant;

use anyhow::{Result, ensure};

use crate::command::Cargo;
use crate::places::Places;
use crate::{build, lint, setup, tracer};

/// Packages whose tests need nothing of parascan but themselves.
const UNITS: &[&str] = &[
    "parascan-abi",
    "parascan-formats",
    "parascan-isa",
    "parascan-ddg",
    "parascan-analysis",
    "parascan-views",
    "parascan-marks",
    "parascan-pass",
    "parascan-runtime",
    "xtask",
];
/// Packages whose tests run the laid-out tool.
const TOOL: &[&str] = &[
    "parascan",
    "parascan-suite",
    "parascan-reference",
    "parascan-bench",
];

/// Sets up, builds, lints, tests.
pub fn test(places: &Places) -> Result<()> {
    let begun = Instant::now();
    let step = |name: &str| eprintln!("xtask: {name} (after {} s)", begun.elapsed().as_secs());
    setup::install(&[setup::TOOLCHAIN, setup::TRACER, setup::TESTING])?;
    step("lint");
    lint::lint(places)?;
    step("build");
    build::build(places)?;
    tracer::build(places)?;
    let mut failed = Vec::new();
    for packages in [UNITS, TOOL] {
        step(&format!("tests of {}", packages.join(", ")));
        // Release form: tests share what the build made, and the suite's own work is not slowed down.
        let selected: Vec<&str> = packages.iter().flat_map(|p| ["--package", p]).collect();
        let tested = Cargo::new(places, &["test", "--release", "--quiet", "--no-fail-fast"])
            .args(&selected)
            .env("PARASCAN_HOME", places.home())
            .run();
        // All failures are told: what fails in one group says nothing of the other.
        if let Err(error) = tested {
            failed.push(format!("{error:#}"));
        }
    }
    step("done");
    ensure!(
        failed.is_empty(),
        "tests failed (cargo names them at the end of each group above):\n{}",
        failed.join("\n")
    );
    Ok(())
}

/// Sets up, builds, then tries the pragmas of plans; `rest` is for that program.
pub fn pragmas(places: &Places, rest: &[&str]) -> Result<()> {
    setup::install(&[setup::TOOLCHAIN, setup::TESTING])?;
    build::build(places)?;
    suite(places, "pragmas", rest)
}

/// Sets up, builds with the tracer, then runs the system's programs under it; `rest` is for that program.
pub fn programs(places: &Places, rest: &[&str]) -> Result<()> {
    setup::install(&[setup::TOOLCHAIN, setup::TRACER])?;
    build::build(places)?;
    tracer::build(places)?;
    suite(places, "programs", rest)
}

/// Runs a program of the suite on the laid-out tool.
fn suite(places: &Places, program: &str, rest: &[&str]) -> Result<()> {
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
