//! Remedies of hand-made loops: which are named, in which order, and what they say.

use parascan_formats::evidence::{DependenceKind, SiteAccess};
use parascan_formats::module::{RegionKind, RegionStatic};
use parascan_formats::source::{Doubt, DoubtKind, LoopSource, Obstacle, ObstacleKind, Statement};

use super::super::nest::{Nest, NestLevel};
use super::super::{CarriedDependence, FAR, LoopFacts, Object, Sharing, SourcePlace};
use super::{Remedy, all};

/// A `for` from line 10 to 20, in steps of 1.
fn region() -> RegionStatic {
    RegionStatic {
        kind: RegionKind::Loop,
        parent: None,
        function: "f".into(),
        linkage_name: "f".into(),
        file: "f.c".into(),
        line: 10,
        column: 3,
        end_line: 20,
        counted: true,
        broken: Vec::new(),
        folded: false,
        source: Some(source("i")),
        streams: Vec::new(),
        vectorized: None,
        writes_to_frame: None,
    }
}

fn source(index: &str) -> LoopSource {
    LoopSource {
        statement: Statement::For,
        index: Some(index.into()),
        step: 1,
        ..LoopSource::default()
    }
}

fn place(function: &str, line: u32) -> SourcePlace {
    SourcePlace {
        file: "f.c".into(),
        line,
        column: 1,
        function: function.into(),
    }
}

/// A flow from iteration to iteration that all but the first of 100 have.
fn flow(name: &str, (writes, reads): (u32, u32), (least, most): (u32, u32)) -> CarriedDependence {
    CarriedDependence {
        access: SiteAccess::Read,
        least,
        most,
        last: 99,
        iterations: 99,
        iterations_most: 99,
        share: 0.99,
        share_most: 0.99,
        ..CarriedDependence::example(
            DependenceKind::Flow,
            name,
            place("f", writes),
            place("f", reads),
        )
    }
}

fn facts(dependences: Vec<CarriedDependence>) -> LoopFacts {
    LoopFacts {
        instances: 1,
        iterations: 100,
        dependences,
        ..LoopFacts::default()
    }
}

/// A loop on lines 12 to 14.
fn inner(flows: &[(&str, Option<u32>)]) -> NestLevel {
    NestLevel {
        line: 12,
        end_line: 14,
        source: Some(source("j")),
        is_perfect: true,
        is_most: true,
        is_parallel: flows.is_empty(),
        reduces: false,
        is_part: false,
        flows: Some(flows.iter().map(|(n, d)| ((*n).to_owned(), *d)).collect()),
    }
}

fn inside(inner: NestLevel) -> Nest {
    Nest {
        inside: vec![inner],
        ..Nest::default()
    }
}

fn codes(remedies: &[Remedy]) -> Vec<&str> {
    remedies.iter().map(|r| r.code).collect()
}

fn first(facts: &LoopFacts, nest: &Nest) -> Vec<Remedy> {
    all(facts, &region(), nest).remove(0)
}

/// Of a loop that does something else on line 19.
fn beside(mut facts: LoopFacts) -> LoopFacts {
    facts.read.insert((place("f", 19), "beside[]".into()));
    facts
}

/// Remedies of the one dependence of a loop that does something else as well, without others around or inside of it.
fn alone(dependence: CarriedDependence) -> Vec<Remedy> {
    first(&beside(facts(vec![dependence])), &Nest::default())
}

fn text<'a>(remedies: &'a [Remedy], code: &str) -> &'a str {
    let found = remedies.iter().find(|r| r.code == code);
    found.map_or("", |r| &r.text)
}

