//! rustc's linker: bitcode of the program's crates becomes instrumented code, and what the command line links is that.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Mutex;

use super::kept::KeptObjects;
use crate::driver::{self, Language};
use crate::exit::{Failure, FailureKind, Outcome};

/// First bytes of bitcode.
const BITCODE: [u8; 4] = *b"BC\xc0\xde";

/// Bitcode, and the object that it becomes.
type Job = (PathBuf, PathBuf);

/// Compiles what a command line of rustc's has in bitcode, and links.
pub fn link(arguments: &[OsString]) -> Outcome<ExitCode> {
    let scratch = tempfile::Builder::new()
        .prefix("parascan-link")
        .tempdir()
        .map_err(|e| failed("a scratch folder cannot be made", e))?;
    let (mut linked, mut jobs, mut libraries) = (Vec::new(), Vec::new(), Vec::new());
    let mut level = OsString::from("-O2");
    for argument in arguments {
        let number = linked.len().to_string();
        if let Some(passed) = argument.to_str().and_then(|a| a.strip_prefix("-Wl,")) {
            let (rest, given) = without_optimization(passed);
            level = given.unwrap_or(level);
            linked.extend(rest.map(OsString::from));
        } else if is_own_library(argument) {
            let library = Library::copy(Path::new(argument), scratch.path().join(number))?;
            jobs.extend(library.jobs.iter().cloned());
            linked.push(library.archive.clone().into());
            libraries.push(library);
        } else if is_bitcode(Path::new(argument)) {
            let object = scratch.path().join(number + ".o");
            jobs.push((argument.into(), object.clone()));
            linked.push(object.into());
        } else {
            linked.push(argument.clone());
        }
    }
    let kept = KeptObjects::beside_output(arguments, &level);
    compile(&jobs, &level, kept.as_ref())?;
    for library in libraries {
        library.replace()?;
    }
    let mut command = driver::command(Language::C, linked)?;
    let status = command
        .status()
        .map_err(|error| Language::C.missing(&command, &error))?;
    Ok(ExitCode::from(u8::from(!status.success())))
}

/// A copy of a library of Rust, whose bitcode is to be replaced.
struct Library {
    archive: PathBuf,
    jobs: Vec<Job>,
}

impl Library {
    /// Copies a library into a folder of its own, and unpacks it there.
    fn copy(library: &Path, folder: PathBuf) -> Outcome<Self> {
        let cannot = |e: std::io::Error| failed(&library.display().to_string(), e);
        let (members, objects) = (folder.join("members"), folder.join("objects"));
        std::fs::create_dir_all(&members).map_err(cannot)?;
        std::fs::create_dir(&objects).map_err(cannot)?;
        let archive = folder.join(library.file_name().unwrap_or_default());
        std::fs::copy(library, &archive).map_err(cannot)?;
        ar(Command::new("ar")
            .arg("x")
            .arg(&archive)
            .current_dir(&members))?;
        let entries = std::fs::read_dir(&members).map_err(cannot)?;
        let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        found.retain(|path| is_bitcode(path));
        found.sort();
        let object = |path: &PathBuf| objects.join(path.file_name().unwrap_or_default());
        let jobs = found.into_iter().map(|path| (path.clone(), object(&path)));
        Ok(Self {
            archive,
            jobs: jobs.collect(),
        })
    }

    /// Puts the objects into the archive, in the place of bitcode with their names.
    fn replace(self) -> Outcome<()> {
        let objects: Vec<&PathBuf> = self.jobs.iter().map(|(_, object)| object).collect();
        if objects.is_empty() {
            return Ok(());
        }
        ar(Command::new("ar")
            .arg("rs")
            .arg(&self.archive)
            .args(objects))
    }
}

fn ar(command: &mut Command) -> Outcome<()> {
    let done = command
        .output()
        .map_err(|e| failed("`ar`, of the package binutils, cannot be executed", e))?;
    if done.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&done.stderr);
    Err(failed("`ar` failed", text.trim()))
}

fn failed(what: &str, error: impl std::fmt::Display) -> Failure {
    Failure::new(FailureKind::Io, format!("{what}: {error}"))
}

