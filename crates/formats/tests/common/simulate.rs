//! A naive runtime: walks a made-up execution region by region and writes the log that a run with given lanes would.
//!
//! Written from the contract (`parascan_abi::log`), independently of the code under test.

use std::collections::HashMap;

use parascan_abi::log as abi;
use parascan_formats::module::{ModuleStatic, RegionKind, RegionStatic};
use proptest::collection::vec;
use proptest::prelude::*;

use super::image::{Bytes, Writer};

/// A region instance as it happens, `count` times in a row.
#[derive(Clone, Debug)]
pub struct Event {
    pub region: u32,
    pub self_work: u64,
    pub cp: u32,
    pub count: u64,
    pub children: Vec<Event>,
}

/// Regions of the made-up program; 3 and 7 are folded iterations, 5 is a folded loop.
pub const REGIONS: u32 = 9;

/// Two modules with [`REGIONS`] regions together.
pub fn modules() -> Vec<ModuleStatic> {
    let module = |source: &str, numbers: std::ops::Range<u32>, blind: &[&str]| ModuleStatic {
        source: source.to_owned(),
        directory: "/src".to_owned(),
        producer: "clang".to_owned(),
        regions: numbers
            .clone()
            .map(|number| region(number, numbers.start, source))
            .collect(),
        blind: blind.iter().map(|&name| name.to_owned()).collect(),
        ..ModuleStatic::default()
    };
    vec![
        module("a.c", 0..5, &["puts", "_Z3addi", "never"]),
        module("b.c", 5..REGIONS, &["puts", "(indirect)"]),
    ]
}

fn region(number: u32, first: u32, source: &str) -> RegionStatic {
    let kinds = [
        RegionKind::Function,
        RegionKind::Loop,
        RegionKind::Iteration,
        RegionKind::Iteration,
    ];
    let kind = kinds[number as usize % 4];
    RegionStatic {
        kind,
        parent: number.checked_sub(first + 1),
        function: format!("f{number}"),
        linkage_name: format!("f{number}"),
        file: source.to_owned(),
        line: 10 * number,
        column: 1,
        end_line: 10 * number + 9,
        counted: false,
        broken: Vec::new(),
        folded: folded(number),
        source: None,
        streams: Vec::new(),
        vectorized: None,
        writes_to_frame: None,
    }
}

fn folded(region: u32) -> bool {
    matches!(region, 3 | 5 | 7)
}

/// Random executions, about eight regions deep.
pub fn events() -> impl Strategy<Value = Vec<Event>> {
    let leaf = event(Just(Vec::new()));
    let tree = leaf.prop_recursive(8, 60, 4, |inner| event(vec(inner, 0..4)));
    vec(tree, 1..4)
}

fn event(children: impl Strategy<Value = Vec<Event>>) -> impl Strategy<Value = Event> {
    // Few values, so that instances repeat.
    (0..REGIONS, 0..3u64, 0..4u32, 1..4u64, children).prop_map(
        |(region, self_work, cp, count, children)| {
            let event = Event {
                region,
                self_work,
                cp,
                count,
                children,
            };
            if folded(region) {
                Event {
                    count,
                    ..constant(region)
                }
            } else {
                event
            }
        },
    )
}

/// An instance of a folded region: the same every time.
pub fn constant(region: u32) -> Event {
    let (cp, children) = if region == 5 {
        (
            6,
            vec![Event {
                count: 4,
                ..constant(3)
            }],
        )
    } else {
        (5, Vec::new())
    };
    Event {
        region,
        self_work: 7,
        cp,
        count: 1,
        children,
    }
}

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// When everything is done.
    Never,
    /// By `exit` right after this many region entries: everything is closed.
    Exit(usize),
    /// Killed at that moment: nothing is closed.
    Kill(usize),
}

/// What is tracked in a run.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    pub start: u32,
    pub lanes: u32,
    pub max_depth: u32,
}

