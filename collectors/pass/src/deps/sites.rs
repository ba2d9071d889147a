//! What is known of the places that access something: their names and lines as the source has them.

use indexmap::IndexMap;

use parascan_formats::evidence::{SiteAccess, SiteStatic, UnitStatic};

use crate::analysis::{self, Analysis, Reports};
use crate::emit::UnitState;
use crate::ir::{Opcode, Value};
use crate::recognise::{InstructionRule, Recognised};

/// Sites of a module, growing.
pub(super) struct SiteTable {
    facts: UnitStatic,
    files: IndexMap<String, u32>,
    /// Function that is worked on.
    function: u32,
    file: u32,
    directory: String,
    reductions: u32,
    /// Loops that what is worked on lies in, if that is an access, and those of them of which at most one iteration
    /// comes to it.
    within: Vec<u32>,
    once: Vec<u32>,
    /// What calls report of them.
    pub(super) reports: Reports,
}

/// The reductions in memory of a function by load or store.
pub(super) type Reductions = IndexMap<Value, MemoryReduction>;

/// Variables or elements in memory that loops update by one operator alone.
#[derive(Clone, Debug)]
pub(super) struct MemoryReduction {
    number: u32,
    /// Its loops (module-local regions), the innermost first.
    scope: Vec<u32>,
    /// How many of them there are, if not every iteration of the innermost one has an element of its own.
    pub(super) levels: u32,
}

impl SiteTable {
    /// `table` stands for the table of reports until that is made.
    pub(super) fn new(unit: &UnitState, unseen: Vec<String>, table: Value) -> Self {
        Self {
            facts: UnitStatic {
                source: unit.facts.source.clone(),
                unseen: unseen
                    .iter()
                    .map(|n| parascan_formats::names::demangle(n))
                    .collect(),
                ..UnitStatic::default()
            },
            files: IndexMap::new(),
            function: 0,
            file: 0,
            directory: unit.facts.directory.clone(),
            reductions: 0,
            within: Vec::new(),
            once: Vec::new(),
            reports: Reports {
                table,
                list: Vec::new(),
            },
        }
    }

    /// Goes on to function `f`, whose symbol is `symbol`.
    pub(super) fn function(&mut self, f: Value, symbol: &str) {
        self.function = self.facts.functions.len() as u32;
        self.facts
            .functions
            .push(parascan_formats::names::demangle(symbol));
        let (file, directory) = f.debug_file();
        self.file = self.file(file, &directory);
    }

    fn file(&mut self, name: String, directory: &str) -> u32 {
        let path = if name.is_empty() || name.starts_with('/') || directory == self.directory {
            name
        } else {
            format!("{directory}/{name}")
        };
        let next = self.facts.files.len() as u32;
        let files = &mut self.facts.files;
        *self.files.entry(path).or_insert_with_key(|path| {
            files.push(path.clone());
            next
        })
    }

    /// Numbers the reductions in memory; `regions` says which region a loop is.
    pub(super) fn reductions(
        &mut self,
        found: &Recognised,
        analysis: &Analysis,
        loops: &[analysis::NaturalLoop],
        regions: &IndexMap<usize, usize>,
    ) -> Reductions {
        let mut all = Reductions::new();
        for (store, rule) in &found.rules {
            let InstructionRule::ReductionStore { load, .. } = rule else {
                continue;
            };
            let Some(InstructionRule::ReductionLoad {
                scope: (innermost, outermost),
                ..
            }) = found.rules.get(load)
            else {
                continue;
            };
            let mut scope = Vec::new();
            let mut at = Some(*innermost);
            while let Some(l) = at {
                scope.extend(regions.get(&l).map(|r| *r as u32));
                at = loops[l].parent.filter(|_| l != *outermost);
            }
            let own = analysis.steps_apart(*innermost, *store);
            let entry = MemoryReduction {
                number: self.reductions,
                levels: if own { 0 } else { scope.len() as u32 },
                scope,
            };
            self.reductions += 1;
            all.insert(*load, entry.clone());
            all.insert(*store, entry);
        }
        all
    }

    /// Goes on to what lies in these loops (module-local regions); to that of `once` at most one iteration comes.
    pub(super) fn within(&mut self, loops: Vec<u32>, once: Vec<u32>) {
        (self.within, self.once) = (loops, once);
    }

    /// A new site, at the place of `instruction`, or of `line` if that has none.
    pub(super) fn add(
        &mut self,
        instruction: Value,
        access: SiteAccess,
        name: String,
        line: u32,
        reduction: Option<&MemoryReduction>,
    ) -> u32 {
        // That a table of virtual functions was not read leaves nothing open: constructors alone set an object's
        // pointer to it, by writes that are sites of their own.
        let settled = access == SiteAccess::Read && analysis::reads_vtable(instruction);
        let mut site = SiteStatic {
            access,
            name,
            file: self.file,
            line,
            column: 0,
            function: self.function,
            reduction: reduction.map(|r| r.number),
            scope: reduction.map(|r| r.scope.clone()).unwrap_or_default(),
            within: if settled {
                Vec::new()
            } else {
                self.within.clone()
            },
            once: self.once.clone(),
        };
        if let Some((at, column, file, directory)) = instruction
            .is_instruction()
            .then(|| placed(instruction))
            .flatten()
        {
            (site.line, site.column) = (at, column);
            if !file.is_empty() {
                site.file = self.file(file, &directory);
            }
        }
        self.facts.sites.push(site);
        self.facts.sites.len() as u32 - 1
    }

    pub(super) fn finish(self) -> (UnitStatic, Reports) {
        (self.facts, self.reports)
    }
}

/// Line and column of an instruction, or, where the compiler dropped them because it moved it, of what decides about
/// its value or uses it.
fn placed(instruction: Value) -> Option<(u32, u32, String, String)> {
    let own = |i: Value| i.place().filter(|p| p.0 != 0);
    let chosen = instruction.opcode() == Opcode::LLVMSelect;
    let test = chosen
        .then(|| instruction.operand(0))
        .filter(|t| t.is_instruction());
    let users = || {
        let first = instruction.users();
        let second: Vec<Value> = first.iter().flat_map(|u| u.users()).collect();
        first.into_iter().chain(second)
    };
    own(instruction)
        .or_else(|| test.and_then(own))
        .or_else(|| users().find_map(own))
}
