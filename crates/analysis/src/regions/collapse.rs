//! Parallel loops of few iterations that do their work in another one: how many a directive runs as one (`collapse(2)`,
//! `collapse(3)`), and what is said of the others.
//!
//! Two iterations of the nest differ in the outermost loop's iteration, or in an inner one's alone: they are
//! independent if the directives of all loops are right and treat every variable alike.

use parascan_formats::source::Sharing;

use super::{RegionSums, share};
use crate::advice::{Advice, Certainty, Dialect};
use crate::class::Classing;
use crate::model::Model;

/// Iterations from which a loop keeps the processors of a large machine busy.
const ENOUGH: f64 = 64.0;
/// Iterations from which a loop alone keeps as many processors busy as repay what the division costs (`docs/plan.md`).
const FEW: f64 = 8.0;
/// Work of an iteration from which that division, and that the compiler vectorizes the inner loop no more, costs little
/// beside it. Each further loop costs another division.
const LONG: f64 = 50.0;
/// Work of an iteration that is a loop itself, from which divisions cost nothing beside it; that loop is vectorized as
/// before.
const WHOLE_LOOP: f64 = 1000.0;
/// Share of a loop's work from which an inner one does about all of it.
const MOST_OF_IT: f64 = 0.9;

/// How many loops a directive with these clauses runs as one.
pub(crate) fn loops_as_one(clauses: &[String]) -> usize {
    let number = |c: &String| c.strip_prefix("collapse(")?.strip_suffix(')')?.parse().ok();
    clauses.iter().find_map(number).unwrap_or(1)
}

impl RegionSums {
    /// Completes the directive above a loop of few iterations, or says in words what it would be.
    pub(super) fn collapse(
        &self,
        model: &Model,
        number: usize,
        classing: Classing,
        advice: &mut Advice,
    ) {
        let all = &self.all[number];
        let mean = share(all.children as f64, all.counted as f64);
        let Some(inner) = self.works_in(number) else {
            return;
        };
        if mean <= 0.0 || mean >= ENOUGH {
            return;
        }
        if mean < FEW
            && let Some(clauses) = self.as_one(model, number, classing, advice)
        {
            let words = std::iter::once("#pragma omp parallel for".to_owned());
            let words: Vec<String> = words.chain(clauses.iter().cloned()).collect();
            advice.pragma = Some(words.join(" "));
            advice.clauses = clauses;
            return;
        }
        let found = self.figures(model, inner, classing, Dialect::Openmp);
        if found.pragma.is_none() {
            return;
        }
        let both = self.all[inner].children as f64 / all.counted as f64;
        advice.hints.push(format!(
            "{} are few iterations to share out: if nothing stands between this loop and the one on line {}, and the bounds \
             of that one do not depend on this one's index, `collapse(2)` shares out {}",
            mean.round(),
            found.line,
            both.round(),
        ));
    }

    /// Clauses of the directive that runs as one as many loops of a nest as it takes to have enough iterations, if that
    /// is right and worth it.
    fn as_one(
        &self,
        model: &Model,
        number: usize,
        classing: Classing,
        advice: &Advice,
    ) -> Option<Vec<String>> {
        let all = &self.all[number];
        let outermost = &model.regions[number].fixed;
        let mut around = CollapseLevel {
            region: number,
            advice: advice.clone(),
        };
        let mut before = share(all.children as f64, all.counted as f64);
        let (mut indexes, mut worth) = (Vec::new(), 0);
        for place in &outermost.source.as_ref()?.nest {
            let Some(inner) = self.works_in(around.region) else {
                break;
            };
            let fixed = &model.regions[inner].fixed;
            let at = *place == (fixed.line, fixed.column) && outermost.file == fixed.file;
            let alone = Self::is_alone(model, around.region) && Self::is_alone(model, inner);
            let within = CollapseLevel {
                region: inner,
                advice: self.advise(model, inner, classing, Dialect::Openmp).advice,
            };
            let as_sure = [Some(Certainty::Complete), advice.certainty];
            let right = at && alone && as_sure.contains(&within.advice.certainty);
            let Some(index) = joined(model, &around, &within).filter(|_| right) else {
                break;
            };
            indexes.push(index);
            let below = &self.all[inner];
            let together = below.children as f64 / all.counted as f64;
            let length = share(below.work as f64, below.children as f64);
            if length >= WHOLE_LOOP && self.works_in(inner).is_some() {
                if together >= FEW {
                    worth = indexes.len();
                }
                if together >= ENOUGH {
                    break;
                }
            } else if before < FEW {
                let long = length >= LONG * indexes.len() as f64;
                if together >= ENOUGH && long {
                    worth = indexes.len();
                    break;
                }
            }
            (around, before) = (within, together);
        }
        (worth > 0).then(|| clauses(&indexes[..worth], advice))?
    }

