//! Which loops of a nest a directive runs as one, and what the plan counts for that, on hand-made profiles.

use parascan_analysis::plan::{PlanOptions, RejectionReason};
use parascan_formats::module::{BrokenDependence, BrokenKind, Operator};
use parascan_formats::profile::Profile;
use parascan_formats::source::{Sharing, SharingDoubt, Variable, VariableKind};
use parascan_formats::synthetic::{SyntheticProgram, node};

use crate::common::plans::{lines, planned, reason, row};

/// A perfect nest of loops of so many iterations, of which the innermost one's are of this length; the outermost is on
/// line 2, the next on 3.
fn nest_of(counts: &[u64], length: u64, change: impl Fn(&mut SyntheticProgram, &[u32])) -> Profile {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let mut around = main;
    let (mut loops, mut steps) = (Vec::new(), Vec::new());
    for (line, index) in (2..).zip(["i", "j", "k", "l", "m"]).take(counts.len()) {
        let (region, step) = program.add_loop(around, line..=9);
        let source = program.fixed(region).source.as_mut().unwrap();
        source.index = Some(index.to_owned());
        let inside = line + 1..2 + counts.len() as u32;
        source.nest = inside.map(|line| (line, 3)).collect();
        loops.push(region);
        steps.push(step);
        around = step;
    }
    change(&mut program, &loops);
    let mut body = Vec::new();
    for level in (0..counts.len()).rev() {
        let step = node(
            steps[level],
            if body.is_empty() { length } else { 0 },
            length,
            body,
        );
        body = vec![node(loops[level], 0, length, [step.times(counts[level])])];
    }
    program.build([node(main, 0, length, body)])
}

/// The same of two loops, the inner one of 1,000 iterations.
fn nest(rows: u64, length: u64, change: impl Fn(&mut SyntheticProgram, u32, u32)) -> Profile {
    nest_of(&[rows, 1000], length, |program, loops| {
        change(program, loops[0], loops[1]);
    })
}

/// The directive for the outermost loop.
fn directive(profile: &Profile) -> String {
    let pragma = row(profile, 2).pragma.unwrap_or_default();
    let words = pragma.strip_prefix("#pragma omp parallel for");
    words.unwrap_or("none").trim().to_owned()
}

/// As many loops as have iterations enough: fewer where each iteration is a loop itself, since another division would
/// cost more than it brings.
#[test]
fn a_directive_runs_as_many_loops_as_it_takes() {
    for (counts, length, wanted) in [
        (&[2, 3, 1000][..], 110, "collapse(3)"),
        (&[2, 3, 1000], 90, ""),
        (&[2, 3, 10], 110, ""),
        (&[4, 5, 1000], 110, "collapse(2)"),
        (&[4, 5, 10], 110, "collapse(2)"),
        (&[4, 5, 10], 90, ""),
        (&[4, 50, 10], 90, "collapse(2)"),
        (&[7, 1000, 3], 20, "collapse(2)"),
        (&[8, 5, 1000], 110, ""),
        (&[2, 2, 1000, 1000], 20, "collapse(3)"),
        (&[2, 3, 3, 1000], 110, "collapse(3)"),
        (&[2, 3, 3, 5, 40], 30, "collapse(4)"),
        (&[2, 3, 3, 5, 40], 20, "collapse(3)"),
    ] {
        let profile = nest_of(counts, length, |_, _| ());
        assert_eq!(directive(&profile), wanted, "{counts:?} of {length}");
    }
}

/// What the plan counts for three loops is what they have together.
#[test]
fn the_plan_counts_all_loops_that_a_directive_runs() {
    let profile = nest_of(&[2, 3, 1000], 110, |_, _| ());
    let plan = planned(&profile, &PlanOptions::default());
    assert_eq!(lines(&plan), [2]);
    let entry = &plan.entries[0];
    assert!((entry.self_parallelism.unwrap() - 6000.0).abs() < 1e-6);
    assert!((entry.speedup - 6000.0).abs() < 1e-6 && entry.speedup == plan.speedup);
    for line in [3, 4] {
        let reason = reason(&plan, line);
        assert!(
            matches!(reason, RejectionReason::Inside(_)),
            "{line}: {reason:?}"
        );
    }
    assert_eq!(row(&profile, 2).self_parallelism, Some(2.0));
}

