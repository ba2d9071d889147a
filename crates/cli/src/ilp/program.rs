//! What is executed when a program is named: found on the PATH, scripts resolved to their interpreters as the kernel
//! does, and refused with the reason if it cannot run under the tracer.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::Access;

use crate::exit::{Failure, Kind, Outcome};
use crate::process::lookup;

/// A program that can be traced.
#[derive(Clone, Debug)]
pub struct Program {
    /// The ELF file to execute: the program, or its interpreter.
    pub executable: PathBuf,
    /// Its arguments, its own name first.
    pub arguments: Vec<OsString>,
}

/// Scripts whose interpreters are scripts, as deep as the kernel follows them.
const MAX_DEPTH: usize = 5;
/// Bytes of a script's first line that the kernel reads.
const FIRST_LINE: u64 = 256;

impl Program {
    /// The program that a command line (not empty) names.
    ///
    /// # Errors
    /// Not found; not executable; neither an x86-64 ELF file nor a script; an interpreter is missing.
    pub fn resolve(words: &[OsString]) -> Outcome<Self> {
        let mut executable = find(&words[0])?;
        let mut arguments = words.to_vec();
        for _ in 0..=MAX_DEPTH {
            let file = open(&executable)?;
            let Some((interpreter, argument)) = shebang(&file) else {
                elf(&executable, &file)?;
                let executable = std::path::absolute(&executable).unwrap_or(executable);
                return Ok(Self {
                    executable,
                    arguments,
                });
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
        Kind::CannotExecute,
        format!("{} cannot be executed: {why}", shown(path)),
    )
}

/// The file that a name stands for.
fn find(name: &OsStr) -> Outcome<PathBuf> {
    lookup::find(name).ok_or_else(|| {
        let name = shown(Path::new(name));
        Failure::new(
            Kind::NotFound,
            format!(
                "{name} not found; give the program's path, for example: parascan ilp -- ./{name}"
            ),
        )
    })
}

fn open(path: &Path) -> Outcome<File> {
    let metadata = std::fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::new(
            Kind::NotFound,
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

/// Interpreter and argument of a script's first line.
fn shebang(file: &File) -> Option<(PathBuf, Option<OsString>)> {
    let mut bytes = Vec::new();
    file.take(FIRST_LINE).read_to_end(&mut bytes).ok()?;
    let line = bytes.strip_prefix(b"#!")?;
    let line = line.split(|&byte| byte == b'\n').next()?.trim_ascii();
    let blank = line.iter().position(|&byte| byte == b' ' || byte == b'\t');
    let (interpreter, argument) = line.split_at(blank.unwrap_or(line.len()));
    let word = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    let argument = argument.trim_ascii();
    (!interpreter.is_empty()).then(|| {
        (
            word(interpreter).into(),
            (!argument.is_empty()).then(|| word(argument)),
        )
    })
}

/// Checks that a file is a program for this processor, and that its dynamic loader exists.
fn elf(path: &Path, file: &File) -> Outcome<()> {
    const X86_64: u16 = 62;
    let mut head = [0; 64];
    let length = read_at(file, &mut head, 0);
    if length < 4 || head[..4] != *b"\x7fELF" {
        return Err(cannot(
            path,
            "it is neither an ELF program nor a script that begins with #!",
        ));
    }
    if length < head.len() {
        return Err(cannot(path, "its ELF header is cut off"));
    }
    let half = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
    let long = |bytes: &[u8], at: usize| {
        u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default())
    };
    let machine = match (head[5], half(18)) {
        (2, _) => u16::from_be_bytes([head[18], head[19]]),
        (_, machine) => machine,
    };
    if machine != X86_64 || head[4] != 2 {
        let what = match machine {
            3 => "32-bit x86".to_owned(),
            X86_64 => "x32 (32-bit pointers)".to_owned(),
            40 => "32-bit ARM".to_owned(),
            183 => "ARM (aarch64)".to_owned(),
            243 => "RISC-V".to_owned(),
            8 => "MIPS".to_owned(),
            20 | 21 => "PowerPC".to_owned(),
            22 => "IBM Z".to_owned(),
            other => format!("ELF machine {other}"),
        };
        return Err(cannot(
            path,
            format_args!("it is a program for {what}; parascan ilp traces x86-64 programs"),
        ));
    }
    if !matches!(half(16), 2 | 3) {
        return Err(cannot(path, "it is an object file, not a program"));
    }
    const PROGRAM_HEADER: usize = 56;
    const INTERPRETER: u32 = 3;
    let (table, count) = (long(&head, 32), u64::from(half(56)));
    for number in 0..count {
        let mut entry = [0; PROGRAM_HEADER];
        let at = table.saturating_add(number * PROGRAM_HEADER as u64);
        if read_at(file, &mut entry, at) < PROGRAM_HEADER {
            return Err(cannot(path, "its program headers are cut off"));
        }
        let kind = u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]);
        if kind == INTERPRETER {
            let mut name = vec![0; long(&entry, 32).min(4096) as usize];
            let length = read_at(file, &mut name, long(&entry, 8));
            let name = name[..length].split(|&byte| byte == 0).next();
            let loader = PathBuf::from(OsStr::from_bytes(name.unwrap_or_default()));
            if !loader.exists() {
                return Err(cannot(
                    path,
                    format_args!("its dynamic loader {} does not exist", shown(&loader)),
                ));
            }
        }
    }
    Ok(())
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