#[test]
fn who_waits_names_the_iteration_that_wrote() {
    let found = alone(flow("a[]", (12, 12), (8, 8)));
    assert_eq!(codes(&found), ["fission", "skew", "pipeline"]);
    assert!(text(&found, "pipeline").contains("depend(sink: i - 8)` in front of line 12"));
    // A distance of one iteration, in a loop of another step or direction.
    let mut region = region();
    let next = beside(facts(vec![flow("a[]", (13, 12), (1, 1))]));
    let mut sink = |change: &dyn Fn(&mut LoopSource)| {
        change(region.source.as_mut().unwrap());
        let found = all(&next, &region, &Nest::default()).remove(0);
        text(&found, "pipeline").to_owned()
    };
    assert!(sink(&|s| s.step = 2).contains("(sink: i - 2)` in front of line 12 and"));
    assert!(sink(&|s| s.descends = true).contains("(sink: i + 2)`"));
    assert!(sink(&|s| s.step = 0).contains("(sink: i + 1)` (if the loop steps by 1)"));
    // No `for` that a directive takes.
    let exit = Obstacle {
        kind: ObstacleKind::Exit,
        name: String::new(),
        line: 15,
    };
    assert_eq!(sink(&|s| s.obstacles.push(exit.clone())), "");
}

/// Who waits for the iteration before only after it has let the next one go does not wait for those before that.
#[test]
fn distances_that_differ_wait_in_order() {
    let found = alone(flow("a[]", (12, 15), (1, 7)));
    let text = text(&found, "pipeline");
    assert!(
        text.contains("(sink: i - 1)` in front of line 12 and"),
        "{text}"
    );
    assert!(text.contains("behind line 15"), "{text}");
    let found = alone(flow("a[]", (12, 15), (3, 3)));
    let text = self::text(&found, "pipeline");
    assert!(
        text.contains("(sink: i - 3)` in front of line 12 and"),
        "{text}"
    );
    assert!(text.contains("behind line 15"), "{text}");
}

#[test]
fn remedies_are_in_the_words_of_the_language() {
    let found = alone(flow("a[]", (12, 15), (3, 3)));
    let pipeline = found.iter().find(|r| r.code == "pipeline").unwrap();
    for (file, words) in [
        ("f.c", "under `#pragma omp parallel for ordered(1)`"),
        ("f.f90", "under `!$omp parallel do ordered(1)`"),
        (
            "f.rs",
            "where each iteration waits in front of line 12 until the iteration 3 earlier is behind line 15",
        ),
    ] {
        let text = pipeline.clone().in_language_of(file).text;
        assert!(text.contains(words), "{text}");
        assert_eq!(text.contains("#pragma"), file == "f.c", "{text}");
    }
}

#[test]
fn nothing_waits_where_that_would_leave_nothing_to_overlap() {
    // An inner loop beside which the loop does little.
    let found = first(
        &facts(vec![flow("a[]", (13, 13), (1, 7))]),
        &inside(inner(&[("b", None)])),
    );
    assert_eq!(codes(&found), ["restructure"]);
    assert!(found[0].text.contains("the loop on line 12"));
    // One beside which it does more.
    let mut little = inner(&[("b", None)]);
    (little.is_perfect, little.is_most) = (false, false);
    let rows = beside(facts(vec![flow("a[]", (13, 13), (1, 7))]));
    let found = first(&rows, &inside(little));
    assert_eq!(codes(&found), ["fission", "pipeline"]);
    assert!(
        found[1]
            .text
            .contains("in front of the whole loop on line 12")
    );
    // A loop of which nothing overlaps.
    let serial = Nest {
        is_serial: true,
        ..Nest::default()
    };
    let found = first(&facts(vec![flow("a[]", (13, 12), (1, 7))]), &serial);
    assert_eq!(codes(&found), ["restructure"]);
}

