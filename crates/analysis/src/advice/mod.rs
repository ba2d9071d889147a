//! What to write into the source to use a region's parallelism.
//!
//! A directive is given as code only where everything that it needs is known; otherwise as a proposal, together with
//! what has to be looked at first, or in words alone.

mod clauses;
mod fortran;
mod observed;
mod openmp;
mod patch;
mod rust;
#[cfg(test)]
mod tests;
mod unproved;
mod words;

pub use patch::Patch;

use parascan_formats::module::{BrokenKind, Operator, ReductionObstacle, RegionStatic};
use parascan_formats::source::{LoopSource, Sharing, Variable, VariableKind};
use serde::{Deserialize, Serialize};

use crate::class::names::RegionClass;
use crate::evidence::LoopFacts;
use crate::language;

/// The language that advice is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// OpenMP pragmas for C and C++.
    #[default]
    Openmp,
    /// Cilk keywords (OpenCilk).
    Cilk,
    /// OpenMP tasks, which nest.
    Tasks,
    /// Stages that hand iterations on, in words; for the rest as OpenMP.
    Pipeline,
    /// OpenMP's `simd`: vectors of one thread.
    Simd,
    /// OpenMP's `target`, in words.
    Gpu,
}

impl Dialect {
    /// Whether its loops are OpenMP's `for`, whose iterations can wait for each other (`ordered`) and be left
    /// (`cancel`): tasks, vectors, devices and Cilk have no such loops.
    pub(crate) fn has_ordered_loops(self) -> bool {
        match self {
            Self::Openmp | Self::Pipeline => true,
            Self::Cilk | Self::Tasks | Self::Simd | Self::Gpu => false,
        }
    }
}

/// A reduction whose dependence was broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reduction {
    /// Operator as OpenMP writes it: `+ * & | ^ min max`; `argmin argmax` where the variable keeps the position alone.
    pub operator: &'static str,
    /// Variable, or a description of the memory location (`*p`).
    pub name: String,
    /// Line of the update, 0 when unknown.
    pub line: u32,
    /// Whether the elements of an array are reduced (a histogram).
    pub array: bool,
    /// What else the loop does with it.
    #[serde(skip)]
    pub beside: ReductionObstacle,
}

/// How sure a directive is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// The source proves its clauses, and the run saw no dependence between iterations.
    Complete,
    /// A run that looked at every access saw no two iterations use the same memory in a way that its clauses do not
    /// settle; the source alone does not prove it.
    Observed,
    /// Something has to be looked at first.
    Unchecked,
}

/// What to write, and what else to know about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advice {
    /// The directive, on one line, to be pasted above the loop; none where that could be wrong.
    pub pragma: Option<String>,
    /// Lines around the loop, where no directive alone would do.
    pub patch: Option<Patch>,
    /// The directive that it would be once `needs` are settled.
    pub proposal: Option<String>,
    /// Clauses of either.
    pub clauses: Vec<String>,
    /// That of them which only makes copies of what the loop reads, so that its code stays vectorized.
    pub copies: Option<String>,
    /// How sure the directive or patch is; none where there is none.
    pub certainty: Option<Certainty>,
    /// Of one that is [`Certainty::Observed`]: that it is not proved, and what other inputs may change, in one
    /// sentence.
    pub unproved: Option<String>,
    /// What has to be looked at or changed before a directive is right.
    pub needs: Vec<String>,
    /// Sentences on what the directive alone does not do.
    pub hints: Vec<String>,
}

/// Name of the reduction to the position of a minimum or maximum.
fn at_which(operator: Operator) -> &'static str {
    match operator {
        Operator::Min => "argmin",
        _ => "argmax",
    }
}

/// Reductions of a loop, each variable and operator once. Elements that belong to one iteration alone are none, be it
/// proven or what `evidence` shows.
pub fn reductions(region: &RegionStatic, evidence: Option<&LoopFacts>) -> Vec<Reduction> {
    let evidence = evidence.filter(|facts| facts.is_whole());
    let mut found: Vec<Reduction> = Vec::new();
    for broken in &region.broken {
        let (operator, array) = match broken.kind {
            BrokenKind::Induction => continue,
            BrokenKind::Reduction(operator) if broken.beside == ReductionObstacle::Position => {
                (at_which(operator), false)
            }
            BrokenKind::Reduction(operator) => (operator.openmp(), false),
            BrokenKind::ArrayReduction(operator) => (operator.openmp(), true),
        };
        if clauses::own_elements(region, &broken.name, broken.line)
            || evidence.is_some_and(|facts| {
                clauses::never_meet(region, facts, (&broken.name, broken.line))
            })
        {
            continue;
        }
        let same =
            |r: &Reduction| (r.operator, r.array) == (operator, array) && r.name == broken.name;
        if let Some(known) = found.iter_mut().find(|r| same(r)) {
            if known.beside == ReductionObstacle::Nothing {
                known.beside = broken.beside;
            }
        } else {
            found.push(Reduction {
                operator,
                name: broken.name.clone(),
                line: broken.line,
                array,
                beside: broken.beside,
            });
        }
    }
    found
}

