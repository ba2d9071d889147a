//! Carried flow dependences: which loops' iterations read what earlier iterations wrote (`docs/semantics.md`).
//!
//! # Memory
//! A byte written while instances were open has a time above the bases of exactly the outermost of them that were open
//! already: comparing the time that a load reads with the bases of the open instances gives a mask whose ones are the
//! lowest lanes. The lane behind them, number k, is that of the outermost instance that began after the write: *bit* k,
//! the mask plus one. Where lane k - 1 is a loop, k its iteration, and the loop carries the dependence.
//!
//! Bits of loads are or-ed together ([`CarriedEmission::bits`]) and handed to the runtime at region boundaries. Lanes
//! below the innermost open instance hold anything, which shows in bits above its own only; the runtime clears those
//! whenever an instance is opened there. In loops that are counted in registers, counting per lane is cheaper: since
//! masks have no gaps, bit k was seen if and only if the counts of lanes k - 1 and k differ.
//!
//! Two kinds of bits come together only where a loop ends: those of loads that are *watched*, since the loop reduces
//! what they read, and those of the reductions' own loads where iterations *met* in one element. Elements that belong
//! to one iteration each are reduced by nobody, and may be read in it.
//!
//! # Registers
//! A header phi that is neither an induction nor part of a reduction is a *carrier*. Beside every phi, select and
//! freeze that a carrier reaches within its loop go two bits: whether the carrier was assigned since the loop began,
//! and whether by an earlier iteration. Executed uses of values that an earlier iteration assigned set the loop's flag.

use std::collections::BTreeMap;

use indexmap::{IndexMap, IndexSet};
use parascan_formats::latency::LatencyTable;

use super::unit::Field;
use super::{Emitter, IterationMode, TrackedLoop};
use crate::analysis::{Alias, Analysis, NaturalLoop};
use crate::cost::{self, TimingRule};
use crate::ir::{
    Block, CommonTypes, InstructionBuilder, IntPredicate, Module, Opcode, Type, Value,
};
use crate::recognise::{InstructionRule, Recognised};

/// Deepest lane with a bit of its own; deeper ones are never asked for.
const DEEPEST_BIT: u64 = 30;

/// Loads of one function that look at single bytes: each costs a branch and a call, which very large functions (that of
/// a generated program, an interpreter's) are not compiled with in reasonable time. The others' records stand for their
/// bytes: a blind spot.
const MOST_LOOKS: usize = 64;

/// Which loads count together in loops that are counted in registers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Counter {
    /// The level up to which their bits count; None: all.
    limit: Option<usize>,
    /// Loads of reductions whose object others read, which are watched.
    watching: bool,
}

impl Counter {
    /// That of loads which are no part of a reduction.
    const PLAIN: Self = Self {
        limit: None,
        watching: false,
    };
}

/// Emission state of one function.
pub(super) struct CarriedEmission {
    /// Nothing is observed ([`UnitState::observes`](super::UnitState::observes)).
    off: bool,
    /// Bits seen outside of loops that are counted in registers and not yet handed to the thread state (slot, `i32`).
    bits: Value,
    /// Bits seen in the current loop that is counted in registers, but for those in `counters` (slot, `i32`).
    counted_bits: Value,
    /// How often each lane was in a mask in the current loop that is counted in registers (slots).
    counters: BTreeMap<Counter, Value>,
    /// Loops in whose present instance a watched load read what was written in it, and those whose iterations met in an
    /// element of which others are watched (slots, `i32`).
    watched: Value,
    met: Value,
    /// Bits of the lanes above each level's.
    low: Vec<Value>,
    /// What loads compare with, by tracked loop whose iterations have no lane: no lane's time exceeds the iteration's
    /// (slots).
    compare: IndexMap<usize, Value>,
    /// Loads of what the same iteration stored, in folded iterations.
    own: IndexSet<Value>,
    /// Typed loads of words of which the function may write single bytes: their bytes are looked at one by one where
    /// they have times of their own.
    mixed: IndexSet<Value>,
    /// How many more loads may look at single bytes.
    looks_left: usize,
    /// By tracked loop with carriers: whether a use of what an earlier iteration assigned was executed (slots, `i1`).
    flags: BTreeMap<usize, Value>,
    /// By instruction: tracked loop, and whether an operand was assigned by an earlier iteration of it.
    uses: IndexMap<Value, Vec<(usize, Value)>>,
    /// Bases of the caller, in a function that is folded.
    folded_base: Option<Value>,
    /// For handing bases to the runtime (slot, not promoted).
    base: Value,
}

