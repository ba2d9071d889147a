//! Functions of an ELF file: from its symbols, those of its separate debug file, its unwind tables and its PLT.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use object::elf::{R_X86_64_IRELATIVE, STB_GLOBAL, STT_FUNC, STT_GNU_IFUNC, STT_NOTYPE};
use object::read::elf::ElfFile64;
use object::{
    Object, ObjectSection, ObjectSegment, ObjectSymbol, RelocationFlags, RelocationTarget,
    SectionKind, SymbolFlags,
};

use crate::{Files, entry, separate};

/// A word that gets the address of what a function chooses.
const IRELATIVE: RelocationFlags = RelocationFlags::Elf {
    r_type: R_X86_64_IRELATIVE,
};

/// The function at which C programs begin.
pub const MAIN: &str = "main";

type Elf<'a> = ElfFile64<'a, object::Endianness>;

/// A function of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Address of its first instruction, as the file has it.
    pub start: u64,
    /// Address after its last.
    pub end: u64,
    /// As the linker knows it; `None` where only the unwind tables tell that there is a function.
    pub name: Option<String>,
    /// Where the function begins that this is an outlined part of (`.cold`), else its own start.
    pub owner: u64,
    /// Whether it is an entry of the PLT.
    pub is_plt: bool,
}

/// Functions of a file in the order of their addresses, which do not overlap.
#[derive(Clone, Debug)]
pub struct Functions {
    all: Vec<Function>,
    /// Symbols for which the file chooses an implementation when it is loaded (`STT_GNU_IFUNC`).
    chosen: HashSet<String>,
    /// Whether no function has a name from a symbol.
    stripped: bool,
    /// The lowest address that the file asks for.
    pub lowest: u64,
    /// Where symbols are, and source lines may be.
    pub debug_file: Option<PathBuf>,
}

/// A name for a start, and how good it is: of several the largest wins.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct NamedStart {
    rank: (bool, i32, i32),
    name: String,
    size: u64,
}

impl Default for Functions {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            chosen: HashSet::new(),
            stripped: true,
            lowest: 0,
            debug_file: None,
        }
    }
}

impl Functions {
    /// Functions of the file at a path; none if it is not an ELF file of this machine.
    pub fn read(files: &dyn Files, path: &Path) -> Self {
        let bytes = files.read(path).unwrap_or_default();
        let Ok(file) = Elf::parse(&*bytes) else {
            return Self::default();
        };
        let mut candidates = separate::debug_files(path, &file).into_iter();
        let (debug_file, debug_bytes): (Option<PathBuf>, Option<Vec<u8>>) = candidates
            .find_map(|candidate| files.read(&candidate).map(|bytes| (candidate, bytes)))
            .unzip();
        let debug = debug_bytes.as_deref().and_then(|b| Elf::parse(b).ok());
        let mut functions = Self::of(&file, debug.as_ref());
        functions.debug_file = debug_file;
        functions.lowest = file.segments().map(|s| s.address()).min().unwrap_or(0) & !0xfff;
        functions
    }

