//! Times on the clock of an iteration that stands alone ([`crate::fold::FoldingContext::stands_alone`]): plain numbers
//! beside the vectors, most of them constants, which LLVM folds.
//!
//! On this clock everything from before the iteration has time 0, so nothing needs to be read from anywhere. The lane
//! of such an iteration stays unused, and with it the chain that a restarting lane makes of each iteration's times.

use super::Emitter;
use crate::cost::{self, TimingRule};
use crate::ir::{Opcode, Value};
use crate::recognise::InstructionRule;

/// Register state of one loop.
#[derive(Debug)]
pub(super) struct LocalSlots {
    /// Largest time of the open iteration.
    pub(super) m: Value,
    /// Control-dependence sets of the loop's blocks, and their times.
    pub(super) control: Vec<(usize, Value)>,
}

impl Emitter<'_> {
    /// Makes the slots of a loop.
    pub(super) fn local_slots(&self, index: usize) -> LocalSlots {
        let i64 = self.unit.types.i64;
        let mut sets: Vec<usize> = self.loops[index]
            .blocks
            .iter()
            .map(|b| self.control.set_of[self.number[b]])
            .collect();
        sets.sort_unstable();
        sets.dedup();
        LocalSlots {
            m: self.builder.alloca(i64),
            control: sets
                .into_iter()
                .map(|s| (s, self.builder.alloca(i64)))
                .collect(),
        }
    }

    /// The slots of the loop around the current block, if its iterations stand alone.
    fn local(&self) -> Option<&LocalSlots> {
        let l = *self.innermost.get(&self.blocks[self.current])?;
        let t = self.tracked_of[l]?;
        self.tracked[t].slots.as_ref()?.local.as_ref()
    }

    /// An iteration starts: all its times are 0.
    pub(super) fn begin_local(&self, local: &LocalSlots) {
        let zero = self.unit.types.i64.zero();
        self.builder.store(zero, local.m);
        for (_, slot) in &local.control {
            self.builder.store(zero, *slot);
        }
    }

    /// The start of the current block, after what happens there.
    pub(super) fn arrive_local(&mut self) {
        let set = self.control.set_of[self.current];
        let slot = self
            .local()
            .and_then(|l| l.control.iter().find(|(s, _)| *s == set))
            .map(|(_, slot)| *slot);
        self.local_ctrl = slot.map(|slot| self.load_slot(slot, self.unit.types.i64));
    }

    fn local_time(&self, v: Value) -> Value {
        let here = v.is_instruction()
            && self.innermost.get(&v.block()) == self.innermost.get(&self.blocks[self.current]);
        let time = self.local_times.get(&v).filter(|_| here);
        time.copied().unwrap_or(self.unit.types.i64.zero())
    }

    fn local_max(&self, a: Value, b: Value) -> Value {
        let i64 = self.unit.types.i64;
        match (a.constant_int(), b.constant_int()) {
            (Some(x), Some(y)) => i64.int(x.max(y)),
            (Some(0), _) => b,
            (_, Some(0)) => a,
            _ if a == b => a,
            _ => self
                .builder
                .intrinsic(self.unit.module, "llvm.umax", i64, &[a, b]),
        }
    }

    fn local_largest(&self, first: Value, others: impl IntoIterator<Item = Value>) -> Value {
        others
            .into_iter()
            .fold(first, |t, v| self.local_max(t, self.local_time(v)))
    }

    /// A phi of the current block.
    pub(super) fn local_phi(&mut self, phi: Value) {
        let header = self
            .innermost
            .get(&phi.block())
            .is_some_and(|&l| self.loops[l].header == phi.block());
        if self.local().is_none() || header {
            return; // what a header phi holds is from before the iteration
        }
        self.builder.before(phi);
        let t = self.builder.phi(self.unit.types.i64);
        self.local_phis.push((phi, t));
        self.local_times.insert(phi, t);
    }

    /// Time of an instruction that is neither phi nor terminator. The builder stands before it.
    pub(super) fn local_instruction(&mut self, i: Value) {
        let (Some(ctrl), Some(m)) = (self.local_ctrl, self.local().map(|l| l.m)) else {
            return;
        };
        let i64 = self.unit.types.i64;
        let plus = |e: &Self, t: Value, latency: u32| e.builder.add(t, i64.int(latency.into()));
        let rule = self.found.rules.get(&i);
        let operands = |v: Value| {
            let mut all = if v.opcode() == Opcode::LLVMCall {
                v.args()
            } else {
                v.operands()
            };
            if let Some(InstructionRule::KeptPosition { chain, .. }) = rule {
                let mut n = 0..;
                all.retain(|_| !n.next().is_some_and(|n| chain.contains(&n)));
            }
            all
        };
        let rule = rule.filter(|r| !matches!(r, InstructionRule::KeptPosition { .. }));
        let kind = cost::kind(i, &self.unit.costs);
        let costs = &self.unit.costs;
        let t = match (rule, kind) {
            (Some(InstructionRule::Reduction { chain, .. }), TimingRule::Op(latency)) => {
                let (on, off): (Vec<_>, Vec<_>) =
                    (0..).zip(operands(i)).partition(|(n, _)| chain.contains(n));
                let others = self.local_largest(ctrl, off.into_iter().map(|(_, v)| v));
                let t = plus(self, others, latency);
                self.local_largest(t, on.into_iter().map(|(_, v)| v))
            }
            (
                Some(
                    InstructionRule::ReductionTest { chain, .. }
                    | InstructionRule::MemoryTest { chain, .. },
                ),
                TimingRule::Op(latency),
            ) => {
                let t = self.local_largest(ctrl, [i.operand(1 - chain)]);
                plus(self, t, latency)
            }
            (Some(InstructionRule::ReductionStore { combine, .. }), _) => {
                let Some(all) = self.update_latency(*combine) else {
                    return;
                };
                let others = self.found.contributions(*combine).into_iter();
                let t = self.local_largest(ctrl, others.chain(i.operands()));
                plus(self, t, all)
            }
            // From before the iteration, or without a time.
            (Some(_), _) => return,
            (None, TimingRule::Free) => {
                let t = self.local_largest(i64.zero(), operands(i));
                self.local_times.insert(i, t);
                return;
            }
            (None, TimingRule::Op(latency)) => {
                plus(self, self.local_largest(ctrl, operands(i)), latency)
            }
            (None, TimingRule::Load) => {
                plus(self, self.local_largest(ctrl, operands(i)), costs.load)
            }
            (None, TimingRule::Store) => {
                plus(self, self.local_largest(ctrl, operands(i)), costs.store)
            }
            (None, TimingRule::Call) => {
                let Some(latency) = super::library::constant_latency(i, costs) else {
                    return;
                };
                plus(self, self.local_largest(ctrl, operands(i)), latency)
            }
            _ => return,
        };
        self.local_times.insert(i, t);
        if !self.consumed(i) {
            let largest = self.load_slot(m, i64);
            self.builder.store(self.local_max(largest, t), m);
        }
    }

    /// The end of the current block: the time of its decision and of its edges.
    pub(super) fn decide_local(&mut self, terminator: Value) {
        let (Some(ctrl), Some(local)) = (self.local_ctrl, self.local()) else {
            return;
        };
        let b = self.current;
        if !self.decides[b] {
            self.local_edge.insert(b, ctrl);
            return;
        }
        let branch = self.local_largest(ctrl, [terminator.operand(0)]);
        for s in self.control.sets_with(b) {
            for (set, slot) in &local.control {
                if *set == s {
                    self.builder.store(branch, *slot);
                }
            }
        }
        self.local_edge.insert(b, branch);
    }

    /// Gives the phis their edges.
    pub(super) fn finish_local_phis(&mut self) {
        let zero = self.unit.types.i64.zero();
        for (phi, t) in std::mem::take(&mut self.local_phis) {
            let edges: Vec<_> = phi
                .incoming()
                .into_iter()
                .map(|(value, from)| {
                    let p = self.number.get(&from).copied();
                    let edge = p.and_then(|p| self.local_edge.get(&p).copied());
                    let (Some(p), Some(edge)) = (p, edge) else {
                        return (zero, from); // unreachable
                    };
                    self.current = p;
                    self.builder.before(from.terminator());
                    (self.local_max(self.local_time(value), edge), from)
                })
                .collect();
            t.add_incoming(&edges);
        }
    }
}
