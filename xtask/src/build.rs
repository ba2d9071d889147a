//! Builds the tool and lays it out as it ships.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::command::{self, Cargo, run};
use crate::places::Places;
use crate::setup;

/// Packages that cargo builds in plain release form.
pub const TOOL: &[&str] = &["parascan", "parascan-pass"];

/// Builds everything in release form; `target/parascan` is usable afterwards.
pub fn build(places: &Places) -> Result<()> {
    let missing = setup::missing(&[setup::TOOLCHAIN]);
    if !missing.is_empty() {
        bail!(
            "missing: {}. `cargo xtask setup` installs them",
            missing.join(" ")
        );
    }
    Cargo::new(places, &["build", "--release"])
        .args(&command::selected(TOOL))
        .run()?;
    let (bin, lib) = (
        places.home().join("bin"),
        places.home().join("lib/parascan"),
    );
    for folder in [&bin, &lib] {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let release = places.target.join("release");
    place(
        &release.join("libparascan_pass.so"),
        &lib.join("libparascan_pass.so"),
    )?;
    Cargo::new(
        places,
        &[
            "build",
            "--profile",
            "collector",
            "--package",
            "parascan-omp",
        ],
    )
    .run()?;
    place(
        &places.target.join("collector/libparascan_omp.so"),
        &lib.join("libparascan_omp.so"),
    )?;
    runtime(places, "", &lib.join("libparascan_rt.a"))?;
    runtime(places, "long", &lib.join("libparascan_rt64.a"))?;
    for config in [
        "compile.cfg",
        "debug.cfg",
        "link.cfg",
        "link64.cfg",
        "export.cfg",
    ] {
        fs::copy(
            places.root.join("crates/cli/config").join(config),
            lib.join(config),
        )
        .context(config)?;
    }
    let include = places.home().join("include");
    fs::create_dir_all(&include).with_context(|| include.display().to_string())?;
    for name in ["parascan.h", "parascan.f90"] {
        fs::copy(places.root.join("include").join(name), include.join(name)).context(name)?;
    }
    // What the drivers include, where they find it whatever the layout around them is.
    let header = places.root.join("include/parascan.h");
    fs::copy(header, lib.join("parascan.h")).context("parascan.h")?;
    for name in ["parascan", "parascan-cc", "parascan-c++", "parascan-fc"] {
        place(&release.join("parascan"), &bin.join(name))?;
    }
    Ok(())
}

/// Builds the runtime with `features` and puts its archive in place.
fn runtime(places: &Places, features: &str, to: &Path) -> Result<()> {
    Cargo::new(
        places,
        &[
            "build",
            "--profile",
            "rt",
            "--package",
            "parascan-runtime",
            "--lib",
            "--features",
            features,
        ],
    )
    .run()?;
    let archive = to.with_extension("a.new");
    run(
        Command::new(places.root.join("collectors/runtime/localize.sh"))
            .arg(places.target.join("rt/libparascan_runtime.a"))
            .arg(&archive),
    )?;
    replace(&archive, to)
}

/// Puts a copy of a file (a hard link where possible) in place, never touching a file that is in use.
fn place(from: &Path, to: &Path) -> Result<()> {
    let new = to.with_extension("new");
    let _ = fs::remove_file(&new);
    fs::hard_link(from, &new)
        .or_else(|_| fs::copy(from, &new).map(drop))
        .with_context(|| format!("{} -> {}", from.display(), to.display()))?;
    replace(&new, to)
}

/// Renames. Two hard links to one file are equal to `rename`, which then leaves both.
pub fn replace(new: &Path, to: &Path) -> Result<()> {
    fs::rename(new, to).with_context(|| to.display().to_string())?;
    let _ = fs::remove_file(new);
    Ok(())
}
