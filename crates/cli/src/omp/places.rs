//! Where addresses are in the source: debug information of the program and its libraries.

use std::collections::HashMap;
use std::fs;

use object::{Object, ObjectSegment};
use parascan_formats::names::demangle;
use parascan_formats::omp::log::{Log, RawPlace};
use parascan_formats::omp::{Construct, Frame, Location, Place};

/// How far to look back for an instruction whose line is known.
const NEAR: u64 = 64;
/// What compilers add to the name of a function for the part of a construct in it.
const OUTLINED: [&str; 4] = [".omp_", "._omp_", "..omp_par", ".extracted"];

/// Finds places, module by module.
#[derive(Debug)]
pub struct Resolver<'a> {
    log: &'a Log,
    modules: HashMap<String, Module>,
}

/// A mapped file.
struct Module {
    loader: Option<addr2line::Loader>,
    /// Offset in the file, length, and address as the file has it.
    segments: Vec<(u64, u64, u64)>,
}

impl std::fmt::Debug for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Module")
            .field("segments", &self.segments)
            .finish_non_exhaustive()
    }
}

impl<'a> Resolver<'a> {
    /// For the addresses of a log.
    pub fn new(log: &'a Log) -> Self {
        Self {
            log,
            modules: HashMap::new(),
        }
    }

    /// The place of what the collector saw.
    pub fn place(&mut self, raw: &RawPlace) -> Place {
        let mut location = raw
            .lookup()
            .and_then(|address| self.location(address))
            .unwrap_or_default();
        // A function that ends with a region may jump to the runtime: then the address is that of the function's caller, and
        // the outlined function the better witness.
        if let Some(owner) = self.outlined_from(raw.outlined)
            && !location.functions().any(|function| function == owner)
            && let Some(better) = self.location(raw.outlined)
        {
            location = better;
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

    /// The function that a construct was outlined from, by the name of the one it was outlined to.
    fn outlined_from(&mut self, function: u64) -> Option<String> {
        let (module, _, offset) = self.module(function)?;
        let symbol = module
            .loader
            .as_ref()?
            .find_symbol(module.address(offset))?;
        let name = readable(symbol);
        (name != symbol).then_some(name)
    }

    fn module(&mut self, address: u64) -> Option<(&Module, &'a str, u64)> {
        let (path, offset) = self.log.module(address)?;
        let module = self
            .modules
            .entry(path.to_owned())
            .or_insert_with(|| Module::open(path));
        Some((module, path, offset))
    }
}

impl Module {
    fn open(path: &str) -> Self {
        let bytes = fs::read(path).unwrap_or_default();
        let segments = object::File::parse(&*bytes).map_or_else(
            |_| Vec::new(),
            |file| {
                let place = |s: object::Segment| {
                    let (offset, length) = s.file_range();
                    (offset, length, s.address())
                };
                file.segments().map(place).collect()
            },
        );
        Self {
            loader: addr2line::Loader::new(path).ok(),
            segments,
        }
    }

    /// The address that an offset in the file has by the file itself.
    fn address(&self, offset: u64) -> u64 {
        let holds = |s: &&(u64, u64, u64)| (s.0..s.0.saturating_add(s.1)).contains(&offset);
        match self.segments.iter().find(holds) {
            Some(segment) => offset - segment.0 + segment.2,
            None => offset,
        }
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
        let symbol = self
            .loader
            .as_ref()
            .and_then(|l| l.find_symbol_info(address));
        Location::Binary {
            module: path.to_owned(),
            offset: symbol
                .as_ref()
                .map_or(address, |s| address.saturating_sub(s.address())),
            symbol: symbol.map(|s| readable(s.name())),
        }
    }

    /// Frames of an address from inside to outside; empty without debug information.
    fn frames(&self, address: u64) -> Vec<Frame> {
        let Some(loader) = &self.loader else {
            return Vec::new();
        };
        let mut frames = Vec::new();
        let Ok(mut found) = loader.find_frames(address) else {
            return frames;
        };
        while let Ok(Some(frame)) = found.next() {
            let function = frame
                .function
                .and_then(|f| Some(readable(&f.raw_name().ok()?)));
            let location = frame.location;
            frames.push(Frame {
                function: function.unwrap_or_default(),
                file: location
                    .as_ref()
                    .and_then(|l| l.file)
                    .unwrap_or_default()
                    .to_owned(),
                line: location.and_then(|l| l.line).unwrap_or(0),
            });
        }
        if frames
            .first()
            .is_some_and(|f| f.file.is_empty() && f.function.is_empty())
        {
            return Vec::new();
        }
        if let Some(first) = frames.first_mut()
            && first.line == 0
            && let Some((file, line)) = self.line_before(address, loader)
        {
            first.file = file;
            first.line = line;
        }
        frames
    }

    /// The line of the nearest instruction before an address whose line the compiler did not leave out.
    fn line_before(&self, address: u64, loader: &addr2line::Loader) -> Option<(String, u32)> {
        (1..NEAR).find_map(|back| {
            let location = loader.find_location(address.checked_sub(back)?).ok()??;
            let line = location.line.filter(|line| *line > 0)?;
            Some((location.file?.to_owned(), line))
        })
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