    /// The one loop in which a loop does its work.
    pub(crate) fn works_in(&self, number: usize) -> Option<usize> {
        let inner = self.only_loop[number]? as usize;
        let most = MOST_OF_IT * self.all[number].work as f64;
        (self.all[inner].work as f64 >= most).then_some(inner)
    }

    /// Whether no other loop stands at the same place: of instances of a template one may have more iterations than
    /// another.
    fn is_alone(model: &Model, number: usize) -> bool {
        let place = |number: usize| {
            let fixed = &model.regions[number].fixed;
            (fixed.line, fixed.column, fixed.kind, &fixed.file)
        };
        let same = (0..model.regions.len()).filter(|&o| place(o) == place(number));
        same.count() == 1
    }
}

/// A loop of a nest and the directive for it alone.
struct CollapseLevel {
    region: usize,
    advice: Advice,
}

/// The index of an inner loop that is the whole body of the loop around it, where one directive can run both as one
/// loop; none where the two treat a variable differently.
fn joined<'a>(model: &'a Model, around: &CollapseLevel, within: &CollapseLevel) -> Option<&'a str> {
    let source = model.regions[around.region].fixed.source.as_ref()?;
    let source_within = model.regions[within.region].fixed.source.as_ref()?;
    let codes = around.advice.pragma.is_some() && within.advice.pragma.is_some();
    let index = source_within.index.as_deref()?;
    let (mine, theirs) = (
        ClauseVariables::read(&around.advice)?,
        ClauseVariables::read(&within.advice)?,
    );
    // A declaration in the header hides other variables of that name.
    let outside = source.variables.iter().any(|v| v.name == index);
    let mut own = source_within.variables.iter().filter(|v| v.name == index);
    let steps = own.all(|v| v.sharing == Sharing::Index);
    // What a directive runs as one has indexes that nothing else sees.
    let private: Vec<&str> = mine.private_but(&[index]);
    let hidden = steps && outside == mine.private.contains(&index);
    let alike = private.len() == theirs.private.len()
        && private.iter().all(|name| theirs.private.contains(name))
        && theirs.reduced.iter().all(|r| mine.reduced.contains(r));
    (codes && hidden && alike).then_some(index)
}

/// Clauses of a directive that runs loops with these indexes as one with the outermost loop, from that loop's own.
fn clauses(indexes: &[&str], above: &Advice) -> Option<Vec<String>> {
    let private = ClauseVariables::read(above)?.private_but(indexes);
    let mut clauses = vec![format!("collapse({})", indexes.len() + 1)];
    if !private.is_empty() {
        clauses.push(format!("private({})", private.join(",")));
    }
    let reductions = above.clauses.iter().filter(|c| c.starts_with("reduction("));
    clauses.extend(reductions.cloned());
    clauses.extend(above.copies.clone());
    Some(clauses)
}

/// What a directive's clauses name.
#[derive(Default)]
struct ClauseVariables<'a> {
    private: Vec<&'a str>,
    /// With their operators.
    reduced: Vec<(&'a str, &'a str)>,
}

impl<'a> ClauseVariables<'a> {
    /// None where there are others than `private` and `reduction`: what these copy in or out depends on which loops run
    /// as one. Copies of what the outermost loop only reads do not.
    fn read(advice: &'a Advice) -> Option<Self> {
        let mut found = Self::default();
        let others = |clause: &&String| Some(*clause) != advice.copies.as_ref();
        for clause in advice.clauses.iter().filter(others) {
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

    /// Names of private variables other than these.
    fn private_but(&self, names: &[&str]) -> Vec<&'a str> {
        let private = self.private.iter().copied();
        private.filter(|name| !names.contains(name)).collect()
    }
}
