//! Calls and returns: how times travel between functions, and what is assumed of callees that were not instrumented.
//!
//! The caller writes its arguments' times, its control time and the callee's address to the thread state; an
//! instrumented callee that finds its own address there takes them, and leaves the result's time with its own address
//! for the caller to find. So both sides notice when the other was not instrumented.

use parascan_abi::{MAX_ARGS, State};

use super::callers::called_only;
use super::unit::{Field, FoldedFunction};
use super::{Emitter, Time, library};
use crate::analysis;
use crate::cost::TimingRule;
use crate::ir::{Block, IntPredicate, Linkage, Opcode, TypeKind, Value};

const RECORD: usize = size_of::<parascan_abi::Time>();

/// Whether a function gets instrumented.
pub fn instrumentable(f: Value) -> bool {
    !f.is_declaration()
        && f.linkage() != Linkage::LLVMAvailableExternallyLinkage
        && !f.has_attribute("naked")
        && !f.has_attribute("disable_sanitizer_instrumentation")
        && !analysis::is_coroutine(f)
        && !f.name().starts_with("__ps_")
        && !f.name().starts_with("llvm.")
}

/// What the code before a call leaves for the code behind it.
struct BeforeCall {
    /// Time at which all arguments and control are there.
    ready: Time,
}

impl Emitter<'_> {
    /// Function entry: takes the arguments' times; `set` says whether the caller left any.
    pub(super) fn enter_arguments(&mut self, set: Option<Value>) {
        let types = self.unit.types;
        for (i, p) in self.f.params().into_iter().enumerate().take(MAX_ARGS) {
            if !p.users().is_empty() {
                let t = self.load_state_at(
                    std::mem::offset_of!(State, args) + i * RECORD,
                    self.unit.time,
                );
                let t = set.map_or(t, |ok| self.builder.select(ok, t, self.unit.zero));
                self.set(p, Some(t), None);
            }
            if let Some(ty) = self.f.param_type_attribute(i as u32, "byval", false) {
                // The callee's own copy of memory that the caller had.
                let source =
                    self.load_state_at(std::mem::offset_of!(State, byval) + i * 8, types.ptr);
                let size = types.i64.int(self.unit.module.abi_size(ty));
                let length = set.map_or(size, |ok| self.builder.select(ok, size, types.i64.zero()));
                self.builder.store(self.unit.zero, self.slots.scratch);
                self.builder.store(self.unit.zero, self.slots.scratch_m);
                let args = [
                    p,
                    source,
                    length,
                    self.slots.scratch,
                    types.i32.zero(),
                    self.slots.scratch_m,
                ];
                self.unit
                    .call_runtime(&self.builder, "__ps_copy", types.void, &args);
                self.set(p, None, None);
            }
        }
    }

    pub(super) fn return_from_function(&mut self, ret: Value) {
        if self.follows_must_tail(ret) {
            return; // the callee returns for us
        }
        if ret.operand_count() > 0 {
            let t = self.time(ret.operand(0));
            let t = self.with_ctrl(&[t]);
            self.store_state(Field::Ret, t);
        }
        if let Some(folded) = self.unit.folded.get(&self.f) {
            if folded.constant.reads {
                self.give_seen();
            }
            return;
        }
        self.save();
        if !self.agrees(self.f) {
            self.store_state(Field::RetFn, self.f);
        }
        self.unit
            .call_runtime(&self.builder, "__ps_exit", self.unit.types.void, &[]);
    }

    /// Whether callers of a function and the function agree on times without a check. Native callers give none.
    pub(super) fn agrees(&self, f: Value) -> bool {
        !self.unit.changes && called_only(f)
    }

    fn follows_must_tail(&self, ret: Value) -> bool {
        ret.block()
            .instructions()
            .iter()
            .any(|i| i.opcode() == Opcode::LLVMCall && analysis::is_must_tail(*i))
    }

    /// Emits what belongs to a call or invoke. The builder stands before it.
    pub(super) fn call(&mut self, call: Value) {
        let callee = call.callee();
        let args = call.args();
        let times: Vec<Time> = args.iter().map(|a| self.time(*a)).collect();
        let ready = Time {
            value: Some(self.with_ctrl(&times)),
            cover: Some(self.current),
        };
        if callee.is_inline_asm() {
            let latency = self.unit.costs.int_add;
            let t = self.plus(ready.value.unwrap_or(self.unit.zero), latency);
            self.pending_work += u64::from(latency);
            self.set(call, Some(t), Some(self.current));
            self.pending_m.push(t);
            return;
        }
        if let Some(name) = callee.intrinsic_name() {
            if name.starts_with("llvm.eh.sjlj.") {
                self.jump(call, &name);
                return;
            }
            debug_assert!(
                call.opcode() == Opcode::LLVMInvoke,
                "{name} is no plain call"
            );
            return;
        }
        if let Some(folded) = self.unit.folded.get(&callee).cloned() {
            self.call_folded(call, &times, &folded);
            return;
        }
        let model = library::model(call);
        if let Some(model) = &model {
            let mut ready = ready;
            self.model_before(call, model);
            if model.opens_regions() {
                self.prepare_call(call, &times);
            }
            let earlier = self.before_callbacks(call, model, &ready);
            if call.opcode() == Opcode::LLVMInvoke {
                self.save();
                self.set(call, ready.value, ready.cover);
                return;
            }
            self.behind(call);
            if model.opens_regions() {
                self.reload();
                self.raise_control();
            }
            if let Some(earlier) = earlier {
                self.after_callbacks(&mut ready, earlier);
            }
            self.model_after(call, model, ready);
            return;
        }
        let must_tail = analysis::is_must_tail(call);
        self.prepare_call(call, &times);
        if must_tail {
            self.unit
                .call_runtime(&self.builder, "__ps_exit", self.unit.types.void, &[]);
            return;
        }
        if call.opcode() == Opcode::LLVMInvoke {
            self.set(call, ready.value, ready.cover);
            return;
        }
        self.behind(call);
        self.finish_call(call, &BeforeCall { ready });
        self.raise_control();
        if analysis::returns_twice(call) {
            let level = self.block_level(call.block());
            self.exit_to(level);
        }
    }

    /// `__builtin_longjmp`, or where it leads to.
    fn jump(&mut self, call: Value, name: &str) {
        self.save();
        if name.ends_with("setjmp") {
            self.behind(call);
            self.reload();
            self.raise_control();
            let level = self.block_level(call.block());
            self.exit_to(level);
        }
    }

    /// A call of a function that has no region code of its own.
    fn call_folded(&mut self, call: Value, times: &[Time], folded: &FoldedFunction) {
        self.store_state(Field::Ctrl, self.ctrl);
        self.store_arguments(call, times);
        if folded.constant.reads {
            self.lend_base();
        }
        self.behind(call);
        let t = self.load_state(Field::Ret, self.unit.time);
        if folded.constant.reads {
            self.take_seen();
        }
        self.set(call, Some(t), None);
        self.pending_m.push(t);
        self.pending_work += folded.constant.work;
        // Inside a folded function the callers report everything.
        if !self.unit.folded.contains_key(&self.f) && !self.reported_by_loop(call.block()) {
            self.report_static(folded.descriptor, self.unit.types.i64.int(1));
        }
    }

    /// Puts the builder behind a call.
    fn behind(&mut self, call: Value) {
        if let Some(next) = call.next() {
            self.builder.before(next);
        }
    }

    /// Writes everything the callee may want to the thread state.
    fn prepare_call(&mut self, call: Value, times: &[Time]) {
        let callee = call.callee();
        self.save();
        self.store_state(Field::Ctrl, self.ctrl);
        self.store_arguments(call, times);
        if !(callee.is_function() && self.agrees(callee) && instrumentable(callee)) {
            self.store_state(Field::ArgFn, callee);
            self.store_state(Field::RetFn, self.unit.types.ptr.zero());
            if self.unit.changes {
                let turns = self.load_state(Field::Turns, self.unit.types.i32);
                self.turns.insert(call, turns);
            }
        }
    }

    fn store_arguments(&mut self, call: Value, times: &[Time]) {
        let fixed = call.called_type().params().len();
        for (i, t) in times.iter().enumerate().take(fixed.min(MAX_ARGS)) {
            let offset = std::mem::offset_of!(State, args) + i * RECORD;
            self.store_state_at(offset, t.value.unwrap_or(self.unit.zero));
            if call.param_type_attribute(i as u32, "byval", true).is_some() {
                let source = call.operand(i as u32);
                self.store_state_at(std::mem::offset_of!(State, byval) + i * 8, source);
            }
        }
    }

    /// Takes the result's time, or counts a blind spot where the callee left none.
    fn finish_call(&mut self, call: Value, before: &BeforeCall) {
        let types = self.unit.types;
        let callee = call.callee();
        self.reload();
        let has_value = call.ty().kind() != TypeKind::LLVMVoidTypeKind;
        if callee.is_function() && self.agrees(callee) && instrumentable(callee) {
            if has_value {
                let t = self.load_state(Field::Ret, self.unit.time);
                self.set(call, Some(t), None);
            }
            return;
        }
        let setter = self.load_state(Field::RetFn, types.ptr);
        let known = self.builder.icmp(IntPredicate::LLVMIntEQ, setter, callee);
        let latency = self.unit.costs.external;
        let outside = self.plus(before.ready.value.unwrap_or(self.unit.zero), latency);
        if has_value {
            let inside = self.load_state(Field::Ret, self.unit.time);
            let t = self.builder.select(known, inside, outside);
            self.set(call, Some(t), None);
        }
        let m = self.load_slot(self.slots.m, self.unit.time);
        let seen = self.builder.select(known, self.unit.zero, outside);
        let m = self.max(m, seen);
        self.builder.store(m, self.slots.m);
        let work = self.load_slot(self.slots.work, types.i64);
        let extra = self
            .builder
            .select(known, types.i64.zero(), types.i64.int(latency.into()));
        let work = self.builder.add(work, extra);
        self.builder.store(work, self.slots.work);
        let blind = self.builder.icmp(IntPredicate::LLVMIntNE, setter, callee);
        let blind = match self.turns.swap_remove(&call) {
            Some(turns) => self.within_burst(blind, turns),
            None => blind,
        };
        let calls = self
            .builder
            .select(blind, types.i64.int(1), types.i64.zero());
        let name = if callee.is_function() {
            callee.name()
        } else {
            "(indirect)".to_owned()
        };
        self.unit.count_blind(&self.builder, &name, calls);
    }

    /// Whether that holds, and a burst was on throughout a call before which there had been so many `turns`. Else
    /// native code may have run in it, which leaves no times and of which nobody needs any.
    fn within_burst(&mut self, that: Value, turns: Value) -> Value {
        let i32 = self.unit.types.i32;
        let now = self.load_state(Field::Turns, i32);
        let native = self.load_state(Field::Native, i32);
        let same = self.builder.icmp(IntPredicate::LLVMIntEQ, now, turns);
        let tracked = self
            .builder
            .icmp(IntPredicate::LLVMIntEQ, native, i32.zero());
        let whole = self.builder.and(same, tracked);
        self.builder.and(that, whole)
    }

    /// At the start of a block that an invoke returns to: the code behind that invoke.
    pub(super) fn after_invoke(&mut self, block: Block) {
        let Some(&number) = self.number.get(&block) else {
            return;
        };
        let from = self.order.iter().copied().find(|&p| {
            let t = self.blocks[p].terminator();
            t.opcode() == Opcode::LLVMInvoke && t.normal_dest() == block && p != number
        });
        let Some(from) = from else { return };
        let invoke = self.blocks[from].terminator();
        let ready = self.time(invoke);
        match library::model(invoke) {
            Some(model) => {
                self.reload();
                self.model_after(invoke, &model, ready);
                self.flush();
            }
            None if invoke.callee().intrinsic_name().is_none() => {
                self.finish_call(invoke, &BeforeCall { ready })
            }
            None => {}
        }
    }

    /// Adds an operation outside the table of instructions.
    pub(super) fn external_operation(&mut self, v: Value, ready: Time, kind: TimingRule) {
        let TimingRule::Op(latency) = kind else {
            return;
        };
        let t = self.plus(ready.value.unwrap_or(self.unit.zero), latency);
        self.pending_work += u64::from(latency);
        self.set(v, Some(t), ready.cover.filter(|&c| c == self.current));
        self.pending_m.push(t);
    }
}
