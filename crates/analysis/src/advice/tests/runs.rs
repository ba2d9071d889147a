//! What a run that looked at every access settles, and what it cannot.

use super::*;

/// What only the text can show no run settles.
#[test]
fn evidence_does_not_settle_what_it_cannot_see() {
    let mut loops = region(
        &[("bins", BrokenKind::ArrayReduction(Operator::Add))],
        &[
            ("t", VariableKind::Scalar, Sharing::LastPrivate),
            (
                "bins",
                VariableKind::Array(64),
                Sharing::Reduction(Operator::Add),
            ),
        ],
    );
    let mut facts = LoopFacts {
        instances: 1,
        iterations: 9,
        ..LoopFacts::default()
    };
    let directive = "#pragma omp parallel for lastprivate(t) reduction(+:bins)".to_owned();
    let settled = |loops: &RegionStatic, facts: &LoopFacts| {
        observed(loops, RegionClass::DoallReduction, facts).pragma
    };
    let doubt = |kind, name: &str| Doubt {
        kind,
        name: name.to_owned(),
        line: 3,
    };
    for (open, closed) in [
        // The copy of a variable is not what a pointer leads to; elements of an array are not read in the iteration
        // that updates them.
        (
            doubt(DoubtKind::Overlap, "p, t"),
            doubt(DoubtKind::Overlap, "bins, p"),
        ),
        (
            doubt(DoubtKind::ThreadLocal, "scale"),
            doubt(DoubtKind::Call, "scale<int, double>"),
        ),
        (
            doubt(DoubtKind::Sets, "lgamma"),
            doubt(DoubtKind::Call, "gamma"),
        ),
        (
            doubt(DoubtKind::Leaves, "longjmp"),
            doubt(DoubtKind::Call, "jump"),
        ),
        // Neighbours share a word, whichever elements the run wrote.
        (
            doubt(DoubtKind::Call, "_Bit_reference::operator="),
            doubt(DoubtKind::Call, "_Bit_reference::operator bool"),
        ),
        (
            doubt(DoubtKind::Call, "bitset<64000UL>::set"),
            doubt(DoubtKind::Call, "bitset<64000UL>::test"),
        ),
    ] {
        source(&mut loops).doubts = vec![closed];
        assert_eq!(
            settled(&loops, &facts),
            Some(directive.clone()),
            "{:?}",
            loops.source
        );
        source(&mut loops).doubts.push(open);
        assert_eq!(settled(&loops, &facts), None, "{:?}", loops.source);
    }
    // A write counts as seen under its own name only: others on its line say nothing of it.
    source(&mut loops).doubts = vec![doubt(DoubtKind::Write, "q")];
    let place = dependence(DependenceKind::Output, "").source;
    let here = evidence::SourcePlace {
        line: 3,
        function: loops.function.clone(),
        ..place
    };
    facts.written.insert((here.clone(), "b[]".into()));
    assert_eq!(settled(&loops, &facts), None);
    facts.written.insert((here.clone(), "*q".into()));
    assert_eq!(
        settled(&loops, &facts),
        None,
        "one iteration says nothing of two"
    );
    facts.again.insert((here.clone(), "*q".into()));
    assert_eq!(settled(&loops, &facts), Some(directive.clone()));
    // What did not run, as far as it may be what the doubt is about.
    source(&mut loops).doubts = vec![doubt(DoubtKind::Meets, "q")];
    assert_eq!(settled(&loops, &facts), Some(directive.clone()));
    let known = source(&mut loops).variables[0].name.clone();
    let unreached = |name: &str| evidence::UnreachedAccess {
        hidden: false,
        writes: false,
        name: name.into(),
    };
    let other = (here.clone(), unreached(&format!("{known}[]")));
    facts.unreached.insert(other);
    assert_eq!(settled(&loops, &facts), Some(directive), "another variable");
    facts.unreached.insert((here, unreached("q[]")));
    assert_eq!(settled(&loops, &facts), None);
}

/// What is read behind the loop must not be lost with the copies.
#[test]
fn what_stays_is_to_be_kept() {
    let doubt = Sharing::Unknown(SharingDoubt::Global);
    let loops = region(&[], &[("last", VariableKind::Scalar, doubt)]);
    for (sharing, end) in [
        (evidence::Sharing::Private, ": give every iteration its own"),
        (
            evidence::Sharing::Lastprivate,
            "that is read after the loop",
        ),
    ] {
        let facts = LoopFacts {
            instances: 1,
            iterations: 9,
            dependences: vec![dependence(DependenceKind::Output, "last")],
            objects: vec![evidence::Object {
                name: "last".into(),
                array: false,
                sharing,
            }],
            ..LoopFacts::default()
        };
        let needs = observed(&loops, RegionClass::Doall, &facts).needs;
        assert!(needs.iter().any(|n| n.ends_with(end)), "{needs:?}");
    }
}

