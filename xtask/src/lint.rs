//! Formatting, clippy, cycles of modules, documentation that only repeats names, unused dependencies, licences,
//! advisories.

use std::process::{Command, Stdio};

use anyhow::Result;

use crate::columns;
use crate::command::{Cargo, run};
use crate::cycles;
use crate::echoes;
use crate::licences;
use crate::places::WorkFolders;
use crate::unused;

/// Fails at the first of them that does not hold.
pub fn lint(places: &WorkFolders) -> Result<()> {
    Cargo::new(places, &["fmt", "--all", "--check"]).run()?;
    // The whole, and the tool as `cargo xtask demo` builds it.
    for of in [
        ["--workspace", "--all-targets"],
        ["--package=parascan", "--no-default-features"],
    ] {
        Cargo::new(places, &["clippy", "--release", "--quiet"])
            .args(&of)
            .args(&["--", "--deny", "warnings"])
            .run()?;
    }
    columns::check(places)?;
    cycles::check(places)?;
    echoes::check(places)?;
    unused(places)?;
    licences(places)?;
    advisories(places)
}

fn installed(tool: &str) -> bool {
    Command::new(tool)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Dependencies that nothing uses: what [`unused::check`] finds, and `cargo machete` where it is installed.
fn unused(places: &WorkFolders) -> Result<()> {
    unused::check(places)?;
    if !installed("cargo-machete") {
        eprintln!(
            "xtask: cargo-machete is not installed: unused dependencies were looked for by xtask alone"
        );
        return Ok(());
    }
    run(Command::new("cargo-machete").current_dir(&places.root))
}

/// `cargo deny` where it is installed, else the list of licences alone.
fn licences(places: &WorkFolders) -> Result<()> {
    if !installed("cargo-deny") {
        eprintln!(
            "xtask: cargo-deny is not installed: of deny.toml only the list of licences was checked, by xtask"
        );
        return licences::check(places);
    }
    run(Command::new("cargo-deny")
        .args(["check", "licenses", "bans", "sources"])
        .current_dir(&places.root))
}

/// Known weaknesses of what is depended on, where `cargo deny` is installed and can fetch their list.
fn advisories(places: &WorkFolders) -> Result<()> {
    let deny = |words: &[&str]| {
        let mut command = Command::new("cargo-deny");
        command.args(words).current_dir(&places.root);
        command
    };
    if !installed("cargo-deny") {
        eprintln!("xtask: cargo-deny is not installed: advisories were not checked");
        return Ok(());
    }
    let fetched = deny(&["fetch", "db"]).stderr(Stdio::null()).status();
    if !fetched.is_ok_and(|status| status.success()) {
        eprintln!(
            "xtask: the list of advisories cannot be fetched from here: they were not checked"
        );
        return Ok(());
    }
    run(&mut deny(&["check", "--disable-fetch", "advisories"]))
}
