//! Runs compiled blocks: places every instance in the graph, in all lanes at once.

use parascan_isa::MemoryOperand;

use super::calls::RoutineTable;
use super::cell::MemoryCell;
use super::compile::{Compiled, GeneralInstruction, OpKind};
use super::flows::Actor;
use super::lanes::{Lanes, Level};
use super::latencies::LATENCIES;
use super::links::{CELLS, x87_cell};
use super::live_well::LiveWell;
use super::profile::Profiles;
use super::tables::ModelTables;
use super::thread::{KernelSpans, Thread, ThreadState};
use super::units::Occupancy;
use super::values::{FollowOptions, LiveValues, PIECE};
use crate::announced::{AnnouncedOperands, OperandForm};
use crate::event::MemorySpan;

/// The dependency graph of a stream while it grows: of every instance nothing is kept but what later ones need.
pub struct GrowingGraph<L: Level, const N: usize, C> {
    /// The models.
    pub tables: ModelTables<L, N>,
    /// What the threads share.
    pub shared: SharedByThreads<L, N, C>,
    avx2: bool,
}

/// What the threads of a graph share.
pub struct SharedByThreads<L: Level, const N: usize, C> {
    /// Who wrote and read each byte of the program's memory last, as levels.
    pub memory: LiveWell<C>,
    /// Profiles; not used where calls are measured, which needs several lanes.
    pub profiles: Profiles<L, N>,
    /// Functional units, by lane.
    pub occupancy: Vec<Occupancy>,
    /// Whether there is only one thread: where calls are measured.
    alone: bool,
    /// Values, where they are asked for.
    pub values: LiveValues,
    /// Deepest level of a store so far, where memory is one location.
    pub stores: Lanes<L, N>,
    /// Deepest level of a load or store so far.
    pub accesses: Lanes<L, N>,
    /// Instances by index of latency, beyond the executions of compiled blocks.
    pub census: Box<[u64; LATENCIES]>,
    /// Instances of repeated instructions, but for the first of each.
    pub repeated_instances: u64,
    /// Operations among these, in the first lane.
    pub repeated_operations: u64,
    /// Instances of system calls.
    pub system_calls: u64,
    /// Figures of routines.
    pub routines: RoutineTable,
    /// Predictions by group, transfer (branch, indirect, return).
    pub missed: Vec<[u64; 3]>,
    scratch: Scratch,
}

/// Memory operands of the instance at hand.
#[derive(Debug, Default)]
struct Scratch {
    reads: Vec<MemorySpan>,
    writes: Vec<MemorySpan>,
}

impl<L: Level, const N: usize, C: MemoryCell<L, N>> GrowingGraph<L, N, C> {
    /// A graph without anything. Without `profiles`, it is of the calls of one thread.
    pub fn new(tables: ModelTables<L, N>, profiles: bool, following: FollowOptions) -> Self {
        Self {
            shared: SharedByThreads {
                memory: LiveWell::new(),
                profiles: Profiles::new(profiles || N == 1, following.closely),
                occupancy: tables.units.iter().map(Occupancy::new).collect(),
                alone: !profiles,
                values: LiveValues::new(following),
                stores: Lanes::zero(),
                accesses: Lanes::zero(),
                census: Box::new([0; LATENCIES]),
                repeated_instances: 0,
                repeated_operations: 0,
                system_calls: 0,
                routines: RoutineTable::default(),
                missed: vec![[0; 3]; tables.predictions.len()],
                scratch: Scratch::default(),
            },
            tables,
            avx2: is_x86_feature_detected!("avx2"),
        }
    }

    /// The same graph with levels of 64 bits.
    pub fn widen(self) -> GrowingGraph<u64, N, C::Wide> {
        let shared = self.shared;
        GrowingGraph {
            tables: self.tables.widen(),
            shared: SharedByThreads {
                memory: shared.memory.convert(C::widen),
                profiles: shared.profiles.widen(),
                occupancy: shared.occupancy,
                alone: shared.alone,
                values: shared.values,
                stores: shared.stores.convert(),
                accesses: shared.accesses.convert(),
                census: shared.census,
                repeated_instances: shared.repeated_instances,
                repeated_operations: shared.repeated_operations,
                system_calls: shared.system_calls,
                routines: shared.routines,
                missed: shared.missed,
                scratch: shared.scratch,
            },
            avx2: self.avx2,
        }
    }

