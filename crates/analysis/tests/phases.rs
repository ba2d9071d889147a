//! Control flow and phases of hand-made runs: the facts of the ompP paper, shapes of programs, built-in outliers.

use std::collections::BTreeMap;

use parascan_analysis::Error;
use parascan_analysis::phases::candidates::UnfitReason;
use parascan_analysis::phases::cut::Start;
use parascan_analysis::phases::flow::Point;
use parascan_analysis::phases::outliers::Activity;
use parascan_analysis::phases::{PhaseMethod, PhaseOptions, Phases, naming, phases};
use parascan_formats::omp::synthetic::RunBuilder;
use parascan_formats::omp::{Construct, Location, OverheadClass, Recording, State};
use proptest::prelude::*;

use crate::common::runs::{adds_up, multigrid, node, region, thin, v_cycle};

fn analysed(run: RunBuilder) -> Phases {
    let recording = run.finish();
    assert_eq!(recording.validate(), Ok(()));
    let result = phases(&recording, &PhaseOptions::default()).unwrap();
    adds_up(&recording, &result);
    result
}

/// The label of an edge between named nodes of the program's layer; `""` is its entry or exit.
fn label(result: &Phases, from: &str, to: &str) -> String {
    let named = |name: &str, end: Point| {
        if name.is_empty() {
            return end;
        }
        let is = |n: &usize| naming::function(&result.tree.nodes[*n].place) == name;
        Point::Child((0..result.tree.nodes.len()).find(is).unwrap())
    };
    let (from, to) = (named(from, Point::Entry), named(to, Point::Exit));
    let layer = result.tree.layer(0).unwrap();
    let edge = layer.edges.iter().find(|e| (e.from, e.to) == (from, to));
    let shares = edge.map_or(&[][..], |e| &e.shares);
    shares
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(" ")
}

/// A run with the structure of NAS CG: makea, one iteration for initialisation on a path of its own, 75 in the main
/// loop.
fn cg(threads: usize, once: bool) -> RunBuilder {
    let mut run = RunBuilder::new(threads as u32);
    let even = vec![100; threads];
    let conj_grad = |run: &mut RunBuilder| {
        if once {
            run.enter(0, Construct::Parallel, "conj_grad");
            for _ in 0..25 {
                run.enter(0, Construct::Loop, "matrix times vector");
                run.spend(0, State::Work, 100);
                run.leave(0);
                run.enter(0, Construct::Loop, "update");
                run.spend(0, State::Work, 10);
                run.leave(0);
            }
            run.leave(0);
        } else {
            region(run, "start", &even);
            (0..25).for_each(|_| region(run, "step", &even));
            region(run, "residual", &even);
        }
    };
    region(&mut run, "makea", &even);
    conj_grad(&mut run);
    region(&mut run, "first norm", &even);
    region(&mut run, "starting vector", &even);
    for _ in 0..75 {
        conj_grad(&mut run);
        region(&mut run, "norm", &even);
    }
    run
}

/// Fact P3 on a made-up run, with conj_grad as one region and as many.
#[test]
fn the_76_iterations_of_cg() {
    for once in [true, false] {
        let result = analysed(cg(4, once));
        let PhaseMethod::Loop(index) = result.choice.as_ref().unwrap().how else {
            panic!("no loop was chosen");
        };
        let chosen = &result.candidates[index];
        let header = if once { "conj_grad" } else { "start" };
        assert_eq!(chosen.found.header, node(&result, header));
        assert_eq!((chosen.found.trips(), chosen.phases), (76, 76));
        assert!(chosen.confirmed);
        assert_eq!(result.phases().count(), 76);
        let lengths: Vec<usize> = result.paths.iter().map(|p| p.phases.len()).collect();
        assert_eq!(lengths, [75, 1], "one iteration takes another path");
        assert_eq!(result.paths[1].phases, [1]);
        let inner = result.candidates.iter().find(|c| c.found.trips() == 1900);
        assert_eq!(inner.unwrap().found.entries, 76);
    }
}

