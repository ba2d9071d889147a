//! Compiles the C++ shim against the LLVM that `LLVM_SYS_221_PREFIX` names.

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
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .files([
            "shim/plugin.cpp",
            "shim/accessors.cpp",
            "shim/allocated.cpp",
            "shim/analysis.cpp",
            "shim/callers.cpp",
            "shim/classes.cpp",
            "shim/deps.cpp",
            "shim/folds.cpp",
            "shim/infinities.cpp",
            "shim/kept.cpp",
            "shim/labels.cpp",
            "shim/leaves.cpp",
            "shim/lent.cpp",
            "shim/lives.cpp",
            "shim/names.cpp",
            "shim/ranges.cpp",
            "shim/rewrite.cpp",
            "shim/source.cpp",
            "shim/steps.cpp",
            "shim/streams.cpp",
            "shim/sites.cpp",
            "shim/vectors.cpp",
            "shim/versions.cpp",
        ])
        .flag("-isystem")
        .flag(&include)
        .flag("-fno-exceptions")
        .flag("-fno-rtti")
        .flag("-Wall")
        .flag("-Wextra")
        .define("_GNU_SOURCE", None)
        .define("__STDC_CONSTANT_MACROS", None)
        .define("__STDC_FORMAT_MACROS", None)
        .define("__STDC_LIMIT_MACROS", None)
        .opt_level(2)
        .compile("parascan_shim");
}
