//! Contexts, dictionary and folding against a naive tree.

use std::collections::HashMap;

use parascan_abi::LANES;
use parascan_abi::log::{FINISHED, FLAG_FOLDED, RUNNING};
use parascan_abi::module::{RegionDesc, StaticChild, StaticDesc};
use proptest::prelude::*;

use super::support::{Figures, Node, TestRecorder, figures};
use crate::regions::EndedInstance;

const REGIONS: usize = 4;

#[derive(Clone, Debug)]
enum Op {
    Enter(usize),
    Exit,
    /// Work, and how far each lane's clock moves for it.
    Work(u64, [u32; LANES]),
    /// Equal iterations, and the clocks' movement.
    Iterations {
        region: usize,
        cp: u64,
        work: u64,
        count: u64,
        by: u32,
    },
    /// A loop that is counted in registers: runs of equal iterations as (cp, work, count), and the clocks' movement in
    /// each.
    Loop {
        region: usize,
        iteration: usize,
        runs: Vec<(u64, u64, u64)>,
        by: u32,
    },
    /// Back to a depth relative to the innermost open region.
    ExitTo(i64),
    /// The program announces its end and goes on.
    FinishAndResume,
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => (0..REGIONS).prop_map(Op::Enter),
        5 => Just(Op::Exit),
        4 => (0..20_u64, prop::array::uniform8(0..6_u32)).prop_map(|(work, by)| Op::Work(work, by)),
        2 => (0..REGIONS, 0..9_u64, 0..9_u64, 0..4_u64, 0..9_u32)
            .prop_map(|(region, cp, work, count, by)| Op::Iterations { region, cp, work: work + cp, count, by }),
        3 => (0..REGIONS, 1..REGIONS, prop::collection::vec((0..3_u64, 0..3_u64, 0..3_u64), 1..4), 0..9_u32)
            .prop_map(|(region, other, runs, by)| Op::Loop { region, iteration: (region + other) % REGIONS, runs, by }),
        1 => (-1..4_i64).prop_map(Op::ExitTo),
        1 => Just(Op::FinishAndResume),
    ]
}

/// An open region of the naive tree.
struct OpenTestRegion {
    region: u32,
    work: u64,
    base: u32,
    children: Vec<Node>,
}

/// The naive tree under construction.
struct NaiveTree {
    start_level: u32,
    max_depth: u32,
    open: Vec<OpenTestRegion>,
    top: Vec<Node>,
    folded_open: u64,
    folded: u64,
    reached: u64,
    outside: u64,
}

impl NaiveTree {
    fn lane(&self, depth: usize) -> Option<usize> {
        depth
            .checked_sub(self.start_level as usize)
            .filter(|&lane| lane < LANES)
    }

    fn enter(&mut self, bench: &TestRecorder, region: usize) {
        let depth = self.open.len();
        self.reached = self.reached.max(depth as u64 + self.folded_open + 1);
        if self.folded_open > 0 || depth as u32 >= self.max_depth {
            self.folded_open += 1;
            self.folded += 1;
            return;
        }
        let base = self.lane(depth).map_or(0, |lane| bench.state.m.0[lane]);
        self.open.push(OpenTestRegion {
            region: region as u32,
            work: bench.state.work,
            base,
            children: Vec::new(),
        });
    }

    fn iterations(&mut self, region: usize, cp: u64, work: u64, count: u64) {
        let depth = self.open.len();
        if count != 0 {
            self.reached = self.reached.max(depth as u64 + self.folded_open + 1);
        }
        if self.folded_open > 0 || depth as u32 >= self.max_depth {
            self.folded += count;
            return;
        }
        for _ in 0..count {
            self.add(Node {
                region: region as u32,
                work,
                cp,
                number: 1,
                children: Vec::new(),
            });
        }
    }

    fn exit(&mut self, bench: &TestRecorder) {
        if self.folded_open > 0 {
            self.folded_open -= 1;
            return;
        }
        let Some(open) = self.open.pop() else { return };
        let cp = self
            .lane(self.open.len())
            .map_or(0, |lane| u64::from(bench.state.m.0[lane] - open.base));
        let work = bench.state.work - open.work;
        self.add(Node {
            region: open.region,
            work,
            cp,
            number: 1,
            children: open.children,
        });
    }

    fn add(&mut self, node: Node) {
        self.open
            .last_mut()
            .map_or(&mut self.top, |open| &mut open.children)
            .push(node);
    }
}