/// Fact P2 on a whole run: four threads together, then without thread 1.
#[test]
fn edges_are_labelled_with_threads_and_counts() {
    let mut run = RunBuilder::new(4);
    for _ in 0..5 {
        region(&mut run, "all", &[10; 4]);
    }
    for _ in 0..7 {
        run.enter(0, Construct::Parallel, "without 1");
        for thread in [2, 3] {
            run.adopt(thread, 0);
        }
        for thread in [2, 3] {
            run.release(thread);
        }
        run.leave(0);
    }
    let result = analysed(run);
    assert_eq!(label(&result, "", "all"), "0-3|1");
    assert_eq!(label(&result, "all", "all"), "0-3|4");
    assert_eq!(label(&result, "all", "without 1"), "0,2-3|1");
    assert_eq!(label(&result, "without 1", "without 1"), "0,2-3|6");
    assert_eq!(label(&result, "all", ""), "1|1");
    assert_eq!(label(&result, "without 1", ""), "0,2-3|1");
}

/// What an optimizer copied to where it is called is one node all the same.
#[test]
fn copies_of_one_construct_are_one_node() {
    let mut run = cg(2, true);
    region(&mut run, "copy", &[5, 5]);
    let mut recording = run.finish();
    let place = |recording: &Recording, name: &str| {
        recording
            .places
            .iter()
            .position(|p| naming::function(p) == name)
            .unwrap()
    };
    let (of, copy) = (place(&recording, "conj_grad"), place(&recording, "copy"));
    let mut twin = recording.places[of].clone();
    let Location::Source {
        frame,
        inlined_into,
    } = &mut twin.location
    else {
        panic!("the builder's places are in a source");
    };
    inlined_into.push(frame.clone());
    recording.places[copy] = twin;
    assert_eq!(recording.validate(), Ok(()));
    let result = phases(&recording, &PhaseOptions::default()).unwrap();
    adds_up(&recording, &result);
    let conj_grad = node(&result, "conj_grad");
    assert_eq!(result.tree.nodes[conj_grad].executions_of(0), 77);
    assert_eq!(result.phases().count(), 77);
}

#[test]
fn a_straight_program_has_no_phases() {
    let mut run = RunBuilder::new(2);
    for name in ["a", "b", "c"] {
        region(&mut run, name, &[50, 40]);
    }
    let result = analysed(run);
    assert_eq!(result.choice, None);
    assert_eq!(result.phases().count(), 0);
    assert!(result.candidates.is_empty());
}

#[test]
fn short_loops_and_loops_of_few_iterations_are_no_phases() {
    let mut run = RunBuilder::new(1);
    (0..2).for_each(|_| region(&mut run, "twice", &[1000]));
    (0..20).for_each(|_| region(&mut run, "small", &[1]));
    run.spend(0, State::Work, 5000);
    region(&mut run, "last", &[1000]);
    let result = analysed(run);
    assert_eq!(result.choice, None);
    let why = |name| {
        let header = node(&result, name);
        let found = result.candidates.iter().find(|c| c.found.header == header);
        found.unwrap().unfit
    };
    assert_eq!(why("twice"), Some(UnfitReason::FewTrips));
    // Its last iteration reaches to the entry of what follows, but the serial part between is not counted.
    assert_eq!(why("small"), Some(UnfitReason::LittleTime));
}

#[test]
fn the_phases_of_a_recursive_v_cycle_are_its_cycles() {
    let mut run = RunBuilder::new(2);
    for _ in 0..20 {
        v_cycle(&mut run, 128);
        region(&mut run, "norm", &[128, 128]);
    }
    let result = analysed(run);
    assert_eq!(result.phases().count(), 20);
    assert_eq!(result.paths.len(), 1);
}

#[test]
fn a_branch_at_each_nth_step_does_not_hide_the_steps() {
    for every in [5, 10] {
        let mut run = RunBuilder::new(2);
        for step in 0..60 {
            region(&mut run, "move", &[100, 100]);
            region(&mut run, "forces", &[100, 100]);
            if step % every == every - 1 {
                region(&mut run, "output", &[50, 50]);
            }
        }
        let result = analysed(run);
        assert_eq!(result.phases().count(), 60, "each {every}th step");
        assert_eq!(result.paths.len(), 2);
        assert_eq!(
            result.paths.iter().map(|p| p.phases.len()).max(),
            Some(60 - 60 / every)
        );
    }
}

