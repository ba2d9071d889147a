//! Links DynamoRIO, which `cargo xtask tracer` builds and whose build folder it names. Checks (`cargo clippy`) link
//! nothing.

fn main() {
    println!("cargo:rerun-if-env-changed=PARASCAN_DYNAMORIO");
    let Ok(folder) = std::env::var("PARASCAN_DYNAMORIO") else {
        return;
    };
    println!("cargo:rustc-link-search=native={folder}/lib64/release");
    println!("cargo:rustc-link-search=native={folder}/ext/lib64/release");
    for library in ["drreg_static", "drmgr_static", "drcontainers"] {
        println!("cargo:rustc-link-lib=static:-bundle={library}");
    }
    println!("cargo:rustc-link-lib=dylib=dynamorio");
    // No libc: DynamoRIO would have to load a private copy of it into the program.
    for argument in [
        "-nostartfiles",
        "-nodefaultlibs",
        "-Wl,-z,defs",
        "-Wl,--gc-sections",
    ] {
        println!("cargo:rustc-cdylib-link-arg={argument}");
    }
}
