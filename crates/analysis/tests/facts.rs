//! Facts of the Kremlin paper on hand-made profiles.

use parascan_analysis::class::{ClassRule, Classing, RegionClass, SerialReason, classify};
use parascan_analysis::explain::{Explanations, explain};
use parascan_analysis::model::Model;
use parascan_analysis::personality::Personality;
use parascan_analysis::plan::{PlanOptions, RejectionReason, plan};
use parascan_analysis::regions::{RegionFigures, Regions, regions};
use parascan_formats::evidence::{Evidence, LoopEvidence};
use parascan_formats::module::{BrokenDependence, BrokenKind, Operator};
use parascan_formats::profile::Profile;
use parascan_formats::synthetic::{SyntheticInstance, SyntheticProgram, node};

use crate::common::plans::{lines, planned, reason, row};

/// `main` with one loop on line 2 whose iterations are `bodies`, run with this critical path.
fn one_loop(cp: u64, bodies: impl Fn(u32) -> Vec<SyntheticInstance>) -> Profile {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (looping, iteration) = program.add_loop(main, 2..=8);
    program.build([node(main, 0, cp, [node(looping, 0, cp, bodies(iteration))])])
}

/// K1, K4: n serial children 1; n independent ones of equal length n, which is the iteration count.
#[test]
fn k1_k4_serial_children_give_1_independent_ones_their_number() {
    for n in [2, 7, 100, 12_345] {
        let serial = row(
            &one_loop(9 * n, |body| vec![node(body, 9, 9, []).times(n)]),
            2,
        );
        assert_eq!(
            (serial.self_parallelism, serial.class),
            (Some(1.0), RegionClass::Serial)
        );
        assert_eq!(serial.serial_reason, Some(SerialReason::Dependences));
        let parallel = row(&one_loop(9, |body| vec![node(body, 9, 9, []).times(n)]), 2);
        assert_eq!(
            (parallel.self_parallelism, parallel.class),
            (Some(n as f64), RegionClass::Doall)
        );
        assert_eq!(parallel.iterations.unwrap().total, n);
    }
}

/// The loop on line 2 explained, beside builds that leave something out.
fn explained(profile: Profile, others: &[Profile]) -> Explanations {
    let given = ["synthetic.c:2".to_owned()];
    explain(&[profile], &given, others, &PlanOptions::default()).unwrap()
}

/// A serial chain of n iterations is n times as fast once nothing waits; a parallel loop has nothing to lose.
#[test]
fn without_dependences_a_chain_is_as_parallel_as_it_has_iterations() {
    let n = 50;
    let without = |cp| {
        let profile = one_loop(cp, |body| vec![node(body, 9, 9, []).times(n)]);
        let all = explained(profile, &[]);
        all.loops[0].without
    };
    let found = without(9 * n).unwrap();
    assert_eq!(found.class, RegionClass::Doall);
    assert!((found.self_parallelism - n as f64).abs() < 1e-9);
    assert!((found.speedup - n as f64).abs() < 1e-9);
    assert!((found.waiting - (n - 1) as f64 / n as f64).abs() < 1e-9);
    assert_eq!(without(9), None);
}

/// Two chains, one of them as long as the other: what a build without either leaves is its critical path.
#[test]
fn a_build_that_leaves_one_dependence_out_says_what_it_costs() {
    let n = 50;
    let cost = |cp, left_out: &str| {
        let profile = one_loop(9 * n, |body| vec![node(body, 9, 9, []).times(n)]);
        let mut other = one_loop(cp, |body| vec![node(body, 9, 9, []).times(n)]);
        other.modules[0].without = vec![left_out.to_owned()];
        let all = explained(profile, &[other]);
        all.loops[0].costs.clone()
    };
    let [half] = &cost(9 * n / 2, "synthetic.c:2:sum")[..] else {
        panic!("one build, one cost");
    };
    assert_eq!(
        (half.names.as_slice(), half.share),
        (&["sum".to_owned()][..], Some(0.5))
    );
    assert_eq!(
        (half.class, half.self_parallelism),
        (RegionClass::Serial, Some(2.0))
    );
    assert_eq!(cost(9, "synthetic.c:2:sum")[0].class, RegionClass::Doall);
    assert_eq!(cost(9 * n, "synthetic.c:2:sum")[0].share, Some(0.0));
    assert_eq!(cost(9, "synthetic.c:7:sum"), []);
    // Part of a file's name is another file.
    assert_eq!(cost(9, "c.c:2:sum"), []);
}