impl CarriedEmission {
    /// Slots to promote.
    pub(super) fn slots(&self) -> Vec<Value> {
        let mut slots = vec![self.bits, self.counted_bits, self.watched, self.met];
        slots.extend(self.counters.values());
        slots.extend(self.compare.values());
        slots.extend(self.flags.values());
        slots
    }

    /// Prepares a function. The builder stands in its entry block.
    #[expect(
        clippy::too_many_arguments,
        reason = "what is known of a function before its emitter exists"
    )]
    pub(super) fn new(
        types: CommonTypes,
        time: Type,
        builder: &InstructionBuilder,
        loops: &[NaturalLoop],
        tracked: &[TrackedLoop],
        found: &Recognised,
        analysis: &Analysis,
        order: &[Block],
        costs: &LatencyTable,
        module: Module,
        observes: bool,
    ) -> Self {
        let slot = |ty: Type| {
            let slot = builder.alloca(ty);
            builder.store(ty.zero(), slot);
            slot
        };
        let mut carried = Self {
            off: !observes,
            bits: slot(types.i32),
            counted_bits: slot(types.i32),
            counters: BTreeMap::new(),
            watched: slot(types.i32),
            met: slot(types.i32),
            low: Vec::new(),
            compare: IndexMap::new(),
            own: IndexSet::new(),
            mixed: IndexSet::new(),
            looks_left: MOST_LOOKS,
            flags: BTreeMap::new(),
            uses: IndexMap::new(),
            folded_base: None,
            base: builder.alloca(time),
        };
        if carried.off {
            return carried;
        }
        carried.mixed = mixed_loads(order, analysis, module);
        let counted = |t: &TrackedLoop| !t.without_frame() && t.iterations != IterationMode::Full;
        if tracked.iter().any(counted) {
            let counters = found.rules.values().filter_map(|rule| match rule {
                InstructionRule::ReductionLoad { scope, watching } => Some(Counter {
                    limit: limit(loops, tracked, *scope),
                    watching: *watching,
                }),
                _ => None,
            });
            for counter in counters.chain([Counter::PLAIN]) {
                carried
                    .counters
                    .entry(counter)
                    .or_insert_with(|| slot(time));
            }
        }
        for (n, t) in tracked.iter().enumerate().filter(|(_, t)| counted(t)) {
            let folded = matches!(t.iterations, IterationMode::Folded(_));
            if t.alone || folded {
                carried.compare.insert(n, slot(time));
            }
            if folded && let [block] = loops[t.index].blocks[..] {
                carried.own.extend(own_loads(block, analysis));
            }
        }
        for (n, t) in tracked
            .iter()
            .enumerate()
            .filter(|(_, t)| !t.without_frame())
        {
            for &carrier in &found.carriers[t.index] {
                let web = CarrierUses::new(&loops[t.index], carrier, costs);
                if web.uses.is_empty() {
                    continue;
                }
                carried.flags.entry(n).or_insert_with(|| slot(types.i1));
                let earlier = web.emit(types, &loops[t.index], order);
                for (user, member) in web.uses {
                    let list = carried.uses.entry(user).or_default();
                    if !list.contains(&(n, earlier[&member])) {
                        list.push((n, earlier[&member]));
                    }
                }
            }
        }
        carried
    }
}