/// Runge-Kutta: four evaluations of one region per step. Each second step with output looks the same to a watcher.
#[test]
fn a_region_that_runs_several_times_in_each_step() {
    for stages in [2, 4] {
        let mut run = RunBuilder::new(2);
        region(&mut run, "evaluate", &[100, 100]);
        for _ in 0..200 {
            (0..stages).for_each(|_| region(&mut run, "evaluate", &[100, 100]));
            region(&mut run, "add", &[50, 50]);
        }
        let result = analysed(run);
        assert_eq!(result.phases().count(), 200, "{stages} stages");
    }
}

#[test]
fn the_loop_inside_one_parallel_region() {
    let mut run = RunBuilder::new(1);
    run.enter(0, Construct::Parallel, "all");
    run.enter(0, Construct::Loop, "start");
    run.spend(0, State::Work, 10);
    run.leave(0);
    for _ in 0..50 {
        for name in ["a", "b"] {
            run.enter(0, Construct::Loop, name);
            run.spend(0, State::Work, 10);
            run.leave(0);
        }
    }
    run.leave(0);
    region(&mut run, "after", &[10]);
    let result = analysed(run);
    assert_eq!(result.phases().count(), 50);
    let last = result.phases().last().unwrap().1;
    assert_eq!(
        last.wall(),
        20,
        "the entry of the region after it ends the last phase"
    );
}

#[test]
fn time_steps_are_preferred_to_the_solver_inside() {
    let mut run = RunBuilder::new(2);
    for step in 0..12u64 {
        region(&mut run, "assemble", &[100, 100]);
        (0..40 + step).for_each(|_| region(&mut run, "iterate", &[50, 50]));
    }
    assert_eq!(analysed(run).phases().count(), 12);
}

#[test]
fn marks_win_over_loops() {
    let mut run = RunBuilder::new(1);
    for step in 0..30 {
        if step % 3 == 0 {
            run.enter(0, Construct::Phase, "three steps");
        }
        region(&mut run, "step", &[10]);
        if step % 3 == 2 {
            run.leave(0);
            run.spend(0, State::Work, 5);
        }
    }
    let result = analysed(run);
    assert_eq!(result.choice.as_ref().unwrap().how, PhaseMethod::Marks);
    let walls: Vec<u64> = result.phases().map(|(_, p)| p.wall()).collect();
    assert_eq!(walls, [30; 10]);
}

/// A mark around the whole run says where the time is, and not what repeats; alone it still is what the user marked.
#[test]
fn marks_that_repeat_come_first() {
    let marked = |steps: bool| {
        let mut run = RunBuilder::new(1);
        run.enter(0, Construct::Phase, "solve");
        for _ in 0..5 {
            if steps {
                run.enter(0, Construct::Phase, "step");
            }
            region(&mut run, "work", &[10]);
            if steps {
                run.leave(0);
            }
            run.spend(0, State::Work, 5);
        }
        run.leave(0);
        run.spend(0, State::Work, 5);
        let result = analysed(run);
        assert_eq!(result.choice.as_ref().unwrap().how, PhaseMethod::Marks);
        let walls = result.phases().map(|(_, p)| p.wall());
        walls.collect::<Vec<u64>>()
    };
    assert_eq!(marked(true), [10; 5]);
    assert_eq!(marked(false), [75]);
}

/// The same mark in two functions is two nodes; a slow phase of either is found.
#[test]
fn marks_of_one_name_are_one() {
    let mut run = RunBuilder::new(1);
    for step in 0..20 {
        run.enter(
            0,
            Construct::Function,
            if step % 2 == 0 { "even" } else { "odd" },
        );
        run.enter(0, Construct::Phase, "step");
        region(
            &mut run,
            "work",
            &[if step == 13 { 500 } else { 100 + step % 3 }],
        );
        run.leave(0);
        run.leave(0);
    }
    let recording = run.finish();
    for name in [None, Some("step".to_owned()), Some("phase step".to_owned())] {
        let result = phases(
            &recording,
            &PhaseOptions {
                phase: name,
                ..PhaseOptions::default()
            },
        )
        .unwrap();
        adds_up(&recording, &result);
        assert_eq!(result.phases().count(), 20);
        assert!(result.phases().all(|(_, p)| p.iterations == 1));
        let slow: Vec<u32> = result.outliers.iter().map(|o| o.phase).collect();
        assert_eq!(slow, [14]);
    }
}

