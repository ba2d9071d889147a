//! The tool at work on a real program: LIBSVM, built by its own makefile, training a classifier; from recording to a
//! proven speedup.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::build::{self, Extent};
use crate::command::run;
use crate::places::WorkFolders;
use crate::{setup, sources};

/// How often the training set that comes with LIBSVM is repeated for the run that is recorded, of which every access is
/// looked at, and for those that are measured.
const FEW_TIMES: usize = 12;
const TIMES: usize = 200;

/// What is built: the two of its files that make `svm-train`, and what they need.
const FILES: [&str; 4] = ["Makefile", "svm.cpp", "svm.h", "svm-train.c"];

/// Sets up, builds, records LIBSVM, prints its plan and the patch, and proves that.
pub fn demo(places: &WorkFolders) -> Result<()> {
    let extent = Extent::of_tool(places);
    setup::install_beside(&[setup::TOOLCHAIN, setup::DEMO], || {
        build::command_line(places, extent)
    })?;
    build::lay_out(places, extent)?;
    let folder = places.target.join("demo");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;

    let libsvm = sources::package(places, "libsvm-sys")?.join("libsvm");
    for name in FILES {
        let from = libsvm.join(name);
        fs::copy(&from, folder.join(name)).with_context(|| from.display().to_string())?;
    }
    let set = libsvm.join("heart_scale");
    let set = fs::read_to_string(&set).with_context(|| set.display().to_string())?;
    fs::write(folder.join("training"), set.repeat(TIMES))?;
    fs::write(folder.join("few"), set.repeat(FEW_TIMES))?;

    let bin = places.tool("parascan");
    let bin = bin.parent().context("the tool lies in a folder")?;
    let path = format!(
        "{}:{}",
        bin.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    for line in [
        "make -s CC=parascan-cc CXX=parascan-c++ svm-train 2> warnings",
        "parascan record --explain -- ./svm-train -q -c 10 -g 0.5 few model",
        "parascan plan parascan.prof",
        "parascan apply parascan.prof",
        "parascan prove parascan.prof --build 'make CC={cc} CXX={c++} svm-train' --compare model -- ./svm-train -q -c 10 -g 0.5 training model",
    ] {
        shown(&folder, &path, line)?;
    }
    println!(
        "\nThe tool is in {}. What any program's instructions have of parallelism, without compiling it: `cargo xtask tracer` \
         (once, minutes), then `parascan ilp -- PROGRAM`.",
        bin.display()
    );
    Ok(())
}

/// Shows a line and runs it in a shell.
fn shown(folder: &Path, path: &str, line: &str) -> Result<()> {
    println!("\n$ {line}");
    ensure!(folder.is_dir(), "{} is gone", folder.display());
    run(Command::new("sh")
        .args(["-c", line])
        .current_dir(folder)
        .env("PATH", path))
}
