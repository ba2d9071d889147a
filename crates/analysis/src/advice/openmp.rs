//! OpenMP directives: which, and whether it can stand as code.

use parascan_formats::module::RegionStatic;
use parascan_formats::source::{Sharing, SharingDoubt, Statement};

use super::clauses::{Clauses, clauses};
use super::{Advice, Certainty, Dialect, Reduction, observed, patch, words};
use crate::class::names::RegionClass;
use crate::evidence::{LoopFacts, Remedy};

pub(super) fn advise(
    region: &RegionStatic,
    class: RegionClass,
    reductions: &[Reduction],
    evidence: Option<&LoopFacts>,
    by_control: bool,
    dialect: Dialect,
) -> Advice {
    match class {
        RegionClass::Serial | RegionClass::Unseen => Advice::default(),
        RegionClass::Task => Advice {
            proposal: Some("#pragma omp task".to_owned()),
            certainty: Some(Certainty::Unchecked),
            needs: vec![
                "put the pragma before the calls and loops that do not depend on each other and `#pragma omp taskwait` \
                 before their results are used, but not where a call has less to do than a task costs; open the tasks' team \
                 once, outside, by `#pragma omp parallel` and `#pragma omp single`"
                    .to_owned(),
            ],
            ..Advice::default()
        },
        RegionClass::Doacross => Advice {
            needs: doacross(region, evidence, by_control, dialect),
            ..Advice::default()
        },
        RegionClass::Doall | RegionClass::DoallReduction => {
            loop_directive(region, reductions, evidence, dialect)
        }
    }
}

/// Most remedies that are said of a loop whose iterations wait for each other; `parascan explain` has all.
const REMEDIES: usize = 4;

/// Iterations that wait for earlier ones: words only, since `ordered` without its block in place is a race.
fn doacross(
    region: &RegionStatic,
    evidence: Option<&LoopFacts>,
    by_control: bool,
    dialect: Dialect,
) -> Vec<String> {
    let remedies = evidence.map(LoopFacts::remedies).unwrap_or_default();
    let source = region.source.as_ref();
    if by_control && remedies.is_empty() {
        let rewrite = source.map(words::rewrite).unwrap_or_default();
        let is_none = rewrite.is_empty();
        return if is_none {
            vec![words::BY_CONTROL.to_owned()]
        } else {
            rewrite
        };
    }
    let known = |name: &str| evidence.is_some_and(|facts| facts.blocking().any(|c| c.name == name));
    let variables = source.iter().flat_map(|s| &s.variables);
    let carried = variables.filter(|v| v.sharing == Sharing::Unknown(SharingDoubt::Carried));
    let carried = carried.filter(|v| !known(&v.name)).map(words::carried);
    let mut needs: Vec<String> = carried.collect();
    if remedies.is_empty() {
        needs.push(match dialect.has_ordered_loops() {
            true => words::in_order(source),
            false => words::SPLIT.to_owned(),
        });
    }
    let text = |remedy: &&Remedy| match dialect.has_ordered_loops() {
        true => remedy.text.clone(),
        false => remedy.without_ordered().to_owned(),
    };
    needs.extend(remedies.iter().take(REMEDIES).map(text));
    needs
}

fn loop_directive(
    region: &RegionStatic,
    reductions: &[Reduction],
    evidence: Option<&LoopFacts>,
    dialect: Dialect,
) -> Advice {
    let in_words = |needs: Vec<String>| Advice {
        needs,
        ..Advice::default()
    };
    if region.linkage_name.contains(".omp_outlined") {
        return in_words(vec![
            "this code already runs inside an OpenMP parallel region: build without `-fopenmp` to measure the \
             program's own loops"
                .to_owned(),
        ]);
    }
    if crate::library::is_system(&region.file) {
        return in_words(vec![words::LIBRARY.to_owned()]);
    }
    let mut needs = Vec::new();
    if let Some(source) = &region.source {
        if let Some(directive) = &source.directive
            && directive.starts_with("#pragma omp")
        {
            return in_words(vec![format!(
                "the loop already has `{directive}`: build with `-fopenmp` to use it"
            )]);
        }
        let mut rewrite = words::rewrite(source);
        if !rewrite.is_empty() {
            let seen = evidence.map(|facts| observed::conflicts(facts, region, reductions));
            let conflicts = seen.into_iter().flatten().filter(|c| c.certain);
            rewrite.extend(conflicts.map(|c| c.words));
            rewrite.push(words::AFTER_REWRITING.to_owned());
            return in_words(rewrite);
        }
        if let Some(directive) = &source.directive {
            needs.push(format!(
                "`{directive}` stands above the loop: no other directive can come between a directive and its loop, \
                 so take it away"
            ));
        }
        if !source.starts_line {
            needs.push(format!(
                "other code stands before the loop on line {} (the loop begins in column {}): give the loop a line of \
                 its own, so that the directive can stand above it",
                region.line, region.column
            ));
        }
        debug_assert!(matches!(
            source.statement,
            Statement::For | Statement::RangeFor
        ));
    } else {
        needs.push(
            "the loop's source is not known: it must be a `for` with a fixed number of iterations, and variables that \
             its iterations write must be declared in it or named in `private`"
                .to_owned(),
        );
    }
    let Clauses {
        mut clauses,
        needs: more,
        mut words_only,
        unproved,
        around,
        lines_only,
        costs,
        ..
    } = clauses(region, reductions, evidence);
    needs.extend(more);
    // Threads of OpenMP that can have copies, and lines around the loop.
    let shares_out = !matches!(dialect, Dialect::Cilk | Dialect::Simd | Dialect::Gpu);
    let mut patch = None;
    if let Some(source) = region.source.as_ref().filter(|_| !around.is_empty()) {
        if needs.is_empty() && shares_out {
            patch = patch::around(source, &clauses);
        }
        if patch.is_none() {
            words_only |= lines_only;
            needs.extend(around);
        }
    }
    // Not in lines around the loop: threads have some of these already there.
    let copies = region.source.iter().flat_map(|source| &source.captured);
    let copies: Vec<&str> = copies.map(String::as_str).collect();
    let has_copies = !copies.is_empty() && patch.is_none() && shares_out;
    let copies = has_copies.then(|| format!("firstprivate({})", copies.join(",")));
    clauses.extend(copies.clone());
    let directive = std::iter::once("#pragma omp parallel for".to_owned())
        .chain(clauses.iter().cloned())
        .collect::<Vec<_>>()
        .join(" ");
    let complete = needs.is_empty();
    let certainty = match (complete, words_only) {
        (true, _) if unproved.is_some() => Some(Certainty::Observed),
        (true, _) => Some(Certainty::Complete),
        (false, false) => Some(Certainty::Unchecked),
        (false, true) => None,
    };
    let unproved = unproved.filter(|_| complete).map(|open| open.words());
    Advice {
        pragma: (complete && patch.is_none()).then(|| directive.clone()),
        hints: match certainty {
            Some(_) => {
                let why = has_copies.then(|| words::COPIES.to_owned());
                costs.into_iter().chain(why).collect()
            }
            None => Vec::new(),
        },
        patch,
        proposal: (certainty == Some(Certainty::Unchecked)).then_some(directive),
        clauses: match certainty {
            Some(_) => clauses,
            None => Vec::new(),
        },
        copies,
        certainty,
        unproved,
        needs,
    }
}