    fn of(file: &Elf, debug: Option<&Elf>) -> Self {
        let mut names: BTreeMap<u64, NamedStart> = BTreeMap::new();
        let mut chosen = HashSet::new();
        for part in std::iter::once(file).chain(debug) {
            for symbol in part.symbols().chain(part.dynamic_symbols()) {
                if let Some((start, named)) = named(part, &symbol) {
                    if is_chosen(&symbol) {
                        chosen.insert(named.name.clone());
                    }
                    match names.get_mut(&start) {
                        Some(known) if *known >= named => {}
                        Some(known) => {
                            let size = known.size.max(named.size);
                            *known = NamedStart { size, ..named };
                        }
                        None => {
                            names.insert(start, named);
                        }
                    }
                }
            }
        }
        let starts: HashMap<&str, u64> = names
            .iter()
            .map(|(start, named)| (named.name.as_str(), *start))
            .collect();
        let mut all: BTreeMap<u64, Function> = names
            .iter()
            .map(|(start, named)| {
                let owner = cold_part_of(&named.name).and_then(|owner| starts.get(owner));
                let function = Function {
                    start: *start,
                    end: start.saturating_add(named.size),
                    name: Some(named.name.clone()),
                    owner: *owner.unwrap_or(start),
                    is_plt: false,
                };
                (*start, function)
            })
            .collect();
        for entry in plt(file, &names) {
            all.entry(entry.start).or_insert(entry);
        }
        for (start, end) in unwind_ranges(file) {
            let known = all.range(..=start).next_back();
            let covered = known.is_some_and(|(_, f)| f.start == start || f.end > start);
            // The one entry for the whole of the PLT says nothing about its parts.
            let holds_plt = all.range(start..end).any(|(_, f)| f.is_plt);
            if !covered && !holds_plt {
                all.insert(
                    start,
                    Function {
                        start,
                        end,
                        name: None,
                        owner: start,
                        is_plt: false,
                    },
                );
            }
        }
        let sections: Vec<(u64, u64)> = file
            .sections()
            .filter(|section| section.kind() == SectionKind::Text)
            .map(|section| (section.address(), section.address() + section.size()))
            .collect();
        let stripped = all.values().all(|f| f.name.is_none() || f.is_plt);
        if !names.values().any(|named| named.name == MAIN)
            && let Some(start) = main(file)
        {
            // Where it ends the unwind tables say, or the next function's beginning.
            all.entry(start)
                .or_insert(Function {
                    start,
                    end: start,
                    name: None,
                    owner: start,
                    is_plt: false,
                })
                .name
                .get_or_insert_with(|| MAIN.to_owned());
        }
        let mut all: Vec<Function> = all.into_values().collect();
        // A symbol without a size (assembly) reaches to the next function; none reaches into the next.
        for i in 0..all.len() {
            let section_end = sections
                .iter()
                .find(|(start, end)| (*start..*end).contains(&all[i].start))
                .map_or(all[i].start, |(_, end)| *end);
            let next = all.get(i + 1).map_or(u64::MAX, |next| next.start);
            if all[i].end == all[i].start {
                all[i].end = section_end;
            }
            all[i].end = all[i].end.min(next);
        }
        Self {
            all,
            chosen,
            stripped,
            lowest: 0,
            debug_file: None,
        }
    }

    /// The function that contains an address.
    pub fn at(&self, address: u64) -> Option<&Function> {
        let next = self.all.partition_point(|f| f.start <= address);
        let function = self.all[..next].last()?;
        (address < function.end).then_some(function)
    }

    /// The function of a name, as the linker knows it.
    pub fn named(&self, name: &str) -> Option<&Function> {
        self.all
            .iter()
            .find(|f| f.name.as_deref() == Some(name) && !f.is_plt)
    }

    /// Whether the file chooses an implementation for the symbol when it is loaded.
    pub fn chooses(&self, symbol: &str) -> bool {
        self.chosen.contains(symbol)
    }

    /// Whether no function has a name from a symbol.
    pub fn is_stripped(&self) -> bool {
        self.stripped
    }
}

/// Where a program's first instructions say that `main` is.
fn main(file: &Elf) -> Option<u64> {
    let section_of = |address| {
        let mut code = file.sections().filter(|s| s.kind() == SectionKind::Text);
        code.find(|s| (s.address()..s.address().saturating_add(s.size())).contains(&address))
    };
    let entry = file.entry();
    let section = section_of(entry)?;
    let code = section
        .data()
        .ok()?
        .get((entry - section.address()) as usize..)?;
    entry::main_of(code, entry).filter(|start| section_of(*start).is_some())
}

/// Whether a symbol without a type may be a function, as those of assembler are that have no `.type`: it is global, and
/// names an instruction. (Marks such as `etext` lie behind the code.)
fn labels_code<'a>(file: &Elf, symbol: &impl ObjectSymbol<'a>) -> bool {
    let section = symbol
        .section_index()
        .filter(|_| symbol.is_global())
        .and_then(|index| file.section_by_index(index).ok());
    section.is_some_and(|section| {
        section.kind() == SectionKind::Text
            && (section.address()..section.address().saturating_add(section.size()))
                .contains(&symbol.address())
    })
}