#[test]
fn the_user_may_choose_the_node() {
    let recording = cg(2, true).finish();
    let given = |name: &str| {
        phases(
            &recording,
            &PhaseOptions {
                phase: Some(name.to_owned()),
                ..PhaseOptions::default()
            },
        )
    };
    let result = given("R1").unwrap();
    assert_eq!(naming::function(&result.tree.nodes[1].place), "makea");
    assert_eq!(result.phases().count(), 1);
    let by_loop = given("R2").unwrap();
    assert_eq!(by_loop.phases().count(), 76);
    adds_up(&recording, &by_loop);
    assert_eq!(by_loop.choice.unwrap().how, PhaseMethod::Named);
    assert!(matches!(given("R99"), Err(Error::UnknownNode { similar, .. }) if similar.is_empty()));
    assert!(
        matches!(given("synthetic.c:1"), Err(Error::UnknownNode { similar, .. }) if similar.len() > 1)
    );
    assert!(matches!(given("R0"), Err(Error::NoVisits { .. })));
}

/// With every second snapshot of the header gone, phases are cut elsewhere or hold two iterations each.
#[test]
fn thinned_snapshots_are_made_the_best_of() {
    let mut run = RunBuilder::new(1);
    for _ in 0..40 {
        region(&mut run, "a", &[10]);
        region(&mut run, "b", &[10]);
    }
    let mut recording = run.finish();
    thin(&mut recording, "a", 2);
    assert_eq!(recording.validate(), Ok(()));
    let result = phases(&recording, &PhaseOptions::default()).unwrap();
    adds_up(&recording, &result);
    // The other node runs once per iteration too.
    let rule = &result.choice.as_ref().unwrap().rule;
    assert_eq!(rule.start, Start::Entry(node(&result, "b")));
    assert_eq!(result.phases().count(), 40);
    thin(&mut recording, "b", 2);
    assert_eq!(recording.validate(), Ok(()));
    let result = phases(&recording, &PhaseOptions::default()).unwrap();
    adds_up(&recording, &result);
    assert_eq!(result.phases().count(), 20);
    assert!(result.phases().all(|(_, p)| p.iterations == 2));
    assert!(!result.candidates[0].confirmed);
}

/// A V-cycle's header is entered many times in each cycle. When snapshots are thinned, phases still hold whole cycles:
/// they begin at the norm.
#[test]
fn thinned_v_cycles_stay_whole() {
    let mut run = RunBuilder::new(2);
    for _ in 0..64 {
        v_cycle(&mut run, 128);
        region(&mut run, "norm", &[128, 128]);
    }
    let mut recording = run.finish();
    thin(&mut recording, "smooth", 32);
    thin(&mut recording, "norm", 4);
    assert_eq!(recording.validate(), Ok(()));
    let result = phases(&recording, &PhaseOptions::default()).unwrap();
    adds_up(&recording, &result);
    let rule = &result.choice.as_ref().unwrap().rule;
    assert_eq!(rule.start, Start::Entry(node(&result, "norm")));
    assert_eq!(result.phases().count(), 16);
    assert!(result.phases().all(|(_, p)| p.iterations == 4));
}

