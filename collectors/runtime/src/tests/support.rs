//! A recorder on plain memory, and the naive tree that it is compared with.

use std::collections::HashMap;

use parascan_abi::log::{BurstPart, Context, Header};
use parascan_abi::module::{LoopDesc, RegionDesc, StaticDesc};
use parascan_abi::{LANES, State, Time};

use crate::contexts::number_region;
use crate::log::Backing;
use crate::loops::EqualIterations;
use crate::schedule::Schedule;
use crate::tracker::{RegionTracker, TrackerOptions};

/// A recorder with its thread and its module.
pub(super) struct TestRecorder {
    pub(super) tracker: RegionTracker,
    pub(super) state: State,
    pub(super) regions: Vec<RegionDesc>,
    /// Work at the start of the loop that is counted in registers, and its depth.
    counted: (u64, i64),
}

/// A state at the start of a program.
pub(super) fn fresh_state(start_level: u32) -> State {
    let zero = Time([0; LANES]);
    State {
        m: zero,
        b: zero,
        ctrl: zero,
        ret: zero,
        work: 0,
        ret_fn: std::ptr::null(),
        arg_fn: std::ptr::null(),
        depth: -1 - i64::from(start_level),
        byval: [std::ptr::null(); 16],
        args: [zero; 16],
        carried: 0,
        seen: 0,
        place: 0,
        native: 0,
        latest: zero,
        outer: start_level.into(),
        turns: 0,
    }
}

impl TestRecorder {
    pub(super) fn new(regions: u32, start_level: u32, max_depth: u32) -> Self {
        Self::with(
            regions,
            TrackerOptions {
                start_level,
                max_depth,
                bursts: None,
            },
        )
    }

    pub(super) fn with_bursts(regions: u32, schedule: Schedule) -> Self {
        Self::with(
            regions,
            TrackerOptions {
                start_level: 0,
                max_depth: 64,
                bursts: Some(schedule),
            },
        )
    }

    fn with(regions: u32, options: TrackerOptions) -> Self {
        let start_level = options.start_level;
        let backing = Backing::memory().expect("address space");
        let tracker = RegionTracker::new(backing, options, 1, 0).expect("memory");
        let regions = (0..regions)
            .map(|id| {
                let mut region = RegionDesc {
                    id: 0,
                    kind: 0,
                    cache: [0; 7],
                };
                number_region(&mut region, id);
                region
            })
            .collect();
        Self {
            tracker,
            state: fresh_state(start_level),
            regions,
            counted: (0, 0),
        }
    }

    /// What instrumented code does before a loop that it counts in registers.
    pub(super) fn start_loop(&mut self) {
        let depth = self.state.depth + 1;
        self.counted = (self.state.work, depth);
        if (0..LANES as i64).contains(&depth) {
            self.state.b.0[depth as usize] = self.state.m.0[depth as usize];
        }
    }

    /// What it does when iterations change, and at the loop's end, where it gives the bits of what the loop read.
    pub(super) fn go_on_with_loop(
        &mut self,
        region: usize,
        iteration: usize,
        (cp, work, count): (u64, u64, u64),
        ends: Option<u32>,
    ) {
        let (start, depth) = self.counted;
        let regions = self.regions.as_mut_ptr();
        let below = StaticDesc {
            // SAFETY: an element of the vector.
            region: unsafe { regions.add(iteration) },
            cp: 0,
            work: 0,
            child_count: 0,
            children: std::ptr::null(),
        };
        let desc = LoopDesc {
            // SAFETY: an element of the vector.
            region: unsafe { regions.add(region) },
            iteration: &raw const below,
        };
        let iterations = EqualIterations {
            depth,
            start,
            cp,
            work,
            count,
            carried: ends.unwrap_or(0),
        };
        // SAFETY: the descriptor was just made, of two different regions that nobody else uses.
        unsafe {
            if ends.is_some() {
                self.tracker.loop_end(&mut self.state, &desc, iterations);
            } else {
                self.tracker.loop_change(&mut self.state, &desc, iterations);
            }
        }
    }

    pub(super) fn enter(&mut self, region: usize) {
        self.tracker
            .enter(&mut self.state, &mut self.regions[region]);
    }

    pub(super) fn exit(&mut self) {
        self.tracker.exit(&mut self.state);
    }

    pub(super) fn iterations(&mut self, region: usize, cp: u64, work: u64, count: u64) {
        self.tracker
            .iterations(&mut self.state, &mut self.regions[region], cp, work, count);
    }

    /// What bursts leave of a context.
    pub(super) fn part(&mut self, context: u32) -> &BurstPart {
        self.tracker.log.parts.at(context)
    }

    pub(super) fn finish(&mut self) {
        self.tracker.finish(&mut self.state);
    }

    pub(super) fn header(&mut self) -> &Header {
        self.tracker.log.header()
    }