/// Typed loads of four bytes or more that may see a store of one or two bytes in the same function. (Where that store
/// lies in another function, a word assembled of own and older bytes counts as written when its last byte was: a blind
/// spot.)
fn mixed_loads(order: &[Block], analysis: &Analysis, module: Module) -> IndexSet<Value> {
    /// Stores of single bytes that are compared with every load; in a function with more no load is looked at: a blind
    /// spot.
    const MOST: usize = 40;
    let all = || order.iter().flat_map(|b| b.instructions());
    let narrow =
        |i: &Value| i.opcode() == Opcode::LLVMStore && module.store_size(i.operand(0).ty()) < 4;
    let stores: Vec<Value> = all().filter(narrow).collect();
    let mixed = |i: &Value| {
        i.opcode() == Opcode::LLVMLoad
            && module.store_size(i.ty()) >= 4
            && stores.iter().any(|s| analysis.alias(*i, *s) != Alias::No)
    };
    if stores.len() > MOST {
        return IndexSet::new();
    }
    all().filter(mixed).collect()
}

/// Loads of a block that read what the block stored before.
fn own_loads(block: Block, analysis: &Analysis) -> Vec<Value> {
    let mut stores: Vec<Value> = Vec::new();
    let mut own = Vec::new();
    for i in block.instructions() {
        match i.opcode() {
            Opcode::LLVMStore => stores.push(i),
            Opcode::LLVMLoad if stores.iter().any(|s| analysis.alias(i, *s) == Alias::Must) => {
                own.push(i);
            }
            _ => {}
        }
    }
    own
}

/// Level up to which what a reduction's load reads counts: that of the outermost region among the reduction's loops.
/// None if no such loop is a region.
fn limit(loops: &[NaturalLoop], tracked: &[TrackedLoop], scope: (usize, usize)) -> Option<usize> {
    let (innermost, outermost) = scope;
    let mut level = None;
    let mut at = Some(innermost);
    while let Some(l) = at {
        level = tracked
            .iter()
            .find(|t| t.index == l)
            .map(|t| t.level)
            .or(level);
        at = loops[l].parent.filter(|_| l != outermost);
    }
    level
}

/// The phis, selects and freezes that a carrier reaches in its loop, and what uses them.
struct CarrierUses {
    carrier: Value,
    members: IndexSet<Value>,
    /// Users and the members that they use.
    uses: Vec<(Value, Value)>,
}

impl CarrierUses {
    fn new(l: &NaturalLoop, carrier: Value, costs: &LatencyTable) -> Self {
        let inside: IndexSet<Block> = l.blocks.iter().copied().collect();
        let mut members = IndexSet::from([carrier]);
        let mut queue = vec![carrier];
        let mut uses = Vec::new();
        while let Some(v) = queue.pop() {
            for user in v.users() {
                if !user.is_instruction() || !inside.contains(&user.block()) {
                    continue;
                }
                // Another header phi that takes the value is assigned with that.
                let header = user.opcode() == Opcode::LLVMPHI && user.block() == l.header;
                if passes(user, v) && !header && members.insert(user) {
                    queue.push(user);
                }
                let used = match user.opcode() {
                    Opcode::LLVMPHI | Opcode::LLVMFreeze => false,
                    Opcode::LLVMSelect => user.operand(0) == v,
                    _ => cost::kind(user, costs) != TimingRule::Nothing,
                };
                if used {
                    uses.push((user, v));
                }
            }
        }
        Self {
            carrier,
            members,
            uses,
        }
    }