/// A symbol's function, if it is one that the file defines.
fn named<'a>(file: &Elf, symbol: &impl ObjectSymbol<'a>) -> Option<(u64, NamedStart)> {
    let SymbolFlags::Elf { st_info, .. } = symbol.flags() else {
        return None;
    };
    let code = matches!(st_info.st_type(), STT_FUNC | STT_GNU_IFUNC)
        || (st_info.st_type() == STT_NOTYPE && labels_code(file, symbol));
    if !code || symbol.is_undefined() || symbol.address() == 0 {
        return None;
    }
    let name = symbol.name().ok().filter(|name| !name.is_empty())?;
    let underscores = name.bytes().take_while(|b| *b == b'_').count() as i32;
    // Names of C++ and Rust begin with an underscore by rule.
    let underscores = if name.starts_with("_Z") || name.starts_with("_R") {
        0
    } else {
        underscores
    };
    let named = NamedStart {
        rank: (
            st_info.st_bind() == STB_GLOBAL,
            -underscores,
            -(name.len() as i32),
        ),
        name: name.to_owned(),
        size: symbol.size(),
    };
    Some((symbol.address(), named))
}

/// Whether a symbol stands for a function that chooses another.
fn is_chosen<'a>(symbol: &impl ObjectSymbol<'a>) -> bool {
    matches!(symbol.flags(), SymbolFlags::Elf { st_info, .. } if st_info.st_type() == STT_GNU_IFUNC)
}

/// `f` for `f.cold` and `f.cold.3`: code that the compiler moved away from where it is rarely reached.
fn cold_part_of(name: &str) -> Option<&str> {
    let (owner, rest) = name.rsplit_once(".cold")?;
    let numbered = rest
        .strip_prefix('.')
        .is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    (rest.is_empty() || numbered).then_some(owner)
}

/// Entries of the PLT: each jumps through a word that the dynamic linker fills in for one symbol.
fn plt(file: &Elf, names: &BTreeMap<u64, NamedStart>) -> Vec<Function> {
    let mut symbols: HashMap<u64, String> = HashMap::new();
    let table = file.dynamic_symbol_table();
    for (place, relocation) in file.dynamic_relocations().into_iter().flatten() {
        if relocation.flags() == IRELATIVE
            && let Some(chooser) = names.get(&(relocation.addend() as u64))
        {
            symbols.insert(place, chooser.name.clone());
        }
        if let RelocationTarget::Symbol(index) = relocation.target()
            && let Some(symbol) = table
                .as_ref()
                .and_then(|table| object::ObjectSymbolTable::symbol_by_index(table, index).ok())
            && let Ok(name) = symbol.name()
            && !name.is_empty()
        {
            symbols.insert(place, name.to_owned());
        }
    }
    let mut entries = Vec::new();
    for section in file.sections() {
        let name = section.name().unwrap_or_default();
        if !matches!(name, ".plt" | ".plt.sec" | ".plt.got") {
            continue;
        }
        let Ok(bytes) = section.data() else { continue };
        // Entries of `.plt.got` may be 8 bytes long, all others are 16.
        let step = if name == ".plt.got" && !bytes.starts_with(&[0xf3, 0x0f, 0x1e, 0xfa]) {
            8
        } else {
            16
        };
        for (number, entry) in bytes.chunks(step).enumerate() {
            let start = section.address() + (number * step) as u64;
            let Some(jump) = entry.windows(6).position(|w| w.starts_with(&[0xff, 0x25])) else {
                continue;
            };
            let Ok(offset) = <[u8; 4]>::try_from(&entry[jump + 2..jump + 6]) else {
                continue;
            };
            let word = (start + jump as u64 + 6)
                .wrapping_add_signed(i64::from(i32::from_le_bytes(offset)));
            if let Some(symbol) = symbols.get(&word) {
                entries.push(Function {
                    start,
                    end: start + entry.len() as u64,
                    name: Some(format!("{symbol}@plt")),
                    owner: start,
                    is_plt: true,
                });
            }
        }
    }
    entries
}

