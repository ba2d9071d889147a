//! rustc's linker: bitcode of the program's crates becomes instrumented code, and what the command line links is that.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Mutex;

use crate::driver::{self, Language};
use crate::exit::{Failure, FailureKind, Outcome};

/// First bytes of bitcode.
const BITCODE: [u8; 4] = *b"BC\xc0\xde";

/// Compiles what a command line of rustc's has in bitcode, and links.
pub fn link(arguments: &[OsString]) -> Outcome<ExitCode> {
    let scratch = tempfile::Builder::new()
        .prefix("parascan-link")
        .tempdir()
        .map_err(|e| failed("a scratch folder cannot be made", e))?;
    let mut linked = Vec::new();
    let mut level = OsString::from("-O2");
    for argument in arguments {
        if let Some(passed) = argument.to_str().and_then(|a| a.strip_prefix("-Wl,")) {
            let (rest, given) = without_optimization(passed);
            level = given.unwrap_or(level);
            linked.extend(rest.map(PathBuf::from));
        } else if is_own_library(argument) {
            linked.extend(members(Path::new(argument), scratch.path(), linked.len())?);
        } else {
            linked.push(argument.into());
        }
    }
    compile(&mut linked, &level, scratch.path())?;
    let arguments = linked.into_iter().map(PathBuf::into_os_string).collect();
    let mut command = driver::command(Language::C, arguments)?;
    let status = command
        .status()
        .map_err(|error| Language::C.missing(&command, &error))?;
    Ok(ExitCode::from(if status.success() { 0 } else { 1 }))
}

fn failed(what: &str, error: impl std::fmt::Display) -> Failure {
    Failure::new(FailureKind::Io, format!("{what}: {error}"))
}

/// Takes what asks for link-time optimization, which is not done, out of options for the linker. Gives what is left, and
/// the level of optimization.
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

/// Unpacks the objects of a library.
fn members(library: &Path, scratch: &Path, number: usize) -> Outcome<Vec<PathBuf>> {
    let name = library.display();
    let folder = scratch.join(number.to_string());
    std::fs::create_dir(&folder).map_err(|e| failed("a scratch folder cannot be made", e))?;
    let library = std::path::absolute(library).map_err(|e| failed("a path", e))?;
    let done = Command::new("ar")
        .arg("x")
        .arg(&library)
        .current_dir(&folder)
        .status()
        .map_err(|e| failed("`ar`, of the package binutils, cannot be executed", e))?;
    if !done.success() {
        return Err(failed(&format!("{name} cannot be unpacked"), done));
    }
    let entries = std::fs::read_dir(&folder).map_err(|e| failed("a scratch folder", e))?;
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    found.retain(|path| path.extension().is_some_and(|e| e == "o"));
    found.sort();
    Ok(found)
}

/// Puts instrumented objects into the place of bitcode.
fn compile(linked: &mut [PathBuf], level: &OsStr, scratch: &Path) -> Outcome<()> {
    let wanted = linked.iter().enumerate();
    let wanted: Vec<(usize, PathBuf)> = wanted
        .filter(|(_, path)| is_bitcode(path))
        .map(|(number, path)| (number, path.clone()))
        .collect();
    let next = Mutex::new(wanted.iter());
    let failure = Mutex::new(None);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers.min(wanted.len()) {
            scope.spawn(|| {
                loop {
                    let one = next.lock().map_or(None, |mut next| next.next());
                    let Some((number, from)) = one else { break };
                    if let Err(why) = compile_one(from, &object(scratch, *number), level)
                        && let Ok(mut failure) = failure.lock()
                    {
                        *failure = Some(why);
                    }
                }
            });
        }
    });
    if let Ok(Some(failure)) = failure.into_inner() {
        return Err(failure);
    }
    for (number, _) in wanted {
        linked[number] = object(scratch, number);
    }
    Ok(())
}

fn object(scratch: &Path, number: usize) -> PathBuf {
    scratch.join(format!("{number}.o"))
}

fn is_bitcode(path: &Path) -> bool {
    let mut begin = [0; BITCODE.len()];
    path.extension().is_some_and(|e| e == "o")
        && File::open(path).is_ok_and(|mut file| file.read_exact(&mut begin).is_ok())
        && begin == BITCODE
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