/// Evidence of fewer iterations than were recorded is evidence of another run.
#[test]
fn evidence_of_another_run_is_part_of_the_truth() {
    let whole = |iterations| {
        let mut profile = one_loop(9, |body| vec![node(body, 9, 9, []).times(5)]);
        let region = profile
            .regions
            .iter()
            .position(|r| r.fixed.line == 2)
            .unwrap();
        profile.evidence = Some(Evidence {
            loops: vec![LoopEvidence {
                region: region as u32,
                instances: 1,
                iterations,
                ..LoopEvidence::default()
            }],
            ..Evidence::default()
        });
        let all = explained(profile, &[]);
        all.loops[0].facts.as_ref().unwrap().is_whole()
    };
    assert!(whole(5));
    assert!(!whole(4));
}

/// K2: self-work counts as if it were serial: (4 + 12 + 5) / 13.
#[test]
fn k2_self_work_and_children_over_the_critical_path() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (a, b) = (
        program.function("a", 10..=11),
        program.function("b", 12..=13),
    );
    let profile = program.build([node(main, 5, 13, [node(a, 7, 4, []), node(b, 12, 12, [])])]);
    let main = row(&profile, 1);
    assert_eq!(main.self_parallelism, Some(21.0 / 13.0));
    assert_eq!(main.total_parallelism, Some(24.0 / 13.0));
    assert_eq!((main.self_work, main.class), (5, RegionClass::Task));
    assert_eq!(row(&profile, 10).self_parallelism, Some(7.0 / 4.0));
}

/// Static figures weigh instances by their work: sum(work) / sum(work / SP).
#[test]
fn instances_count_by_work() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (looping, body) = program.add_loop(main, 2..=8);
    let run = |n: u64, cp| node(looping, 0, cp, [node(body, 10, 10, []).times(n)]);
    let profile = program.build([node(main, 0, 110, [run(10, 10), run(10, 100)])]);
    let figures = row(&profile, 2);
    assert_eq!(
        figures.self_parallelism,
        Some(200.0 / (100.0 / 10.0 + 100.0))
    );
    // One instance waited, so the loop is not DOALL; its self-parallelism is too low for DOACROSS.
    assert_eq!(figures.class, RegionClass::Serial);
    assert_eq!(figures.gap, Some(90));
}

/// K3: total parallelism calls the outer loop of a nest parallel when only the inner one is.
#[test]
fn k3_only_the_innermost_loop_is_parallel() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (outer, outer_body) = program.add_loop(main, 2..=8);
    let (inner, inner_body) = program.add_loop(outer_body, 3..=7);
    let one = node(inner, 0, 8, [node(inner_body, 8, 8, []).times(50)]);
    let profile = program.build([node(
        main,
        0,
        80,
        [node(
            outer,
            0,
            80,
            [node(outer_body, 0, 8, [one]).times(10)],
        )],
    )]);
    let (out, inn) = (row(&profile, 2), row(&profile, 3));
    assert_eq!(
        (out.self_parallelism, out.total_parallelism),
        (Some(1.0), Some(50.0))
    );
    assert_eq!(
        (inn.self_parallelism, inn.total_parallelism),
        (Some(50.0), Some(50.0))
    );
    assert_eq!(inn.parent, Some(out.id));
}

