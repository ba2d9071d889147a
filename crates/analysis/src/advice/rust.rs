//! The same for Rust, in words alone: its compiler checks what clauses of directives promise elsewhere.

use super::{Advice, Reduction};
use crate::class::names::RegionClass;

pub(super) fn advise(file: &str, class: RegionClass, reductions: &[Reduction]) -> Advice {
    let is_loop = matches!(class, RegionClass::Doall | RegionClass::DoallReduction);
    let needs = match class {
        _ if is_loop && crate::library::is_system(file) => vec![
            "this loop is the library's own: where your code calls it, rayon has parallel iterators with the same adapters".to_owned(),
        ],
        RegionClass::Serial | RegionClass::Unseen => Vec::new(),
        RegionClass::Task => vec![
            "`rayon::join` runs two calls that do not depend on each other, `rayon::scope` more of them: where each has more to do than a task costs"
                .to_owned(),
        ],
        RegionClass::Doacross => vec![
            "the statements that use results of earlier iterations must run in order: split them off into a loop of their own".to_owned(),
        ],
        RegionClass::Doall | RegionClass::DoallReduction => {
            let mut needs = vec![
                "with rayon a parallel iterator takes the loop's place: `into_par_iter()` of a range, `par_iter()` of what is read, `par_iter_mut()` or \
                 `par_chunks_mut()` of what is written, so that every iteration has elements of its own, and `zip` and `enumerate` for more"
                    .to_owned(),
            ];
            if !reductions.is_empty() {
                needs.push(
                    "what is summed up comes from `sum()`, `min()`, `max()` or `reduce()` of that iterator; sums of fractions may differ in their last \
                     digits then"
                        .to_owned(),
                );
            }
            needs
        }
    };
    Advice {
        needs,
        ..Advice::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_alone() {
        for class in [RegionClass::Doall, RegionClass::Task, RegionClass::Doacross] {
            let advice = advise("src/main.rs", class, &[]);
            assert!(advice.pragma.is_none() && advice.proposal.is_none());
            assert!(advice.needs.iter().all(|text| !text.contains("#pragma")));
            assert!(!advice.needs.is_empty());
        }
    }
}
