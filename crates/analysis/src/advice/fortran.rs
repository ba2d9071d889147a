//! The same for Fortran, in proposals and words alone: the text of its loops is not read, so that no directive is
//! certain.

use std::collections::BTreeSet;

use parascan_formats::module::{BrokenKind, ReductionObstacle, RegionStatic};
use parascan_formats::source::{Sharing, SharingDoubt, Statement, Variable, VariableKind};

use super::{Advice, Certainty, Dialect, Reduction, openmp};
use crate::class::names::RegionClass;
use crate::evidence::LoopFacts;
use crate::language::{in_fortran as words, is_fixed_form};

/// What no text was read for.
const LOOKED_AT: &str = "the text of the loop was not read: it must be a `do` with a fixed number of iterations, without `exit`, `return`, input and \
                         output; what else an iteration sets before it reads it belongs into `private` (what is `equivalence`d must not be set), and \
                         procedures that it calls must not set `save`d, module or `common` variables that others use";

/// Of a loop that no `do` with a variable makes.
const NO_DO: &str = "no `do` statement with a variable makes this loop: around an array assignment write `!$omp parallel workshare` and `!$omp end \
                     parallel workshare`, or write it as a `do` loop, which takes `!$omp parallel do`; a `do while` must become a `do` with a number of \
                     iterations that is known before it, a `do concurrent` a plain one";

const TASKS: &str = "put `!$omp task` and `!$omp end task` around the calls and loops that do not depend on each other, and `!$omp taskwait` before \
                     their results are used, but not where a call has less to do than a task costs; open the tasks' team once, outside, by \
                     `!$omp parallel` and `!$omp single`";

pub(super) fn advise(
    region: &RegionStatic,
    class: RegionClass,
    reductions: &[Reduction],
    evidence: Option<&LoopFacts>,
    by_control: bool,
    dialect: Dialect,
) -> Advice {
    let is_do = region
        .source
        .as_ref()
        .is_some_and(|s| s.statement == Statement::For);
    let in_words = |need: &str| Advice {
        needs: vec![need.to_owned()],
        ..Advice::default()
    };
    if dialect == Dialect::Cilk && !matches!(class, RegionClass::Serial | RegionClass::Unseen) {
        return in_words("Cilk is for C and C++; `--personality openmp` says what OpenMP needs");
    }
    let doall = matches!(class, RegionClass::Doall | RegionClass::DoallReduction);
    if class == RegionClass::Task {
        return Advice {
            proposal: Some("!$omp task".to_owned()),
            certainty: Some(Certainty::Unchecked),
            ..in_words(TASKS)
        };
    }
    // What flang makes of the body of a parallel region.
    if doall && region.linkage_name.contains("..omp_par") {
        return in_words(
            "this code already runs inside an OpenMP parallel region: build without `-fopenmp` to measure the program's own loops",
        );
    }
    if doall && !is_do {
        return in_words(NO_DO);
    }
    let named: Vec<&Reduction> = reductions.iter().filter(|r| is_named(r)).collect();
    let (rest, data) = with_names(region, &named);
    let reductions: Vec<Reduction> = reductions.iter().map(as_named).collect();
    let facts = evidence.map(without_temporaries);
    // What differs between targets is below, but for loops whose iterations wait.
    let written_as = match doall {
        true => Dialect::Openmp,
        false => dialect,
    };
    let c = openmp::advise(
        &rest,
        class,
        &reductions,
        facts.as_ref().map(|(kept, _)| kept),
        by_control,
        written_as,
    );
    let mut needs: Vec<String> = c.needs.iter().map(|text| words(text)).collect();
    if !doall {
        return Advice {
            needs,
            ..Advice::default()
        };
    }
    // What no clause settles is in words alone.
    if c.certainty.is_none() && c.pragma.is_none() && c.patch.is_none() {
        return Advice {
            needs,
            ..Advice::default()
        };
    }
    needs.extend(data);
    needs.extend(
        facts
            .iter()
            .flat_map(|(_, dropped)| assigned_whole(dropped)),
    );
    needs.push(LOOKED_AT.to_owned());
    let clauses = c
        .clauses
        .iter()
        .filter(|clause| Some(*clause) != c.copies.as_ref());
    let clauses: Vec<String> = clauses.map(|clause| operators(clause)).collect();
    let directive = match dialect {
        Dialect::Simd => "!$omp simd",
        Dialect::Gpu => "!$omp target teams distribute parallel do",
        _ => "!$omp parallel do",
    };
    if dialect == Dialect::Gpu {
        needs.push("`map` clauses name what is copied there and back".to_owned());
    }
    let directive = std::iter::once(directive.to_owned()).chain(clauses.iter().cloned());
    let directive = directive.collect::<Vec<_>>().join(" ");
    needs.extend(too_long(&region.file, &directive));
    Advice {
        proposal: Some(directive),
        certainty: Some(Certainty::Unchecked),
        clauses,
        needs,
        hints: c.hints.iter().map(|text| words(text)).collect(),
        ..Advice::default()
    }
}

