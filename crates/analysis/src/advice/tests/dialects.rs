//! Vectors of one thread, tasks, Cilk and Fortran.

use super::*;

/// Numbers alone may be private or reduced; nothing is code where iterations may keep something in memory, or nobody
/// looked.
#[test]
fn vectors_have_copies_of_numbers_alone() {
    let advise = |r: &RegionStatic| advice_in(Dialect::Simd, r);
    let number = ("t", VariableKind::Scalar, Sharing::Private);
    let sum = ("s", VariableKind::Scalar, Sharing::Reduction(Operator::Add));
    let reduced = [("s", BrokenKind::Reduction(Operator::Add))];
    let looked_at =
        |broken: &[(&str, BrokenKind)], variables: &[(&str, VariableKind, Sharing)]| RegionStatic {
            writes_to_frame: Some(false),
            ..region(broken, variables)
        };
    let good = looked_at(&reduced, &[number, sum]);
    let found = advise(&good);
    assert_eq!(
        found.pragma.as_deref(),
        Some("#pragma omp simd private(t) reduction(+:s)")
    );
    assert_eq!(found.certainty, Some(Certainty::Complete));
    for state in [None, Some(true)] {
        let found = advise(&RegionStatic {
            writes_to_frame: state,
            ..good.clone()
        });
        assert_eq!(
            (found.pragma, found.proposal, found.certainty),
            (None, None, None)
        );
        assert!(
            found.needs[0].contains("in memory of their own"),
            "{:?}",
            found.needs
        );
    }
    let histogram = [("h[]", BrokenKind::ArrayReduction(Operator::Add))];
    let of_arrays = [
        looked_at(&[], &[("a", VariableKind::Array(4), Sharing::Private)]),
        looked_at(&[], &[("r", VariableKind::Record, Sharing::Private)]),
        looked_at(&[], &[("a", VariableKind::Array(4), Sharing::FirstPrivate)]),
        looked_at(
            &histogram,
            &[(
                "h",
                VariableKind::Array(16),
                Sharing::Reduction(Operator::Add),
            )],
        ),
    ];
    for region in of_arrays {
        assert!(
            advice(&region, RegionClass::DoallReduction)
                .pragma
                .is_some()
        );
        let found = advise(&region);
        assert_eq!((found.pragma, found.proposal), (None, None));
        assert!(
            found.needs.iter().any(|n| n.contains("wrong results")),
            "{:?}",
            found.needs
        );
    }
    // Of which clang makes vectors only where no number is NaN, or by itself.
    let least = Sharing::Reduction(Operator::Min);
    let least = looked_at(
        &[("m", BrokenKind::Reduction(Operator::Min))],
        &[("m", VariableKind::Scalar, least)],
    );
    let found = advise(&least);
    assert_eq!(
        (found.pragma, found.proposal.as_deref(), found.certainty),
        (
            None,
            Some("#pragma omp simd reduction(min:m)"),
            Some(Certainty::Unchecked)
        )
    );
    assert!(
        found.needs[0].contains("-fno-signed-zeros"),
        "{:?}",
        found.needs
    );
    // The index is its own, wherever it was declared.
    let last = ("i", VariableKind::Scalar, Sharing::LastPrivate);
    let found = advise(&looked_at(&[], &[last, number]));
    assert_eq!(found.pragma.as_deref(), Some("#pragma omp simd private(t)"));
    let mut index = looked_at(&[], &[("i", VariableKind::Scalar, Sharing::Index)]);
    assert_eq!(advise(&index).pragma.as_deref(), Some("#pragma omp simd"));
    // Threads get copies of what is only read; vectors need none.
    source(&mut index).captured = vec!["n".into()];
    assert_eq!(advise(&index).pragma.as_deref(), Some("#pragma omp simd"));
}

#[test]
fn cilk_has_no_clauses() {
    let advise = |r: &RegionStatic| advice_in(Dialect::Cilk, r);
    assert_eq!(
        advise(&region(&[], &[])).pragma.as_deref(),
        Some("cilk_for")
    );
    let found = advise(&region(
        &[],
        &[("j", VariableKind::Scalar, Sharing::Private)],
    ));
    assert_eq!(
        (found.pragma, found.proposal.as_deref()),
        (None, Some("cilk_for"))
    );
    assert!(found.needs[0].contains("private(j)"));
    // Nor has it OpenMP's waiting for an earlier iteration.
    let waits = |dialect| {
        let doacross = RegionClass::Doacross;
        super::advise(&region(&[], &[]), doacross, &[], None, false, dialect)
            .needs
            .join(" ")
    };
    assert!(waits(Dialect::Openmp).contains("depend(sink:"));
    let cilk = waits(Dialect::Cilk);
    assert!(
        cilk.contains("split them off") && !cilk.contains("omp"),
        "{cilk}"
    );
    // OpenMP makes an index from outside private; a `cilk_for` declares its own.
    let found = advise(&region(&[], &[("i", VariableKind::Scalar, Sharing::Index)]));
    assert_eq!(
        (found.pragma, found.proposal.as_deref()),
        (None, Some("cilk_for"))
    );
    assert_eq!(found.needs, ["declare the index `i` in the loop"]);
}