/// Takes what asks for link-time optimization, which is not done, out of options for the linker. Gives what is left,
/// and the level of optimization.
fn without_optimization(passed: &str) -> (Option<String>, Option<OsString>) {
    let (mut rest, mut level) = (String::new(), None);
    for word in passed.split(',') {
        match word.strip_prefix("-plugin-opt=") {
            Some(option) if option.starts_with('O') => level = Some(format!("-{option}").into()),
            Some(_) => {}
            None => rest = rest + "," + word,
        }
    }
    let rest = (!rest.is_empty()).then(|| format!("-Wl{rest}"));
    (rest, level)
}

/// Whether an argument is a library of Rust that this build made, and not one of the toolchain.
fn is_own_library(argument: &OsStr) -> bool {
    let path = Path::new(argument);
    let is_library = path.extension().is_some_and(|e| e == "rlib");
    is_library && !argument.to_string_lossy().contains("/lib/rustlib/")
}

/// Makes instrumented objects of bitcode, as many at a time as there are processors.
fn compile(jobs: &[Job], level: &OsStr, kept: Option<&KeptObjects>) -> Outcome<()> {
    let next = Mutex::new(jobs.iter());
    let failure = Mutex::new(None);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers.min(jobs.len()) {
            scope.spawn(|| {
                loop {
                    let one = next.lock().map_or(None, |mut next| next.next());
                    let Some((from, to)) = one else { break };
                    if let Err(why) = compile_or_take(from, to, level, kept)
                        && let Ok(mut failure) = failure.lock()
                    {
                        *failure = Some(why);
                    }
                }
            });
        }
    });
    match failure.into_inner() {
        Ok(Some(failure)) => Err(failure),
        _ => Ok(()),
    }
}

fn is_bitcode(path: &Path) -> bool {
    let mut begin = [0; BITCODE.len()];
    path.extension().is_some_and(|e| e == "o")
        && File::open(path).is_ok_and(|mut file| file.read_exact(&mut begin).is_ok())
        && begin == BITCODE
}

/// Takes the object of an earlier link, or compiles and keeps it.
fn compile_or_take(
    from: &Path,
    to: &Path,
    level: &OsStr,
    kept: Option<&KeptObjects>,
) -> Outcome<()> {
    let Some(kept) = kept else {
        return compile_one(from, to, level);
    };
    let bitcode = std::fs::read(from).map_err(|e| failed(&from.display().to_string(), e))?;
    let place = kept.place(&bitcode);
    if std::fs::copy(&place, to).is_ok() {
        return Ok(());
    }
    compile_one(from, to, level)?;
    kept.keep(to, &place);
    Ok(())
}

fn compile_one(from: &Path, to: &Path, level: &OsStr) -> Outcome<()> {
    let words = [
        "-g",
        "-w",
        "-ffunction-sections",
        "-fdata-sections",
        "-fPIC",
        "-c",
        "-x",
        "ir",
    ];
    let mut arguments: Vec<OsString> = words.map(OsString::from).to_vec();
    arguments.extend([level.to_owned(), from.into(), "-o".into(), to.into()]);
    let mut command = driver::command(Language::C, arguments)?;
    let status = command
        .status()
        .map_err(|error| Language::C.missing(&command, &error))?;
    match status.success() {
        true => Ok(()),
        false => Err(failed(
            &format!("{} cannot be compiled", from.display()),
            status,
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_link_time_optimization_are_left_out() {
        for (passed, rest, level) in [
            ("-plugin-opt=O3,-plugin-opt=mcpu=x86-64", None, Some("-O3")),
            (
                "--as-needed,-plugin-opt=Os,-z,now",
                Some("-Wl,--as-needed,-z,now"),
                Some("-Os"),
            ),
            ("--gc-sections", Some("-Wl,--gc-sections"), None),
        ] {
            let found = without_optimization(passed);
            assert_eq!(
                (found.0.as_deref(), found.1),
                (rest, level.map(OsString::from))
            );
        }
    }

    #[test]
    fn libraries_of_the_build_are_told_from_those_of_the_toolchain() {
        assert!(is_own_library(OsStr::new(
            "/x/target/release/deps/libgrid-1.rlib"
        )));
        assert!(!is_own_library(OsStr::new(
            "/t/lib/rustlib/x86_64-unknown-linux-gnu/lib/libstd-1.rlib"
        )));
        assert!(!is_own_library(OsStr::new("libz.a")));
    }
}