/// Whether a run that looks at every access can change what is advised for a parallel loop of this certainty: not where
/// the source proves its directive, nor where it has to be written anew before any directive can stand above it.
pub fn depends_on_evidence(region: &RegionStatic, certainty: Option<Certainty>) -> bool {
    let fixed = |source: &LoopSource| !words::rewrite(source).is_empty();
    certainty != Some(Certainty::Complete)
        && !crate::library::is_system(&region.file)
        && !region.source.as_ref().is_some_and(fixed)
}

/// Advice for a region of this class; `evidence` is what a run that looked at objects saw, if there was one.
/// `by_control`: of a loop whose iterations wait for each other, and of which none was seen to read what an earlier one
/// wrote.
pub fn advise(
    region: &RegionStatic,
    class: RegionClass,
    reductions: &[Reduction],
    evidence: Option<&LoopFacts>,
    by_control: bool,
    dialect: Dialect,
) -> Advice {
    if language::is_fortran(&region.file) {
        return fortran::advise(region, class, reductions, evidence, by_control, dialect);
    }
    if language::is_rust(&region.file) {
        return rust::advise(&region.file, class, reductions);
    }
    let advice = openmp::advise(region, class, reductions, evidence, by_control, dialect);
    match dialect {
        Dialect::Openmp | Dialect::Pipeline => advice,
        Dialect::Cilk => cilk(region, class, reductions, advice),
        Dialect::Tasks => tasks(advice),
        Dialect::Simd => simd(region, reductions, advice),
        Dialect::Gpu => gpu(advice),
    }
}

/// The same as a team whose first thread makes tasks of the iterations. Lines around the loop stay as they are: in a
/// task their team has one thread. So do directives with `lastprivate`: where a `taskloop` whose index is an `int` has
/// no iteration, clang 22 overwrites what that names.
fn tasks(openmp: Advice) -> Advice {
    if openmp.clauses.iter().any(|c| c.starts_with("lastprivate(")) {
        return openmp;
    }
    let taskloop = |directive: String| match directive.strip_prefix("#pragma omp parallel for") {
        Some(clauses) => format!("{TEAM_OF_TASKS}{clauses}"),
        None => directive,
    };
    Advice {
        pragma: openmp.pragma.map(taskloop),
        proposal: openmp.proposal.map(taskloop),
        ..openmp
    }
}

/// A clause without the index of the loop, which `private` and `lastprivate` of `simd` must not name; none where
/// nothing else is in it.
fn without_index(clause: &str, index: Option<&str>) -> Option<String> {
    let listed = clause
        .strip_suffix(')')
        .and_then(|c| c.split_once('('))
        .filter(|(kind, _)| matches!(*kind, "private" | "lastprivate"));
    let Some((kind, list)) = listed else {
        return Some(clause.to_owned());
    };
    let names = list.split(',').map(str::trim);
    let left: Vec<&str> = names.filter(|&name| index != Some(name)).collect();
    (!left.is_empty()).then(|| format!("{kind}({})", left.join(",")))
}

/// Whether a clause may stand in `simd`, and clang gives each element of a vector what it names: numbers and pointers,
/// which it keeps in registers. Of arrays and structures it makes one copy for all, and takes iterations for
/// independent all the same (tried with clang 22: `private`, `reduction` and variables of the body alike).
fn fits_vectors(clause: &str, region: &RegionStatic) -> bool {
    let Some((kind, list)) = clause.strip_suffix(')').and_then(|c| c.split_once('(')) else {
        return false;
    };
    let names = match kind {
        "private" | "lastprivate" => list,
        "reduction" => match list.split_once(':') {
            Some((_, names)) => names,
            None => return false,
        },
        _ => return false,
    };
    let variables = region.source.iter().flat_map(|source| &source.variables);
    let variables: Vec<&Variable> = variables.collect();
    names.split(',').all(|name| {
        let mut named = variables.iter().filter(|v| v.name == name.trim());
        named.any(|v| matches!(v.shape, VariableKind::Scalar | VariableKind::Pointer))
    })
}