/// K4 where iterations differ in length: independent, but self-parallelism stays below the iteration count.
#[test]
fn k4_iterations_of_unequal_length_are_doall_too() {
    let profile = one_loop(18, |body| {
        vec![
            node(body, 5, 5, []).times(50),
            node(body, 18, 18, []).times(50),
        ]
    });
    let figures = row(&profile, 2);
    assert_eq!(figures.class, RegionClass::Doall);
    assert_eq!(
        figures.self_parallelism,
        Some((50 * 18 + 50 * 5) as f64 / 18.0)
    );
}

/// ft and lu: an outer loop that is the best single choice and worse than the loops inside it.
fn like_ft() -> Profile {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=20);
    let (outer, body) = program.add_loop(main, 2..=19);
    let (first, first_body) = program.add_loop(body, 3..=10);
    let (second, second_body) = program.add_loop(body, 11..=18);
    let inner = |region, body| node(region, 0, 10, [node(body, 10, 10, []).times(1000)]);
    let one = node(
        body,
        0,
        20,
        [inner(first, first_body), inner(second, second_body)],
    );
    program.build([node(main, 0, 20, [node(outer, 0, 20, [one.times(8)])])])
}

/// K5: dynamic programming takes the children where greedy choice takes the parent.
#[test]
fn k5_greedy_choice_is_worse_on_programs_like_ft() {
    let profile = like_ft();
    let best = planned(&profile, &PlanOptions::default());
    assert_eq!(lines(&best), [3, 11]);
    assert!(best.optimal);
    assert!((best.speedup - 1000.0).abs() < 1e-6);
    assert!((best.entries[0].speedup - 1.0 / (1.0 - 0.5 * 0.999)).abs() < 1e-9);
    let RejectionReason::Contains(ids) = reason(&best, 2) else {
        panic!("{:?}", reason(&best, 2))
    };
    assert_eq!(ids.len(), 2);
    let greedy = PlanOptions {
        personality: Personality::built_in("greedy").unwrap(),
        ..PlanOptions::default()
    };
    let greedy = planned(&profile, &greedy);
    assert_eq!(lines(&greedy), [2]);
    assert!((greedy.speedup - 8.0).abs() < 1e-9);
    assert!(matches!(reason(&greedy, 3), RejectionReason::Inside(_)));
}

/// K5: without the children the parent is the next best plan; by id or by `file:line`.
#[test]
fn k5_exclusion() {
    let profile = like_ft();
    for exclude in [
        ["synthetic.c:3:3", "synthetic.c:11:3"],
        ["synthetic.c:3", "c.c:11"],
    ] {
        let exclude: Vec<String> = exclude.map(String::from).to_vec();
        let options = PlanOptions {
            exclude,
            ..PlanOptions::default()
        };
        match plan(std::slice::from_ref(&profile), &options) {
            Ok(plan) => {
                assert_eq!(lines(&plan), [2]);
                assert_eq!(reason(&plan, 3), &RejectionReason::Excluded);
            }
            Err(error) => {
                // Only whole path components match.
                assert_eq!(options.exclude[1], "c.c:11");
                assert!(
                    error.to_string().contains("`c.c:11` names no region"),
                    "{error}"
                );
            }
        }
    }
}

/// A program with one loop of the given share of the work (in 1/10000), critical path ratio and gap.
fn share(part: u64, iterations: u64, doall: bool) -> Profile {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (looping, body) = program.add_loop(main, 2..=8);
    let each = part * 10_000 / iterations;
    let cp = if doall { each } else { each * 2 };
    let run = node(
        looping,
        0,
        cp,
        [node(body, each, each, []).times(iterations)],
    );
    let rest = 10_000 * 10_000 - each * iterations;
    program.build([node(main, rest, rest + cp, [run])])
}

