//! The parallelism-type scan against the paper's rules, and a reference that writes every instance out.

use std::collections::BTreeMap;

use crate::common::{any_profile, close, id};
use parascan_analysis::types::{
    DecidingRule, Label, Pipeline, RegionTypes, StageFlow, TypeOptions, TypedRegion, types,
};
use parascan_formats::evidence::{Evidence, LoopEvidence, Site, SiteAccess, SiteUse};
use parascan_formats::module::RegionKind;
use parascan_formats::profile::{EqualChildren, Profile, Symbol};
use parascan_formats::synthetic::{SyntheticInstance, SyntheticProgram, node};
use proptest::prelude::*;

fn scan(profile: &Profile, options: &TypeOptions) -> RegionTypes {
    types(std::slice::from_ref(profile), options).expect("types")
}

fn of<'a>(types: &'a RegionTypes, id: &str) -> &'a TypedRegion {
    let mut rows = types.rows.iter();
    rows.find(|row| *row.region.id == *id).expect("a row")
}

/// The row of `main` whose children are calls of functions with these works and critical paths; the same numbers, the
/// same function, if `alike`.
fn main_with(
    own: u64,
    cp: u64,
    children: &[(u64, u64)],
    alike: bool,
    options: &TypeOptions,
) -> TypedRegion {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let functions: Vec<u32> = (0..children.len() as u32)
        .map(|n| program.function(&format!("f{n}"), 10 * (n + 1)..=10 * (n + 1) + 5))
        .collect();
    let calls: Vec<SyntheticInstance> = children
        .iter()
        .zip(&functions)
        .map(|(&(work, cp), &function)| {
            node(if alike { functions[0] } else { function }, work, cp, [])
        })
        .collect();
    let profile = program.build([node(main, own, cp, calls)]);
    of(&scan(&profile, options), "synthetic.c:1:main").clone()
}

fn label(own: u64, cp: u64, children: &[(u64, u64)], alike: bool) -> (Label, DecidingRule) {
    let row = main_with(own, cp, children, alike, &TypeOptions::default());
    (
        row.label.expect("a label"),
        row.decision.expect("numbers").rule,
    )
}

/// Fact R5: no children.
#[test]
fn r5_leaves_by_their_parallelism() {
    assert_eq!(
        label(80, 10, &[], true),
        (Label::Ilp, DecidingRule::NoChildren)
    );
    assert_eq!(
        label(81, 10, &[], true),
        (Label::Dlp, DecidingRule::NoChildren)
    );
    let options = TypeOptions {
        p_dlp: 16.0,
        ..TypeOptions::default()
    };
    assert_eq!(
        main_with(81, 10, &[], true, &options).label,
        Some(Label::Ilp)
    );
    assert_eq!(
        main_with(161, 10, &[], true, &options).label,
        Some(Label::Dlp)
    );
}

/// Fact R5: homogeneous children, equal work and parallelism, and the parent's parallelism is n times the child's.
#[test]
fn r5_homogeneous_children() {
    let four = [(100, 50); 4];
    assert_eq!(
        label(0, 50, &four, true),
        (Label::Dlp, DecidingRule::Homogeneous)
    );
    // DOACROSS: the third criterion fails, so the fitness decides.
    assert_eq!(
        label(0, 125, &four, true),
        (Label::PartialTlp, DecidingRule::Fitness)
    );
    assert_eq!(
        label(0, 200, &four, true),
        (Label::NoTlp, DecidingRule::Fitness)
    );
    // Not the same region; not the same work; not the same parallelism.
    assert_eq!(
        label(0, 50, &four, false),
        (Label::PerfectTlp, DecidingRule::Fitness)
    );
    let unequal = [(100, 50), (100, 50), (60, 30), (100, 50)];
    assert_eq!(
        label(0, 50, &unequal, true),
        (Label::PerfectTlp, DecidingRule::Fitness)
    );
    let wide = [(100, 50), (100, 25), (100, 50), (100, 50)];
    assert_eq!(
        label(0, 50, &wide, true),
        (Label::PerfectTlp, DecidingRule::Fitness)
    );
}

