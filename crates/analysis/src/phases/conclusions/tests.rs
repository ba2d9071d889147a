//! Losses of hand-made runs, with figures worked out by hand.

use parascan_formats::omp::synthetic::RunBuilder;
use parascan_formats::omp::{Construct, State};
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::phases::{PhaseOptions, naming, phases};

/// A parallel region with a team of these threads; `body` is what they do in it.
fn region(run: &mut RunBuilder, name: &str, team: usize, body: impl FnOnce(&mut RunBuilder)) {
    run.enter(0, Construct::Parallel, name);
    (1..team).for_each(|thread| run.adopt(thread, 0));
    body(run);
    (1..team).for_each(|thread| run.release(thread));
    run.leave(0);
}

/// A loop with a barrier: iterations and work of each thread, who then wait for the last.
fn sweep(run: &mut RunBuilder, shares: &[(u64, u64)]) {
    let last = shares.iter().map(|s| s.1).max().unwrap();
    let waits: Vec<u64> = shares.iter().map(|s| last - s.1).collect();
    sweep_from(run, shares, &waits);
}

/// The same, where what threads wait is given.
fn sweep_from(run: &mut RunBuilder, shares: &[(u64, u64)], waits: &[u64]) {
    for (thread, (&(iterations, work), &wait)) in shares.iter().zip(waits).enumerate() {
        run.enter(thread, Construct::Loop, "sweep");
        run.iterations(thread, iterations);
        run.spend(thread, State::Work, work);
        run.spend(thread, State::ImplicitBarrier, wait);
        run.leave(thread);
    }
}

fn lost(run: RunBuilder) -> (Vec<String>, Vec<Loss>) {
    let recording = run.finish();
    assert_eq!(recording.validate(), Ok(()));
    let result = phases(&recording, &PhaseOptions::default()).unwrap();
    let mean = result.total.work / u64::from(result.threads);
    for loss in &result.losses {
        assert!(loss.at_most <= loss.lost && loss.at_most + mean <= recording.run.duration);
        assert!(loss.share >= LEAST && loss.share <= 1.0);
    }
    let name = |l: &Loss| naming::function(&result.tree.nodes[l.node].place).to_owned();
    (result.losses.iter().map(name).collect(), result.losses)
}

fn imbalance_of(run: RunBuilder) -> (Loss, Imbalance) {
    let (_, losses) = lost(run);
    let loss = losses[0].clone();
    match loss.cause.clone() {
        LossCause::Imbalance(imbalance) => (loss, imbalance),
        other => panic!("{other:?}"),
    }
}

/// Ten iterations each, of 100 and of 60: thread 1 waits 400 of 1000. Spread evenly, each would work 800: 200 less,
/// which is half of what is lost. One by one, the last iteration of 100 may begin at the last moment: half of it is
/// lost again.
#[test]
fn iterations_of_unequal_length() {
    let mut run = RunBuilder::new(2);
    region(&mut run, "solve", 2, |run| {
        sweep(run, &[(10, 1000), (10, 600)]);
    });
    let (loss, imbalance) = imbalance_of(run);
    assert_eq!((loss.lost, loss.at_most, loss.share), (400, 200, 0.2));
    assert_eq!(imbalance.reason, ImbalanceReason::Lengths { estimate: 150 });
    let each: Vec<_> = imbalance.shares.iter().map(|s| s.each()).collect();
    assert_eq!(each, [Some(100.0), Some(60.0)]);
}

/// Equal iterations of 10, but 70 and 30 of them: as many for each would end at 500 instead of 700.
#[test]
fn unequal_numbers_of_iterations() {
    let mut run = RunBuilder::new(2);
    for _ in 0..4 {
        region(&mut run, "solve", 2, |run| {
            sweep(run, &[(70, 700), (30, 300)]);
        });
    }
    let (loss, imbalance) = imbalance_of(run);
    assert_eq!((loss.lost, loss.at_most), (1600, 800));
    assert_eq!(imbalance.reason, ImbalanceReason::Numbers { estimate: 800 });
}

/// Nine iterations for two threads: 5 and 4 is the best there is.
#[test]
fn a_remainder_cannot_be_shared() {
    let mut run = RunBuilder::new(2);
    region(&mut run, "solve", 2, |run| {
        sweep(run, &[(5, 500), (4, 400)]);
    });
    assert_eq!(
        imbalance_of(run).1.reason,
        ImbalanceReason::Numbers { estimate: 0 }
    );
}

