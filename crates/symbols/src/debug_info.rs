//! Source lines and inlined calls of addresses, from DWARF, which may lie in files of its own (`.dwo`, `.dwp`).

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::convert::Infallible;
use std::error::Error;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use addr2line::{Context, LookupContinuation, LookupResult, SplitDwarfLoad};
use gimli::{
    AbbreviationsCacheStrategy, DebugInfoOffset, Dwarf, DwarfPackage, EndianSlice, Reader,
    RunTimeEndian, SectionId,
};
use object::{Object, ObjectSection, ObjectSegment, SymbolMap, SymbolMapName};
use parascan_formats::names::SourceLine;

use crate::Files;

/// What DWARF is read from.
type Section<'f> = EndianSlice<'f, RunTimeEndian>;

/// What one file says of its addresses.
pub struct DebugInfo<'f> {
    files: &'f dyn Files,
    file: object::File<'f>,
    /// Its symbols, sorted when the first is asked for.
    symbols: OnceCell<SymbolMap<SymbolMapName<'f>>>,
    /// Sections of its DWARF, if all can be read.
    sections: Option<Vec<(SectionId, Section<'f>)>>,
    /// All compilation units, once that is needed: there may be thousands, and it takes a look at each.
    whole: OnceCell<Option<Context<Section<'f>>>>,
    /// Which code each compilation unit says that it has.
    ranges: OnceCell<Vec<UnitRange>>,
    /// Single compilation units, by their place.
    units: RefCell<HashMap<usize, Option<Context<Section<'f>>>>>,
    /// The `.dwp` file beside it.
    package: Option<DwarfPackage<Section<'f>>>,
}

/// Code of a compilation unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct UnitRange {
    start: u64,
    end: u64,
    /// Where the unit begins in `.debug_info`.
    unit: usize,
}

/// A call that is open at an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceFrame {
    /// The function, as the linker knows it.
    pub function: Option<String>,
    /// Source file, as the debug information has it.
    pub file: Option<String>,
    /// Line; 0 is that of code which the compiler gave none.
    pub line: Option<u32>,
}

/// A symbol and where it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionSymbol<'a> {
    /// As the linker knows it.
    pub name: &'a str,
    /// Its address, as the file has it.
    pub address: u64,
}

impl<'f> DebugInfo<'f> {
    /// Reads the debug information of the file at a path; `None` where it is no object file.
    pub fn read(files: &'f dyn Files, path: &Path) -> Option<Self> {
        let file = object::File::parse(files.map(path)?).ok()?;
        let sections = load(files, &file);
        Some(Self {
            files,
            file,
            symbols: OnceCell::new(),
            sections,
            whole: OnceCell::new(),
            ranges: OnceCell::new(),
            units: RefCell::default(),
            package: package(files, path),
        })
    }