#[test]
fn states_of_functions_are_not_waited_for() {
    let mut state = flow("count", (3, 3), (1, 1));
    (state.source.function, state.sink.function) = ("next".into(), "next".into());
    assert_eq!(codes(&alone(state)), ["per_thread_state"]);
    let mut random = flow("rand()", (12, 12), (1, 1));
    random.access = SiteAccess::Hidden;
    assert_eq!(codes(&alone(random)), ["per_thread_state"]);
    let mut grown = flow("this->size", (90, 90), (1, 1));
    for place in [&mut grown.source, &mut grown.sink] {
        place.function = "std::vector<int, std::allocator<int> >::push_back(int const&)".into();
        place.file = "/usr/include/c++/14/bits/stl_vector.h".into();
    }
    let found = alone(grown);
    assert_eq!(codes(&found), ["container"]);
    assert!(found[0].text.starts_with("std::vector::push_back changes"));
    // The library's function as part of the loop.
    let mut region = region();
    region.source.as_mut().unwrap().doubts.push(Doubt {
        kind: DoubtKind::Call,
        name: "emplace_back<int>".into(),
        line: 12,
    });
    let grown = facts(vec![flow("v", (12, 12), (1, 5))]);
    let found = all(&grown, &region, &Nest::default()).remove(0);
    assert_eq!(codes(&found), ["container"]);
}

#[test]
fn a_nest_of_which_the_outer_loop_alone_hands_on_is_turned_round() {
    let rows = facts(vec![flow("c[]", (13, 13), (1, 1))]);
    let found = first(&rows, &inside(inner(&[])));
    assert_eq!(codes(&found), ["inner_loop", "interchange"]);
    assert!(text(&found, "inner_loop").contains("line 12"));
    assert!(text(&found, "interchange").contains("lies at the same `j`"));
    // Something else in the loop around it.
    let mut between = inner(&[]);
    (between.is_perfect, between.is_most) = (false, false);
    let found = first(&beside(rows), &inside(between));
    assert_eq!(codes(&found), ["inner_loop", "fission", "pipeline"]);
    let mut reduced = inner(&[]);
    reduced.reduces = true;
    let found = first(
        &facts(vec![flow("c[]", (13, 13), (1, 1))]),
        &inside(reduced),
    );
    assert_eq!(codes(&found), ["inner_loop"]);
    assert!(found[0].text.contains("as a reduction"));
    let more = vec![flow("c[]", (13, 13), (1, 1)), flow("s[]", (16, 16), (1, 1))];
    assert!(!codes(&first(&facts(more), &inside(inner(&[])))).contains(&"interchange"));
}

#[test]
fn a_nest_of_which_both_loops_hand_on_runs_along_a_wavefront() {
    let rows = facts(vec![flow("a[]", (13, 13), (1, 1))]);
    let found = first(&rows, &inside(inner(&[("a", Some(1))])));
    assert_eq!(codes(&found), ["wavefront"]);
    let words = &found[0].text;
    assert!(words.contains("`i + j`"), "{words}");
    assert!(
        words.contains("depend(sink: i - 1, j) depend(sink: i, j - 1)"),
        "{words}"
    );
    // Another object, and a distance that differs.
    for flows in [&[("a", Some(1)), ("s", Some(1))][..], &[("a", None)]] {
        let found = first(&rows, &inside(inner(flows)));
        assert!(!codes(&found).contains(&"wavefront"));
    }
    // The same from inside.
    let around = NestLevel {
        line: 8,
        end_line: 21,
        source: Some(source("k")),
        ..inner(&[("a", Some(1))])
    };
    let within = Nest {
        around: Some(around),
        ..Nest::default()
    };
    let found = first(&rows, &within);
    assert!(text(&found, "wavefront").contains("`k + i`"));
}

