//! Bursts: what is counted as seen whole, what as a segment.

use std::collections::HashMap;

use parascan_abi::LANES;
use parascan_abi::log::{BurstGroup, BurstPart, FLAG_BURSTS, FLAG_OVERFLOW};
use parascan_abi::module::RegionKind;
use proptest::prelude::*;

use super::support::{Figures, Node, TestRecorder, figures};
use crate::schedule::{InterruptPace, NextMode, Schedule};
use crate::timing::BurstTiming;

const REGIONS: usize = 3;

#[derive(Clone, Debug)]
enum Op {
    Enter(usize),
    Exit,
    /// Work, and how far each lane's clock moves for it.
    Work(u64, [u32; LANES]),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        3 => (0..REGIONS).prop_map(Op::Enter),
        3 => Just(Op::Exit),
        4 => (1..20_u64, prop::array::uniform8(0..6_u32)).prop_map(|(work, by)| Op::Work(work, by)),
    ]
}

/// An open region of the naive tree.
struct OpenTestRegion {
    region: u32,
    work: u64,
    base: u32,
    children: Vec<Node>,
}

/// Work at which the burst began that goes on; the first goes on in the run's beginning.
fn burst(bench: &TestRecorder) -> Option<u64> {
    match &bench.tracker.bursts {
        None => Some(0),
        Some(bursts) => bursts.current(),
    }
}

/// Has a recorder and a naive tree follow `ops`; what is whole according to both.
fn follow(schedule: &str, ops: &[Op]) -> [HashMap<Vec<u32>, Figures>; 2] {
    let mut bench = TestRecorder::with_bursts(REGIONS as u32, Schedule::parse(schedule).unwrap());
    let mut open: Vec<OpenTestRegion> = Vec::new();
    let mut expected = HashMap::new();
    let mut instances = 0;
    let closing = std::iter::repeat_n(Op::Exit, ops.len());
    for op in ops.iter().cloned().chain(closing) {
        match op {
            Op::Enter(region) => {
                bench.enter(region);
                let lane = open.len();
                open.push(OpenTestRegion {
                    region: region as u32,
                    work: bench.state.work,
                    base: bench.state.m.0.get(lane).copied().unwrap_or(0),
                    children: Vec::new(),
                });
            }
            Op::Exit => {
                let burst = burst(&bench);
                bench.exit();
                let Some(one) = open.pop() else { continue };
                instances += 1;
                let clock = bench.state.m.0.get(open.len()).copied().unwrap_or(0);
                let node = Node {
                    region: one.region,
                    work: bench.state.work - one.work,
                    cp: (clock - one.base).into(),
                    number: 1,
                    children: one.children,
                };
                let whole = |work: u64| burst.is_some_and(|begun| work >= begun);
                match open.last_mut() {
                    Some(around) if whole(around.work) => around.children.push(node),
                    _ if whole(one.work) => {
                        let chain: Vec<u32> = open.iter().map(|o| o.region).collect();
                        figures(&[node], &chain, &mut expected);
                    }
                    _ => {}
                }
            }
            Op::Work(work, by) => {
                bench.state.work += work;
                for (lane, by) in by.into_iter().enumerate() {
                    bench.state.m.0[lane] += by;
                }
            }
        }
        // What is open when a burst ends is not whole; its children were.
        if burst(&bench).is_none() {
            let mut chain = Vec::new();
            for one in &mut open {
                chain.push(one.region);
                figures(&std::mem::take(&mut one.children), &chain, &mut expected);
            }
        }
    }
    bench.finish();
    let in_bursts = bench.tracker.bursts.is_some();
    assert_eq!(
        bench.header().flags,
        if in_bursts { FLAG_BURSTS } else { 0 }
    );
    let parts = (1..bench.header().contexts).map(|i| bench.part(i).instances);
    let counted = if in_bursts { instances } else { 0 };
    assert_eq!(parts.sum::<u64>(), counted);
    let mut found: HashMap<_, _> = bench
        .contexts()
        .iter()
        .filter(|(_, c)| c.instances > 0)
        .map(|(chain, c)| (chain.clone(), Figures::from(c)))
        .collect();
    // Beyond the depths with clocks nothing is measured, and of the deepest of them instances without children.
    for (chain, context) in bench.contexts() {
        let deep = chain.len() > LANES && context.instances > 0;
        let childless = chain.len() != LANES || context.children == 0;
        assert!(!in_bursts || !deep && childless, "{chain:?}");
    }
    found.retain(|chain, _| chain.len() < LANES);
    expected.retain(|chain, _| chain.len() < LANES);
    [found, expected]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_lies_within_a_burst_is_whole(
        seed in 0..1000_u64,
        ops in prop::collection::vec(op(), 0..200),
    ) {
        let [found, expected] = follow(&format!("{seed}:400:0:0:15:40"), &ops);
        prop_assert_eq!(found, expected);
    }

    /// The first one is longer, and recorded as a whole run for the most part.
    #[test]
    fn what_lies_within_the_beginning_is_whole(
        seed in 0..1000_u64,
        first in 1..600_u64,
        ops in prop::collection::vec(op(), 0..200),
    ) {
        let [found, expected] = follow(&format!("{seed}:400:0:{first}:15:40"), &ops);
        prop_assert_eq!(found, expected);
    }

    /// One burst over the whole run.
    #[test]
    fn all_of_a_run_is_whole(ops in prop::collection::vec(op(), 0..60)) {
        let [found, expected] = follow("1:1000:0:0:1000000000", &ops);
        prop_assert_eq!(found, expected);
    }
}

