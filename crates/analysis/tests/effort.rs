//! The parallelization effort chart against hand-solved cases and a reference that writes every instance out.

use crate::common::{any_profile, close, id, random_profile, walk};
use parascan_analysis::class::RegionClass;
use parascan_analysis::costs::TargetMachine;
use parascan_analysis::effort::{
    CodeLines, EffortChart, EffortOptions, LineCountMethod, SkipReason, Sources, effort,
};
use parascan_analysis::plan;
use parascan_formats::module::RegionKind;
use parascan_formats::profile::{EqualChildren, Profile};
use parascan_formats::synthetic::{SyntheticProgram, node};
use proptest::prelude::*;

/// Every region that brings anything is a step.
fn all_steps() -> EffortOptions {
    EffortOptions {
        serial_below: 1.0,
        min_speedup: 0.0,
        ..EffortOptions::default()
    }
}

fn chart(profile: &Profile, options: &EffortOptions) -> EffortChart {
    effort(std::slice::from_ref(profile), &Sources::new(), options).expect("a chart")
}

fn ids(effort: &EffortChart) -> Vec<&str> {
    effort.steps.iter().map(|step| &*step.region.id).collect()
}

fn times(effort: &EffortChart) -> Vec<u64> {
    effort.steps.iter().map(|step| step.time).collect()
}

/// Fact R4: a leaf takes its critical path when it is chosen, else its work.
#[test]
fn r4_leaves_take_their_critical_path() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=50);
    let (a, a_body) = program.add_loop(main, 2..=21);
    let (b, b_body) = program.add_loop(main, 30..=31);
    let profile = program.build([node(
        main,
        10,
        // Everything waits for everything.
        10 + 10 + 50,
        [
            node(a, 0, 10, [node(a_body, 10, 10, []).times(100)]),
            node(b, 0, 50, [node(b_body, 10, 10, []).times(50)]),
        ],
    )]);
    let effort = chart(&profile, &EffortOptions::default());
    // Work 1510. Alone `a` saves 990 by 20 lines: (1510/520 - 1) / 20 = 0.095; `b` saves 450 by 2 lines:
    // (1510/1060 - 1) / 2 = 0.212. So `b` is first although `a` brings more. `main` adds nothing to both.
    assert_eq!(ids(&effort), ["synthetic.c:30:3", "synthetic.c:2:3"]);
    assert_eq!(times(&effort), [1060, 70]);
    assert!(close(effort.steps[1].relative_speedup, 1060.0 / 70.0));
    assert!(close(effort.steps[1].overall_speedup, 1510.0 / 70.0));
    assert_eq!(
        effort
            .steps
            .iter()
            .map(|s| s.lines_so_far)
            .collect::<Vec<_>>(),
        [2, 22]
    );
    assert_eq!(effort.left[0].why, SkipReason::BringsLittle);
}

/// A loop whose iterations wait for each other, with a parallel one inside: by the paper it may be a step, by the plan
/// only the inner one.
#[test]
fn steps_agree_with_the_plan() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (outer, outer_body) = program.add_loop(main, 2..=3);
    let (inner, inner_body) = program.add_loop(outer_body, 10..=49);
    let one = node(
        outer_body,
        0,
        10,
        [node(
            inner,
            0,
            10,
            [node(inner_body, 10, 10, []).times(100)],
        )],
    );
    let profile = program.build([node(main, 0, 100, [node(outer, 0, 100, [one.times(10)])])]);
    let paper = chart(&profile, &EffortOptions::default());
    assert_eq!(ids(&paper)[0], "synthetic.c:2:3");
    assert_eq!(paper.steps[0].region.class, RegionClass::Serial);
    let options = EffortOptions {
        plan: Some(plan::PlanOptions::default()),
        ..EffortOptions::default()
    };
    let agreed = chart(&profile, &options);
    assert_eq!(ids(&agreed), ["synthetic.c:10:3"]);
    let outer = agreed
        .left
        .iter()
        .find(|l| &*l.region.id == "synthetic.c:2:3");
    assert_eq!(outer.map(|l| l.why), Some(SkipReason::SerialClass));
    // On a machine whose threads cost more than such a loop brings there is nothing to do.
    let machine = TargetMachine {
        cores: 4,
        serial_seconds: Some(1e-9),
        recorded: false,
        calibrated: false,
        memory: None,
    };
    let options = EffortOptions {
        plan: Some(plan::PlanOptions {
            machine: Some(machine),
            ..plan::PlanOptions::default()
        }),
        ..EffortOptions::default()
    };
    let none = chart(&profile, &options);
    assert!(none.steps.is_empty(), "{:?}", ids(&none));
    let inner = none
        .left
        .iter()
        .find(|l| &*l.region.id == "synthetic.c:10:3");
    assert_eq!(inner.map(|l| l.why), Some(SkipReason::TooLittleWork));
    // Nor where the plan has another reason to leave the loop out.
    let mut below = options;
    below.plan.as_mut().unwrap().min_sp = Some(1e6);
    let none = chart(&profile, &below);
    assert!(none.steps.is_empty(), "{:?}", ids(&none));
}