    /// A thread executes a block; there is an address for each slot.
    #[inline(always)]
    pub fn run(&mut self, thread: &mut Thread<L, N>, block: &Compiled, addresses: &[u64]) {
        if N > 1 && self.avx2 {
            // SAFETY: `avx2` says that the processor has it.
            unsafe { self.run_avx2(thread, block, addresses) }
        } else {
            self.run_windows::<false>(thread, block, addresses);
        }
    }

    #[target_feature(enable = "avx2")]
    fn run_avx2(&mut self, thread: &mut Thread<L, N>, block: &Compiled, addresses: &[u64]) {
        self.run_windows::<true>(thread, block, addresses);
    }

    #[inline(always)]
    fn run_windows<const AVX2: bool>(
        &mut self,
        thread: &mut Thread<L, N>,
        block: &Compiled,
        addresses: &[u64],
    ) {
        if self.tables.any_windows {
            self.run_block::<AVX2, true>(thread, block, addresses);
        } else {
            self.run_block::<AVX2, false>(thread, block, addresses);
        }
    }

    #[inline(always)]
    fn run_block<const AVX2: bool, const WINDOWS: bool>(
        &mut self,
        thread: &mut Thread<L, N>,
        block: &Compiled,
        addresses: &[u64],
    ) {
        let Self { tables, shared, .. } = self;
        let Thread { levels, state } = thread;
        let levels = &mut levels.0;
        let latency = &*tables.latency;
        let mut deepest = state.deepest;
        let mut firewall = state.firewall;
        let active = state.active;
        let mut level = Lanes::zero();
        for op in &block.ops {
            let shape = op.shape;
            if shape >= OpKind::Copy {
                if shape == OpKind::Copy {
                    levels[usize::from(op.writes[0])] = levels[usize::from(op.reads[0])];
                    continue;
                }
                state.firewall = firewall;
                state.deepest = deepest;
                let general = &block.generals[op.general as usize];
                let its = &addresses[general.first_slot..][..general.slots.len()];
                level = if AVX2 {
                    // SAFETY: this runs with AVX2.
                    unsafe { shared.general_avx2::<WINDOWS>(tables, levels, state, general, its) }
                } else {
                    shared.general_plain::<WINDOWS>(tables, levels, state, general, its)
                };
                firewall = state.firewall;
                deepest = state.deepest;
                continue;
            }
            if WINDOWS {
                firewall = firewall.max(state.windows.left());
            }
            let [a, b, c, d] = op.reads.map(|index| levels[usize::from(index)]);
            let mut start = firewall.max(a.max(b)).max(c.max(d));
            let steps = latency[usize::from(op.latency) % LATENCIES].and(active);
            if shape == OpKind::Plain {
                level = start.plus(steps);
            } else {
                let span = MemorySpan {
                    address: addresses[op.general as usize],
                    size: u64::from(op.size),
                };
                if shape != OpKind::Store {
                    start = shared
                        .memory
                        .fold(span, start, |start, cell| start.max(cell.level()));
                }
                level = start.plus(steps);
                if shape != OpKind::Load {
                    shared.memory.fill(span, C::written(level, 0));
                }
            }
            levels[usize::from(op.writes[0])] = level;
            levels[usize::from(op.writes[1])] = level;
            deepest = deepest.max(level);
            shared.count(tables, level, op.latency, op.column);
            if WINDOWS {
                state.windows.push(deepest);
            }
        }
        state.deepest = deepest;
        state.firewall = firewall;
        state.last_level = level;
    }
}