    /// The source line of an address, as the file has it.
    pub fn line(&self, address: u64) -> Option<SourceLine> {
        let place = |context: &Context<Section<'f>>| {
            let location = context.find_location(address).ok()??;
            Some(SourceLine {
                file: location.file?.to_owned(),
                line: location.line.filter(|line| *line > 0)?,
            })
        };
        // That of the one unit that says it has the address; where none does, or it has no line, all are looked at.
        let of_unit = self.unit_of(address).and_then(|unit| {
            let mut units = self.units.borrow_mut();
            let context = units.entry(unit).or_insert_with(|| self.unit(unit));
            place(context.as_ref()?)
        });
        of_unit.or_else(|| place(self.whole()?))
    }

    /// All compilation units.
    fn whole(&self) -> Option<&Context<Section<'f>>> {
        let whole = self.whole.get_or_init(|| {
            let mut dwarf = self.dwarf(|_, section| section)?;
            dwarf.populate_abbreviations_cache(AbbreviationsCacheStrategy::Duplicates);
            Context::from_dwarf(dwarf).ok()
        });
        whole.as_ref()
    }

    /// The DWARF of sections of which `change` may leave out parts.
    fn dwarf(
        &self,
        change: impl Fn(SectionId, Section<'f>) -> Section<'f>,
    ) -> Option<Dwarf<Section<'f>>> {
        let sections = self.sections.as_ref()?;
        let empty = EndianSlice::new(&[], endian(&self.file));
        let load = |id: SectionId| -> Result<_, Infallible> {
            let own = sections.iter().find(|(other, _)| *other == id);
            Ok(own.map_or(empty, |(_, section)| change(id, *section)))
        };
        Dwarf::load(load).ok()
    }

    /// Where the compilation unit begins that has an address; `None` where none or several say that they have it.
    fn unit_of(&self, address: u64) -> Option<usize> {
        let ranges = self
            .ranges
            .get_or_init(|| self.ranges().unwrap_or_default());
        let behind = ranges.partition_point(|range| range.start <= address);
        let (before, own) = match ranges[..behind] {
            [.., before, own] => (Some(before), own),
            [own] => (None, own),
            [] => return None,
        };
        let has = |range: UnitRange| address < range.end;
        (has(own) && !before.is_some_and(has)).then_some(own.unit)
    }

    /// Which code each compilation unit has, sorted. Empty where compilers did not say: Clang does not.
    fn ranges(&self) -> Option<Vec<UnitRange>> {
        let dwarf = self.dwarf(|_, section| section)?;
        let mut ranges = Vec::new();
        let mut headers = dwarf.debug_aranges.headers();
        while let Some(header) = headers.next().ok()? {
            let unit = header.debug_info_offset().0;
            let mut entries = header.entries();
            while let Some(entry) = entries.next().ok()? {
                let start = entry.address();
                let end = start.checked_add(entry.length())?;
                ranges.push(UnitRange { start, end, unit });
            }
        }
        ranges.sort_unstable();
        Some(ranges)
    }

    /// The compilation unit that begins at a place, alone.
    fn unit(&self, place: usize) -> Option<Context<Section<'f>>> {
        let whole = self.dwarf(|_, section| section)?;
        let header = whole
            .debug_info
            .header_from_offset(DebugInfoOffset(place))
            .ok()?;
        let length = header.length_including_self();
        let dwarf = self.dwarf(|id, section| {
            let bytes = match id {
                SectionId::DebugInfo => section.slice().get(place..).unwrap_or_default(),
                // They name units by their place.
                SectionId::DebugAranges => &[],
                _ => section.slice(),
            };
            let bytes = match id {
                SectionId::DebugInfo => bytes.get(..length).unwrap_or(bytes),
                _ => bytes,
            };
            EndianSlice::new(bytes, section.endian())
        })?;
        Context::from_dwarf(dwarf).ok()
    }

    /// Calls back with all code that has a source line: address, size, file, line.
    pub fn lines(&self, mut found: impl FnMut(u64, u64, &str, u32)) {
        let ranges = self.whole();
        let ranges = ranges.and_then(|dwarf| dwarf.find_location_range(0, u64::MAX).ok());
        for (address, size, location) in ranges.into_iter().flatten() {
            if let (Some(file), Some(line)) = (location.file, location.line)
                && line > 0
            {
                found(address, size, file, line);
            }
        }
    }

    /// Calls open at an address, from inside to outside: all but the last were inlined. Empty where nothing tells.
    pub fn frames(&self, address: u64) -> Vec<SourceFrame> {
        let mut frames = Vec::new();
        let Some(dwarf) = self.whole() else {
            return frames;
        };
        let mut lookup = dwarf.find_frames(address);
        let found = loop {
            match lookup {
                LookupResult::Output(found) => break found,
                LookupResult::Load { load, continuation } => {
                    lookup = continuation.resume(self.split(&load));
                }
            }
        };
        let Ok(mut found) = found else {
            return frames;
        };
        while let Ok(Some(frame)) = found.next() {
            let function = frame.function;
            let location = frame.location;
            frames.push(SourceFrame {
                function: function.and_then(|f| Some(f.raw_name().ok()?.into_owned())),
                file: location
                    .as_ref()
                    .and_then(|location| location.file.map(str::to_owned)),
                line: location.and_then(|location| location.line),
            });
        }
        frames
    }

    /// The first line that the compiler names for an address. Of a function's first instruction it is the function's
    /// own; then follow those of the statement, which may be of another file if a call of it was inlined.
    pub fn first_line(&self, address: u64) -> Option<SourceLine> {
        let unit = self.whole()?.find_dwarf_and_unit(address);
        let unit = unit.skip_all_loads()?;
        let mut rows = unit.line_program.clone()?.rows();
        let row = loop {
            let (_, row) = rows.next_row().ok()??;
            if row.address() == address && !row.end_sequence() {
                break *row;
            }
        };
        let header = rows.header();
        let file = row.file(header)?;
        let mut path = unit.comp_dir.as_ref().map(path_of).unwrap_or_default();
        // Folder 0 is that of the compilation unit.
        if file.directory_index() != 0 {
            path.push(path_of(&unit.attr_string(file.directory(header)?).ok()?));
        }
        path.push(path_of(&unit.attr_string(file.path_name()).ok()?));
        Some(SourceLine {
            file: path.to_string_lossy().into_owned(),
            line: u32::try_from(row.line()?.get()).ok()?,
        })
    }

    /// The symbol that an address belongs to.
    pub fn symbol(&self, address: u64) -> Option<FunctionSymbol<'f>> {
        let symbols = self.symbols.get_or_init(|| self.file.symbol_map());
        let symbol = symbols.containing(address)?;
        Some(FunctionSymbol {
            name: symbol.name(),
            address: symbol.address(),
        })
    }

    /// The address that an offset in the file has; the offset itself where no segment holds it.
    pub fn address_of_offset(&self, offset: u64) -> u64 {
        let held = self.file.segments().find_map(|segment| {
            let (start, length) = segment.file_range();
            let holds = (start..start.saturating_add(length)).contains(&offset);
            holds.then(|| (offset - start).wrapping_add(segment.address()))
        });
        held.unwrap_or(offset)
    }

    /// The part of a compilation unit's DWARF that lies in a file of its own.
    fn split(&self, load: &SplitDwarfLoad<Section<'f>>) -> Option<Arc<Dwarf<Section<'f>>>> {
        let packed = self
            .package
            .as_ref()
            .and_then(|package| package.find_cu(load.dwo_id, &load.parent).ok()?);
        packed.map_or_else(|| self.split_file(load), |unit| Some(Arc::new(unit)))
    }

    /// The `.dwo` file of a compilation unit, if it still is that unit's.
    fn split_file(&self, load: &SplitDwarfLoad<Section<'f>>) -> Option<Arc<Dwarf<Section<'f>>>> {
        let folder = load.comp_dir.as_ref().map(path_of).unwrap_or_default();
        let path = folder.join(path_of(load.path.as_ref()?));
        let file = object::File::parse(self.files.map(&path)?).ok()?;
        let endian = endian(&file);
        let mut dwarf = Dwarf::load(|id| section(self.files, &file, id.dwo_name(), endian)).ok()?;
        let header = dwarf.units().next().ok()??;
        let unit = dwarf.unit(header).ok()?;
        if unit.dwo_id != Some(load.dwo_id) {
            return None;
        }
        dwarf.make_dwo(&load.parent);
        Some(Arc::new(dwarf))
    }
}

impl std::fmt::Debug for DebugInfo<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DebugInfo")
            .field("dwarf", &self.sections.is_some())
            .field("package", &self.package.is_some())
            .finish_non_exhaustive()
    }
}

