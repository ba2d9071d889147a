//! Lines to write around a loop, where no directive alone would do.

use super::*;

#[test]
fn a_position_alone_takes_lines_that_compute_its_value() {
    let min = BrokenKind::Reduction(Operator::Min);
    let carried = Sharing::Unknown(SharingDoubt::Carried);
    let mut region = region(&[("at", min)], &[("at", VariableKind::Scalar, carried)]);
    region.broken[0].beside = ReductionObstacle::Position;
    source(&mut region).last_line = 9;
    assert_eq!(reductions(&region, None)[0].operator, "argmin");
    let words = advice(&region, RegionClass::DoallReduction);
    assert_eq!(
        (words.pragma, words.proposal, words.patch),
        (None, None, None)
    );
    assert!(
        words
            .needs
            .iter()
            .any(|n| n.starts_with("`at` keeps where the minimum was found"))
    );
    source(&mut region).best = vec![IndexedExtremum {
        value: BestValue::At(vec!["f(v[".into(), "])".into()]),
        is_minimum: true,
        position: "at".into(),
        others: vec!["with".into()],
    }];
    source(&mut region).descends = true;
    let found = advice(&region, RegionClass::DoallReduction);
    assert_eq!(
        (found.pragma, found.certainty),
        (None, Some(Certainty::Complete))
    );
    let patch = found.patch.unwrap();
    assert_eq!(patch.before[1], "    __typeof__(at) parascan_at = at;");
    assert_eq!(
        patch.before[3],
        "    #pragma omp parallel firstprivate(at,with)"
    );
    assert_eq!(
        patch.after[2..6],
        [
            "            if (at != parascan_at && (f(v[at]) < f(v[parascan_at]) ||",
            "                (f(v[at]) == f(v[parascan_at]) && at > parascan_at))) {",
            "                parascan_at = at;",
            "                parascan_with = with;",
        ]
    );
}

#[test]
fn a_position_with_its_maximum_takes_lines_around_the_loop() {
    let max = Sharing::Reduction(Operator::Max);
    let last = Sharing::Unknown(SharingDoubt::Conditional);
    let mut region = region(
        &[("best", BrokenKind::Reduction(Operator::Max))],
        &[
            ("best", VariableKind::Scalar, max),
            ("at", VariableKind::Scalar, last),
            ("t", VariableKind::Scalar, Sharing::Private),
        ],
    );
    let words = advice(&region, RegionClass::DoallReduction);
    assert_eq!((words.pragma, words.patch), (None, None));
    source(&mut region).best = vec![IndexedExtremum {
        value: BestValue::Variable("best".into()),
        is_minimum: false,
        position: "at".into(),
        others: Vec::new(),
    }];
    // Nothing can stand behind it.
    let words = advice(&region, RegionClass::DoallReduction);
    assert_eq!((words.pragma, words.patch), (None, None));
    source(&mut region).last_line = 9;
    let found = advice(&region, RegionClass::DoallReduction);
    assert_eq!((found.pragma, found.proposal), (None, None));
    assert_eq!(found.certainty, Some(Certainty::Complete));
    let patch = found.patch.unwrap();
    assert_eq!(patch.last_line, 9);
    assert_eq!(
        patch.before,
        [
            "{",
            "    __typeof__(best) parascan_best = best;",
            "    __typeof__(at) parascan_at = at;",
            "    #pragma omp parallel firstprivate(best,at)",
            "    {",
            "        #pragma omp for schedule(static) nowait private(t)",
        ]
    );
    assert_eq!(
        patch.after,
        [
            "        #pragma omp critical",
            "        {",
            "            if (best > parascan_best ||",
            "                (best == parascan_best && at < parascan_at)) {",
            "                parascan_best = best;",
            "                parascan_at = at;",
            "            }",
            "        }",
            "    }",
            "    best = parascan_best;",
            "    at = parascan_at;",
            "}",
        ]
    );
    // Of what else is open nothing is said in code.
    source(&mut region).doubts.push(Doubt {
        kind: DoubtKind::Write,
        name: "p".into(),
        line: 7,
    });
    let words = advice(&region, RegionClass::DoallReduction);
    assert_eq!(
        (words.pragma, words.patch, words.certainty),
        (None, None, None)
    );
    assert_eq!(words.needs.len(), 2, "{:?}", words.needs);
}