/// K5: thresholds 5.0, 0.1 % and 3 %, from both sides.
#[test]
fn k5_thresholds() {
    let openmp = PlanOptions::default();
    for (profile, chosen) in [
        (share(5000, 5, true), true),
        (share(5000, 4, true), false),
        (share(5000, 10, false), true),
        (share(5000, 8, false), false),
        // Speedup by a DOALL loop that is infinitely parallel: share / (1 - share).
        (share(11, 1000, true), true),
        (share(9, 1000, true), false),
        (share(310, 1000, false), true),
        (share(280, 1000, false), false),
    ] {
        let plan = planned(&profile, &openmp);
        assert_eq!(
            lines(&plan),
            if chosen { vec![2] } else { vec![] },
            "{plan:#?}"
        );
    }
    let low = PlanOptions {
        min_sp: Some(4.0),
        ..PlanOptions::default()
    };
    assert_eq!(lines(&planned(&share(5000, 4, true), &low)), [2]);
    let low = PlanOptions {
        min_speedup_doacross: Some(2.0),
        ..PlanOptions::default()
    };
    assert_eq!(lines(&planned(&share(280, 1000, false), &low)), [2]);
    let high = PlanOptions {
        min_speedup_doall: Some(0.2),
        ..PlanOptions::default()
    };
    let plan = planned(&share(11, 1000, true), &high);
    assert!(matches!(reason(&plan, 2), RejectionReason::LowSpeedup { least } if *least == 0.2));
}

/// A loop in a function that is called both beside and inside a better one: chosen everywhere or nowhere. Outside saves
/// 9900; the inner loop 9000 inside it and 490 or 990 beside it.
#[test]
fn k5_a_region_reached_in_several_ways_is_one_choice() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=20);
    let (outer, body) = program.add_loop(main, 2..=5);
    let helper = program.function("helper", 30..=39);
    let (inner, inner_body) = program.add_loop(helper, 31..=38);
    let call = |n: u64| {
        node(
            helper,
            0,
            10,
            [node(inner, 0, 10, [node(inner_body, 10, 10, []).times(n)])],
        )
    };
    for (inside, beside, expected) in [(10, 50, 2), (10, 100, 31)] {
        let parallel = node(outer, 0, 10, [node(body, 0, 10, [call(inside)]).times(100)]);
        let profile = program.build([node(main, 0, 20, [parallel, call(beside)])]);
        let plan = planned(&profile, &PlanOptions::default());
        assert_eq!(lines(&plan), [expected]);
        assert!(plan.optimal);
    }
}

/// K10: what total parallelism calls parallel is often the parallelism of something inside.
#[test]
fn k10_self_parallelism_is_low_for_more_regions_than_total_parallelism() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=99);
    let mut parts = Vec::new();
    for line in [10, 20, 30, 40] {
        let (steps, step) = program.add_loop(main, line..=line + 8);
        let (looping, body) = program.add_loop(step, line + 1..=line + 4);
        let (chain, link) = program.add_loop(step, line + 5..=line + 7);
        let wide = node(looping, 0, 5, [node(body, 5, 5, []).times(200)]);
        let narrow = node(chain, 0, 4, [node(link, 1, 1, []).times(4)]);
        parts.push(node(
            steps,
            0,
            90,
            [node(step, 0, 9, [wide, narrow]).times(10)],
        ));
    }
    let profile = program.build([node(main, 0, 360, parts)]);
    let rows = regions(&[profile]).unwrap().rows;
    let low =
        |f: fn(&RegionFigures) -> Option<f64>| rows.iter().filter(|r| f(r).unwrap() < 5.0).count();
    let (by_self, by_total) = (low(|r| r.self_parallelism), low(|r| r.total_parallelism));
    assert_eq!((rows.len(), by_self, by_total), (13, 9, 4));
}

