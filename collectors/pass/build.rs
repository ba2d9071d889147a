//! Compiles the C++ shim against the LLVM that `LLVM_SYS_221_PREFIX` names.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=shim");
    println!("cargo::rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    let prefix =
        std::env::var("LLVM_SYS_221_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".to_owned());
    let include = Command::new(format!("{prefix}/bin/llvm-config"))
        .arg("--includedir")
        .output()
        .ok()
        .filter(|o| o.status.success())
        .map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned())
        .unwrap_or_else(|| {
            panic!("no LLVM 22 at {prefix}: run `cargo xtask setup`, or set LLVM_SYS_221_PREFIX")
        });
    let mut build = cc::Build::new();
    let clang = format!("{prefix}/bin/clang++");
    if std::env::var_os("CXX").is_none() && Path::new(&clang).exists() {
        // A quarter faster than GCC with these headers.
        build.compiler(clang);
    }
    build
        .cpp(true)
        .std("c++17")
        .file(one_unit())
        .include("shim")
        // `std::stable_sort` of libstdc++ 12 calls what C++17 deprecates.
        .flag("-Wno-deprecated-declarations")
        // Line tables are enough for what a crash says, and a tenth of the size.
        .debug(false)
        .flag("-gline-tables-only")
        .flag("-isystem")
        .flag(&include)
        .flag("-fno-exceptions")
        .flag("-fno-rtti")
        .flag("-Wextra")
        .define("_GNU_SOURCE", None)
        .define("__STDC_CONSTANT_MACROS", None)
        .define("__STDC_FORMAT_MACROS", None)
        .define("__STDC_LIMIT_MACROS", None)
        .opt_level(2)
        .compile("parascan_shim");
}

/// A file that includes all others. Nearly all of the time goes into LLVM's headers, which are read once then: 30
/// instead of 126 seconds of one core.
fn one_unit() -> PathBuf {
    let root = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let out = std::env::var("OUT_DIR").expect("cargo sets it");
    let mut files: Vec<PathBuf> = std::fs::read_dir(format!("{root}/shim"))
        .expect("the shim's folder is beside this file")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cpp"))
        .collect();
    files.sort();
    let lines = files
        .iter()
        .map(|path| format!("#include \"{}\"\n", path.display()));
    let text: String = lines.collect();
    let unit = PathBuf::from(out).join("shim.cpp");
    std::fs::write(&unit, text).expect("cargo's folder for what is generated can be written to");
    unit
}
