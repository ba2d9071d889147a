//! Where the constructs of an OpenMP program are in its source, by the addresses that the collector saw.

use std::collections::HashMap;
use std::path::Path;

use parascan_formats::names::demangle;
use parascan_formats::omp::log::{OmpLog, RawPlace};
use parascan_formats::omp::{CodePosition, Construct, Location, Place};

use crate::debug_info::FunctionSymbol;
use crate::{DebugInfo, Files};

/// How far to look back for an instruction whose line is known.
const NEAR: u64 = 64;
/// What compilers add to the name of a function for the part of a construct in it.
const OUTLINED: [&str; 4] = [".omp_", OUTLINED_BY_GCC, "..omp_par", ".extracted"];
const OUTLINED_BY_GCC: &str = "._omp_";

/// Finds places, module by module.
#[derive(Debug)]
pub struct Resolver<'a> {
    log: &'a OmpLog,
    files: &'a dyn Files,
    modules: HashMap<String, MappedFile<'a>>,
    /// Functions that regions were outlined to, by the addresses of the regions: gcc has one call for a region and its
    /// loop.
    outlined: HashMap<u64, u64>,
    compiled_by_gcc: bool,
}

/// A file that was mapped.
#[derive(Debug)]
struct MappedFile<'a> {
    debug_info: Option<DebugInfo<'a>>,
}

impl<'a> Resolver<'a> {
    /// Finds the places of a log's addresses; the program and its libraries are among the files.
    pub fn new(log: &'a OmpLog, files: &'a dyn Files) -> Self {
        let regions = log.places.iter().filter(|place| place.outlined != 0);
        Self {
            log,
            files,
            modules: HashMap::new(),
            outlined: regions
                .map(|place| (place.address, place.outlined))
                .collect(),
            compiled_by_gcc: false,
        }
    }

    /// Whether gcc compiled any of the regions whose places were asked for.
    pub fn has_seen_gcc(&self) -> bool {
        self.compiled_by_gcc
    }

    /// The place of what the collector saw.
    pub fn place(&mut self, raw: &RawPlace) -> Place {
        let mut location = raw
            .lookup()
            .and_then(|address| self.location(address))
            .unwrap_or_default();
        // A function that ends with a region may jump to the runtime: then the address is that of the function's
        // caller, and the outlined function the better witness. Of programs of gcc it always is: the call's line may be
        // that of the statement in front of it.
        let outlined = match raw.outlined {
            0 => self.outlined.get(&raw.address).copied().unwrap_or(0),
            known => known,
        };
        let from = self.outlined_from(outlined);
        self.compiled_by_gcc |= from.as_ref().is_some_and(|(_, gnu)| *gnu);
        if let Some((owner, gnu)) = from
            && (gnu || !location.functions().any(|function| function == owner))
            && let Some(better) = self.location(outlined)
        {
            location = if gnu {
                self.directive(better, outlined)
            } else {
                better
            };
        }
        let name = match (&location, raw.construct) {
            (Location::Source { frame, .. }, Construct::Function) => frame.function.clone(),
            (Location::Binary { symbol, .. }, Construct::Function) => {
                symbol.clone().unwrap_or_default()
            }
            _ => raw.name.clone(),
        };
        Place {
            construct: raw.construct,
            name,
            location,
        }
    }

    fn location(&mut self, address: u64) -> Option<Location> {
        let (module, path, offset) = self.module(address)?;
        Some(module.location(path, offset))
    }

    /// The place of a directive, of that of the first instruction in the function that gcc outlined it to. The
    /// instruction may be one of a statement, in a function that was inlined there.
    fn directive(&mut self, location: Location, outlined: u64) -> Location {
        let Location::Source {
            frame,
            mut inlined_into,
        } = location
        else {
            return location;
        };
        let mut frame = inlined_into.pop().unwrap_or(frame);
        if let Some((module, _, offset)) = self.module(outlined)
            && let Some(debug_info) = &module.debug_info
            && let Some(own) = debug_info.first_line(module.address(offset))
        {
            frame.file = own.file;
            frame.line = own.line;
        }
        Location::Source {
            frame,
            inlined_into: Vec::new(),
        }
    }

