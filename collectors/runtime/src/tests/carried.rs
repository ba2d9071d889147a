//! Carried dependences against the definition: writes and reads of a few places in nested regions. Instances at even
//! depths stand for loops, in which nothing is read but by their children, those at odd depths for iterations.

use std::collections::HashMap;

use parascan_abi::{LANES, Tick, Time};
use proptest::prelude::*;

use super::support::TestRecorder;
use crate::shadow::bit;

const REGIONS: usize = 4;
const PLACES: usize = 3;

#[derive(Clone, Debug)]
enum Op {
    Enter(usize),
    Exit,
    Write(usize),
    Read(usize),
    /// A loop counted in registers of this many iterations, which write and read a place (or not) in this order.
    Loop {
        region: usize,
        iterations: u64,
        written: Option<usize>,
        read: Option<usize>,
        read_first: bool,
    },
}

fn op() -> impl Strategy<Value = Op> {
    let place = || prop::option::of(0..PLACES);
    prop_oneof![
        4 => (0..REGIONS).prop_map(Op::Enter),
        4 => Just(Op::Exit),
        3 => (0..PLACES).prop_map(Op::Write),
        3 => (0..PLACES).prop_map(Op::Read),
        2 => (0..REGIONS, 1..4_u64, place(), place(), any::<bool>()).prop_map(
            |(region, iterations, written, read, read_first)| Op::Loop { region, iterations, written, read, read_first }
        ),
    ]
}

/// An open instance of the definition.
struct OpenTestInstance {
    region: u32,
    /// When it began, and its current child.
    began: u64,
    children: u64,
    carried: bool,
}

/// Places, instances and counts by their definition: serial numbers of events.
#[derive(Default)]
struct Definition {
    now: u64,
    written: [Option<u64>; PLACES],
    open: Vec<OpenTestInstance>,
    /// Instances with a carried dependence by chain of regions.
    carried: HashMap<Vec<u32>, u64>,
}

impl Definition {
    fn enter(&mut self, region: usize) {
        self.now += 1;
        if let Some(parent) = self.open.last_mut() {
            parent.children += 1;
        }
        self.open.push(OpenTestInstance {
            region: region as u32,
            began: self.now,
            children: 0,
            carried: false,
        });
    }

    fn exit(&mut self) {
        self.now += 1;
        let chain: Vec<u32> = self.open.iter().map(|o| o.region).collect();
        if let Some(open) = self.open.pop() {
            *self.carried.entry(chain).or_default() +=
                u64::from(open.carried && open.children >= 2);
        }
    }

    fn write(&mut self, place: usize) {
        self.now += 1;
        self.written[place] = Some(self.now);
    }

    fn read(&mut self, place: usize) {
        self.now += 1;
        let Some(written) = self.written[place] else {
            return;
        };
        for depth in 1..self.open.len() {
            if self.open[depth - 1].began < written && written < self.open[depth].began {
                self.open[depth - 1].carried = true;
            }
        }
    }
}

/// The recorder, and times as instrumented code keeps them: every write takes one unit in every lane.
struct InstrumentedProgram {
    bench: TestRecorder,
    times: [Time; PLACES],
}

impl InstrumentedProgram {
    fn write(&mut self, place: usize) {
        for lane in 0..LANES {
            self.bench.state.m.0[lane] += 1;
        }
        self.bench.state.work += 1;
        self.times[place] = self.bench.state.m;
    }

    fn read(&mut self, place: usize) {
        let bits = bit(self.times[place], &self.bench.state.b);
        self.bench.state.carried |= bits;
    }

    /// As instrumented code runs a loop counted in registers whose iterations have a lane.
    fn counted(&mut self, region: usize, iterations: u64, body: &[(bool, usize)]) {
        self.bench.start_loop();
        let depth = self.bench.state.depth + 1;
        let mut bits = 0;
        for _ in 0..iterations {
            let mut base = self.bench.state.b;
            if let Ok(lane) = usize::try_from(depth + 1)
                && lane < LANES
            {
                base.0[lane] = self.bench.state.m.0[lane];
            }
            for &(writes, place) in body {
                if writes {
                    self.write(place);
                } else {
                    bits |= bit(self.times[place], &base);
                }
            }
        }
        let written = body.iter().filter(|(writes, _)| *writes).count() as u64;
        let figures = (written as Tick as u64, written, iterations);
        self.bench
            .go_on_with_loop(region, REGIONS, figures, Some(bits));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn carried_dependences_are_those_of_the_definition(ops in prop::collection::vec(op(), 1..60)) {
        let mut program = InstrumentedProgram {
            bench: TestRecorder::new(REGIONS as u32 + 1, 0, 64),
            times: [Time([0; LANES]); PLACES],
        };
        let mut definition = Definition::default();
        for op in ops {
            match op {
                // Instances whose children have no lane are not judged.
                Op::Enter(region) if definition.open.len() < LANES - 1 => {
                    program.bench.enter(region);
                    definition.enter(region);
                }
                Op::Exit if !definition.open.is_empty() => {
                    program.bench.exit();
                    definition.exit();
                }
                Op::Write(place) => {
                    program.write(place);
                    definition.write(place);
                }
                Op::Read(place) if definition.open.len() % 2 == 0 && !definition.open.is_empty() => {
                    program.read(place);
                    definition.read(place);
                }
                Op::Loop { region, iterations, written, read, read_first }
                    if definition.open.len() % 2 == 0 && definition.open.len() < LANES - 1 =>
                {
                    let mut body: Vec<(bool, usize)> = Vec::new();
                    body.extend(read.map(|place| (false, place)));
                    body.extend(written.map(|place| (true, place)));
                    if !read_first {
                        body.reverse();
                    }
                    program.counted(region, iterations, &body);
                    definition.enter(region);
                    for _ in 0..iterations {
                        definition.enter(REGIONS);
                        for &(writes, place) in &body {
                            if writes { definition.write(place) } else { definition.read(place) }
                        }
                        definition.exit();
                    }
                    definition.exit();
                }
                _ => {}
            }
        }
        while !definition.open.is_empty() {
            program.bench.exit();
            definition.exit();
        }
        let contexts = program.bench.contexts();
        for (chain, expected) in definition.carried.iter().filter(|(chain, _)| chain.len() % 2 == 1) {
            prop_assert_eq!(contexts[chain].carried, *expected, "{:?}", chain);
        }
    }
}
