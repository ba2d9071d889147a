//! Evidence of dependences between iterations: what a run of the program's dependence version observed of its loops.
//!
//! [`raw`] reads the file that the runtime leaves; [`Evidence`] is what a profile keeps of it.

pub mod raw;

use serde::{Deserialize, Serialize};

/// Distances from here on are not told apart.
pub const FAR: u32 = parascan_abi::deps::FAR;

/// What the pass knows of a module's sites: the blob behind `parascan_abi::deps::UnitDesc`, postcard-encoded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitStatic {
    /// Source file as given to the compiler.
    pub source: String,
    /// Files that sites refer to: absolute, or relative to the directory of the compilation.
    pub files: Vec<String>,
    /// Functions that sites refer to, demangled.
    pub functions: Vec<String>,
    /// Sites; the index is the module-local site number.
    pub sites: Vec<SiteStatic>,
    /// Functions that have no dependence version, so that nothing is seen of what they do.
    pub unseen: Vec<String>,
}

/// A place in the program that reads or writes memory or a variable that lives in a register.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteStatic {
    /// Whether it reads or writes, and what sort of thing.
    pub access: SiteAccess,
    /// What is accessed, as the source names it (`sum`, `a[]`, `p->next`); empty when unknown.
    pub name: String,
    /// Index into [`UnitStatic::files`].
    pub file: u32,
    /// Line, 0 when unknown.
    pub line: u32,
    /// Column, 0 when unknown.
    pub column: u32,
    /// Index into [`UnitStatic::functions`].
    pub function: u32,
    /// The reduction that it belongs to: load and store of an update have the same number (local to the module).
    pub reduction: Option<u32>,
    /// Module-local region numbers of the loops for which that is a reduction.
    pub scope: Vec<u32>,
    /// Those of the loops of its function in which it lies.
    pub within: Vec<u32>,
    /// Those of them of which at most one iteration of each instance comes to it (`if (i == 0)`): no second one can
    /// meet it there.
    pub once: Vec<u32>,
}

/// What the code at a site does: reads, writes or calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SiteAccess {
    /// Reads memory.
    Read,
    /// Writes memory.
    Write,
    /// Reads a local variable that lives in a register.
    LocalRead,
    /// Assigns to one.
    LocalWrite,
    /// Calls a library function that keeps a hidden state (`rand`, stdio).
    Hidden,
    /// Allocates a block of the heap.
    Allocate,
    /// Calls a function that was not observed: it has no dependence version, and its effects are in no table.
    Unseen,
    /// Neither: a local variable that functions get the address of, as a loop found and left it.
    Variable,
}

/// The dependences that were observed in one process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Observation ended before the program did.
    pub partial: bool,
    /// A table was full: some dependences are missing.
    pub incomplete: bool,
    /// Other threads ran too and were not observed.
    pub threads: bool,
    /// Functions that could not be looked into.
    pub unseen: Vec<String>,
    /// Sites that the rest refers to.
    pub sites: Vec<Site>,
    /// Observed loops, by region number.
    pub loops: Vec<LoopEvidence>,
}

/// A place in the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Site {
    /// Whether it reads or writes, and what sort of thing.
    pub access: SiteAccess,
    /// What is accessed, as the source names it; empty when unknown.
    pub name: String,
    /// Source file; empty when unknown.
    pub file: String,
    /// Line, 0 when unknown.
    pub line: u32,
    /// Column, 0 when unknown.
    pub column: u32,
    /// Function, demangled.
    pub function: String,
}

/// What was observed of a loop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopEvidence {
    /// Region number in the profile.
    pub region: u32,
    /// Instances observed.
    pub instances: u64,
    /// Their iterations together.
    pub iterations: u64,
    /// Dependences that it carries.
    pub dependences: Vec<Dependence>,
    /// How sites use it.
    pub uses: Vec<SiteUse>,
}

