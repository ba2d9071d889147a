//! What stops a loop, by name and line: observed dependences put into words, how each object would have to be shared,
//! and what can be done.

mod nest;
mod remedies;

use std::collections::{BTreeMap, BTreeSet};

use parascan_formats::evidence::{
    Dependence, DependenceKind, Evidence, LoopEvidence, Site, SiteAccess, SiteUse,
};
use parascan_formats::module::RegionStatic;
use parascan_formats::names::{self, NamePart};
use parascan_formats::profile::Profile;
use serde::Serialize;

pub(crate) use nest::{Nest, all as nests};
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

/// Where something stands in the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SourcePlace {
    /// Source file as the compiler named it; empty when unknown.
    pub file: String,
    /// Line, 0 when unknown.
    pub line: u32,
    /// Column, 0 when unknown.
    pub column: u32,
    /// Function around it, demangled; empty when unknown.
    pub function: String,
}

impl SourcePlace {
    fn of(site: &Site) -> Self {
        Self {
            file: site.file.clone(),
            line: site.line,
            column: site.column,
            function: site.function.clone(),
        }
    }
}

/// A dependence that a loop carries from one line to another.
#[derive(Clone, Debug, PartialEq)]
pub struct CarriedDependence {
    /// Whether a read waits for a write (flow), a write for a read (anti) or a write for a write (output).
    pub kind: DependenceKind,
    /// What is accessed, as the source names it at the later access (else at the earlier); empty when unknown.
    pub name: String,
    /// What the earlier access names it; empty when unknown.
    pub earlier: String,
    /// What sort of thing that is.
    pub access: SiteAccess,
    /// Earlier access.
    pub source: SourcePlace,
    /// Later access.
    pub sink: SourcePlace,
    /// Where the heap block was allocated, if it lay in one.
    pub allocated: Option<SourcePlace>,
    /// The local variable of the loop's function in which it lay.
    pub variable: Option<String>,
    /// Both belong to one reduction of the loop, so that it stops nothing.
    pub reduction: bool,
    /// Both are updates by one operator, whose results the loop reads on this line.
    pub used: Option<u32>,
    /// Smallest distance in iterations.
    pub least: u32,
    /// Largest; [`FAR`] stands for that and more.
    pub most: u32,
    /// Largest number (from 0) of an iteration with the later access.
    pub last: u32,
    /// Iterations with the later access, at most all; where several accesses on a line are told apart, those of the
    /// most frequent.
    pub iterations: u64,
    /// The same if no two of these accesses were in the same iteration.
    pub iterations_most: u64,
    /// Instances of the loop with it.
    pub instances: u64,
    /// Share of the iterations, 0 to 1, at least.
    pub share: f64,
    /// The same, at most.
    pub share_most: f64,
    /// What can be done.
    pub remedies: Vec<Remedy>,
}

impl CarriedDependence {
    /// Whether the loop cannot run in parallel as it is because of it, whatever is private: a value is handed on.
    #[must_use]
    pub fn blocks(&self) -> bool {
        self.kind == DependenceKind::Flow && !self.reduction
    }

    /// Whether both are said in the same words.
    fn is_like(&self, other: &Self) -> bool {
        let line = |p: &SourcePlace| (p.line, p.file.clone());
        let key = |c: &Self| (c.kind, c.reduction, line(&c.source), line(&c.sink));
        (&self.name, &self.earlier, &self.variable)
            == (&other.name, &other.earlier, &other.variable)
            && key(self) == key(other)
    }

    /// Takes in the other's distances.
    fn widen(&mut self, other: &Self) {
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
        self.last = self.last.max(other.last);
    }

    /// The distance in iterations, in words.
    #[must_use]
    pub fn distance(&self) -> String {
        let number = |n: u32| match n {
            1 => "one iteration".to_owned(),
            FAR => format!("{FAR} or more iterations"),
            n => format!("{n} iterations"),
        };
        if self.least == self.most {
            number(self.least)
        } else if self.most == FAR {
            format!("{} or more iterations", self.least)
        } else {
            format!("{} to {} iterations", self.least, self.most)
        }
    }

