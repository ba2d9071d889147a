//! The loop of `--open`: by the address of its first instruction, or by a source line, which debug information turns
//! into one. Lines of the program are looked up before it runs, those of libraries as they are executed.

use std::path::Path;

use parascan_symbols::Files;
use parascan_symbols::loops::{CodeLoop, LineLoops, loops_of_line};
use parascan_trace::{LoopFinder, LoopHead, LoopLine, WantedLoop};

use crate::exit::{Failure, FailureKind, Outcome};

/// Most loops that a message names.
const NAMED: usize = 8;

/// The loop and iteration that the user asks for, before the program is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenRequest {
    /// Which loop.
    pub place: WantedLoop,
    /// Iteration of the chosen entry of that loop; the first one is 1.
    pub iteration: u64,
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
            Some(digits) => WantedLoop::Head(LoopHead {
                module: before,
                address: u64::from_str_radix(digits, 16).ok()?,
            }),
            None => WantedLoop::Line(LoopLine {
                file: before.filter(|file| !file.is_empty())?,
                line: last.parse().ok().filter(|line| *line > 0)?,
            }),
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
    /// The loop by its address where that is in the program; by its line still where the program has no code of such a
    /// file, so that one of its libraries may have it.
    ///
    /// # Errors
    /// The program has code of the file, but none of the line in a loop, or in several; the message names those that
    /// there are.
    pub fn locate(&self, files: &dyn Files, program: &Path) -> Outcome<WantedLoop> {
        let WantedLoop::Line(LoopLine { file, line }) = &self.place else {
            return Ok(self.place.clone());
        };
        match loops_of_line(files, program, Path::new(file), *line) {
            LineLoops::Within(loops) if loops.len() == 1 => Ok(WantedLoop::Head(LoopHead {
                module: None,
                address: loops[0].head,
            })),
            LineLoops::NoFile | LineLoops::NoLines => Ok(self.place.clone()),
            found => Err(self.failure(file, *line, &found, program, None)),
        }
    }

    /// That a run is over, and no loop was found for a line that its program has no code of. Nothing where the loop is
    /// known.
    ///
    /// # Errors
    /// There is no such loop, or not one alone.
    pub fn found(&self, files: &dyn Files, program: &Path, finder: &LoopFinder<'_>) -> Outcome<()> {
        let (WantedLoop::Line(LoopLine { file, line }), None) = (&self.place, finder.head()) else {
            return Ok(());
        };
        Err(match finder.others().next() {
            Some((module, loops)) => {
                let name = module.file_name().unwrap_or_default().to_string_lossy();
                self.failure(file, *line, loops, module, Some(&name))
            }
            None => {
                let found = loops_of_line(files, program, Path::new(file), *line);
                self.failure(file, *line, &found, program, None)
            }
        })
    }

    /// Why a line of a module names no loop; `library` is the module's file name, if it is not the program.
    fn failure(
        &self,
        file: &str,
        line: u32,
        found: &LineLoops,
        module: &Path,
        library: Option<&str>,
    ) -> Failure {
        let option = format!("--open {file}:{line}:{}", self.iteration);
        let module = module.display();
        let no_loop = FailureKind::NoSuchRegion;
        let (kind, message) = match found {
            LineLoops::Within(loops) => (
                FailureKind::Usage,
                format!(
                    "{option}: the line is in {} loops of {module} (compilers copy code): give the address of one, {}",
                    loops.len(),
                    self.candidates(loops, library)
                ),
            ),
            LineLoops::Outside(loops) if loops.is_empty() => (
                no_loop,
                format!(
                    "{option}: the line has code in {module}, but no loop has any of it, and its function has no loop; give a line of a loop's body"
                ),
            ),
            LineLoops::Outside(loops) => (
                no_loop,
                format!(
                    "{option}: the line has code in {module}, but no loop has any of it (compilers move code); loops of its function: {}",
                    self.candidates(loops, library)
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
                    "{option}: {module} has no code of this line; the nearest lines of {file} that have some: {near}"
                );
                (no_loop, message)
            }
            LineLoops::NoFile => (
                no_loop,
                format!(
                    "{option}: {module} has no code of a file {file}, nor has a library that was executed; write the end of its path as the compiler was given it. Without debug information, loops are opened by their address: libm.so.6:0x4011d0:3"
                ),
            ),
            LineLoops::NoLines => (
                no_loop,
                format!(
                    "{option}: {module} has no source lines, and no library that was executed has code of a file {file}; compile it with -g, or give the address of the loop's first instruction, which the graph shows under the pointer"
                ),
            ),
        };
        Failure::new(kind, message)
    }

    /// Loops to choose from, as they are written.
    fn candidates(&self, loops: &[CodeLoop], library: Option<&str>) -> String {
        let module = library.map_or_else(String::new, |name| format!("{name}:"));
        let names = loops.iter().take(NAMED).map(|it| {
            let mut place = it.function.clone();
            if let Some(line) = &it.place {
                let file = line.file.rsplit('/').next().unwrap_or_default();
                place += &format!(" {file}:{}", line.line);
            }
            let text = format!(
                "--open {module}{:#x}:{} ({})",
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
            let place = WantedLoop::Head(LoopHead { module, address });
            Ok(OpenRequest { place, iteration })
        };
        assert_eq!(parsed("0x11d0:3"), at(None, 0x11d0, 3));
        assert_eq!(
            parsed("libm.so.6:0x11d0:3"),
            at(Some("libm.so.6"), 0x11d0, 3)
        );
        let of_line = |file: &str, line, iteration| {
            let file = file.to_owned();
            let place = WantedLoop::Line(LoopLine { file, line });
            Ok(OpenRequest { place, iteration })
        };
        assert_eq!(parsed("dot.c:12:3"), of_line("dot.c", 12, 3));
        assert_eq!(parsed("a b/c:d.c:7:1"), of_line("a b/c:d.c", 7, 1));
        assert_eq!(parsed("lib.so:d.c:7:1"), of_line("lib.so:d.c", 7, 1));
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
