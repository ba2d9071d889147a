//! The files that belong to the binary: pass plugin, runtime archive and configuration files of clang and flang.

use std::path::{Path, PathBuf};

use crate::exit::{Failure, FailureKind, Outcome};

/// Environment variable that names the library folder, for installations with another layout.
pub const ENV_LIBDIR: &str = "PARASCAN_LIBDIR";

const FILES: [&str; 9] = [
    "libparascan_pass.so",
    "libparascan_rt.a",
    "libparascan_rt64.a",
    "compile.cfg",
    "debug.cfg",
    "fortran.cfg",
    "link.cfg",
    "link64.cfg",
    "export.cfg",
];

/// A complete library folder.
#[derive(Debug)]
pub struct Installation {
    lib: PathBuf,
}

/// The tracer that runs any program: files that `cargo xtask tracer` adds to the library folder.
#[derive(Debug)]
pub struct Tracer {
    /// DynamoRIO, which is executed in the program's place.
    pub dynamorio: PathBuf,
    /// `libparascan_tracer.so`, which DynamoRIO loads into the program.
    pub client: PathBuf,
}

impl Tracer {
    /// Finds the tracer and DynamoRIO in the library folder.
    pub fn find() -> Outcome<Self> {
        let lib = folder()?;
        let lib = std::path::absolute(&lib).unwrap_or(lib);
        let [dynamorio, client] = ["libdynamorio.so", "libparascan_tracer.so"];
        check(
            &lib,
            &[dynamorio, client],
            "build the tracer with `cargo xtask tracer`",
        )?;
        Ok(Self {
            dynamorio: lib.join(dynamorio),
            client: lib.join(client),
        })
    }
}

/// The library that `parascan omp` loads into programs.
pub fn collector() -> Outcome<PathBuf> {
    let lib = folder()?;
    check(&lib, &["libparascan_omp.so"], WHOLE)?;
    Ok(lib.join("libparascan_omp.so"))
}

/// The header with the calls that marks of the source become.
pub fn marks() -> Outcome<PathBuf> {
    let lib = folder()?;
    let lib = std::path::absolute(&lib).unwrap_or(lib);
    check(&lib, &["parascan.h"], WHOLE)?;
    Ok(lib.join("parascan.h"))
}

/// `PARASCAN_LIBDIR`, or `../lib/parascan` beside the folder of the running binary.
fn folder() -> Outcome<PathBuf> {
    if let Some(lib) = std::env::var_os(ENV_LIBDIR) {
        return Ok(PathBuf::from(lib));
    }
    std::env::current_exe()
        .ok()
        .and_then(|exe| Some(exe.parent()?.parent()?.join("lib/parascan")))
        .ok_or_else(|| {
            Failure::new(
                FailureKind::Unavailable,
                "the place of parascan's own binary is unknown; set PARASCAN_LIBDIR",
            )
        })
}

const WHOLE: &str = "build the whole of parascan with `cargo xtask build`";

/// Whether all files are there; `remedy` says how else they come there.
fn check(lib: &Path, files: &[&str], remedy: &str) -> Outcome<()> {
    match files.iter().find(|name| !lib.join(name).is_file()) {
        None => Ok(()),
        Some(name) => Err(Failure::new(
            FailureKind::Unavailable,
            format!(
                "{} is missing; {remedy}, or set {ENV_LIBDIR} to the folder that has it",
                lib.join(name).display()
            ),
        )),
    }
}

impl Installation {
    /// The library folder, if it has everything.
    pub fn find() -> Outcome<Self> {
        let lib = folder()?;
        check(&lib, &FILES, WHOLE)?;
        Ok(Self { lib })
    }

    /// A file of the library folder.
    pub fn file(&self, name: &str) -> PathBuf {
        debug_assert!(FILES.contains(&name), "{name} is not shipped");
        self.lib.join(Path::new(name))
    }
}