/// The same for the vectors of one thread. `simd` has no `firstprivate`, and the index is its own, with the right value
/// behind the loop.
fn simd(region: &RegionStatic, reductions: &[Reduction], openmp: Advice) -> Advice {
    if let Some(array) = reductions.iter().find(|reduction| reduction.array) {
        return Advice {
            needs: vec![format!(
                "elements of `{}` are updated that several iterations may have: vectors would update one of them once for several iterations, which gives \
                 wrong results, also with a clause `reduction` (clang makes one copy for all elements of a vector)",
                array.name.trim_end_matches("[]")
            )],
            ..Advice::default()
        };
    }
    let index = region
        .source
        .as_ref()
        .and_then(|source| source.index.as_deref());
    let clauses = openmp.clauses.iter();
    let clauses: Vec<String> = clauses.filter_map(|c| without_index(c, index)).collect();
    let mut needs = openmp.needs;
    let other = clauses.iter().find(|c| !fits_vectors(c, region));
    let own_memory = region.writes_to_frame != Some(false);
    if let Some(other) = other {
        needs.push(format!(
            "vectors cannot have `{other}`: `simd` knows numbers alone there, and clang makes one copy of arrays and structures for all elements of a \
             vector, which gives wrong results"
        ));
    }
    if own_memory {
        needs.push(
            "iterations may keep something in memory of their own (an array or structure declared in the loop, or in a function that it calls): clang \
             makes one copy of that for all elements of a vector, which gives wrong results; no directive before it is gone"
                .to_owned(),
        );
    }
    // What clang vectorizes by itself is in no plan.
    let extremum = |c: &String| c.starts_with("reduction(min:") || c.starts_with("reduction(max:");
    let has_extremum = clauses.iter().any(extremum);
    if has_extremum {
        needs.push(
            "clang 22 makes no vector code of a minimum or maximum of fractions that a comparison decides, and warns of the directive: compile with \
             `-fno-honor-nans -fno-signed-zeros`, or write `fmin` or `fmax`; one of integers needs neither"
                .to_owned(),
        );
    }
    let directive = std::iter::once("#pragma omp simd".to_owned())
        .chain(clauses.iter().cloned())
        .collect::<Vec<_>>()
        .join(" ");
    let known = other.is_none() && !own_memory;
    let possible = known && (openmp.pragma.is_some() || openmp.proposal.is_some());
    let complete = possible && openmp.pragma.is_some() && !has_extremum;
    let sure = openmp.certainty.filter(|_| possible);
    Advice {
        pragma: complete.then(|| directive.clone()),
        proposal: (possible && !complete).then_some(directive),
        certainty: sure.map(|sure| if complete { sure } else { Certainty::Unchecked }),
        unproved: openmp.unproved.filter(|_| complete),
        clauses,
        copies: None,
        patch: None,
        needs,
        hints: openmp.hints,
    }
}

/// The same for a device with memory of its own: what moves there has lengths that nobody knows here, so that there is
/// no code.
fn gpu(openmp: Advice) -> Advice {
    let possible = openmp.pragma.is_some() || openmp.proposal.is_some();
    let directive = std::iter::once("#pragma omp target teams distribute parallel for".to_owned())
        .chain(openmp.clauses.iter().cloned())
        .collect::<Vec<_>>()
        .join(" ");
    let mut needs = openmp.needs;
    if possible {
        needs.push("`map` clauses name what is copied there and back, with lengths".to_owned());
    }
    Advice {
        pragma: None,
        patch: None,
        copies: None,
        unproved: None,
        proposal: possible.then_some(directive),
        certainty: possible.then_some(Certainty::Unchecked),
        needs,
        ..openmp
    }
}

/// Begins the directive of a loop of tasks. clang 22 gives tasks copies of local arrays, structures and what references
/// lead to, in the combined directive as in `taskloop` alone, if nothing says `shared`.
const TEAM_OF_TASKS: &str = "#pragma omp parallel masked taskloop default(shared)";

/// The directive of such a loop where tasks of a loop around it run it: a team of its own would have one thread.
pub(crate) fn within_tasks(directive: &str) -> Option<String> {
    let clauses = directive.strip_prefix(TEAM_OF_TASKS)?;
    Some(format!("#pragma omp taskloop default(shared){clauses}"))
}

/// The same in Cilk's words: it has no clauses, so that variables must be declared where they are used, the index among
/// them.
fn cilk(
    region: &RegionStatic,
    class: RegionClass,
    reductions: &[Reduction],
    openmp: Advice,
) -> Advice {
    let keyword = match class {
        RegionClass::Serial | RegionClass::Unseen | RegionClass::Doacross => return openmp,
        RegionClass::Task => {
            return Advice {
                proposal: Some("cilk_spawn".to_owned()),
                needs: vec![
                    "spawn the calls that do not depend on each other, and put `cilk_sync` before their results are \
                     used"
                        .to_owned(),
                ],
                ..openmp
            };
        }
        RegionClass::Doall | RegionClass::DoallReduction => "cilk_for".to_owned(),
    };
    let mut needs = openmp.needs;
    for clause in openmp
        .clauses
        .iter()
        .filter(|c| !c.starts_with("reduction"))
    {
        needs.push(format!(
            "declare inside the loop what OpenMP would name in `{clause}`"
        ));
    }
    let variables = region.source.iter().flat_map(|s| &s.variables);
    for index in variables.filter(|v| v.sharing == Sharing::Index) {
        needs.push(format!("declare the index `{}` in the loop", index.name));
    }
    for Reduction { operator, name, .. } in reductions {
        needs.push(format!("make `{name}` a reducer for `{operator}`"));
    }
    let possible = openmp.pragma.is_some() || openmp.proposal.is_some();
    let complete = openmp.pragma.is_some() && needs.is_empty();
    let sure = openmp.certainty.unwrap_or(Certainty::Unchecked);
    Advice {
        pragma: complete.then(|| keyword.clone()),
        patch: None,
        proposal: (possible && !complete).then_some(keyword),
        clauses: Vec::new(),
        copies: None,
        certainty: possible.then_some(if complete { sure } else { Certainty::Unchecked }),
        unproved: openmp.unproved.filter(|_| complete),
        needs,
        hints: openmp.hints,
    }
}