/// A solver that is called anew: of the returns to its dot product only that from the last update of a call begins the
/// next one. Where not all entries of the header have a snapshot, the update ran before nearly all that have one, and
/// such cuts would make more phases than there are calls.
#[test]
fn thinned_returns_make_no_more_phases_than_iterations() {
    let mut run = RunBuilder::new(1);
    for _ in 0..20 {
        region(&mut run, "dot", &[10]);
        for _ in 0..25 {
            region(&mut run, "multiply", &[20]);
            region(&mut run, "dot", &[10]);
            region(&mut run, "update", &[10]);
            region(&mut run, "dot", &[10]);
            region(&mut run, "direction", &[10]);
        }
    }
    let recording = run.finish();
    for keep in [2, 4, 8] {
        let mut recording = recording.clone();
        thin(&mut recording, "dot", keep);
        let result = found(&recording);
        let choice = result.choice.as_ref().unwrap();
        let PhaseMethod::Loop(index) = choice.how else {
            panic!("{choice:?}");
        };
        let chosen = &result.candidates[index];
        assert!(chosen.phases <= chosen.found.trips(), "{keep}: {chosen:?}");
    }
}

fn found(recording: &Recording) -> Phases {
    assert_eq!(recording.validate(), Ok(()));
    let result = phases(recording, &PhaseOptions::default()).unwrap();
    adds_up(recording, &result);
    result
}

/// Times of a cycle of 128: smoothing 4 times on each of six levels, there and back.
const CYCLE: u64 =
    4 * (128 + 64 + 32 + 16 + 8 + 4) + (128 + 64 + 32 + 16 + 8) + (64 + 32 + 16 + 8 + 4);

/// Every return to smoothing is as frequent as the others: only the order of regions tells cycles.
#[test]
fn cycles_are_found_by_their_order() {
    let result = found(&multigrid(20, 128));
    assert_eq!(result.phases().count(), 20);
    assert!(result.phases().all(|(_, p)| p.wall() == CYCLE));
    let smooth = node(&result, "smooth");
    let rule = &result.choice.as_ref().unwrap().rule;
    let Start::Period {
        header,
        length,
        iterations,
        ..
    } = rule.start
    else {
        panic!("{rule:?}");
    };
    assert_eq!((header, length, iterations), (smooth, 34, 1));
    assert!(result.candidates[0].confirmed && !result.candidates[0].doubtful());
    assert_eq!(result.paths.len(), 1);
    // A step that came between: it is its own, and the others are whole.
    let mut run = RunBuilder::new(2);
    (0..8).for_each(|_| v_cycle(&mut run, 128));
    region(&mut run, "smooth", &[50, 50]);
    (0..8).for_each(|_| v_cycle(&mut run, 128));
    let result = found(&run.finish());
    let walls: Vec<u64> = result.phases().map(|(_, p)| p.wall()).collect();
    assert_eq!(walls.iter().filter(|w| **w == CYCLE).count(), 15);
    assert_eq!(walls.len(), 16);
}

/// Levels of which each does the same regions, without a way back: sizes tell cycles where the order does not.
#[test]
fn cycles_are_found_by_their_sizes() {
    let mut run = RunBuilder::new(2);
    for _ in 0..12 {
        for level in 0..6 {
            let size = 1000 >> level;
            region(&mut run, "smooth", &[size, size]);
            region(&mut run, "restrict", &[size, size]);
        }
    }
    let result = found(&run.finish());
    assert_eq!(result.phases().count(), 12);
    assert!(
        result
            .phases()
            .all(|(_, p)| p.wall() == 2 * (1000 + 500 + 250 + 125 + 62 + 31))
    );
}

/// Smoothing has a snapshot at each 8th visit, and 24 visits in each cycle: that is 3 in each, and the order of the
/// others is complete. With 5 of 8 of those gone, too, cycles are whole, but nobody knows how many a phase has.
#[test]
fn thinned_orders_give_whole_cycles() {
    let mut recording = multigrid(64, 128);
    thin(&mut recording, "smooth", 16);
    let result = found(&recording);
    assert_eq!(result.phases().count(), 64);
    let all_but_last = || result.phases().take(63);
    assert!(all_but_last().all(|(_, p)| p.wall() == CYCLE));
    assert!(result.candidates[0].confirmed);
    thin(&mut recording, "restrict", 8);
    thin(&mut recording, "prolong", 8);
    let result = found(&recording);
    // 5 visits of these in a cycle: after 8 cycles the same ones have snapshots. Of smoothing after 2.
    assert_eq!(result.phases().count(), 32);
    assert!(result.phases().take(31).all(|(_, p)| p.wall() == 2 * CYCLE));
    let rule = &result.choice.as_ref().unwrap().rule;
    assert!(
        matches!(rule.start, Start::Period { iterations: 2, .. }),
        "{rule:?}"
    );
    assert!(!result.candidates[0].confirmed);
}