/// Fact R5, equation 4: perfect, partial, no TLP, and ILP below the least fitness.
#[test]
fn r5_fitness() {
    let children = [(100, 100), (60, 60), (40, 40)];
    // CP without TLP 200, perfect 100.
    for (cp, fitness, expected) in [
        (100, 1.0, Label::PerfectTlp),
        (105, 0.95, Label::PerfectTlp),
        (106, 0.94, Label::PartialTlp),
        (174, 0.26, Label::PartialTlp),
        (175, 0.25, Label::Ilp),
        (194, 0.06, Label::Ilp),
        (195, 0.05, Label::NoTlp),
        (200, 0.0, Label::NoTlp),
        (210, -0.1, Label::NoTlp),
    ] {
        let row = main_with(10, cp, &children, false, &TypeOptions::default());
        let numbers = row.decision.expect("numbers");
        assert_eq!(row.label, Some(expected), "{cp}");
        assert!(close(numbers.fitness.expect("a fitness"), fitness));
        assert_eq!(
            (numbers.cp_no_tlp, numbers.cp_perfect, numbers.cp_actual),
            (200, 100, cp)
        );
        assert_eq!((numbers.children, numbers.instances), (3, 1));
        for number in ["200", "100", &cp.to_string()] {
            assert!(row.explanation.contains(number), "{}", row.explanation);
        }
    }
}

/// The paper's Table 1: `main`, whose only child is a DLP function, is DLP.
#[test]
fn one_child_has_nothing_to_overlap_with() {
    assert_eq!(
        label(1, 10, &[(350, 10)], true),
        (Label::Dlp, DecidingRule::OneChild)
    );
    assert_eq!(
        label(1, 10, &[(20, 10)], true),
        (Label::Ilp, DecidingRule::OneChild)
    );
    assert_eq!(
        label(900, 10, &[(20, 10)], true),
        (Label::Ilp, DecidingRule::OneChild)
    );
}

/// Children of a loop are the loops and calls in its iterations: a loop without is a leaf.
#[test]
fn iterations_belong_to_their_loop() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=20);
    let (leaf, leaf_body) = program.add_loop(main, 2..=3);
    let (outer, body) = program.add_loop(main, 5..=9);
    let (inner, inner_body) = program.add_loop(body, 6..=8);
    let run = node(inner, 0, 10, [node(inner_body, 10, 10, []).times(4)]);
    let profile = program.build([node(
        main,
        0,
        20,
        [
            node(leaf, 0, 10, [node(leaf_body, 10, 10, []).times(6)]),
            node(outer, 0, 10, [node(body, 0, 10, [run]).times(5)]),
        ],
    )]);
    let types = scan(&profile, &TypeOptions::default());
    let rule = |id| of(&types, id).decision.expect("numbers").rule;
    assert_eq!(of(&types, "synthetic.c:2:3").label, Some(Label::Ilp));
    assert_eq!(rule("synthetic.c:2:3"), DecidingRule::NoChildren);
    assert_eq!(of(&types, "synthetic.c:5:3").label, Some(Label::Dlp));
    assert_eq!(rule("synthetic.c:5:3"), DecidingRule::Homogeneous);
    assert_eq!(of(&types, "synthetic.c:5:3").decision.unwrap().children, 5);
}

