//! Everything that must hold before a change is accepted.

use anyhow::Result;

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
    setup::install(&[setup::TOOLCHAIN, setup::TRACER, setup::TESTING])?;
    step("lint");
    lint::lint(places)?;
    step("build");
    build::build(places)?;
    tracer::build(places)?;
    for packages in [UNITS, TOOL] {
        step(&format!("tests of {}", packages.join(", ")));
        // Release form: tests share what the build made, and the suite's own work is not slowed down.
        let selected: Vec<&str> = packages.iter().flat_map(|p| ["--package", p]).collect();
        Cargo::new(places, &["test", "--release", "--quiet"])
            .args(&selected)
            .env("PARASCAN_HOME", places.home())
            .run()?;
    }
    Ok(())
}

/// Sets up, builds, then tries the pragmas of plans; `rest` is for that program.
pub fn pragmas(places: &Places, rest: &[&str]) -> Result<()> {
    setup::install(&[setup::TOOLCHAIN, setup::TESTING])?;
    build::build(places)?;
    Cargo::new(
        places,
        &[
            "run",
            "--release",
            "--quiet",
            "--package",
            "parascan-suite",
            "--bin",
            "pragmas",
            "--",
        ],
    )
    .args(rest)
    .env("PARASCAN_HOME", places.home())
    .run()
}

fn step(name: &str) {
    eprintln!("xtask: {name}");
}
