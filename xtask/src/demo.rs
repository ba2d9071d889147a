//! The tool at work on a real program: zlib, built by its own sources, compressing the source code of SQLite.

use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::command::run;
use crate::places::Places;
use crate::{build, setup, sources};

/// Bytes that are compressed.
const INPUT: u64 = 2_000_000;

/// Sets up, builds, records zlib on real input and prints its plan.
pub fn demo(places: &Places) -> Result<()> {
    setup::install(&[setup::TOOLCHAIN])?;
    build::build(places)?;
    let folder = places.target.join("demo");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;

    let zlib = sources::package(places, "libz-sys")?.join("src/zlib");
    let sqlite = sources::package(places, "libsqlite3-sys")?.join("sqlite3/sqlite3.c");
    let text = fs::File::open(&sqlite).with_context(|| sqlite.display().to_string())?;
    let mut input = Vec::new();
    text.take(INPUT).read_to_end(&mut input)?;
    fs::write(folder.join("input"), input)?;

    let in_demo = |name: &str| {
        let mut command = Command::new(places.tool(name));
        command.current_dir(&folder);
        command
    };
    let mut sources: Vec<PathBuf> = fs::read_dir(&zlib)?
        .filter_map(|e| Some(e.ok()?.path()))
        .collect();
    sources.retain(|path| path.extension().is_some_and(|e| e == "c"));
    sources.sort();
    ensure!(!sources.is_empty(), "{} holds no sources", zlib.display());
    shown("parascan-cc -O2 .../zlib/*.c bench/drivers/zlib.c -o zlib");
    run(in_demo("parascan-cc")
        .args([
            "-O2",
            "-DHAVE_UNISTD_H",
            "-D_LARGEFILE64_SOURCE",
            "-o",
            "zlib",
            "-I",
        ])
        .arg(&zlib)
        .args(&sources)
        .arg(places.root.join("bench/drivers/zlib.c")))?;
    shown("parascan record --explain -- ./zlib c 6 input input.z");
    run(in_demo("parascan").args([
        "record",
        "--explain",
        "--",
        "./zlib",
        "c",
        "6",
        "input",
        "input.z",
    ]))?;
    shown("parascan plan parascan.prof");
    run(in_demo("parascan").args(["plan", "parascan.prof"]))
}

fn shown(line: &str) {
    println!("\n$ {line}");
}
