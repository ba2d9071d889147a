//! Code at the edges of regions: where functions, loops and iterations begin and end.

use super::local::LocalSlots;
use super::{Emitter, IterationMode, PendingCode, unit::Field};
use crate::analysis;
use crate::ir::{Block, IntPredicate, Value};
use crate::recognise::InstructionRule;

/// Register state of a loop whose iterations are counted without the runtime.
#[derive(Debug)]
pub(super) struct FlatSlots {
    /// Critical path, work and number of the last equal iterations.
    last_cp: Value,
    last_work: Value,
    pub(super) count: Value,
    /// Work at the start of the open iteration, and whether one is open.
    start: Value,
    open: Value,
    /// Work at the start of the loop.
    loop_start: Value,
    /// For iterations on their own clock; the critical path is a plain number then.
    pub(super) local: Option<LocalSlots>,
}

impl FlatSlots {
    pub(super) fn all(&self) -> Vec<Value> {
        let mut all = vec![
            self.last_cp,
            self.last_work,
            self.count,
            self.start,
            self.open,
            self.loop_start,
        ];
        if let Some(local) = &self.local {
            all.push(local.m);
            all.extend(local.control.iter().map(|(_, slot)| *slot));
        }
        all
    }
}

impl Emitter<'_> {
    fn region_call(&mut self, name: &str, region: usize) {
        self.save();
        let address = self.unit.region(&self.builder, region);
        self.unit
            .call_runtime(&self.builder, name, self.unit.types.void, &[address]);
        self.take_bases();
    }

    /// Function entry: arguments' times, the function's region, initial state.
    pub(super) fn enter_function(&mut self) {
        let types = self.unit.types;
        let entry = self.blocks[0];
        let zero = self.unit.zero;
        let private = self.agrees(self.f);
        if self.unit.folded.contains_key(&self.f) {
            // The callers account for it: only times pass through.
            self.enter_arguments(None);
            let ctrl = self.load_state(Field::Ctrl, self.unit.time);
            for s in self
                .slots
                .control
                .iter()
                .copied()
                .chain([self.slots.m, self.slots.b])
            {
                self.builder.store(ctrl, s);
            }
            self.builder.store(types.i64.zero(), self.slots.work);
            self.ctrl = ctrl;
            self.enter_folded_carried();
            return;
        }
        let set = if private {
            None
        } else {
            let callee = self.load_state(Field::ArgFn, types.ptr);
            Some(self.builder.icmp(IntPredicate::LLVMIntEQ, callee, self.f))
        };
        self.enter_arguments(set);
        let ctrl = self.load_state(Field::Ctrl, self.unit.time);
        let ctrl = set.map_or(ctrl, |ok| self.builder.select(ok, ctrl, zero));
        if !private {
            self.store_state(Field::ArgFn, types.ptr.zero());
        }
        self.prepare_ways();
        let function_region = self.unit.region_of_function(self.f);
        // Taken before the runtime writes one lane of it: a wide load right behind that narrow store would stall.
        let b = self.load_state(Field::B, self.unit.time);
        self.builder.store(b, self.slots.b);
        let address = self.unit.region(&self.builder, function_region);
        match set.filter(|_| self.unit.changes) {
            Some(set) => {
                let inside = self.builder.select(set, types.i32.int(1), types.i32.zero());
                let slot = self.builder.intrinsic(
                    self.unit.module,
                    "llvm.addressofreturnaddress",
                    types.ptr,
                    &[],
                );
                let helper = analysis::enter_helper(self.unit.module);
                self.builder
                    .call(helper.value_type(), helper, &[address, inside, slot]);
            }
            None => {
                self.unit
                    .call_runtime(&self.builder, "__ps_enter", types.void, &[address]);
            }
        }
        self.reload();
        self.depth = self.load_state(Field::Depth, types.i64);
        self.outer = self.load_state(Field::Outer, types.i64);
        let levels = self.tracked.iter().map(|t| t.level + 1).max().unwrap_or(0);
        for level in 0..=levels {
            let depth = self.builder.add(self.depth, types.i64.int(level as u64));
            let mask = self.unit.mask(&self.builder, depth);
            self.masks.push(mask);
        }
        self.enter_carried(levels);
        self.open_lane(0);
        let b = self.load_slot(self.slots.b, self.unit.time);
        for s in self.slots.control.clone() {
            self.builder.store(ctrl, s);
        }
        for n in 0..self.tracked.len() {
            let t = &self.tracked[n];
            if t.iterations != IterationMode::Full {
                let slot = |ty| self.builder.alloca(ty);
                let clock = if t.alone { types.i64 } else { self.unit.time };
                let slots = FlatSlots {
                    last_cp: slot(clock),
                    last_work: slot(types.i64),
                    count: slot(types.i64),
                    start: slot(types.i64),
                    open: slot(types.i1),
                    loop_start: slot(types.i64),
                    local: t.alone.then(|| self.local_slots(t.index)),
                };
                self.tracked[n].slots = Some(slots);
            }
        }
        self.ctrl = self.max(ctrl, b);
        self.current = self.number[&entry];
        self.open_ways();
    }

    /// Opens a lane: `b[level] = m[level]`.
    fn open_lane(&mut self, level: usize) {
        let mask = self.masks[level];
        let i32_zero = self.unit.zero;
        let chosen = self.builder.icmp(IntPredicate::LLVMIntSLT, mask, i32_zero);
        let m = self.load_slot(self.slots.m, self.unit.time);
        let b = self.load_slot(self.slots.b, self.unit.time);
        let b = self.builder.select(chosen, m, b);
        self.builder.store(b, self.slots.b);
    }

    /// Level of a block: that of the iteration around it, 0 for the function.
    pub(super) fn block_level(&self, block: Block) -> usize {
        self.tracked_around(block)
            .map_or(0, |t| self.tracked[t].level + 1)
    }

    /// Whether the iteration around a block lists its folded children, so that they are not reported one by one.
    pub(super) fn reported_by_loop(&self, block: Block) -> bool {
        self.tracked_around(block)
            .is_some_and(|t| self.tracked[t].iterations != IterationMode::Full)
    }

    fn tracked_around(&self, block: Block) -> Option<usize> {
        let mut at = self.innermost.get(&block).copied();
        while let Some(l) = at {
            if let Some(t) = self.tracked_of[l] {
                return Some(t);
            }
            at = self.loops[l].parent;
        }
        None
    }

    /// Events at the start of a block. The builder stands at its first insertion point.
    pub(super) fn arrive(&mut self, block: Block) {
        if block.is_landing_pad() {
            self.reload();
            self.exit_to(self.block_level(block));
        }
        let exited: Vec<usize> = (0..self.tracked.len())
            .filter(|&t| self.loops[self.tracked[t].index].exits.contains(&block))
            .collect();
        for &t in &exited {
            if self.tracked[t].iterations == IterationMode::Full {
                self.leave_loop_carried(t);
            }
        }
        // Inner loops come later in the list.
        if let Some(&inner) = exited.last() {
            let t = &self.tracked[inner];
            match (t.descriptor, &t.whole) {
                _ if t.hidden => {}
                (Some(descriptor), Some(_)) => {
                    self.report_static(descriptor, self.unit.types.i64.int(1));
                    if exited.len() > 1 {
                        self.exit_to(self.block_level(block));
                    }
                }
                (Some(_), None) => {
                    self.end_counted(inner);
                    if exited.len() > 1 {
                        self.exit_to(self.block_level(block));
                    }
                }
                (None, _) => self.exit_to(self.block_level(block)),
            }
        }
        self.after_invoke(block);
        let entered = self
            .innermost
            .get(&block)
            .copied()
            .filter(|&l| self.loops[l].header == block)
            .and_then(|l| self.tracked_of[l]);
        if let Some(t) = entered {
            self.begin_iteration(t);
        }
    }

    pub(super) fn exit_to(&mut self, level: usize) {
        self.save();
        let depth = self
            .builder
            .add(self.depth, self.unit.types.i64.int(level as u64));
        let depth = self.builder.add(self.outer, depth);
        self.unit.call_runtime(
            &self.builder,
            "__ps_exit_to",
            self.unit.types.void,
            &[depth],
        );
    }

    fn begin_iteration(&mut self, t: usize) {
        if self.tracked[t].without_frame() {
            return;
        }
        self.look_for_end(t);
        self.open_iteration(t);
    }

    /// Opens an iteration, or counts it.
    pub(super) fn open_iteration(&mut self, t: usize) {
        let types = self.unit.types;
        let level = self.tracked[t].level + 1;
        match (&self.tracked[t].iterations, &self.tracked[t].slots) {
            (IterationMode::Full, _) => {
                let region = self.tracked[t].iteration_region;
                self.region_call("__ps_enter", region);
                self.open_lane(level);
            }
            (IterationMode::Flat(_), Some(slots)) => {
                let (start, open) = (slots.start, slots.open);
                let work = self.load_slot(self.slots.work, types.i64);
                self.builder.store(work, start);
                self.builder.store(types.i1.int(1), open);
                match &slots.local {
                    Some(local) => self.begin_local(local),
                    None => self.open_lane(level),
                }
            }
            (_, Some(slots)) => {
                let count = self.load_slot(slots.count, types.i64);
                let count = self.builder.add(count, types.i64.int(1));
                self.builder.store(count, slots.count);
            }
            (_, None) => {}
        }
    }

    /// Events at the end of a block. The builder stands before its terminator.
    pub(super) fn leave(&mut self, block: Block) {
        self.builder.before(block.terminator());
        for t in 0..self.tracked.len() {
            let l = &self.loops[self.tracked[t].index];
            if l.latch == Some(block) {
                match &self.tracked[t].iterations {
                    IterationMode::Full => {
                        self.save();
                        self.unit.call_runtime(
                            &self.builder,
                            "__ps_exit",
                            self.unit.types.void,
                            &[],
                        );
                    }
                    _ if self.tracked[t].without_frame() => {}
                    IterationMode::Flat(_) => self.count_iteration(t, None),
                    IterationMode::Folded(_) => {}
                }
            } else if l.preheader == Some(block) {
                self.enter_loop(t);
            }
        }
        // Loops that are no regions still reset their control times.
        for l in 0..self.loops.len() {
            if self.loops[l].preheader == Some(block) {
                self.reset_control(l);
                self.reset_bound(l);
            }
        }
    }

    pub(super) fn reset_control(&mut self, l: usize) {
        let inside: Vec<usize> = self.loops[l]
            .blocks
            .iter()
            .map(|b| self.number[b])
            .collect();
        for s in 0..self.control.sets.len() {
            if self.control.sets[s].iter().any(|b| inside.contains(b)) {
                self.builder.store(self.ctrl, self.slots.control[s]);
            }
        }
    }

    fn enter_loop(&mut self, t: usize) {
        let index = self.tracked[t].index;
        if self.tracked[t].without_frame() {
            return;
        }
        self.take_initial(index);
        self.open_loop(t);
    }

    /// Takes the times of what the loop's reductions in memory begin with.
    fn take_initial(&mut self, index: usize) {
        let updates: Vec<Value> = self
            .found
            .rules
            .iter()
            .filter(|(_, r)| matches!(r, InstructionRule::ReductionStore { init: Some(l), .. } if *l == index))
            .map(|(s, _)| *s)
            .collect();
        for store in updates {
            let strict = analysis::strict_access(store);
            let time = self.shadow_load(
                store.operand(1),
                store.operand(0).ty(),
                store.alignment(),
                strict,
            );
            self.initial.insert(store, time);
        }
    }

    /// Opens a loop that the runtime may see open.
    pub(super) fn open_loop(&mut self, t: usize) {
        let types = self.unit.types;
        let (region, level) = (self.tracked[t].region, self.tracked[t].level);
        if self.tracked[t].descriptor.is_none() {
            self.region_call("__ps_enter", region);
        } else if self.unit.bursts && !self.tracked[t].hidden {
            self.save();
            let void = self.unit.types.void;
            self.unit
                .call_runtime(&self.builder, "__ps_check", void, &[]);
            self.take_bases();
        } else {
            self.flush();
        }
        self.open_lane(level);
        self.enter_loop_carried(t);
        if let Some(slots) = &self.tracked[t].slots {
            let b = self.load_slot(self.slots.b, self.unit.time);
            self.store_state(Field::B, b);
            let work = self.load_slot(self.slots.work, types.i64);
            self.builder.store(work, slots.loop_start);
            let clock = if slots.local.is_some() {
                types.i64
            } else {
                self.unit.time
            };
            self.builder.store(clock.zero(), slots.last_cp);
            self.builder.store(types.i64.zero(), slots.last_work);
            self.builder.store(types.i64.zero(), slots.count);
            self.builder.store(types.i1.zero(), slots.open);
        }
    }

    /// Counts the iteration that ends here; with `open`, only if it holds.
    fn count_iteration(&mut self, t: usize, open: Option<Value>) {
        let (vector, types) = (self.unit.time, self.unit.types);
        let mask = self.masks[self.tracked[t].level + 1];
        let Some(slots) = &self.tracked[t].slots else {
            return;
        };
        let m = self.load_slot(self.slots.m, vector);
        let b = self.load_slot(self.slots.b, vector);
        // Critical paths stay vectors with one lane that is not zero: comparing them is cheaper than taking the lane
        // out.
        let cp = match &slots.local {
            Some(local) => self.load_slot(local.m, types.i64),
            None => self.builder.and(self.builder.sub(m, b), mask),
        };
        let work = self.builder.sub(
            self.load_slot(self.slots.work, types.i64),
            self.load_slot(slots.start, types.i64),
        );
        let last_cp = self.load_slot(slots.last_cp, cp.ty());
        let cp_differs = if slots.local.is_some() {
            self.builder.icmp(IntPredicate::LLVMIntNE, cp, last_cp)
        } else {
            self.is_not_zero(self.builder.xor(cp, last_cp))
        };
        let work_differs = self.builder.icmp(
            IntPredicate::LLVMIntNE,
            work,
            self.load_slot(slots.last_work, types.i64),
        );
        let mut change = self.builder.or(cp_differs, work_differs);
        if let Some(open) = open {
            change = self.builder.and(change, open);
        }
        let before = self.nop();
        self.splits.push(PendingCode::Iterations {
            condition: change,
            before,
            tracked: t,
            cp,
            work,
        });
        let counted = open.map_or(types.i64.int(1), |open| {
            self.builder.int_cast(open, types.i64)
        });
        let count = self.load_slot(slots.count, types.i64);
        self.builder
            .store(self.builder.add(count, counted), slots.count);
        self.builder.store(types.i1.zero(), slots.open);
    }

    /// Iterations begin that differ from those counted so far. The builder stands before `end`.
    fn change_iterations(&mut self, t: usize, cp: Value, work: Value, end: Value) {
        let i64 = self.unit.types.i64;
        let Some(slots) = &self.tracked[t].slots else {
            return;
        };
        let (last_cp, last_work, count) = (slots.last_cp, slots.last_work, slots.count);
        let old = self.load_slot(count, i64);
        let some = self.builder.icmp(IntPredicate::LLVMIntNE, old, i64.zero());
        let inner = analysis::split_if(some, end);
        self.builder.before(inner);
        self.save();
        self.report_counted("__ps_loop_change", t);
        self.builder.before(end);
        self.builder.store(cp, last_cp);
        self.builder.store(work, last_work);
        self.builder.store(i64.zero(), count);
    }

    /// Reports a loop counted in registers that ends here.
    fn end_counted(&mut self, t: usize) {
        if let (IterationMode::Flat(_), Some(slots)) =
            (&self.tracked[t].iterations, &self.tracked[t].slots)
        {
            let open = self.load_slot(slots.open, self.unit.types.i1);
            self.count_iteration(t, Some(open));
        }
        self.save();
        self.report_counted("__ps_loop_end", t);
    }

    /// Tells the runtime about the last equal iterations of a loop counted in registers.
    pub(super) fn report_counted(&mut self, name: &str, t: usize) {
        let i64 = self.unit.types.i64;
        let loop_ = &self.tracked[t];
        let (Some(slots), Some(descriptor)) = (&loop_.slots, loop_.descriptor) else {
            return;
        };
        let [cp, work] = if let IterationMode::Folded(constant) = &loop_.iterations {
            [constant.cp, constant.work].map(|v| i64.int(v))
        } else {
            let cp = if slots.local.is_some() {
                self.load_slot(slots.last_cp, i64)
            } else {
                self.lane(self.load_slot(slots.last_cp, self.unit.time))
            };
            [cp, self.load_slot(slots.last_work, i64)]
        };
        let count = self.load_slot(slots.count, i64);
        let start = self.load_slot(slots.loop_start, i64);
        let depth = self.builder.add(self.depth, i64.int(loop_.level as u64));
        let mut args = vec![descriptor, depth, start, cp, work, count];
        if name == "__ps_loop_end" {
            args.push(self.counted_bits(t));
        }
        self.unit
            .call_runtime(&self.builder, name, self.unit.types.void, &args);
    }

    /// Whether any lane of a vector is not zero.
    fn is_not_zero(&self, vector: Value) -> Value {
        let types = self.unit.types;
        if !self.unit.wide {
            let bits = types.int(8 * size_of::<parascan_abi::Time>() as u32);
            let whole = self.builder.bitcast(vector, bits);
            return self
                .builder
                .icmp(IntPredicate::LLVMIntNE, whole, bits.zero());
        }
        // Left to itself, LLVM takes such a vector apart, which costs more than the rest of a short iteration.
        let four = self.builder.bitcast(vector, types.vector(types.i64, 4));
        let zero = self.unit.call_runtime(
            &self.builder,
            "llvm.x86.avx.ptestz.256",
            types.i32,
            &[four, four],
        );
        self.builder
            .icmp(IntPredicate::LLVMIntEQ, zero, types.i32.zero())
    }

    /// The one lane of a vector that is not zero.
    fn lane(&self, vector: Value) -> Value {
        let lane = self.builder.intrinsic(
            self.unit.module,
            "llvm.vector.reduce.or",
            self.unit.time,
            &[vector],
        );
        self.builder.int_cast(lane, self.unit.types.i64)
    }

    /// Reports `count` instances of a folded region.
    pub(super) fn report_static(&mut self, descriptor: Value, count: Value) {
        self.unit.call_runtime(
            &self.builder,
            "__ps_static",
            self.unit.types.void,
            &[descriptor, count],
        );
    }

    /// Emits a conditional piece queued earlier.
    pub(super) fn split(&mut self, pending: PendingCode) {
        let void = self.unit.types.void;
        match pending {
            PendingCode::Iterations {
                condition,
                before,
                tracked,
                cp,
                work,
            } => {
                let end = analysis::split_if(condition, before);
                self.builder.before(end);
                self.change_iterations(tracked, cp, work, end);
            }
            PendingCode::Leave {
                condition,
                before,
                block,
                place,
            } => {
                self.current = block;
                let end = analysis::split_if(condition, before);
                self.builder.before(end);
                self.save();
                self.go_native(end, &place);
            }
            PendingCode::LeaveCounted {
                condition,
                before,
                tracked,
                place,
            } => {
                let end = analysis::split_if(condition, before);
                self.leave_counted(tracked, end, &place);
            }
            PendingCode::Copy {
                condition,
                before,
                granules,
                copy,
            } => {
                self.current = copy.block;
                let [inline, call] = analysis::split_if_else(condition, before);
                self.builder.before(inline);
                self.copy_inline(copy, granules);
                self.builder.before(call);
                self.copy_by_call(copy);
            }
            PendingCode::Bytes {
                condition,
                before,
                reader,
                block,
                address,
                size,
            } => {
                self.current = block;
                let end = analysis::split_if(condition, before);
                self.builder.before(end);
                let size = self.unit.types.i64.int(size);
                self.note_range_of(reader, address, size);
            }
            PendingCode::Validate {
                name,
                condition,
                before,
                address,
            } => {
                let end = analysis::split_if(condition, before);
                self.builder.before(end);
                self.unit.call_rarely(&self.builder, name, void, &[address]);
            }
            PendingCode::Split {
                condition,
                before,
                reader,
                block,
                address,
            } => {
                self.current = block;
                let end = analysis::split_if(condition, before);
                self.builder.before(end);
                self.unit
                    .call_rarely(&self.builder, "__ps_halve", void, &[address]);
                if let Some(reader) = reader {
                    self.note_range_of(reader, address, self.unit.types.i64.int(8));
                }
            }
        }
    }
}
