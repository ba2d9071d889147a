//! Clauses of a loop directive, and what is left to be checked.

use parascan_formats::module::{ReductionObstacle, RegionStatic, UNNAMED};
use parascan_formats::source::{
    Doubt, DoubtKind, Form, IndexedExtremum, LoopSource, Reduced, ReducedArray, Sharing,
    SharingDoubt, Variable, VariableKind,
};

use super::unproved::UnprovedClauses;
use super::words::base;
use super::{Reduction, observed, patch, words};
use crate::evidence::{CarriedDependence, LoopFacts};

/// Clauses of a directive.
#[derive(Debug, Default)]
pub(super) struct Clauses {
    /// In the order `private`, `firstprivate`, `lastprivate`, `reduction`.
    pub(super) clauses: Vec<String>,
    /// What has to be looked at.
    pub(super) needs: Vec<String>,
    /// Whether no directive alone would do.
    pub(super) words_only: bool,
    /// What the source leaves open and a run has settled; none where the source proves all.
    pub(super) unproved: Option<UnprovedClauses>,
    /// What to say of variables for which there have to be lines around the loop, if there are none.
    pub(super) around: Vec<String>,
    /// Whether no directive alone would do without these.
    pub(super) lines_only: bool,
    /// What to know of the directive, or of the lines around it.
    pub(super) costs: Vec<String>,
    /// Elements of arrays of which threads have copies on their stacks.
    copied: u64,
}

impl Clauses {
    /// Notes that threads have copies of a variable: of large arrays they become a risk.
    fn copy(&mut self, variable: &Variable) {
        let VariableKind::Array(elements) = variable.shape else {
            return;
        };
        self.copied = self.copied.saturating_add(elements);
        let large = words::large(&variable.name, elements);
        if self.copied > words::MOST_BY_FAR {
            self.needs.push(format!("{large}: check that they fit"));
        } else if elements > words::MOST {
            self.costs.push(large);
        }
    }

    /// Notes that a run stands behind the directive.
    fn unproved(&mut self) -> &mut UnprovedClauses {
        self.unproved.get_or_insert_default()
    }
}

/// Names by clause.
#[derive(Debug, Default)]
struct ClauseNames {
    private: Vec<String>,
    /// Of those that begin with what they were before the loop: arrays that every iteration was seen to fill before it
    /// read them.
    filled: Vec<String>,
    first_private: Vec<String>,
    last_private: Vec<String>,
    reductions: Vec<(&'static str, Vec<String>)>,
    /// Local pointers: what is said about memory is about that to which they lead.
    pointers: Vec<String>,
}

impl ClauseNames {
    fn reduce(&mut self, operator: &'static str, name: &str) {
        let list = match self.reductions.iter().position(|r| r.0 == operator) {
            Some(at) => &mut self.reductions[at].1,
            None => {
                self.reductions.push((operator, Vec::new()));
                &mut self.reductions.last_mut().expect("just pushed").1
            }
        };
        if !list.iter().any(|known| known == name) {
            list.push(name.to_owned());
        }
    }

    /// Whether every thread has a copy of a variable.
    fn copies(&self, name: &str) -> bool {
        let copies = [&self.private, &self.first_private, &self.last_private];
        copies.into_iter().flatten().any(|n| n == name)
    }

    /// Whether memory may overlap of which every thread would have a copy of its own. What an iteration reaches there
    /// under another name stays the original, and no observed dependence between iterations tells. (Of what is reduced
    /// a read by another name counts as one, be it in the same iteration.)
    fn copied(&self, doubt: &Doubt) -> bool {
        let copies = [&self.private, &self.first_private, &self.last_private];
        let all = copies.into_iter().flatten();
        let mut all = all.filter(|name| !self.pointers.contains(name));
        doubt.kind == DoubtKind::Overlap && all.any(|name| doubt.names().any(|part| part == name))
    }