/// Fact R4: a chosen region takes as long as its slowest child or its critical path, whichever is longer; one that is
/// not chosen its own work and all its children.
#[test]
fn r4_parents_take_the_maximum_or_the_sum() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=4);
    let (f, g) = (
        program.function("f", 10..=109),
        program.function("g", 200..=299),
    );
    let profile = program.build([node(
        main,
        40,
        60,
        [node(f, 600, 50, []), node(g, 300, 20, [])],
    )]);
    let effort = chart(&profile, &all_steps());
    // `main`, 4 lines: max(600, 300, 60) = 600 of 940. Then `f`: max(50, 300, 60); then `g`: max(50, 20, 60).
    assert_eq!(
        ids(&effort),
        [
            "synthetic.c:1:main",
            "synthetic.c:10:f",
            "synthetic.c:200:g"
        ]
    );
    assert_eq!(times(&effort), [600, 300, 60]);
    let without = chart(
        &profile,
        &EffortOptions {
            exclude: vec!["synthetic.c:1:main".into()],
            ..all_steps()
        },
    );
    // Not chosen: 40 + children.
    assert_eq!(times(&without), [40 + 50 + 300, 40 + 50 + 20]);
    assert_eq!(without.left[0].why, SkipReason::Excluded);
}

/// Every step is weighed anew: what brings most at first may bring nothing later.
#[test]
fn r4_benefits_are_found_anew_after_each_choice() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=100);
    let (outer, body) = program.add_loop(main, 2..=11);
    let (inner, inner_body) = program.add_loop(body, 3..=9);
    let run = node(inner, 0, 5, [node(inner_body, 5, 5, []).times(20)]);
    let profile = program.build([node(
        main,
        0,
        6,
        [node(outer, 0, 6, [node(body, 1, 6, [run]).times(30)])],
    )]);
    let effort = chart(&profile, &all_steps());
    // `outer` (10 lines): 3030 -> max(100, 6), 2.93 a line; `inner` (7 lines): 3030 -> 30 * (5 + 1), 2.26 a line.
    assert_eq!(ids(&effort), ["synthetic.c:2:3", "synthetic.c:3:3"]);
    assert_eq!(times(&effort), [100, 6]);
    let done = chart(
        &profile,
        &EffortOptions {
            done: vec!["synthetic.c:3:3".into()],
            ..all_steps()
        },
    );
    assert_eq!(
        done.done.iter().map(|id| &**id).collect::<Vec<_>>(),
        ["synthetic.c:3:3"]
    );
    assert!(close(done.done_speedup, 3030.0 / 180.0));
    assert_eq!(
        (ids(&done), times(&done)),
        (vec!["synthetic.c:2:3"], vec![6])
    );
}

/// Two equally slow children of a parallelized region: neither brings anything without the other.
#[test]
fn plateaus_are_crossed() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=4);
    let (f, g) = (
        program.function("f", 10..=19),
        program.function("g", 30..=39),
    );
    let profile = program.build([node(
        main,
        0,
        10,
        [node(f, 500, 10, []), node(g, 500, 5, [])],
    )]);
    let effort = chart(&profile, &EffortOptions::default());
    assert_eq!(
        ids(&effort),
        ["synthetic.c:1:main", "synthetic.c:30:g", "synthetic.c:10:f"]
    );
    assert_eq!(times(&effort), [500, 500, 10]);
    assert_eq!(effort.steps[1].relative_speedup, 1.0);
}

