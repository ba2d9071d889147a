//! Dependences that loops carry from one place in the source to another.

use parascan_formats::evidence::{Dependence, DependenceKind, Evidence, FAR, Site, SiteAccess};
use serde::Serialize;

use super::names::short;
use super::remedies::Remedy;

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
    pub(super) fn of(site: &Site) -> Self {
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
    /// Where the earlier access is.
    pub source: SourcePlace,
    /// Where the later access is.
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
    /// Largest; [`FAR`](super::FAR) stands for that and more.
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
    /// A dependence of a profile, as yet without shares.
    pub(super) fn of(evidence: &Evidence, d: &Dependence) -> Self {
        let site = |index: u32| &evidence.sites[index as usize];
        let (source, sink) = (site(d.source), site(d.sink));
        let named = [sink, source].into_iter().find(|s| !s.name.is_empty());
        let object = d.object.map(site);
        let in_variable = object.filter(|o| o.access == SiteAccess::Variable);
        let allocated = object.filter(|o| o.access != SiteAccess::Variable);
        Self {
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

    /// Whether the loop cannot run in parallel as it is because of it, whatever is private: a value is handed on.
    #[must_use]
    pub fn blocks(&self) -> bool {
        self.kind == DependenceKind::Flow && !self.reduction
    }

    /// Whether both are said in the same words.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let line = |p: &SourcePlace| (p.line, p.file.clone());
        let key = |c: &Self| (c.kind, c.reduction, line(&c.source), line(&c.sink));
        (&self.name, &self.earlier, &self.variable)
            == (&other.name, &other.earlier, &other.variable)
            && key(self) == key(other)
    }

    /// Takes in the other's distances.
    pub(super) fn widen(&mut self, other: &Self) {
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

/// What blocks first, then the most frequent.
pub(super) fn sort(dependences: &mut [CarriedDependence]) {
    dependences.sort_by(|a, b| {
        let order = |c: &CarriedDependence| (!c.blocks(), c.reduction, c.kind);
        order(a)
            .cmp(&order(b))
            .then(b.share.total_cmp(&a.share))
            .then_with(|| (&a.name, &a.source, &a.sink).cmp(&(&b.name, &b.source, &b.sink)))
    });
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
