//! What native versions of functions count, and of which regions each of their counters tells.
//!
//! An instance counts where it begins: native code counts those that it begins itself, the runtime those that tracked
//! code begins, whoever goes on with them. What is constant (folded functions, loops that run the same number of times)
//! is not counted by itself, but follows from the counts of what it is part of; so does a loop that runs whenever the
//! function, or an iteration of the loop around it, begins.

use indexmap::IndexMap;

use parascan_formats::module::Count;

use super::counters::FunctionCounters;
use super::unit::UnitState;
use super::{IterationMode, LoopVisibility, TrackedLoop};
use crate::analysis::{CountAt, NaturalLoop, SwitchCheck, SwitchPoint};
use crate::fold::FoldedChild;
use crate::ir::{Opcode, Value};
use crate::recognise::innermost;
use crate::versions::{Beginning, NestRole, always_led_by, may_take_long};

impl UnitState {
    /// Makes counters for the native versions of a function, whose tracked code sees its loops so; gives what they are
    /// to count.
    pub fn count_natively(
        &mut self,
        f: Value,
        loops: &[NaturalLoop],
        sights: &[LoopVisibility],
        small: &IndexMap<usize, NestRole>,
        places: &[SwitchPoint],
    ) -> Vec<CountAt> {
        let mut counted = FunctionCounters {
            entry: self.counters.another(),
            ..FunctionCounters::default()
        };
        let mut list = vec![CountAt::Entry(counted.entry)];
        for (index, (l, sight)) in loops.iter().zip(sights).enumerate() {
            let Some(preheader) = l.preheader.filter(|_| *sight != LoopVisibility::Nothing) else {
                continue;
            };
            let looks = |p: &SwitchPoint| p.looks == SwitchCheck::Before(preheader);
            let origin = match always_led_by(f, preheader, l.parent.map(|p| loops[p].header)) {
                // What goes on tracked from before the loop is counted there.
                _ if places.iter().any(looks) => None,
                Some(Beginning::Function) => Some(counted.entry),
                Some(Beginning::Iteration) => {
                    l.parent.and_then(|p| counted.iterations.get(&p).copied())
                }
                None => None,
            };
            let instances = origin.unwrap_or_else(|| {
                let instances = self.counters.another();
                list.push(CountAt::EndOf(preheader, instances));
                instances
            });
            counted.loops.insert(index, instances);
            if *sight == LoopVisibility::Whole {
                continue;
            }
            let iterations = self.counters.another();
            counted.iterations.insert(index, iterations);
            // Where a place is in the header, and what is called may end the loop, each is counted by itself.
            list.push(
                if *sight == LoopVisibility::Iterations && !small.contains_key(&index) {
                    CountAt::StartOf(l.header, iterations)
                } else {
                    let before = places.iter().any(looks) && may_take_long(index, loops);
                    CountAt::Iterations {
                        header: l.header,
                        counter: iterations,
                        ahead: before.then(|| self.counters.another()),
                    }
                },
            );
        }
        let innermost = innermost(loops);
        for block in f.blocks() {
            let mut around = innermost.get(&block).copied();
            while let Some(l) = around.filter(|&l| sights[l] == LoopVisibility::Nothing) {
                around = loops[l].parent;
            }
            if around.is_some_and(|l| sights[l] != LoopVisibility::Iterations) {
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
        tracked: &[TrackedLoop],
        tracked_of: &[Option<usize>],
    ) {
        let Some(counted) = self.counters.functions.swap_remove(&f) else {
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
        t: &TrackedLoop,
        times: u64,
        tracked: &[TrackedLoop],
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
        t: &TrackedLoop,
        times: u64,
        tracked: &[TrackedLoop],
        tracked_of: &[Option<usize>],
    ) {
        self.note_count(counter, t.iteration_region, times);
        let pieces = match &t.iterations {
            IterationMode::Full => return,
            IterationMode::Flat(pieces) => pieces,
            IterationMode::Folded(constant) => &constant.children,
        };
        for piece in pieces {
            match *piece {
                FoldedChild::Function(callee) => self.count_folded(counter, callee, times),
                FoldedChild::Loop(l) => {
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
            if let FoldedChild::Function(callee) = piece {
                self.count_folded(counter, callee, times);
            }
        }
    }
}
