//! What threads did in regions with everything inside: time, counters, iterations. Exclusive figures add up to these as
//! times do, so no region has more than the one around it.

use std::collections::BTreeMap;

use parascan_formats::omp::NodeFigures;

use super::figures::RunPart;
use super::tree::JoinedTree;

/// A thread's figures in a region with everything inside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InclusiveFigures {
    /// Time in nanoseconds.
    pub time: u64,
    /// Iterations handed out.
    pub iterations: u64,
    /// What each counter counted; empty where none was read at regions. Only those that
    /// [`super::Phases::counts_in_regions`] are known.
    pub counters: Vec<u64>,
}

impl InclusiveFigures {
    /// What a counter counted in the region with everything inside; 0 where it is not known.
    pub fn counted(&self, counter: usize) -> u64 {
        self.counters.get(counter).copied().unwrap_or(0)
    }

    fn add(&mut self, figures: &NodeFigures) {
        self.add_up(figures.exclusive(), figures.iterations, &figures.counters);
    }

    fn add_up(&mut self, time: u64, iterations: u64, counters: &[u64]) {
        self.time = self.time.saturating_add(time);
        self.iterations = self.iterations.saturating_add(iterations);
        if self.counters.len() < counters.len() {
            self.counters.resize(counters.len(), 0);
        }
        for (mine, others) in self.counters.iter_mut().zip(counters) {
            *mine = mine.saturating_add(*others);
        }
    }
}

impl From<&NodeFigures> for InclusiveFigures {
    /// Of a region without what is inside.
    fn from(figures: &NodeFigures) -> Self {
        let mut one = Self::default();
        one.add(figures);
        one
    }
}

/// The sum of the figures of several threads or regions.
pub fn together<'a>(threads: impl IntoIterator<Item = &'a InclusiveFigures>) -> InclusiveFigures {
    let mut sum = InclusiveFigures::default();
    for one in threads {
        sum.add_up(one.time, one.iterations, &one.counters);
    }
    sum
}

/// The figures of the whole run: for each node of the tree, by thread.
pub fn of_run(tree: &JoinedTree) -> Vec<BTreeMap<u32, InclusiveFigures>> {
    let mut all: Vec<BTreeMap<u32, InclusiveFigures>> = vec![BTreeMap::new(); tree.nodes.len()];
    // Parents come before their children.
    for (number, node) in tree.nodes.iter().enumerate().rev() {
        for (thread, figures) in &node.threads {
            all[number].entry(*thread).or_default().add(figures);
        }
        let Some(parent) = node.parent else { continue };
        let (before, rest) = all.split_at_mut(number);
        for (thread, one) in &rest[0] {
            let sum = before[parent].entry(*thread).or_default();
            sum.add_up(one.time, one.iterations, &one.counters);
        }
    }
    all
}

/// The figures of a part of the run in a node and everything inside, by thread.
pub fn of_piece(
    tree: &JoinedTree,
    piece: &RunPart,
    node: usize,
) -> BTreeMap<u32, InclusiveFigures> {
    let mut threads: BTreeMap<u32, InclusiveFigures> = BTreeMap::new();
    for cell in &piece.cells {
        if cell.node == node || tree.child_towards(node, cell.node).is_some() {
            threads.entry(cell.thread).or_default().add(&cell.figures);
        }
    }
    threads
}

#[cfg(test)]
mod tests {
    use parascan_formats::omp::synthetic::RunBuilder;
    use parascan_formats::omp::{Construct, Recording, State};
    use proptest::prelude::*;

    use super::{InclusiveFigures, of_piece, of_run};
    use crate::phases::{PhaseOptions, phases};