/// Instances vote with their work.
#[test]
fn instances_that_differ() {
    let row = |serial: u64, short: u64| {
        let mut program = SyntheticProgram::new();
        let main = program.function("main", 1..=9);
        let (f, g, h) = (
            program.function("f", 10..=19),
            program.function("g", 20..=29),
            program.function("h", 30..=39),
        );
        let parts = |cp| node(f, 0, cp, [node(g, 100, 100, []), node(h, 100, 100, [])]);
        let profile = program.build([node(
            main,
            0,
            100_000,
            [
                parts(100).times(10),
                parts(200).times(serial),
                node(f, 1, 1, []).times(short),
            ],
        )]);
        of(&scan(&profile, &TypeOptions::default()), "synthetic.c:10:f").clone()
    };
    assert_eq!(row(0, 9).label, Some(Label::PerfectTlp));
    assert_eq!(row(1, 0).label, Some(Label::PerfectTlp));
    let mixed = row(10, 0);
    assert_eq!(mixed.label, Some(Label::MixedTlp));
    assert!(mixed.explanation.contains("instances differ"));
    let shares: Vec<f64> = mixed.votes.iter().map(|vote| vote.share).collect();
    assert_eq!(shares, [0.5, 0.5]);
    // So little overlaps that the rest decides.
    assert_eq!(row(200, 0).label, Some(Label::NoTlp));
}

#[test]
fn what_was_not_measured_has_no_label() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (outer, body) = program.add_loop(main, 2..=8);
    let (inner, inner_body) = program.add_loop(body, 3..=7);
    program.levels(0..3);
    let run = node(inner, 0, 5, [node(inner_body, 5, 5, []).times(4)]);
    let profile = program.build([node(
        main,
        1,
        6,
        [node(outer, 0, 5, [node(body, 0, 5, [run]).times(9)])],
    )]);
    let types = scan(&profile, &TypeOptions::default());
    assert!(of(&types, "synthetic.c:1:main").label.is_some());
    for id in ["synthetic.c:2:3", "synthetic.c:3:3"] {
        assert_eq!(of(&types, id).label, None);
        assert!(of(&types, id).explanation.contains("not measured"));
    }
}

/// Two loops, of which the second takes what the first makes: the whole is longer than the longer one, yet shorter than
/// both.
fn two_loops_profile(own: u64, cp: u64, iterations: u64) -> Profile {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=20);
    let (first, first_body) = program.add_loop(main, 2..=4);
    let (second, second_body) = program.add_loop(main, 5..=9);
    program.build([node(
        main,
        own,
        cp,
        [
            node(first, 0, 100, [node(first_body, 10, 10, []).times(10)]),
            node(
                second,
                0,
                100,
                [node(second_body, 10, 10, []).times(iterations)],
            ),
        ],
    )])
}

/// The pipeline that is found in [`two_loops_profile`].
fn two_loops(own: u64, cp: u64, iterations: u64) -> Option<Pipeline> {
    let profile = two_loops_profile(own, cp, iterations);
    of(
        &scan(&profile, &TypeOptions::default()),
        "synthetic.c:1:main",
    )
    .pipeline
    .clone()
}

/// What evidence has of the first of [`two_loops`]: a write on line 3 whose value is read on this line of the same
/// function.
fn read_on(line: u32, function: &str) -> Vec<StageFlow> {
    let site = |access, line, function: &str| Site {
        access,
        name: "a[i]".to_owned(),
        file: "synthetic.c".to_owned(),
        line,
        column: 0,
        function: function.to_owned(),
    };
    let mut profile = two_loops_profile(5, 110, 10);
    let first = profile.regions.iter().position(|r| r.fixed.line == 2);
    profile.evidence = Some(Evidence {
        sites: vec![
            site(SiteAccess::Write, 3, "main"),
            site(SiteAccess::Read, line, function),
        ],
        loops: vec![LoopEvidence {
            region: first.expect("the loop on line 2") as u32,
            instances: 1,
            iterations: 10,
            dependences: Vec::new(),
            uses: vec![SiteUse {
                site: 0,
                writes: true,
                exposed: false,
                live: Some(1),
            }],
        }],
        ..Evidence::default()
    });
    let types = scan(&profile, &TypeOptions::default());
    let main = of(&types, "synthetic.c:1:main");
    let pipeline = main.pipeline.clone().expect("a pipeline");
    let said = main.explanation.contains(
        "observed: synthetic.c:5:3 reads on line 6 what synthetic.c:2:3 wrote on line 3 (`a[i]`)",
    );
    assert_eq!(said, !pipeline.observed.is_empty(), "{}", main.explanation);
    pipeline.observed
}