/// A region that is a loop (0), its iterations (1), and what they call (2).
fn nest(schedule: &str) -> TestRecorder {
    let mut bench = TestRecorder::with_bursts(3, Schedule::parse(schedule).unwrap());
    bench.regions[0].kind = RegionKind::Loop as u32;
    bench.regions[1].kind = RegionKind::Iteration as u32;
    bench
}

/// Iterations of 10 units each, of which every one waits for the one before if `serial`; all clocks have the time of
/// the work.
fn iterate(bench: &mut TestRecorder, count: u64, serial: bool) {
    for _ in 0..count {
        bench.enter(1);
        let start = bench.state.m.0[0];
        for half in 0..2 {
            bench.enter(2);
            bench.state.work += 5;
            bench.state.m.0[1] += 5;
            bench.state.m.0[2] += 5;
            if serial {
                bench.state.m.0[0] += 5;
            } else {
                let reached = bench.state.b.0[0] + 5 * (half + 1);
                bench.state.m.0[0] = start.max(reached);
            }
            bench.exit();
        }
        if serial {
            bench.state.carried |= 2;
        }
        bench.exit();
    }
}

/// The part of the loop of [`nest`], of which there is one instance of 20 iterations.
fn part_of_loop(schedule: &str, serial: bool) -> (BurstPart, u64) {
    let mut bench = nest(schedule);
    bench.enter(0);
    iterate(&mut bench, 20, serial);
    bench.exit();
    bench.finish();
    // Halves of iterations have no children, and a self-parallelism of 1.
    let part = *bench.part(3);
    let by_groups = sum_of_groups(&part);
    let whole = bench.tracker.log.contexts.at(3).work;
    assert_eq!(by_groups.work + part.early_own, whole);
    assert_eq!(by_groups.parallel_time, by_groups.work as f64);
    let iterations = bench.tracker.log.contexts.at(2).instances;
    (*bench.part(1), iterations)
}

/// What all groups of bursts saw: segments are what is counted of them.
fn sum_of_groups(part: &BurstPart) -> BurstGroup {
    let mut all = BurstGroup::default();
    part.groups.iter().for_each(|group| all.add(group));
    let segments = part.segments;
    let expected = BurstGroup {
        segments: segments.instances,
        segment_work: segments.work,
        segment_child_work: segments.child_work,
        segment_children: segments.children,
        segment_cp: segments.cp,
        segment_child_cp: segments.child_cp,
        segment_gap: segments.gap,
        segment_time: segments.parallel_time,
        ..all
    };
    assert_eq!(all, expected);
    all
}

