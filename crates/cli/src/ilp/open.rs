//! The loop of `--open`: by the address of its first instruction, or by a source line, which debug information turns
//! into one.

use std::path::Path;

use parascan_symbols::Files;
use parascan_symbols::loops::{CodeLoop, LineLoops, loops_of_line};

use crate::exit::{Failure, FailureKind, Outcome};

/// Most loops that a message names.
const NAMED: usize = 8;

/// The loop and iteration that the user asks for, before the program is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenRequest {
    /// Which loop.
    pub place: LoopPlace,
    /// Iteration of the chosen entry of that loop; the first one is 1.
    pub iteration: u64,
}

/// Where a loop is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoopPlace {
    /// At an address.
    Address(LoopAddress),
    /// The innermost loop of a line of the program.
    Line {
        /// The file: the end of its path, in whole parts.
        file: String,
        /// From 1.
        line: u32,
    },
}

/// The first instruction of a loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoopAddress {
    /// File name of the module that the loop is in; `None` for the program itself.
    pub module: Option<String>,
    /// Its address, as the module's file has it.
    pub address: u64,
}

/// Reads what `--open` says.
///
/// # Errors
/// It says none of the two, or no iteration; in words.
pub fn parsed(text: &str) -> Result<OpenRequest, String> {
    let found = || {
        let (place, iteration) = text.rsplit_once(':')?;
        let (before, last) = match place.rsplit_once(':') {
            Some((before, last)) => (Some(before.to_owned()), last),
            None => (None, place),
        };
        let place = match last.strip_prefix("0x") {
            Some(digits) => LoopPlace::Address(LoopAddress {
                module: before,
                address: u64::from_str_radix(digits, 16).ok()?,
            }),
            None => LoopPlace::Line {
                file: before.filter(|file| !file.is_empty())?,
                line: last.parse().ok().filter(|line| *line > 0)?,
            },
        };
        Some(OpenRequest {
            place,
            iteration: iteration.parse().ok().filter(|number| *number > 0)?,
        })
    };
    found().ok_or_else(|| {
        "write the address of the loop's first instruction, as the graph shows it under the pointer, or a line of the loop, and which iteration, from 1: 0x4011d0:3, libm.so.6:0x4011d0:3, or dot.c:12:3".to_owned()
    })
}

impl OpenRequest {
    /// Where the loop of a program begins.
    ///
    /// # Errors
    /// There is no such loop, or not one alone; the message names those that there are.
    pub fn locate(&self, files: &dyn Files, program: &Path) -> Outcome<LoopAddress> {
        let (file, line) = match &self.place {
            LoopPlace::Address(address) => return Ok(address.clone()),
            LoopPlace::Line { file, line } => (file, *line),
        };
        let found = loops_of_line(files, program, Path::new(file), line);
        if let LineLoops::Within(loops) = &found
            && let [one] = &loops[..]
        {
            return Ok(LoopAddress {
                module: None,
                address: one.head,
            });
        }
        let option = format!("--open {file}:{line}:{}", self.iteration);
        let program = program.display();
        let no_loop = FailureKind::NoSuchRegion;
        let (kind, message) = match found {
            LineLoops::Within(loops) => (
                FailureKind::Usage,
                format!(
                    "{option}: the line is in {} loops of {program} (compilers copy code): give the address of one, {}",
                    loops.len(),
                    self.candidates(&loops)
                ),
            ),
            LineLoops::Outside(loops) if loops.is_empty() => (
                no_loop,
                format!(
                    "{option}: the line has code in {program}, but no loop has any of it, and its function has no loop; give a line of a loop's body"
                ),
            ),
            LineLoops::Outside(loops) => (
                no_loop,
                format!(
                    "{option}: the line has code in {program}, but no loop has any of it (compilers move code); loops of its function: {}",
                    self.candidates(&loops)
                ),
            ),
            LineLoops::NoCode { before, after } => {
                let near: Vec<String> = [before, after]
                    .into_iter()
                    .flatten()
                    .map(|line| line.to_string())
                    .collect();
                let near = near.join(" and ");
                let message = format!(
                    "{option}: {program} has no code of this line; the nearest lines of {file} that have some: {near}"
                );
                (no_loop, message)
            }
            LineLoops::NoFile => (
                no_loop,
                format!(
                    "{option}: {program} has no code of a file {file}; write the end of its path as the compiler was given it. Loops of libraries are opened by their address: libm.so.6:0x4011d0:3"
                ),
            ),
            LineLoops::NoLines => (
                no_loop,
                format!(
                    "{option}: {program} has no source lines; compile it with -g, or give the address of the loop's first instruction, which the graph shows under the pointer"
                ),
            ),
        };
        Err(Failure::new(kind, message))
    }

    /// Loops to choose from, as they are written.
    fn candidates(&self, loops: &[CodeLoop]) -> String {
        let names = loops.iter().take(NAMED).map(|it| {
            let mut place = it.function.clone();
            if let Some(line) = &it.place {
                let file = line.file.rsplit('/').next().unwrap_or_default();
                place += &format!(" {file}:{}", line.line);
            }
            let text = format!(
                "--open {:#x}:{} ({})",
                it.head,
                self.iteration,
                place.trim()
            );
            text.escape_debug().to_string()
        });
        let mut names: Vec<String> = names.collect();
        if loops.len() > NAMED {
            names.push(format!("and {} more", loops.len() - NAMED));
        }
        names.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_to_open_have_a_place_and_an_iteration() {
        let at = |module: Option<&str>, address, iteration| {
            let module = module.map(str::to_owned);
            let place = LoopPlace::Address(LoopAddress { module, address });
            Ok(OpenRequest { place, iteration })
        };
        assert_eq!(parsed("0x11d0:3"), at(None, 0x11d0, 3));
        assert_eq!(
            parsed("libm.so.6:0x11d0:3"),
            at(Some("libm.so.6"), 0x11d0, 3)
        );
        let of_line = |file: &str, line, iteration| {
            let file = file.to_owned();
            let place = LoopPlace::Line { file, line };
            Ok(OpenRequest { place, iteration })
        };
        assert_eq!(parsed("dot.c:12:3"), of_line("dot.c", 12, 3));
        assert_eq!(parsed("a b/c:d.c:7:1"), of_line("a b/c:d.c", 7, 1));
        for wrong in [
            "",
            "3",
            "11d0:3",
            "0x11d0",
            "0x11d0:0",
            "0x11d0:x",
            "0x:1",
            "dot.c:3",
            "dot.c:0:3",
            "dot.c:12:0",
            ":12:3",
            "dot.c:x:3",
        ] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }
}