    fn write(self) -> Vec<String> {
        let mut out = Vec::new();
        for (clause, names) in [
            ("private", self.private),
            ("firstprivate", self.first_private),
            ("lastprivate", self.last_private),
        ] {
            if !names.is_empty() {
                out.push(format!("{clause}({})", names.join(",")));
            }
        }
        for (operator, names) in self.reductions {
            out.push(format!("reduction({operator}:{})", names.join(",")));
        }
        out
    }
}

/// Whether what is updated under this name lies in elements that only their own iteration touches.
pub(super) fn own_elements(region: &RegionStatic, name: &str, line: u32) -> bool {
    let Some(source) = &region.source else {
        return false;
    };
    let base = base(name);
    if base == name || source.index.is_none() {
        return false; // a variable as a whole
    }
    if source.arrays.iter().any(|a| a.name == base) {
        return false; // nothing else is known of it
    }
    if name == UNNAMED {
        return source.obstacles.is_empty()
            && source.doubts.iter().all(|d| d.kind != DoubtKind::Write);
    }
    match source.variables.iter().find(|v| v.name == base) {
        Some(variable) => variable.sharing == Sharing::Own,
        // Through a pointer: what is not its own is doubted, and so is memory that no variable leads to.
        None => {
            source.obstacles.is_empty()
                && !source.doubts.iter().any(|d| {
                    // The compiler may know the same memory by another name.
                    let same = d.names().any(|n| n == base) || d.name.is_empty() || d.line == line;
                    d.kind == DoubtKind::Write && same
                })
        }
    }
}

/// Whether the source shows that several iterations have one element of what is accessed under this name on this line.
fn same_element(region: &RegionStatic, name: &str, line: u32) -> bool {
    let mut doubts = region.source.iter().flat_map(|s| &s.doubts);
    doubts.any(|d| {
        let same = match d.name.is_empty() {
            true => d.line == line,
            false => d.name == base(name),
        };
        d.kind == DoubtKind::SameElement && same
    })
}

/// Whether no two iterations updated the same place under this name, which is that of memory rather than of a variable:
/// what never was written there in several iterations may live in registers (members of a structure), where no run
/// shows it, or meet with other inputs. Of updates by a name that the loop has for no reduction it is not known which
/// one they are.
pub(super) fn never_meet(
    region: &RegionStatic,
    facts: &LoopFacts,
    (name, line): (&str, u32),
) -> bool {
    let object = base(name);
    let named = |d: &CarriedDependence| {
        let mut broken = region.broken.iter();
        broken.any(|b| base(&b.name) == base(&d.name) || base(&b.name) == base(&d.earlier))
    };
    object != name
        && !same_element(region, name, line)
        && facts
            .again
            .iter()
            .any(|(_, written)| base(written) == object)
        && !facts.dependences.iter().any(|d| {
            let same = base(&d.name) == object || base(&d.earlier) == object;
            same || d.reduction && !named(d)
        })
}

/// Clauses of a loop directive.
pub(super) fn clauses(
    region: &RegionStatic,
    reductions: &[Reduction],
    evidence: Option<&LoopFacts>,
) -> Clauses {
    let mut names = ClauseNames::default();
    let mut found = Clauses::default();
    let none = LoopSource::default();
    let source = region.source.as_ref().unwrap_or(&none);
    let seen = evidence.map(|facts| observed::conflicts(facts, region, reductions));
    let free = matches!(&seen, Some(conflicts) if conflicts.is_empty());
    let part = evidence.filter(|facts| free && facts.is_part());
    let evidence = evidence.filter(|facts| facts.is_whole());
    let settles = free && evidence.is_some();
    let pointers = source.variables.iter();
    let pointers = pointers.filter(|v| v.shape == VariableKind::Pointer && !v.global);
    names.pointers.extend(pointers.map(|v| v.name.clone()));
    let best = patch::settled(source);
    let paired = |name: &str| best.iter().any(|b| b.names().any(|n| n == name));
    // What other names may lead to, a run has to show.
    let reduced: Vec<&Reduced> = patch::reduced(source)
        .filter(|r| settles || !r.watched)
        .collect();
    let reduces = |name: &str| reduced.iter().find(|r| r.name == base(name));
    // Words say all that is to be said of the others.
    let by_itself = |v: &&Variable| {
        if paired(&v.name) {
            return true;
        }
        let mut beside = reductions
            .iter()
            .filter(|r| r.beside != ReductionObstacle::Nothing);
        !beside.any(|r| base(&r.name) == v.name) && reduces(&v.name).is_none()
    };
    for variable in source.variables.iter().filter(by_itself) {
        if paired(&variable.name) {
            let of = |b: &&IndexedExtremum| b.names().any(|n| n == variable.name);
            let of = best.iter().find(of).expect("it is one of these");
            let with = of.value_with(&of.position);
            if with != variable.name {
                found.lines_only = true;
                found.around.push(words::conditional(variable, Some(&with)));
            }
            continue;
        }
        let copied = evidence.and_then(|facts| observed::copies(variable, facts));
        let passed = matches!(
            variable.sharing,
            Sharing::Unknown(SharingDoubt::Passed | SharingDoubt::Handed)
        );
        let wrote =
            passed || evidence.is_some_and(|facts| observed::wrote_to(facts, region, variable));
        sort(
            variable,
            (settles && wrote, settles && !wrote),
            copied,
            (reductions, &source.best),
            &mut names,
            &mut found,
        );
    }
    // Be it that the run showed none: two iterations that update the same place may come with other inputs.
    for &one in &reduced {
        let section = match one.form {
            Form::Pointer => "[:1]",
            Form::Named | Form::Reference => "",
        };
        for (member, operator) in &one.members {
            if member.is_empty() {
                names.reduce(operator.openmp(), &format!("{}{section}", one.name));
            } else {
                found.lines_only = true;
                let name = patch::member(one, member);
                found.around.push(words::unnamed(operator.openmp(), &name));
            }
        }
    }
    for array in &source.arrays {
        of_known_length(array, &mut names, &mut found);
    }
    let listed = |name: &str| source.arrays.iter().any(|a| a.name == base(name));
    let others =
        |r: &&Reduction| !(paired(&r.name) || listed(&r.name)) && reduces(&r.name).is_none();
    for reduction in reductions.iter().filter(others) {
        reduce(reduction, region.source.as_ref(), &mut names, &mut found);
    }
    let may_overlap = |name: &str| {
        let mut doubts = source.doubts.iter();
        doubts.any(|d| d.kind == DoubtKind::Overlap && d.names().any(|n| n == base(name)))
    };
    let is_number = |r: &Reduction, name: &str| !r.array && base(&r.name) == name;
    let sums =
        |name: &str| reduces(name).is_some() || reductions.iter().any(|r| is_number(r, name));
    // Size and class of what no thread has a copy of do not matter.
    let doubts = source.doubts.iter();
    let doubts = doubts.filter(|d| match d.kind {
        // What the loop declares every thread has as well.
        DoubtKind::Large if !source.variables.iter().any(|v| v.name == d.name) => true,
        DoubtKind::Large | DoubtKind::Class | DoubtKind::Later => names.copies(&d.name),
        DoubtKind::Stale => names
            .private
            .iter()
            .chain(&names.filled)
            .any(|n| *n == d.name),
        DoubtKind::Infinite => !paired(&d.name),
        // Nothing else leads to these.
        DoubtKind::Meets => settles && !listed(&d.name),
        // What is said of a reduction says it as well.
        DoubtKind::SameElement => {
            let mut all = reductions.iter();
            let reduced = all.any(|r| match d.name.is_empty() {
                true => r.line == d.line,
                false => base(&r.name) == d.name,
            });
            // A pointer of its own leads to the same places.
            let own = names.copies(&d.name) && !names.pointers.contains(&d.name);
            !(reduced || listed(&d.name) || own)
        }
        // What leads elsewhere may lead there as well, if it was ever written by that name.
        DoubtKind::Write => reduces(&d.name).is_none() || may_overlap(&d.name),
        _ => true,
    });
    let (open, closed): (Vec<Doubt>, Vec<Doubt>) = doubts.cloned().partition(|d| {
        // Of what is reduced, a read that did not run may be one of the running value.
        let overlaps = d.kind == DoubtKind::Overlap;
        let summed = d.names().find(|name| overlaps && sums(name));
        let ran = |facts| {
            let met = |name| observed::met(facts, region, d, name);
            observed::ran(facts, region, d) && summed.is_none_or(met)
        };
        let lasting = d.is_lasting() || d.kind == DoubtKind::Call && words::shares_words(&d.name);
        !settles || lasting || names.copied(d) || !evidence.is_some_and(ran)
    });
    for doubt in &closed {
        found.unproved().doubt(doubt);
    }
    found.words_only |= open.iter().any(|d| d.kind == DoubtKind::SameElement);
    found.needs.extend(words::doubts(&open));
    for conflict in seen.into_iter().flatten() {
        // Of functions that were not observed the source may know enough.
        if conflict.certain || !source.doubts.is_empty() {
            found.words_only |= conflict.certain;
            found.needs.push(conflict.words);
        }
    }
    if let Some(facts) = part.filter(|_| !found.needs.is_empty()) {
        found.needs.push(words::observed_in_part(facts));
    }
    found.clauses = names.write();
    found
}

/// Puts an array behind a pointer into a clause where every thread's copy fits its stack, or else into lines around the
/// loop.
fn of_known_length(array: &ReducedArray, names: &mut ClauseNames, found: &mut Clauses) {
    let operator = array.operator.openmp();
    if (1..=words::MOST).contains(&array.elements) {
        names.reduce(operator, &format!("{}[:{}]", array.name, array.length));
        return;
    }
    found.lines_only = true;
    found.around.push(words::memory_reduction(&Reduction {
        operator,
        name: format!("{}[]", array.name),
        line: 0,
        array: true,
        beside: ReductionObstacle::Nothing,
    }));
    found.costs.push(format!(
        "every thread has a copy of the `{}` elements of `{}`: that pays where there are many more iterations than elements",
        array.length, array.name
    ));
}

/// The minimum or maximum with which a variable is set.
fn kept_with(
    variable: &Variable,
    best: &[IndexedExtremum],
    reductions: &[Reduction],
) -> Option<String> {
    let of = best.iter().find(|b| b.names().any(|n| n == variable.name));
    // Where nothing is known of any, it may be any.
    let mut any = reductions.iter().filter(|_| best.is_empty());
    let any = any.find(|r| matches!(r.operator, "min" | "max"));
    of.map(|b| b.value_with(&b.position))
        .or(any.map(|r| r.name.clone()))
}

/// Puts a variable into its clause. `settles`: a run saw no conflict; `seldom`: it did not, but hardly any iteration
/// wrote the variable; `copied`: how threads can have copies of it, by what the run showed.
fn sort(
    variable: &Variable,
    (settles, seldom): (bool, bool),
    copied: Option<Sharing>,
    (reductions, best): (&[Reduction], &[IndexedExtremum]),
    names: &mut ClauseNames,
    found: &mut Clauses,
) {
    let name = || variable.name.clone();
    let copies = matches!(
        variable.sharing,
        Sharing::Private | Sharing::FirstPrivate | Sharing::LastPrivate
    );
    if copies || copied.is_some() {
        found.copy(variable);
    }
    let why = match variable.sharing {
        Sharing::Index | Sharing::Own => return,
        Sharing::Reduction(_) => {
            // Where it is none, a run has shown that no two iterations update the same place.
            let reduced = reductions.iter().any(|r| base(&r.name) == variable.name);
            if !reduced {
                found.unproved().place(&variable.name);
            }
            return;
        }
        Sharing::Private => return names.private.push(name()),
        Sharing::FirstPrivate => return names.first_private.push(name()),
        Sharing::LastPrivate => return names.last_private.push(name()),
        Sharing::Unknown(why) => why,
    };
    match why {
        SharingDoubt::Carried => {
            found.words_only = true;
            // Words about the reduction say it.
            if !reductions.iter().any(|r| r.name == variable.name) {
                found.needs.push(words::carried(variable));
            }
        }
        SharingDoubt::Conditional => {
            found.words_only = true;
            let with = kept_with(variable, best, reductions);
            found
                .needs
                .push(words::conditional(variable, with.as_deref()));
        }
        SharingDoubt::IndexAfter => {
            names.last_private.push(name());
            found.around.push(format!(
                "`{}` is read after the loop: `lastprivate({0})` is right where the loop runs at least one iteration; \
                 without any it would not be set",
                variable.name
            ));
        }
        SharingDoubt::Scratch | SharingDoubt::Handed if settles && copied.is_some() => {
            found.unproved().set(&variable.name);
            if variable.global {
                // Whoever reads it later with other inputs, in whatever function, gets what the last iteration left.
                names.last_private.push(name());
            }
            match copied {
                Some(Sharing::FirstPrivate) => names.first_private.push(name()),
                // With other inputs they may fill less than they read: the rest is as it was before the loop.
                _ if matches!(variable.shape, VariableKind::Array(_)) => {
                    names.filled.push(name());
                    names.first_private.push(name());
                }
                _ => names.private.push(name()),
            }
        }
        // No two iterations met in it.
        SharingDoubt::Escapes
        | SharingDoubt::Passed
        | SharingDoubt::Handed
        | SharingDoubt::Kept
        | SharingDoubt::Scratch
        | SharingDoubt::Global
        | SharingDoubt::Unnamed
            if settles =>
        {
            found.unproved().place(&variable.name);
        }
        SharingDoubt::Escapes | SharingDoubt::Global | SharingDoubt::Unnamed
            if seldom && matches!(variable.shape, VariableKind::Scalar | VariableKind::Pointer) =>
        {
            found.words_only = true;
            found.needs.push(words::seldom(variable));
        }
        SharingDoubt::Kept | SharingDoubt::Unnamed => {
            found.words_only = true;
            found.needs.push(words::unknown(variable, why));
        }
        SharingDoubt::Passed | SharingDoubt::Handed => {
            found.needs.push(words::unknown(variable, why))
        }
        SharingDoubt::Escapes | SharingDoubt::Scratch | SharingDoubt::Global => {
            let why = match why {
                SharingDoubt::Scratch if variable.global => SharingDoubt::Global,
                why => why,
            };
            // A global array or structure is data rather than scratch space: its copies would hold nothing.
            let data = matches!(
                variable.shape,
                VariableKind::Array(_) | VariableKind::Record
            );
            if why == SharingDoubt::Global && data || variable.name.contains("::") {
                found.words_only = true;
            } else {
                names.private.push(name());
            }
            found.needs.push(words::unknown(variable, why));
        }
    }
}

/// Puts a reduction into its clause, if one can name it.
fn reduce(
    reduction: &Reduction,
    source: Option<&LoopSource>,
    names: &mut ClauseNames,
    found: &mut Clauses,
) {
    let Reduction {
        operator,
        name,
        array,
        ..
    } = reduction;
    if let Some(words) = words::beside(reduction) {
        found.words_only = true;
        found.needs.push(words);
        return;
    }
    let Some(source) = source else {
        match (base(name) == name, array) {
            (true, false) => names.reduce(operator, name),
            _ => found.needs.push(words::memory_reduction(reduction)),
        }
        return;
    };
    match source.variables.iter().find(|v| v.name == base(name)) {
        Some(v) if matches!(v.sharing, Sharing::Reduction(_)) => {
            names.reduce(operator, &v.name);
            found.copy(v);
        }
        Some(v) if base(name) == name && v.shape == VariableKind::Record => {
            found.words_only = true;
            found.needs.push(words::parts(reduction));
        }
        Some(v) if base(name) == name && matches!(v.shape, VariableKind::Array(_)) => {
            found.words_only = true;
            found.needs.push(words::parts(reduction));
        }
        // Its name does not stand for it there, or for what leads to places where iterations may meet: no copy of a
        // pointer keeps them apart.
        Some(v) if base(name) == name && (*array || matches!(v.sharing, Sharing::Unknown(_))) => {
            found.words_only = true;
            found.needs.push(words::memory_reduction(reduction));
        }
        // A variable of which more is known than that it is reduced.
        Some(_) if base(name) == name => {}
        _ => {
            found.words_only = true;
            found.needs.push(words::memory_reduction(reduction));
        }
    }
}