impl<L: Level, const N: usize, C: MemoryCell<L, N>> SharedByThreads<L, N, C> {
    /// All instances of an instruction of any kind, with windows or without. Returns the level of the last one.
    pub fn general_of_code<const WINDOWS: bool>(
        &mut self,
        tables: &ModelTables<L, N>,
        levels: &mut [Lanes<L, N>; CELLS],
        state: &mut ThreadState<L, N>,
        general: &GeneralInstruction,
        addresses: &[u64],
    ) -> Lanes<L, N> {
        if N > 1 && is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has it.
            unsafe { self.general_avx2::<WINDOWS>(tables, levels, state, general, addresses) }
        } else {
            self.general_plain::<WINDOWS>(tables, levels, state, general, addresses)
        }
    }

    /// [`SharedByThreads::general`] for any processor.
    #[inline(never)]
    fn general_plain<const WINDOWS: bool>(
        &mut self,
        tables: &ModelTables<L, N>,
        levels: &mut [Lanes<L, N>; CELLS],
        state: &mut ThreadState<L, N>,
        general: &GeneralInstruction,
        addresses: &[u64],
    ) -> Lanes<L, N> {
        self.general::<WINDOWS>(tables, levels, state, general, addresses)
    }

    /// The same for one with AVX2, which takes all lanes at once: a function of its own, because such code must not run
    /// elsewhere.
    #[inline(never)]
    #[target_feature(enable = "avx2")]
    fn general_avx2<const WINDOWS: bool>(
        &mut self,
        tables: &ModelTables<L, N>,
        levels: &mut [Lanes<L, N>; CELLS],
        state: &mut ThreadState<L, N>,
        general: &GeneralInstruction,
        addresses: &[u64],
    ) -> Lanes<L, N> {
        self.general::<WINDOWS>(tables, levels, state, general, addresses)
    }

    /// All instances of an instruction of any kind, with the addresses of its slots. Returns the level of the last one.
    #[inline(always)]
    fn general<const WINDOWS: bool>(
        &mut self,
        tables: &ModelTables<L, N>,
        levels: &mut [Lanes<L, N>; CELLS],
        state: &mut ThreadState<L, N>,
        general: &GeneralInstruction,
        addresses: &[u64],
    ) -> Lanes<L, N> {
        for &(from, to) in &general.copies {
            let (from, to) = (usize::from(from), usize::from(to));
            levels[to] = levels[from];
            if C::READERS {
                state.used.0[to] = state.used.0[from];
            }
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.set(general, addresses, 0);
        let mut kernel = None;
        let mut repeat = None;
        let mut iterations = 1;
        if general.system {
            kernel = state.kernel.take();
        }
        if !state.announced.is_empty()
            && let Some(announced) = state.announcement(general.position)
        {
            scratch.clear();
            match announced {
                OperandForm::Spans { reads, writes } => {
                    let some = |span: &&MemorySpan| span.size > 0;
                    scratch.reads.extend(reads.iter().filter(some));
                    scratch.writes.extend(writes.iter().filter(some));
                }
                OperandForm::Repeat {
                    iterations: count,
                    addresses,
                    step,
                } => {
                    iterations = count;
                    repeat = (count > 0).then_some((addresses, step));
                }
            }
            let index = usize::from(general.latency(false));
            let repeated = iterations.max(1) - 1;
            self.census[index] += repeated;
            self.repeated_instances += repeated;
            self.repeated_operations += repeated * u64::from(tables.counted[index] & 1);
        }
        let levels_only = !(C::READERS
            || C::VALUES
            || WINDOWS
            || tables.any_one_location
            || tables.any_units
            || tables.any_physical
            || general.x87
            || general.system);
        if let (true, Some((addresses, step))) = (levels_only, &repeat) {
            self.scratch = scratch;
            return self.repeat(tables, levels, state, general, addresses, *step, iterations);
        }
        let mut level = Lanes::zero();
        for iteration in 0..iterations.max(1) {
            if let Some((addresses, step)) = &repeat {
                scratch.set(general, addresses, (iteration as i64).wrapping_mul(*step));
            }
            if WINDOWS {
                state.firewall = state.firewall.max(state.windows.left());
            }
            level = self.instance(tables, levels, state, general, &scratch, kernel.as_ref());
            if WINDOWS {
                state.windows.push(state.deepest);
            }
        }
        self.scratch = scratch;
        level
    }

    /// Iterations of a string instruction, at least one, on a machine that keeps levels only. Returns the level of the
    /// last.
    #[inline(always)]
    #[expect(
        clippy::too_many_arguments,
        reason = "those of `general`, and what is repeated"
    )]
    fn repeat(
        &mut self,
        tables: &ModelTables<L, N>,
        levels: &mut [Lanes<L, N>; CELLS],
        state: &mut ThreadState<L, N>,
        general: &GeneralInstruction,
        addresses: &[u64],
        step: i64,
        iterations: u64,
    ) -> Lanes<L, N> {
        let operands = || general.slots.iter().zip(addresses);
        let memory_source = operands().any(|(slot, _)| slot.read && slot.size > 0);
        let index = general.latency(memory_source);
        let steps = tables.latency[usize::from(index) % LATENCIES].and(state.active);
        let column = tables.columns[usize::from(index) % LATENCIES];
        let mut level = Lanes::zero();
        let mut behind = 0i64;
        for _ in 0..iterations {
            let span = |slot: &MemoryOperand, address: &u64| MemorySpan {
                address: address.wrapping_add_signed(behind),
                size: u64::from(slot.size),
            };
            let mut start = state.firewall;
            for &cell in &general.reads {
                start = start.max(levels[usize::from(cell)]);
            }
            for (slot, address) in operands().filter(|(slot, _)| slot.read && slot.size > 0) {
                let add = |start: Lanes<L, N>, cell: &C| start.max(cell.level());
                start = self.memory.fold(span(slot, address), start, add);
            }
            level = start.plus(steps);
            for (slot, address) in operands().filter(|(slot, _)| slot.write && slot.size > 0) {
                self.memory.fill(span(slot, address), C::written(level, 0));
            }
            for &cell in &general.writes {
                levels[usize::from(cell)] = level;
            }
            state.deepest = state.deepest.max(level);
            self.count(tables, level, index, column);
            behind = behind.wrapping_add(step);
        }
        level
    }

    /// Counts an instance in the profiles.
    #[inline(always)]
    fn count(&mut self, tables: &ModelTables<L, N>, level: Lanes<L, N>, latency: u8, column: u8) {
        if N > 1 && !self.profiles.used {
            return;
        }
        if N > 1 && tables.mixed {
            self.profiles
                .add_slowly(level, column, &tables.counts(latency));
        } else {
            self.profiles.add(level, column);
        }
    }

    /// One instance of an instruction of any kind.
    #[inline(always)]
    fn instance(
        &mut self,
        tables: &ModelTables<L, N>,
        levels: &mut [Lanes<L, N>; CELLS],
        thread: &mut ThreadState<L, N>,
        general: &GeneralInstruction,
        operands: &Scratch,
        kernel: Option<&KernelSpans>,
    ) -> Lanes<L, N> {
        let top = thread.x87_top;
        let place = |cell: u8| {
            usize::from(if general.x87 {
                x87_cell(cell, top)
            } else {
                cell
            })
        };
        let kernel_reads = kernel
            .iter()
            .flat_map(|(reads, _)| reads)
            .filter(|span| span.size > 0);
        let kernel_writes = kernel
            .iter()
            .flat_map(|(_, writes)| writes)
            .filter(|span| span.size > 0);
        let reads = || operands.reads.iter().chain(kernel_reads.clone());
        let writes = || operands.writes.iter().chain(kernel_writes.clone());
        // An optimistic system call modifies nothing, and so nothing that it overwrites delays it.
        let modifies = if general.system {
            tables.conservative
        } else {
            Lanes::splat(L::ALL)
        };
        let loads = reads().next().is_some();
        let stores = writes().next().is_some();
        // Its own operands are stores all the same.
        let stores_in = if operands.writes.is_empty() {
            modifies
        } else {
            Lanes::splat(L::ALL)
        };

        if C::VALUES {
            self.values.begin(Actor {
                routine: general.routine,
                thread: thread.id,
            });
        }
        if tables.any_physical {
            thread.firewall = thread
                .physical
                .take(general.taken, modifies, thread.firewall);
        }
        let mut start = thread.firewall;
        for &cell in &general.reads {
            start = start.max(levels[place(cell)]);
        }
        for &span in reads() {
            if C::VALUES {
                let values = &mut self.values;
                self.memory.look(span, |cell| {
                    start = start.max(cell.level());
                    values.read(cell.value());
                });
            } else {
                self.memory
                    .look(span, |cell| start = start.max(cell.level()));
            }
        }
        if C::VALUES {
            for &register in &general.registers_read {
                self.values.read(thread.values[place(register)]);
            }
        }
        if C::READERS {
            let keep = tables.keep_registers.and(modifies);
            for &cell in &general.overwrites {
                start = start.max(thread.used.0[place(cell)].and(keep));
            }
            for &span in writes() {
                for (piece, is_stack) in by_stack(span, thread.stack) {
                    let keep = if is_stack {
                        tables.keep_stack
                    } else {
                        tables.keep_memory
                    };
                    let keep = keep.and(modifies);
                    self.memory
                        .look(piece, |cell| start = start.max(cell.used().and(keep)));
                }
            }
        }
        if tables.any_one_location {
            if loads {
                start = start.max(self.stores.and(tables.one_location));
            }
            if stores {
                start = start.max(self.accesses.and(tables.one_location).and(stores_in));
            }
        }

        let memory_source = !operands.reads.is_empty();
        let index = general.latency(memory_source);
        let steps = tables.latency[usize::from(index) % LATENCIES].and(thread.active);
        if tables.any_units {
            for (lane, occupancy) in self.occupancy.iter_mut().enumerate() {
                if steps.0[lane] != L::default() {
                    // Other threads may yet begin with a firewall at level 0.
                    let floor = if self.alone {
                        thread.firewall.0[lane].number()
                    } else {
                        0
                    };
                    let first = occupancy.take(general.class, start.0[lane].number(), floor);
                    start.0[lane] = L::new(first);
                }
            }
        }
        if C::VALUES && steps.0[0] != L::default() {
            self.values.begins(general.class, start.0[0].number());
        }
        let level = start.plus(steps);
        thread.deepest = thread.deepest.max(level);
        if tables.any_physical {
            let retires = thread.deepest;
            thread.physical.keep(general.taken, modifies, retires);
        }

        if C::READERS {
            for &cell in &general.reads {
                let used = &mut thread.used.0[place(cell)];
                *used = used.max(level);
            }
            for &span in reads() {
                self.memory.change(span, |cell, _| cell.read(level));
            }
        }
        if tables.any_one_location {
            if loads {
                self.accesses = self.accesses.max(level);
            }
            if stores {
                self.stores = self.stores.max(level.and(stores_in));
                self.accesses = self.accesses.max(level.and(stores_in));
            }
        }
        let left = level.and(modifies);
        for &cell in &general.writes {
            levels[place(cell)] = left;
            if C::READERS {
                thread.used.0[place(cell)] = left;
            }
        }
        let counted = tables.counted[usize::from(index) % LATENCIES];
        if C::VALUES {
            let number = level.0[0].number();
            self.values.placed(number);
            let creates = counted & 1 == 1 && modifies.0[0] != L::default();
            for &register in &general.registers_written {
                let held = &mut thread.values[place(register)];
                self.values.overwrite(*held, 1);
                *held = if creates {
                    self.values.create(number, 1)
                } else {
                    0
                };
            }
            for &span in writes() {
                for piece in chunks(span) {
                    let value = if creates {
                        self.values.create(number, piece.size)
                    } else {
                        0
                    };
                    let values = &mut self.values;
                    self.memory.change(piece, |cell, bytes| {
                        values.overwrite(cell.value(), bytes);
                        *cell = C::written(left, value);
                    });
                }
            }
        } else {
            for &span in writes() {
                self.memory
                    .change(span, |cell, _| *cell = C::written(left, 0));
            }
        }
        if general.system {
            self.system_calls += 1;
            thread.firewall = thread.firewall.max(thread.deepest.and(tables.conservative));
        }
        thread.x87_top = top.wrapping_add_signed(general.x87_move) % 8;
        let column = tables.columns[usize::from(index) % LATENCIES];
        self.count(tables, level, index, column);
        level
    }
}

