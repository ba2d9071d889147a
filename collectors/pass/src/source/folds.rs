//! Elements that several iterations of a loop write since its index is divided by a constant, or taken modulo one:
//! whatever a run showed, two iterations that come there meet.

use parascan_formats::source::{Doubt, DoubtKind};

use super::read::{AccessKind, Fold, SourceAccess};
use super::text::LoopStatement;
use super::within::LoopInFunction;

impl Fold {
    /// All variables of it.
    fn variables(&self) -> impl Iterator<Item = usize> {
        self.inner.iter().map(|i| i.0).chain(self.outer.clone())
    }

    /// Whether two values of a variable are certain to give the same element, which steps by `step` through at most
    /// `range` values.
    fn gathers(&self, index: usize, step: u64, range: Option<u64>) -> bool {
        let mut own = self.inner.iter().filter(|i| i.0 == index);
        let (Some((_, scale)), None) = (own.next(), own.next()) else {
            return false;
        };
        if *scale == 0 || self.outer.contains(&index) {
            return false;
        }
        let apart = u128::from(*scale) * u128::from(step);
        let different = u128::from(self.modulus) * u128::from(self.divisor);
        let covered = |range: u64| u128::from(range) * u128::from(*scale) <= different;
        apart < u128::from(self.divisor) || self.modulus > 0 && !range.is_some_and(covered)
    }
}

/// What the loop writes that way.
pub(super) fn doubts(place: &LoopInFunction<'_>, statement: &LoopStatement) -> Vec<Doubt> {
    let (Some(index), Some(step)) = (place.index, statement.step.filter(|s| *s > 0)) else {
        return Vec::new();
    };
    let fixed = |v: usize| v != index && !place.inside[v] && !place.writes(v);
    let shared = |a: &&SourceAccess| {
        // What leads there must be the same in all iterations.
        let leads = match (a.variable, a.way) {
            (Some(v), _) if a.pointee => fixed(v),
            (Some(v), _) => !place.inside[v],
            (None, way) => way.is_some_and(fixed),
        };
        let mut gathered = false;
        let known = a.steps.iter().all(|s| {
            let Some(fold) = &s.fold else { return false };
            let mut variables = fold.variables();
            if fold.gathers(index, step, statement.range) {
                let others = variables.all(|v| v == index || fixed(v));
                others && !std::mem::replace(&mut gathered, true)
            } else {
                variables.all(fixed)
            }
        });
        a.kind == AccessKind::Write && leads && known && gathered
    };
    let mut found: Vec<Doubt> = Vec::new();
    for a in place.accesses().map(|(_, a)| a).filter(shared) {
        let name = a.variable.map(|v| place.function.variables[v].name.clone());
        let doubt = Doubt {
            kind: DoubtKind::SameElement,
            name: name.unwrap_or_default(),
            line: a.line,
        };
        if !found.contains(&doubt) {
            found.push(doubt);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_divides_gathers_iterations_unless_they_step_as_far() {
        let of = |scale, divisor, modulus| Fold {
            inner: vec![(0, scale), (1, 1)],
            divisor,
            modulus,
            outer: vec![2],
        };
        let any = |fold: Fold, step| fold.gathers(0, step, None);
        // i, i / 8, 8 * i / 8, k * i / 8
        assert!(!any(of(1, 1, 0), 1));
        assert!(any(of(1, 8, 0), 1) && any(of(1, 8, 0), 7));
        assert!(!any(of(1, 8, 0), 8));
        assert!(!any(of(8, 8, 0), 1) && any(of(4, 8, 0), 1));
        assert!(!any(of(0, 8, 0), 1));
        // i % 64, (i / 8) % 64
        assert!(any(of(1, 1, 64), 1));
        assert!(!of(1, 1, 64).gathers(0, 1, Some(64)));
        assert!(of(1, 1, 64).gathers(0, 1, Some(65)));
        assert!(!of(1, 8, 64).gathers(0, 8, Some(512)));
        // Another variable's, and i / 8 + i.
        assert!(!of(1, 8, 0).gathers(3, 1, None));
        let beside = Fold {
            outer: vec![0],
            ..of(1, 8, 0)
        };
        assert!(!any(beside, 1));
    }
}