/// The log of a run.
pub fn log(events: &[Event], range: Range, stop: Stop) -> Writer {
    let mut run = Simulation {
        range,
        stop,
        entries: 0,
        work: 0,
        clocks: vec![0; range.lanes as usize],
        contexts: vec![Sums {
            region: u32::MAX,
            depth: u32::MAX,
            ..Sums::default()
        }],
        context_of: HashMap::new(),
        symbols: vec![[0; 5]],
        sequences: vec![Vec::new()],
        open: Vec::new(),
        depth_reached: 0,
        folded: 0,
    };
    let mut root = SimulatedRegion::default();
    let finished = run.children(events, &mut root, 0);
    if !finished {
        // Frames were recorded while the simulation unwound, innermost first.
        run.open.reverse();
    }
    let mut log = Writer {
        state: if finished {
            abi::FINISHED
        } else {
            abi::RUNNING
        },
        lanes: range.lanes,
        start_level: range.start,
        max_depth: range.max_depth,
        flags: if run.folded > 0 { abi::FLAG_FOLDED } else { 0 },
        depth_reached: run.depth_reached,
        folded: run.folded,
        root_sequence: if finished {
            run.sequence(&root.list)
        } else {
            0
        },
        work: run.work,
        clocks: run.clocks.clone(),
        modules: modules(),
        calls: vec![3, 1, 0, 4, 1],
        frames: run.open.iter().map(SimulatedRegion::bytes).collect(),
        contexts: run.contexts.iter().map(Sums::bytes).collect(),
        ..Writer::default()
    };
    for [region, sequence, work, cp, summarised] in &run.symbols {
        log.symbols.push(
            Bytes::default()
                .u32s([*region as u32, *sequence as u32])
                .u64s([*work, *cp, *summarised]),
        );
    }
    for sequence in &run.sequences {
        log.sequences
            .push((log.runs.len() as u32, sequence.len() as u32));
        log.runs.extend(sequence);
    }
    log
}

/// A context's sums.
#[derive(Clone, Default)]
struct Sums {
    parent: u32,
    region: u32,
    depth: u32,
    /// Instances to `multi_flat`, in the order of the structure.
    figures: [u64; 13],
    parallel_time: f64,
}

impl Sums {
    fn bytes(&self) -> Bytes {
        let chain = [u32::MAX; 3];
        Bytes::default()
            .u32s([self.parent, self.region, self.depth])
            .u32s(chain)
            .u64s(self.figures)
            .f64(self.parallel_time)
            .u64s([0])
            .u64s([9; 6])
    }

    fn add(&mut self, work: u64, cp: u64, open: &SimulatedRegion, count: u64) {
        let [
            instances,
            total,
            cps,
            cp_max,
            child_work,
            child_cp,
            children,
            least,
            most,
            gaps,
            gap_max,
            multi,
            flat,
        ] = &mut self.figures;
        *least = if *instances == 0 {
            open.children
        } else {
            open.children.min(*least)
        };
        *most = open.children.max(*most);
        *instances += count;
        *total += work * count;
        *cps += cp * count;
        *cp_max = cp.max(*cp_max);
        *child_work += open.child_work * count;
        *child_cp += open.child_cp * count;
        *children += open.children * count;
        let gap = cp.saturating_sub(open.child_cp_max);
        *gaps += gap * count;
        *gap_max = gap.max(*gap_max);
        if open.children > 1 {
            *multi += count;
            *flat += if cp == open.child_cp_max { count } else { 0 };
        }
        let paths = open.child_cp + work - open.child_work;
        let time = if cp == 0 || paths == 0 {
            work as f64
        } else {
            work as f64 * cp as f64 / paths as f64
        };
        self.parallel_time += time * count as f64;
    }
}

/// A region while it is open.
#[derive(Clone, Default)]
struct SimulatedRegion {
    context: u32,
    region: u32,
    work: u64,
    base: u64,
    child_work: u64,
    child_cp: u64,
    child_cp_max: u64,
    children: u64,
    list: Vec<(u32, u64)>,
}

impl SimulatedRegion {
    fn bytes(&self) -> Bytes {
        let figures = [
            self.work,
            self.base,
            self.child_work,
            self.child_cp,
            self.child_cp_max,
            self.children,
        ];
        Bytes::default()
            .u32s([self.context, self.region])
            .u64s(figures)
            .u64s([9; 9])
    }

    fn add_child(&mut self, symbol: u32, work: u64, cp: u64, count: u64) {
        self.child_work += work * count;
        self.child_cp += cp * count;
        self.child_cp_max = self.child_cp_max.max(cp);
        self.children += count;
        match self.list.last_mut() {
            Some((last, times)) if *last == symbol => *times += count,
            _ => self.list.push((symbol, count)),
        }
    }
}

struct Simulation {
    range: Range,
    stop: Stop,
    entries: usize,
    work: u64,
    clocks: Vec<u32>,
    contexts: Vec<Sums>,
    context_of: HashMap<(u32, u32), u32>,
    /// Region, sequence, work, cp, summarised.
    symbols: Vec<[u64; 5]>,
    sequences: Vec<Vec<(u32, u64)>>,
    open: Vec<SimulatedRegion>,
    depth_reached: u32,
    folded: u64,
}

impl Simulation {
    /// Runs children of `parent`; false when the process was killed meanwhile.
    fn children(&mut self, events: &[Event], parent: &mut SimulatedRegion, depth: u32) -> bool {
        for event in events {
            let times = if folded(event.region) { 1 } else { event.count };
            for _ in 0..times {
                if self.exited() {
                    return true;
                }
                if !self.event(event, parent, depth) {
                    return false;
                }
            }
        }
        true
    }

