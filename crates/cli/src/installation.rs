//! The files that belong to the binary: pass plugin, runtime archive and clang configuration files.

use std::path::{Path, PathBuf};

use crate::exit::{Failure, Kind, Outcome};

/// Environment variable that names the library folder, for installations with another layout.
pub const ENV_LIBDIR: &str = "PARASCAN_LIBDIR";

const FILES: [&str; 8] = [
    "libparascan_pass.so",
    "libparascan_rt.a",
    "libparascan_rt64.a",
    "compile.cfg",
    "debug.cfg",
    "link.cfg",
    "link64.cfg",
    "export.cfg",
];

/// A complete library folder.
#[derive(Debug)]
pub struct Installation {
    lib: PathBuf,
}

/// `PARASCAN_LIBDIR`, or `../lib/parascan` beside the folder of the running binary.
fn folder() -> Outcome<PathBuf> {
    match std::env::var_os(ENV_LIBDIR) {
        Some(lib) => Ok(PathBuf::from(lib)),
        None => std::env::current_exe()
            .ok()
            .and_then(|exe| Some(exe.parent()?.parent()?.join("lib/parascan")))
            .ok_or_else(|| {
                Failure::new(
                    Kind::Unavailable,
                    "the place of parascan's own binary is unknown; set PARASCAN_LIBDIR",
                )
            }),
    }
}

/// The tracer that runs any program: files that `cargo xtask tracer` adds to the library folder.
#[derive(Debug)]
pub struct Tracer {
    /// DynamoRIO, which is executed in the program's place.
    pub dynamorio: PathBuf,
    /// Its client.
    pub client: PathBuf,
}

impl Tracer {
    /// In the library folder.
    pub fn find() -> Outcome<Self> {
        let lib = folder()?;
        let lib = std::path::absolute(&lib).unwrap_or(lib);
        let file = |name: &str| {
            let file = lib.join(name);
            if file.is_file() {
                return Ok(file);
            }
            let file = file.display();
            Err(Failure::new(
                Kind::Unavailable,
                format!(
                    "{file} is missing; build the tracer with `cargo xtask tracer`, or set {ENV_LIBDIR} to the folder that has it"
                ),
            ))
        };
        Ok(Self {
            dynamorio: file("libdynamorio.so")?,
            client: file("libparascan_tracer.so")?,
        })
    }
}

impl Installation {
    /// In the library folder.
    pub fn find() -> Outcome<Self> {
        let lib = folder()?;
        match FILES.iter().find(|name| !lib.join(name).is_file()) {
            None => Ok(Self { lib }),
            Some(name) => Err(Failure::new(
                Kind::Unavailable,
                format!(
                    "{} is missing; build the whole of parascan with `cargo xtask build`, or set {ENV_LIBDIR} to the folder that has it",
                    lib.join(name).display()
                ),
            )),
        }
    }

    /// A file of the library folder.
    pub fn file(&self, name: &str) -> PathBuf {
        debug_assert!(FILES.contains(&name), "{name} is not shipped");
        self.lib.join(Path::new(name))
    }
}
