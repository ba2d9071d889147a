//! The tool at work on a real program: zlib, built by its own sources, compressing the source code of SQLite.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::command::{Cargo, run};
use crate::places::Places;
use crate::{build, setup};

/// Bytes that are compressed.
const INPUT: u64 = 2_000_000;

/// Sets up, builds, records zlib on real input and prints its plan.
pub fn demo(places: &Places) -> Result<()> {
    setup::install(&[setup::TOOLCHAIN])?;
    build::build(places)?;
    let folder = places.target.join("demo");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;

    let metadata = Cargo::new(places, &["metadata", "--locked", "--format-version", "1"])
        .args(&["--filter-platform", "x86_64-unknown-linux-gnu"])
        .args(&["--manifest-path", "bench/sources/Cargo.toml"])
        .output()?;
    let zlib = package(&metadata, "libz-sys")?.join("src/zlib");
    let sqlite = package(&metadata, "libsqlite3-sys")?.join("sqlite3/sqlite3.c");
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
    shown("parascan record -- ./zlib c 6 input input.z");
    run(in_demo("parascan").args(["record", "--", "./zlib", "c", "6", "input", "input.z"]))?;
    shown("parascan plan parascan.prof");
    run(in_demo("parascan").args(["plan", "parascan.prof"]))
}

fn shown(line: &str) {
    println!("\n$ {line}");
}

/// Folder of a package, out of what `cargo metadata` printed.
fn package(metadata: &str, name: &str) -> Result<PathBuf> {
    let manifests = metadata
        .split("\"manifest_path\":\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    let folders = manifests.filter_map(|manifest| Path::new(manifest).parent());
    let is_it = |folder: &&Path| {
        let versioned = folder
            .file_name()
            .and_then(|n| n.to_str())
            .and_then(|n| n.strip_prefix(name)?.strip_prefix('-'));
        versioned.is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
    };
    let mut found = folders.filter(is_it);
    found
        .next()
        .map(Path::to_owned)
        .with_context(|| format!("bench/sources does not name {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_found_by_their_folder() {
        let metadata = r#"{"manifest_path":"/r/libz-sys-ng-1.0.0/Cargo.toml","x":1},{"manifest_path":"/r/libz-sys-1.1.31/Cargo.toml"}"#;
        assert_eq!(
            package(metadata, "libz-sys").unwrap(),
            Path::new("/r/libz-sys-1.1.31")
        );
        assert!(package(metadata, "lib").is_err());
    }
}
