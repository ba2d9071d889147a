//! Routines and source lines of all code that was executed, under numbers.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use glob::Pattern;
use parascan_ddg::program::RoutineId;
use parascan_formats::names::{RoutineName, SourceLine, demangle};
use parascan_symbols::{DebugInfo, Files, Functions};

/// Numbers kept for the routines of each pattern: who measures only these must know their numbers before their names
/// are known.
pub const PER_PATTERN: u32 = 1024;

/// Where code lies: a module, and the address in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CodeAddress {
    /// Number of the module in the catalog.
    pub module: usize,
    /// Address as the module's file has it.
    pub address: u64,
}

/// All routines that the run came to, with their names.
#[derive(Debug)]
pub struct Catalog<'f> {
    files: &'f dyn Files,
    modules: Vec<CatalogModule<'f>>,
    by_path: HashMap<Vec<u8>, usize>,
    routines: Vec<Option<CatalogRoutine>>,
    by_address: HashMap<CodeAddress, RoutineId>,
    patterns: Vec<Pattern>,
    /// Whether a routine matched each pattern, also one that an earlier pattern had taken.
    matched: Vec<bool>,
    /// Numbers taken for each pattern.
    taken: Vec<u32>,
    /// Routines that matched a pattern and found no number free, for each.
    beyond: Vec<u32>,
}

#[derive(Debug)]
struct CatalogModule<'f> {
    path: PathBuf,
    functions: Functions,
    /// Its debug information, looked for when the first line is asked for.
    debug_info: OnceCell<Option<DebugInfo<'f>>>,
    /// Addresses of names that were asked for: each block asks for that of the function with which measuring begins.
    named: HashMap<String, Option<u64>>,
    /// Where calls led to code of which nothing tells where its functions begin.
    called: BTreeSet<u64>,
}

#[derive(Debug)]
struct CatalogRoutine {
    name: String,
    code_address: CodeAddress,
    has_name: bool,
}

/// What is known of a block's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The routine that contains it.
    pub routine: RoutineId,
    /// Whether it is the routine's first.
    pub entry: bool,
    /// The symbol, if it is an entry of the PLT.
    pub plt: Option<String>,
    /// Whether the routine has no name of its own.
    pub nameless: bool,
}

impl<'f> Catalog<'f> {
    /// A catalog in which routines that match a pattern have numbers of their own; modules are among the files.
    pub fn new(patterns: &[Pattern], files: &'f dyn Files) -> Self {
        let reserved = patterns.len() * PER_PATTERN as usize;
        Self {
            files,
            modules: Vec::new(),
            by_path: HashMap::new(),
            routines: std::iter::repeat_with(|| None).take(reserved).collect(),
            by_address: HashMap::new(),
            patterns: patterns.to_vec(),
            matched: vec![false; patterns.len()],
            taken: vec![0; patterns.len()],
            beyond: vec![0; patterns.len()],
        }
    }

