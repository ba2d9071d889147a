//! Runs on the machine that builds, and is not measured.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}
