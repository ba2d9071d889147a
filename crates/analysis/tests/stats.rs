//! How much a plan spares its reader: a case solved by hand, and what must hold of any.

use crate::common::any_profile;
use parascan_analysis::plan::{PlanOptions, Stats, plan, stats};
use parascan_analysis::regions::regions;
use parascan_formats::profile::Profile;
use parascan_formats::synthetic::{SyntheticProgram, node};
use proptest::prelude::*;

fn of(profile: &Profile) -> Stats {
    let profiles = std::slice::from_ref(profile);
    let plan = plan(profiles, &PlanOptions::default()).unwrap();
    stats(&regions(profiles).unwrap().rows, &plan)
}

/// Ten iterations that wait for each other, each with a loop of a hundred that do not: fact K3 in numbers. Total
/// parallelism is 100 for all three regions, self-parallelism 1 for the function (its one loop takes all of its
/// critical path) and the outer loop, 100 for the inner one.
#[test]
fn of_a_nest_self_parallelism_leaves_the_inner_loop() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (outer, outer_body) = program.add_loop(main, 2..=8);
    let (inner, inner_body) = program.add_loop(outer_body, 3..=7);
    let inside = node(inner, 0, 10, [node(inner_body, 10, 10, []).times(100)]);
    let one = node(outer_body, 0, 10, [inside]);
    let profile = program.build([node(main, 0, 100, [node(outer, 0, 100, [one.times(10)])])]);
    let expected = Stats {
        regions: 3,
        unmeasured: 0,
        low_below: 5.0,
        low_total_parallelism: 0,
        low_self_parallelism: 2,
        by_work: 3,
        by_self_parallelism: 1,
        planned: 1,
        shares: vec![1.0; 4],
    };
    assert_eq!(of(&profile), expected);
}

/// Three loops after each other, of which the plan saves 990, 90 and 40 units: of 1120 the first quarter (one entry)
/// 990, the first half (two) 1080.
#[test]
fn shares_are_of_what_the_whole_plan_saves() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=99);
    let mut loops = Vec::new();
    for (line, iterations) in [(10, 100), (20, 10), (30, 5)] {
        let (number, body) = program.add_loop(main, line..=line + 2);
        loops.push(node(
            number,
            0,
            10,
            [node(body, 10, 10, []).times(iterations)],
        ));
    }
    let profile = program.build([node(main, 0, 30, loops)]);
    let found = of(&profile);
    assert_eq!(found.planned, 3);
    let expected = [990.0 / 1120.0, 1080.0 / 1120.0, 1.0, 1.0];
    for (found, expected) in found.shares.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
}

proptest! {
    #[test]
    fn every_step_leaves_less(profile in any_profile()) {
        let found = of(&profile);
        prop_assert!(found.planned <= found.by_self_parallelism);
        prop_assert!(found.by_self_parallelism <= found.by_work);
        prop_assert!(found.by_work <= found.regions);
        prop_assert!(found.low_self_parallelism + found.unmeasured <= found.regions);
        prop_assert!(found.shares.windows(2).all(|pair| pair[0] <= pair[1] + 1e-9));
    }
}