    /// The dependence in one sentence, for a loop in the function `around`.
    #[must_use]
    pub fn sentence(&self, around: &str) -> String {
        let name = match &*self.name {
            "" => "what is".to_owned(),
            name => format!("`{name}`"),
        };
        let at = |place: &SourcePlace| {
            let line = match place.line {
                0 => "an unknown line".to_owned(),
                line => format!("line {line}"),
            };
            if place.function == around || place.function.is_empty() {
                line
            } else {
                format!("{line} (in {})", short(&place.function))
            }
        };
        let (first, second) = match self.kind {
            DependenceKind::Flow => ("written", "read"),
            DependenceKind::Anti => ("read", "overwritten"),
            DependenceKind::Output => ("written", "written again"),
        };
        let (least, most) = (share(self.share), share(self.share_most));
        let share = match self.share_most > self.share && most != least {
            true => format!("{least} to {most}"),
            false => least,
        };
        let distance = self.distance();
        if self.access == SiteAccess::Hidden {
            return format!(
                "{} on {} goes on from the state that an earlier iteration left, in {share} of iterations",
                self.name,
                at(&self.sink)
            );
        }
        format!(
            "{name} {first} on {} is {second} on {} {distance} later, in {share} of iterations",
            at(&self.source),
            at(&self.sink),
        )
    }
}

/// A function's name without parameters, what it returns and arguments of templates.
pub(crate) fn short(name: &str) -> String {
    let whole = names::short(name);
    let Some(parts) = names::parts(&whole) else {
        return whole;
    };
    let out: String = parts
        .iter()
        .map(|part| match part {
            NamePart::Text(text) => text,
            NamePart::Group(group) if matches!(group.open, '<' | '(') => "",
            NamePart::Group(group) => group.whole,
        })
        .collect();
    if out.trim().is_empty() { whole } else { out }
}

/// What was not seen ([`LoopFacts::unseen`]) in a sentence: functions have `()` behind their short names.
pub(crate) fn unseen_in_words(name: &str) -> String {
    match name.strip_suffix("()") {
        Some(function) => format!("`{}()`", short(function)),
        None => format!("`{name}`"),
    }
}

/// A share in per cent.
fn share(part: f64) -> String {
    let percent = part * 100.0;
    if percent >= 99.95 || percent == 0.0 {
        format!("{percent:.0}%")
    } else if percent >= 0.1 {
        format!("{percent:.1}%")
    } else {
        "less than 0.1%".to_owned()
    }
}

/// An object in memory that a loop writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Object {
    /// Its name without what selects a part of it (`a` for `a[]` and for `a.x`).
    pub name: String,
    /// Whether parts of it are selected by an index.
    pub array: bool,
    /// How a parallel loop would have to share it.
    pub sharing: Sharing,
}

/// A local variable in memory, as observed to the byte and by whoever accessed it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Local {
    /// The variable, as the source writes it.
    pub name: String,
    /// The loop wrote to it.
    pub written: bool,
    /// Iterations read what was there before the loop.
    pub exposed: bool,
    /// What the loop wrote was read after it.
    pub live: bool,
}

/// How iterations that run at the same time have to share an object, by what was observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    /// No two iterations that touch a place of it write it.
    Shared,
    /// Every iteration writes what it reads, and nobody reads it after the loop.
    Private,
    /// The same, but iterations also read what was there before the loop.
    Firstprivate,
    /// Every iteration writes what it reads; what the last one wrote is read after the loop.
    Lastprivate,
    /// It is reduced.
    Reduction,
    /// Iterations overwrite what earlier ones read, but no place is written twice: reading from a copy suffices.
    Copy,
    /// Nothing of this: a value is handed from iteration to iteration, or parts that different iterations wrote are
    /// read later.
    Blocked,
}

impl LoopFacts {
    fn uses_variable(&mut self, site: &Site, used: &SiteUse) {
        let known = self.variables.iter().position(|v| v.name == site.name);
        let at = known.unwrap_or_else(|| {
            self.variables.push(Local {
                name: site.name.clone(),
                ..Local::default()
            });
            self.variables.len() - 1
        });
        let variable = &mut self.variables[at];
        variable.written |= used.writes;
        variable.exposed |= used.exposed;
        variable.live |= used.live.is_some();
    }