/// Bursts begin within iterations and end within others: what lies between is exact.
#[test]
fn a_segment_of_a_loop_has_the_iterations_that_are_whole() {
    for seed in 1..40 {
        let (part, whole) = part_of_loop(&format!("{seed}:500:0:0:47"), true);
        let segments = part.segments;
        assert_eq!((part.instances, part.work), (1, 200));
        assert_eq!(segments.children, whole, "seed {seed}");
        assert_eq!(sum_of_groups(&part).segment_work, 10 * whole);
        assert_eq!(segments.child_cp, 10 * whole);
        assert_eq!(segments.cp, 10 * whole);
        assert_eq!(segments.gap, 10 * (whole - segments.instances));
        assert_eq!(segments.carried, segments.multi);
        assert!(whole >= 3 && segments.instances >= 1, "{segments:?}");
        assert!(part.sampled <= 200);

        let (part, whole) = part_of_loop(&format!("{seed}:500:0:0:47"), false);
        let segments = part.segments;
        assert_eq!(segments.children, whole);
        assert_eq!(segments.cp, 10 * segments.instances, "seed {seed}");
        assert_eq!((segments.gap, segments.carried), (0, 0));
        assert_eq!(segments.multi, segments.multi_flat);
    }
}

/// The same of the first burst, most of which is the run's beginning: the loop's iterations are those since its start,
/// if one ended behind the beginning.
#[test]
fn a_segment_has_the_iterations_of_the_beginning() {
    for (first, serial) in [(150, true), (150, false), (130, true), (120, false)] {
        let (part, whole) = part_of_loop(&format!("1:1:0:{first}:5"), serial);
        let segments = part.segments;
        assert_eq!((part.instances, part.work, segments.instances), (1, 200, 1));
        assert_eq!(segments.children, whole);
        assert_eq!((segments.work, segments.child_cp), (10 * whole, 10 * whole));
        assert!(10 * whole + 10 >= first, "{segments:?}");
        assert_eq!(segments.cp, if serial { 10 * whole } else { 10 });
        assert_eq!(segments.carried, u64::from(serial));
    }
    // Its iterations are longer than what is left of the burst then.
    let (part, whole) = part_of_loop("1:1:0:19:5", true);
    assert_eq!((part.segments.instances, whole), (0, 2));
}

/// A loop that goes on from native code, in the middle of an iteration: what is left of that is no iteration, and not
/// the loop's own work.
#[test]
fn a_loop_that_goes_on_from_native_code_begins_with_its_next_iteration() {
    let mut bench = nest("1:1000:0:0:1000000");
    bench.enter(0);
    bench.tracker.resumed();
    bench.enter(1);
    bench.tracker.resumed();
    bench.state.work += 7;
    bench.state.m.0[0] += 7;
    bench.exit();
    iterate(&mut bench, 3, true);
    bench.exit();
    bench.finish();
    let (part, whole) = (*bench.part(1), bench.tracker.log.contexts.at(2).instances);
    let segments = part.segments;
    assert_eq!((part.instances, whole, segments.children), (0, 3, 3));
    assert_eq!(
        (segments.work, segments.child_work, segments.cp),
        (30, 30, 30)
    );
}

/// A run that uses its clocks up has ever fewer bursts, and never none.
#[test]
fn clocks_are_never_full() {
    let mut bench = nest("1:500:0:0:1000000");
    bench.enter(0);
    let mut numbers = Vec::new();
    for _ in 0..12 {
        for _ in 0..1000 {
            bench.enter(1);
            bench.state.work += 1_000_000;
            bench.state.m.0[0] += match bench.tracker.bursts.as_ref().unwrap().current() {
                Some(_) => 1_000_000,
                None => 0,
            };
            bench.exit();
        }
        let root = *bench.part(0);
        numbers.push(root.instances);
    }
    bench.exit();
    bench.finish();
    assert_eq!(bench.header().flags & FLAG_OVERFLOW, 0);
    let new: Vec<u64> = numbers.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(new[10] > 0 && new[10] < new[0] / 2, "{numbers:?}");
}

