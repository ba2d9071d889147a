//! Calls of functions that the library table has: their effects on times and on shadow memory.

use super::effects::{Effect, FunctionModel};
use super::lengths::Len;
use super::library::function_name;
use super::unit::Field;
use super::{Emitter, Time};
use crate::cost::TimingRule;
use crate::ir::{IntPredicate, Opcode, TypeKind, Value};

impl Emitter<'_> {
    fn length(&self, call: Value, len: Len, at: Value) -> Value {
        self.unit.stretch(&self.builder, call, len, at)
    }

    /// Notes the usable size of the block that `realloc` will give back.
    fn before_realloc(&mut self, call: Value) {
        let types = self.unit.types;
        let size = self.unit.call_runtime(
            &self.builder,
            "malloc_usable_size",
            types.i64,
            &[call.operand(0)],
        );
        self.realloc_sizes.insert(call, size);
    }

    /// Times move with the block; the old block is forgotten.
    fn after_realloc(&mut self, call: Value, size: u32, t: Value, latency: u32) {
        let (i64, void) = (self.unit.types.i64, self.unit.types.void);
        let Some(&old) = self.realloc_sizes.get(&call) else {
            return;
        };
        let new = self.builder.int_cast(call.operand(size), i64);
        let n = self
            .builder
            .intrinsic(self.unit.module, "llvm.umin", i64, &[old, new]);
        let result = self.builder.ptr_to_int(call, i64);
        let before = self.builder.ptr_to_int(call.operand(0), i64);
        let equal = IntPredicate::LLVMIntEQ;
        let stays = self.builder.or(
            self.builder.icmp(equal, result, i64.zero()),
            self.builder.icmp(equal, result, before),
        );
        let n = self.builder.select(stays, i64.zero(), n);
        self.shadow_copy(None, call, call.operand(0), n, t, latency);
        self.unit
            .call_runtime(&self.builder, "__ps_forget", void, &[call.operand(0), n]);
    }

    /// What must happen before a modelled call.
    pub(super) fn model_before(&mut self, call: Value, model: &FunctionModel) {
        let void = self.unit.types.void;
        for e in model.effects.iter() {
            match *e {
                Effect::Free(i) => {
                    self.unit.call_runtime(
                        &self.builder,
                        "__ps_forget_heap",
                        void,
                        &[call.operand(i)],
                    );
                }
                Effect::Unmap(at, length) => {
                    let length = self
                        .builder
                        .int_cast(call.operand(length), self.unit.types.i64);
                    self.unit.call_runtime(
                        &self.builder,
                        "__ps_forget",
                        void,
                        &[call.operand(at), length],
                    );
                }
                Effect::Realloc(_) => self.before_realloc(call),
                Effect::Finish => {
                    self.save();
                    self.unit
                        .call_runtime(&self.builder, "__ps_finish", void, &[]);
                }
                Effect::Opens => self.save(),
                _ => {}
            }
        }
    }

    /// Before a call uses its hidden state: that an earlier iteration did may be left out.
    fn leave_out_hidden(&mut self, call: Value, id: u32, base: Value) {
        if self.unit.cuts.is_empty() {
            return;
        }
        let Some(bits) = self.left_out(&function_name(call.callee())) else {
            return;
        };
        let types = self.unit.types;
        let args = [types.i32.int(id.into()), bits, base];
        self.unit
            .call_runtime(&self.builder, "__ps_hidden_without", types.void, &args);
    }

    /// Before a call that waits for its callbacks: they find a latest time as if nothing had run in the open instances
    /// before the call could begin, so that what they did shows by itself. A burst that begins in a callback finds the
    /// time of all that is older in the thread state. Returns the latest time until here, and what the thread state
    /// had.
    pub(super) fn before_callbacks(
        &mut self,
        call: Value,
        model: &FunctionModel,
        ready: &Time,
    ) -> Option<[Value; 2]> {
        let waits = model.effects.iter().any(|e| matches!(e, Effect::AfterAll));
        // An exception would leave the time as it is.
        if !waits || call.opcode() == Opcode::LLVMInvoke {
            return None;
        }
        let earlier = self.load_slot(self.slots.m, self.unit.time);
        let begin = ready.value.unwrap_or(self.unit.zero);
        let open = self.open_lanes(self.block_level(call.block()));
        let latest = self.builder.select(open, begin, earlier);
        self.store_state(Field::M, latest);
        if !self.unit.bursts {
            return Some([earlier; 2]);
        }
        let around = self.load_state(Field::Latest, self.unit.time);
        let latest = self.max(around, earlier);
        self.store_state(Field::Latest, latest);
        Some([earlier, around])
    }

    /// Behind it: `ready` becomes the time at which all callbacks are done as well.
    pub(super) fn after_callbacks(&mut self, ready: &mut Time, [earlier, around]: [Value; 2]) {
        if self.unit.bursts {
            self.store_state(Field::Latest, around);
        }
        let done = self.load_slot(self.slots.m, self.unit.time);
        ready.value = Some(ready.value.map_or(done, |t| self.max(t, done)));
        let latest = self.max(earlier, done);
        self.builder.store(latest, self.slots.m);
    }

    /// What follows a modelled call. The builder stands behind it.
    pub(super) fn model_after(&mut self, call: Value, model: &FunctionModel, ready: Time) {
        let types = self.unit.types;
        let (i64, scratch) = (types.i64, self.slots.scratch);
        let mut t = ready.value.unwrap_or(self.unit.zero);
        let latency = model.latency(&self.unit.costs);
        if model.effects.iter().any(|e| matches!(e, Effect::Read(..))) {
            self.builder.store(t, scratch);
            for e in model.effects.iter() {
                let Effect::Read(i, len) = *e else { continue };
                let n = self.length(call, len, call.operand(i));
                let at = self.unit.beginning(&self.builder, call.operand(i), len);
                self.note_range(at, n);
                self.load_by_call(at, n);
            }
            t = self.builder.load(self.unit.time, scratch);
        }
        let mut hidden = false;
        for e in model.effects.iter() {
            match *e {
                Effect::Realloc(size) => self.after_realloc(call, size, t, latency),
                Effect::Hidden(id) => {
                    hidden = true;
                    self.builder.store(t, scratch);
                    let base = self.base_for_call();
                    self.leave_out_hidden(call, id, base);
                    let args = [
                        types.i32.int(id.into()),
                        types.i32.int(latency.into()),
                        scratch,
                        base,
                    ];
                    let bits =
                        self.unit
                            .call_runtime(&self.builder, "__ps_hidden", types.i32, &args);
                    self.note_bits(bits);
                    t = self.builder.load(self.unit.time, scratch);
                }
                Effect::Copy(to, from, len) => {
                    let n = self.length(call, len, call.operand(from));
                    self.shadow_copy(
                        Some(call),
                        call.operand(to),
                        call.operand(from),
                        n,
                        t,
                        latency,
                    );
                }
                _ => {}
            }
        }
        if hidden {
            self.pending_work += u64::from(latency);
            self.pending_m.push(t);
            self.set(call, Some(t), None);
        } else {
            self.external_operation(
                call,
                Time {
                    value: Some(t),
                    cover: ready.cover,
                },
                TimingRule::Op(latency),
            );
            t = self.times[&call].value.unwrap_or(t);
        }
        for e in model.effects.iter() {
            match *e {
                Effect::Write(i, len) => {
                    let n = self.length(call, len, call.operand(i));
                    let at = self.unit.beginning(&self.builder, call.operand(i), len);
                    self.shadow_fill(at, n, t);
                }
                Effect::WriteResult(len) => {
                    let n = self.length(call, len, call);
                    let null = self.builder.ptr_to_int(call, i64);
                    let got = self.builder.icmp(IntPredicate::LLVMIntNE, null, i64.zero());
                    let n = self.builder.select(got, n, i64.zero());
                    self.shadow_fill(call, n, t);
                }
                _ => {}
            }
        }
        debug_assert!(call.ty().kind() != TypeKind::LLVMTokenTypeKind);
    }
}