#[test]
fn first_iterations_that_write_are_peeled_off() {
    // All others read what the first one wrote, which the source shows to be alone (`if (i == 0)`).
    let mut first_one = flow("z", (12, 15), (1, 99));
    let mut loops = beside(facts(vec![first_one.clone()]));
    let written = (place("f", 12), "z".to_owned());
    loops.written.insert(written.clone());
    loops.again.insert(written);
    let found = first(&loops, &Nest::default());
    assert_eq!(codes(&found), ["peel", "fission", "pipeline"]);
    assert!(found[0].text.starts_with("only iteration number 0"));
    // What stands in the way of the others all the same.
    let mut read_before = flow("b[]", (12, 12), (1, 1));
    read_before.kind = DependenceKind::Anti;
    loops.dependences.push(read_before);
    let found = first(&loops, &Nest::default());
    assert!(
        text(&found, "peel")
            .contains("iterations still overwrite what others read or write of `b[]`")
    );
    loops.dependences.pop();
    // Beyond the distances that are told apart.
    (first_one.least, first_one.most) = (1, FAR);
    loops.dependences = vec![first_one.clone()];
    assert!(
        first(&loops, &Nest::default())[0]
            .text
            .starts_with("only iteration number 0")
    );
    // Half of them: which one wrote is not known.
    first_one.iterations = 50;
    loops.dependences = vec![first_one];
    assert!(
        first(&loops, &Nest::default())[0]
            .text
            .starts_with("only one iteration")
    );
    // Several write, one after the other.
    let mut over = flow("z", (12, 12), (1, 1));
    (over.kind, over.access) = (DependenceKind::Output, SiteAccess::Write);
    loops.dependences.push(over);
    assert!(!codes(&first(&loops, &Nest::default())).contains(&"peel"));
    // What the last one reads lies so far back that only the first ones can have written it.
    let mut far = flow("b[]", (12, 15), (98, 98));
    far.iterations = 2;
    let found = alone(far);
    assert!(text(&found, "peel").starts_with("only iterations up to number 1 (from 0) write what"));
}

#[test]
fn lines_on_which_all_dependences_lie_are_split_off() {
    let mut loops = facts(vec![flow("s", (14, 14), (1, 1))]);
    loops.dependences[0].access = SiteAccess::LocalRead;
    assert_eq!(
        codes(&first(&loops, &Nest::default())),
        ["scan", "closed_form"],
        "nothing else is there"
    );
    loops.read.insert((place("f", 12), "a[]".into()));
    let found = first(&loops, &Nest::default());
    assert_eq!(
        codes(&found),
        ["scan", "closed_form", "fission", "pipeline"]
    );
    assert!(text(&found, "fission").contains("lies on line 14:"));
    // What another line of the loop writes again and again is handed on as well.
    loops.dependences.push(flow("t[]", (17, 16), (1, 1)));
    let found = first(&loops, &Nest::default());
    assert!(text(&found, "fission").contains("lines 14 to 17:"));
    assert!(text(&found, "pipeline").contains("in front of line 14 and"));
    assert!(
        text(&found, "pipeline")
            .contains("behind line 17 and behind all that reads `s` in the iteration")
    );
}

#[test]
fn sums_at_one_place_are_kept_in_a_local_variable() {
    let sum = flow("z[]", (12, 12), (1, 1));
    let mut over = sum.clone();
    (over.kind, over.access) = (DependenceKind::Output, SiteAccess::Write);
    let found = first(&facts(vec![sum.clone(), over]), &Nest::default());
    assert_eq!(codes(&found)[0], "accumulate");
    assert_eq!(
        codes(&alone(sum))[0],
        "scan",
        "elements one after the other"
    );
}

#[test]
fn a_running_value_is_a_scan_and_nothing_else() {
    let mut running = flow("s", (12, 12), (1, 1));
    running.used = Some(13);
    let found = alone(running);
    assert_eq!(codes(&found), ["scan"]);
    assert!(found[0].text.contains("line 13"));
}

#[test]
fn the_last_iteration_has_to_set_what_stays() {
    let said = |iterations, (least, most)| {
        let output = CarriedDependence {
            kind: DependenceKind::Output,
            iterations,
            ..flow("last", (12, 12), (least, most))
        };
        let mut facts = beside(facts(vec![output]));
        facts.objects.push(Object {
            name: "last".into(),
            array: false,
            sharing: Sharing::Lastprivate,
        });
        text(&first(&facts, &Nest::default()), "privatize").to_owned()
    };
    assert!(said(99, (1, 1)).ends_with("lastprivate"));
    for (iterations, distances) in [(3, (1, 1)), (99, (1, 2)), (2, (5, 40))] {
        assert!(said(iterations, distances).contains("lastprivate, if the last iteration sets it"));
    }
}