#[test]
fn evidence_names_what_goes_from_stage_to_stage() {
    let flow = StageFlow {
        from: "synthetic.c:2:3".into(),
        to: "synthetic.c:5:3".into(),
        name: "a[i]".to_owned(),
        written: 3,
        read: 6,
    };
    assert_eq!(read_on(6, "main"), [flow]);
    // Behind both loops, in the first one itself (its next instance), and in another function.
    for (line, function) in [(12, "main"), (3, "main"), (6, "other")] {
        assert_eq!(read_on(line, function), []);
    }
    assert_eq!(two_loops(5, 110, 10).expect("a pipeline").observed, []);
}

#[test]
fn pipelines_between_sibling_loops() {
    let found = two_loops(5, 110, 10).expect("a pipeline");
    let stages: Vec<&str> = found.stages.iter().map(|id| &**id).collect();
    assert_eq!(stages, ["synthetic.c:2:3", "synthetic.c:5:3"]);
    assert!(found.equal_iterations && close(found.fitness(), 0.9) && close(found.share, 1.0));
    assert_eq!(
        (found.cp_no_tlp, found.cp_perfect, found.cp_actual),
        (200, 100, 110)
    );
    assert!(!two_loops(5, 110, 12).expect("a pipeline").equal_iterations);
    // Independent, or perhaps so: what is more than the longer loop may be the function's own work.
    assert_eq!(two_loops(5, 100, 10), None);
    assert_eq!(two_loops(10, 110, 10), None);
    // One after the other, or nearly.
    assert_eq!(two_loops(5, 200, 10), None);
    assert_eq!(two_loops(5, 180, 10), None);
    // One iteration is no stage.
    assert_eq!(two_loops(5, 110, 1), None);
}

#[test]
fn wrong_options_are_refused() {
    let profile = crate::common::random_profile(&[1, 2, 3]);
    for options in [
        TypeOptions {
            p_dlp: 0.5,
            ..TypeOptions::default()
        },
        TypeOptions {
            p_dlp: f64::NAN,
            ..TypeOptions::default()
        },
        TypeOptions {
            f_min: -0.1,
            ..TypeOptions::default()
        },
        TypeOptions {
            f_min: 1.1,
            ..TypeOptions::default()
        },
        TypeOptions {
            tolerance: 0.6,
            ..TypeOptions::default()
        },
        TypeOptions {
            agreement: 0.4,
            ..TypeOptions::default()
        },
    ] {
        assert!(
            types(std::slice::from_ref(&profile), &options).is_err(),
            "{options:?}"
        );
    }
}

/// The children of an instance, one by one.
fn children<'a>(profile: &'a Profile, runs: &'a [EqualChildren], out: &mut Vec<&'a Symbol>) {
    for run in runs {
        let symbol = &profile.tree.symbols[run.symbol as usize];
        for _ in 0..run.count {
            if profile.regions[symbol.region as usize].fixed.kind == RegionKind::Iteration {
                children(profile, &symbol.children, out);
            } else {
                out.push(symbol);
            }
        }
    }
}

