//! What happens at the limits: long sequences, a full dictionary, clocks near their end, a killed process.

use parascan_abi::log::{CAP_SYMBOLS, FLAG_DICTIONARY_FULL, FLAG_OVERFLOW, MAX_SEQUENCE};

use super::support::TestRecorder;
use crate::full::FULL_DEPTH;

/// An instance of `region` with some work, whose critical path is its work.
fn leaf(bench: &mut TestRecorder, region: usize, work: u32) {
    instance(bench, region, work, work);
}

fn instance(bench: &mut TestRecorder, region: usize, work: u32, cp: u32) {
    bench.enter(region);
    let lane = bench.state.depth as usize;
    bench.state.work += u64::from(work);
    bench.state.m.0[lane] += cp;
    bench.exit();
}

#[test]
fn long_lists_are_summarised_per_region() {
    let mut bench = TestRecorder::new(4, 0, 64);
    bench.enter(0);
    for i in 0..MAX_SEQUENCE {
        leaf(&mut bench, 2 - (i % 2) as usize, 1 + i % 2);
    }
    // Another region comes when the list is summarised already.
    bench.state.work += 5;
    leaf(&mut bench, 3, 10);
    leaf(&mut bench, 3, 30);
    leaf(&mut bench, 1, 100);
    bench.exit();
    bench.finish();
    let sequence = bench.header().root_sequence;
    let tree = bench.expand(sequence);
    assert_eq!(tree.len(), 1);
    let found: Vec<_> = tree[0]
        .children
        .iter()
        .map(|n| (n.region, n.number, n.work, n.cp))
        .collect();
    let half = u64::from(MAX_SEQUENCE) / 2;
    assert_eq!(
        found,
        [
            (2, half, half, half),
            (1, half + 1, half * 2 + 100, half * 2 + 100),
            (3, 2, 40, 40)
        ]
    );
    assert_eq!(bench.header().flags, 0);
}

#[test]
fn lists_of_the_greatest_length_stay_in_order() {
    let mut bench = TestRecorder::new(2, 0, 64);
    bench.enter(0);
    for i in 0..MAX_SEQUENCE {
        leaf(&mut bench, 1, 1 + i % 2);
    }
    bench.exit();
    bench.finish();
    let sequence = bench.header().root_sequence;
    let tree = bench.expand(sequence);
    assert_eq!(tree[0].children.len(), MAX_SEQUENCE as usize);
    assert!(
        tree[0]
            .children
            .iter()
            .enumerate()
            .all(|(i, n)| n.work == 1 + (i as u64 % 2))
    );
}

#[test]
fn full_dictionary_keeps_contexts_and_sums_exact() {
    let mut bench = TestRecorder::new(3, 0, 64);
    let (outer, inner) = (2000, 100);
    let mut work = 0;
    bench.enter(0);
    for i in 0..outer {
        bench.enter(1);
        for j in 0..inner {
            // All different, and more than the dictionary holds.
            let number = i * inner + j;
            instance(&mut bench, 2, 1 + number % 1000, number / 1000);
            work += u64::from(1 + number % 1000);
        }
        bench.exit();
    }
    bench.exit();
    bench.finish();
    assert_eq!(bench.header().flags, FLAG_DICTIONARY_FULL);
    assert!(bench.header().symbols <= CAP_SYMBOLS);
    let contexts = bench.contexts();
    assert_eq!(contexts[&vec![0, 1, 2]].instances, u64::from(outer * inner));
    assert_eq!(contexts[&vec![0, 1, 2]].work, work);
    assert_eq!(contexts[&vec![0, 1]].instances, u64::from(outer));
    // The outermost levels found room: everything is there, as sums.
    let sequence = bench.header().root_sequence;
    let tree = bench.expand(sequence);
    assert_eq!(tree.len(), 1);
    assert_eq!(tree[0].work, work);
    assert_eq!(
        tree[0].children.iter().map(|n| n.number).sum::<u64>(),
        u64::from(outer)
    );
    assert_eq!(tree[0].children.iter().map(|n| n.work).sum::<u64>(), work);
}

#[test]
fn clocks_below_half_are_never_flagged() {
    let mut bench = TestRecorder::new(1, 0, 64);
    bench.enter(0);
    bench.state.work = (1 << 31) - 1;
    bench.state.m.0[0] = (1 << 31) - 1;
    bench.exit();
    assert_eq!(bench.header().flags, 0);
    // More work in small steps does no harm as long as no clock follows.
    for step in 0..8_u64 {
        bench.state.work = (1 << 31) + step * (1 << 30);
        bench.enter(0);
        bench.exit();
    }
    assert_eq!(bench.header().flags, 0);
}