    /// Threads 0 and 1 in a region with a loop, three times; the loop is work, the region around it is waiting.
    fn run() -> Recording {
        let mut run = RunBuilder::new(2);
        run.counters(&["cpu-time-ns", "minor-faults"]);
        for round in 0..3 {
            run.enter(0, Construct::Parallel, "solve");
            run.adopt(1, 0);
            for thread in [0, 1] {
                run.enter(thread, Construct::Loop, "sweep");
                run.spend(thread, State::Work, 100);
                run.count(thread, &[90, 2 + round]);
                run.leave(thread);
                run.spend(thread, State::ImplicitBarrier, 50);
                run.count(thread, &[10, 0]);
            }
            run.release(1);
            run.leave(0);
        }
        run.finish()
    }

    #[test]
    fn counters_add_up_as_times_do() {
        let recording = run();
        assert_eq!(recording.validate(), Ok(()));
        let result = phases(&recording, &PhaseOptions::default()).unwrap();
        assert!(result.counts_in_regions(0) && result.counts_in_regions(1));
        assert!(!result.counts_in_regions(2));
        let all = of_run(&result.tree);
        let inside = |time, counters: [u64; 2]| InclusiveFigures {
            time,
            iterations: 0,
            counters: counters.to_vec(),
        };
        for thread in [0, 1] {
            assert_eq!(all[2][&thread], inside(300, [270, 9]));
            assert_eq!(all[1][&thread], inside(450, [300, 9]));
            assert_eq!(all[0][&thread], inside(450, [300, 9]));
        }
        let (_, second) = result.phases().nth(1).unwrap();
        assert_eq!(of_piece(&result.tree, second, 2)[&1], inside(100, [90, 3]));
        assert_eq!(of_piece(&result.tree, second, 1)[&1], inside(150, [100, 3]));
    }

    proptest! {
        /// No thread has more processor time in a region than time, and regions inside no more than the one around.
        #[test]
        fn never_more_inside_than_around(
            steps in prop::collection::vec((0u8..4, 0usize..2, 0u64..100, 0u64..=100), 1..60),
        ) {
            let mut run = RunBuilder::new(2);
            run.counters(&["cpu-time-ns", "minor-faults"]);
            run.enter(0, Construct::Parallel, "all");
            run.adopt(1, 0);
            let mut depth = [0; 2];
            for (what, thread, time, share) in steps {
                match what {
                    0 | 1 if depth[thread] < 4 => {
                        run.enter(thread, Construct::Function, ["f", "g"][what as usize]);
                        depth[thread] += 1;
                    }
                    2 if depth[thread] > 0 => {
                        run.leave(thread);
                        depth[thread] -= 1;
                    }
                    _ => {
                        run.spend(thread, State::Work, time);
                        run.count(thread, &[time * share / 100, share]);
                    }
                }
            }
            for (thread, depth) in depth.into_iter().enumerate() {
                (0..depth).for_each(|_| run.leave(thread));
            }
            run.release(1);
            run.leave(0);
            let recording = run.finish();
            prop_assert_eq!(recording.validate(), Ok(()));
            let result = phases(&recording, &PhaseOptions::default()).unwrap();
            let all = of_run(&result.tree);
            for (number, node) in result.tree.nodes.iter().enumerate() {
                for (thread, one) in &all[number] {
                    prop_assert!(one.counted(0) <= one.time);
                    let children = node.children.iter().filter_map(|&c| all[c].get(thread));
                    let (mut time, mut counted) = (0, [0; 2]);
                    for child in children {
                        time += child.time;
                        counted[0] += child.counted(0);
                        counted[1] += child.counted(1);
                    }
                    prop_assert!(time <= one.time);
                    prop_assert!(counted[0] <= one.counted(0) && counted[1] <= one.counted(1));
                }
                // All parts together are the whole.
                let parts = result.pieces.iter().map(|p| of_piece(&result.tree, p, number));
                let sum: u64 = parts.flat_map(|p| p.into_values()).map(|i| i.counted(1)).sum();
                prop_assert_eq!(sum, all[number].values().map(|i| i.counted(1)).sum::<u64>());
            }
        }
    }
}