#[test]
fn serial_regions_are_no_steps() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (chain, link) = program.add_loop(main, 2..=4);
    let profile = program.build([node(
        main,
        0,
        1000,
        [node(chain, 0, 1000, [node(link, 105, 100, []).times(10)])],
    )]);
    let effort = chart(&profile, &EffortOptions::default());
    assert!(effort.steps.is_empty());
    assert!(
        effort
            .left
            .iter()
            .all(|left| left.why == SkipReason::Serial)
    );
    let eager = chart(&profile, &all_steps());
    assert_eq!(times(&eager), [1000]);
}

#[test]
fn depths_that_were_not_tracked_stay_as_they_are() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (outer, body) = program.add_loop(main, 2..=8);
    program.levels(1..3);
    let root = node(
        main,
        7,
        50,
        [node(outer, 0, 10, [node(body, 10, 10, []).times(4)])],
    );
    let effort = chart(&program.build([root]), &all_steps());
    assert_eq!(times(&effort), [17]);
    assert_eq!(effort.left[0].why, SkipReason::NotMeasured);
}

#[test]
fn lines_come_from_the_source_where_it_is_there() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (outer, body) = program.add_loop(main, 3..=8);
    let profile = program.build([node(
        main,
        1,
        11,
        [node(outer, 0, 10, [node(body, 10, 10, []).times(9)])],
    )]);
    let text =
        "int main(void)\n{\n  for (;;)\n  {\n    // what\n\n    f(); /* and\n      why */ }\n}\n";
    let sources = |text| Sources::from([("synthetic.c".to_owned(), CodeLines::new(text))]);
    let with = |text| {
        effort(std::slice::from_ref(&profile), &sources(text), &all_steps())
            .unwrap()
            .steps[0]
            .lines
    };
    assert_eq!(
        (with(text).count, with(text).how),
        (4, LineCountMethod::Source)
    );
    // Too short: it is not the source that was compiled.
    assert_eq!(
        (with("x\n").count, with("x\n").how),
        (6, LineCountMethod::Span)
    );
    assert_eq!(chart(&profile, &all_steps()).steps[0].lines.count, 6);
}

#[test]
fn wrong_options_are_refused() {
    let profile = random_profile(&[1, 2, 3]);
    for options in [
        EffortOptions {
            team: Some(0),
            ..EffortOptions::default()
        },
        EffortOptions {
            serial_below: 0.5,
            ..EffortOptions::default()
        },
        EffortOptions {
            serial_below: f64::NAN,
            ..EffortOptions::default()
        },
        EffortOptions {
            min_speedup: -1.0,
            ..EffortOptions::default()
        },
        EffortOptions {
            min_speedup: f64::INFINITY,
            ..EffortOptions::default()
        },
        EffortOptions {
            done: vec!["nowhere".into()],
            ..EffortOptions::default()
        },
        EffortOptions {
            exclude: vec!["nowhere".into()],
            ..EffortOptions::default()
        },
    ] {
        assert!(
            effort(std::slice::from_ref(&profile), &Sources::new(), &options).is_err(),
            "{options:?}"
        );
    }
    assert!(effort(&[], &Sources::new(), &EffortOptions::default()).is_err());
}

/// 2^50 instances, 10,000 levels.
#[test]
fn huge_and_deep_trees() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (outer, body) = program.add_loop(main, 2..=8);
    let profile = program.build([node(
        main,
        0,
        8,
        [node(outer, 0, 8, [node(body, 8, 8, []).times(1 << 50)])],
    )]);
    assert_eq!(times(&chart(&profile, &EffortOptions::default())), [8]);
    let deep = std::thread::Builder::new().stack_size(1 << 30).spawn(|| {
        let mut program = SyntheticProgram::new();
        let main = program.function("main", 1..=9);
        let mut nest = node(main, 2, 1, []);
        for level in 2..=10_000 {
            nest = node(main, 2, level, [nest]);
        }
        let profile = program.build([nest.clone()]);
        std::mem::forget(nest);
        profile
    });
    let profile = deep.expect("a thread").join().expect("a profile");
    assert_eq!(times(&chart(&profile, &EffortOptions::default())), [10_000]);
}