    /// The files that modules are among.
    pub fn files(&self) -> &'f dyn Files {
        self.files
    }

    /// The numbers that routines of a pattern may have.
    pub fn range(pattern: usize) -> (RoutineId, RoutineId) {
        let first = pattern as u32 * PER_PATTERN;
        (RoutineId(first), RoutineId(first + PER_PATTERN - 1))
    }

    /// Number of the module of a path; read when it is first asked for.
    pub fn module(&mut self, path: &[u8]) -> usize {
        if let Some(number) = self.by_path.get(path) {
            return *number;
        }
        let number = self.modules.len();
        let file = PathBuf::from(OsStr::from_bytes(path));
        self.modules.push(CatalogModule {
            functions: Functions::read(self.files, &file),
            path: file,
            debug_info: OnceCell::new(),
            named: HashMap::new(),
            called: BTreeSet::new(),
        });
        self.by_path.insert(path.to_vec(), number);
        number
    }

    /// Address in its file of a function of a module.
    pub fn address_of(&mut self, module: usize, name: &str) -> Option<u64> {
        let module = &mut self.modules[module];
        if let Some(known) = module.named.get(name) {
            return *known;
        }
        let found = module.functions.named(name).map(|found| found.start);
        module.named.insert(name.to_owned(), found);
        found
    }

    /// The lowest address that a module's file asks for.
    pub fn lowest(&self, module: usize) -> u64 {
        self.modules[module].functions.lowest
    }

    /// Whether a module's functions have no names.
    pub fn is_stripped(&self, module: usize) -> bool {
        self.modules[module].functions.is_stripped()
    }

    /// Code at an address is called.
    pub fn called(&mut self, code_address: CodeAddress) {
        let module = &mut self.modules[code_address.module];
        if module.functions.at(code_address.address).is_none() {
            module.called.insert(code_address.address);
        }
    }

    /// The routine at an address.
    pub fn locate(&mut self, code_address: CodeAddress) -> Located {
        let module = &mut self.modules[code_address.module];
        let (start, raw, is_plt) = match module.functions.at(code_address.address) {
            Some(function) => {
                let owner = module.functions.at(function.owner).unwrap_or(function);
                (owner.start, owner.name.clone(), owner.is_plt)
            }
            None => {
                let start = module
                    .called
                    .range(..=code_address.address)
                    .next_back()
                    .copied();
                // Nothing tells where the function begins: with the first of its blocks that was met.
                let start = start.unwrap_or_else(|| {
                    module.called.insert(code_address.address);
                    code_address.address
                });
                (start, None, false)
            }
        };
        let start = CodeAddress {
            address: start,
            ..code_address
        };
        let symbol = raw.as_deref().and_then(|raw| raw.strip_suffix("@plt"));
        let plt = symbol.filter(|_| is_plt).map(str::to_owned);
        let nameless = raw.is_none();
        let routine = match self.by_address.get(&start) {
            Some(known) => *known,
            None => self.add(start, raw.as_deref(), symbol),
        };
        Located {
            routine,
            entry: code_address == start,
            plt,
            nameless,
        }
    }

    fn add(
        &mut self,
        code_address: CodeAddress,
        raw: Option<&str>,
        plt: Option<&str>,
    ) -> RoutineId {
        let name = match (raw, plt) {
            (_, Some(symbol)) => format!("{}@plt", demangle(symbol)),
            (Some(raw), _) => demangle(raw),
            (None, _) => format!("{:#x}", code_address.address),
        };
        let mut matching = None;
        for (number, pattern) in self.patterns.iter().enumerate() {
            if pattern.matches(&name) || raw.is_some_and(|raw| pattern.matches(raw)) {
                self.matched[number] = true;
                matching = matching.or(Some(number));
            }
        }
        let free = matching.filter(|pattern| self.taken[*pattern] < PER_PATTERN);
        if let (Some(pattern), None) = (matching, free) {
            self.beyond[pattern] += 1;
        }
        let routine = Some(CatalogRoutine {
            has_name: raw.is_some(),
            name,
            code_address,
        });
        let id = match free {
            Some(pattern) => {
                let id = RoutineId(Self::range(pattern).0.0 + self.taken[pattern]);
                self.taken[pattern] += 1;
                self.routines[id.0 as usize] = routine;
                id
            }
            None => {
                self.routines.push(routine);
                RoutineId(self.routines.len() as u32 - 1)
            }
        };
        self.by_address.insert(code_address, id);
        id
    }

    /// A routine without a name was reached through the PLT entry of a symbol: it is the implementation that its
    /// library chose for this processor, if it says so. Whether the routine has a name now.
    pub fn reached(&mut self, id: RoutineId, symbol: &str) -> bool {
        let Some(Some(routine)) = self.routines.get_mut(id.0 as usize) else {
            return false;
        };
        let functions = &self.modules[routine.code_address.module].functions;
        if !routine.has_name && functions.chooses(symbol) {
            routine.name = format!("{} [ifunc]", demangle(symbol));
            routine.has_name = true;
        }
        routine.has_name
    }

    /// Whether a routine that was executed matched each pattern. The first one that it matches has its figures.
    pub fn matched(&self) -> &[bool] {
        &self.matched
    }

    /// How many routines matched each pattern beyond those that could be measured ([`PER_PATTERN`]).
    pub fn beyond(&self) -> &[u32] {
        &self.beyond
    }

    /// The name of a routine.
    pub fn name(&self, id: RoutineId) -> String {
        match self.routines.get(id.0 as usize) {
            Some(Some(routine)) => routine.name.clone(),
            _ => format!("routine {}", id.0),
        }
    }

    /// The source line at an address.
    pub fn line(&self, code_address: CodeAddress) -> Option<SourceLine> {
        let module = &self.modules[code_address.module];
        let debug_info = module.debug_info.get_or_init(|| {
            let debug_file = module.functions.debug_file.as_ref();
            DebugInfo::read(self.files, debug_file.unwrap_or(&module.path))
        });
        debug_info.as_ref()?.line(code_address.address)
    }

    /// Names of all routines by number, with the lines of those asked for.
    pub fn names(&self, wants_line: impl Fn(RoutineId) -> bool) -> Vec<RoutineName> {
        (0..self.routines.len())
            .map(|number| {
                let Some(routine) = &self.routines[number] else {
                    return RoutineName::default();
                };
                let (name, code_address) = (routine.name.clone(), routine.code_address);
                let module = self.modules[code_address.module]
                    .path
                    .to_string_lossy()
                    .into_owned();
                let wanted = wants_line(RoutineId(number as u32));
                RoutineName {
                    name,
                    module,
                    place: wanted.then(|| self.line(code_address)).flatten(),
                }
            })
            .collect()
    }
}