    /// Says what can be done about each dependence, for the loop whose facts these are.
    pub(crate) fn find_remedies(&mut self, region: &RegionStatic, nest: &Nest) {
        let found = remedies::all(self, region, nest);
        for (c, remedies) in self.dependences.iter_mut().zip(found) {
            c.remedies = remedies;
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
        sort(&mut self.dependences);
        for object in &mut self.objects {
            if object.sharing == Sharing::Reduction && read(&object.name).is_some() {
                object.sharing = Sharing::Blocked;
            }
        }
    }
}

/// Evidence of all loops by region number, over several profiles: `numbers` says for each profile which number its
/// regions have in `regions`.
#[must_use]
pub fn gather(
    profiles: &[Profile],
    numbers: &[Vec<u32>],
    regions: usize,
) -> Vec<Option<LoopFacts>> {
    let mut all: Vec<Option<LoopFacts>> = vec![None; regions];
    for (profile, numbers) in profiles.iter().zip(numbers) {
        let Some(evidence) = &profile.evidence else {
            continue;
        };
        for found in &evidence.loops {
            let number = numbers.get(found.region as usize);
            if let Some(place) = number.and_then(|n| all.get_mut(*n as usize)) {
                add(place.get_or_insert_default(), evidence, found);
            }
        }
    }
    for facts in all.iter_mut().flatten() {
        finish(facts);
    }
    all
}

fn add(facts: &mut LoopFacts, evidence: &Evidence, found: &LoopEvidence) {
    // What one run came to, the others need not.
    let first = facts.instances == 0;
    let mut unreached = BTreeSet::new();
    facts.instances += found.instances;
    facts.iterations += found.iterations;
    facts.partial |= evidence.partial || evidence.incomplete || evidence.threads;
    let mut dependences: Vec<CarriedDependence> = Vec::new();
    for dependence in &found.dependences {
        let next = carried(evidence, dependence);
        match dependences.iter_mut().find(|c| c.is_like(&next)) {
            Some(c) => {
                c.widen(&next);
                // Pairs of accesses on the same lines may be in the same iterations or not.
                c.iterations = c.iterations.max(next.iterations);
                c.iterations_most += next.iterations_most;
                c.instances = c.instances.max(next.instances);
            }
            None => dependences.push(next),
        }
    }
    for mut next in dependences {
        next.iterations_most = next.iterations_most.min(found.iterations);
        match facts.dependences.iter_mut().find(|c| c.is_like(&next)) {
            Some(c) => {
                c.widen(&next);
                c.iterations += next.iterations;
                c.iterations_most += next.iterations_most;
                c.instances += next.instances;
            }
            None => facts.dependences.push(next),
        }
    }
    for used in &found.uses {
        let site = &evidence.sites[used.site as usize];
        if site.access == SiteAccess::Variable {
            if !used.is_again() {
                facts.uses_variable(site, used);
            }
        } else if site.access == SiteAccess::Unseen {
            if !facts.unseen.contains(&site.name) {
                facts.unseen.push(site.name.clone());
            }
        } else if used.writes {
            facts
                .written
                .insert((SourcePlace::of(site), site.name.clone()));
        } else if used.is_again() {
            facts
                .again
                .insert((SourcePlace::of(site), site.name.clone()));
        } else if used.exposed {
            facts
                .read
                .insert((SourcePlace::of(site), site.name.clone()));
        } else {
            let access = UnreachedAccess {
                hidden: site.access == SiteAccess::Hidden,
                writes: site.access == SiteAccess::Write,
                name: site.name.clone(),
            };
            unreached.insert((SourcePlace::of(site), access));
        }
    }
    if first {
        facts.unreached = unreached;
    } else {
        facts.unreached.retain(|access| unreached.contains(access));
    }
    for object in objects(evidence, found) {
        match facts.objects.iter_mut().find(|o| o.name == object.name) {
            Some(o) if o.sharing != object.sharing => o.sharing = both(o.sharing, object.sharing),
            Some(_) => {}
            None => facts.objects.push(object),
        }
    }
}

/// What holds when one run showed `a` and another `b`.
fn both(a: Sharing, b: Sharing) -> Sharing {
    match (a, b) {
        (Sharing::Shared, other) | (other, Sharing::Shared) => other,
        (Sharing::Private, other @ (Sharing::Firstprivate | Sharing::Lastprivate))
        | (other @ (Sharing::Firstprivate | Sharing::Lastprivate), Sharing::Private) => other,
        _ => Sharing::Blocked,
    }
}

fn carried(evidence: &Evidence, d: &Dependence) -> CarriedDependence {
    let site = |index: u32| &evidence.sites[index as usize];
    let (source, sink) = (site(d.source), site(d.sink));
    let named = [sink, source].into_iter().find(|s| !s.name.is_empty());
    let object = d.object.map(site);
    let in_variable = object.filter(|o| o.access == SiteAccess::Variable);
    let allocated = object.filter(|o| o.access != SiteAccess::Variable);
    CarriedDependence {
        kind: d.kind,
        name: named.map(|s| s.name.clone()).unwrap_or_default(),
        earlier: source.name.clone(),
        access: sink.access,
        source: SourcePlace::of(source),
        sink: SourcePlace::of(sink),
        allocated: allocated.map(SourcePlace::of),
        variable: in_variable.map(|v| v.name.clone()),
        reduction: d.reduction,
        used: None,
        least: d.least,
        most: d.most,
        last: d.last,
        iterations: d.iterations,
        iterations_most: d.iterations,
        instances: d.instances,
        share: 0.0,
        share_most: 0.0,
        remedies: Vec::new(),
    }
}

/// What blocks first, then the most frequent.
fn sort(dependences: &mut [CarriedDependence]) {
    dependences.sort_by(|a, b| {
        let order = |c: &CarriedDependence| (!c.blocks(), c.reduction, c.kind);
        order(a)
            .cmp(&order(b))
            .then(b.share.total_cmp(&a.share))
            .then_with(|| (&a.name, &a.source, &a.sink).cmp(&(&b.name, &b.source, &b.sink)))
    });
}

fn finish(facts: &mut LoopFacts) {
    let total = facts.iterations.max(1) as f64;
    for c in &mut facts.dependences {
        c.share = (c.iterations as f64 / total).min(1.0);
        c.share_most = (c.iterations_most as f64 / total).min(1.0);
    }
    sort(&mut facts.dependences);
    facts.objects.sort_by(|a, b| a.name.cmp(&b.name));
    facts.unseen.sort();
}

/// Name of the object of which `name` selects a part.
pub(crate) fn base(name: &str) -> &str {
    let name = name.trim_start_matches('*');
    let end = name
        .find(['[', '.'])
        .into_iter()
        .chain(name.find("->"))
        .min();
    &name[..end.unwrap_or(name.len())]
}

/// How a loop uses the objects in memory that it writes. Locals that live in registers are not among them.
fn objects(evidence: &Evidence, found: &LoopEvidence) -> Vec<Object> {
    #[derive(Default)]
    struct ObjectUse {
        array: bool,
        written: bool,
        exposed: bool,
        live: bool,
        flow: bool,
        reduced: bool,
        anti: bool,
        output: bool,
    }
    let site = |index: u32| &evidence.sites[index as usize];
    let memory =
        |s: &Site| matches!(s.access, SiteAccess::Read | SiteAccess::Write) && !s.name.is_empty();
    let mut all: BTreeMap<String, ObjectUse> = BTreeMap::new();
    for u in &found.uses {
        let s = site(u.site);
        if !memory(s) || u.is_unreached() || u.is_again() {
            continue;
        }
        let seen = all.entry(base(&s.name).to_owned()).or_default();
        // What a pointer leads to may be another place in every iteration, like an element.
        seen.array |= s.name.contains(['[', '*']) || s.name.contains("->");
        seen.written |= u.writes;
        seen.exposed |= u.exposed;
        seen.live |= u.writes && u.live.is_some();
    }
    for d in &found.dependences {
        for s in [site(d.source), site(d.sink)] {
            if !memory(s) {
                continue;
            }
            let seen = all.entry(base(&s.name).to_owned()).or_default();
            match d.kind {
                _ if d.reduction => seen.reduced = true,
                DependenceKind::Flow => seen.flow = true,
                DependenceKind::Anti => seen.anti = true,
                DependenceKind::Output => seen.output = true,
            }
        }
    }
    let written = all.into_iter().filter(|(_, s)| s.written);
    written
        .map(|(name, s)| {
            let sharing = match s {
                ObjectUse { flow: true, .. } => Sharing::Blocked,
                ObjectUse {
                    reduced: true,
                    anti: false,
                    output: false,
                    ..
                } => Sharing::Reduction,
                ObjectUse { reduced: true, .. } => Sharing::Blocked,
                ObjectUse {
                    anti: false,
                    output: false,
                    ..
                } => Sharing::Shared,
                ObjectUse { output: false, .. } => Sharing::Copy,
                // Which iteration's part of an array is read later is not known.
                ObjectUse {
                    live: true,
                    array: true,
                    ..
                }
                | ObjectUse {
                    live: true,
                    exposed: true,
                    ..
                } => Sharing::Blocked,
                ObjectUse { live: true, .. } => Sharing::Lastprivate,
                ObjectUse { exposed: true, .. } => Sharing::Firstprivate,
                ObjectUse { .. } => Sharing::Private,
            };
            Object {
                name,
                array: s.array,
                sharing,
            }
        })
        .collect()
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
}

#[cfg(test)]
impl CarriedDependence {
    /// A dependence from each iteration to the next between two places, for tests.
    pub(crate) fn example(
        kind: DependenceKind,
        name: &str,
        source: SourcePlace,
        sink: SourcePlace,
    ) -> Self {
        Self {
            kind,
            name: name.to_owned(),
            earlier: name.to_owned(),
            access: SiteAccess::Write,
            source,
            sink,
            allocated: None,
            variable: None,
            reduction: false,
            used: None,
            least: 1,
            most: 1,
            last: 9,
            iterations: 9,
            iterations_most: 9,
            instances: 1,
            share: 0.9,
            share_most: 0.9,
            remedies: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_objects_and_functions() {
        for (name, object) in [
            ("a[]", "a"),
            ("*p", "p"),
            ("s->f", "s"),
            ("g.x", "g"),
            ("v", "v"),
        ] {
            assert_eq!(base(name), object);
        }
        assert_eq!(
            short("std::map<int, std::less<int> >::find(int const&)"),
            "std::map::find"
        );
        assert_eq!(short("main"), "main");
        assert_eq!(short("double report<double>(double)"), "report");
        assert_eq!(
            short(
                "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::_M_create(int)()"
            ),
            "std::string::_M_create"
        );
    }

    fn site(access: SiteAccess, name: &str, line: u32) -> Site {
        Site {
            access,
            name: name.to_owned(),
            file: "a.c".to_owned(),
            line,
            column: 1,
            function: "main".to_owned(),
        }
    }

    fn dependence(kind: DependenceKind, source: u32, sink: u32) -> Dependence {
        Dependence {
            kind,
            source,
            sink,
            object: None,
            reduction: false,
            least: 1,
            most: 1,
            last: 9,
            count: 9,
            iterations: 9,
            instances: 1,
        }
    }

    fn facts(dependences: Vec<Dependence>, exposed: bool, live: bool) -> LoopFacts {
        let evidence = Evidence {
            sites: vec![
                site(SiteAccess::Write, "t", 3),
                site(SiteAccess::Read, "t", 4),
                site(SiteAccess::Read, "t", 9),
            ],
            ..Evidence::default()
        };
        let uses = [
            (0, true, false, live.then_some(2)),
            (1, false, exposed, None),
        ];
        let found = LoopEvidence {
            region: 1,
            instances: 1,
            iterations: 10,
            dependences,
            uses: uses
                .into_iter()
                .map(
                    |(site, writes, exposed, live)| parascan_formats::evidence::SiteUse {
                        site,
                        writes,
                        exposed,
                        live,
                    },
                )
                .collect(),
        };
        let mut facts = LoopFacts::default();
        add(&mut facts, &evidence, &found);
        finish(&mut facts);
        facts
    }

    #[test]
    fn sharing_follows_from_dependences_and_lives() {
        let output = || dependence(DependenceKind::Output, 0, 0);
        let anti = || dependence(DependenceKind::Anti, 1, 0);
        let sharing = |d, exposed, live| facts(d, exposed, live).objects[0].sharing;
        assert_eq!(sharing(vec![], true, true), Sharing::Shared);
        assert_eq!(
            sharing(vec![output(), anti()], false, false),
            Sharing::Private
        );
        assert_eq!(sharing(vec![output()], true, false), Sharing::Firstprivate);
        assert_eq!(sharing(vec![output()], false, true), Sharing::Lastprivate);
        assert_eq!(sharing(vec![output()], true, true), Sharing::Blocked);
        assert_eq!(sharing(vec![anti()], true, true), Sharing::Copy);
        let flow = dependence(DependenceKind::Flow, 0, 1);
        assert_eq!(
            sharing(vec![output(), flow], false, false),
            Sharing::Blocked
        );
    }

    #[test]
    fn the_line_names_variable_lines_distance_and_share() {
        let mut found = facts(vec![dependence(DependenceKind::Flow, 0, 1)], false, false);
        let all =
            "`t` written on line 3 is read on line 4 one iteration later, in 90.0% of iterations";
        assert_eq!(found.in_one_line("main").unwrap(), all);
        found.recorded_iterations = found.iterations + 1;
        assert_eq!(
            found.in_one_line("main").unwrap(),
            format!("{all} looked at")
        );
        assert_eq!(
            facts(vec![dependence(DependenceKind::Anti, 1, 0)], false, false).in_one_line("main"),
            None
        );
    }
}
