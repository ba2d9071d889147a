//! Advice from hand-made loops.

mod copies;
mod dialects;
mod lines;
mod runs;

use super::{Advice, Certainty, Dialect, advise, reductions};
use crate::class::RegionClass;
use crate::evidence::{self, CarriedDependence, Local, LoopFacts, SourcePlace};
use parascan_formats::evidence::DependenceKind;
use parascan_formats::module::{
    BrokenDependence, BrokenKind, Operator, ReductionObstacle, RegionKind, RegionStatic,
};
use parascan_formats::source::{
    BestValue, Doubt, DoubtKind, Form, IndexedExtremum, LoopSource, Obstacle, ObstacleKind,
    Reduced, ReducedArray, Sharing, SharingDoubt, Statement, Variable, VariableKind,
};

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