fn check(start_level: u32, max_depth: u32, ops: &[Op]) {
    let mut bench = TestRecorder::new(REGIONS as u32, start_level, max_depth);
    let mut naive = NaiveTree {
        start_level,
        max_depth,
        open: Vec::new(),
        top: Vec::new(),
        folded_open: 0,
        folded: 0,
        reached: 0,
        outside: 0,
    };
    for op in ops {
        match *op {
            Op::Enter(region) => {
                naive.enter(&bench, region);
                bench.enter(region);
            }
            Op::Exit => {
                naive.exit(&bench);
                bench.exit();
            }
            Op::Work(work, by) => {
                bench.state.work += work;
                for (lane, by) in by.into_iter().enumerate() {
                    bench.state.m.0[lane] += by;
                }
                if naive.open.is_empty() && naive.folded_open == 0 {
                    naive.outside += work;
                }
            }
            Op::Iterations {
                region,
                cp,
                work,
                count,
                by,
            } => {
                if naive.open.is_empty() {
                    continue;
                }
                bench.state.work += work * count;
                for lane in &mut bench.state.m.0 {
                    *lane += by;
                }
                bench.iterations(region, cp, work, count);
                naive.iterations(region, cp, work, count);
            }
            Op::Loop {
                region,
                iteration,
                ref runs,
                by,
            } => {
                if naive.open.is_empty() {
                    continue;
                }
                naive.enter(&bench, region);
                bench.start_loop();
                for (i, &(cp, work, count)) in runs.iter().enumerate() {
                    bench.state.work += work * count;
                    for lane in &mut bench.state.m.0 {
                        *lane += by;
                    }
                    naive.iterations(iteration, cp, work, count);
                    bench.go_on_with_loop(
                        region,
                        iteration,
                        (cp, work, count),
                        (i + 1 == runs.len()).then_some(0),
                    );
                }
                naive.exit(&bench);
            }
            Op::ExitTo(up) => {
                let to = bench.state.depth - up;
                let (tracker, state) = (&mut bench.tracker, &mut bench.state);
                tracker.exit_to(state, state.outer + to);
                for _ in 0..up {
                    naive.exit(&bench);
                }
            }
            Op::FinishAndResume => {
                let depth = bench.state.depth;
                bench.finish();
                assert_eq!(bench.header().state, FINISHED);
                assert_eq!(bench.header().frames, 0);
                bench.tracker.resume();
                assert_eq!(bench.header().state, RUNNING);
                assert_eq!(bench.state.depth, depth);
            }
        }
        assert_eq!(bench.header().frames as usize, naive.open.len());
        let depth = naive.open.len() as i64 + naive.folded_open as i64 - 1 - i64::from(start_level);
        assert_eq!(bench.state.depth, depth);
        if let (Op::Enter(_), Some(lane), 0) = (
            op,
            naive.lane(naive.open.len().wrapping_sub(1)),
            naive.folded_open,
        ) {
            assert_eq!(bench.state.b.0[lane], bench.state.m.0[lane]);
        }
    }
    while !naive.open.is_empty() {
        naive.exit(&bench);
    }
    bench.finish();
    let work = bench.state.work;
    assert_eq!(bench.header().work, work);
    assert_eq!(bench.header().work_outside, naive.outside);
    assert_eq!(bench.header().folded, naive.folded);
    assert_eq!(
        bench.header().flags,
        if naive.folded > 0 { FLAG_FOLDED } else { 0 }
    );
    assert_eq!(u64::from(bench.header().depth_reached), naive.reached);

    let mut expected = HashMap::new();
    figures(&naive.top, &[], &mut expected);
    let found: HashMap<_, _> = bench
        .contexts()
        .iter()
        .map(|(chain, c)| (chain.clone(), Figures::from(c)))
        .collect();
    assert_eq!(found, expected);
    let root = *bench.tracker.log.contexts.at(0);
    assert_eq!(root.children, naive.top.len() as u64);
    assert_eq!(
        root.child_work,
        naive.top.iter().map(|n| n.work).sum::<u64>()
    );
    assert_eq!(root.child_cp, naive.top.iter().map(|n| n.cp).sum::<u64>());

    let sequence = bench.header().root_sequence;
    assert_eq!(bench.expand(sequence), naive.top);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn tree_equals_naive_tree(
        start_level in 0..4_u32,
        max_depth in 1..14_u32,
        ops in prop::collection::vec(op(), 0..120),
    ) {
        check(start_level, max_depth, &ops);
    }
}