/// What was measured of a region, and of the one inside it, before clocks were full.
fn kept(bench: &mut TestRecorder) -> [(u64, u64, u64); 2] {
    let contexts = bench.contexts();
    [&[0][..], &[0, 1]].map(|path| {
        let context = &contexts[&path.to_vec()];
        (context.instances, context.work, context.cp)
    })
}

#[test]
fn full_clocks_close_the_log_as_of_the_boundary_before() {
    // The boundary at which they are found: of every kind.
    for last in 0..4 {
        let mut bench = TestRecorder::new(3, 0, 64);
        bench.state.work = 5;
        bench.enter(0);
        instance(&mut bench, 1, 10, 10);
        bench.state.work += 3;
        bench.state.m.0[0] = 11;
        bench.enter(1);
        bench.state.work += 4;
        bench.state.m.0[0] = 15;
        bench.state.m.0[1] += 4;
        // The last boundary with good clocks.
        bench.iterations(2, 2, 2, 2);
        bench.state.work = (1 << 31) + 30;
        bench.state.m.0[5] = 1 << 31;
        match last {
            0 => bench.exit(),
            1 => bench.enter(2),
            2 => bench.iterations(2, 1, 1, 1000),
            _ => bench.finish(),
        }
        assert_eq!(bench.header().flags, FLAG_OVERFLOW);
        assert_eq!((bench.header().work, bench.header().work_outside), (22, 5));
        assert_eq!(bench.state.depth, FULL_DEPTH);
        assert_eq!(kept(&mut bench), [(1, 17, 15), (2, 14, 14)], "{last}");
        // Nothing changes any more; the figures of this call are the program's.
        assert_eq!(bench.state.work, (1 << 31) + 30);
        bench.enter(0);
        bench.exit();
        bench.finish();
        assert_eq!(kept(&mut bench), [(1, 17, 15), (2, 14, 14)]);
        let sequence = bench.header().root_sequence;
        let tree = bench.expand(sequence);
        assert_eq!(
            (tree.len(), tree[0].work, tree[0].children.len()),
            (1, 17, 2)
        );
        assert_eq!(tree[0].children[1].children.len(), 2);
        assert_eq!(bench.header().total, (1 << 31) + 30);
    }
}

#[test]
fn a_clock_that_comes_near_its_end_later_is_flagged_then() {
    let mut bench = TestRecorder::new(1, 0, 64);
    bench.enter(0);
    for (work, clock, flags) in [
        (1_u64 << 31, 1_u32 << 30, 0),
        ((1 << 31) + (1 << 29), (1 << 30) + (1 << 29), 0),
        ((1 << 31) + (1 << 30) - 1, (1 << 31) - 1, 0),
        ((1 << 31) + (1 << 30), 1 << 31, FLAG_OVERFLOW),
    ] {
        bench.state.work = work;
        bench.state.m.0[3] = clock;
        bench.enter(0);
        bench.exit();
        assert_eq!(bench.header().flags, flags, "at work {work}");
    }
    assert_eq!(bench.header().work, (1 << 31) + (1 << 30) - 1);
}

#[test]
fn too_much_work_between_two_checks_is_flagged() {
    let mut bench = TestRecorder::new(1, 0, 64);
    bench.enter(0);
    bench.state.work = 1 << 32;
    bench.exit();
    assert_eq!(bench.header().flags, FLAG_OVERFLOW);
}

#[test]
fn exits_without_entries_do_nothing() {
    let mut bench = TestRecorder::new(1, 2, 64);
    bench.exit();
    bench.exit();
    assert_eq!(bench.state.depth, -3);
    bench.enter(0);
    assert_eq!(bench.state.depth, -2);
    bench.exit();
    bench.exit();
    assert_eq!(bench.state.depth, -3);
    assert_eq!(bench.header().frames, 0);
}

#[test]
fn unregistered_regions_fold() {
    let mut bench = TestRecorder::new(1, 0, 64);
    let mut stranger = parascan_abi::module::RegionDesc {
        id: 0,
        kind: 0,
        cache: [0; 7],
    };
    bench.enter(0);
    bench.tracker.enter(&mut bench.state, &mut stranger);
    leaf(&mut bench, 0, 10);
    bench.exit();
    bench.exit();
    assert_eq!(bench.state.depth, -1);
    bench.finish();
    let contexts = bench.contexts();
    assert_eq!(contexts.len(), 1);
    assert_eq!(
        (contexts[&vec![0]].instances, contexts[&vec![0]].work),
        (1, 10)
    );
}