/// The label of an instance, in the words of section 6.2.3.
fn reference(profile: &Profile, symbol: &Symbol, options: &TypeOptions) -> Option<&'static str> {
    let parallelism = |s: &Symbol| s.work as f64 / s.cp as f64;
    let untracked = |s: &Symbol| s.work > 0 && s.cp == 0;
    let mut list = Vec::new();
    children(profile, &symbol.children, &mut list);
    if untracked(symbol) || list.iter().any(|child| untracked(child)) {
        return None;
    }
    let data = if parallelism(symbol) > options.p_dlp {
        "DLP"
    } else {
        "ILP"
    };
    let Some(first) = list.first() else {
        return Some(data);
    };
    let near = |a: f64, b: f64| a.min(b) >= a.max(b) * (1.0 - options.tolerance);
    let busy = |s: &Symbol| if s.cp == 0 { 1.0 } else { parallelism(s) };
    let homogeneous = list.iter().all(|child| child.region == first.region)
        && list.iter().all(|a| {
            list.iter()
                .all(|b| near(a.work as f64, b.work as f64) && near(busy(a), busy(b)))
        });
    let cps: u64 = list.iter().map(|child| child.cp).sum();
    let works: u64 = list.iter().map(|child| child.work).sum();
    if homogeneous
        && cps > 0
        && near(
            parallelism(symbol),
            list.len() as f64 * works as f64 / cps as f64,
        )
    {
        return Some(if list.len() == 1 { data } else { "DLP" });
    }
    let longest = list.iter().map(|child| child.cp).max().unwrap_or(0);
    if cps == longest {
        return Some("ILP");
    }
    let f = (cps as f64 - symbol.cp as f64) / (cps - longest) as f64;
    Some(match f {
        f if f > options.f_min && f >= 1.0 - options.tolerance => "perfect-TLP",
        f if f > options.f_min => "partial-TLP",
        f if f <= options.tolerance => "no-TLP",
        _ => "ILP",
    })
}

/// Work by region and label.
type Votes = BTreeMap<u32, BTreeMap<&'static str, u64>>;

fn vote(profile: &Profile, runs: &[EqualChildren], options: &TypeOptions, votes: &mut Votes) {
    for run in runs {
        let symbol = &profile.tree.symbols[run.symbol as usize];
        let iteration = profile.regions[symbol.region as usize].fixed.kind == RegionKind::Iteration;
        for _ in 0..run.count {
            vote(profile, &symbol.children, options, votes);
        }
        if !iteration
            && symbol.work > 0
            && let Some(label) = reference(profile, symbol, options)
        {
            let of_region = votes.entry(symbol.region).or_default();
            *of_region.entry(label).or_default() += symbol.work * run.count;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn labels_are_those_of_the_reference(
        profile in any_profile(),
        p_dlp in 1.0f64..4.0,
        f_min in 0.0f64..1.0,
        tolerance in 0.0f64..0.3,
    ) {
        let options = TypeOptions { p_dlp, f_min, tolerance, ..TypeOptions::default() };
        let types = scan(&profile, &options);
        let mut votes = Votes::new();
        vote(&profile, &profile.tree.root, &options, &mut votes);
        for row in &types.rows {
            let number = (0..profile.regions.len() as u32).find(|&n| *id(&profile, n) == *row.region.id).unwrap();
            let expected = votes.remove(&number).unwrap_or_default();
            let total: u64 = expected.values().sum();
            let found: BTreeMap<&str, f64> = row.votes.iter().map(|v| (v.label.name(), v.share)).collect();
            prop_assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{}", row.region.id);
            for (label, work) in &expected {
                prop_assert!(close(found[label], *work as f64 / total as f64));
            }
            let Some(label) = row.label else { continue };
            let most = row.votes[0];
            let overlapping: f64 = row.votes.iter().filter(|v| v.label.is_tlp()).map(|v| v.share).sum();
            let mixed = most.share < 0.9 && overlapping > 1.0 - 0.9;
            prop_assert_eq!(label, if mixed { Label::MixedTlp } else { most.label });
            let numbers = row.decision.expect("numbers");
            prop_assert!(numbers.cp_perfect <= numbers.cp_no_tlp);
            prop_assert!(numbers.fitness.is_none_or(|f| f <= 1.0 + 1e-9));
        }
        prop_assert!(votes.is_empty());
    }
}
