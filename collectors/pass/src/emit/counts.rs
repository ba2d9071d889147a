//! What native versions of functions count, and of which regions each of their counters tells.
//!
//! An instance counts where it begins: native code counts those that it begins itself, the runtime those that tracked
//! code begins, whoever goes on with them. What is constant (folded functions, loops that run the same number of times)
//! is not counted by itself, but follows from the counts of what it is part of.

use std::collections::HashMap;

use parascan_formats::module::Count;

use super::counters::Counted;
use super::unit::Unit;
use super::{Iterations, Sight, Tracked};
use crate::analysis::{CountAt, Loop};
use crate::fold::Piece;
use crate::ir::{Opcode, Value};
use crate::recognise::innermost;
use crate::versions::Nest;

impl Unit {
    /// Makes counters for the native versions of a function, whose tracked code sees its loops so; gives what they are
    /// to count.
    pub fn count_natively(
        &mut self,
        f: Value,
        loops: &[Loop],
        sights: &[Sight],
        small: &HashMap<usize, Nest>,
    ) -> Vec<CountAt> {
        let mut counted = Counted {
            entry: self.counters.another(),
            ..Counted::default()
        };
        let mut list = vec![CountAt::Entry(counted.entry)];
        for (index, (l, sight)) in loops.iter().zip(sights).enumerate() {
            let Some(preheader) = l.preheader.filter(|_| *sight != Sight::Nothing) else {
                continue;
            };
            let instances = self.counters.another();
            counted.loops.insert(index, instances);
            list.push(CountAt::EndOf(preheader, instances));
            if *sight == Sight::Whole {
                continue;
            }
            let iterations = self.counters.another();
            counted.iterations.insert(index, iterations);
            // Where a place is in the header, and what is called may end the loop, each is counted by itself.
            list.push(
                if *sight == Sight::Iterations && !small.contains_key(&index) {
                    CountAt::StartOf(l.header, iterations)
                } else {
                    CountAt::Iterations(l.header, iterations)
                },
            );
        }
        let innermost = innermost(loops);
        for block in f.blocks() {
            let mut around = innermost.get(&block).copied();
            while let Some(l) = around.filter(|&l| sights[l] == Sight::Nothing) {
                around = loops[l].parent;
            }
            if around.is_some_and(|l| sights[l] != Sight::Iterations) {
                continue;
            }
            for call in block.instructions() {
                let folded =
                    call.opcode() == Opcode::LLVMCall && self.folded.contains_key(&call.callee());
                if folded {
                    let counter = self.counters.another();
                    counted.calls.push((call.callee(), counter));
                    list.push(CountAt::Before(call, counter));
                }
            }
        }
        self.counters.functions.insert(f, counted);
        list
    }

    /// Notes of which regions the counters of a function's native versions tell.
    pub(super) fn note_counts(
        &mut self,
        f: Value,
        tracked: &[Tracked],
        tracked_of: &[Option<usize>],
    ) {
        let Some(counted) = self.counters.functions.remove(&f) else {
            return;
        };
        let function = self.region_of_function(f);
        self.note_count(counted.entry, function, 1);
        for t in tracked {
            match (
                counted.loops.get(&t.index),
                counted.iterations.get(&t.index),
            ) {
                (Some(&whole), None) => self.count_whole(whole, t, 1, tracked, tracked_of),
                (Some(&loops), Some(&iterations)) => {
                    self.note_count(loops, t.region, 1);
                    self.count_iterations(iterations, t, 1, tracked, tracked_of);
                }
                (None, _) => {}
            }
        }
        for (callee, counter) in counted.calls {
            self.count_folded(counter, callee, 1);
        }
    }

    fn note_count(&mut self, counter: u32, region: usize, times: u64) {
        self.facts.counts.push(Count {
            counter,
            region: region as u32,
            times,
        });
    }

    /// A loop that runs the same number of times whenever it runs.
    fn count_whole(
        &mut self,
        counter: u32,
        t: &Tracked,
        times: u64,
        tracked: &[Tracked],
        tracked_of: &[Option<usize>],
    ) {
        self.note_count(counter, t.region, times);
        let trips = t.whole.as_ref().map_or(0, |(_, trips)| *trips);
        self.count_iterations(counter, t, times * trips, tracked, tracked_of);
    }

    /// Iterations of a loop with what is constant in them.
    fn count_iterations(
        &mut self,
        counter: u32,
        t: &Tracked,
        times: u64,
        tracked: &[Tracked],
        tracked_of: &[Option<usize>],
    ) {
        self.note_count(counter, t.iteration_region, times);
        let pieces = match &t.iterations {
            Iterations::Full => return,
            Iterations::Flat(pieces) => pieces,
            Iterations::Folded(constant) => &constant.children,
        };
        for piece in pieces {
            match *piece {
                Piece::Function(callee) => self.count_folded(counter, callee, times),
                Piece::Loop(l) => {
                    if let Some(inner) = tracked_of[l] {
                        self.count_whole(counter, &tracked[inner], times, tracked, tracked_of);
                    }
                }
            }
        }
    }

    /// Calls of a folded function.
    fn count_folded(&mut self, counter: u32, f: Value, times: u64) {
        let region = self.region_of_function(f);
        self.note_count(counter, region, times);
        let pieces = self.folded.get(&f).map(|f| f.constant.children.clone());
        for piece in pieces.unwrap_or_default() {
            if let Piece::Function(callee) = piece {
                self.count_folded(counter, callee, times);
            }
        }
    }
}