    /// Emits the bits of all members. Returns whether an earlier iteration assigned the value, by member.
    fn emit(&self, types: CommonTypes, l: &NaturalLoop, order: &[Block]) -> IndexMap<Value, Value> {
        let builder = types.builder();
        let (no, yes) = (types.i1.int(0), types.i1.int(1));
        // Assigned since the loop began, and by an earlier iteration.
        let mut bits: IndexMap<Value, (Value, Value)> = IndexMap::new();
        for &phi in self
            .members
            .iter()
            .filter(|v| v.opcode() == Opcode::LLVMPHI)
        {
            builder.before(phi.block().instructions()[0]);
            let assigned = builder.phi(types.i1);
            let earlier = if phi == self.carrier {
                assigned
            } else {
                builder.phi(types.i1)
            };
            bits.insert(phi, (assigned, earlier));
        }
        let of = |bits: &IndexMap<Value, (Value, Value)>, v: Value| {
            bits.get(&v).copied().unwrap_or((yes, no))
        };
        for block in order {
            for i in block
                .instructions()
                .into_iter()
                .filter(|i| self.members.contains(i))
            {
                let found = match i.opcode() {
                    Opcode::LLVMSelect => {
                        let (a, b) = (of(&bits, i.operand(1)), of(&bits, i.operand(2)));
                        builder.before(i);
                        let condition = i.operand(0);
                        (
                            builder.select(condition, a.0, b.0),
                            builder.select(condition, a.1, b.1),
                        )
                    }
                    Opcode::LLVMFreeze => of(&bits, i.operand(0)),
                    _ => continue,
                };
                bits.insert(i, found);
            }
        }
        for (&phi, &(assigned, earlier)) in
            bits.iter().filter(|(v, _)| v.opcode() == Opcode::LLVMPHI)
        {
            let edges = phi.incoming();
            if phi == self.carrier {
                let from_latch = |(v, from): &(Value, Block)| {
                    let bit = if l.blocks.contains(from) {
                        of(&bits, *v).0
                    } else {
                        no
                    };
                    (bit, *from)
                };
                assigned.add_incoming(&edges.iter().map(from_latch).collect::<Vec<_>>());
            } else {
                let edge = |first: bool| {
                    let bit = |(v, from): &(Value, Block)| {
                        let (assigned, earlier) = of(&bits, *v);
                        (if first { assigned } else { earlier }, *from)
                    };
                    edges.iter().map(bit).collect::<Vec<_>>()
                };
                assigned.add_incoming(&edge(true));
                earlier.add_incoming(&edge(false));
            }
        }
        bits.into_iter()
            .map(|(v, (_, earlier))| (v, earlier))
            .collect()
    }
}

/// Whether an instruction hands on an operand as it is.
fn passes(user: Value, v: Value) -> bool {
    match user.opcode() {
        Opcode::LLVMPHI | Opcode::LLVMFreeze => true,
        Opcode::LLVMSelect => {
            (1..3).any(|n| user.operand(n) == v) && user.ty().kind() == v.ty().kind()
        }
        _ => false,
    }
}