/// What a `taskloop` without iterations would overwrite.
#[test]
fn tasks_set_nothing_behind_the_loop() {
    let advise = |sharing| {
        let region = region(&[], &[("t", VariableKind::Scalar, sharing)]);
        advice_in(Dialect::Tasks, &region).pragma
    };
    assert_eq!(
        advise(Sharing::Private).as_deref(),
        Some("#pragma omp parallel masked taskloop default(shared) private(t)")
    );
    assert_eq!(
        advise(Sharing::LastPrivate).as_deref(),
        Some("#pragma omp parallel for lastprivate(t)")
    );
}

/// What this loop would be in Fortran.
fn in_fortran(region: RegionStatic) -> RegionStatic {
    RegionStatic {
        file: "f.f90".into(),
        ..region
    }
}

#[test]
fn fortran_has_proposals_in_its_own_words() {
    let max = BrokenKind::Reduction(Operator::Max);
    let bits = BrokenKind::Reduction(Operator::And);
    let broken = [("*err", max), ("bits", bits)];
    // To flang a dummy argument is a pointer, whose address its accesses take.
    let argument = Sharing::Unknown(SharingDoubt::Escapes);
    let variables = [
        ("d", VariableKind::Scalar, Sharing::Private),
        ("err", VariableKind::Pointer, argument),
    ];
    let region = in_fortran(region(&broken, &variables));
    let advice = advice_in(Dialect::Openmp, &region);
    assert_eq!(
        advice.proposal.as_deref(),
        Some("!$omp parallel do private(d) reduction(max:err) reduction(iand:bits)")
    );
    assert_eq!((advice.pragma, advice.patch), (None, None));
    assert_eq!(advice.certainty, Some(Certainty::Unchecked));
    let simd = advice_in(Dialect::Simd, &region).proposal;
    assert!(simd.is_some_and(|p| p.starts_with("!$omp simd private(d)")));
}

#[test]
fn fortran_without_a_do_statement_is_in_words() {
    let mut assignment = in_fortran(region(&[], &[]));
    assignment.source = None;
    let advice = advice_in(Dialect::Openmp, &assignment);
    assert!(advice.proposal.is_none() && advice.needs[0].contains("workshare"));
}

/// What stands behind the last column that compilers read would be lost.
#[test]
fn long_directives_of_fortran_are_to_be_broken() {
    let names: Vec<String> = (0..20).map(|n| format!("temporary{n}")).collect();
    for (file, most, next) in [("a.f", 72, "`!$omp&`"), ("a.f90", 132, "`&`")] {
        for count in 1..names.len() {
            let private = names[..count].iter();
            let private = private.map(|n| (&**n, VariableKind::Scalar, Sharing::Private));
            let mut loops = in_fortran(region(&[], &private.collect::<Vec<_>>()));
            loops.file = file.into();
            let advice = advice_in(Dialect::Openmp, &loops);
            let long = advice.proposal.unwrap_or_default().len() > most;
            let said = advice
                .needs
                .iter()
                .any(|n| n.contains("break the directive") && n.contains(next));
            assert_eq!(said, long, "{file}, {count} names: {:?}", advice.needs);
        }
    }
}

#[test]
fn cilk_says_nothing_of_fortran() {
    let region = in_fortran(region(&[], &[]));
    for class in [RegionClass::Doall, RegionClass::Task, RegionClass::Doacross] {
        let advice = advise(&region, class, &[], None, false, Dialect::Cilk);
        assert_eq!(advice.proposal, None);
        assert!(advice.needs.len() == 1 && advice.needs[0].starts_with("Cilk is for C"));
    }
}

/// `ordered` belongs to loops of OpenMP: tasks, vectors, devices and Cilk have none.
#[test]
fn loops_that_wait_have_no_ordered_where_the_target_has_none() {
    let mut facts = LoopFacts::default();
    let mut carried = dependence(DependenceKind::Flow, "s");
    carried.remedies = vec![evidence::Remedy {
        code: "pipeline",
        text: "wait under `ordered`".into(),
        elsewhere: Some("wait".into()),
    }];
    facts.dependences = vec![carried];
    for (dialect, has) in [
        (Dialect::Openmp, true),
        (Dialect::Pipeline, true),
        (Dialect::Cilk, false),
        (Dialect::Tasks, false),
        (Dialect::Simd, false),
        (Dialect::Gpu, false),
    ] {
        for file in ["f.c", "f.f90"] {
            let mut waiting = region(&[], &[]);
            waiting.file = file.into();
            for evidence in [None, Some(&facts)] {
                let class = RegionClass::Doacross;
                let needs = advise(&waiting, class, &[], evidence, false, dialect).needs;
                let named = needs.iter().any(|text| text.contains("ordered"));
                assert_eq!(named, has, "{dialect:?} {file}: {needs:?}");
            }
        }
    }
}
