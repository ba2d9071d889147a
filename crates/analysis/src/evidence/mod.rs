//! What stops a loop, by name and line: observed dependences put into words, how each object would have to be shared,
//! and what can be done.
//!
//! `gather` puts together what profiles have, of dependences (`carried`) and objects (`objects`); `remedies` says what
//! can be done, `nest` around which loops, and `names` are those of objects and functions.

mod carried;
mod gather;
mod names;
mod nest;
mod objects;
mod remedies;

use std::collections::BTreeSet;

use parascan_formats::module::RegionStatic;

pub use carried::{CarriedDependence, SourcePlace};
pub use gather::gather;
pub(crate) use names::{base, short, unseen_in_words};
pub(crate) use nest::{Nest, all as nests};
pub use objects::{Local, Object, Sharing};
pub use remedies::Remedy;
pub(crate) use remedies::earlier;

/// Distances from here on were not told apart.
pub const FAR: u32 = parascan_formats::evidence::FAR;

/// Evidence about a loop over all profiles that have some.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoopFacts {
    /// Instances observed.
    pub instances: u64,
    /// Their iterations together.
    pub iterations: u64,
    /// Carried dependences, those that stop the loop first, then by the share of iterations.
    pub dependences: Vec<CarriedDependence>,
    /// Objects that the loop writes, by name, and how a parallel loop would have to share them.
    pub objects: Vec<Object>,
    /// Variables of the loop's function that lie in memory, and what became of them in it.
    pub variables: Vec<Local>,
    /// Where it wrote memory, and under which name.
    pub written: BTreeSet<(SourcePlace, String)>,
    /// Where it did so in more than one iteration of an instance.
    pub again: BTreeSet<(SourcePlace, String)>,
    /// Where it read memory that it had not written itself, and under which name.
    pub read: BTreeSet<(SourcePlace, String)>,
    /// Where its own code reads or writes memory, or works on a hidden state of the library, and did not come to, and
    /// under which name.
    pub unreached: BTreeSet<(SourcePlace, UnreachedAccess)>,
    /// Functions that were called in it, directly or not, and of which nothing was seen.
    pub unseen: Vec<String>,
    /// Functions that its source calls and that did not run in it, of those that would have been observed, and of those
    /// of which nothing is known.
    pub idle: BTreeSet<String>,
    /// Instances that the recording counted. More than were observed: the two runs did not do the same, not all of
    /// several profiles have evidence, or forked processes recorded as well.
    pub recorded_instances: u64,
    /// Iterations, likewise.
    pub recorded_iterations: u64,
    /// Observation ended before the program did, not everything fitted, or other threads ran as well.
    pub partial: bool,
}

/// An access that did not run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnreachedAccess {
    /// It works on a hidden state of the library; else it reads or writes memory.
    pub hidden: bool,
    /// Whether it writes; else it reads.
    pub writes: bool,
    /// What it would access, as the source names it.
    pub name: String,
}

impl LoopFacts {
    /// Whether all accesses of all instances were seen, and iterations that could have met.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !self.is_part() && self.iterations > self.instances
    }

    /// Whether something of the recorded run was not observed.
    #[must_use]
    pub fn is_part(&self) -> bool {
        self.partial || self.is_short()
    }

    /// Whether fewer instances or iterations were observed than recorded.
    #[must_use]
    pub fn is_short(&self) -> bool {
        self.instances < self.recorded_instances || self.iterations < self.recorded_iterations
    }

    /// Dependences that stop the loop, the most frequent first.
    pub fn blocking(&self) -> impl Iterator<Item = &CarriedDependence> {
        self.dependences.iter().filter(|c| c.blocks())
    }

    /// A dependence in one line, for a loop in function `around`: its share is of all iterations, or of those that were
    /// looked at.
    #[must_use]
    pub fn sentence(&self, dependence: &CarriedDependence, around: &str) -> String {
        let of = if self.is_part() { " looked at" } else { "" };
        dependence.sentence(around) + of
    }

    /// The dependence that stops the loop in one line, for a loop in function `around`; None when there is none.
    #[must_use]
    pub fn in_one_line(&self, around: &str) -> Option<String> {
        let mut blocking = self.blocking();
        let first = self.sentence(blocking.next()?, around);
        Some(match blocking.count() {
            0 => first,
            1 => format!("{first}; and one more dependence"),
            n => format!("{first}; and {n} more dependences"),
        })
    }

    /// Says what can be done about each dependence, for the loop whose facts these are.
    pub(crate) fn find_remedies(&mut self, region: &RegionStatic, nest: &Nest) {
        let found = remedies::all(self, region, nest);
        for (c, remedies) in self.dependences.iter_mut().zip(found) {
            let remedies = remedies.into_iter();
            c.remedies = remedies.map(|r| r.in_language_of(&region.file)).collect();
        }
    }

    /// What can be done about the dependences that stop it, in their order, then about what would be left, each thing
    /// once.
    pub(crate) fn remedies(&self) -> Vec<&Remedy> {
        let mut all: Vec<&Remedy> = Vec::new();
        let rest = self.dependences.iter();
        let rest = rest.filter(|c| !c.blocks() && !c.reduction);
        for remedy in self.blocking().chain(rest).flat_map(|c| &c.remedies) {
            if !all.contains(&remedy) {
                all.push(remedy);
            }
        }
        all
    }

    /// Takes it back that dependences belong to reductions: of those of whose name `read` knows where else it may be
    /// read, as far as the run showed that it is.
    pub(crate) fn blame(&mut self, read: impl Fn(&str) -> Option<u32>) {
        let flows = self.dependences.iter().filter(|d| d.blocks());
        let seen: BTreeSet<String> = flows.map(|d| base(&d.earlier).to_owned()).collect();
        let whole = self.is_whole();
        let read = |name: &str| read(name).filter(|_| !whole || seen.contains(base(name)));
        for d in self.dependences.iter_mut().filter(|d| d.reduction) {
            if let Some(line) = read(&d.name).or_else(|| read(&d.earlier)) {
                d.reduction = false;
                d.used = Some(line);
            }
        }
        carried::sort(&mut self.dependences);
        for object in &mut self.objects {
            if object.sharing == Sharing::Reduction && read(&object.name).is_some() {
                object.sharing = Sharing::Blocked;
            }
        }
    }
}