#[test]
fn fewer_iterations_than_threads() {
    let mut run = RunBuilder::new(4);
    region(&mut run, "solve", 4, |run| {
        sweep(run, &[(1, 500), (1, 500), (1, 500), (0, 0)]);
    });
    let (loss, imbalance) = imbalance_of(run);
    assert_eq!((loss.lost, loss.at_most), (500, 125));
    let few = ImbalanceReason::FewIterations {
        iterations: 3.0,
        team: 4,
    };
    assert_eq!(imbalance.reason, few);
}

/// Each thread is the last one in every other execution: their sums tell nothing about one of them.
#[test]
fn it_is_not_always_the_same_thread() {
    let mut run = RunBuilder::new(2);
    for round in 0..10 {
        region(&mut run, "solve", 2, |run| {
            let shares = [(10, 100), (10, 50)];
            let swapped = [shares[1], shares[0]];
            sweep(run, if round % 2 == 0 { &shares } else { &swapped });
        });
    }
    let (loss, imbalance) = imbalance_of(run);
    assert_eq!((loss.lost, loss.at_most), (500, 250));
    assert_eq!(imbalance.reason, ImbalanceReason::Changing);
}

/// The barrier at the end of the region is that of the loop inside, as compilers have it for `parallel for`; with work
/// beside the loop, or two loops, it is not known whose.
#[test]
fn the_barrier_of_a_region_is_its_only_loops() {
    let with = |loops: &[&str], beside: u64| {
        let mut run = RunBuilder::new(2);
        region(&mut run, "solve", 2, |run| {
            for thread in 0..2 {
                for name in loops {
                    run.enter(thread, Construct::Loop, name);
                    run.iterations(thread, 10);
                    run.spend(thread, State::Work, 400 - 300 * thread as u64);
                    run.leave(thread);
                }
                run.spend(thread, State::Work, beside);
            }
            run.spend(1, State::ImplicitBarrier, 300 * loops.len().max(1) as u64);
        });
        imbalance_of(run).1
    };
    let one = with(&["sweep"], 10);
    assert_eq!(one.reason, ImbalanceReason::Lengths { estimate: 130 });
    assert_eq!((one.of, one.executions), (2, 1));
    assert_eq!(with(&["sweep"], 300).reason, ImbalanceReason::Unknown);
    assert_eq!(
        with(&["sweep", "other"], 10).reason,
        ImbalanceReason::Unknown
    );
    assert_eq!(
        (with(&[], 1000).of, with(&[], 1000).reason),
        (1, ImbalanceReason::Unknown)
    );
}

/// In each of 100 executions two threads work 10 and 8, and one waits 402 for the other, which is woken late. Had one
/// all the work, spreading it would bring 9 at most.
#[test]
fn waits_longer_than_all_work() {
    let mut run = RunBuilder::new(2);
    for _ in 0..100 {
        region(&mut run, "solve", 2, |run| {
            run.spend(1, State::Fork, 400);
            sweep_from(run, &[(5, 10), (5, 8)], &[402, 0]);
        });
    }
    let (loss, imbalance) = imbalance_of(run);
    assert_eq!((loss.lost, loss.at_most), (40_200, 900));
    let late = ImbalanceReason::Late {
        region: 1,
        executions: 100,
        busy: 1800,
    };
    assert_eq!(imbalance.reason, late);
}

/// Inside another region, two teams wait side by side: the half of the waiting is all that can be promised.
#[test]
fn nested_teams() {
    let mut run = RunBuilder::new(2);
    region(&mut run, "outer", 1, |run| {
        region(run, "inner", 2, |run| sweep(run, &[(10, 1000), (10, 600)]));
    });
    let (loss, _) = imbalance_of(run);
    assert_eq!((loss.lost, loss.at_most), (400, 200));
}

/// Two teams of two inside another, at the same time: each of the four threads works 100 and takes 300 to start.
/// Together that is three times as long as the run, which yet cannot end before 100.
#[test]
fn nested_teams_that_start_slowly() {
    let mut run = RunBuilder::new(4);
    region(&mut run, "outer", 2, |run| {
        for leader in 0..2 {
            run.enter(leader, Construct::Parallel, "inner");
            run.adopt(leader + 2, leader);
            for thread in [leader, leader + 2] {
                run.spend(thread, State::Fork, 300);
                run.spend(thread, State::Work, 100);
            }
            run.release(leader + 2);
            run.leave(leader);
        }
    });
    let (names, losses) = lost(run);
    assert_eq!(names, ["inner"]);
    assert_eq!((losses[0].lost, losses[0].at_most), (1200, 300));
}

