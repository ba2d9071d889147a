//! Advice from hand-made loops.

use parascan_formats::module::{
    BrokenDependence, BrokenKind, Operator, ReductionObstacle, RegionKind, RegionStatic,
};
use parascan_formats::source::{
    BestValue, Doubt, DoubtKind, Form, IndexedExtremum, LoopSource, Obstacle, ObstacleKind,
    Reduced, ReducedArray, Sharing, SharingDoubt, Statement, Variable, VariableKind,
};

use parascan_formats::evidence::DependenceKind;

use super::{Advice, Certainty, Dialect, advise, reductions};
use crate::class::RegionClass;
use crate::evidence::{self, CarriedDependence, Local, LoopFacts, SourcePlace};

/// A plain counted loop over `i` that writes these variables.
fn region(
    broken: &[(&str, BrokenKind)],
    variables: &[(&str, VariableKind, Sharing)],
) -> RegionStatic {
    RegionStatic {
        kind: RegionKind::Loop,
        parent: None,
        function: "f".into(),
        linkage_name: "f".into(),
        file: "f.c".into(),
        line: 1,
        column: 1,
        end_line: 2,
        counted: true,
        broken: broken
            .iter()
            .map(|&(name, kind)| BrokenDependence::new(name, kind, 0))
            .collect(),
        folded: false,
        streams: Vec::new(),
        vectorized: None,
        writes_to_frame: None,
        source: Some(LoopSource {
            statement: Statement::For,
            index: Some("i".into()),
            starts_line: true,
            variables: variables
                .iter()
                .map(|&(name, shape, sharing)| Variable {
                    name: name.into(),
                    line: 1,
                    global: false,
                    shape,
                    sharing,
                    at: 5,
                })
                .collect(),
            ..LoopSource::default()
        }),
    }
}

/// What another dialect makes of a DOALL loop.
fn advice_in(dialect: Dialect, region: &RegionStatic) -> Advice {
    let reduced = reductions(region, None);
    advise(region, RegionClass::Doall, &reduced, None, false, dialect)
}

fn advice(region: &RegionStatic, class: RegionClass) -> Advice {
    advise(
        region,
        class,
        &reductions(region, None),
        None,
        false,
        Dialect::Openmp,
    )
}

/// The same after a run that looked at every access.
fn observed(region: &RegionStatic, class: RegionClass, facts: &LoopFacts) -> Advice {
    let reductions = reductions(region, None);
    advise(
        region,
        class,
        &reductions,
        Some(facts),
        false,
        Dialect::Openmp,
    )
}

fn source(region: &mut RegionStatic) -> &mut LoopSource {
    region.source.as_mut().unwrap()
}

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

#[test]
fn clauses_are_complete_and_grouped() {
    let add = Sharing::Reduction(Operator::Add);
    let region = region(
        &[
            ("i", BrokenKind::Induction),
            ("a", BrokenKind::Reduction(Operator::Add)),
            ("best", BrokenKind::Reduction(Operator::Max)),
            ("hist[]", BrokenKind::ArrayReduction(Operator::Add)),
        ],
        &[
            ("i", VariableKind::Scalar, Sharing::Index),
            ("j", VariableKind::Scalar, Sharing::Private),
            ("t", VariableKind::Record, Sharing::FirstPrivate),
            ("x", VariableKind::Scalar, Sharing::LastPrivate),
            ("k", VariableKind::Scalar, Sharing::Private),
            ("a", VariableKind::Scalar, add),
            (
                "best",
                VariableKind::Scalar,
                Sharing::Reduction(Operator::Max),
            ),
            ("hist", VariableKind::Array(64), add),
        ],
    );
    let advice = advice(&region, RegionClass::DoallReduction);
    assert_eq!(advice.needs, [""; 0]);
    assert_eq!(advice.certainty, Some(Certainty::Complete));
    assert_eq!(
        advice.pragma.as_deref(),
        Some(
            "#pragma omp parallel for private(j,k) firstprivate(t) lastprivate(x) reduction(+:a,hist) \
             reduction(max:best)"
        )
    );
}

#[test]
fn an_index_kept_with_a_maximum_gets_no_directive() {
    let region = region(
        &[("m", BrokenKind::Reduction(Operator::Max))],
        &[
            ("m", VariableKind::Scalar, Sharing::Reduction(Operator::Max)),
            (
                "im",
                VariableKind::Scalar,
                Sharing::Unknown(SharingDoubt::Conditional),
            ),
        ],
    );
    let advice = advice(&region, RegionClass::DoallReduction);
    assert_eq!(
        (advice.pragma, advice.proposal, advice.certainty),
        (None, None, None)
    );
    assert!(advice.needs[0].contains("`im` is set together with `m` (line 5)"));
}

