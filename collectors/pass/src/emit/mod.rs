//! Emits time computations beside the program's own instructions: one function at a time.
//!
//! # Algorithm
//! Blocks are visited in reverse post-order. Every value of the program gets a companion time vector (`<8 x i32>` or
//! `<4 x i64>`, one lane per tracked region depth) computed by `docs/semantics.md`; phis get companion phis. Four kinds
//! of state live in stack slots that are promoted to SSA at the end: `m` (largest time so far), `b` (clock at entry of
//! the open instance, per lane), `work`, and one control time per control-dependence set. Only loads, stores, calls,
//! returns and region boundaries touch memory ([`shadow`], [`calls`], [`regions`]).
//!
//! # Cost
//! `max(ctrl)` is left out where an operand already includes this control time ([`Time::cover`]); `m` takes only times
//! that nothing later in the same block consumes. Innermost loops without calls count their iterations in registers
//! (`IterationMode::Flat`); what is the same every time is folded at compile time (`IterationMode::Folded`,
//! [`crate::fold`]).
//!
//! # Blind spots
//! Variadic arguments carry no times. Inline assembly and unmodelled callees are operations without memory effects.
//!
//! # Where things are
//! [`instructions`] has the rules of `docs/semantics.md`, [`local`] the same on an iteration's own clock, [`tracked`]
//! says which loops are regions and how they are measured. Functions of libc and libm are rows of [`library`]
//! ([`streams`] and [`strings`] have those of libstdc++), made of [`effects`] and [`lengths`]; [`modelled`] calls them,
//! with [`stretch`] for how much memory that means and [`mod@format`] for what formats add. [`bounds`] are exit tests
//! whose bounds lie in memory; [`mod@cuts`] and [`without`] leave dependences out (`PARASCAN_WITHOUT`). For bursts,
//! [`ways`] go between tracked and native versions, [`counts`] and [`counters`] are what native ones count, [`sites`],
//! [`around`] and [`callers`] say what is open where they call. [`mod@unit`] is what a module's functions share.

mod bounds;
mod callers;
mod calls;
mod carried;
mod counters;
mod counts;
mod cuts;
pub mod effects;
mod format;
mod fortran;
mod innermost;
mod instructions;
pub mod lengths;
pub mod library;
mod local;
mod modelled;
mod regions;
pub mod rust;
mod shadow;
mod sites;
mod streams;
mod stretch;
mod strings;
mod tracked;
mod unit;
mod ways;
mod without;

use indexmap::IndexMap;

use crate::analysis::{self, AliasScope, Analysis, NaturalLoop};
use crate::control::{Control, LoopBody, control_dependence};
use crate::cost::{self, TimingRule};
use crate::ends;
use crate::fold::{Constant, FoldedChild};
use crate::ir::{Block, InstructionBuilder, Opcode, Value};
use crate::recognise::{InstructionRule, LoopNest, Recognised, innermost, recognise};

pub use callers::called_only;
pub use calls::instrumentable;
pub use cuts::cuts;
pub use tracked::{LoopVisibility, sights};
pub use unit::{Clock, SwitchHeader, UnitState};
use without::FunctionCuts;

/// Time of a value: None is zero in every lane. `cover`: the block whose control time is included.
#[derive(Clone, Copy, Debug, Default)]
pub struct Time {
    value: Option<Value>,
    cover: Option<usize>,
}

/// How the iterations of a loop are measured.
#[derive(Clone, Debug, PartialEq, Eq)]
enum IterationMode {
    /// Regions like any other: something inside may open regions.
    Full,
    /// No regions inside but these, the same in every iteration: counted in registers, with a lane.
    Flat(Vec<FoldedChild>),
    /// Constant work, critical path and children: only counted.
    Folded(Constant),
}