#[test]
fn members_that_are_reduced_take_lines_around_the_loop() {
    let mut region = region(
        &[
            ("s->n", BrokenKind::Reduction(Operator::Add)),
            ("s->low", BrokenKind::Reduction(Operator::Min)),
            ("own.bits", BrokenKind::Reduction(Operator::And)),
            ("*sum", BrokenKind::Reduction(Operator::Add)),
        ],
        &[(
            "own",
            VariableKind::Record,
            Sharing::Unknown(SharingDoubt::Carried),
        )],
    );
    let reduced = |name: &str, form, members: &[(&str, Operator)]| Reduced {
        name: name.into(),
        form,
        members: members.iter().map(|&(m, o)| (m.into(), o)).collect(),
        watched: false,
    };
    source(&mut region).reduced = vec![
        reduced(
            "s",
            Form::Pointer,
            &[("n", Operator::Add), ("low", Operator::Min)],
        ),
        reduced("own", Form::Named, &[("bits", Operator::And)]),
        reduced("sum", Form::Pointer, &[("", Operator::Add)]),
    ];
    source(&mut region).doubts = vec![Doubt {
        kind: DoubtKind::Write,
        name: "s".into(),
        line: 7,
    }];
    // Nothing can stand behind it.
    let words = advice(&region, RegionClass::DoallReduction);
    assert_eq!(
        (words.pragma, words.patch, words.proposal),
        (None, None, None)
    );
    source(&mut region).last_line = 9;
    let patch = advice(&region, RegionClass::DoallReduction).patch.unwrap();
    assert_eq!(
        patch.before,
        [
            "{",
            "    if (s) {",
            "        __typeof__(*s) parascan_s = *s;",
            "        __typeof__(own) parascan_own = own;",
            "        #pragma omp parallel firstprivate(own)",
            "        {",
            "            __typeof__(*s) parascan_own_s[1] = {*s};",
            "            __typeof__(parascan_own_s[0]) *s = parascan_own_s;",
            "            s->n = 0;",
            "            own.bits = ~0;",
            "            #pragma omp for nowait reduction(+:sum[:1])",
        ]
    );
    assert_eq!(
        patch.after,
        [
            "            #pragma omp critical",
            "            {",
            "                parascan_s.n += s->n;",
            "                if (s->low < parascan_s.low) parascan_s.low = s->low;",
            "                parascan_own.bits &= own.bits;",
            "            }",
            "        }",
            "        s->n = parascan_s.n;",
            "        s->low = parascan_s.low;",
            "        own.bits = parascan_own.bits;",
            "    }",
            "}",
        ]
    );
    // Whether others lead there, only a run can show.
    source(&mut region).reduced[0].watched = true;
    let words = advice(&region, RegionClass::DoallReduction);
    assert_eq!(
        (words.pragma, words.patch, words.proposal),
        (None, None, None)
    );
}

#[test]
fn an_index_that_is_used_behind_its_loop_is_set_in_front_of_it() {
    let after = Sharing::Unknown(SharingDoubt::IndexAfter);
    let mut region = region(&[], &[("i", VariableKind::Scalar, after)]);
    let words = advice(&region, RegionClass::Doall);
    assert_eq!((words.pragma, words.patch), (None, None));
    assert_eq!(
        words.proposal.as_deref(),
        Some("#pragma omp parallel for lastprivate(i)")
    );
    source(&mut region).last_line = 9;
    source(&mut region).start = "n - 1".into();
    let patch = advice(&region, RegionClass::Doall).patch.unwrap();
    assert_eq!(
        patch.before,
        [
            "{",
            "    i = n - 1;",
            "    #pragma omp parallel for lastprivate(i)",
        ]
    );
    assert_eq!(patch.after, ["}"]);
}
