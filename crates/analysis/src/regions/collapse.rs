//! Parallel loops of few iterations that do their work in another one: which two a directive runs as one (`collapse(2)`), and what is said of
//! the others.
//!
//! Two iterations of the nest differ in the outer loop's iteration, or in the inner one's alone: they are independent if both loops'
//! directives are right and treat every variable alike.

use parascan_formats::module::RegionKind;
use parascan_formats::source::Sharing;

use super::{Gathered, share};
use crate::advice::{Advice, Certainty, Dialect};
use crate::class::ClassRule;
use crate::model::Model;

/// Iterations from which a loop keeps the processors of a large machine busy.
const ENOUGH: f64 = 64.0;
/// Iterations from which a loop alone keeps as many processors busy as repay what the division costs (`docs/plan.md`).
const FEW: f64 = 8.0;
/// Work of an iteration from which that division, and that the compiler vectorizes the inner loop no more, costs little beside it.
const LONG: f64 = 50.0;
/// Share of a loop's work from which an inner one does about all of it.
const MOST_OF_IT: f64 = 0.9;

impl Gathered {
    /// Completes the directive above a loop of few iterations, or says in words what it would be.
    pub(super) fn collapse(
        &self,
        model: &Model,
        number: usize,
        rule: ClassRule,
        advice: &mut Advice,
    ) {
        let all = &self.all[number];
        let mean = share(all.children as f64, all.counted as f64);
        let Some(inner) = self.works_in(model, number) else {
            return;
        };
        if mean <= 0.0 || mean >= ENOUGH {
            return;
        }
        let found = self.figures(model, inner, rule, Dialect::Openmp);
        if found.pragma.is_none() {
            return;
        }
        let below = &self.all[inner];
        let both = below.children as f64 / all.counted as f64;
        let long = below.work as f64 >= LONG * below.children as f64;
        if mean < FEW && both >= ENOUGH && long && Self::is_alone(model, [number, inner]) {
            let within = self.advise(model, inner, rule, Dialect::Openmp).advice;
            if let Some(clauses) = as_one(model, (number, inner), (advice, &within)) {
                let words = std::iter::once("#pragma omp parallel for".to_owned());
                let words: Vec<String> = words.chain(clauses.iter().cloned()).collect();
                advice.pragma = Some(words.join(" "));
                advice.clauses = clauses;
                return;
            }
        }
        advice.hints.push(format!(
            "{} are few iterations to share out: if nothing stands between this loop and the one on line {}, and the bounds \
             of that one do not depend on this one's index, `collapse(2)` shares out {}",
            mean.round(),
            found.line,
            both.round(),
        ));
    }

    /// The one loop in which a loop does its work.
    pub(crate) fn works_in(&self, model: &Model, number: usize) -> Option<usize> {
        let only = [number as u32];
        let inside = |inner: &usize| {
            model.regions[*inner].fixed.kind == RegionKind::Loop
                && self.parents[*inner].iter().map(|p| p.0).eq(only)
        };
        let mut loops = (0..model.regions.len()).filter(inside);
        let inner = loops.next().filter(|_| loops.next().is_none())?;
        let most = MOST_OF_IT * self.all[number].work as f64;
        (self.all[inner].work as f64 >= most).then_some(inner)
    }

    /// Whether no other loops stand at the same places: of instances of a template one may have more iterations than another.
    fn is_alone(model: &Model, loops: [usize; 2]) -> bool {
        let place = |number: usize| {
            let fixed = &model.regions[number].fixed;
            (fixed.kind, &fixed.file, fixed.line, fixed.column)
        };
        let same =
            |number: usize| (0..model.regions.len()).filter(move |&o| place(o) == place(number));
        loops.into_iter().all(|number| same(number).count() == 1)
    }
}

/// Clauses of one directive for a loop and the one that is all of its body, from those of each by itself; none where the source does not show
/// that these can run as one, or where a variable is not treated alike.
fn as_one(
    model: &Model,
    (outer, inner): (usize, usize),
    (above, within): (&Advice, &Advice),
) -> Option<Vec<String>> {
    let (outer, inner) = (&model.regions[outer].fixed, &model.regions[inner].fixed);
    let (source, source_within) = (outer.source.as_ref()?, inner.source.as_ref()?);
    let perfect = source.inner == Some((inner.line, inner.column)) && outer.file == inner.file;
    let codes = above.pragma.is_some() && within.pragma.is_some();
    let as_sure = [Some(Certainty::Complete), above.certainty].contains(&within.certainty);
    let index = source_within.index.as_deref()?;
    let (mine, theirs) = (Clauses::read(above)?, Clauses::read(within)?);
    // A declaration in the header hides other variables of that name.
    let outside = source.variables.iter().any(|v| v.name == index);
    let mut own = source_within.variables.iter().filter(|v| v.name == index);
    let steps = own.all(|v| v.sharing == Sharing::Index);
    // What a directive runs as one has indexes that nothing else sees.
    let private: Vec<&str> = mine
        .private
        .iter()
        .copied()
        .filter(|n| *n != index)
        .collect();
    let hidden = steps && outside == mine.private.contains(&index);
    let alike = private.len() == theirs.private.len()
        && private.iter().all(|name| theirs.private.contains(name))
        && theirs.reduced.iter().all(|r| mine.reduced.contains(r));
    if !(perfect && codes && as_sure && hidden && alike) {
        return None;
    }
    let mut clauses = vec!["collapse(2)".to_owned()];
    if !private.is_empty() {
        clauses.push(format!("private({})", private.join(",")));
    }
    let reductions = above.clauses.iter().filter(|c| c.starts_with("reduction("));
    clauses.extend(reductions.cloned());
    Some(clauses)
}

/// What a directive's clauses name.
#[derive(Default)]
struct Clauses<'a> {
    private: Vec<&'a str>,
    /// With their operators.
    reduced: Vec<(&'a str, &'a str)>,
}

impl<'a> Clauses<'a> {
    /// None where there are others than `private` and `reduction`: what these copy in or out depends on which loops run as one.
    fn read(advice: &'a Advice) -> Option<Self> {
        let mut found = Self::default();
        for clause in &advice.clauses {
            let (word, names) = clause.strip_suffix(')')?.split_once('(')?;
            match (word, names.split_once(':')) {
                ("private", None) => found.private.extend(names.split(',')),
                ("reduction", Some((operator, names))) => {
                    let names = names.split(',');
                    found.reduced.extend(names.map(|name| (operator, name)));
                }
                _ => return None,
            }
        }
        Some(found)
    }
}