#[test]
fn what_is_not_known_makes_a_proposal() {
    let mut loops = region(
        &[],
        &[(
            "t",
            VariableKind::Array(8),
            Sharing::Unknown(SharingDoubt::Scratch),
        )],
    );
    source(&mut loops).doubts.push(Doubt {
        kind: DoubtKind::Overlap,
        name: "x, y".into(),
        line: 7,
    });
    let open = advice(&loops, RegionClass::Doall);
    assert_eq!(
        (open.pragma, open.certainty),
        (None, Some(Certainty::Unchecked))
    );
    assert_eq!(
        open.proposal.as_deref(),
        Some("#pragma omp parallel for private(t)")
    );
    assert!(open.needs[0].contains("private if each iteration fills it before reading it"));
    assert!(open.needs[1].contains("must not overlap: `x` and `y`"));
    // A run that looked settles it.
    let settled = |facts: &LoopFacts| {
        let found = observed(&loops, RegionClass::Doall, facts);
        assert_eq!(
            found.pragma.is_some(),
            found.certainty == Some(Certainty::Observed)
        );
        found.pragma
    };
    let mut facts = LoopFacts {
        instances: 1,
        iterations: 9,
        ..LoopFacts::default()
    };
    assert_eq!(settled(&facts), None, "it was never written");
    facts.variables.push(Local {
        name: "t".into(),
        written: true,
        exposed: false,
        live: false,
    });
    let plain = Some("#pragma omp parallel for".to_owned());
    assert_eq!(settled(&facts), plain);
    facts
        .dependences
        .push(dependence(DependenceKind::Output, "t[]"));
    assert_eq!(settled(&facts), None, "other memory of that name");
    facts.dependences[0] = dependence(DependenceKind::Output, "*q");
    facts.dependences[0].variable = Some("t".into());
    let with = |clause: &str| Some(format!("#pragma omp parallel for {clause}(t)"));
    assert_eq!(settled(&facts), with("firstprivate"));
    facts.variables[0].exposed = true;
    assert_eq!(settled(&facts), with("firstprivate"));
    facts.variables[0].live = true;
    assert_eq!(settled(&facts), None, "it is read after the loop");
    facts.variables[0].live = false;
    facts.dependences[0].kind = DependenceKind::Flow;
    assert_eq!(settled(&facts), None, "a value is handed on");
    facts.dependences.clear();
    assert_eq!(settled(&facts), plain);
    facts.unseen.push("h()".into());
    assert_eq!(settled(&facts), None, "something was not observed");
    facts.unseen.clear();
    facts.iterations = 1;
    assert_eq!(settled(&facts), None, "nothing could have met");
    facts.iterations = 9;
    facts.partial = true;
    assert_eq!(settled(&facts), None, "not all was observed");
    let last = |facts: &LoopFacts| {
        let needs = observed(&loops, RegionClass::Doall, facts).needs;
        needs.last().unwrap().clone()
    };
    assert!(last(&facts).contains("9 iterations of 1 instance, but not everything was observed"));
    facts.partial = false;
    facts.recorded_iterations = 10;
    assert_eq!(settled(&facts), None, "a part of the run");
    assert!(last(&facts).contains("only 9 iterations of 1 instance"));
}

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

fn dependence(kind: DependenceKind, name: &str) -> CarriedDependence {
    let place = SourcePlace {
        file: "f.c".into(),
        line: 3,
        column: 1,
        function: "f".into(),
    };
    CarriedDependence {
        share: 1.0,
        share_most: 1.0,
        ..CarriedDependence::example(kind, name, place.clone(), place)
    }
}