/// Which of two accesses waits for which: a read for a write, or a write for a read or a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DependenceKind {
    /// A read of what an earlier iteration wrote.
    Flow,
    /// A write to what an earlier iteration read.
    Anti,
    /// A write to what an earlier iteration wrote.
    Output,
}

/// A dependence of an iteration on an earlier one of the same instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependence {
    /// Whether a read waits for a write (flow), a write for a read (anti) or a write for a write (output).
    pub kind: DependenceKind,
    /// Earlier access: index into [`Evidence::sites`].
    pub source: u32,
    /// Later access.
    pub sink: u32,
    /// The local variable in which it was seen ([`SiteAccess::Variable`]), or where the heap block was allocated in
    /// which it was seen first.
    pub object: Option<u32>,
    /// Whether both accesses belong to one reduction of this loop.
    pub reduction: bool,
    /// Smallest distance in iterations, at least 1.
    pub least: u32,
    /// Largest; 4095 stands for that and more.
    pub most: u32,
    /// Largest number (from 0) of an iteration in which the later access was.
    pub last: u32,
    /// Times it was seen; of like accesses to like places within one iteration some count once.
    pub count: u64,
    /// Iterations with the later access.
    pub iterations: u64,
    /// Instances of the loop with it.
    pub instances: u64,
}

/// How the accesses of a site relate to a loop. What neither writes there nor reads what was there before says
/// [something else](SiteUse::is_unreached) of the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteUse {
    /// The site: index into [`Evidence::sites`].
    pub site: u32,
    /// It writes inside of the loop.
    pub writes: bool,
    /// It reads, inside of the loop, what was there before the instance began.
    pub exposed: bool,
    /// A site that read, after the loop had ended, what this one wrote in it; this one itself if a read was not waited
    /// for.
    pub live: Option<u32>,
}

impl SiteUse {
    /// The site lies in the loop's own code and did not run.
    #[must_use]
    pub fn unreached(site: u32) -> Self {
        Self {
            site,
            writes: false,
            exposed: false,
            live: None,
        }
    }

    /// The site wrote in more than one iteration of an instance of the loop.
    #[must_use]
    pub fn again(site: u32) -> Self {
        Self {
            live: Some(site),
            ..Self::unreached(site)
        }
    }

    /// Whether it is one of [`SiteUse::unreached`].
    #[must_use]
    pub fn is_unreached(&self) -> bool {
        *self == Self::unreached(self.site)
    }

    /// Whether it is one of [`SiteUse::again`].
    #[must_use]
    pub fn is_again(&self) -> bool {
        *self == Self::again(self.site)
    }
}

impl Evidence {
    /// What is known of a region.
    #[must_use]
    pub fn of(&self, region: u32) -> Option<&LoopEvidence> {
        let index = self.loops.binary_search_by_key(&region, |l| l.region);
        self.loops.get(index.ok()?)
    }

    /// Why it cannot be what a run left, if so; `regions` is the profile's number of regions.
    ///
    /// # Errors
    /// A sentence.
    pub fn check(&self, regions: usize) -> Result<(), &'static str> {
        let known = |site: u32| (site as usize) < self.sites.len();
        if !self.loops.is_sorted_by(|a, b| a.region < b.region) {
            return Err("its loops are not in order");
        }
        for l in &self.loops {
            if l.region as usize >= regions {
                return Err("a loop is no region of the profile");
            }
            for d in &l.dependences {
                if !known(d.source) || !known(d.sink) || d.object.is_some_and(|o| !known(o)) {
                    return Err("a dependence refers to no site");
                }
                if d.least == 0 || d.least > d.most {
                    return Err("a dependence has an impossible distance");
                }
                if d.iterations > l.iterations || d.instances > l.instances {
                    return Err("a dependence is in more iterations than there were");
                }
            }
            if l.uses
                .iter()
                .any(|u| !known(u.site) || u.live.is_some_and(|r| !known(r)))
            {
                return Err("a use refers to no site");
            }
        }
        Ok(())
    }
}
