//! Programs built for GNU's OpenMP runtime, which has no tool interface: they run on LLVM's, which understands them.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use parascan_formats::omp::log::OmpLog;
use parascan_symbols::elf_file::ElfFile;

use crate::exit::{Failure, FailureKind, Outcome};
use crate::process::scratch::Scratch;

/// The name by which programs ask for GNU's runtime.
const GNU: &str = "libgomp.so.1";
/// How names of its file begin.
const GNU_FILES: &str = "libgomp.so";
/// Why a program that has that runtime in itself is not watched.
const LINKED_IN: &str = "GNU's OpenMP runtime is linked into the program (libgomp.a), where LLVM's cannot take its place";
/// Environment variable that names LLVM's runtime.
const ENV_RUNTIME: &str = "PARASCAN_LIBOMP";
/// Where LLVM's runtime usually is.
const USUAL: [&str; 3] = [
    "/usr/lib/llvm-22/lib/libomp.so.5",
    "/usr/lib/llvm-22/lib/libomp.so",
    "/usr/lib/x86_64-linux-gnu/libomp.so.5",
];

/// How the program gets a runtime that can be watched.
#[derive(Debug)]
pub struct Route {
    library: Option<PathBuf>,
    program: Option<PathBuf>,
}

impl Route {
    /// Looks at the program; where it needs GNU's runtime, prepares a folder in which LLVM's has that name.
    pub fn of(program: Option<&Path>, scratch: &Scratch) -> Outcome<Self> {
        let mut own = Self {
            library: None,
            program: program.map(Path::to_owned),
        };
        if !program.is_some_and(|p| needs(p).iter().any(|n| n == GNU)) {
            return Ok(own);
        }
        let runtime = runtime()?;
        let folder = scratch.folder_named("gnu")?;
        symlink(&runtime, folder.join(GNU)).map_err(|e| {
            let message = format!("cannot prepare LLVM's runtime for the program: {e}");
            Failure::new(FailureKind::Io, message)
        })?;
        own.library = Some(folder);
        Ok(own)
    }

    /// The folder to look for libraries in first.
    pub fn library(&self) -> Option<&Path> {
        self.library.as_deref()
    }

    /// Whether the program runs on another runtime than it was built for.
    pub fn taken(&self) -> bool {
        self.library.is_some()
    }

    /// Why nothing of OpenMP was seen of a program that has GNU's runtime in itself.
    pub fn why_not(&self) -> Option<&'static str> {
        let bytes = fs::read(self.program.as_ref()?).ok()?;
        is_linked_in(&bytes).then_some(LINKED_IN)
    }
}

/// Whether an ELF file has GNU's runtime in itself: stripped or not, it has the beginning of its messages.
fn is_linked_in(bytes: &[u8]) -> bool {
    const MESSAGE: &[u8] = b"\nlibgomp: \0";
    ElfFile::parse(bytes).is_some() && bytes.windows(MESSAGE.len()).any(|part| part == MESSAGE)
}

/// What of the program's file explains that nothing was recorded.
pub fn why_nothing(program: &Path) -> Option<&'static str> {
    let bytes = fs::read(program).ok()?;
    if bytes.starts_with(b"#!") {
        return None;
    }
    let Some(file) = ElfFile::parse(&bytes) else {
        return Some("it is not an x86-64 program");
    };
    if !file.has_interpreter() {
        return Some(
            "it is statically linked (-static), and so the collector cannot be loaded into it",
        );
    }
    is_linked_in(&bytes).then_some(LINKED_IN)
}

/// GNU's own runtime among what the program had loaded. (Where LLVM's has its name, the mapping has that of the file.)
pub fn loaded(log: &OmpLog) -> Option<&str> {
    let mut paths = log.mappings.iter().map(|mapping| mapping.path.as_str());
    paths.find(|path| {
        let name = Path::new(path).file_name().unwrap_or_default();
        name.as_encoded_bytes().starts_with(GNU_FILES.as_bytes())
    })
}

/// LLVM's runtime: the one that the user named, or the first that is there.
fn runtime() -> Outcome<PathBuf> {
    let wanted = format!(
        "the program was built for GNU's OpenMP runtime ({GNU}), which cannot be watched, and is to run on LLVM's"
    );
    let refused = |why: String| Failure::new(FailureKind::Unavailable, format!("{wanted}: {why}"));
    if let Some(given) = std::env::var_os(ENV_RUNTIME) {
        let path = Path::new(&given);
        let named = format!("{ENV_RUNTIME} names {}", path.display());
        let found = fs::canonicalize(path).map_err(|e| refused(format!("{named}: {e}")))?;
        return if is_runtime(&found) {
            Ok(found)
        } else {
            Err(refused(format!(
                "{named}, which is not LLVM's libomp.so with tool interface"
            )))
        };
    }
    USUAL
        .iter()
        .filter_map(|path| fs::canonicalize(path).ok())
        .find(|path| is_runtime(path))
        .ok_or_else(|| {
            refused(format!(
                "none was found; install libomp-22-dev, or set {ENV_RUNTIME} to LLVM's libomp.so"
            ))
        })
}

/// Whether a file is a runtime that serves programs of gcc, and tools.
fn is_runtime(path: &Path) -> bool {
    let bytes = fs::read(path).unwrap_or_default();
    ElfFile::parse(&bytes).is_some_and(|file| {
        let mut wanted = ["GOMP_parallel", "ompt_start_tool"].iter();
        wanted.all(|symbol| file.offers(symbol))
    })
}

/// Libraries that an ELF file asks for itself; none for other files.
fn needs(path: &Path) -> Vec<OsString> {
    let bytes = fs::read(path).unwrap_or_default();
    let linking = ElfFile::parse(&bytes).and_then(|file| file.linking());
    linking.unwrap_or_default().needed
}
