//! What can be done about carried dependences, as far as their form says, in the order in which to try it.

mod nests;
mod parts;
mod states;
#[cfg(test)]
mod tests;
mod waiting;

use parascan_formats::evidence::{DependenceKind, SiteAccess};
use parascan_formats::module::RegionStatic;
use parascan_formats::source::Statement;
use serde::Serialize;

use super::nest::Nest;
use super::{CarriedDependence, FAR, LoopFacts, Sharing, SourcePlace, base};
use crate::language::{in_language_of, is_rust};
use parts::LineRange;

pub(crate) use waiting::earlier;

/// A known way to change a loop so that a dependence goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remedy {
    /// Stable code (`docs/json.md`).
    pub code: &'static str,
    /// What to do, and why it is possible, in one line.
    pub text: String,
    /// The same for languages and targets without OpenMP's `ordered`, where `text` names that.
    #[serde(skip)]
    pub elsewhere: Option<String>,
}

impl Remedy {
    /// What to do where there is no `ordered` of OpenMP.
    pub(crate) fn without_ordered(&self) -> &str {
        self.elsewhere.as_deref().unwrap_or(&self.text)
    }

    /// The same in the words of a file's language.
    pub(super) fn in_language_of(self, file: &str) -> Self {
        if is_rust(file) {
            let text = self.elsewhere.unwrap_or(self.text);
            return remedy(self.code, text);
        }
        Self {
            code: self.code,
            text: in_language_of(file, self.text),
            elsewhere: self.elsewhere.map(|text| in_language_of(file, text)),
        }
    }
}

fn remedy(code: &'static str, text: String) -> Remedy {
    Remedy {
        code,
        text,
        elsewhere: None,
    }
}

/// What matters of the loop that carries dependences.
struct CarryingLoop<'a> {
    facts: &'a LoopFacts,
    region: &'a RegionStatic,
    nest: &'a Nest,
    /// Lines to which all that is handed on keeps, beside others of the loop.
    part: Option<LineRange>,
}

/// Remedies for each dependence of a loop.
pub(super) fn all(facts: &LoopFacts, region: &RegionStatic, nest: &Nest) -> Vec<Vec<Remedy>> {
    let mut around = CarryingLoop {
        facts,
        region,
        nest,
        part: None,
    };
    around.part = parts::serial(&around);
    let dependences = facts.dependences.iter().enumerate();
    dependences.map(|(at, c)| of(c, at, &around)).collect()
}