/// Each region has a snapshot at each 16th visit. Together they come again after 16 cycles, in which smoothing has 21
/// visits; restriction, with 4, does after 4.
#[test]
fn a_region_alone_may_tell_shorter_phases() {
    let mut run = RunBuilder::new(2);
    for _ in 0..96 {
        v_cycle(&mut run, 64);
        region(&mut run, "smooth", &[50, 50]);
    }
    let mut recording = run.finish();
    for name in ["smooth", "restrict", "prolong"] {
        thin(&mut recording, name, 16);
    }
    let result = found(&recording);
    assert_eq!(result.phases().count(), 24);
    let cycle = 4 * (64 + 32 + 16 + 8 + 4) + (64 + 32 + 16 + 8) + (32 + 16 + 8 + 4) + 50;
    assert!(result.phases().take(23).all(|(_, p)| p.wall() == 4 * cycle));
    let rule = &result.choice.as_ref().unwrap().rule;
    assert!(
        matches!(
            rule.start,
            Start::Period {
                iterations: 4..,
                ..
            }
        ),
        "{rule:?}"
    );
}

/// Cycles of varying depth have no period. Where thinned snapshots hide how much the loop's iterations differ, that is
/// doubtful.
#[test]
fn what_does_not_repeat_is_doubtful() {
    let mut run = RunBuilder::new(2);
    let mut seed = 1u32;
    for _ in 0..64 {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        v_cycle(&mut run, 8 << (seed >> 29));
    }
    let mut recording = run.finish();
    let doubtful = |result: &Phases| {
        let Some(PhaseMethod::Loop(index)) = result.choice.as_ref().map(|c| c.how) else {
            panic!("no loop");
        };
        assert!(!matches!(
            result.candidates[index].rule.start,
            Start::Period { .. }
        ));
        result.candidates[index].doubtful()
    };
    assert!(doubtful(&found(&recording)));
    for name in ["smooth", "restrict", "prolong"] {
        thin(&mut recording, name, 8);
    }
    assert!(doubtful(&found(&recording)));
}

/// Two threads, 30 steps; thread 1's share of step 20 takes ten times as long.
#[test]
fn a_slow_step_is_explained() {
    let mut run = RunBuilder::new(2);
    for step in 1..=30u64 {
        let jitter = step % 3;
        let slow = if step == 20 { 1000 } else { 100 };
        region(&mut run, "step", &[100 + jitter, slow + jitter]);
        region(&mut run, "sum", &[20, 20]);
    }
    region(&mut run, "after", &[1, 1]);
    let result = analysed(run);
    assert_eq!(result.outliers.len(), 1);
    let outlier = &result.outliers[0];
    assert_eq!(outlier.phase, 20);
    assert_eq!(outlier.usual, 121);
    assert_eq!(outlier.wall, 1022);
    let step = node(&result, "step");
    let first = outlier.causes[0];
    assert_eq!(
        (first.thread, first.node, first.activity),
        (1, step, Activity::Work)
    );
    assert_eq!((first.here, first.usual), (1002, 101));
    let second = outlier.causes[1];
    assert_eq!((second.thread, second.node), (0, step));
    assert_eq!(second.activity, Activity::Lost(OverheadClass::Imbalance));
    assert!(outlier.extra.is_empty() && outlier.missing.is_empty());
}

#[test]
fn a_step_on_another_path_is_explained() {
    let mut run = RunBuilder::new(1);
    for step in 0..20 {
        region(&mut run, "step", &[100]);
        region(
            &mut run,
            if step == 7 { "dump" } else { "sum" },
            &[if step == 7 { 500 } else { 10 }],
        );
    }
    region(&mut run, "after", &[1]);
    let result = analysed(run);
    let outlier = &result.outliers[0];
    assert_eq!((result.outliers.len(), outlier.phase), (1, 8));
    assert_eq!(outlier.extra, [node(&result, "dump")]);
    assert_eq!(outlier.missing, [node(&result, "sum")]);
    assert_eq!(outlier.causes[0].node, node(&result, "dump"));
}