    /// Contexts by their chain of regions, outermost first.
    pub(super) fn contexts(&mut self) -> HashMap<Vec<u32>, Context> {
        let count = self.header().contexts;
        let mut chains: Vec<Vec<u32>> = vec![Vec::new()];
        let mut found = HashMap::new();
        for i in 1..count {
            let context = *self.tracker.log.contexts.at(i);
            let mut chain = chains[context.parent as usize].clone();
            chain.push(context.region);
            assert_eq!(context.depth as usize + 1, chain.len());
            assert!(
                found.insert(chain.clone(), context).is_none(),
                "one context per chain"
            );
            chains.push(chain);
        }
        found
    }

    /// Children that sequence `sequence` stands for, in order, with everything below.
    pub(super) fn expand(&mut self, sequence: u32) -> Vec<Node> {
        if sequence == 0 {
            return Vec::new();
        }
        let entry = *self.tracker.log.sequences.at(sequence);
        let mut nodes = Vec::new();
        for i in entry.start..entry.start + entry.len {
            let run = *self.tracker.log.runs.at(i);
            let symbol = *self.tracker.log.symbols.at(run.symbol);
            let children = self.expand(symbol.sequence);
            for _ in 0..run.count {
                nodes.push(Node {
                    region: symbol.region,
                    work: symbol.work,
                    cp: symbol.cp,
                    number: symbol.summarised,
                    children: children.clone(),
                });
            }
        }
        nodes
    }
}

/// An instance, or a summary of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) region: u32,
    pub(super) work: u64,
    pub(super) cp: u64,
    pub(super) number: u64,
    pub(super) children: Vec<Node>,
}

/// The documented figures of a context, computed anew from the tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Figures {
    instances: u64,
    work: u64,
    cp: u64,
    cp_max: u64,
    child_work: u64,
    child_cp: u64,
    children: u64,
    children_min: u64,
    children_max: u64,
    gap: u64,
    gap_max: u64,
    multi: u64,
    multi_flat: u64,
    parallel_time: f64,
}

impl PartialEq for Figures {
    /// Exact, but for rounding of the one sum that is not of integers: instances that are reported together are added
    /// as one product.
    fn eq(&self, other: &Self) -> bool {
        let integers = |f: &Self| {
            [
                [
                    f.instances,
                    f.work,
                    f.cp,
                    f.cp_max,
                    f.child_work,
                    f.child_cp,
                    f.children,
                ],
                [
                    f.children_min,
                    f.children_max,
                    f.gap,
                    f.gap_max,
                    f.multi,
                    f.multi_flat,
                    0,
                ],
            ]
        };
        let (a, b) = (self.parallel_time, other.parallel_time);
        integers(self) == integers(other) && (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
    }
}

impl From<&Context> for Figures {
    fn from(c: &Context) -> Self {
        Self {
            instances: c.instances,
            work: c.work,
            cp: c.cp,
            cp_max: c.cp_max,
            child_work: c.child_work,
            child_cp: c.child_cp,
            children: c.children,
            children_min: c.children_min,
            children_max: c.children_max,
            gap: c.gap,
            gap_max: c.gap_max,
            multi: c.multi,
            multi_flat: c.multi_flat,
            parallel_time: c.parallel_time,
        }
    }
}

/// Adds the figures of every node below `chain`, in order of exit.
pub(super) fn figures(nodes: &[Node], chain: &[u32], out: &mut HashMap<Vec<u32>, Figures>) {
    for node in nodes {
        let mut chain = chain.to_vec();
        chain.push(node.region);
        figures(&node.children, &chain, out);
        let figures = out.entry(chain).or_default();
        let sum = |f: fn(&Node) -> u64| node.children.iter().map(f).sum::<u64>();
        let (child_work, child_cp) = (sum(|c| c.work), sum(|c| c.cp));
        let largest = node.children.iter().map(|c| c.cp).max().unwrap_or(0);
        let number = node.children.len() as u64;
        let gap = node.cp.saturating_sub(largest);
        figures.children_min = if figures.instances == 0 {
            number
        } else {
            figures.children_min.min(number)
        };
        figures.instances += 1;
        figures.work += node.work;
        figures.cp += node.cp;
        figures.cp_max = figures.cp_max.max(node.cp);
        figures.child_work += child_work;
        figures.child_cp += child_cp;
        figures.children += number;
        figures.children_max = figures.children_max.max(number);
        figures.gap += gap;
        figures.gap_max = figures.gap_max.max(gap);
        figures.multi += u64::from(number >= 2);
        figures.multi_flat += u64::from(number >= 2 && node.cp == largest);
        // SP = (child_cp + self_work) / cp, and 1 without a critical path.
        let paths = child_cp + (node.work - child_work);
        figures.parallel_time += if node.cp == 0 || paths == 0 {
            node.work as f64
        } else {
            node.work as f64 * node.cp as f64 / paths as f64
        };
    }
}