/// What a loop whose iterations wait for each other needs is what was observed that they wait for.
#[test]
fn what_waits_gets_the_remedies_of_what_it_waits_for() {
    let mut plain = region(
        &[],
        &[(
            "s",
            VariableKind::Scalar,
            Sharing::Unknown(SharingDoubt::Carried),
        )],
    );
    let needs = |region: &RegionStatic, facts: Option<&LoopFacts>, by_control| {
        advise(
            region,
            RegionClass::Doacross,
            &[],
            facts,
            by_control,
            Dialect::Openmp,
        )
        .needs
    };
    source(&mut plain).step = 1;
    let unseen = needs(&plain, None, false);
    assert!(unseen[0].contains("`s` can carry a value"));
    assert!(unseen[1].contains("depend(sink: i - 1)` before them"));
    let mut facts = LoopFacts::default();
    let mut carried = dependence(DependenceKind::Flow, "s");
    carried.remedies = vec![evidence::Remedy {
        code: "scan",
        text: "a scan".into(),
        elsewhere: None,
    }];
    facts.dependences = vec![carried.clone(), carried];
    assert_eq!(needs(&plain, Some(&facts), false), ["a scan"]);
    // Where it is whether there is another iteration, nothing waits for memory.
    let ends = needs(&plain, None, true);
    assert!(ends.len() == 1 && ends[0].contains("number of iterations be known"));
    source(&mut plain).obstacles.push(Obstacle {
        kind: ObstacleKind::Exit,
        name: String::new(),
        line: 9,
    });
    assert!(needs(&plain, None, true)[0].contains("left before its end (line 9)"));
    assert!(!needs(&plain, None, false)[1].contains("ordered"));
}

#[test]
fn functions_behind_pointers_are_hinted_at_as_others_are() {
    let facts = LoopFacts {
        instances: 1,
        iterations: 9,
        ..LoopFacts::default()
    };
    let answer = |name: &str| {
        let mut loops = region(&[], &[]);
        source(&mut loops).doubts.push(Doubt {
            kind: DoubtKind::Call,
            name: name.into(),
            line: 7,
        });
        let open = advice(&loops, RegionClass::Doall).needs.join("; ");
        let code = observed(&loops, RegionClass::Doall, &facts);
        assert_eq!(code.certainty, Some(Certainty::Observed));
        assert!(code.hints.is_empty(), "said once");
        (open, code.unproved.unwrap())
    };
    let pairs = [
        ("f", "`f`"),
        ("*op", "the functions called through `op`"),
        (
            "*",
            "the functions called through pointers (or virtual ones)",
        ),
    ];
    for (name, words) in pairs {
        let (open, hint) = answer(name);
        assert!(open.ends_with(&format!("in {words} (line 7)")), "{open}");
        let known = format!("not proved: with others {words} may do more than in this run (count");
        assert!(hint.contains(&known), "{hint}");
    }
}

#[test]
fn what_a_run_settled_is_said_beside_the_directive_once() {
    let unknown = |why| Sharing::Unknown(why);
    let mut loops = region(
        &[],
        &[
            ("g", VariableKind::Array(9), unknown(SharingDoubt::Global)),
            ("own", VariableKind::Array(9), Sharing::Own),
        ],
    );
    let doubt = |kind, name: &str| Doubt {
        kind,
        name: name.into(),
        line: 7,
    };
    source(&mut loops).variables[0].global = true;
    source(&mut loops).doubts = vec![
        doubt(DoubtKind::Overlap, "x, y"),
        doubt(DoubtKind::Write, "x"),
        doubt(DoubtKind::Meets, "x"),
        doubt(DoubtKind::Overlap, "x"),
    ];
    let place = |name: &str| {
        let place = SourcePlace {
            file: "f.c".into(),
            line: 7,
            column: 1,
            function: "f".into(),
        };
        (place, name.to_owned())
    };
    let mut facts = LoopFacts {
        instances: 1,
        iterations: 9,
        ..LoopFacts::default()
    };
    facts.written = ["g[]", "x[]"].map(place).into();
    facts.again.clone_from(&facts.written);
    let found =
        |loops: &RegionStatic, facts: &LoopFacts| observed(loops, RegionClass::Doall, facts);
    let code = found(&loops, &facts);
    assert_eq!(code.certainty, Some(Certainty::Observed), "{code:?}");
    assert_eq!(
        code.unproved.as_deref(),
        Some(
            "observed on this input, not proved: with others iterations may meet in `g`, `x`; `x` and `y`, `x` and what line 7 reads may \
             overlap"
        )
    );
    // Nothing of that where there is no code, or where the source proves it.
    facts.partial = true;
    assert_eq!(found(&loops, &facts).unproved, None);
    let complete = found(&region(&[], &[]), &LoopFacts::default());
    assert_eq!(
        (complete.certainty, complete.unproved),
        (Some(Certainty::Complete), None)
    );
}

#[test]
fn no_run_settles_what_iterations_leave_in_errno() {
    let mut loops = region(&[], &[]);
    source(&mut loops).doubts = [7, 9]
        .map(|line| Doubt {
            kind: DoubtKind::Errno,
            name: "sqrt".into(),
            line,
        })
        .to_vec();
    let facts = LoopFacts {
        instances: 1,
        iterations: 9,
        ..LoopFacts::default()
    };
    let found = advise(
        &loops,
        RegionClass::Doall,
        &[],
        Some(&facts),
        false,
        Dialect::Openmp,
    );
    assert_eq!(
        (found.pragma, found.certainty),
        (None, Some(Certainty::Unchecked))
    );
    assert_eq!(found.needs.len(), 1);
    assert!(
        found.needs[0].contains("`sqrt` (lines 7, 9)"),
        "{:?}",
        found.needs
    );
}