/// A hundred times 20 to start, 60 of work, 20 to end, with another region in the same loop.
#[test]
fn short_regions() {
    let mut run = RunBuilder::new(2);
    for _ in 0..100 {
        for name in ["first", "second"] {
            region(&mut run, name, 2, |run| {
                for thread in 0..2 {
                    run.spend(thread, State::Fork, 20);
                    run.spend(thread, State::Work, 60);
                    run.spend(thread, State::Join, 20);
                }
            });
        }
    }
    let (names, losses) = lost(run);
    assert_eq!(names, ["first", "second"]);
    let loss = &losses[0];
    assert_eq!((loss.lost, loss.at_most, loss.share), (8000, 4000, 0.2));
    let teams = Teams {
        entries: 100,
        inside: 10_000,
        managing: 4000,
        repeats: Some(Repeats {
            iterations: 100,
            beside: vec![losses[1].node],
            others: false,
        }),
    };
    assert_eq!(loss.cause, LossCause::Teams(teams));
}

/// Two threads take turns in a body of 100: each waits half of the time.
#[test]
fn a_critical_region() {
    let mut run = RunBuilder::new(2);
    region(&mut run, "solve", 2, |run| {
        for thread in [0, 1] {
            run.spend(thread, State::Work, 50);
            run.enter(thread, Construct::Critical, "add");
            run.spend(thread, State::Critical, 100 * thread as u64);
            run.spend(thread, State::Work, 100);
            run.leave(thread);
        }
        run.spend(0, State::ImplicitBarrier, 100);
    });
    let (_, losses) = lost(run);
    let critical = losses
        .iter()
        .find(|l| matches!(l.cause, LossCause::Exclusion(_)));
    let critical = critical.unwrap();
    assert_eq!((critical.lost, critical.at_most), (100, 100));
    let exclusion = Exclusion {
        of: State::Critical,
        entries: 2,
        inside: Some(200),
    };
    assert_eq!(critical.cause, LossCause::Exclusion(exclusion));
}

/// Waiting at a lock: what is done while it is held is not recorded.
#[test]
fn a_lock() {
    let mut run = RunBuilder::new(2);
    region(&mut run, "solve", 2, |run| {
        run.enter(1, Construct::Lock, "lock");
        run.spend(1, State::Lock, 100);
        run.leave(1);
        run.spend(0, State::Work, 100);
    });
    let (_, losses) = lost(run);
    assert_eq!((losses[0].lost, losses[0].at_most), (100, 50));
    assert!(matches!(
        losses[0].cause,
        LossCause::Exclusion(Exclusion {
            of: State::Lock,
            entries: 1,
            inside: None
        })
    ));
}

#[test]
fn single_regions_and_few_sections() {
    let mut run = RunBuilder::new(3);
    region(&mut run, "solve", 3, |run| {
        for thread in 0..3 {
            run.enter(thread, Construct::Single, "read");
            let state = if thread == 1 {
                State::Work
            } else {
                State::Serial
            };
            run.spend(thread, state, 100);
            run.leave(thread);
            run.enter(thread, Construct::Sections, "halves");
            run.iterations(thread, u64::from(thread < 2));
            let state = if thread < 2 {
                State::Work
            } else {
                State::Serial
            };
            run.spend(thread, state, 50);
            run.leave(thread);
        }
    });
    let (names, losses) = lost(run);
    assert_eq!(names, ["read", "halves"]);
    assert_eq!((losses[0].lost, losses[0].at_most), (200, 83));
    let alone = OneThread {
        regions: vec![losses[0].node],
        work: 100,
    };
    assert_eq!(losses[0].cause, LossCause::OneThread(alone));
    let few = LossCause::FewSections {
        sections: 2.0,
        team: 3,
    };
    assert_eq!(losses[1].cause, few);
}

/// A masked region and a barrier behind it: the waiting is at the barrier, its reason is the masked region.
#[test]
fn a_masked_region() {
    let mut run = RunBuilder::new(2);
    region(&mut run, "solve", 2, |run| {
        run.enter(0, Construct::Masked, "write");
        run.spend(0, State::Work, 100);
        run.leave(0);
        for thread in 0..2 {
            run.enter(thread, Construct::Barrier, "wait");
        }
        run.spend(1, State::Serial, 100);
        run.spend(0, State::Barrier, 20);
        run.spend(1, State::Work, 20);
        for thread in 0..2 {
            run.leave(thread);
        }
    });
    let (names, losses) = lost(run);
    assert_eq!(names, ["wait", "wait"]);
    let LossCause::OneThread(alone) = &losses[0].cause else {
        panic!("{losses:?}");
    };
    assert_eq!((alone.regions.len(), alone.work), (1, 100));
    let waits = vec![(0, 20), (1, 0)];
    assert_eq!(losses[1].cause, LossCause::Barrier { waits });
}