/// A path, or a part of one, in DWARF.
fn path_of(name: &Section<'_>) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(name.slice()))
}

/// The sections of a file's DWARF, but for places of variables and for macros: nothing here asks for these, and they
/// may be long, and compressed.
fn load<'f>(
    files: &'f dyn Files,
    file: &object::File<'f>,
) -> Option<Vec<(SectionId, Section<'f>)>> {
    use SectionId as S;
    let endian = endian(file);
    let mut sections = Vec::new();
    let load = |id: SectionId| -> Result<Section<'f>, Box<dyn Error>> {
        let unused = matches!(
            id,
            S::DebugLoc | S::DebugLocLists | S::DebugMacinfo | S::DebugMacro
        );
        let name = (!unused).then(|| id.name());
        let section = section(files, file, name, endian)?;
        sections.push((id, section));
        Ok(section)
    };
    Dwarf::load(load).ok()?;
    Some(sections)
}

/// The `.dwp` file beside a program, which has what is not in the program of all its compilation units.
fn package<'f>(files: &'f dyn Files, path: &Path) -> Option<DwarfPackage<Section<'f>>> {
    let extension = match path.extension() {
        Some(own) => {
            let mut extension = own.to_owned();
            extension.push(".dwp");
            extension
        }
        None => "dwp".into(),
    };
    let file = object::File::parse(files.map(&path.with_extension(extension))?).ok()?;
    let endian = endian(&file);
    let load = |id: gimli::SectionId| section(files, &file, id.dwo_name(), endian);
    DwarfPackage::load(load, EndianSlice::new(&[], endian)).ok()
}

