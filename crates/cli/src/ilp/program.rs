//! What is executed when a program is named: found on the PATH, scripts resolved to their interpreters as the kernel
//! does, and refused with the reason if it cannot run under the tracer.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use parascan_symbols::{Executable, NotExecutable};
use rustix::fs::Access;

use crate::exit::{Failure, FailureKind, Outcome};
use crate::process::lookup;

/// A program that can be traced.
#[derive(Clone, Debug)]
pub struct TracedProgram {
    /// The ELF file to execute: the program, or its interpreter.
    pub executable: PathBuf,
    /// Its arguments, its own name first.
    pub arguments: Vec<OsString>,
}

/// Scripts whose interpreters are scripts, as deep as the kernel follows them.
const MAX_DEPTH: usize = 5;

impl TracedProgram {
    /// The program that a command line (not empty) names.
    ///
    /// # Errors
    /// Not found; not executable; neither an x86-64 ELF file nor a script; an interpreter is missing.
    pub fn resolve(words: &[OsString]) -> Outcome<Self> {
        let mut executable = find(&words[0])?;
        let mut arguments = words.to_vec();
        for _ in 0..=MAX_DEPTH {
            let file = open(&executable)?;
            let (interpreter, argument) = match of_this_machine(&executable, &file)? {
                Executable::Script {
                    interpreter,
                    argument,
                } => (interpreter, argument),
                Executable::Program { linker } => {
                    if let Some(linker) = linker.filter(|linker| !linker.exists()) {
                        return Err(cannot(
                            &executable,
                            format_args!("its dynamic loader {} does not exist", shown(&linker)),
                        ));
                    }
                    let executable = std::path::absolute(&executable).unwrap_or(executable);
                    return Ok(Self {
                        executable,
                        arguments,
                    });
                }
            };
            if !interpreter.exists() {
                return Err(cannot(
                    &executable,
                    format_args!("its interpreter {} does not exist", shown(&interpreter)),
                ));
            }
            let mut with = vec![interpreter.clone().into_os_string()];
            with.extend(argument);
            with.push(executable.into_os_string());
            with.extend(arguments.drain(1..));
            arguments = with;
            executable = interpreter;
        }
        Err(cannot(
            &executable,
            format_args!("scripts are each other's interpreters more than {MAX_DEPTH} times"),
        ))
    }
}

/// A name for a message.
fn shown(path: &Path) -> String {
    path.to_string_lossy().escape_debug().to_string()
}

fn cannot(path: &Path, why: impl std::fmt::Display) -> Failure {
    Failure::new(
        FailureKind::CannotExecute,
        format!("{} cannot be executed: {why}", shown(path)),
    )
}

/// The file that a name stands for.
fn find(name: &OsStr) -> Outcome<PathBuf> {
    lookup::find(name).ok_or_else(|| {
        let name = shown(Path::new(name));
        Failure::new(
            FailureKind::NotFound,
            format!(
                "{name} not found; give the program's path, for example: parascan ilp -- ./{name}"
            ),
        )
    })
}

fn open(path: &Path) -> Outcome<File> {
    let metadata = std::fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::new(
            FailureKind::NotFound,
            format!("{} not found; give the path of a program", shown(path)),
        ),
        _ => cannot(path, &error),
    })?;
    if metadata.is_dir() {
        return Err(cannot(path, "it is a directory"));
    }
    if !metadata.is_file() {
        return Err(cannot(path, "it is not a regular file"));
    }
    if rustix::fs::access(path, Access::EXEC_OK).is_err() {
        return Err(cannot(
            path,
            format_args!("no permission; chmod +x {} allows it", shown(path)),
        ));
    }
    const SET_ID: u32 = 0o6000;
    let other = metadata.uid() != rustix::process::geteuid().as_raw();
    if metadata.mode() & SET_ID != 0 && other {
        return Err(cannot(
            path,
            "it runs with another user's rights (setuid), which a traced program does not get",
        ));
    }
    File::open(path).map_err(|error| {
        cannot(
            path,
            format_args!("the tracer must be able to read it: {error}"),
        )
    })
}

/// What a file is, if it can be executed here.
fn of_this_machine(path: &Path, file: &File) -> Outcome<Executable> {
    Executable::parse(|bytes, offset| read_at(file, bytes, offset)).map_err(|why| match why {
        NotExecutable::OtherMachine(_) => cannot(
            path,
            format_args!("{why}; parascan ilp traces x86-64 programs"),
        ),
        why => cannot(path, why),
    })
}

/// Bytes read at an offset; fewer than asked for at the file's end.
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> usize {
    let mut done = 0;
    while done < bytes.len() {
        match file.read_at(&mut bytes[done..], offset + done as u64) {
            Ok(0) | Err(_) => break,
            Ok(more) => done += more,
        }
    }
    done
}