/// A burst that is too short to see two iterations is prolonged once it is known how long they are, if that may be paid
/// for.
#[test]
fn bursts_are_prolonged_for_loops_that_were_not_seen() {
    for seed in 1..40 {
        let (short, _) = part_of_loop(&format!("{seed}:100:0:0:4"), true);
        assert_eq!(short.segments.multi, 0);
        let (prolonged, _) = part_of_loop(&format!("{seed}:100:500:0:4"), true);
        assert!(prolonged.segments.multi > 0, "seed {seed}");
        // What is prolonged is not sampled.
        assert!(
            prolonged.sampled <= 80,
            "seed {seed}: {}",
            prolonged.sampled
        );
    }
}

/// Loops that are counted in registers end where they end; what of them lies beyond the burst is taken off.
#[test]
fn a_counted_loop_is_cut_where_the_burst_ends() {
    let run = |length: u64| {
        let mut bench = nest(&format!("1:1000:0:0:{length}"));
        bench.enter(2);
        bench.start_loop();
        bench.state.work += 1000;
        for lane in &mut bench.state.m.0 {
            *lane += 10;
        }
        bench.go_on_with_loop(0, 1, (10, 10, 100), Some(0));
        bench.exit();
        bench.finish();
        let found = bench.contexts();
        let whole = |chain: &[u32]| found[chain].instances;
        let counts = (whole(&[2, 0]), whole(&[2, 0, 1]));
        (counts, *bench.part(2))
    };
    let ((loops, iterations), part) = run(5000);
    assert_eq!((loops, iterations, part.segments.instances), (1, 100, 0));
    let ((loops, iterations), part) = run(405);
    assert_eq!((loops, iterations, part.segments.instances), (0, 40, 1));
    let segment = part.segments;
    assert_eq!((segment.work, segment.children, segment.cp), (405, 40, 10));
    assert_eq!((segment.multi_flat, part.work), (1, 1000));
}

/// A burst that begins in a callback of a library call, which finds an earlier time: all that is older has time 0
/// nevertheless.
#[test]
fn bursts_in_callbacks_begin_behind_all_that_is_older() {
    let mut bench = nest("1:500:0:0:10");
    bench.enter(0);
    let step = |bench: &mut TestRecorder| {
        bench.state.work += 10;
        bench.enter(1);
        bench.exit();
        burst(bench).is_some()
    };
    while step(&mut bench) {}
    bench.state.m.0[0] = 70;
    bench.state.latest.0 = [100; LANES];
    while !step(&mut bench) {}
    assert_eq!((bench.state.m.0[0], bench.state.b.0[0]), (100, 100));
}

/// Of large writes no times are kept in bursts and between them, and a burst that goes on ends with the next boundary,
/// as does the beginning; what is tracked as a whole keeps them.
#[test]
fn large_writes_end_bursts() {
    let mut bench = nest("1:500:0:0:1000000");
    bench.enter(0);
    assert!(burst(&bench).is_some());
    bench.state.work += 5;
    assert!(bench.tracker.leaves_large_write_out());
    assert!(burst(&bench).is_some());
    bench.enter(1);
    assert!(burst(&bench).is_none());
    assert!(bench.tracker.leaves_large_write_out());
    // How much of the time that took is known by then.
    let share = bench.tracker.part(0).map(|root| root.shares);
    assert!(
        share.is_some_and(|share| share > 0.0 && share <= 1.0),
        "{share:?}"
    );
    let mut beginning = nest("1:500:0:1000000000:1000000");
    beginning.enter(0);
    // A ninth of this would be the burst's.
    beginning.state.work += 90_000_000;
    assert!(beginning.tracker.leaves_large_write_out());
    assert!(beginning.tracker.bursts.is_none());
    beginning.enter(1);
    assert!(beginning.tracker.beginning.is_none() && burst(&beginning).is_none());
    let mut whole = nest("1:500:0:exact:1000000");
    whole.enter(0);
    assert!(!whole.tracker.leaves_large_write_out());
}

