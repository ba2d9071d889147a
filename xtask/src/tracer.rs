//! The tracer of `parascan ilp`: DynamoRIO, built from the sources that a published package carries, and its client.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::command::{Cargo, run};
use crate::places::WorkFolders;
use crate::{build, setup, sources};

/// Changes when DynamoRIO has to be built anew though its sources are the same.
const RECIPE: &str = "1";

/// What of DynamoRIO is built. None of it is LGPL.
const TARGETS: [&str; 3] = ["dynamorio", "drmgr_static", "drreg_static"];

/// Installs what it takes, builds the tracer and adds it to the laid-out tool. DynamoRIO takes minutes the first time.
pub fn build(places: &WorkFolders) -> Result<()> {
    setup::install(&[setup::TRACER])?;
    let source = sources::package(places, "dynamorio-sys")?.join("dynamorio");
    let folder = dynamorio(places, &source)?;
    Cargo::new(
        places,
        &["build", "--profile", "rt", "--package", "parascan-tracer"],
    )
    .env("PARASCAN_DYNAMORIO", &folder)
    .run()?;
    let lib = places.home().join("lib/parascan");
    fs::create_dir_all(&lib).with_context(|| lib.display().to_string())?;
    // Its licence asks to be passed on with it.
    fs::copy(
        source.join("License.txt"),
        lib.join("DynamoRIO-License.txt"),
    )
    .with_context(|| source.display().to_string())?;
    strip(
        &folder.join("lib64/release/libdynamorio.so"),
        &lib.join("libdynamorio.so"),
    )?;
    strip(
        &places.target.join("rt/libparascan_tracer.so"),
        &lib.join("libparascan_tracer.so"),
    )
}

/// The folder with DynamoRIO, built if it is not there.
fn dynamorio(places: &WorkFolders, source: &Path) -> Result<PathBuf> {
    let folder = places.target.join("dynamorio");
    let stamp = folder.join("built");
    let recipe = format!("{} {RECIPE}", source.display());
    if fs::read_to_string(&stamp).is_ok_and(|built| built == recipe) {
        return Ok(folder);
    }
    eprintln!("xtask: building DynamoRIO, which takes a few minutes");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let mut configure = Command::new("cmake");
    configure.arg("-S").arg(source).arg("-B").arg(&folder);
    configure.arg("-DCMAKE_BUILD_TYPE=Release");
    for part in ["CLIENTS", "DOCS", "SAMPLES", "TESTS", "TOOLS", "DRSTATS"] {
        configure.arg(format!("-DBUILD_{part}=NO"));
    }
    logged(&mut configure, &folder.join("configure.log"))?;
    let mut make = Command::new("cmake");
    make.arg("--build").arg(&folder).arg("--parallel");
    make.arg(
        std::thread::available_parallelism()
            .map_or(1, |n| n.get())
            .to_string(),
    );
    make.arg("--target").args(TARGETS);
    logged(&mut make, &folder.join("build.log"))?;
    fs::write(&stamp, recipe).with_context(|| stamp.display().to_string())?;
    Ok(folder)
}

/// Runs a command that says much; all of it goes to a file.
fn logged(command: &mut Command, log: &Path) -> Result<()> {
    let file = fs::File::create(log).with_context(|| log.display().to_string())?;
    command.stdout(file.try_clone()?).stderr(file);
    run(command).with_context(|| format!("see {}", log.display()))
}

/// Puts a library in place without its debug sections.
fn strip(from: &Path, to: &Path) -> Result<()> {
    let new = to.with_extension("new");
    run(Command::new("objcopy")
        .arg("--strip-debug")
        .arg(from)
        .arg(&new))?;
    build::replace(&new, to)
}