/// Where the tree is summarised, what ran inside is known from the contexts.
#[test]
fn children_lost_in_summaries_are_made_up() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=100);
    let (outer, body) = program.add_loop(main, 2..=61);
    let (inner, inner_body) = program.add_loop(body, 3..=9);
    let run = node(inner, 0, 5, [node(inner_body, 5, 5, []).times(20)]);
    let one = node(body, 1, 6, [run]).times(30);
    let whole = program.build([node(main, 0, 180, [node(outer, 0, 180, [one])])]);
    let mut lost = whole.clone();
    for symbol in &mut lost.tree.symbols {
        if symbol.region == body {
            symbol.work *= 30;
            symbol.cp *= 30;
            symbol.summarised = 30;
            symbol.children.clear();
        } else if symbol.region == outer {
            symbol.children[0].count = 1;
        }
    }
    let (whole, lost) = (chart(&whole, &all_steps()), chart(&lost, &all_steps()));
    assert_eq!(ids(&lost), ["synthetic.c:3:3"]);
    assert_eq!((ids(&lost), times(&lost)), (ids(&whole), times(&whole)));
}

/// The new time of a sequence of instances, one by one; for iterations also their longest child's.
fn reference(profile: &Profile, runs: &[EqualChildren], chosen: &[u32]) -> (u64, u64) {
    let (mut sum, mut longest) = (0, 0);
    for run in runs {
        let symbol = &profile.tree.symbols[run.symbol as usize];
        let fixed = &profile.regions[symbol.region as usize].fixed;
        let child_work: u64 = symbol
            .children
            .iter()
            .map(|child| profile.tree.symbols[child.symbol as usize].work * child.count)
            .sum();
        for _ in 0..run.count {
            let (children, slowest) = reference(profile, &symbol.children, chosen);
            let serial = children + symbol.work - child_work;
            if fixed.kind == RegionKind::Iteration {
                sum += serial;
                longest = longest.max(slowest);
            } else {
                // Work without a critical path was not tracked.
                let tracked = symbol.cp > 0 || symbol.work == 0;
                let time = if chosen.contains(&symbol.region) && tracked {
                    slowest.max(symbol.cp)
                } else {
                    serial
                };
                sum += time;
                longest = longest.max(time);
            }
        }
    }
    (sum, longest)
}

fn lines(profile: &Profile, region: u32) -> f64 {
    let fixed = &profile.regions[region as usize].fixed;
    f64::from(fixed.end_line - fixed.line + 1)
}