/// A loop that is a region.
#[derive(Debug)]
struct TrackedLoop {
    /// Index into the function's loops.
    index: usize,
    iterations: IterationMode,
    region: usize,
    iteration_region: usize,
    /// Nesting level of the loop region; the iteration's is one more. The function is level 0.
    level: usize,
    slots: Option<regions::FlatSlots>,
    /// Whether iterations are measured on their own clock.
    alone: bool,
    /// The whole loop with its trip count, when even that is constant.
    whole: Option<(Constant, u64)>,
    /// Part of an iteration that is folded: nothing is reported.
    hidden: bool,
    /// `StaticDesc` of a whole loop, `LoopDesc` of one that is counted in registers.
    descriptor: Option<Value>,
}

impl TrackedLoop {
    /// Whether the runtime never sees this loop open.
    fn without_frame(&self) -> bool {
        self.hidden || self.whole.is_some()
    }
}

/// A conditional piece of code to be split off once all blocks are done.
enum PendingCode {
    /// The iterations of a loop change to these figures.
    Iterations {
        condition: Value,
        before: Value,
        tracked: usize,
        cp: Value,
        work: Value,
    },
    /// The burst may be over.
    Leave {
        condition: Value,
        before: Value,
        block: usize,
        place: SwitchHeader,
    },
    /// The burst may be over in a loop that is counted in registers.
    LeaveCounted {
        condition: Value,
        before: Value,
        tracked: usize,
        place: SwitchHeader,
    },
    /// A copy of few granules, inline if their times are as expected.
    Copy {
        condition: Value,
        before: Value,
        granules: Granules,
        copy: Copy,
    },
    /// Bytes of halves that have times of their own are read.
    Bytes {
        condition: Value,
        before: Value,
        reader: Value,
        block: usize,
        address: Value,
        size: u64,
    },
    /// The runtime's `name` makes planes valid for the granule of `address`: `__ps_open` before a loose store of bytes,
    /// `__ps_halve` before one of a half.
    Validate {
        name: &'static str,
        condition: Value,
        before: Value,
        address: Value,
    },
    /// A granule is read as a whole whose halves may have different times.
    Split {
        condition: Value,
        before: Value,
        reader: Option<Value>,
        block: usize,
        address: Value,
    },
}

/// What a copy without a call expects of the times that it moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Granules {
    /// As strict stores of 4 bytes leave them.
    Halves,
    /// As strict stores of 8 bytes leave them.
    Strict,
    /// One for each 8 bytes.
    Uniform,
}

/// Bytes that move with their times.
#[derive(Clone, Copy)]
struct Copy {
    /// The instruction whose reading is noted, if any, and its block.
    reader: Option<Value>,
    block: usize,
    to: Value,
    from: Value,
    /// Bytes, as `i64`.
    length: Value,
    /// Time of the operation apart from the bytes.
    t: Value,
    latency: u32,
}

struct Slots {
    m: Value,
    b: Value,
    work: Value,
    control: Vec<Value>,
    /// Not promoted: for passing times by address.
    scratch: Value,
    scratch_m: Value,
}

