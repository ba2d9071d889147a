//! What to write into the source to use a region's parallelism.

use parascan_formats::module::{BrokenKind, RegionStatic};
use serde::{Deserialize, Serialize};

use crate::class::Class;

/// Language of the advice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// OpenMP pragmas for C and C++.
    #[default]
    Openmp,
    /// Cilk keywords (OpenCilk).
    Cilk,
}

/// A reduction whose dependence was broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reduction {
    /// Operator as OpenMP writes it: `+ * & | ^ min max`.
    pub operator: &'static str,
    /// Variable, or a description of the memory location (`*p`).
    pub name: String,
    /// Line of the update, 0 when unknown.
    pub line: u32,
    /// Whether the elements of an array are reduced (a histogram).
    pub array: bool,
}

/// What to write, and what else to know about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advice {
    /// The directive, on one line; none for serial regions.
    pub pragma: Option<String>,
    /// Sentences on what the directive alone does not do.
    pub hints: Vec<String>,
}

/// Reductions of a loop, each variable and operator once.
pub fn reductions(region: &RegionStatic) -> Vec<Reduction> {
    let mut found: Vec<Reduction> = Vec::new();
    for broken in &region.broken {
        let (operator, array) = match broken.kind {
            BrokenKind::Induction => continue,
            BrokenKind::Reduction(operator) => (operator.openmp(), false),
            BrokenKind::ArrayReduction(operator) => (operator.openmp(), true),
        };
        let same =
            |r: &Reduction| (r.operator, r.array) == (operator, array) && r.name == broken.name;
        if !found.iter().any(same) {
            found.push(Reduction {
                operator,
                name: broken.name.clone(),
                line: broken.line,
                array,
            });
        }
    }
    found
}

/// Advice for a region of this class.
pub fn advise(
    region: &RegionStatic,
    class: Class,
    reductions: &[Reduction],
    dialect: Dialect,
) -> Advice {
    match dialect {
        Dialect::Openmp => openmp(region, class, reductions),
        Dialect::Cilk => cilk(region, class, reductions),
    }
}

fn openmp(region: &RegionStatic, class: Class, reductions: &[Reduction]) -> Advice {
    let mut hints = Vec::new();
    let pragma = match class {
        Class::Serial => return Advice::default(),
        Class::Task => {
            hints.push(
                "put the pragma before the calls and loops that do not depend on each other and `#pragma omp taskwait` \
                 before their results are used; open the tasks' team once, outside, by `#pragma omp parallel` and \
                 `#pragma omp single`"
                    .to_owned(),
            );
            "#pragma omp task".to_owned()
        }
        Class::Doall | Class::DoallReduction => {
            uncounted(region, &mut hints);
            format!(
                "#pragma omp parallel for{}",
                clauses(reductions, &mut hints)
            )
        }
        Class::Doacross => {
            uncounted(region, &mut hints);
            hints.push(
                "put the statements that use results of earlier iterations into `#pragma omp ordered`, as few as \
                 possible, or move them into a loop of their own before this one"
                    .to_owned(),
            );
            format!(
                "#pragma omp parallel for ordered{}",
                clauses(reductions, &mut hints)
            )
        }
    };
    Advice {
        pragma: Some(pragma),
        hints,
    }
}

fn uncounted(region: &RegionStatic, hints: &mut Vec<String>) {
    if !region.counted {
        hints.push(
            "the number of iterations is not known before the loop starts: give the loop a bound in a local variable, \
             or make each iteration an `#pragma omp task`"
                .to_owned(),
        );
    }
}