#[test]
fn iterations_equal_separate_instances() {
    let run = |batched: bool| {
        let mut bench = TestRecorder::new(3, 0, 64);
        bench.enter(0);
        bench.enter(1);
        for _ in 0..5 {
            if batched {
                bench.state.work += 70;
                bench.state.m.0[0] += 3;
                bench.state.m.0[1] += 3;
                bench.state.m.0[2] += 3;
                bench.iterations(2, 3, 10, 7);
            } else {
                for _ in 0..7 {
                    bench.enter(2);
                    bench.state.work += 10;
                    bench.state.m.0[2] += 3;
                    bench.exit();
                }
                bench.state.m.0[0] += 3;
                bench.state.m.0[1] += 3;
            }
        }
        bench.finish();
        let sequence = bench.header().root_sequence;
        let contexts: HashMap<_, _> = bench
            .contexts()
            .iter()
            .map(|(chain, c)| (chain.clone(), Figures::from(c)))
            .collect();
        (
            contexts,
            bench.expand(sequence),
            bench.header().symbols,
            bench.header().runs,
        )
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn equal_instances_share_one_symbol() {
    let mut bench = TestRecorder::new(2, 0, 64);
    bench.enter(0);
    for _ in 0..1000 {
        bench.enter(1);
        bench.state.work += 4;
        bench.state.m.0[1] += 2;
        bench.exit();
    }
    bench.finish();
    // Entry 0, the child, the parent.
    assert_eq!(bench.header().symbols, 3);
    assert_eq!(bench.header().runs, 2);
    assert_eq!(bench.tracker.log.runs.at(0).count, 1000);
}

/// Enters and leaves what `desc` stands for, with the work and clocks that it claims.
fn replay(bench: &mut TestRecorder, desc: &StaticDesc, region: &dyn Fn(*mut RegionDesc) -> usize) {
    bench.enter(region(desc.region));
    let (before, lane) = (bench.state.work, bench.state.depth as usize);
    for i in 0..desc.child_count as usize {
        // SAFETY: the test keeps descriptors and lists alive.
        let (child, below) = unsafe {
            let child = &*desc.children.add(i);
            (child.count, &*child.desc)
        };
        for _ in 0..child {
            replay(bench, below, region);
        }
    }
    bench.state.work = before + desc.work;
    if lane < LANES {
        bench.state.m.0[lane] += desc.cp as u32;
    }
    bench.exit();
}

#[test]
fn static_trees_equal_replayed_ones() {
    // A program region, then a loop of three iterations of which each calls a leaf twice and another once.
    for (max_depth, twice) in [(64, false), (64, true), (2, false), (3, false), (1, true)] {
        let run = |batched: bool| {
            let mut bench = TestRecorder::new(5, 0, max_depth);
            let regions = bench.regions.as_mut_ptr();
            let desc = |region: usize, cp, work, children: &[StaticChild]| StaticDesc {
                region: regions.wrapping_add(region),
                cp,
                work,
                child_count: children.len() as u64,
                children: children.as_ptr(),
            };
            let (leaf, other) = (desc(3, 2, 3, &[]), desc(4, 5, 5, &[]));
            let below = [
                StaticChild {
                    desc: &leaf,
                    count: 2,
                },
                StaticChild {
                    desc: &other,
                    count: 1,
                },
            ];
            let iteration = desc(2, 6, 20, &below);
            let iterations = [StaticChild {
                desc: &iteration,
                count: 3,
            }];
            let outer = desc(1, 7, 61, &iterations);
            let number = |region: *mut RegionDesc| {
                (region as usize - regions as usize) / size_of::<RegionDesc>()
            };
            bench.enter(0);
            for _ in 0..=u32::from(twice) {
                if batched {
                    bench.state.work += 61 * 4;
                    // SAFETY: the descriptors live to the end of the closure.
                    unsafe {
                        bench
                            .tracker
                            .statics(&mut bench.state, &outer, outer.cp, outer.work, 4)
                    };
                } else {
                    for _ in 0..4 {
                        replay(&mut bench, &outer, &number);
                    }
                }
            }
            bench.state.work += 1;
            bench.finish();
            let header = bench.header();
            let totals = (
                header.depth_reached,
                header.folded,
                header.flags,
                header.work,
                header.root_sequence,
            );
            let contexts: HashMap<_, _> = bench
                .contexts()
                .iter()
                .map(|(chain, c)| (chain.clone(), Figures::from(c)))
                .collect();
            (
                contexts,
                bench.expand(totals.4),
                (totals.0, totals.1, totals.2, totals.3),
            )
        };
        assert_eq!(
            run(true),
            run(false),
            "maximum depth {max_depth}, twice {twice}"
        );
    }
}

/// What the handler of a signal leaves: figures go on from where the interrupted code had them, below those of a child.
#[test]
fn no_instance_lasts_less_than_nothing() {
    let mut instance = EndedInstance::childless(20, 12);
    assert_eq!((instance.possible().work, instance.possible().cp), (20, 12));
    instance.child_work = 25;
    assert_eq!((instance.possible().work, instance.possible().cp), (25, 12));
    instance.work = 3_u64.wrapping_sub(3320);
    instance.cp = 3_u64.wrapping_sub(4);
    assert_eq!((instance.possible().work, instance.possible().cp), (25, 0));
    instance.child_work = 0;
    assert_eq!(instance.possible().work, 0);
}
