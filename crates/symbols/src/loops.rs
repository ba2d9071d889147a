//! Loops of a program's code, by source line: what jumps back within a function, and which of it a line is in.

use std::collections::BTreeMap;
use std::path::Path;

use object::{Object, ObjectSegment};
use parascan_formats::names::{SourceLine, demangle};
use parascan_isa::Control;

use crate::debug_info::DebugInfo;
use crate::{Files, Functions};

/// A loop of a function's code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeLoop {
    /// Address of its first instruction, as the file has it.
    pub head: u64,
    /// Address of the last instruction that jumps back there.
    pub end: u64,
    /// The function; empty where it has no name.
    pub function: String,
    /// Source line of the first instruction.
    pub place: Option<SourceLine>,
}

/// What was found of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineLoops {
    /// The innermost loops that have an instruction of the line, by address: several where compilers copied its code,
    /// or where it is in loops that follow each other.
    Within(Vec<CodeLoop>),
    /// The line has code, but no loop has any of it: all loops of the functions that have it.
    Outside(Vec<CodeLoop>),
    /// The line has no code: the nearest ones of the file that have some.
    NoCode {
        /// The nearest before.
        before: Option<u32>,
        /// The nearest behind.
        after: Option<u32>,
    },
    /// No code is from such a file.
    NoFile,
    /// The program has no lines, or cannot be read.
    NoLines,
}

/// The loops of a program that a source line is in. The file is named by its path, or by as much of its end as one
/// likes, in whole parts.
pub fn loops_of_line(files: &dyn Files, program: &Path, file: &Path, line: u32) -> LineLoops {
    let functions = Functions::read(files, program);
    let separate = functions.debug_file.as_deref();
    let (Some(info), Some(code)) = (
        DebugInfo::read(files, separate.unwrap_or(program)),
        files.map(program),
    ) else {
        return LineLoops::NoLines;
    };
    let Ok(code) = object::File::parse(code) else {
        return LineLoops::NoLines;
    };
    let (mut any, mut of_file) = (false, false);
    let (mut before, mut after) = (None, None);
    let mut places: Vec<(u64, u64)> = Vec::new();
    info.lines(|start, size, own, number| {
        any = true;
        if !Path::new(own).ends_with(file) {
            return;
        }
        of_file = true;
        match number.cmp(&line) {
            std::cmp::Ordering::Less => before = before.max(Some(number)),
            std::cmp::Ordering::Greater => {
                after = Some(after.map_or(number, |other: u32| other.min(number)));
            }
            std::cmp::Ordering::Equal => places.push((start, start.saturating_add(size))),
        }
    });
    if places.is_empty() {
        return match (any, of_file) {
            (false, _) => LineLoops::NoLines,
            (true, false) => LineLoops::NoFile,
            (true, true) => LineLoops::NoCode { before, after },
        };
    }
    let (mut within, mut outside) = (Vec::new(), Vec::new());
    let with_code = places.iter().filter_map(|(start, _)| functions.at(*start));
    let with_code: BTreeMap<u64, _> = with_code.map(|it| (it.start, it)).collect();
    for function in with_code.into_values() {
        let Some(bytes) = bytes(&code, function.start, function.end) else {
            continue;
        };
        let decoded = Decoded::of(bytes, function.start);
        let name = function.name.as_deref().map_or_else(String::new, demangle);
        let as_loop = |(head, end): (u64, u64)| CodeLoop {
            head,
            end,
            function: name.clone(),
            place: info.line(head),
        };
        within.extend(decoded.innermost(&places).into_iter().map(as_loop));
        outside.extend(decoded.loops.into_iter().map(as_loop));
    }
    if within.is_empty() {
        LineLoops::Outside(outside)
    } else {
        LineLoops::Within(within)
    }
}

/// The bytes of some addresses of a file.
fn bytes<'a>(file: &object::File<'a>, start: u64, end: u64) -> Option<&'a [u8]> {
    let size = end.checked_sub(start)?;
    let mut segments = file.segments();
    segments.find_map(|segment| segment.data_range(start, size).ok()?)
}

/// Instructions and loops of a function.
#[derive(Debug, Default)]
struct Decoded {
    /// Addresses of its instructions.
    instructions: Vec<u64>,
    /// First and last address of each loop, by the first.
    loops: Vec<(u64, u64)>,
}

