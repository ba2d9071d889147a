//! Bounds in memory: counted exits whose bound is loaded in the loop, which may also write it.
//!
//! Such a test is no decision: the loop's iterations do not wait for it. They do wait for whoever wrote the bound, so
//! the largest time of the bytes that the tests read (`docs/semantics.md`, *bound time*) is part of every control time
//! in the loop.

use indexmap::IndexMap;

use super::Emitter;
use crate::analysis::NaturalLoop;
use crate::ir::{Block, InstructionBuilder, Type, Value};

/// Counted exits with bounds in memory, and the loops they belong to.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    /// By exiting block: the loop and the loads of the bound.
    tests: IndexMap<usize, (usize, Vec<Value>)>,
    /// By loop: the largest time of the bounds tested so far.
    slots: IndexMap<usize, Value>,
}

impl Bounds {
    /// Finds them and makes a slot, zero at first, for each loop that has some.
    pub(super) fn new(
        loops: &[NaturalLoop],
        number: &IndexMap<Block, usize>,
        builder: &InstructionBuilder,
        time: Type,
    ) -> Self {
        let mut bounds = Self::default();
        for (index, l) in loops.iter().enumerate() {
            for (block, loads) in &l.memory_bounds {
                bounds.tests.insert(number[block], (index, loads.clone()));
                bounds
                    .slots
                    .entry(index)
                    .or_insert_with(|| builder.alloca(time));
            }
        }
        for slot in bounds.slots.values() {
            builder.store(time.zero(), *slot);
        }
        bounds
    }

    /// Slots to promote.
    pub(super) fn slots(&self) -> impl Iterator<Item = Value> + '_ {
        self.slots.values().copied()
    }

    /// Whether a block ends in such a test.
    pub(super) fn tested_in(&self, block: usize) -> bool {
        self.tests.contains_key(&block)
    }

    /// Whether such a test stands at the end of `from`, or of a block behind it and before `to`.
    pub(super) fn tested_between(&self, order_of: &[usize], from: usize, to: usize) -> bool {
        self.tests
            .keys()
            .any(|&test| order_of[from] <= order_of[test] && order_of[test] < order_of[to])
    }
}

impl Emitter<'_> {
    /// A control time with the bound times of all loops around a block.
    pub(super) fn with_bounds(&self, block: Block, ctrl: Value) -> Value {
        let mut ctrl = ctrl;
        let mut at = self.innermost.get(&block).copied();
        while let Some(l) = at {
            if let Some(&slot) = self.bounds.slots.get(&l) {
                ctrl = self.max(ctrl, self.load_slot(slot, self.unit.time));
            }
            at = self.loops[l].parent;
        }
        ctrl
    }

    /// The end of a block that tests a bound in memory; false if it does not.
    pub(super) fn test_bound(&mut self, block: usize) -> bool {
        let Some((l, loads)) = self.bounds.tests.get(&block) else {
            return false;
        };
        let slot = self.bounds.slots[l];
        let mut times = vec![self.load_slot(slot, self.unit.time)];
        times.extend(loads.iter().filter_map(|v| self.bytes.get(v).copied()));
        let bound = self.max_tree(times);
        self.builder.store(bound, slot);
        let edge = self.max(self.ctrl, bound);
        self.edge.insert(block, edge);
        true
    }

    /// A loop is entered: nothing was tested yet.
    pub(super) fn reset_bound(&mut self, l: usize) {
        if let Some(&slot) = self.bounds.slots.get(&l) {
            self.builder.store(self.unit.zero, slot);
        }
    }
}
