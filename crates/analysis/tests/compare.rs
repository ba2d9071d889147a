//! Two profiles of one program: what differs, and that nothing does where nothing should.

use crate::common::any_profile;
use parascan_analysis::Error;
use parascan_analysis::class::RegionClass;
use parascan_analysis::compare::{Comparison, RegionChange, compare};
use parascan_analysis::plan::PlanOptions;
use parascan_formats::profile::Profile;
use parascan_formats::source::Fingerprint;
use parascan_formats::synthetic::{SyntheticProgram, node};
use proptest::prelude::*;

fn compared(first: &Profile, second: &Profile) -> Comparison {
    compare(first, second, &PlanOptions::default()).unwrap()
}

/// A function with two loops from these lines on, the second of which carries a dependence if that is asked for.
fn two_loops(first_line: u32, carries: bool, iterations: u64) -> Profile {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=99);
    let (a, a_body) = program.add_loop(main, first_line..=first_line + 2);
    let (b, b_body) = program.add_loop(main, first_line + 10..=first_line + 12);
    if carries {
        program.carries(b);
    }
    let cp = if carries { 10 * iterations } else { 10 };
    program.build([node(
        main,
        0,
        10 + cp,
        [
            node(a, 0, 10, [node(a_body, 10, 10, []).times(100)]),
            node(b, 0, cp, [node(b_body, 10, 10, []).times(iterations)]),
        ],
    )])
}

#[test]
fn a_loop_that_is_serial_on_another_input_is_in_one_plan_only() {
    let found = compared(&two_loops(10, false, 100), &two_loops(10, true, 100));
    assert!(!found.agrees());
    let loops: Vec<_> = found
        .differences
        .iter()
        .filter(|d| d.ways[0] == RegionChange::Planned)
        .collect();
    let [one] = loops[..] else {
        panic!("{:?}", found.differences);
    };
    assert_eq!(
        one.ways,
        [
            RegionChange::Planned,
            RegionChange::Class,
            RegionChange::SelfParallelism
        ]
    );
    let (first, second) = (one.first.as_ref().unwrap(), one.second.as_ref().unwrap());
    assert_eq!(
        (first.figures.class, second.figures.class),
        (RegionClass::Doall, RegionClass::Serial)
    );
    assert!(first.rank.is_some() && second.rank.is_none());
}

#[test]
fn lines_that_moved_are_the_same_loops() {
    let found = compared(&two_loops(10, false, 100), &two_loops(17, false, 100));
    assert!(
        found.agrees() && found.differences.is_empty(),
        "{:?}",
        found.differences
    );
    assert_eq!(found.compared, 3);
    // The second loop of one stands where the first of the other did.
    let (mut first, mut second) = (two_loops(10, true, 100), two_loops(20, true, 100));
    for (profile, text) in [(&mut first, "1"), (&mut second, "2")] {
        for region in &mut profile.regions {
            if let Some(source) = &mut region.fixed.source {
                source.text = Some(Fingerprint::of(text.as_bytes()));
            }
        }
    }
    let found = compared(&first, &second);
    assert!(
        found.agrees() && found.differences.is_empty(),
        "{:?}",
        found.differences
    );
}

#[test]
fn more_iterations_are_a_difference_of_figures() {
    let found = compared(&two_loops(10, false, 100), &two_loops(10, false, 400));
    assert!(found.agrees());
    let ways: Vec<&[RegionChange]> = found.differences.iter().map(|d| &*d.ways).collect();
    // 50% and 50% of the work become 20% and 80%.
    assert_eq!(
        ways,
        [
            &[RegionChange::SelfParallelism, RegionChange::Coverage][..],
            &[RegionChange::Coverage]
        ]
    );
}

/// A program of one function in this file, which calls one of a header that all have.
fn with_header(file: &str) -> Profile {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let header = program.function("std::sort", 1..=9);
    program.fixed(main).file = file.to_owned();
    program.fixed(header).file = "/usr/include/c++/14/bits/stl_algo.h".to_owned();
    program.build([node(main, 10, 20, [node(header, 10, 10, [])])])
}

#[test]
fn programs_that_share_nothing_but_headers_are_not_compared() {
    let (one, other) = (with_header("a.cc"), with_header("b.cc"));
    let refused = compare(&one, &other, &PlanOptions::default()).unwrap_err();
    assert!(
        matches!(refused, Error::NothingInCommon { .. }),
        "{refused}"
    );
    assert!(compare(&one, &one, &PlanOptions::default()).is_ok());
}

proptest! {
    #[test]
    fn a_profile_is_like_itself(profile in any_profile()) {
        let found = compared(&profile, &profile);
        prop_assert!(found.agrees());
        prop_assert_eq!(found.differences, []);
    }

    #[test]
    fn sides_can_be_changed(first in any_profile(), second in any_profile()) {
        let of = |first, second| compare(first, second, &PlanOptions::default());
        let (one, other) = (of(&first, &second), of(&second, &first));
        prop_assert_eq!(one.is_ok(), other.is_ok());
        let (Ok(one), Ok(other)) = (one, other) else {
            return Ok(());
        };
        prop_assert_eq!(one.agrees(), other.agrees());
        prop_assert_eq!(one.compared, other.compared);
        prop_assert_eq!(one.differences.len(), other.differences.len());
    }
}