impl Decoded {
    /// Of code at an address, as far as it is understood.
    fn of(bytes: &[u8], start: u64) -> Self {
        let mut decoded = Self::default();
        let mut loops: BTreeMap<u64, u64> = BTreeMap::new();
        let mut address = start;
        let mut rest = bytes;
        while let Ok((instruction, length)) = parascan_isa::decode(rest, address) {
            decoded.instructions.push(address);
            if let Control::Branch { target } | Control::Jump { target } = instruction.control
                && (start..=address).contains(&target)
            {
                loops.insert(target, address);
            }
            let Some(behind) = rest.get(length..).filter(|_| length > 0) else {
                break;
            };
            rest = behind;
            address = address.wrapping_add(length as u64);
        }
        decoded.loops = loops.into_iter().collect();
        decoded
    }

    /// Loops that have instructions of these places, without those around others of them.
    fn innermost(&self, places: &[(u64, u64)]) -> Vec<(u64, u64)> {
        let of_place = |it: &u64| {
            places
                .iter()
                .any(|(start, end)| (*start..*end).contains(it))
        };
        let mut found: Vec<(u64, u64)> = Vec::new();
        for own in self.instructions.iter().filter(|it| of_place(it)) {
            let around = self.loops.iter();
            let around = around.filter(|(head, end)| (*head..=*end).contains(own));
            found.extend(around.min_by_key(|(head, end)| end - head));
        }
        found.sort_unstable();
        found.dedup();
        let inner = |own: (u64, u64)| {
            let mut others = found.iter();
            !others.any(|it| *it != own && own.0 <= it.0 && it.1 <= own.1)
        };
        found.iter().copied().filter(|own| inner(*own)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{Fixtures, NoFiles};

    /// Two loops, one in the other, and one behind, at address 0x100: each instruction by its place.
    const CODE: &[u8] = &[
        0x90, // 100 nop
        0x90, // 101 nop: the outer loop
        0x90, // 102 nop: the inner loop
        0x90, // 103 nop
        0x75, 0xfc, // 104 jne 102
        0x90, // 106 nop
        0x75, 0xf8, // 107 jne 101
        0x90, // 109 nop
        0x90, // 10a nop: the last loop
        0xeb, 0xfd, // 10b jmp 10a
        0xc3, // 10d ret
    ];

    #[test]
    fn the_innermost_loops_of_a_line_are_found() {
        let decoded = Decoded::of(CODE, 0x100);
        let (outer, inner, last) = ((0x101, 0x107), (0x102, 0x104), (0x10a, 0x10b));
        assert_eq!(decoded.loops, [outer, inner, last]);
        let of = |places: &[(u64, u64)]| decoded.innermost(places);
        assert_eq!(of(&[(0x103, 0x104)]), [inner]);
        assert_eq!(of(&[(0x106, 0x107)]), [outer]);
        // A line with code in both is one of the inner loop: `for` has it in both.
        assert_eq!(of(&[(0x101, 0x102), (0x104, 0x106)]), [inner]);
        // One with code in loops that follow each other is of both.
        assert_eq!(of(&[(0x106, 0x107), (0x10a, 0x10b)]), [outer, last]);
        assert_eq!(of(&[(0x100, 0x101), (0x109, 0x10a), (0x10d, 0x10e)]), []);
        assert_eq!(of(&[]), []);
    }

    #[test]
    fn code_that_is_not_understood_ends_a_function() {
        let decoded = Decoded::of(&[0x90, 0xeb, 0xfd, 0x06, 0xeb, 0xf0], 0x100);
        assert_eq!(decoded.loops, [(0x100, 0x101)]);
        assert_eq!(decoded.instructions, [0x100, 0x101]);
        assert_eq!(Decoded::of(&[], 0x100).loops, []);
    }

    #[test]
    fn what_there_is_of_a_line_is_told() {
        let files = Fixtures::all();
        let of = |program: &str, file: &str, line| {
            loops_of_line(&files, Path::new(program), Path::new(file), line)
        };
        // `shapes.c` has no loops; `square`, on line 5, and `area`, on line 10, have code.
        assert_eq!(
            of("/shapes/whole.so", "shapes.c", 10),
            LineLoops::Outside(vec![])
        );
        assert_eq!(
            of("/shapes/whole.so", "/shapes/shapes.c", 10),
            LineLoops::Outside(vec![])
        );
        let LineLoops::NoCode { before, after } = of("/shapes/whole.so", "shapes.c", 1) else {
            panic!("the first line is a comment");
        };
        assert!(
            before.is_none() && after.is_some_and(|line| line > 1),
            "{after:?}"
        );
        assert_eq!(of("/shapes/whole.so", "apes.c", 10), LineLoops::NoFile);
        assert_eq!(of("/shapes/shapes.c", "shapes.c", 10), LineLoops::NoLines);
        let nothing = loops_of_line(&NoFiles, Path::new("/a"), Path::new("a.c"), 1);
        assert_eq!(nothing, LineLoops::NoLines);
    }
}
