//! What an executable file is, by its first bytes, as the kernel reads them: a script with its interpreter, or a
//! program with its dynamic linker.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use object::elf::{self, DataEncoding, FileClass, FileType, Machine, ProgramType};

/// Bytes of a script's first line that the kernel reads.
const FIRST_LINE: usize = 256;
/// Bytes of the header of a file of 64 bits, and of an entry of its table of segments.
const HEADER: usize = 64;
const SEGMENT: usize = 56;
/// Longest name of a dynamic linker: paths are no longer.
const LONGEST_NAME: u64 = 4096;

/// A file that the kernel can execute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Executable {
    /// A script that begins with `#!`.
    Script {
        /// What executes it.
        interpreter: PathBuf,
        /// The one argument that may stand behind the interpreter: the rest of the line, blanks included.
        argument: Option<OsString>,
    },
    /// A program for x86-64.
    Program {
        /// What loads its libraries; none of programs that are linked statically.
        linker: Option<PathBuf>,
    },
}

/// Why a file is neither a script nor a program for x86-64. Reads as the end of a sentence: "it is an object file".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotExecutable {
    /// It begins like neither.
    Neither,
    /// The header is cut off.
    NoHeader,
    /// The table of segments, or what it refers to, is cut off.
    NoSegments,
    /// It has code that was not linked yet.
    ObjectFile,
    /// It is for another machine, which is named.
    OtherMachine(String),
}

impl fmt::Display for NotExecutable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Neither => {
                f.write_str("it is neither an ELF program nor a script that begins with #!")
            }
            Self::NoHeader => f.write_str("its ELF header is cut off"),
            Self::NoSegments => f.write_str("its program headers are cut off"),
            Self::ObjectFile => f.write_str("it is an object file, not a program"),
            Self::OtherMachine(machine) => write!(f, "it is a program for {machine}"),
        }
    }
}

impl std::error::Error for NotExecutable {}

impl Executable {
    /// Of a file of which `read` fills a buffer with the bytes from an offset on, and says how many there were: fewer
    /// than asked for at the end of the file.
    ///
    /// # Errors
    /// Why it is none.
    pub fn parse(read: impl Fn(&mut [u8], u64) -> usize) -> Result<Self, NotExecutable> {
        let mut first = [0; FIRST_LINE];
        let length = read(&mut first, 0);
        let first = &first[..length];
        if let Some(line) = first.strip_prefix(b"#!")
            && let Some(script) = script(line)
        {
            return Ok(script);
        }
        if !first.starts_with(&elf::ELFMAG) {
            return Err(NotExecutable::Neither);
        }
        let header = first.first_chunk().ok_or(NotExecutable::NoHeader)?;
        machine(header)?;
        if !matches!(FileType(half(header, 16)), elf::ET_EXEC | elf::ET_DYN) {
            return Err(NotExecutable::ObjectFile);
        }
        Ok(Self::Program {
            linker: linker(header, read)?,
        })
    }
}

/// The script whose first line goes on like this behind `#!`; none where no interpreter is named.
fn script(line: &[u8]) -> Option<Executable> {
    let line = line.split(|&byte| byte == b'\n').next()?.trim_ascii();
    let blank = line.iter().position(|&byte| byte == b' ' || byte == b'\t');
    let (interpreter, argument) = line.split_at(blank.unwrap_or(line.len()));
    let word = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    let argument = argument.trim_ascii();
    (!interpreter.is_empty()).then(|| Executable::Script {
        interpreter: word(interpreter).into(),
        argument: (!argument.is_empty()).then(|| word(argument)),
    })
}

/// Refuses programs for other machines than x86-64 with pointers of 64 bits.
fn machine(header: &[u8; HEADER]) -> Result<(), NotExecutable> {
    let machine = Machine(match DataEncoding(header[5]) {
        elf::ELFDATA2MSB => half(header, 18).swap_bytes(),
        _ => half(header, 18),
    });
    if machine == elf::EM_X86_64 && FileClass(header[4]) == elf::ELFCLASS64 {
        return Ok(());
    }
    let name = match machine {
        elf::EM_386 => "32-bit x86",
        elf::EM_X86_64 => "x32 (32-bit pointers)",
        elf::EM_ARM => "32-bit ARM",
        elf::EM_AARCH64 => "ARM (aarch64)",
        elf::EM_RISCV => "RISC-V",
        elf::EM_MIPS => "MIPS",
        elf::EM_PPC | elf::EM_PPC64 => "PowerPC",
        elf::EM_S390 => "IBM Z",
        Machine(other) => {
            return Err(NotExecutable::OtherMachine(format!("ELF machine {other}")));
        }
    };
    Err(NotExecutable::OtherMachine(name.to_owned()))
}