/// K12: where Kremlin's own rule (no instance's gap is 5 or more) and ours part, and why.
#[test]
fn k12_kremlin_s_rule_and_each_difference() {
    let class = |profile: &Profile, rule| {
        let model = Model::new(std::slice::from_ref(profile)).unwrap();
        let node = model.nodes.iter().find(|n| n.depth == 1).unwrap();
        classify(
            &model.regions[node.region as usize].fixed,
            &node.sums,
            None,
            Classing {
                rule,
                ..Classing::default()
            },
        )
    };
    let both = |profile: &Profile| {
        (
            class(profile, ClassRule::Kremlin).0,
            class(profile, ClassRule::Gap).0,
        )
    };
    // A chain of five additions: gap 4 is tolerated, though no two iterations overlap.
    let chain = one_loop(5, |body| vec![node(body, 1, 1, []).times(5)]);
    assert_eq!(both(&chain), (RegionClass::Doall, RegionClass::Serial));
    // Long iterations handing a flag on: again 4 are tolerated, though each iteration waits for the one before.
    let handed_on = one_loop(104, |body| vec![node(body, 100, 100, []).times(5)]);
    assert_eq!(
        both(&handed_on),
        (RegionClass::Doall, RegionClass::Doacross)
    );
    // What runs in the loop but in no iteration (a loop that ended before its first): 5 units are a gap of 5 to
    // Kremlin, for us an instance without two iterations has nothing to say.
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (looping, body) = program.add_loop(main, 2..=8);
    let empty = node(looping, 6, 6, []);
    let full = node(looping, 0, 9, [node(body, 9, 9, []).times(50)]);
    let profile = program.build([node(main, 0, 15, [empty, full])]);
    assert_eq!(both(&profile), (RegionClass::Doacross, RegionClass::Doall));
    // Kremlin knows no serial loops.
    let serial = one_loop(900, |body| vec![node(body, 9, 9, []).times(100)]);
    assert_eq!(both(&serial), (RegionClass::Doacross, RegionClass::Serial));
    // A loop that never ran twice in a row.
    let once = one_loop(9, |body| vec![node(body, 9, 9, [])]);
    assert_eq!(both(&once), (RegionClass::Doall, RegionClass::Serial));
    assert_eq!(
        class(&once, ClassRule::Gap).1,
        Some(SerialReason::FewIterations)
    );
    // And where they agree.
    let doall = one_loop(9, |body| vec![node(body, 9, 9, []).times(100)]);
    assert_eq!(both(&doall), (RegionClass::Doall, RegionClass::Doall));
}

/// `fib(n)`: figures of every call follow from those of the two calls below it.
fn fib(function: u32, n: u32) -> SyntheticInstance {
    fn cp(n: u32) -> u64 {
        if n < 2 { 2 } else { 3 + cp(n - 1) }
    }
    if n < 2 {
        node(function, 2, 2, [])
    } else {
        node(
            function,
            4,
            cp(n),
            [fib(function, n - 1), fib(function, n - 2)],
        )
    }
}

/// K13: self-parallelism of a recursive function is not above its total parallelism, and its work is counted once.
#[test]
fn k13_recursion() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let function = program.function("fib", 10..=15);
    let tree = fib(function, 16);
    let work = tree.work();
    let profile = program.build([node(main, 10, 1000, [tree])]);
    let fib = row(&profile, 10);
    assert!(fib.recursive);
    assert_eq!(
        (fib.work, fib.coverage),
        (work, work as f64 / (work + 10) as f64)
    );
    let (sp, tp) = (
        fib.self_parallelism.unwrap(),
        fib.total_parallelism.unwrap(),
    );
    assert!(1.0 < sp && sp < 2.0 && sp < tp, "{sp} {tp}");
    assert_eq!(fib.class, RegionClass::Task);
    // OpenMP plans loops; with tasks and nesting every level of the recursion gains.
    assert!(
        planned(&profile, &PlanOptions::default())
            .entries
            .is_empty()
    );
    let cilk = PlanOptions {
        personality: Personality::built_in("cilk").unwrap(),
        min_sp: Some(1.0),
        ..PlanOptions::default()
    };
    let plan = planned(&profile, &cilk);
    assert_eq!(lines(&plan), [10]);
    assert!(
        plan.speedup > 2.0 * row(&profile, 10).speedup,
        "{}",
        plan.speedup
    );
}