/// A beginning without end goes on until clocks have come far; then there are bursts.
#[test]
fn only_clocks_end_an_exact_beginning() {
    let mut bench = nest("1:1000:0:exact:1000");
    bench.enter(0);
    bench.enter(1);
    let step = |bench: &mut TestRecorder, work: u32, cp: u32| {
        bench.enter(2);
        bench.state.work += u64::from(work);
        bench.state.m.0[2] += cp;
        bench.exit();
        bench.state.m.0[1] += cp;
        bench.state.m.0[0] += cp;
        bench.tracker.beginning.is_some()
    };
    assert!(step(&mut bench, 1 << 31, 1 << 20));
    let mut more = 0;
    while step(&mut bench, 1 << 20, 1 << 20) {
        more += 1;
        assert!(more < 1 << 11, "clocks are full");
    }
    // Seven eighths of 2^31 take that many steps of 2^20, of which the first was made before; the next one begins after
    // the beginning.
    assert_eq!(more, 7 * (1 << 8) - 1);
    assert_eq!(bench.header().flags & FLAG_OVERFLOW, 0);
    assert_eq!(bench.header().flags & FLAG_BURSTS, FLAG_BURSTS);
}

/// What bursts may take is time: those that end late come less often.
#[test]
fn bursts_that_take_longer_come_less_often() {
    let mut pace = InterruptPace {
        cost: 3_000,
        units: 1_000,
        ..InterruptPace::default()
    };
    assert_eq!(pace.units_in(600), 200);
    assert_eq!(pace.mean_cost(50), 150);
    // Two that took ten times as long beside eight that are supposed; then as many that it is known what they take.
    (pace.later, pace.bursts) = (2 * 1_500, 2);
    assert_eq!(pace.mean_cost(50), (8 * 150 + 2 * 1_500) / 10);
    (pace.later, pace.bursts) = (1_000_000 * 1_500, 1_000_000);
    assert_eq!(pace.mean_cost(50), 1_499);
}

/// What the first burst took says little of others, and counts until there is one.
#[test]
fn later_bursts_tell_what_bursts_take() {
    let mut pace = InterruptPace::default();
    pace.count(9_000, 10, true);
    assert_eq!((pace.units_in(900), pace.spent), (1, 9_000));
    pace.count(100, 100, true);
    pace.count(300, 100, true);
    assert_eq!((pace.units_in(900), pace.spent), (450, 9_400));
}

/// Tracked code behind a burst's end is the burst's, not native time.
#[test]
fn tails_of_bursts_are_no_native_time() {
    let mut pace = InterruptPace::default();
    pace.count(1_000, 100, true);
    pace.ended = 50_000;
    // At ten cycles a unit, as in bursts, and no more than has passed.
    pace.count_tail(700, 90_000);
    assert_eq!((pace.tails, pace.spent, pace.ended), (7_000, 8_000, 57_000));
    pace.count_tail(700, 57_100);
    assert_eq!((pace.tails, pace.spent, pace.ended), (7_100, 8_100, 57_100));
    assert_eq!(pace.mean_cost(100), 1_000 + 7_100);
    // Nor is a burst in it another one.
    pace.count(2_000, 200, false);
    assert_eq!((pace.all, pace.spent), (1, 10_100));
    assert_eq!(pace.mean_cost(100), 1_000 + 9_100);
}

/// What frames of a burst do behind its end is counted as they are left; what others do is not.
#[test]
fn frames_of_a_burst_have_tails() {
    let schedule = Schedule::parse("1:50:0:0:100").expect("a schedule");
    let mut timing = BurstTiming::new(schedule);
    timing.pace.count(1_000_000_000, 1_000_000, true);
    (timing.behind, timing.tail) = (2, 1_000);
    timing.leave(2, 5_000);
    assert_eq!(timing.pace.tails, 0, "opened since");
    timing.leave(1, 5_000);
    assert_eq!(timing.pace.tails, 4_000_000);
    timing.leave(1, 6_000);
    assert_eq!(timing.pace.tails, 4_000_000, "opened since");
    timing.leave(0, 7_000);
    assert_eq!(timing.pace.tails, 6_000_000);
    (timing.behind, timing.on) = (2, true);
    timing.leave(1, 9_000);
    assert_eq!(timing.pace.tails, 6_000_000, "within a burst");
}

