//! Plans for vectors and devices: cases solved by hand.

use parascan_analysis::costs::TargetMachine;
use parascan_analysis::personality::Personality;
use parascan_analysis::plan::{Plan, PlanOptions, PlanTarget, RejectionReason, plan};
use parascan_formats::module::{AddressStep, MemoryStream};
use parascan_formats::profile::Profile;
use parascan_formats::synthetic::{SyntheticProgram, node};

use crate::common::close;

/// A personality on a machine of two cores on which a nanosecond does 12 units of work.
fn options(personality: &str) -> PlanOptions {
    PlanOptions {
        personality: Personality::built_in(personality).unwrap(),
        machine: Some(TargetMachine {
            cores: 2,
            serial_seconds: None,
            recorded: false,
            calibrated: false,
            memory: None,
        }),
        ..PlanOptions::default()
    }
}

/// Numbers of so many bytes, one after the other, all of which are read.
fn numbers(bytes: u32) -> MemoryStream {
    MemoryStream {
        name: "a[]".to_owned(),
        line: 3,
        base: 0,
        bytes,
        reads: true,
        writes: false,
        steps: vec![AddressStep::By(bytes.into())],
    }
}

/// `main` with a loop on line 2 of so many independent iterations of so much work, over numbers of so many bytes, and
/// `rest` beside.
fn one_loop(
    (iterations, each, rest): (u64, u64, u64),
    bytes: u32,
    vectorized: Option<bool>,
) -> Profile {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (looping, body) = program.add_loop(main, 2..=8);
    let fixed = program.fixed(looping);
    (fixed.streams, fixed.vectorized) = (vec![numbers(bytes)], vectorized);
    let run = node(
        looping,
        0,
        each,
        [node(body, each, each, []).times(iterations)],
    );
    program.build([node(main, rest, rest + each, [run])])
}

fn planned(profile: Profile, options: &PlanOptions) -> Plan {
    plan(&[profile], options).unwrap()
}

/// Why the loop on line 2 is left out.
fn why(plan: &Plan) -> &RejectionReason {
    let found = plan.rejected.iter().find(|one| one.region.line == 2);
    &found.unwrap().reason
}

/// 10,000 units by fours beside 2000: 12,000 / 4500. At worst nothing.
#[test]
fn vectors_do_so_many_elements_at_a_time() {
    for state in [None, Some(false)] {
        let found = planned(one_loop((1000, 10, 2000), 4, state), &options("simd"));
        let outlook = found.outlook.as_ref().unwrap();
        assert_eq!((found.entries.len(), found.entries[0].line), (1, 2));
        assert_eq!(outlook.target, PlanTarget::Vectors(16));
        assert!(
            close(outlook.all.speedup, 12_000.0 / 4500.0),
            "{:?}",
            outlook.all
        );
        assert!(close(outlook.all.most, 12_000.0 / 4500.0) && close(outlook.all.least, 1.0));
        assert!(outlook.curve.is_empty());
        let known = found.entries[0]
            .hints
            .iter()
            .any(|h| h.contains("is not known"));
        assert_eq!(known, state.is_none());
    }
}

#[test]
fn what_is_vectorized_or_too_wide_is_left_out() {
    let vectorized = planned(one_loop((1000, 10, 2000), 4, Some(true)), &options("simd"));
    assert_eq!(why(&vectorized), &RejectionReason::Vectorized);
    // One element fills a vector.
    let wide = planned(one_loop((1000, 10, 2000), 16, None), &options("simd"));
    assert!(
        matches!(why(&wide), RejectionReason::LittleByVectors { percent, .. } if *percent == 0.0)
    );
    // Threads do not mind.
    let threads = planned(
        one_loop((1_000_000, 1000, 0), 4, Some(true)),
        &options("openmp"),
    );
    assert_eq!(threads.entries.len(), 1);
}

/// Only loops in which nothing else runs.
#[test]
fn vectors_are_for_innermost_loops() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (outer, outer_body) = program.add_loop(main, 2..=8);
    let (inner, inner_body) = program.add_loop(outer_body, 3..=7);
    let run = node(inner, 0, 10, [node(inner_body, 10, 10, []).times(50)]);
    let all = node(outer, 0, 10, [node(outer_body, 0, 10, [run]).times(40)]);
    let found = planned(program.build([node(main, 0, 10, [all])]), &options("simd"));
    assert_eq!((found.entries.len(), found.entries[0].line), (1, 3));
    assert!(matches!(why(&found), RejectionReason::KindNotPlanned(_)));
}

/// 20,000 iterations of 100,000 units are 2e9, and take a twentieth on a device; to start it 10,000 ns of 12 units, and
/// 160,000 bytes at 12 in a nanosecond, are 120,000 and 160,000 more. A tenth of the iterations keep it busy to a
/// fifth.
#[test]
fn devices_are_started_and_given_what_they_work_on() {
    let found = planned(one_loop((20_000, 100_000, 0), 8, None), &options("gpu"));
    let outlook = found.outlook.as_ref().unwrap();
    assert_eq!(found.entries.len(), 1);
    assert!(
        close(outlook.all.speedup, 2e9 / (1e8 + 280_000.0)),
        "{:?}",
        outlook.all
    );
    let entry = &found.entries[0];
    assert!(entry.pragma.is_none() && entry.proposal.as_ref().unwrap().contains("target"));
    assert!(
        entry.hints.iter().any(|h| h.contains("160 kB")),
        "{:?}",
        entry.hints
    );
    assert!(
        entry
            .hints
            .iter()
            .any(|h| h.starts_with("12500.0 units of work for each byte"))
    );
    let few = planned(one_loop((2000, 100_000, 0), 8, None), &options("gpu"));
    let outlook = few.outlook.as_ref().unwrap();
    assert!(close(
        outlook.all.speedup,
        2e8 / (2e8 / 4.0 + 120_000.0 + 16_000.0)
    ));
    let little = planned(one_loop((2000, 50, 0), 8, None), &options("gpu"));
    let RejectionReason::LittleOnDevice {
        iterations,
        times: [here, there, start],
        bytes,
        ..
    } = why(&little)
    else {
        panic!("{:?}", why(&little));
    };
    assert_eq!((*iterations, *bytes), (2000.0, 16_000.0));
    // 100,000 units; a quarter of that; 136,000 more.
    assert!(close(*here, 100_000.0 / 12e6) && close(*there, 25_000.0 / 12e6));
    assert!(close(*start, 136_000.0 / 12e6), "{start}");
}

/// A nest counts with the iterations of both loops: 100 x 200.
#[test]
fn nests_keep_a_device_busy() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (outer, outer_body) = program.add_loop(main, 2..=8);
    let (inner, inner_body) = program.add_loop(outer_body, 3..=7);
    let each = 100_000;
    let run = node(
        inner,
        0,
        each,
        [node(inner_body, each, each, []).times(200)],
    );
    let all = node(
        outer,
        0,
        each,
        [node(outer_body, 0, each, [run]).times(100)],
    );
    let found = planned(program.build([node(main, 0, each, [all])]), &options("gpu"));
    assert_eq!((found.entries.len(), found.entries[0].line), (1, 2));
    let speedup = found.outlook.as_ref().unwrap().all.speedup;
    assert!(close(speedup, 2e9 / (1e8 + 120_000.0)), "{speedup}");
}