impl CarryingLoop<'_> {
    /// Whether an access stands in the loop itself, not in a function that it calls.
    fn owns(&self, place: &SourcePlace) -> bool {
        (&place.function, &place.file) == (&self.region.function, &self.region.file)
    }

    /// What is said of distances of which not all of the run was looked at.
    fn seen(&self) -> &'static str {
        if self.facts.is_part() {
            ", as far as was looked at"
        } else {
            ""
        }
    }

    /// What an object needs as a whole.
    fn sharing(&self, c: &CarriedDependence) -> Option<Sharing> {
        let mut objects = self.facts.objects.iter();
        let object = objects.find(|o| o.name == base(&c.name));
        object.map(|o| o.sharing)
    }

    /// Dependences that copies for each thread do not settle.
    fn shared(&self) -> impl Iterator<Item = (usize, &CarriedDependence)> {
        let all = self.facts.dependences.iter().enumerate();
        all.filter(|(_, c)| {
            let copied = matches!(
                self.sharing(c),
                Some(Sharing::Private | Sharing::Firstprivate | Sharing::Lastprivate)
            );
            let kept =
                c.kind == DependenceKind::Flow || c.access != SiteAccess::LocalWrite && !copied;
            !c.reduction && kept
        })
    }

    /// The names of those of these dependences, each once, in one line; nothing where there are none.
    fn names(&self, which: impl Fn(&CarriedDependence) -> bool) -> Option<String> {
        let mut names: Vec<String> = Vec::new();
        for (_, c) in self.shared().filter(|(_, c)| which(c)) {
            let name = named(&c.name);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// Whether the loop is a `for` whose index a directive can step, or what it is is not known.
    fn is_indexed(&self) -> bool {
        let source = self.region.source.as_ref();
        source.is_none_or(|s| s.statement == Statement::For && s.obstacles.is_empty())
    }

    /// Mean number of iterations.
    fn iterations(&self) -> u64 {
        self.facts.iterations / self.facts.instances.max(1)
    }
}

fn named(name: &str) -> String {
    match name {
        "" => "what has no name here".to_owned(),
        name => format!("`{name}`"),
    }
}

/// Remedies for the dependence at index `at`.
fn of(c: &CarriedDependence, at: usize, around: &CarryingLoop<'_>) -> Vec<Remedy> {
    let name = named(&c.name);
    match c.kind {
        DependenceKind::Flow if c.used.is_some() => vec![running(&name, c.used.unwrap_or(0))],
        _ if c.used.is_some() => Vec::new(),
        _ if c.reduction => vec![remedy(
            "reduction",
            format!("{name} is only combined with the same operator: a reduction clause"),
        )],
        _ if c.access == SiteAccess::Hidden => vec![states::hidden(&c.name)],
        DependenceKind::Flow => flow(c, at, &name, around),
        DependenceKind::Anti | DependenceKind::Output => storage(c, &name, around),
    }
}

/// For updates by one operator, whose results the loop reads on a line; the time of their chain is not in the figures.
fn running(name: &str, line: u32) -> Remedy {
    remedy(
        "scan",
        format!(
            "{name} is combined with one operator, but what was combined so far is used on line {line} as well: a scan (prefix sum), in a \
             loop of its own; what waiting for it costs is not in the figures"
        ),
    )
}

fn flow(c: &CarriedDependence, at: usize, name: &str, around: &CarryingLoop<'_>) -> Vec<Remedy> {
    if let Some(state) = states::of_a_call(c, around) {
        return vec![state];
    }
    let mut all = Vec::new();
    all.extend(parts::peel(c, around));
    all.extend(recurrence(c, name, around));
    all.extend(nests::of(c, name, around));
    if at == 0 {
        all.extend(parts::fission(around));
    }
    all.extend(strips(c, at, name, around));
    all.extend(waiting::pipeline(c, at, name, around));
    if c.access != SiteAccess::LocalRead && c.share_most < 0.01 && !around.facts.is_part() {
        all.push(remedy(
            "rare",
            "few iterations need it: split the loop there, or check and repair afterwards"
                .to_owned(),
        ));
    }
    if all.is_empty() {
        all.push(restructure(c, name, around));
    }
    all
}

/// Where no form is known.
fn restructure(c: &CarriedDependence, name: &str, around: &CarryingLoop<'_>) -> Remedy {
    let mut inside = around.nest.inside.iter();
    let rows = inside.find(|l| l.is_most && around.owns(&c.sink) && l.has(c.sink.line));
    let why = match rows {
        Some(inner) => format!(
            "waiting does not help, since the loop on line {} is nearly all of an iteration and would have to wait as a whole",
            inner.line
        ),
        None => "no remedy shows in its form".to_owned(),
    };
    remedy(
        "restructure",
        format!(
            "{why}: {name} would have to be computed without what earlier iterations leave there"
        ),
    )
}

/// Of a value that is computed from what it was.
fn recurrence(c: &CarriedDependence, name: &str, around: &CarryingLoop<'_>) -> Vec<Remedy> {
    let next = (c.least, c.most) == (1, 1);
    let inner = around.nest.inside.iter().any(|l| l.has(c.sink.line));
    let same_line = c.source.line == c.sink.line && next && around.owns(&c.source) && !inner;
    let scan = || {
        remedy(
            "scan",
            format!(
                "{name} is computed from what it was one iteration before: if that is by one operator (a running sum or maximum), it is a \
                 scan (prefix sum), in a loop of its own"
            ),
        )
    };
    if c.access == SiteAccess::LocalRead {
        let closed = if around.is_indexed() {
            format!(
                "{name} is handed from iteration to iteration: compute it from the loop's index, where that is possible"
            )
        } else {
            format!(
                "{name} is handed from iteration to iteration: if it walks over a list or the like, collect in an array what it comes by, \
                 and loop over that"
            )
        };
        let closed = remedy("closed_form", closed);
        return match same_line && around.is_indexed() {
            true => vec![scan(), closed],
            false => vec![closed],
        };
    }
    if !same_line || c.access != SiteAccess::Read {
        return Vec::new();
    }
    let rewrites = |o: &&CarriedDependence| {
        o.kind == DependenceKind::Output
            && (&o.name, o.least, o.most) == (&c.name, 1, 1)
            && (o.source.line, o.sink.line) == (c.source.line, c.sink.line)
            && around.owns(&o.sink)
    };
    if around.facts.dependences.iter().any(|o| rewrites(&o)) {
        return vec![remedy(
            "accumulate",
            format!(
                "iterations read and write what the one before them wrote: if that is one place, which they only combine by one operator, do \
                 that in a local variable, which `reduction` can name, and combine it with {name} behind the loop; nothing in the loop may \
                 use that place otherwise"
            ),
        )];
    }
    vec![scan()]
}

/// Iterations in a row that are independent.
fn strips(
    c: &CarriedDependence,
    at: usize,
    name: &str,
    around: &CarryingLoop<'_>,
) -> Option<Remedy> {
    // What is said of iterations in a row is about all dependences.
    let mut others = around.shared().filter(|(n, _)| *n != at);
    if c.least < 2 || others.any(|(_, o)| o.least < c.least) {
        return None;
    }
    let (seen, d) = (around.seen(), c.least);
    Some(if c.least == c.most && d < FAR {
        remedy(
            "skew",
            format!(
                "the distance of {name} is always {d}{seen}: any {d} iterations in a row are independent, run them side by side (strip-mine \
                 by {d}, or skew)"
            ),
        )
    } else {
        remedy(
            "strip_mine",
            format!(
                "{name} is never nearer than {d} iterations{seen}: {d} iterations in a row are independent"
            ),
        )
    })
}

fn storage(c: &CarriedDependence, name: &str, around: &CarryingLoop<'_>) -> Vec<Remedy> {
    let object = match base(&c.name) {
        "" => name.to_owned(),
        object => format!("`{object}`"),
    };
    let place = if c.sink.function == around.region.function {
        String::new()
    } else {
        format!(" in {}", c.sink.function)
    };
    let one = match around.sharing(c) {
        Some(Sharing::Private) => remedy(
            "privatize",
            format!(
                "every iteration writes {object}{place} before it reads it, and nobody reads it later: private"
            ),
        ),
        Some(Sharing::Firstprivate) => remedy(
            "privatize",
            format!("no iteration reads what another wrote to {object}{place}: firstprivate"),
        ),
        Some(Sharing::Lastprivate) => {
            let facts = around.facts;
            let each = c.iterations >= facts.iterations.saturating_sub(facts.instances);
            let unless = if each && (c.least, c.most) == (1, 1) {
                ""
            } else {
                ", if the last iteration sets it; else what stays is that of the last iteration that does (the largest of their indices \
                 is a `max` reduction)"
            };
            remedy(
                "privatize",
                format!(
                    "no iteration reads what another wrote to {object}{place}, which is read after the loop: lastprivate{unless}"
                ),
            )
        }
        Some(Sharing::Copy) => remedy(
            "copy",
            format!(
                "iterations only overwrite what others read: read from a copy of {object}{place} made before the loop"
            ),
        ),
        _ => return Vec::new(),
    };
    // A place per iteration is what a dependence of storage needs; locals have one anyway.
    if c.access == SiteAccess::LocalWrite {
        return Vec::new();
    }
    vec![one]
}