/// Of a directive that ends behind what compilers read of a line.
fn too_long(file: &str, directive: &str) -> Option<String> {
    let (form, columns, next) = match is_fixed_form(file) {
        true => ("fixed", 72, "in a line that begins with `!$omp&`"),
        false => ("free", 132, "after `&` in a line that begins with `!$omp`"),
    };
    (directive.len() > columns).then(|| {
        format!("compilers read {columns} columns of a line in {form} form: break the directive between clauses, and go on {next}")
    })
}

/// Of an array of a module or of the main program.
fn own_elements(array: &Variable) -> String {
    let Variable { name, at, .. } = array;
    format!(
        "iterations write elements of `{name}` (line {at}): each must keep to elements of its own, and read no others that are written"
    )
}

/// What is reduced. To flang a dummy argument is a pointer to it.
fn variable(reduction: &Reduction) -> &str {
    reduction.name.trim_start_matches('*')
}

/// Whether a clause can name what is reduced.
fn is_named(reduction: &Reduction) -> bool {
    let name = variable(reduction);
    let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    is_name && !reduction.array && reduction.beside == ReductionObstacle::Nothing
}

/// The same by the name that a clause has for it.
fn as_named(reduction: &Reduction) -> Reduction {
    let name = match is_named(reduction) {
        true => variable(reduction),
        false => &reduction.name,
    };
    Reduction {
        name: name.to_owned(),
        ..reduction.clone()
    }
}

/// The region with what is reduced among its loop's variables, and without arrays of modules and of the main program,
/// of which only parts are written; what is to be said of those.
fn with_names(region: &RegionStatic, named: &[&Reduction]) -> (RegionStatic, Vec<String>) {
    let mut rest = region.clone();
    let mut data = Vec::new();
    let Some(source) = &mut rest.source else {
        return (rest, data);
    };
    source.variables.retain(|v| {
        let is_data = v.sharing == Sharing::Unknown(SharingDoubt::Global)
            && matches!(v.shape, VariableKind::Array(_));
        data.extend(is_data.then(|| own_elements(v)));
        !is_data && !named.iter().any(|r| variable(r) == v.name)
    });
    for broken in &mut rest.broken {
        let of = |r: &&&Reduction| (&r.name, r.line) == (&broken.name, broken.line);
        if let (BrokenKind::Reduction(operator), Some(r)) = (broken.kind, named.iter().find(of)) {
            variable(r).clone_into(&mut broken.name);
            source.variables.push(Variable {
                name: broken.name.clone(),
                line: 0,
                global: false,
                shape: VariableKind::Scalar,
                sharing: Sharing::Reduction(operator),
                at: broken.line,
            });
        }
    }
    (rest, data)
}

/// What was observed, but for memory that flang may have made for results in between: it has neither a name nor a place
/// where it was allocated, and every thread has its own. Where that was written.
fn without_temporaries(facts: &LoopFacts) -> (LoopFacts, BTreeSet<u32>) {
    let mut facts = facts.clone();
    let mut lines = BTreeSet::new();
    facts.dependences.retain(|d| {
        let unnamed = d.name.is_empty() && d.earlier.is_empty() && d.allocated.is_none();
        let kept = d.blocks() || !unnamed;
        lines.extend(Some(d.sink.line).filter(|_| !kept));
        kept
    });
    (facts, lines)
}

/// Of such memory, which may be an allocatable variable as well.
fn assigned_whole(lines: &BTreeSet<u32>) -> Option<String> {
    let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
    let at = match &lines[..] {
        [] => return None,
        [line] => format!("line {line}"),
        all => format!("lines {}", all.join(", ")),
    };
    Some(format!(
        "iterations write the same memory without a name ({at}): where that is an array which the line assigns as a whole, that belongs into \
         `private`; what the compiler allocates for results in between is each thread's own"
    ))
}

/// A clause with Fortran's names of operators.
fn operators(clause: &str) -> String {
    let names = [("&:", "iand:"), ("|:", "ior:"), ("^:", "ieor:")];
    let known = names.iter().find_map(|(c, fortran)| {
        let list = clause.strip_prefix("reduction(")?.strip_prefix(c)?;
        Some(format!("reduction({fortran}{list}"))
    });
    known.unwrap_or_else(|| clause.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_name_variables_and_dummy_arguments() {
        let reduction = |operator, name: &str, array| Reduction {
            operator,
            name: name.to_owned(),
            line: 1,
            array,
            beside: ReductionObstacle::Nothing,
        };
        for (given, expected) in [
            (reduction("+", "total", false), Some("total")),
            (reduction("max", "*err", false), Some("err")),
            (reduction("+", "hist[]", true), None),
            (reduction("+", "a local variable", false), None),
        ] {
            let name = is_named(&given).then(|| as_named(&given).name);
            assert_eq!(name.as_deref(), expected, "{given:?}");
        }
        let beside = Reduction {
            beside: ReductionObstacle::Read(3),
            ..reduction("+", "total", false)
        };
        assert!(!is_named(&beside));
        assert_eq!(operators("reduction(&:bits)"), "reduction(iand:bits)");
        assert_eq!(operators("private(d)"), "private(d)");
    }
}