/// ` reduction(op:a,b)` for every operator, in the order in which they occur.
fn clauses(reductions: &[Reduction], hints: &mut Vec<String>) -> String {
    let mut by_operator: Vec<(&str, Vec<String>)> = Vec::new();
    for reduction in reductions {
        let Reduction {
            operator,
            name,
            array,
            ..
        } = reduction;
        let item = match (is_identifier(name), array) {
            (true, false) => name.clone(),
            (true, true) => {
                hints.push(format!(
                    "replace `LENGTH` by the number of elements of `{name}`; for a large array update it with \
                     `#pragma omp atomic` instead"
                ));
                format!("{name}[:LENGTH]")
            }
            (false, false) => {
                hints.push(format!(
                    "`{name}` is no variable that a clause can name: reduce into a local one with \
                     `reduction({operator}:...)` and combine it with `{name}` after the loop"
                ));
                continue;
            }
            (false, true) => {
                hints.push(format!(
                    "`{name}` is updated by `{operator}` at changing places: reduce over the whole array, or update \
                     it with `#pragma omp atomic`"
                ));
                continue;
            }
        };
        match by_operator.iter_mut().find(|(known, _)| known == operator) {
            Some((_, items)) if items.contains(&item) => {}
            Some((_, items)) => items.push(item),
            None => by_operator.push((operator, vec![item])),
        }
    }
    by_operator
        .iter()
        .map(|(operator, items)| format!(" reduction({operator}:{})", items.join(",")))
        .collect()
}

fn cilk(region: &RegionStatic, class: Class, reductions: &[Reduction]) -> Advice {
    let mut hints = Vec::new();
    let pragma = match class {
        Class::Serial => return Advice::default(),
        Class::Task => {
            hints.push("put `cilk_sync` before the spawned calls' results are used".to_owned());
            "cilk_spawn"
        }
        Class::Doall | Class::DoallReduction => "cilk_for",
        Class::Doacross => {
            hints.push(
                "iterations wait for each other: split off what does not, `cilk_for` runs that part".to_owned(),
            );
            "cilk_for"
        }
    };
    if class != Class::Task {
        if !region.counted {
            hints.push(
                "the number of iterations is not known before the loop starts: spawn each iteration instead"
                    .to_owned(),
            );
        }
        for Reduction { operator, name, .. } in reductions {
            hints.push(format!("make `{name}` a reducer for `{operator}`"));
        }
    }
    Advice {
        pragma: Some(pragma.to_owned()),
        hints,
    }
}

/// Whether a clause can name it.
fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use parascan_formats::module::{Broken, Operator, RegionKind};

    fn region(broken: &[(&str, BrokenKind)], counted: bool) -> RegionStatic {
        RegionStatic {
            kind: RegionKind::Loop,
            parent: None,
            function: "f".into(),
            linkage_name: "f".into(),
            file: "f.c".into(),
            line: 1,
            column: 1,
            end_line: 2,
            counted,
            broken: broken
                .iter()
                .map(|&(name, kind)| Broken {
                    name: name.into(),
                    kind,
                    line: 0,
                })
                .collect(),
            folded: false,
        }
    }

    fn pragma(broken: &[(&str, BrokenKind)], class: Class) -> (String, usize) {
        let region = region(broken, true);
        let advice = advise(&region, class, &reductions(&region), Dialect::Openmp);
        (advice.pragma.unwrap_or_default(), advice.hints.len())
    }

    #[test]
    fn reductions_are_grouped_by_operator() {
        use BrokenKind::{ArrayReduction, Induction, Reduction};
        let broken = [
            ("i", Induction),
            ("a", Reduction(Operator::Add)),
            ("best", Reduction(Operator::Max)),
            ("b", Reduction(Operator::Add)),
            ("a", Reduction(Operator::Add)),
        ];
        let expected = "#pragma omp parallel for reduction(+:a,b) reduction(max:best)";
        assert_eq!(pragma(&broken, Class::DoallReduction), (expected.into(), 0));
        let broken = [
            ("*p", Reduction(Operator::Add)),
            ("hist", ArrayReduction(Operator::Add)),
        ];
        let expected = "#pragma omp parallel for reduction(+:hist[:LENGTH])";
        assert_eq!(pragma(&broken, Class::DoallReduction), (expected.into(), 2));
    }

    #[test]
    fn every_class_but_serial_has_a_pragma() {
        assert_eq!(pragma(&[], Class::Doall).0, "#pragma omp parallel for");
        assert_eq!(
            pragma(&[], Class::Doacross),
            ("#pragma omp parallel for ordered".into(), 1)
        );
        assert_eq!(pragma(&[], Class::Task), ("#pragma omp task".into(), 1));
        assert_eq!(pragma(&[], Class::Serial), (String::new(), 0));
        let advice = advise(&region(&[], false), Class::Doall, &[], Dialect::Openmp);
        assert!(advice.hints[0].contains("not known before the loop starts"));
    }
}