/// Loops that are new are looked at for a quarter of the share of bursts, and longer where more of that is left. It
/// tells nothing of other bursts, and leaves the next one where it was to be.
#[test]
fn new_loops_have_a_share_of_their_own() {
    let schedule = Schedule::parse("1:400:0:0:10:1000:100000").expect("a schedule");
    let mut timing = BurstTiming::new(schedule);
    // A unit takes a cycle.
    timing.pace.count(1_000_000, 1_000_000, true);
    let started = timing.started;
    for (elapsed, length) in [
        (10, 10),
        (1_000, 10),
        (100_000, 1_000),
        (10_000_000, 100_000),
    ] {
        assert!(timing.may_glance(started + elapsed));
        assert_eq!(timing.glance_length(started + elapsed), length, "{elapsed}");
    }
    let pace = &mut timing.pace;
    (pace.begun, pace.early) = (started, 777);
    pace.count_glance(started + 20_000);
    assert_eq!((pace.all, pace.cost, pace.spent), (1, 1_000_000, 1_020_000));
    assert_eq!((pace.gap, pace.early), (777, 0));
    assert!(!timing.may_glance(started + 199_999));
    assert!(timing.may_glance(started + 200_000));
}

/// A schedule has a seed, shares and lengths.
#[test]
fn schedules_are_checked() {
    for good in [
        "1:50:0:7:100",
        "1:50:0:0:100",
        "1:50:0:1500ms:100",
        "1:50:0:exact:100",
        "0:1000:1000:0:1:2:3:4:5:6:7:8",
    ] {
        assert!(Schedule::parse(good).is_some(), "{good}");
    }
    for bad in [
        "",
        "1",
        "1:50",
        "1:50:0",
        "1:50:0:5",
        "1:0:0:0:5",
        "1:1001:0:0:5",
        "1:50:1001:0:5",
        "1:50:0:0:0",
        "1:50:0:0ms:100",
        "1:50:0:7s:100",
        "x:50:0:0:5",
        "1:50:0:0:1:2:3:4:5:6:7:8:9",
    ] {
        assert!(Schedule::parse(bad).is_none(), "{bad}");
    }
}

/// What waits for a function that native code enters has no lanes; when it goes on it has them again, and clocks that
/// are later than all that it knows, though they started again meanwhile.
#[test]
fn lanes_begin_where_native_code_enters() {
    let schedule = Schedule::parse("1:1000:0:0:100").unwrap();
    let mut bench = TestRecorder::with_bursts(4, schedule);
    bench.enter(0);
    bench.enter(1);
    let long_ago = 1 << 30;
    bench.state.m.0[1] = long_ago;
    let mut anew = 0;
    for _ in 0..20 {
        bench.state.work += 60;
        bench.tracker.waiting.note_entered();
        bench.enter(2);
        assert_eq!(bench.state.outer + bench.state.depth, 2);
        if bench.state.outer == 2 {
            assert_eq!(bench.state.depth, 0);
            anew += 1;
            assert!(bench.state.m.0.iter().all(|&clock| clock < 1000));
        }
        bench.state.m.0[bench.state.depth as usize] += 20;
        bench.exit();
    }
    assert!(anew > 5, "{anew}");
    // Of them themselves: a region that no native code enters.
    bench.enter(3);
    assert_eq!((bench.state.outer, bench.state.depth), (0, 2));
    assert!(bench.state.m.0[1] >= long_ago);
    assert_eq!(bench.state.b.0[2], bench.state.m.0[2]);
    bench.exit();
    bench.exit();
    bench.exit();
    assert_eq!((bench.state.outer, bench.state.depth), (0, -1));
    bench.finish();
    let contexts = bench.contexts();
    assert!(contexts[&vec![0, 1, 2]].instances > 5);
    assert_eq!(
        contexts[&vec![0, 1, 2]].cp,
        20 * contexts[&vec![0, 1, 2]].instances
    );
}

