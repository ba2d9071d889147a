//! Formatting, clippy, licences.

use std::process::{Command, Stdio};

use anyhow::Result;

use crate::command::{Cargo, run};
use crate::licences;
use crate::places::Places;

/// Fails at the first of them that does not hold.
pub fn lint(places: &Places) -> Result<()> {
    Cargo::new(places, &["fmt", "--all", "--check"]).run()?;
    Cargo::new(
        places,
        &[
            "clippy",
            "--release",
            "--quiet",
            "--workspace",
            "--all-targets",
            "--",
            "--deny",
            "warnings",
        ],
    )
    .run()?;
    licences(places)
}

/// `cargo deny` where it is installed (without advisories, which need the network), else the list of licences alone.
fn licences(places: &Places) -> Result<()> {
    let there = Command::new("cargo-deny")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success());
    if there {
        return run(Command::new("cargo-deny")
            .args(["check", "licenses", "bans", "sources"])
            .current_dir(&places.root));
    }
    licences::check(places)
}