#[test]
fn loops_that_take_no_directive_get_words() {
    let mut loops = region(&[], &[]);
    source(&mut loops).statement = Statement::While;
    let found = advice(&loops, RegionClass::Doall);
    assert_eq!((found.pragma, found.proposal), (None, None));
    assert!(found.needs[0].contains("`while` loop takes no directive"));
    source(&mut loops).statement = Statement::For;
    source(&mut loops).obstacles.push(Obstacle {
        kind: ObstacleKind::Exit,
        name: String::new(),
        line: 9,
    });
    let found = advice(&loops, RegionClass::Doall);
    assert_eq!((found.pragma, found.proposal), (None, None));
    assert!(found.needs[0].contains("left before its end (line 9)"));
    let start = &mut source(&mut loops).obstacles[0];
    (start.kind, start.name) = (ObstacleKind::StartWritten, "t".to_owned());
    let found = advice(&loops, RegionClass::Doall);
    assert!(found.needs[0].contains("reads `t`, which the loop changes (line 9)"));
    source(&mut loops).statement = Statement::Unknown;
    assert!(advice(&loops, RegionClass::Doall).needs[0].contains("no loop statement here"));
    source(&mut loops).obstacles[0].kind = ObstacleKind::Unread;
    let found = advice(&loops, RegionClass::Doall);
    assert_eq!((found.needs.len(), found.pragma), (2, None));
    assert!(found.needs[0].contains("source file was not found"));
    assert!(found.needs[1].contains("build and record again"));
    let carried = region(
        &[],
        &[(
            "p",
            VariableKind::Pointer,
            Sharing::Unknown(SharingDoubt::Carried),
        )],
    );
    let found = advice(&carried, RegionClass::Doall);
    assert_eq!((found.pragma, found.proposal), (None, None));
    assert!(found.needs[0].contains("compute it from the loop's index"));
}

#[test]
fn an_existing_directive_and_a_shared_line_are_noticed() {
    let mut loops = region(&[], &[]);
    source(&mut loops).directive = Some("#pragma omp for".into());
    let found = advice(&loops, RegionClass::Doall);
    assert_eq!((found.pragma, found.proposal), (None, None));
    assert!(found.needs[0].contains("already has `#pragma omp for`"));
    source(&mut loops).directive = None;
    source(&mut loops).starts_line = false;
    let found = advice(&loops, RegionClass::Doall);
    assert_eq!(found.pragma, None);
    assert!(found.needs[0].contains("column 1"));
    let mut outlined = region(&[], &[]);
    outlined.linkage_name = "main.omp_outlined".into();
    assert!(advice(&outlined, RegionClass::Doall).needs[0].contains("already runs inside"));
    let mut library = region(&[], &[]);
    library.file = "/usr/include/c++/14/bits/stl_algo.h".into();
    assert!(advice(&library, RegionClass::Doall).needs[0].contains("std::execution::par"));
}

#[test]
fn other_classes_are_never_code() {
    let plain = region(&[], &[]);
    let found = advice(&plain, RegionClass::Doacross);
    assert_eq!((found.pragma, found.proposal), (None, None));
    assert!(found.needs[0].contains("depend(sink: i - 1)` (if the loop steps by 1)"));
    let found = advice(&plain, RegionClass::Task);
    assert_eq!(
        (found.pragma, found.proposal.as_deref()),
        (None, Some("#pragma omp task"))
    );
    assert_eq!(advice(&plain, RegionClass::Serial), Advice::default());
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
fn own_elements_are_no_reduction() {
    let broken = [("b[]", BrokenKind::ArrayReduction(Operator::Add))];
    let loops = region(&broken, &[("b", VariableKind::Array(9), Sharing::Own)]);
    assert_eq!(reductions(&loops, None), []);
    assert_eq!(
        advice(&loops, RegionClass::Doall).pragma.as_deref(),
        Some("#pragma omp parallel for")
    );
    // Through a pointer it is one where places are not known to be the iteration's own.
    let mut through = region(&broken, &[]);
    assert_eq!(reductions(&through, None), []);
    source(&mut through).doubts.push(Doubt {
        kind: DoubtKind::Write,
        name: "b".into(),
        line: 3,
    });
    assert_eq!(reductions(&through, None).len(), 1);
    let found = advice(&through, RegionClass::DoallReduction);
    assert_eq!((found.pragma, found.proposal), (None, None));
}

#[test]
fn without_the_source_nothing_is_code() {
    let mut unknown = region(&[("a", BrokenKind::Reduction(Operator::Add))], &[]);
    unknown.source = None;
    let found = advice(&unknown, RegionClass::DoallReduction);
    assert_eq!(found.pragma, None);
    assert_eq!(
        found.proposal.as_deref(),
        Some("#pragma omp parallel for reduction(+:a)")
    );
    assert_eq!(found.certainty, Some(Certainty::Unchecked));
}

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

#[test]
fn cilk_says_nothing_of_fortran() {
    let region = in_fortran(region(&[], &[]));
    for class in [RegionClass::Doall, RegionClass::Task, RegionClass::Doacross] {
        let advice = advise(&region, class, &[], None, false, Dialect::Cilk);
        assert_eq!(advice.proposal, None);
        assert!(advice.needs.len() == 1 && advice.needs[0].starts_with("Cilk is for C"));
    }
}
