//! Runs without phases, cut by time: slices end where every thread is known to be counted, and nothing is made up.

use parascan_analysis::Error;
use parascan_analysis::phases::{PhaseMethod, PhaseOptions, Phases, phases};
use parascan_formats::omp::synthetic::RunBuilder;
use parascan_formats::omp::{Construct, Recording, State};

use crate::common::runs::{adds_up, region};

/// The recording cut by time; the parts add up to the run.
fn sliced(recording: &Recording, length: u64) -> Phases {
    let options = PhaseOptions {
        interval: Some(length),
        ..PhaseOptions::default()
    };
    let result = phases(recording, &options).unwrap();
    adds_up(recording, &result);
    assert_eq!(result.choice.as_ref().unwrap().how, PhaseMethod::Interval);
    result
}

/// First interval, begin, length and number of intervals of each slice.
fn bounds(result: &Phases) -> Vec<(u32, u64, u64, u64)> {
    let slices = result.phases();
    slices
        .map(|(number, piece)| (number, piece.time.start, piece.wall(), piece.intervals))
        .collect()
}

/// Slices end at the closest snapshots; what has none of its own is part of a longer one, and nothing is made up.
#[test]
fn slices_of_time() {
    let mut run = RunBuilder::new(2);
    // Nothing repeats: no phases.
    for step in 0..20 {
        region(&mut run, &format!("step {step}"), &[250, 200]);
    }
    region(&mut run, "long", &[2900, 10]);
    region(&mut run, "last", &[200, 200]);
    let recording = run.finish();
    let none = phases(&recording, &PhaseOptions::default()).unwrap();
    assert_eq!((none.phases().count(), none.intervals), (0, None));
    let result = sliced(&recording, 1000);
    assert_eq!(
        bounds(&result),
        [
            (1, 0, 1000, 1),
            (2, 1000, 1000, 1),
            (3, 2000, 1000, 1),
            (4, 3000, 1000, 1),
            (5, 4000, 1000, 1),
            // The long one ends at 7900, which is closest to 8000.
            (6, 5000, 2900, 3),
            (9, 7900, 200, 1),
        ]
    );
    let intervals = result.intervals.unwrap();
    assert_eq!(
        (intervals.length, intervals.number, intervals.joined),
        (1000, 9, 3)
    );
    let work = |number: usize, thread| result.pieces[number].of_thread(thread).work;
    assert_eq!((work(1, 1), work(5, 1)), (800, 10));
    assert!(result.outliers.is_empty() && result.paths.is_empty());
    // One slice may hold everything.
    assert_eq!(bounds(&sliced(&recording, 100_000)), [(1, 0, 8100, 1)]);
    for length in [0, 1] {
        let options = PhaseOptions {
            interval: Some(length),
            ..PhaseOptions::default()
        };
        let mut recording = recording.clone();
        // The message has the shortest slices, in a unit that suits.
        for (duration, shortest) in [(154_505_743, "155ns"), (3_600_000_000_001, "3601us")] {
            recording.run.duration = duration;
            let error = phases(&recording, &options).unwrap_err();
            assert!(matches!(error, Error::Interval { .. }));
            assert!(error.to_string().ends_with(&format!("; try {shortest}")));
        }
    }
}

/// Inside a parallel region a slice ends only where all threads are counted up to then: what a thread did before and
/// reported after would else be in the wrong slice.
#[test]
fn slices_end_where_all_threads_are_counted() {
    let run_of = |late: bool| {
        let mut run = RunBuilder::new(3);
        run.enter(0, Construct::Parallel, "all");
        // The third is not in the team.
        run.adopt(1, 0);
        for step in 0..4 {
            run.enter(0, Construct::Loop, "loop");
            run.spend(0, State::Work, 1000);
            run.leave(0);
            if late && step > 0 {
                continue;
            }
            run.spend(1, State::Work, 1000);
        }
        if late {
            run.spend(1, State::Work, 3000);
        }
        run.release(1);
        run.leave(0);
        region(&mut run, "after", &[1000, 1000, 1000]);
        run.finish()
    };
    let inside = |late: bool| sliced(&run_of(late), 1000);
    let each = [1u32, 2, 3, 4, 5].map(|n| (n, u64::from(n - 1) * 1000, 1000, 1));
    assert_eq!(bounds(&inside(false)), each);
    let result = inside(true);
    assert_eq!(
        bounds(&result),
        [(1, 0, 1000, 1), (2, 1000, 3000, 3), (5, 4000, 1000, 1)]
    );
    assert_eq!(result.pieces[1].of_thread(1).work, 3000);
    // While the initial thread makes the snapshot at 2000, it loses its processor: the other one is counted beyond
    // that.
    let moved = |counted_late: bool| {
        let mut recording = run_of(false);
        let at = recording.snapshots.iter().position(|s| s.time == 2000);
        let (before, after) = recording.snapshots.split_at_mut(at.unwrap() + 1);
        let last = before.last_mut().unwrap();
        if counted_late {
            let work = |s: &mut parascan_formats::omp::Snapshot, change: i64| {
                let part = s.parts.iter_mut().find(|p| p.thread == 1).unwrap();
                let time = &mut part.figures.time[State::Work as usize];
                *time = time.checked_add_signed(change).unwrap();
            };
            work(last, 400);
            work(&mut after[0], -400);
        } else {
            last.read = 400;
        }
        assert_eq!(recording.validate(), Ok(()));
        bounds(&sliced(&recording, 1000))
    };
    for counted_late in [false, true] {
        assert_eq!(
            moved(counted_late)[..3],
            [(1, 0, 1000, 1), (2, 1000, 2000, 2), (4, 3000, 1000, 1)]
        );
    }
}