/// Ranges of functions in `.eh_frame`.
fn unwind_ranges(file: &Elf) -> Vec<(u64, u64)> {
    use gimli::UnwindSection;
    let address = |name| file.section_by_name(name).map(|s| s.address());
    let Some(section) = file.section_by_name(".eh_frame") else {
        return Vec::new();
    };
    let Ok(bytes) = section.uncompressed_data() else {
        return Vec::new();
    };
    let frames = gimli::EhFrame::new(&bytes, gimli::LittleEndian);
    let mut bases = gimli::BaseAddresses::default().set_eh_frame(section.address());
    if let Some(text) = address(".text") {
        bases = bases.set_text(text);
    }
    if let Some(got) = address(".got") {
        bases = bases.set_got(got);
    }
    let mut entries = frames.entries(&bases);
    let mut ranges = Vec::new();
    while let Ok(Some(entry)) = entries.next() {
        if let gimli::CieOrFde::Fde(partial) = entry
            && let Ok(fde) = partial.parse(gimli::EhFrame::cie_from_offset)
            && fde.len() > 0
        {
            let start = fde.initial_address();
            ranges.push((start, start.saturating_add(fde.len())));
        }
    }
    ranges.sort_unstable();
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Fixtures;

    #[test]
    fn cold_parts_belong_to_their_functions() {
        assert_eq!(cold_part_of("f.cold"), Some("f"));
        assert_eq!(cold_part_of("_Z1fv.cold.12"), Some("_Z1fv"));
        assert_eq!(cold_part_of("f.part.0"), None);
        assert_eq!(cold_part_of("f.colder"), None);
    }

    /// Names of all functions in the order of their addresses, `?` where there is none.
    fn names(functions: &Functions) -> Vec<&str> {
        let names = functions.all.iter();
        names.map(|f| f.name.as_deref().unwrap_or("?")).collect()
    }

    #[test]
    fn symbols_and_the_plt_name_functions() {
        let functions = Functions::read(&Fixtures::all(), Path::new("/shapes/whole.so"));
        assert_eq!(names(&functions), ["area", "shifted", "hidden", "room@plt"]);
        assert!(!functions.is_stripped() && functions.debug_file.is_none());
        for function in &functions.all {
            assert_eq!(functions.at(function.start), Some(function));
            assert_eq!(functions.at(function.end - 1), Some(function));
        }
        for pair in functions.all.windows(2) {
            assert!(pair[0].end <= pair[1].start, "{pair:?}");
        }
        assert_eq!(functions.named("area"), Some(&functions.all[0]));
        assert_eq!(functions.named("room@plt"), None);
    }

    #[test]
    fn what_is_stripped_has_names_in_its_debug_file() {
        let path = Path::new("/shapes/stripped.so");
        let functions = Functions::read(&Fixtures::all(), path);
        assert_eq!(names(&functions), ["area", "shifted", "hidden", "room@plt"]);
        let debug_file = Path::new("/shapes/stripped.debug");
        assert_eq!(functions.debug_file.as_deref(), Some(debug_file));
        // Without that, the unwind tables tell where `hidden` is.
        let alone = Functions::read(&Fixtures::of(&["stripped.so"]), path);
        assert_eq!(names(&alone), ["area", "shifted", "?", "room@plt"]);
        let places = |functions: &Functions| {
            functions
                .all
                .iter()
                .map(|f| (f.start, f.end))
                .collect::<Vec<_>>()
        };
        assert_eq!(places(&alone), places(&functions));
        assert_eq!(alone.debug_file, None);
    }

    #[test]
    fn what_is_no_program_has_none() {
        let files = Fixtures::all();
        let text = Functions::read(&files, Path::new("/shapes/shapes.c"));
        assert!(text.all.is_empty() && text.at(0).is_none());
        assert!(Functions::read(&files, Path::new("/nonexistent")).is_stripped());
    }
}