/// The name in the segment of the dynamic linker.
fn linker(
    header: &[u8; HEADER],
    read: impl Fn(&mut [u8], u64) -> usize,
) -> Result<Option<PathBuf>, NotExecutable> {
    let (table, count) = (long(header, 32), u64::from(half(header, 56)));
    for number in 0..count {
        let mut segment = [0; SEGMENT];
        let at = table.saturating_add(number * SEGMENT as u64);
        if read(&mut segment, at) < SEGMENT {
            return Err(NotExecutable::NoSegments);
        }
        let kind = u32::from_le_bytes([segment[0], segment[1], segment[2], segment[3]]);
        if ProgramType(kind) != elf::PT_INTERP {
            continue;
        }
        let mut name = vec![0; long(&segment, 32).min(LONGEST_NAME) as usize];
        let length = read(&mut name, long(&segment, 8));
        let name = name[..length].split(|&byte| byte == 0).next();
        let name = OsStr::from_bytes(name.unwrap_or_default());
        return Ok(Some(PathBuf::from(name)));
    }
    Ok(None)
}

fn half(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(bytes: &[u8]) -> Result<Executable, NotExecutable> {
        Executable::parse(|buffer, offset| {
            let rest = usize::try_from(offset).map_or(&[][..], |at| bytes.get(at..).unwrap_or(&[]));
            let length = rest.len().min(buffer.len());
            buffer[..length].copy_from_slice(&rest[..length]);
            length
        })
    }

    fn script(interpreter: &str, argument: Option<&str>) -> Result<Executable, NotExecutable> {
        Ok(Executable::Script {
            interpreter: interpreter.into(),
            argument: argument.map(OsString::from),
        })
    }

    /// A program with one segment.
    fn program(kind: ProgramType, name: &str) -> Vec<u8> {
        let mut bytes = vec![0; HEADER + SEGMENT];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[16] = 3;
        bytes[18] = 62;
        bytes[32] = HEADER as u8;
        bytes[56] = 1;
        bytes[HEADER..HEADER + 4].copy_from_slice(&kind.0.to_le_bytes());
        bytes[HEADER + 8] = (HEADER + SEGMENT) as u8;
        bytes[HEADER + 32] = name.len() as u8 + 1;
        bytes.extend(name.as_bytes());
        bytes.push(0);
        bytes
    }

    #[test]
    fn scripts_have_an_interpreter_and_one_argument() {
        assert_eq!(parse(b"#!/bin/sh\necho"), script("/bin/sh", None));
        assert_eq!(
            parse(b"#! /usr/bin/env  -S python3 -u \nx"),
            script("/usr/bin/env", Some("-S python3 -u"))
        );
        assert_eq!(parse(b"#!\n/bin/sh"), Err(NotExecutable::Neither));
        let long = [b"#!/".as_slice(), &[b'a'; 400]].concat();
        let name = format!("/{}", "a".repeat(FIRST_LINE - 3));
        assert_eq!(parse(&long), script(&name, None));
    }

    #[test]
    fn programs_name_their_dynamic_linker() {
        let named = Ok(Executable::Program {
            linker: Some("/lib64/ld.so".into()),
        });
        assert_eq!(parse(&program(elf::PT_INTERP, "/lib64/ld.so")), named);
        let none = Ok(Executable::Program { linker: None });
        assert_eq!(parse(&program(elf::PT_LOAD, "/lib64/ld.so")), none);
        let real = Ok(Executable::Program {
            linker: Some("/lib64/ld-linux-x86-64.so.2".into()),
        });
        assert_eq!(parse(include_bytes!("../fixtures/program")), real);
    }

    #[test]
    fn others_are_refused_with_the_reason() {
        let with = |at: usize, byte: u8| {
            let mut bytes = program(elf::PT_INTERP, "/ld");
            bytes[at] = byte;
            parse(&bytes)
        };
        let other = |name: &str| Err(NotExecutable::OtherMachine(name.to_owned()));
        assert_eq!(with(0, b'x'), Err(NotExecutable::Neither));
        assert_eq!(with(16, 1), Err(NotExecutable::ObjectFile));
        assert_eq!(with(4, 1), other("x32 (32-bit pointers)"));
        assert_eq!(with(18, 183), other("ARM (aarch64)"));
        assert_eq!(with(18, 99), other("ELF machine 99"));
        // Big endian: the number's bytes stand the other way round.
        let mut big = program(elf::PT_INTERP, "/ld");
        (big[5], big[18], big[19]) = (2, 0, 22);
        assert_eq!(parse(&big), other("IBM Z"));
    }

    #[test]
    fn what_is_cut_off_is_refused() {
        let whole = program(elf::PT_INTERP, "/ld");
        for length in 0..whole.len() {
            let expected = match length {
                0..4 => Err(NotExecutable::Neither),
                4..HEADER => Err(NotExecutable::NoHeader),
                _ if length < HEADER + SEGMENT => Err(NotExecutable::NoSegments),
                _ => Ok(Executable::Program {
                    linker: Some(
                        String::from_utf8_lossy(&whole[HEADER + SEGMENT..length])
                            .trim_end_matches('\0')
                            .into(),
                    ),
                }),
            };
            assert_eq!(parse(&whole[..length]), expected, "{length}");
        }
    }
}