    /// The function that a construct was outlined from, by the name of the one it was outlined to, and whether gcc did.
    fn outlined_from(&mut self, function: u64) -> Option<(String, bool)> {
        let (module, _, offset) = self.module(function)?;
        let symbol = module.symbol(module.address(offset))?.name;
        let name = readable(symbol);
        (name != symbol).then(|| (name, symbol.contains(OUTLINED_BY_GCC)))
    }

    fn module(&mut self, address: u64) -> Option<(&MappedFile<'a>, &'a str, u64)> {
        let (path, offset) = self.log.module(address)?;
        let files = self.files;
        let module = self
            .modules
            .entry(path.to_owned())
            .or_insert_with(|| MappedFile {
                debug_info: DebugInfo::read(files, Path::new(path)),
            });
        Some((module, path, offset))
    }
}

impl<'a> MappedFile<'a> {
    /// The address that an offset in the file has by the file itself.
    fn address(&self, offset: u64) -> u64 {
        let debug_info = self.debug_info.as_ref();
        debug_info.map_or(offset, |info| info.address_of_offset(offset))
    }

    fn symbol(&self, address: u64) -> Option<FunctionSymbol<'a>> {
        self.debug_info.as_ref()?.symbol(address)
    }

    fn location(&self, path: &str, offset: u64) -> Location {
        let address = self.address(offset);
        let mut frames = self.frames(address);
        if !frames.is_empty() {
            let frame = frames.remove(0);
            return Location::Source {
                frame,
                inlined_into: frames,
            };
        }
        let symbol = self.symbol(address);
        Location::Binary {
            module: path.to_owned(),
            offset: symbol.map_or(address, |s| address.saturating_sub(s.address)),
            symbol: symbol.map(|s| readable(s.name)),
        }
    }

    /// Frames of an address from inside to outside; empty without debug information.
    fn frames(&self, address: u64) -> Vec<CodePosition> {
        let Some(debug_info) = &self.debug_info else {
            return Vec::new();
        };
        let found = debug_info.frames(address).into_iter();
        let mut frames: Vec<CodePosition> = found
            .map(|frame| CodePosition {
                function: frame.function.map_or_else(String::new, |f| readable(&f)),
                file: frame.file.unwrap_or_default(),
                line: frame.line.unwrap_or(0),
            })
            .collect();
        if frames
            .first()
            .is_some_and(|f| f.file.is_empty() && f.function.is_empty())
        {
            return Vec::new();
        }
        // The compiler left out the line: that of the nearest instruction before it that has one.
        if let Some(first) = frames.first_mut()
            && first.line == 0
            && let Some(line) =
                (1..NEAR).find_map(|back| debug_info.line(address.checked_sub(back)?))
        {
            first.file = line.file;
            first.line = line.line;
        }
        frames
    }
}

/// A function's name without what compilers add to outlined parts, as the source has it.
fn readable(symbol: &str) -> String {
    let end = OUTLINED
        .iter()
        .filter_map(|part| symbol.find(part))
        .filter(|&at| at > 0)
        .min()
        .unwrap_or(symbol.len());
    demangle(&symbol[..end])
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn names_of_outlined_parts() {
        for (symbol, name) in [
            ("main", "main"),
            ("main.omp_outlined", "main"),
            ("_Z4workPd.omp_outlined_debug__", "work(double*)"),
            ("solve._omp_fn.0", "solve"),
            ("_QQmain..omp_par", "main"),
            ("_QMsolverPfib..omp_par", "solver::fib"),
            (".omp_task_entry.", ".omp_task_entry."),
        ] {
            assert_eq!(readable(symbol), name);
        }
    }
}