/// Of a nest of loops that is deeper than lanes go, the outer levels are without lanes in the burst after one that
/// found something too deep.
#[test]
fn deep_nests_are_seen_from_further_in() {
    let schedule = Schedule::parse("1:1000:0:0:300").unwrap();
    let mut bench = TestRecorder::with_bursts(12, schedule);
    for region in &mut bench.regions[2..] {
        region.kind = RegionKind::Loop as u32;
    }
    // One that is called there, in which no burst begins.
    bench.regions[8].kind = RegionKind::Function as u32;
    let mut begun = Vec::new();
    for _ in 0..100 {
        bench.tracker.waiting.note_entered();
        for region in 1..12 {
            bench.enter(region);
        }
        begun.push(bench.state.outer);
        assert_eq!(bench.state.outer + bench.state.depth, 10);
        for _ in 1..12 {
            bench.state.work += 10;
            for clock in &mut bench.state.m.0 {
                *clock += 10;
            }
            bench.exit();
        }
    }
    assert!(
        begun.iter().all(|&outer| outer == 0 || outer == 3),
        "{begun:?}"
    );
    assert!(begun.contains(&0) && begun.contains(&3), "{begun:?}");
    bench.finish();
    let contexts = bench.contexts();
    let path: Vec<u32> = (1..12).collect();
    for depth in 1..=11 {
        let context = &contexts[&path[..depth]];
        assert!(context.instances > 0, "{depth}");
    }
    let innermost = &contexts[&path];
    assert_eq!(
        (innermost.work, innermost.cp),
        (10 * innermost.instances, 10 * innermost.instances)
    );
}

/// When clocks are full the burst that goes on is not used from there on, and none begins after it; counts go on.
#[test]
fn no_burst_begins_when_clocks_are_full() {
    let mut bench =
        TestRecorder::with_bursts(3, Schedule::parse("1:1000:0:0:1000000000000").unwrap());
    bench.enter(0);
    bench.enter(1);
    let step = |bench: &mut TestRecorder, cp: u32| {
        bench.enter(2);
        let lane = bench.state.depth as usize;
        bench.state.work += u64::from(cp);
        for clock in &mut bench.state.m.0[..=lane] {
            *clock += cp;
        }
        bench.exit();
    };
    step(&mut bench, 10);
    step(&mut bench, 1 << 31);
    step(&mut bench, 10);
    step(&mut bench, 10);
    bench.exit();
    bench.exit();
    bench.finish();
    assert_eq!(bench.header().flags & FLAG_OVERFLOW, FLAG_OVERFLOW);
    let contexts = bench.contexts();
    assert_eq!(contexts[&vec![0, 1, 2]].instances, 1);
    assert_eq!(contexts[&vec![0, 1]].instances, 0);
    let numbers: Vec<u64> = (1..4).map(|index| bench.part(index).instances).collect();
    assert_eq!(numbers, [1, 1, 4]);
    let segments: Vec<u64> = (1..4)
        .map(|index| bench.part(index).segments.instances)
        .collect();
    assert_eq!(segments, [0, 0, 0]);
}

#[test]
fn loops_without_looks_have_a_time_of_their_own() {
    let mut pace = InterruptPace::default();
    assert_eq!(pace.time_of(1000), 0, "nothing is known");
    // A hundred checks of 2 cycles each, but for 10 that were left, where a loop of 50 comes.
    pace.wait(1000, 0);
    pace.given = 100;
    pace.pass(180, 10);
    assert_eq!(pace.time_of(50), 100);
    assert_eq!(
        pace.wait(1 << 30, 50),
        NextMode::Native(50),
        "asks behind it"
    );
    // That took 30 times as long for each check.
    pace.pass(3000, 0);
    assert_eq!(pace.time_of(50), 3000);
    assert_eq!(pace.wait(1 << 30, 0), NextMode::Native(1 << 16));
    // Other checks say nothing of loops.
    pace.pass(1 << 16, 0);
    assert_eq!(pace.time_of(50), 3000);
}