#[test]
fn tasks_that_are_small() {
    let mut run = RunBuilder::new(2);
    region(&mut run, "solve", 2, |run| {
        run.enter(0, Construct::Single, "make");
        run.spend(0, State::Tasking, 300);
        run.leave(0);
        for _ in 0..5 {
            run.enter(1, Construct::Task, "task");
            run.spend(1, State::Work, 40);
            run.leave(1);
            run.spend(1, State::Tasking, 20);
        }
    });
    let (_, losses) = lost(run);
    assert_eq!((losses[0].lost, losses[0].at_most), (400, 200));
    let tasks = Tasks {
        created: 0,
        executed: 5,
        work: 200,
    };
    assert_eq!(losses[0].cause, LossCause::Tasks(tasks));
}

/// 300 of 500 are serial: 200 before the region, 80 in a function behind it, 20 at the end. However many threads: 500 /
/// 300 at most.
#[test]
fn the_serial_part() {
    let mut run = RunBuilder::new(2);
    run.spend(0, State::Work, 200);
    region(&mut run, "solve", 2, |run| {
        run.spend(0, State::Work, 200);
        run.spend(1, State::Work, 200);
    });
    run.enter(0, Construct::Function, "output");
    run.spend(0, State::Work, 80);
    run.leave(0);
    run.spend(0, State::Work, 20);
    let (_, losses) = lost(run);
    assert_eq!((losses[0].lost, losses[0].at_most), (300, 150));
    let stretch = |part, time| SerialTime { part, time };
    let serial = Serial {
        time: 300,
        limit: 500.0 / 300.0,
        stretches: vec![
            stretch(SerialPlace::Between(None, Some(1)), 200),
            stretch(SerialPlace::In(2), 80),
            stretch(SerialPlace::Between(Some(2), None), 20),
        ],
    };
    assert_eq!(losses[0].cause, LossCause::Serial(serial));
}

/// Without snapshots between them, nobody knows between which regions the time was.
#[test]
fn serial_time_without_snapshots() {
    let mut run = RunBuilder::new(2);
    run.boundaries(false);
    for name in ["one", "two"] {
        region(&mut run, name, 2, |run| run.spend(0, State::Work, 10));
        run.spend(0, State::Work, 100);
    }
    let (_, losses) = lost(run);
    let LossCause::Serial(serial) = &losses[0].cause else {
        panic!("{losses:?}");
    };
    let somewhere = SerialTime {
        part: SerialPlace::Somewhere,
        time: 200,
    };
    assert_eq!(serial.stretches, [somewhere]);
}

/// One thread waits for nobody, and serial code is all there is.
#[test]
fn one_thread_loses_nothing() {
    let mut run = RunBuilder::new(1);
    run.spend(0, State::Work, 100);
    region(&mut run, "solve", 1, |run| sweep(run, &[(10, 100)]));
    assert_eq!(lost(run).1, []);
}

proptest! {
    /// Executions of a region in which threads work, wait for a lock and wait for the last: without the waiting for the
    /// lock, or with the work spread evenly, no run becomes shorter by more than the bounds say.
    #[test]
    fn bounds_hold(executions in vec(vec((1u64..500, 0u64..500), 3), 1..8)) {
        let mut run = RunBuilder::new(3);
        let (mut unlocked, mut even) = (0, 0);
        for threads in &executions {
            let last = threads.iter().map(|t| t.0 + t.1).max().unwrap();
            let longest = threads.iter().map(|t| t.0).max().unwrap();
            unlocked += last - longest;
            even += last - threads.iter().map(|t| t.0 + t.1).sum::<u64>().div_ceil(3);
            region(&mut run, "solve", 3, |run| {
                for (thread, &(work, wait)) in threads.iter().enumerate() {
                    run.spend(thread, State::Work, work);
                    run.enter(thread, Construct::Lock, "lock");
                    run.spend(thread, State::Lock, wait);
                    run.leave(thread);
                    run.spend(thread, State::ImplicitBarrier, last - work - wait);
                }
            });
        }
        for loss in lost(run).1 {
            match loss.cause {
                LossCause::Imbalance(_) => prop_assert!(loss.at_most >= even),
                LossCause::Exclusion(_) => prop_assert!(loss.at_most >= unlocked),
                other => prop_assert!(false, "{other:?}"),
            }
        }
    }
}
