//! Clauses that give threads copies: arrays, what is only read, what is too large.

use super::*;

/// A loop that updates elements of `h`, of this length, by this operator.
fn histogram(operator: Operator, length: &str, elements: u64) -> RegionStatic {
    let mut region = region(&[("h[]", BrokenKind::ArrayReduction(operator))], &[]);
    let source = source(&mut region);
    source.last_line = 9;
    source.arrays = vec![ReducedArray {
        name: "h".into(),
        operator,
        length: length.into(),
        elements,
    }];
    region
}

#[test]
fn an_array_behind_a_pointer_is_a_section_where_copies_fit_stacks() {
    let found = advice(
        &histogram(Operator::Add, "256", 256),
        RegionClass::DoallReduction,
    );
    let clause = "#pragma omp parallel for reduction(+:h[:256])";
    assert_eq!(found.pragma.as_deref(), Some(clause));
    assert_eq!(found.certainty, Some(Certainty::Complete));
    let large = advice(
        &histogram(Operator::Add, "10001", 10_001),
        RegionClass::DoallReduction,
    );
    assert_eq!(large.pragma, None);
    assert!(large.patch.is_some());
    // Nothing is known of how long it is.
    let mut unknown = histogram(Operator::Add, "", 0);
    source(&mut unknown).arrays.clear();
    source(&mut unknown).doubts = vec![Doubt {
        kind: DoubtKind::Write,
        name: "h".into(),
        line: 5,
    }];
    let words = advice(&unknown, RegionClass::DoallReduction);
    assert_eq!(
        (words.pragma, words.patch, words.proposal),
        (None, None, None)
    );
}

#[test]
fn an_array_of_any_length_takes_copies_on_the_heap() {
    let region = histogram(Operator::And, "n + 1", 0);
    let found = advice(&region, RegionClass::DoallReduction);
    assert_eq!((found.pragma, found.proposal), (None, None));
    assert!(
        found.hints[0].contains("`n + 1` elements of `h`"),
        "{:?}",
        found.hints
    );
    let patch = found.patch.unwrap();
    assert_eq!(
        patch.before,
        [
            "{",
            "    __typeof__(*h) *parascan_h = h;",
            "    #pragma omp parallel",
            "    {",
            "        __typeof__(*h) *parascan_own_h = (__typeof__(*h) *)__builtin_malloc((n + 1) * sizeof(*h));",
            "        for (__typeof__((n + 1) + 0) parascan_at_h = 0; parascan_at_h < n + 1; parascan_at_h++)",
            "            parascan_own_h[parascan_at_h] = ~0;",
            "        __typeof__(parascan_own_h[0]) *h = parascan_own_h;",
            "        #pragma omp for nowait",
        ]
    );
    assert_eq!(
        patch.after,
        [
            "        #pragma omp critical",
            "        {",
            "            for (__typeof__((n + 1) + 0) parascan_at_h = 0; parascan_at_h < n + 1; parascan_at_h++)",
            "                parascan_h[parascan_at_h] &= h[parascan_at_h];",
            "        }",
            "        __builtin_free(parascan_own_h);",
            "    }",
            "}",
        ]
    );
    // Where lines cannot be added, or in Cilk, words say it.
    let mut on_one_line = region.clone();
    source(&mut on_one_line).last_line = 0;
    let words = advice(&on_one_line, RegionClass::DoallReduction);
    assert_eq!((words.patch, words.proposal), (None, None));
    assert!(words.needs[0].contains("`h[]`") && words.hints.is_empty());
    let reductions = reductions(&region, None);
    let cilk = advise(
        &region,
        RegionClass::DoallReduction,
        &reductions,
        None,
        false,
        Dialect::Cilk,
    );
    assert_eq!((cilk.pragma, cilk.patch), (None, None));
}

/// Copies of what a loop only reads are a clause of their own, and not in lines around it, where threads have other
/// variables of these names.
#[test]
fn what_bytes_might_change_is_copied() {
    let mut plain = region(&[], &[]);
    source(&mut plain).captured = vec!["to".into(), "n".into()];
    let found = advice(&plain, RegionClass::Doall);
    let pragma = "#pragma omp parallel for firstprivate(to,n)";
    assert_eq!(found.pragma.as_deref(), Some(pragma));
    assert_eq!(found.certainty, Some(Certainty::Complete));
    assert!(found.hints[0].contains("vectorized"), "{:?}", found.hints);
    let cilk = advise(&plain, RegionClass::Doall, &[], None, false, Dialect::Cilk);
    assert_eq!(cilk.pragma.as_deref(), Some("cilk_for"));
    assert!(cilk.needs.is_empty() && cilk.hints.is_empty());
}

/// Copies of arrays take space on stacks: said from 10,000 elements on, and a risk from 65,536 on, all together.
#[test]
fn large_copies_are_said_and_larger_ones_are_no_code() {
    let of = |arrays: &[(&str, u64)]| {
        let private = |&(name, elements)| (name, VariableKind::Array(elements), Sharing::Private);
        let variables: Vec<_> = arrays.iter().map(private).collect();
        advice(&region(&[], &variables), RegionClass::Doall)
    };
    let small = of(&[("t", 10_000)]);
    assert!(small.pragma.is_some() && small.hints.is_empty());
    let large = of(&[("t", 65_536)]);
    let pragma = "#pragma omp parallel for private(t)";
    assert_eq!(large.pragma.as_deref(), Some(pragma));
    assert!(large.hints[0].contains("65,536 elements of `t` on its stack"));
    for arrays in [&[("t", 65_537)][..], &[("t", 65_000), ("u", 600)]] {
        let found = of(arrays);
        assert_eq!(found.pragma, None);
        assert!(found.needs[0].ends_with("on its stack: check that they fit"));
    }
}