impl<L: Level, const N: usize> ThreadState<L, N> {
    /// What was announced of the instruction at a position.
    fn announcement(&mut self, position: u32) -> Option<OperandForm> {
        let is_it = |announced: &AnnouncedOperands| announced.instruction == position;
        let found = self.announced.iter().position(is_it)?;
        Some(self.announced.swap_remove(found).operands)
    }
}

impl Scratch {
    fn clear(&mut self) {
        self.reads.clear();
        self.writes.clear();
    }

    /// The operands of an instruction whose slots are so far behind these addresses.
    fn set(&mut self, general: &GeneralInstruction, addresses: &[u64], behind: i64) {
        self.clear();
        for (slot, address) in general.slots.iter().zip(addresses) {
            let span = MemorySpan {
                address: address.wrapping_add_signed(behind),
                size: u64::from(slot.size),
            };
            if span.size > 0 && slot.read {
                self.reads.push(span);
            }
            if span.size > 0 && slot.write {
                self.writes.push(span);
            }
        }
    }
}

/// The parts of a span below, within and above the stack, and whether they are within it.
fn by_stack(span: MemorySpan, stack: MemorySpan) -> impl Iterator<Item = (MemorySpan, bool)> {
    let end = span.address.saturating_add(span.size);
    let low = stack.address.clamp(span.address, end);
    let high = stack.address.saturating_add(stack.size).clamp(low, end);
    let bounds = [
        (span.address, low, false),
        (low, high, true),
        (high, end, false),
    ];
    bounds
        .into_iter()
        .filter(|(from, to, _)| from < to)
        .map(|(from, to, is_stack)| {
            let size = to - from;
            let address = from;
            (MemorySpan { address, size }, is_stack)
        })
}

/// The span in pieces that are a value each.
fn chunks(span: MemorySpan) -> impl Iterator<Item = MemorySpan> {
    let end = span.address.saturating_add(span.size);
    (0..span.size.div_ceil(PIECE)).filter_map(move |piece| {
        let address = span.address.checked_add(piece * PIECE)?;
        let size = PIECE.min(end.checked_sub(address)?);
        (size > 0).then_some(MemorySpan { address, size })
    })
}