    fn exited(&self) -> bool {
        matches!(self.stop, Stop::Exit(entries) if self.entries >= entries)
    }

    fn event(&mut self, event: &Event, parent: &mut SimulatedRegion, depth: u32) -> bool {
        self.depth_reached = self.depth_reached.max(depth + 1);
        let count = if folded(event.region) { event.count } else { 1 };
        if depth >= self.range.max_depth {
            self.folded += count;
            self.work += event.self_work * count;
            (1..count).for_each(|_| assert!(self.children(&event.children, parent, depth + 1)));
            // Inside of a folded region everything is folded; its work is its surroundings'.
            return self.children(&event.children, parent, depth + 1);
        }
        let next = self.contexts.len() as u32;
        let context = *self
            .context_of
            .entry((parent.context, event.region))
            .or_insert(next);
        if context == next {
            self.contexts.push(Sums {
                parent: parent.context,
                region: event.region,
                depth,
                ..Sums::default()
            });
        }
        if folded(event.region) {
            self.constant(event, parent, context, count);
            return true;
        }
        let lane = depth
            .checked_sub(self.range.start)
            .filter(|&lane| lane < self.range.lanes)
            .map(|l| l as usize);
        let base = lane.map_or(0, |lane| self.clocks[lane]);
        let mut open = SimulatedRegion {
            context,
            region: event.region,
            work: self.work,
            base: base.into(),
            ..SimulatedRegion::default()
        };
        self.entries += 1;
        self.work += event.self_work;
        let finished = self.stop != Stop::Kill(self.entries)
            && self.children(&event.children, &mut open, depth + 1);
        // Who is stopped inside has come half the way.
        let cp = if !finished || self.exited() {
            event.cp / 2
        } else {
            event.cp
        };
        if let Some(lane) = lane {
            self.clocks[lane] = base + cp;
        }
        if !finished {
            self.open.push(open);
            return false;
        }
        let cp = lane.map_or(0, |_| u64::from(cp));
        let work = self.work - open.work;
        self.contexts[context as usize].add(work, cp, &open, 1);
        let sequence = self.sequence(&open.list);
        let symbol = self.symbol([event.region.into(), sequence.into(), work, cp, 1]);
        parent.add_child(symbol, work, cp, 1);
        true
    }

    /// `count` instances of a folded region, each with the same children.
    fn constant(&mut self, event: &Event, parent: &mut SimulatedRegion, context: u32, count: u64) {
        let depth = self.contexts[context as usize].depth;
        let before = self.work;
        let mut open = SimulatedRegion {
            context,
            ..SimulatedRegion::default()
        };
        for _ in 0..count {
            open = SimulatedRegion {
                context,
                ..SimulatedRegion::default()
            };
            self.work += event.self_work;
            self.children(&event.children, &mut open, depth + 1);
        }
        let (work, cp) = ((self.work - before) / count, u64::from(event.cp));
        self.contexts[context as usize].add(work, cp, &open, count);
        let sequence = self.sequence(&open.list);
        let symbol = self.symbol([event.region.into(), sequence.into(), work, cp, 1]);
        parent.add_child(symbol, work, cp, count);
    }

    fn symbol(&mut self, symbol: [u64; 5]) -> u32 {
        let known = self
            .symbols
            .iter()
            .skip(1)
            .position(|known| *known == symbol);
        known.map_or_else(
            || {
                self.symbols.push(symbol);
                self.symbols.len() as u32 - 1
            },
            |index| index as u32 + 1,
        )
    }

    fn sequence(&mut self, list: &[(u32, u64)]) -> u32 {
        let mut list = list.to_vec();
        if list.len() > abi::MAX_SEQUENCE as usize {
            let mut sums: Vec<[u64; 4]> = Vec::new();
            for (symbol, count) in list {
                let [region, _, work, cp, summarised] = self.symbols[symbol as usize];
                let index = sums
                    .iter()
                    .position(|sum| sum[0] == region)
                    .unwrap_or(sums.len());
                if index == sums.len() {
                    sums.push([region, 0, 0, 0]);
                }
                for (sum, figure) in sums[index][1..].iter_mut().zip([work, cp, summarised]) {
                    *sum += figure * count;
                }
            }
            list = sums
                .into_iter()
                .map(|[region, work, cp, n]| (self.symbol([region, 0, work, cp, n]), 1))
                .collect();
        }
        let known = self.sequences.iter().position(|known| *known == list);
        known.map_or_else(
            || {
                self.sequences.push(list);
                self.sequences.len() as u32 - 1
            },
            |index| index as u32,
        )
    }
}