/// Emission state of one function.
struct Emitter<'u> {
    unit: &'u mut UnitState,
    f: Value,
    builder: InstructionBuilder,
    blocks: Vec<Block>,
    /// The program's own instructions of each block.
    original: Vec<Vec<Value>>,
    number: IndexMap<Block, usize>,
    order: Vec<usize>,
    order_of: Vec<usize>,
    loops: Vec<NaturalLoop>,
    innermost: IndexMap<Block, usize>,
    tracked: Vec<TrackedLoop>,
    /// Tracked loop of each loop index.
    tracked_of: Vec<Option<usize>>,
    control: Control,
    found: Recognised,
    /// By block: whether it ends in a decision, other than a counted exit and a check whose failure ends the function.
    decides: Vec<bool>,
    bounds: bounds::Bounds,
    carried: carried::CarriedEmission,
    /// What the build leaves out.
    without: FunctionCuts,
    /// Times of the bytes that loads read.
    bytes: IndexMap<Value, Value>,
    state: Value,
    slots: Slots,
    depth: Value,
    /// Number of regions around lane 0, as [`parascan_abi::State::outer`] had it at the function's entry.
    outer: Value,
    masks: Vec<Value>,
    times: IndexMap<Value, Time>,
    phis: Vec<(Value, Value)>,
    /// Control time of the current block, and of each finished block's edges.
    ctrl: Value,
    edge: IndexMap<usize, Value>,
    /// Times of the current segment that `m` must still take, and its work.
    pending_m: Vec<Value>,
    pending_work: u64,
    /// Position and segment of each instruction in the current block.
    place: IndexMap<Value, (usize, usize)>,
    splits: Vec<PendingCode>,
    /// Times taken at a loop's entry for memory reductions: store -> time.
    initial: IndexMap<Value, Value>,
    /// Sizes of blocks before their `realloc`.
    realloc_sizes: IndexMap<Value, Value>,
    /// By call whose callee may leave no times: [`parascan_abi::State::turns`] before it.
    turns: IndexMap<Value, Value>,
    current: usize,
    /// On the clock of an iteration that stands alone: times, the current block's control time, those of finished
    /// blocks' edges, and phis without their edges.
    local_times: IndexMap<Value, Value>,
    local_ctrl: Option<Value>,
    local_edge: IndexMap<usize, Value>,
    local_phis: Vec<(Value, Value)>,
    /// Where other versions can go on for this one, and the ways in.
    places: Vec<SwitchHeader>,
    ways: Option<ways::EntryWays>,
}

/// Instruments one function. `Analysis` must be fresh.
pub fn instrument(unit: &mut UnitState, f: Value, analysis: &Analysis) {
    let blocks = f.blocks();
    let number: IndexMap<Block, usize> = blocks.iter().enumerate().map(|(i, b)| (*b, i)).collect();
    let successors: Vec<Vec<usize>> = blocks
        .iter()
        .map(|b| {
            let mut list: Vec<usize> = b.successors().iter().map(|s| number[s]).collect();
            list.sort_unstable();
            list.dedup();
            list
        })
        .collect();
    let loops = analysis.loops();
    let innermost = innermost(&loops);
    let nest = LoopNest {
        loops: &loops,
        innermost: &innermost,
    };
    let mut found = recognise(&nest, analysis);
    let mut counted = vec![false; blocks.len()];
    for l in &loops {
        for b in &l.counted_exits {
            counted[number[b]] = true;
        }
    }
    let bodies: Vec<LoopBody> = loops
        .iter()
        .map(|l| {
            let numbers = |list: &[Block]| list.iter().map(|b| number[b]).collect::<Vec<usize>>();
            let blocks = numbers(&l.blocks);
            let header = number[&l.header];
            let latches = blocks
                .iter()
                .copied()
                .filter(|&b| successors[b].contains(&header))
                .collect();
            LoopBody {
                blocks,
                latches,
                counted: numbers(&l.counted_exits),
            }
        })
        .collect();
    let ends: Vec<_> = blocks.iter().map(|b| ends::end(*b)).collect();
    let held = ends::without_failures(&successors, &ends, &bodies);
    let decides: Vec<bool> = (0..blocks.len())
        .map(|b| {
            let checks = held[b].len() < successors[b].len() && held[b].len() < 2;
            is_condition(blocks[b]) && !counted[b] && !checks
        })
        .collect();
    let control = control_dependence(&held, &bodies, |b| decides[b]);
    let order = reverse_post_order(&successors);
    let mut order_of = vec![usize::MAX; blocks.len()];
    for (i, b) in order.iter().enumerate() {
        order_of[*b] = i;
    }

    let tracked = tracked::choose(unit, f, analysis, &nest, &found);
    let mut tracked_of = vec![None; loops.len()];
    for (i, t) in tracked.iter().enumerate() {
        tracked_of[t.index] = Some(i);
    }
    if unit.changes {
        unit.note_counts(f, &tracked, &tracked_of);
        unit.define_sites(f, &tracked);
    }
    let regions = tracked.iter();
    let regions = regions.map(|t| (number[&loops[t.index].header], t.region));
    unit.loop_regions.insert(f, regions.collect());
    unit.note_function(
        f,
        &blocks,
        &loops,
        &tracked
            .iter()
            .map(|t| (t.index, t.region, t.iteration_region))
            .collect::<Vec<_>>(),
        &found,
    );

    let without = FunctionCuts::new(
        &unit.cuts,
        &unit.facts.regions,
        &loops,
        &tracked,
        &mut found,
    );

    let original = blocks.iter().map(|b| b.instructions()).collect();
    let builder = unit.types.builder();
    let entry = blocks[0];
    builder.before(entry.first_insertion());
    let vector = unit.time;
    let state = unit.state_address(&builder);
    let slot = |ty| builder.alloca(ty);
    let slots = Slots {
        m: slot(vector),
        b: slot(vector),
        work: slot(unit.types.i64),
        control: control.sets.iter().map(|_| slot(vector)).collect(),
        scratch: slot(vector),
        scratch_m: slot(vector),
    };
    let zero = vector.zero();
    let bounds = bounds::Bounds::new(&loops, &number, &builder, vector);
    let in_order: Vec<Block> = order.iter().map(|&b| blocks[b]).collect();
    let carried = carried::CarriedEmission::new(
        unit.types,
        vector,
        &builder,
        &loops,
        &tracked,
        &found,
        analysis,
        &in_order,
        &unit.costs,
        unit.module,
        unit.observes,
    );
    let places = unit.places(f);
    let mut emitter = Emitter {
        unit,
        f,
        builder,
        original,
        number,
        order,
        order_of,
        loops,
        innermost,
        tracked,
        tracked_of,
        control,
        found,
        decides,
        bounds,
        carried,
        without,
        bytes: IndexMap::new(),
        state,
        slots,
        depth: zero,
        outer: zero,
        masks: Vec::new(),
        times: IndexMap::new(),
        phis: Vec::new(),
        ctrl: zero,
        edge: IndexMap::new(),
        pending_m: Vec::new(),
        pending_work: 0,
        place: IndexMap::new(),
        splits: Vec::new(),
        initial: IndexMap::new(),
        realloc_sizes: IndexMap::new(),
        turns: IndexMap::new(),
        current: 0,
        local_times: IndexMap::new(),
        local_ctrl: None,
        local_edge: IndexMap::new(),
        local_phis: Vec::new(),
        places,
        ways: None,
        blocks,
    };
    emitter.run();
}