fn endian(file: &object::File<'_>) -> RunTimeEndian {
    if file.is_little_endian() {
        RunTimeEndian::Little
    } else {
        RunTimeEndian::Big
    }
}

/// The section of a name, decompressed; empty where there is none.
fn section<'f>(
    files: &'f dyn Files,
    file: &object::File<'f>,
    name: Option<&str>,
    endian: RunTimeEndian,
) -> Result<Section<'f>, Box<dyn Error>> {
    let data = match name.and_then(|name| file.section_by_name(name)) {
        Some(section) => match section.uncompressed_data()? {
            Cow::Borrowed(bytes) => bytes,
            Cow::Owned(bytes) => files.keep(bytes),
        },
        None => &[],
    };
    Ok(EndianSlice::new(data, endian))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{Fixtures, NoFiles};
    use crate::functions::Functions;

    /// Functions and lines open at the instructions of a function of a fixture, each once, from inside to outside.
    fn open_in(files: &Fixtures, library: &str, function: &str) -> Vec<Vec<(String, u32)>> {
        let path = Path::new("/shapes").join(library);
        let functions = Functions::read(files, &path);
        let function = functions.named(function).expect("the fixture has it");
        let info = DebugInfo::read(files, &path).expect("it is an object file");
        let mut open = Vec::new();
        for address in function.start..function.end {
            let frames = info.frames(address).into_iter();
            let frames: Vec<(String, u32)> = frames
                .map(|frame| {
                    assert_eq!(frame.file.as_deref(), Some("/shapes/shapes.c"));
                    (frame.function.unwrap_or_default(), frame.line.unwrap_or(0))
                })
                .collect();
            let line = info.line(address).map(|line| line.line);
            let innermost = frames.first().map(|frame| frame.1).filter(|line| *line > 0);
            assert_eq!(innermost, line, "{library} {address:#x}");
            if open.last() != Some(&frames) {
                open.push(frames);
            }
        }
        open
    }

    /// Whether the product in `square` is seen as inlined into `area`, which calls it on line 10.
    fn sees_inlining(files: &Fixtures, library: &str) -> bool {
        let open = open_in(files, library, "area");
        let inlined = [("square".to_owned(), 5), ("area".to_owned(), 10)];
        open.iter().any(|frames| frames[..] == inlined)
    }

    #[test]
    fn lines_and_inlined_calls_are_found() {
        for library in ["whole.so", "compressed.so"] {
            assert!(
                sees_inlining(&Fixtures::of(&[library]), library),
                "{library}"
            );
        }
    }

    #[test]
    fn inlined_calls_are_found_in_files_of_their_own() {
        assert!(sees_inlining(
            &Fixtures::of(&["split.so", "split.dwo"]),
            "split.so"
        ));
        assert!(sees_inlining(
            &Fixtures::of(&["split.so", "split.so.dwp"]),
            "split.so"
        ));
    }

    #[test]
    fn without_these_files_lines_alone_are_known() {
        let files = Fixtures::of(&["split.so"]);
        assert!(!sees_inlining(&files, "split.so"));
        let info = DebugInfo::read(&files, Path::new("/shapes/split.so")).unwrap();
        let functions = Functions::read(&files, Path::new("/shapes/split.so"));
        let line = info.line(functions.named("area").unwrap().start);
        assert_eq!(
            line,
            Some(SourceLine {
                file: "/shapes/shapes.c".to_owned(),
                line: 8
            })
        );
    }

    /// Whether lines are looked up in a single unit or in all, they are the same.
    #[test]
    fn a_unit_alone_has_the_lines_that_it_has_among_all() {
        let files = Fixtures::all();
        for library in ["whole.so", "compressed.so", "split.so", "program"] {
            let path = Path::new("/shapes").join(library);
            let info = DebugInfo::read(&files, &path).expect("it is an object file");
            let all = Functions::read(&files, &path);
            let function = all.named("area").or(all.named("main"));
            let function = function.expect("the fixture has it");
            for address in function.start..function.end {
                let found = info.whole().unwrap().find_location(address).unwrap();
                let found = found.and_then(|found| {
                    Some((found.file?.to_owned(), found.line.filter(|it| *it > 0)?))
                });
                let line = info.line(address).map(|it| (it.file, it.line));
                assert_eq!(line, found, "{library} {address:#x}");
            }
        }
    }

    #[test]
    fn units_have_the_code_that_no_other_has() {
        let files = Fixtures::all();
        let info = DebugInfo::read(&files, Path::new("/shapes/whole.so")).unwrap();
        let range = |start, end, unit| UnitRange { start, end, unit };
        let ranges = vec![range(10, 20, 0), range(20, 40, 7), range(30, 50, 9)];
        info.ranges.set(ranges).unwrap();
        let found = [9, 10, 19, 20, 29, 30, 39, 40, 49, 50].map(|address| info.unit_of(address));
        let (first, second, third) = (Some(0), Some(7), Some(9));
        assert_eq!(
            found,
            [
                None, first, first, second, second, None, None, third, third, None
            ]
        );
    }

    #[test]
    fn symbols_begin_before_their_addresses() {
        let files = Fixtures::all();
        let info = DebugInfo::read(&files, Path::new("/shapes/whole.so")).unwrap();
        let functions = Functions::read(&files, Path::new("/shapes/whole.so"));
        let start = functions.named("hidden").unwrap().start;
        let expected = FunctionSymbol {
            name: "hidden",
            address: start,
        };
        assert_eq!(info.symbol(start + 3), Some(expected));
        assert_eq!(info.symbol(0), None);
    }

    #[test]
    fn offsets_in_the_file_have_addresses() {
        let files = Fixtures::all();
        let bytes = files.map(Path::new("/shapes/whole.so")).unwrap();
        let file = object::File::parse(bytes).unwrap();
        let text = file.section_by_name(".text").unwrap();
        let (offset, _) = text.file_range().unwrap();
        assert_ne!(offset, text.address());
        let info = DebugInfo::read(&files, Path::new("/shapes/whole.so")).unwrap();
        assert_eq!(info.address_of_offset(offset + 3), text.address() + 3);
        assert_eq!(info.address_of_offset(u64::MAX), u64::MAX);
    }

    #[test]
    fn what_is_no_object_file_has_nothing() {
        let files = Fixtures::all();
        assert!(DebugInfo::read(&files, Path::new("/shapes/shapes.c")).is_none());
        assert!(DebugInfo::read(&NoFiles, Path::new("/shapes/whole.so")).is_none());
    }
}
