//! Processes of one run side by side, phase by phase, and those that do not belong together.

use parascan_formats::omp::Recording;
use parascan_formats::omp::synthetic::RunBuilder;

use crate::common::runs::{multigrid, node, region, side_by_side, thin, v_cycle};

/// A process of a run of ten steps, each of them `step` long; `own` is entered first by this rank alone.
fn process(own: Option<&str>, step: impl Fn(u64) -> u64) -> Recording {
    let mut run = RunBuilder::new(2);
    if let Some(name) = own {
        region(&mut run, name, &[30, 30]);
    }
    for number in 1..=10 {
        let time = step(number);
        region(&mut run, "step", &[time, time]);
        region(&mut run, "sum", &[10, 10]);
    }
    run.finish()
}

/// Phases of all ranks are the same ones, whatever the numbers of their nodes are, and the slowest is named.
#[test]
fn ranks_are_compared_phase_by_phase() {
    let recordings = vec![
        process(None, |_| 90),
        process(Some("input"), |number| if number == 4 { 290 } else { 90 }),
        process(None, |number| 80 + number),
    ];
    let result = side_by_side(recordings).unwrap();
    let [leader, other, _] = result.each.as_slice() else {
        panic!("three ranks");
    };
    assert_ne!(node(leader, "step"), node(other, "step"));
    let times: Vec<Vec<u64>> = result.phases.iter().map(|s| s.times.clone()).collect();
    assert_eq!(times.len(), 10);
    assert_eq!(times[0], [100, 100, 91]);
    assert_eq!(times[3], [100, 300, 94]);
    assert_eq!(result.phases[3].slowest(), (1, 300));
    assert_eq!((result.phases[3].first, result.phases[3].last), (4, 4));
    let expected = 300.0 / ((100.0 + 300.0 + 94.0) / 3.0);
    assert!((result.phases[3].imbalance().unwrap() - expected).abs() < 1e-9);
    // 8 phases of equal lengths in ranks 0 and 1, the slow one, and the last, in which all are equal.
    assert_eq!(result.slowest(), [9, 1, 0]);
    let means: u64 = times.iter().flatten().sum();
    let all = 3.0 * (9.0 * 100.0 + 300.0) / means as f64;
    assert!((result.imbalance.unwrap() - all).abs() < 1e-9);
}

/// Where one rank's snapshots were thinned, phases are joined to where all have one.
#[test]
fn phases_of_ranks_begin_at_the_same_iterations() {
    let mut thinned = process(None, |_| 190);
    thin(&mut thinned, "step", 2);
    thin(&mut thinned, "sum", 2);
    let plain = process(None, |_| 90);
    for recordings in [[plain.clone(), thinned.clone()], [thinned, plain]] {
        let result = side_by_side(recordings.to_vec()).unwrap();
        let first = (result.phases[0].first, result.phases[0].last);
        assert_eq!((result.phases.len(), first), (5, (1, 2)));
        let mut times = result.phases[1].times.clone();
        times.sort_unstable();
        assert_eq!(times, [200, 400]);
    }
}

#[test]
fn ranks_that_do_not_fit_are_refused() {
    let plain = process(None, |_| 90);
    let mut foreign = plain.clone();
    foreign.run.command = vec!["/bin/other".to_owned()];
    let mut shorter = RunBuilder::new(2);
    let mut elsewhere = RunBuilder::new(2);
    for _ in 0..9 {
        region(&mut shorter, "step", &[90, 90]);
        region(&mut shorter, "sum", &[10, 10]);
        region(&mut elsewhere, "another", &[90, 90]);
    }
    let empty = RunBuilder::new(1).finish();
    for (recordings, why) in [
        (
            vec![plain.clone(), foreign],
            "1.omp is of the program `other`",
        ),
        (
            vec![plain.clone(), shorter.finish()],
            "1.omp has 9 iterations",
        ),
        (
            vec![plain.clone(), elsewhere.finish()],
            "1.omp was never where",
        ),
        (vec![empty, plain], "0.omp has no phases"),
    ] {
        let error = side_by_side(recordings).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

/// Each rank's periods are its own.
#[test]
fn ranks_by_the_order_of_regions() {
    let plain = multigrid(12, 128);
    let mut late = RunBuilder::new(2);
    region(&mut late, "search", &[500, 500]);
    (0..12).for_each(|_| v_cycle(&mut late, 256));
    let recordings = vec![plain, late.finish()];
    let result = side_by_side(recordings).unwrap();
    assert_eq!(result.phases.len(), 12);
    let each: Vec<&Vec<u64>> = result.phases.iter().map(|side| &side.times).collect();
    assert!(
        each.iter()
            .all(|times| *times == each[0] && times[1] > times[0])
    );
}