/// Of loops that the source does not show to be one nest with the outermost, or that are not parallel, none is run with
/// it.
#[test]
fn a_nest_ends_where_the_source_or_the_run_ends_it() {
    type Change = fn(&mut SyntheticProgram, &[u32]);
    let found = |counts: &[u64], change: Change| directive(&nest_of(counts, 110, change));
    let source: Change = |program, loops| {
        let source = program.fixed(loops[0]).source.as_mut();
        source.unwrap().nest.pop();
    };
    let elsewhere: Change = |program, loops| {
        let source = program.fixed(loops[0]).source.as_mut();
        source.unwrap().nest[1] = (7, 3);
    };
    let carried: Change = |program, loops| program.carries(loops[2]);
    for change in [source, elsewhere, carried] {
        assert_eq!(found(&[2, 3, 1000], change), "");
        assert_eq!(found(&[4, 5, 1000], change), "collapse(2)");
    }
    let middle: Change = |program, loops| program.carries(loops[1]);
    assert_eq!(found(&[4, 5, 1000], middle), "");
    // The middle one's own directive may run the innermost one.
    let of_middle = nest_of(&[2, 3, 1000], 110, source);
    let pragma = row(&of_middle, 3).pragma.unwrap();
    assert!(pragma.ends_with("collapse(2)"), "{pragma}");
}

/// A directive runs two loops as one where the outer one has few iterations, and these are long; the plan counts both.
#[test]
fn perfect_nests_of_few_iterations_run_as_one() {
    let advice = |rows, length, change: &dyn Fn(&mut SyntheticProgram, u32, u32)| {
        let row = row(&nest(rows, length, change), 2);
        let hint = row.hints.iter().any(|h| h.contains("`collapse(2)`"));
        (row.pragma.unwrap_or_default(), hint)
    };
    let one = "#pragma omp parallel for collapse(2)";
    let two = ("#pragma omp parallel for".to_owned(), true);
    assert_eq!(advice(6, 90, &|_, _, _| ()), (one.to_owned(), false));
    assert_eq!(advice(8, 90, &|_, _, _| ()), two, "enough iterations");
    assert_eq!(advice(6, 20, &|_, _, _| ()), two, "short ones");
    let imperfect = |program: &mut SyntheticProgram, outer: u32, _: u32| {
        program.fixed(outer).source.as_mut().unwrap().nest.clear();
    };
    assert_eq!(advice(6, 90, &imperfect), two);
    let elsewhere = |program: &mut SyntheticProgram, outer: u32, _: u32| {
        program.fixed(outer).source.as_mut().unwrap().nest = vec![(4, 3)];
    };
    assert_eq!(advice(6, 90, &elsewhere), two);

    let profile = nest(6, 90, |_, _, _| ());
    let plan = planned(&profile, &PlanOptions::default());
    assert_eq!(lines(&plan), [2]);
    let entry = &plan.entries[0];
    assert!((entry.self_parallelism.unwrap() - 6000.0).abs() < 1e-6);
    assert!((entry.speedup - 6000.0).abs() < 1e-6 && entry.speedup == plan.speedup);
    let four = PlanOptions {
        cores: Some(4),
        ..PlanOptions::default()
    };
    assert!((planned(&profile, &four).on_cores[0] - 4.0).abs() < 1e-9);
    assert!(
        matches!(reason(&plan, 3), RejectionReason::Inside(_)),
        "{:?}",
        reason(&plan, 3)
    );
    // Each loop by itself stays what it is.
    assert_eq!(row(&profile, 2).self_parallelism, Some(6.0));
}

/// Numbers of these names.
fn variables(all: &[(&str, Sharing)]) -> Vec<Variable> {
    let one = |&(name, sharing): &(&str, Sharing)| Variable {
        name: name.to_owned(),
        line: 1,
        global: false,
        shape: VariableKind::Scalar,
        sharing,
        at: 4,
    };
    all.iter().map(one).collect()
}