/// Worked by hand: two threads, 100 ns of wall time; thread 0 works 90 and waits 10, thread 1 works 50 and waits 30 at
/// the end, 15 in a critical region and 5 for a single.
#[test]
fn efficiencies_by_hand() {
    let mut run = RunBuilder::new(2);
    run.enter(0, Construct::Parallel, "all");
    run.adopt(1, 0);
    run.spend(0, State::Work, 90);
    run.spend(0, State::ImplicitBarrier, 10);
    run.spend(1, State::Work, 50);
    run.spend(1, State::ImplicitBarrier, 30);
    run.spend(1, State::Critical, 15);
    run.spend(1, State::Serial, 5);
    run.release(1);
    run.leave(0);
    let total = analysed(run).total;
    assert_eq!((total.wall, total.work, total.idle), (100, 140, 0));
    assert_eq!(total.lost, [15, 5, 0, 40]);
    assert_eq!(total.share(OverheadClass::Imbalance), 0.2);
    assert_eq!(total.parallel_efficiency, Some(0.7));
    assert_eq!(total.load_balance, Some(70.0 / 90.0));
    assert_eq!(total.serialization, Some(0.9));
}

/// A random program: nested nodes entered in a random order.
#[derive(Clone, Debug)]
struct Visit {
    name: u8,
    inside: Vec<Visit>,
}

fn visits() -> impl Strategy<Value = Vec<Visit>> {
    let leaf = (0u8..4).prop_map(|name| Visit {
        name,
        inside: Vec::new(),
    });
    let tree = leaf.prop_recursive(3, 60, 8, |inner| {
        (0u8..4, prop::collection::vec(inner, 0..8))
            .prop_map(|(name, inside)| Visit { name, inside })
    });
    prop::collection::vec(tree, 0..12)
}

/// Layers counted directly on the walk, by the names on the path to them.
type Counted = BTreeMap<Vec<u8>, BTreeMap<(Option<u8>, Option<u8>), u64>>;

fn walk(run: &mut RunBuilder, path: &mut Vec<u8>, visits: &[Visit], counted: &mut Counted) {
    let mut last = None;
    for visit in visits {
        let layer = counted.entry(path.clone()).or_default();
        *layer.entry((last, Some(visit.name))).or_default() += 1;
        last = Some(visit.name);
        run.enter(0, Construct::Function, &visit.name.to_string());
        run.spend(0, State::Work, 1);
        path.push(visit.name);
        walk(run, path, &visit.inside, counted);
        path.pop();
        run.leave(0);
    }
    let layer = counted.entry(path.clone()).or_default();
    *layer.entry((last, None)).or_default() += 1;
}

proptest! {
    /// Fact P1: the graph rebuilt from predecessor counts is the one counted directly.
    #[test]
    fn the_graph_is_rebuilt_exactly(visits in visits()) {
        let mut run = RunBuilder::new(1);
        let mut counted = Counted::new();
        walk(&mut run, &mut Vec::new(), &visits, &mut counted);
        let result = analysed(run);
        let nodes = &result.tree.nodes;
        let name = |node: usize| naming::function(&nodes[node].place).parse::<u8>().unwrap();
        let mut rebuilt = Counted::new();
        for layer in &result.tree.layers {
            let mut path = Vec::new();
            let mut at = layer.node;
            while at > 0 {
                path.insert(0, name(at));
                at = nodes[at].parent.unwrap();
            }
            let end = |point| match point {
                Point::Child(node) => Some(name(node)),
                Point::Entry | Point::Exit => None,
            };
            for edge in &layer.edges {
                prop_assert_eq!(edge.shares.len(), 1);
                rebuilt.entry(path.clone()).or_default()
                    .insert((end(edge.from), end(edge.to)), edge.shares[0].count);
            }
        }
        // Nodes without children have no layer.
        counted.retain(|_, edges| edges.keys().any(|&(_, to)| to.is_some()));
        prop_assert_eq!(rebuilt, counted);
    }
}