/// Regions beyond the depths tracked are neither invented nor chosen.
#[test]
fn untracked_depths_are_said_to_be_unknown() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (outer, body) = program.add_loop(main, 2..=8);
    let (inner, inner_body) = program.add_loop(body, 3..=7);
    program.levels(0..3);
    let one = node(inner, 0, 7, [node(inner_body, 7, 7, []).times(50)]);
    let profile = program.build([node(
        main,
        0,
        70,
        [node(outer, 0, 70, [node(body, 0, 7, [one]).times(10)])],
    )]);
    let inner = row(&profile, 3);
    assert_eq!(
        (
            inner.self_parallelism,
            inner.total_parallelism,
            inner.critical_path
        ),
        (None, None, None)
    );
    assert_eq!(inner.measured, 0.0);
    let plan = planned(&profile, &PlanOptions::default());
    assert_eq!(
        reason(&plan, 3),
        &RejectionReason::Serial(SerialReason::NotTracked)
    );
    assert_eq!(reason(&plan, 3).code(), "not_tracked");
}

#[test]
fn reductions_make_another_class_and_their_clause() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (looping, body) = program.add_loop(main, 2..=8);
    program.fixed(looping).broken = vec![
        BrokenDependence::new("i", BrokenKind::Induction, 2),
        BrokenDependence::new("total", BrokenKind::Reduction(Operator::Add), 3),
    ];
    let run = node(looping, 0, 9, [node(body, 9, 9, []).times(100)]);
    let plan = planned(
        &program.build([node(main, 0, 9, [run])]),
        &PlanOptions::default(),
    );
    let entry = &plan.entries[0];
    assert_eq!(entry.class, RegionClass::DoallReduction);
    assert_eq!(entry.pragma, None, "nothing is known of `total`");
    assert!(entry.needs[0].contains("`total` is no variable that a clause can name"));
    assert_eq!(entry.reductions.len(), 1);
}

#[test]
fn iterations_are_listed_on_request() {
    let profile = like_ft();
    let all = Regions::new(
        Model::new(&[profile]).unwrap(),
        true,
        &PlanOptions::default(),
    )
    .unwrap();
    let body = all
        .rows
        .iter()
        .find(|r| &*r.id == "synthetic.c:2:3:body")
        .unwrap();
    assert_eq!((body.instances, body.iterations), (8, None));
    assert_eq!(
        all.rows
            .iter()
            .find(|r| &*r.id == "synthetic.c:2:3")
            .unwrap()
            .parent
            .as_deref(),
        Some("synthetic.c:1:main")
    );
    assert_eq!(body.parent.as_deref(), Some("synthetic.c:2:3"));
}

/// Nesting: one instance of a loop is serial, another twice parallel, outside and inside. Together they seem to allow
/// 1010 x 0.55 = 555 units of time, less than their critical path of 1001.
#[test]
fn nested_parallelism_stops_at_the_critical_path() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (outer, body) = program.add_loop(main, 2..=8);
    let (inner, inner_body) = program.add_loop(body, 3..=7);
    let serial = node(outer, 0, 1000, [node(body, 500, 500, []).times(2)]);
    let wide = node(inner, 0, 1, [node(inner_body, 1, 1, []).times(100)]);
    let parallel = node(outer, 0, 1, [node(body, 0, 1, [wide]).times(10)]);
    let profile = program.build([node(main, 0, 1001, [serial, parallel])]);
    let mut personality = Personality::built_in("cilk").unwrap();
    personality.class_rule = ClassRule::Kremlin;
    let options = PlanOptions {
        personality,
        min_sp: Some(1.0),
        min_speedup_doacross: Some(0.0),
        ..PlanOptions::default()
    };
    let plan = planned(&profile, &options);
    assert_eq!(lines(&plan), [3, 2]);
    assert!(
        (plan.speedup - 2000.0 / 1001.0).abs() < 1e-9,
        "{}",
        plan.speedup
    );
}
