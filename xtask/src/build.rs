//! Builds the tool and lays it out as it ships.

use std::path::Path;
use std::process::{Command, Stdio};
use std::{fs, iter};

use anyhow::{Context, Result, bail};

use crate::command::{self, Cargo, run};
use crate::places::WorkFolders;
use crate::setup;

/// Names under which the binary is a driver: of a compiler, a linker, cargo.
pub const DRIVERS: [&str; 5] = [
    "parascan-cc",
    "parascan-c++",
    "parascan-fc",
    "parascan-link",
    "cargo-parascan",
];

/// Packages that cargo builds in plain release form.
pub const TOOL: &[&str] = &["parascan", "parascan-pass"];

/// How much of the tool is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Whole,
    /// Without `parascan ilp`, which wants its tracer first, and PNG: these take half of the time to compile.
    Small,
}

impl Extent {
    fn options(self) -> &'static [&'static str] {
        match self {
            Self::Whole => &[],
            Self::Small => &["--no-default-features"],
        }
    }

    /// What is laid out already, so that nothing is taken away from it.
    pub fn of_tool(places: &WorkFolders) -> Self {
        let mut help = Command::new(places.tool("parascan"));
        help.args(["ilp", "--help"]).stdin(Stdio::null());
        let help = help.stdout(Stdio::null()).stderr(Stdio::null()).status();
        match help.is_ok_and(|status| status.success()) {
            true => Self::Whole,
            false => Self::Small,
        }
    }
}

/// Builds the part of the tool that needs nothing but Rust and a C compiler.
pub fn command_line(places: &WorkFolders, extent: Extent) -> Result<()> {
    Cargo::new(places, &["build", "--release", "--package", "parascan"])
        .args(extent.options())
        .run()
}

/// Builds everything in release form; `target/parascan` is usable afterwards.
pub fn build(places: &WorkFolders) -> Result<()> {
    lay_out(places, Extent::Whole)
}

/// Builds, in release form, so much; `target/parascan` is usable afterwards.
pub fn lay_out(places: &WorkFolders, extent: Extent) -> Result<()> {
    let missing = setup::missing(&[setup::TOOLCHAIN]);
    if !missing.is_empty() {
        bail!(
            "missing: {}. `cargo xtask setup` installs them",
            missing.join(" ")
        );
    }
    Cargo::new(places, &["build", "--release"])
        .args(&command::selected(TOOL))
        .args(extent.options())
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
        "fortran.cfg",
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
    for name in iter::once("parascan").chain(DRIVERS) {
        place(&release.join("parascan"), &bin.join(name))?;
    }
    Ok(())
}

/// Builds the runtime with `features` and puts its archive in place.
fn runtime(places: &WorkFolders, features: &str, to: &Path) -> Result<()> {
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