/// Whether a block ends in a decision.
fn is_condition(block: Block) -> bool {
    let t = block.terminator();
    match t.opcode() {
        Opcode::LLVMBr => t.is_conditional(),
        Opcode::LLVMSwitch | Opcode::LLVMIndirectBr => true,
        _ => false,
    }
}

fn reverse_post_order(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; successors.len()];
    let mut order = Vec::new();
    let mut stack = vec![(0usize, 0usize)];
    seen[0] = true;
    while let Some((b, next)) = stack.pop() {
        if let Some(&s) = successors[b].get(next) {
            stack.push((b, next + 1));
            if !seen[s] {
                seen[s] = true;
                stack.push((s, 0));
            }
        } else {
            order.push(b);
        }
    }
    order.reverse();
    order
}

impl Emitter<'_> {
    fn run(&mut self) {
        self.announce_left_out();
        self.enter_function();
        for position in 0..self.order.len() {
            let b = self.order[position];
            self.block(b);
        }
        self.finish_phis();
        self.finish_local_phis();
        let splits = std::mem::take(&mut self.splits);
        for split in splits {
            self.split(split);
        }
        self.ways_in();
        let mut promoted = vec![self.slots.m, self.slots.b, self.slots.work];
        promoted.extend(&self.slots.control);
        promoted.extend(self.bounds.slots());
        promoted.extend(self.carried.slots());
        promoted.extend(
            self.tracked
                .iter()
                .filter_map(|t| t.slots.as_ref())
                .flat_map(regions::FlatSlots::all),
        );
        analysis::promote(self.f, &promoted);
    }

    fn block(&mut self, b: usize) {
        self.current = b;
        let block = self.blocks[b];
        let original = std::mem::take(&mut self.original[b]);
        let is_head = |v: &&Value| matches!(v.opcode(), Opcode::LLVMPHI | Opcode::LLVMLandingPad);
        let start = original
            .iter()
            .find(|v| !is_head(v))
            .copied()
            .unwrap_or_else(|| block.terminator());
        self.number_segments(&original);
        for phi in original.iter().filter(|i| i.opcode() == Opcode::LLVMPHI) {
            self.phi(*phi);
        }
        for phi in original.iter().filter(|i| i.opcode() == Opcode::LLVMPHI) {
            self.local_phi(*phi);
        }
        self.builder.before(start);
        if b != 0 {
            self.arrive(block);
            let ct = self.load_slot(self.slots.control[self.control.set_of[b]], self.unit.time);
            let base = self.load_slot(self.slots.b, self.unit.time);
            let ctrl = self.max(ct, base);
            self.ctrl = self.with_bounds(block, ctrl);
        }
        self.arrive_local();
        let terminator = block.terminator();
        for i in original {
            if i == terminator || i.opcode() == Opcode::LLVMPHI {
                continue;
            }
            self.builder.before(i);
            self.note_uses(i);
            self.instruction(i);
            self.local_instruction(i);
        }
        self.builder.before(terminator);
        self.note_uses(terminator);
        if terminator.opcode() == Opcode::LLVMInvoke || terminator.opcode() == Opcode::LLVMCallBr {
            self.call(terminator);
            self.edge.insert(b, self.ctrl);
            self.leave(block);
            return;
        }
        self.flush();
        self.decide(b, terminator);
        self.decide_local(terminator);
        self.leave(block);
        match terminator.opcode() {
            Opcode::LLVMRet => self.return_from_function(terminator),
            Opcode::LLVMResume => self.save(),
            _ => {}
        }
    }

    /// Computes the branch time and assigns it to the sets this terminator belongs to.
    fn decide(&mut self, b: usize, terminator: Value) {
        if self.test_bound(b) {
            return;
        }
        if !self.decides[b] {
            self.edge.insert(b, self.ctrl);
            return;
        }
        let condition = terminator.operand(0);
        let t = self.time(condition);
        let branch = self.with_ctrl(&[t]);
        self.edge.insert(b, branch);
        let sets: Vec<usize> = self.control.sets_with(b).collect();
        for s in sets {
            self.builder.store(branch, self.slots.control[s]);
        }
    }

    /// Time of any value.
    fn time(&self, v: Value) -> Time {
        self.times.get(&v).copied().unwrap_or_default()
    }

    fn set(&mut self, v: Value, value: Option<Value>, cover: Option<usize>) {
        self.times.insert(v, Time { value, cover });
    }

    fn max(&self, a: Value, b: Value) -> Value {
        if a == b || b == self.unit.zero {
            return a;
        }
        if a == self.unit.zero {
            return b;
        }
        // Times have no sign; AVX2 compares 64-bit numbers with sign only, and no long clock gets near 2^63.
        let name = match self.unit.clock {
            Clock::Short => "llvm.umax",
            Clock::Long => "llvm.smax",
        };
        self.builder
            .intrinsic(self.unit.module, name, self.unit.time, &[a, b])
    }

    fn plus(&self, t: Value, latency: u32) -> Value {
        if latency == 0 {
            return t;
        }
        self.builder.add(t, self.unit.latency(latency))
    }

    /// Maximum of some times, zero when all are.
    fn max_of(&self, times: &[Time]) -> Value {
        let mut values: Vec<Value> = Vec::new();
        for t in times.iter().filter_map(|t| t.value) {
            if !values.contains(&t) {
                values.push(t);
            }
        }
        self.max_tree(values)
    }

    fn max_tree(&self, mut values: Vec<Value>) -> Value {
        while values.len() > 1 {
            values = values
                .chunks(2)
                .map(|c| {
                    if c.len() == 2 {
                        self.max(c[0], c[1])
                    } else {
                        c[0]
                    }
                })
                .collect();
        }
        values.pop().unwrap_or(self.unit.zero)
    }

    /// Maximum of some times and the current control time.
    fn with_ctrl(&self, times: &[Time]) -> Value {
        let t = self.max_of(times);
        if times
            .iter()
            .any(|t| t.value.is_some() && t.cover.is_some_and(|c| self.covers(c)))
        {
            t
        } else {
            self.max(t, self.ctrl)
        }
    }

    /// Whether a time that includes the control time of block `from` includes that of the current block.
    fn covers(&self, from: usize) -> bool {
        if self.unit.bursts {
            // Bases may have been raised since.
            return false;
        }
        if from == self.current {
            return true;
        }
        let set = self.control.set_of[from];
        set == self.control.set_of[self.current]
            && !self.bounds.tested_between(&self.order_of, from, self.current)
            && self.innermost.get(&self.blocks[from]) == self.innermost.get(&self.blocks[self.current])
            && self.order_of[from] < self.order_of[self.current]
            // No terminator of the set may run between the two.
            && self.control.sets[set]
                .iter()
                .all(|&t| self.order_of[t] < self.order_of[from] || self.order_of[t] >= self.order_of[self.current])
    }

    fn load_slot(&self, slot: Value, ty: crate::ir::Type) -> Value {
        self.builder.load(ty, slot)
    }

    /// Completes `m` and `work` for everything emitted so far in this block.
    fn flush(&mut self) {
        if !self.pending_m.is_empty() {
            let times = std::mem::take(&mut self.pending_m);
            let largest = self.max_tree(times);
            let m = self.load_slot(self.slots.m, self.unit.time);
            let m = self.max(m, largest);
            self.builder.store(m, self.slots.m);
        }
        if self.pending_work > 0 {
            let i64 = self.unit.types.i64;
            let work = self.load_slot(self.slots.work, i64);
            let work = self.builder.add(work, i64.int(self.pending_work));
            self.builder.store(work, self.slots.work);
            self.pending_work = 0;
        }
    }

    /// Flushes and writes `m`, `work` and carried bits to the thread state.
    fn save(&mut self) {
        self.flush();
        self.flush_carried();
        let m = self.load_slot(self.slots.m, self.unit.time);
        let work = self.load_slot(self.slots.work, self.unit.types.i64);
        self.store_state(unit::Field::M, m);
        self.store_state(unit::Field::Work, work);
    }

    /// Takes `m` and `work` from the thread state.
    fn reload(&mut self) {
        let m = self.load_state(unit::Field::M, self.unit.time);
        let work = self.load_state(unit::Field::Work, self.unit.types.i64);
        self.builder.store(m, self.slots.m);
        self.builder.store(work, self.slots.work);
        self.take_bases();
    }

    /// Takes bases that may have been raised from the thread state.
    fn take_bases(&mut self) {
        if self.unit.bursts {
            let b = self.load_state(unit::Field::B, self.unit.time);
            self.builder.store(b, self.slots.b);
        }
    }

    /// Raises the current block's control time to bases that may have been raised.
    fn raise_control(&mut self) {
        if self.unit.bursts {
            let b = self.load_slot(self.slots.b, self.unit.time);
            self.ctrl = self.max(self.ctrl, b);
        }
    }

    fn load_state(&self, field: unit::Field, ty: crate::ir::Type) -> Value {
        self.load_state_at(field.offset(), ty)
    }

    fn load_state_at(&self, offset: usize, ty: crate::ir::Type) -> Value {
        let address = self.unit.offset(&self.builder, self.state, offset);
        let v = self.builder.load(ty, address);
        analysis::set_scope(self.unit.module, v, AliasScope::State);
        v
    }

    fn store_state(&self, field: unit::Field, value: Value) {
        self.store_state_at(field.offset(), value);
    }

    fn store_state_at(&self, offset: usize, value: Value) {
        let address = self.unit.offset(&self.builder, self.state, offset);
        let s = self.builder.store(value, address);
        analysis::set_scope(self.unit.module, s, AliasScope::State);
    }

    /// Numbers the instructions of a block and its segments (stretches without a call that needs a complete `m`).
    fn number_segments(&mut self, instructions: &[Value]) {
        self.place.clear();
        let mut segment = 0;
        for (position, i) in instructions.iter().enumerate() {
            self.place.insert(*i, (position, segment));
            if cost::kind(*i, &self.unit.costs) == TimingRule::Call {
                segment += 1;
            }
        }
    }

    /// Whether something later in the block and segment has a time at least as large, which `m` will take.
    fn consumed(&self, v: Value) -> bool {
        let Some(&(position, segment)) = self.place.get(&v) else {
            return false;
        };
        v.users().into_iter().any(|u| {
            let Some(&(p, s)) = self.place.get(&u) else {
                return false;
            };
            if p <= position || s != segment {
                return false;
            }
            match self.found.rules.get(&u) {
                Some(
                    InstructionRule::Reduction { .. } | InstructionRule::ReductionCombine { .. },
                ) => return true,
                Some(_) => return false,
                None => {}
            }
            match cost::kind(u, &self.unit.costs) {
                TimingRule::Op(_) | TimingRule::Load | TimingRule::Store | TimingRule::Atomic => {
                    true
                }
                TimingRule::Free => self.consumed(u),
                _ => false,
            }
        })
    }

    /// Records an operation's time for `m` unless a consumer will.
    fn account(&mut self, v: Value, t: Value) {
        if !self.consumed(v) {
            self.pending_m.push(t);
        }
    }

    fn phi(&mut self, phi: Value) {
        match self.found.rules.get(&phi) {
            Some(InstructionRule::InductionPhi) => {
                let l = self.innermost[&phi.block()];
                let start = phi
                    .incoming()
                    .into_iter()
                    .find(|e| !self.loops[l].blocks.contains(&e.1))
                    .map(|e| self.time(e.0));
                let start = start.unwrap_or_default();
                self.set(phi, start.value, None);
            }
            _ => {
                let first = phi.block().instructions()[0];
                self.builder.before(first);
                let t = self.builder.phi(self.unit.time);
                self.phis.push((phi, t));
                self.set(phi, Some(t), None);
            }
        }
    }

    /// Gives companion phis their edges: the incoming value's time and the edge's control time.
    fn finish_phis(&mut self) {
        for (phi, t) in std::mem::take(&mut self.phis) {
            let mut edges = Vec::new();
            let mut done: IndexMap<Block, Value> = IndexMap::new();
            for (value, from) in phi.incoming() {
                let time = match done.get(&from) {
                    Some(v) => *v,
                    None => {
                        let cut = self.without.phi(phi);
                        let inside = cut.is_some_and(|l| self.loops[l].blocks.contains(&from));
                        let value = (!inside).then_some(value);
                        let v = self.edge_time(value, from);
                        done.insert(from, v);
                        v
                    }
                };
                edges.push((time, from));
            }
            t.add_incoming(&edges);
        }
    }

    /// Time that a value, if any, and the edge have together.
    fn edge_time(&mut self, value: Option<Value>, from: Block) -> Value {
        let Some(&p) = self.number.get(&from) else {
            return self.unit.zero;
        };
        let Some(&edge) = self.edge.get(&p) else {
            return self.unit.zero;
        }; // unreachable
        self.builder.before(from.terminator());
        let t = value.map(|v| self.time(v)).unwrap_or_default();
        // A value computed in this block includes ctrl(from), which is all the edge adds unless it is a decision.
        if !self.decides[p] && !self.bounds.tested_in(p) {
            self.current = p;
            if t.value.is_some() && t.cover.is_some_and(|c| self.covers(c)) {
                return t.value.unwrap_or(self.unit.zero);
            }
        }
        self.max(t.value.unwrap_or(self.unit.zero), edge)
    }
}