impl Emitter<'_> {
    /// The function has opened its region, whose depth is known. `levels`: the deepest level of its regions.
    pub(super) fn enter_carried(&mut self, levels: usize) {
        self.carried.low = (0..=levels).map(|level| self.bits_below(level)).collect();
    }

    /// Bits of the lanes of all levels above this one (deeper ones have higher numbers).
    fn bits_below(&self, level: usize) -> Value {
        let types = self.unit.types;
        let i64 = types.i64;
        let bounded = |name: &str, v: Value, by: u64| {
            self.builder
                .intrinsic(self.unit.module, name, i64, &[v, i64.int(by)])
        };
        let depth = self.builder.add(self.depth, i64.int(level as u64));
        let lane = bounded("llvm.umin", bounded("llvm.smax", depth, 0), DEEPEST_BIT);
        let bit = self.builder.shl(i64.int(1), lane);
        self.builder
            .int_cast(self.builder.sub(bit, i64.int(1)), types.i32)
    }

    /// Truth values of the lanes in which an instance is open at a level.
    pub(super) fn open_lanes(&self, level: usize) -> Value {
        let types = self.unit.types;
        let lanes = self.unit.clock.lanes() as u32;
        let bits = self
            .builder
            .int_cast(self.bits_below(level + 1), types.int(lanes));
        self.builder.bitcast(bits, types.vector(types.i1, lanes))
    }

    /// The same for a function that is folded: its reads count where it was called, whose bases it gets.
    pub(super) fn enter_folded_carried(&mut self) {
        self.carried.folded_base = Some(self.load_state(Field::Ret, self.unit.time));
    }

    /// Tracked loop with a frame or a count around the current block.
    fn reporting_loop(&self) -> Option<usize> {
        let mut at = self.innermost.get(&self.blocks[self.current]).copied();
        while let Some(l) = at {
            if let Some(t) = self.tracked_of[l].filter(|&t| !self.tracked[t].without_frame()) {
                return Some(t);
            }
            at = self.loops[l].parent;
        }
        None
    }

    /// Bits of the lanes above a level's.
    pub(super) fn level_bits(&self, level: usize) -> Option<Value> {
        self.carried.low.get(level).copied()
    }

    /// What times are compared with in the current block.
    pub(super) fn compare_base(&self) -> Value {
        if let Some(base) = self.carried.folded_base {
            return base;
        }
        let slot = self
            .reporting_loop()
            .and_then(|t| self.carried.compare.get(&t));
        self.load_slot(*slot.unwrap_or(&self.slots.b), self.unit.time)
    }

    fn in_counted_loop(&self) -> bool {
        self.reporting_loop()
            .is_some_and(|t| self.tracked[t].iterations != IterationMode::Full)
    }

    /// Notes where what a load (or the like) reads was written, from the times of the records that it reads.
    pub(super) fn note_read(&mut self, i: Value, records: &[Value]) {
        if self.carried.off || self.carried.own.contains(&i) {
            return;
        }
        let counter = self.counter_of(i);
        let base = self.compare_base();
        let later = |e: &Self, t: Value| e.builder.icmp(IntPredicate::LLVMIntSGT, t, base);
        if self.found.watched.contains_key(&i) {
            for &t in records {
                let mask = self.lanes_later(later(self, t));
                self.note_watched(i, mask);
            }
        }
        if self.in_counted_loop() {
            let slot = self.carried.counters[&counter];
            for &t in records {
                let one = self.builder.int_cast(later(self, t), self.unit.time);
                let count = self.load_slot(slot, self.unit.time);
                self.builder.store(self.builder.add(count, one), slot);
            }
            return;
        }
        for &t in records {
            let mask = self.lanes_later(later(self, t));
            let mut bit = self.builder.add(mask, self.unit.types.i32.int(1));
            bit = self.limited(counter, bit);
            self.note_bits(bit);
        }
    }

    /// Of bits of a reduction's load, those of loops around the ones that reduce. Of the others is noted that their
    /// iterations met.
    fn limited(&self, counter: Counter, bits: Value) -> Value {
        let Some(level) = counter.limit else {
            return bits;
        };
        if counter.watching {
            self.add_bits(self.carried.met, bits);
        }
        self.builder.and(bits, self.carried.low[level + 1])
    }

    fn add_bits(&self, slot: Value, bits: Value) {
        let all = self.load_slot(slot, self.unit.types.i32);
        self.builder.store(self.builder.or(all, bits), slot);
    }

    /// Of the loops whose iterations met in elements that they reduce, those in which others were read as they became.
    fn watched_and_met(&self) -> Value {
        let types = self.unit.types;
        let watched = self.load_slot(self.carried.watched, types.i32);
        let met = self.load_slot(self.carried.met, types.i32);
        self.builder.and(watched, met)
    }

    /// The lanes of a vector of truth values as bits.
    pub(super) fn lanes_later(&self, later: Value) -> Value {
        let types = self.unit.types;
        let lanes = types.int(self.unit.clock.lanes() as u32);
        let mask = self.builder.bitcast(later, lanes);
        self.builder.int_cast(mask, types.i32)
    }

    /// A watched load read what was written since the present instances of these loops began, by whichever iteration:
    /// those whose lanes are in this mask, of the loops in which it is watched.
    fn note_watched(&mut self, i: Value, mask: Value) {
        let Some(&(innermost, outermost)) = self.found.watched.get(&i) else {
            return;
        };
        let types = self.unit.types;
        let mut at = Some(innermost);
        while let Some(l) = at {
            at = self.loops[l].parent.filter(|_| l != outermost);
            let framed = self.tracked_of[l].filter(|&t| !self.tracked[t].without_frame());
            let low = framed.and_then(|t| self.carried.low.get(self.tracked[t].level + 1));
            let Some(&low) = low else { continue };
            // Its bit is the one above its lane.
            let one = types.i32.int(1);
            let lane = self
                .builder
                .and(self.builder.shl(mask, one), self.builder.add(low, one));
            self.add_bits(self.carried.watched, lane);
        }
    }

    /// Notes bits that a call found.
    pub(super) fn note_bits(&mut self, bits: Value) {
        if self.carried.off {
            return;
        }
        let slot = if self.in_counted_loop() {
            self.carried.counted_bits
        } else {
            self.carried.bits
        };
        self.add_bits(slot, bits);
    }

    /// Address of the bases, for a runtime function that compares.
    pub(super) fn base_for_call(&mut self) -> Value {
        self.builder.store(self.compare_base(), self.carried.base);
        self.carried.base
    }

    /// Has the runtime look at the times of some bytes that are read.
    pub(super) fn note_range(&mut self, address: Value, length: Value) {
        if self.carried.off {
            return;
        }
        let bits = self.seen(address, length);
        let bits = self.without_left_out(address, bits);
        self.note_bits(bits);
    }

    /// The same for what an instruction reads, which may be part of a reduction.
    pub(super) fn note_range_of(&mut self, i: Value, address: Value, length: Value) {
        if self.carried.off || self.carried.own.contains(&i) {
            return;
        }
        let types = self.unit.types;
        let bits = self.seen(address, length);
        let mut bits = self.without_left_out(address, bits);
        if self.found.watched.contains_key(&i) {
            // At least the lanes below the lowest bit, which several records may share: rather too many than too few.
            let lanes = self.builder.sub(bits, types.i32.int(1));
            self.note_watched(i, lanes);
        }
        bits = self.limited(self.counter_of(i), bits);
        self.note_bits(bits);
    }

    fn seen(&mut self, address: Value, length: Value) -> Value {
        let base = self.base_for_call();
        self.unit.call_rarely(
            &self.builder,
            "__ps_seen",
            self.unit.types.i32,
            &[address, length, base],
        )
    }

    /// Whether a load must look at single bytes where they have times of their own; `strict` as for the record that it
    /// reads.
    pub(super) fn looks_at_bytes(&mut self, i: Value, strict: bool) -> bool {
        let looks = !self.carried.off
            && !self.carried.own.contains(&i)
            && (!strict || self.carried.mixed.contains(&i))
            && self.carried.looks_left > 0;
        self.carried.looks_left -= usize::from(looks);
        looks
    }

    fn counter_of(&self, i: Value) -> Counter {
        match self.found.rules.get(&i) {
            Some(InstructionRule::ReductionLoad { scope, watching }) => Counter {
                limit: limit(&self.loops, &self.tracked, *scope),
                watching: *watching,
            },
            _ => Counter::PLAIN,
        }
    }

    /// Before a call of a folded function that reads memory.
    pub(super) fn lend_base(&mut self) {
        if self.carried.off {
            return;
        }
        let base = self.compare_base();
        self.store_state(Field::Ret, base);
    }

    /// Behind such a call.
    pub(super) fn take_seen(&mut self) {
        if self.carried.off {
            return;
        }
        let bits = self.load_state(Field::Seen, self.unit.types.i32);
        self.note_bits(bits);
    }

    /// At the end of a folded function that reads memory.
    pub(super) fn give_seen(&mut self) {
        if self.carried.off {
            return;
        }
        let bits = self.load_slot(self.carried.bits, self.unit.types.i32);
        self.store_state(Field::Seen, bits);
    }

    /// Notes executed uses of values that an earlier iteration assigned. The builder stands before the user.
    pub(super) fn note_uses(&mut self, user: Value) {
        for (t, earlier) in self.carried.uses.get(&user).cloned().unwrap_or_default() {
            let slot = self.carried.flags[&t];
            let flag = self.load_slot(slot, self.unit.types.i1);
            self.builder.store(self.builder.or(flag, earlier), slot);
        }
    }

    /// The bit of a tracked loop if its flag is set, else 0.
    fn flag_bit(&self, t: usize) -> Option<Value> {
        let types = self.unit.types;
        let slot = *self.carried.flags.get(&t)?;
        let low = self.carried.low[self.tracked[t].level + 1];
        let bit = self.builder.add(low, types.i32.int(1));
        let flag = self.load_slot(slot, types.i1);
        Some(self.builder.select(flag, bit, types.i32.zero()))
    }

    /// A loop is entered whose region is open.
    pub(super) fn enter_loop_carried(&mut self, t: usize) {
        let level = self.tracked[t].level;
        if let Some(&flag) = self.carried.flags.get(&t) {
            self.builder.store(self.unit.types.i1.zero(), flag);
        }
        let outside = self.carried.low[level + 1];
        for slot in [self.carried.watched, self.carried.met] {
            let all = self.load_slot(slot, self.unit.types.i32);
            self.builder.store(self.builder.and(all, outside), slot);
        }
        if self.tracked[t].iterations != IterationMode::Full {
            for slot in self.carried.counters.values() {
                self.builder.store(self.unit.zero, *slot);
            }
            self.builder
                .store(self.unit.types.i32.zero(), self.carried.counted_bits);
        }
        if let Some(&slot) = self.carried.compare.get(&t) {
            let mask = self.masks[level + 1];
            let b = self.load_slot(self.slots.b, self.unit.time);
            let never = self.builder.lshr(mask, self.unit.latency(1));
            self.builder.store(self.builder.or(b, never), slot);
        }
    }

    /// A loop with a frame is left: its flag becomes its bit.
    pub(super) fn leave_loop_carried(&mut self, t: usize) {
        if let Some(bit) = self.flag_bit(t) {
            let all = self.load_slot(self.carried.bits, self.unit.types.i32);
            self.builder
                .store(self.builder.or(all, bit), self.carried.bits);
        }
    }

    /// Bits of a loop counted in registers that ends here.
    pub(super) fn counted_bits(&self, t: usize) -> Value {
        let types = self.unit.types;
        let mut all = self.load_slot(self.carried.counted_bits, types.i32);
        for (&counter, &slot) in &self.carried.counters {
            let lanes = self.unit.clock.lanes();
            let counts = self.load_slot(slot, self.unit.time);
            let above = self.builder.lanes_up(counts, lanes, types);
            let edge = self.builder.icmp(IntPredicate::LLVMIntNE, above, counts);
            let bits = self.builder.bitcast(edge, types.int(lanes as u32));
            let bits = self.builder.int_cast(bits, types.i32);
            all = self.builder.or(all, self.limited(counter, bits));
        }
        all = self.builder.or(all, self.watched_and_met());
        if let Some(bit) = self.flag_bit(t) {
            all = self.builder.or(all, bit);
        }
        all
    }

    /// Hands the bits of this function to the thread state, those of the flags of loops around the current block
    /// included.
    pub(super) fn flush_carried(&mut self) {
        if self.carried.off {
            return;
        }
        let mut at = self.innermost.get(&self.blocks[self.current]).copied();
        while let Some(l) = at {
            if let Some(t) =
                self.tracked_of[l].filter(|&t| self.tracked[t].iterations == IterationMode::Full)
            {
                self.leave_loop_carried(t);
            }
            at = self.loops[l].parent;
        }
        let types = self.unit.types;
        let mine = self.load_slot(self.carried.bits, types.i32);
        let mine = self.builder.or(mine, self.watched_and_met());
        let all = self.load_state(Field::Carried, types.i32);
        self.store_state(Field::Carried, self.builder.or(all, mine));
        self.builder.store(types.i32.zero(), self.carried.bits);
    }
}
