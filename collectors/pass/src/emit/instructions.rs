//! Times of plain instructions.

use super::{Emitter, Time};
use crate::analysis::{self, AliasScope};
use crate::cost::{self, TimingRule};
use crate::ir::{Opcode, Value};
use crate::recognise::InstructionRule;

impl Emitter<'_> {
    /// Emits what belongs to one instruction that is neither phi nor terminator. The builder stands before it.
    pub(super) fn instruction(&mut self, i: Value) {
        let rule = self.found.rules.get(&i).cloned();
        if let Some(rule) = rule.filter(|r| !matches!(r, InstructionRule::KeptPosition { .. })) {
            self.ruled(i, rule);
            return;
        }
        match cost::kind(i, &self.unit.costs) {
            TimingRule::Free => self.free(i),
            TimingRule::Op(latency) => {
                let operands = self.operand_times(i);
                let t = self.with_ctrl(&operands);
                let t = self.plus(t, latency);
                self.pending_work += u64::from(latency);
                self.set(i, Some(t), Some(self.current));
                self.account(i, t);
            }
            TimingRule::Load => self.load(i),
            TimingRule::Store => self.store(i),
            TimingRule::Atomic => self.atomic(i),
            TimingRule::Copy => self.copy(i),
            TimingRule::Fill => self.fill(i),
            TimingRule::ListStart | TimingRule::ListCopy => self.variadic_list(i),
            TimingRule::Call => self.call(i),
            TimingRule::Phi | TimingRule::Terminator | TimingRule::Nothing => {}
        }
    }

    /// Times of the operands that are values (a call's callee left out).
    fn operand_times(&self, i: Value) -> Vec<Time> {
        let operands = if i.opcode() == Opcode::LLVMCall {
            i.args()
        } else {
            i.operands()
        };
        let operands = (0..).zip(operands);
        operands.map(|(n, o)| self.operand_time(i, n, o)).collect()
    }

    /// Time of an operand, or that from before the loop of one that is kept in it.
    fn operand_time(&self, i: Value, n: u32, operand: Value) -> Time {
        match self.found.rules.get(&i) {
            Some(InstructionRule::KeptPosition { chain, phi }) if chain.contains(&n) => {
                self.initial_time(*phi)
            }
            _ => self.time(operand),
        }
    }

    /// Maximum of the operands; keeps the cover of a single source.
    fn free(&mut self, i: Value) {
        let times: Vec<Time> = self
            .operand_times(i)
            .into_iter()
            .filter(|t| t.value.is_some())
            .collect();
        match times[..] {
            [] => self.set(i, None, None),
            [one] => self.set(i, one.value, one.cover),
            _ => {
                let cover = times
                    .iter()
                    .find_map(|t| t.cover.filter(|&c| self.covers(c)))
                    .map(|_| self.current);
                let t = self.max_of(&times);
                self.set(i, Some(t), cover);
            }
        }
    }

    fn ruled(&mut self, i: Value, rule: InstructionRule) {
        match rule {
            InstructionRule::InductionPhi | InstructionRule::KeptPosition { .. } => {}
            InstructionRule::InductionUpdate { phi } => {
                let t = self.time(phi);
                self.set(i, t.value, None);
            }
            InstructionRule::CountedTest => self.set(i, None, None),
            InstructionRule::Reduction { chain, phi } => {
                let TimingRule::Op(latency) = cost::kind(i, &self.unit.costs) else {
                    return;
                };
                self.pending_work += u64::from(latency);
                let operands = if i.opcode() == Opcode::LLVMCall {
                    i.args()
                } else {
                    i.operands()
                };
                let (mut on_chain, mut others) = (Vec::new(), Vec::new());
                for (n, o) in (0..).zip(operands) {
                    if chain.contains(&n) {
                        on_chain.push(self.time(o))
                    } else {
                        others.push(self.time(o))
                    }
                }
                others.push(self.initial_time(phi));
                let t = self.with_ctrl(&others);
                let t = self.plus(t, latency);
                on_chain.push(Time {
                    value: Some(t),
                    cover: None,
                });
                let t = self.max_of(&on_chain);
                self.set(i, Some(t), Some(self.current));
                self.account(i, t);
            }
            InstructionRule::ReductionTest { chain, phi } => {
                let TimingRule::Op(latency) = cost::kind(i, &self.unit.costs) else {
                    return;
                };
                self.pending_work += u64::from(latency);
                let t = self.with_ctrl(&[self.time(i.operand(1 - chain)), self.initial_time(phi)]);
                let t = self.plus(t, latency);
                self.set(i, Some(t), Some(self.current));
                self.account(i, t);
            }
            InstructionRule::MemoryTest { chain, store } => {
                let TimingRule::Op(latency) = cost::kind(i, &self.unit.costs) else {
                    return;
                };
                self.pending_work += u64::from(latency);
                let initial = Time {
                    value: self.initial.get(&store).copied(),
                    cover: None,
                };
                let t = self.with_ctrl(&[self.time(i.operand(1 - chain)), initial]);
                let t = self.plus(t, latency);
                self.set(i, Some(t), Some(self.current));
                self.account(i, t);
            }
            InstructionRule::ReductionLoad { .. } => {
                self.pending_work += u64::from(self.unit.costs.load);
                let t = self.shadow_read_by(
                    i,
                    i.operand(0),
                    i.ty(),
                    i.alignment(),
                    analysis::strict_access(i),
                );
                analysis::set_scope(self.unit.module, i, AliasScope::Program);
                self.set(i, Some(t), None);
            }
            InstructionRule::ReductionCombine { .. } => {
                if let TimingRule::Op(latency) = cost::kind(i, &self.unit.costs) {
                    self.pending_work += u64::from(latency);
                }
                self.set(i, None, None);
            }
            InstructionRule::ReductionStore { load, combine, .. } => {
                let costs = &self.unit.costs;
                let Some(all) = self.update_latency(combine) else {
                    return;
                };
                self.pending_work += u64::from(costs.store);
                let contributions = self.found.contributions(combine).into_iter();
                let mut others: Vec<Time> = contributions.map(|o| self.time(o)).collect();
                // A combining operation has no time; what else is stored has.
                others.extend(i.operands().into_iter().map(|o| self.time(o)));
                if let Some(&value) = self.initial.get(&i) {
                    others.push(Time {
                        value: Some(value),
                        cover: None,
                    });
                }
                let t = self.with_ctrl(&others);
                let t = self.plus(t, all);
                let t = self.max_of(&[
                    Time {
                        value: Some(t),
                        cover: None,
                    },
                    self.time(load),
                ]);
                self.shadow_store(
                    i.operand(1),
                    i.operand(0).ty(),
                    i.alignment(),
                    analysis::strict_access(i),
                    t,
                );
                analysis::set_scope(self.unit.module, i, AliasScope::Program);
                self.pending_m.push(t);
            }
        }
    }

    /// What the store of a reduction in memory adds to the times of what it depends on: the update's load, operation
    /// and store. A comparison that decides about the store has added its own part already.
    pub(super) fn update_latency(&self, combine: Value) -> Option<u32> {
        let costs = &self.unit.costs;
        let TimingRule::Op(latency) = cost::kind(combine, costs) else {
            return None;
        };
        let before = match self.found.rules.get(&combine) {
            Some(InstructionRule::MemoryTest { .. }) => 0,
            _ => costs.load + latency,
        };
        Some(before + costs.store)
    }

    /// Time of the value from outside the loop of a header phi.
    fn initial_time(&self, phi: Value) -> Time {
        let l = self.innermost[&phi.block()];
        let outside = phi
            .incoming()
            .into_iter()
            .find(|e| !self.loops[l].blocks.contains(&e.1));
        let time = outside.map(|e| self.time(e.0)).unwrap_or_default();
        Time {
            value: time.value,
            cover: None,
        }
    }

    fn load(&mut self, i: Value) {
        let address = i.operand(0);
        let bytes = if analysis::is_errno(address) {
            self.unit.zero
        } else {
            let strict = analysis::strict_access(i);
            self.shadow_read_by(i, address, i.ty(), i.alignment(), strict)
        };
        analysis::set_scope(self.unit.module, i, AliasScope::Program);
        self.bytes.insert(i, bytes);
        let t = self.with_ctrl(&[
            Time {
                value: Some(bytes),
                cover: None,
            },
            self.operand_time(i, 0, address),
        ]);
        let t = self.plus(t, self.unit.costs.load);
        self.pending_work += u64::from(self.unit.costs.load);
        self.set(i, Some(t), Some(self.current));
        self.account(i, t);
    }

    fn store(&mut self, i: Value) {
        let (value, address) = (i.operand(0), i.operand(1));
        let t = self.with_ctrl(&[self.time(value), self.time(address)]);
        let t = self.plus(t, self.unit.costs.store);
        self.pending_work += u64::from(self.unit.costs.store);
        if !analysis::is_errno(address) {
            let strict = analysis::strict_access(i);
            self.shadow_store(address, value.ty(), i.alignment(), strict, t);
        }
        analysis::set_scope(self.unit.module, i, AliasScope::Program);
        self.pending_m.push(t);
    }

    fn atomic(&mut self, i: Value) {
        let address = i.operand(0);
        let ty = i.operand(1).ty();
        let bytes = self.shadow_read_by(i, address, ty, 1, false);
        let mut times = self.operand_times(i);
        times.push(Time {
            value: Some(bytes),
            cover: None,
        });
        let t = self.with_ctrl(&times);
        let t = self.plus(t, self.unit.costs.atomic);
        self.pending_work += u64::from(self.unit.costs.atomic);
        self.shadow_store(address, ty, 1, false, t);
        self.set(i, Some(t), Some(self.current));
        self.pending_m.push(t);
    }

    fn copy(&mut self, i: Value) {
        let latency = self.unit.costs.load + self.unit.costs.store;
        let times = self.operand_times(i);
        let t = self.with_ctrl(&times);
        self.pending_work += u64::from(latency);
        let args = i.args();
        let alignment = i.argument_alignment(0).min(i.argument_alignment(1));
        self.shadow_copy_aligned(Some(i), args[0], args[1], args[2], t, latency, alignment);
    }

    /// A `va_list` is 24 bytes on x86-64.
    fn variadic_list(&mut self, i: Value) {
        let size = self.unit.types.i64.int(24);
        let args = i.args();
        let times = self.operand_times(i);
        let t = self.with_ctrl(&times);
        if args.len() == 2 {
            let latency = self.unit.costs.load + self.unit.costs.store;
            self.pending_work += u64::from(latency);
            self.shadow_copy(None, args[0], args[1], size, t, latency);
        } else {
            let t = self.plus(t, self.unit.costs.store);
            self.pending_work += u64::from(self.unit.costs.store);
            self.shadow_fill(args[0], size, t);
            self.pending_m.push(t);
        }
    }

    fn fill(&mut self, i: Value) {
        let times = self.operand_times(i);
        let t = self.with_ctrl(&times);
        let t = self.plus(t, self.unit.costs.store);
        self.pending_work += u64::from(self.unit.costs.store);
        let args = i.args();
        self.shadow_fill(args[0], args[2], t);
        self.pending_m.push(t);
    }
}