/// What the two loops share must be treated alike by both directives.
#[test]
fn nests_whose_loops_share_variables_otherwise_do_not_run_as_one() {
    let pragma = |of_outer: &[(&str, Sharing)], of_inner: &[(&str, Sharing)]| {
        let profile = nest(6, 90, |program, outer, inner| {
            for (region, all) in [(outer, of_outer), (inner, of_inner)] {
                let fixed = program.fixed(region);
                for &(name, sharing) in all {
                    if let Sharing::Reduction(operator) = sharing {
                        let kind = BrokenKind::Reduction(operator);
                        fixed.broken.push(BrokenDependence::new(name, kind, 4));
                    }
                }
                fixed.source.as_mut().unwrap().variables = variables(all);
            }
        });
        row(&profile, 2).pragma.unwrap_or_default()
    };
    use Sharing::{FirstPrivate, Index, LastPrivate, Private, Reduction, Unknown};
    let (i, j, t) = (("i", Index), ("j", Index), ("t", Private));
    let sum = ("s", Reduction(Operator::Add));
    let plain = "#pragma omp parallel for collapse(2)";
    let clauses = format!("{plain} private(t) reduction(+:s)");
    let of_j = ("j", Private);
    assert_eq!(pragma(&[i, of_j, t, sum], &[j, t, sum]), clauses);
    assert_eq!(pragma(&[i, of_j], &[j]), plain);
    // Of an array each inner iteration may have its own element.
    assert_eq!(pragma(&[i, sum], &[j]), format!("{plain} reduction(+:s)"));
    for (of_outer, of_inner) in [
        (vec![i, of_j, t], vec![j]),
        (vec![i, of_j], vec![j, t]),
        (vec![i, of_j], vec![j, sum]),
        (vec![i, of_j, ("s", Reduction(Operator::Mul))], vec![j, sum]),
        (vec![i, ("j", LastPrivate)], vec![j]),
        (vec![i, of_j, ("t", LastPrivate)], vec![j, t]),
        (vec![i, of_j, t], vec![j, ("t", FirstPrivate)]),
        (
            vec![i, of_j],
            vec![("j", Unknown(SharingDoubt::IndexAfter))],
        ),
        (vec![i, ("j", Unknown(SharingDoubt::Escapes))], vec![j]),
    ] {
        let found = pragma(&of_outer, &of_inner);
        assert!(
            !found.contains("collapse"),
            "{of_outer:?} {of_inner:?}: {found}"
        );
    }
}

/// Every loop of a nest must treat variables as the others do.
#[test]
fn all_loops_of_a_nest_share_variables_alike() {
    use Sharing::{Index, LastPrivate, Private, Reduction, Unknown};
    let found = |of_loops: [&[(&str, Sharing)]; 3]| {
        directive(&nest_of(&[2, 3, 1000], 110, |program, loops| {
            for (&region, all) in loops.iter().zip(of_loops) {
                let fixed = program.fixed(region);
                fixed.source.as_mut().unwrap().variables = variables(all);
                for &(name, sharing) in all {
                    if let Reduction(operator) = sharing {
                        let kind = BrokenKind::Reduction(operator);
                        fixed.broken.push(BrokenDependence::new(name, kind, 4));
                    }
                }
            }
        }))
    };
    let (i, j, k, t) = (("i", Index), ("j", Index), ("k", Index), ("t", Private));
    let (of_j, of_k) = (("j", Private), ("k", Private));
    let sum = ("s", Reduction(Operator::Add));
    let outside = [
        &[i, of_j, of_k, t, sum][..],
        &[j, of_k, t, sum],
        &[k, t, sum],
    ];
    assert_eq!(found(outside), "collapse(3) private(t) reduction(+:s)");
    assert_eq!(found([&[i], &[j], &[k]]), "collapse(3)");
    // Of an array each iteration of the inner loops may have its own element.
    let summed = "collapse(3) reduction(+:s)";
    assert_eq!(found([&[i, sum], &[j, sum], &[k]]), summed);
    assert_eq!(found([&[i, sum], &[j], &[k]]), summed);
    for of_loops in [
        [&[i, of_j, of_k, t][..], &[j, of_k, t], &[k]],
        [&[i, of_j, of_k], &[j, of_k], &[k, t]],
        [&[i, of_j, of_k], &[j, of_k, t], &[k, t]],
        [&[i, of_j, of_k, sum], &[j, of_k], &[k, sum]],
        [
            &[i, of_j, of_k, ("s", Reduction(Operator::Mul))],
            &[j, of_k, sum],
            &[k, sum],
        ],
        [&[i, of_j, ("k", LastPrivate)], &[j, of_k], &[k]],
        [&[i, of_j, of_k], &[j, ("k", LastPrivate)], &[k]],
        [&[i, of_j], &[j, of_k], &[k]],
        [&[i, of_j, of_k], &[j], &[k]],
        [
            &[i, of_j, of_k],
            &[j, of_k],
            &[("k", Unknown(SharingDoubt::IndexAfter))],
        ],
        [&[i, of_j, of_k, t], &[j, of_k, t], &[k, ("t", LastPrivate)]],
    ] {
        let found = found(of_loops);
        assert!(!found.contains("collapse"), "{of_loops:?}: {found}");
    }
}