fn small_profile() -> impl Strategy<Value = Profile> {
    prop::collection::vec(any::<u8>(), 1..90).prop_map(|bytes| random_profile(&bytes))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Every greedy step is the best of all regions, and there is none left at the end.
    #[test]
    fn every_step_is_the_best_one(profile in small_profile()) {
        let effort = chart(&profile, &all_steps());
        let regions: Vec<u32> = walk(&profile)
            .regions
            .keys()
            .copied()
            .filter(|&r| profile.regions[r as usize].fixed.kind != RegionKind::Iteration)
            .collect();
        let mut chosen: Vec<u32> = Vec::new();
        let mut now = profile.work;
        for step in effort.steps.iter().map(Some).chain([None]) {
            let mut best = 0.0f64;
            let mut of_step = None;
            for &region in &regions {
                if chosen.contains(&region) {
                    continue;
                }
                chosen.push(region);
                let time = reference(&profile, &profile.tree.root, &chosen).0;
                chosen.pop();
                let merit = (now as f64 / (time as f64).max(1e-9) - 1.0) / lines(&profile, region);
                best = best.max(merit);
                if step.is_some_and(|step| *step.region.id == *id(&profile, region)) {
                    of_step = Some((region, time, merit));
                }
            }
            match step {
                None => {
                    let all = reference(&profile, &profile.tree.root, &regions).0;
                    prop_assert!(best <= 0.0 && now == all, "something is left");
                }
                Some(step) => {
                    let (region, time, merit) = of_step.expect("a region that ran, and was not chosen before");
                    prop_assert_eq!(step.time, time);
                    prop_assert!(merit >= best * (1.0 - 1e-9), "{} is not the best: {} of {}", step.region.id, merit, best);
                    prop_assert!(close(step.relative_speedup, now as f64 / time as f64));
                    chosen.push(region);
                    now = time;
                }
            }
        }
    }

    #[test]
    fn speedups_rise_up_to_the_total_parallelism(profile in any_profile()) {
        let effort = chart(&profile, &all_steps());
        let mut last = 1.0;
        for (index, step) in effort.steps.iter().enumerate() {
            prop_assert_eq!(step.region.rank, Some(index as u32 + 1));
            prop_assert!(step.relative_speedup >= 1.0);
            prop_assert!(step.overall_speedup >= last);
            last = step.overall_speedup;
        }
        prop_assert!(last * profile.critical_path as f64 <= profile.work as f64 * (1.0 + 1e-9) || effort.steps.is_empty());
        let listed = effort.steps.len() + effort.left.len();
        let ran = walk(&profile).regions.keys().filter(|&&r| profile.regions[r as usize].fixed.kind != RegionKind::Iteration).count();
        prop_assert_eq!(listed, ran);
    }

    /// What is done already, in the order of the chart, leaves the rest of the chart.
    #[test]
    fn doing_a_step_leaves_the_others(profile in any_profile(), steps in 1usize..4) {
        let all = chart(&profile, &all_steps());
        prop_assume!(all.steps.len() > steps);
        let done: Vec<String> = ids(&all)[..steps].iter().map(ToString::to_string).collect();
        let rest = chart(&profile, &EffortOptions { done, ..all_steps() });
        prop_assert_eq!(ids(&rest), &ids(&all)[steps..]);
        prop_assert_eq!(times(&rest), &times(&all)[steps..]);
        prop_assert!(close(rest.done_speedup, all.steps[steps - 1].overall_speedup));
    }

    /// No member of a team runs inside another; the first is the chart's first.
    #[test]
    fn teams_do_not_meet(profile in any_profile(), size in 1u32..6) {
        let team = chart(&profile, &EffortOptions { team: Some(size), ..all_steps() });
        let all = chart(&profile, &all_steps());
        prop_assert!(team.steps.len() <= size as usize);
        prop_assert_eq!(ids(&team).into_iter().next(), ids(&all).into_iter().next());
        let nested = walk(&profile).nested;
        let name = |region: u32| id(&profile, region);
        for (around, inside) in nested {
            let (around, inside) = (name(around), name(inside));
            let both = around != inside && ids(&team).contains(&&*around) && ids(&team).contains(&&*inside);
            prop_assert!(!both, "{} inside {}", inside, around);
        }
        for left in &team.left {
            prop_assert!(left.why != SkipReason::TeamComplete || team.steps.len() == size as usize);
        }
    }

    #[test]
    fn excluded_regions_are_no_steps(profile in any_profile(), which in any::<prop::sample::Index>()) {
        let all = chart(&profile, &all_steps());
        prop_assume!(!all.steps.is_empty());
        let out = which.get(&ids(&all)).to_string();
        let less = chart(&profile, &EffortOptions { exclude: vec![out.clone()], ..all_steps() });
        prop_assert!(!ids(&less).contains(&&*out));
        prop_assert!(less.left.iter().any(|left| *left.region.id == *out && left.why == SkipReason::Excluded));
    }

    /// Two runs of a program weigh twice as much and change nothing.
    #[test]
    fn the_same_profile_twice(profile in any_profile()) {
        let one = chart(&profile, &all_steps());
        let two = effort(&[profile.clone(), profile], &Sources::new(), &all_steps()).expect("a chart");
        prop_assert_eq!(ids(&one), ids(&two));
        prop_assert_eq!(times(&one).iter().map(|t| 2 * t).collect::<Vec<_>>(), times(&two));
    }
}
