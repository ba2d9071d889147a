//! Runs compiled blocks: places every instance in the graph, in all lanes at once.

use super::calls::Table;
use super::cell::MemoryCell;
use super::compile::{Compiled, General, LATENCIES, Shape, TRASH, latency_index, x87_cell};
use super::lanes::{Lanes, Level};
use super::profile::Bins;
use super::tables::Tables;
use super::thread::{KernelSpans, Operands, Thread};
use super::units::Occupancy;
use super::values::{Live, PIECE};
use super::well::Well;
use super::window::{BATCH, Window};
use crate::event::Span;

/// What the threads of a graph share.
pub struct Graph<L: Level, const N: usize, C> {
    /// The models.
    pub tables: Tables<L, N>,
    /// Memory.
    pub well: Well<C>,
    /// Profiles, by lane; none where calls are measured.
    pub bins: Vec<Bins>,
    /// Functional units, by lane.
    pub occupancy: Vec<Occupancy>,
    /// Values, where they are asked for.
    pub values: Live,
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
    pub routines: Table,
    /// Predictions by group, transfer (branch, indirect, return).
    pub missed: Vec<[u64; 3]>,
    feed: Box<Feed<L, N>>,
    scratch: Scratch,
    avx2: bool,
}

/// Memory operands of the instance at hand.
#[derive(Debug, Default)]
struct Scratch {
    reads: Vec<Span>,
    writes: Vec<Span>,
}

/// The windows of all lanes, a batch of instances at a time.
#[derive(Debug)]
#[repr(align(64))]
struct Feed<L, const N: usize> {
    left: [Lanes<L, N>; BATCH],
    after: [Lanes<L, N>; BATCH],
    position: usize,
    length: usize,
}

impl<L: Level, const N: usize> Feed<L, N> {
    fn new() -> Self {
        Self {
            left: [Lanes::zero(); BATCH],
            after: [Lanes::zero(); BATCH],
            position: 0,
            length: 0,
        }
    }

    /// The deepest level of what left the windows before the next instance; of at least `ahead` further ones it will be asked soon.
    #[inline(always)]
    fn next(&mut self, thread: &mut Windows<L>, shortest: usize, ahead: usize) -> Lanes<L, N> {
        if N == 1 {
            return match &thread[0] {
                Some(window) => Lanes::splat(window.left()[0]),
                None => Lanes::zero(),
            };
        }
        if self.position == self.length {
            self.flush(thread);
            let count = BATCH.min(shortest).min(ahead.max(1));
            for (lane, window) in thread.iter().enumerate() {
                if let Some(window) = window {
                    for (left, &level) in self.left[..count].iter_mut().zip(window.left()) {
                        left.0[lane] = level;
                    }
                }
            }
            self.length = count;
        }
        self.left[self.position]
    }

    /// An instance was placed; the thread's deepest level is this now.
    #[inline(always)]
    fn push(&mut self, thread: &mut Windows<L>, deepest: Lanes<L, N>) {
        if N == 1 {
            if let Some(window) = &mut thread[0] {
                window.push(deepest.0[0]);
            }
            return;
        }
        self.after[self.position] = deepest;
        self.position += 1;
    }

    /// Puts into the windows what was not yet.
    #[inline(always)]
    fn flush(&mut self, thread: &mut Windows<L>) {
        for (lane, window) in thread.iter_mut().enumerate() {
            if let Some(window) = window {
                window.extend(
                    self.after[..self.position]
                        .iter()
                        .map(|after| after.0[lane]),
                );
            }
        }
        self.position = 0;
        self.length = 0;
    }
}

type Windows<L> = [Option<Window<L>>];

impl<L: Level, const N: usize, C: MemoryCell<L, N>> Graph<L, N, C> {
    /// A graph without anything.
    pub fn new(tables: Tables<L, N>, profiles: usize) -> Self {
        Self {
            well: Well::new(),
            bins: (0..profiles).map(|_| Bins::new()).collect(),
            occupancy: tables.units.iter().map(Occupancy::new).collect(),
            values: Live::new(),
            stores: Lanes::zero(),
            accesses: Lanes::zero(),
            census: Box::new([0; LATENCIES]),
            repeated_instances: 0,
            repeated_operations: 0,
            system_calls: 0,
            routines: Table::default(),
            missed: vec![[0; 3]; tables.predictions.len()],
            feed: Box::new(Feed::new()),
            scratch: Scratch::default(),
            avx2: is_x86_feature_detected!("avx2"),
            tables,
        }
    }

    /// The same with the widest levels.
    pub fn widen(self) -> Graph<u64, N, C::Wide> {
        Graph {
            tables: self.tables.widen(),
            well: self.well.convert(C::widen),
            bins: self.bins,
            occupancy: self.occupancy,
            values: self.values,
            stores: self.stores.convert(),
            accesses: self.accesses.convert(),
            census: self.census,
            repeated_instances: self.repeated_instances,
            repeated_operations: self.repeated_operations,
            system_calls: self.system_calls,
            routines: self.routines,
            missed: self.missed,
            feed: Box::new(Feed::new()),
            scratch: Scratch::default(),
            avx2: self.avx2,
        }
    }

    /// A thread executes a block.
    #[inline(always)]
    pub fn run(&mut self, thread: &mut Thread<L, N>, block: &Compiled, addresses: &[u64]) {
        if N > 1 && self.avx2 {
            // SAFETY: `avx2` says that the processor has it.
            unsafe { self.run_avx2(thread, block, addresses) }
        } else {
            self.run_windows(thread, block, addresses);
        }
    }

    #[target_feature(enable = "avx2")]
    fn run_avx2(&mut self, thread: &mut Thread<L, N>, block: &Compiled, addresses: &[u64]) {
        self.run_windows(thread, block, addresses);
    }

    #[inline(always)]
    fn run_windows(&mut self, thread: &mut Thread<L, N>, block: &Compiled, addresses: &[u64]) {
        if self.tables.any_windows {
            self.run_block::<true>(thread, block, addresses);
        } else {
            self.run_block::<false>(thread, block, addresses);
        }
    }

    #[inline(always)]
    fn run_block<const WINDOWS: bool>(
        &mut self,
        thread: &mut Thread<L, N>,
        block: &Compiled,
        addresses: &[u64],
    ) {
        let mut addresses = addresses.iter();
        let mut address = || *addresses.next().expect("an address for each slot");
        let mut deepest = thread.deepest;
        let mut firewall = thread.firewall;
        let active = thread.active;
        let mut level = Lanes::zero();
        for op in &block.ops {
            let levels = &mut thread.levels.0;
            let cell = |index: u8| usize::from(index);
            if op.shape == Shape::Copy {
                levels[cell(op.writes[0])] = levels[cell(op.reads[0])];
                continue;
            }
            if op.shape == Shape::General {
                thread.firewall = firewall;
                thread.deepest = deepest;
                let general = &block.generals[op.general as usize];
                level = self.general::<WINDOWS>(thread, general, &mut address);
                firewall = thread.firewall;
                deepest = thread.deepest;
                continue;
            }
            if WINDOWS {
                let left = self.feed.next(
                    &mut thread.windows,
                    self.tables.shortest_window,
                    block.executed as usize,
                );
                firewall = firewall.max(left);
            }
            let [a, b, c, d] = op.reads.map(|index| levels[cell(index)]);
            let mut start = firewall.max(a).max(b).max(c.max(d));
            let span = if op.shape == Shape::Plain {
                Span {
                    address: 0,
                    size: 0,
                }
            } else {
                Span {
                    address: address(),
                    size: u64::from(op.size),
                }
            };
            if op.shape == Shape::Load || op.shape == Shape::Modify {
                self.well.look(span, |cell| start = start.max(cell.level()));
            }
            let steps = self.tables.latency[usize::from(op.latency) % LATENCIES];
            level = start.plus(steps.and(active));
            deepest = deepest.max(level);
            levels[cell(op.writes[0])] = level;
            levels[cell(op.writes[1])] = level;
            if op.shape == Shape::Store || op.shape == Shape::Modify {
                self.well
                    .change(span, |cell, _| *cell = C::written(level, 0));
            }
            self.profile(level, op.latency, op.kind);
            if WINDOWS {
                self.feed.push(&mut thread.windows, deepest);
            }
        }
        if WINDOWS && N > 1 {
            self.feed.flush(&mut thread.windows);
        }
        thread.deepest = deepest;
        thread.firewall = firewall;
        thread.last_level = level;
    }

    /// Counts an instance in the profiles.
    #[inline(always)]
    fn profile(&mut self, level: Lanes<L, N>, latency: u8, kind: u8) {
        let counted = self.tables.counted[usize::from(latency) % LATENCIES];
        for (lane, bins) in self.bins.iter_mut().enumerate().take(N) {
            if counted >> lane & 1 == 1 {
                bins.add(level.0[lane].number(), kind);
            }
        }
    }

    /// All instances of an instruction of any kind; `address` gives the addresses of its slots. Returns the level of the last one.
    #[inline(always)]
    fn general<const WINDOWS: bool>(
        &mut self,
        thread: &mut Thread<L, N>,
        general: &General,
        address: &mut impl FnMut() -> u64,
    ) -> Lanes<L, N> {
        for &(from, to) in &general.copies {
            let (from, to) = (usize::from(from), usize::from(to));
            thread.levels.0[to] = thread.levels.0[from];
            if C::READERS {
                thread.used.0[to] = thread.used.0[from];
            }
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.reads.clear();
        scratch.writes.clear();
        let announced = thread
            .announced
            .iter()
            .position(|announced| announced.instruction == general.position)
            .map(|found| thread.announced.swap_remove(found).operands);
        for slot in &general.slots {
            let address = address();
            scratch.add(general.slots_of(slot, address));
        }
        let kernel = if general.system {
            thread.kernel.take()
        } else {
            None
        };
        let mut iterations = 1;
        let mut first: (Vec<u64>, i64) = (Vec::new(), 0);
        match announced {
            None => {}
            Some(Operands::Spans { reads, writes }) => {
                scratch.reads.clear();
                scratch.writes.clear();
                scratch
                    .reads
                    .extend(reads.iter().filter(|span| span.size > 0));
                scratch
                    .writes
                    .extend(writes.iter().filter(|span| span.size > 0));
            }
            Some(Operands::Repeat {
                iterations: count,
                addresses,
                step,
            }) => {
                scratch.reads.clear();
                scratch.writes.clear();
                iterations = count;
                first = (addresses, step);
            }
        }
        let index = usize::from(latency_index(general.class, general.creates, false));
        let repeated = iterations.max(1) - 1;
        self.census[index] += repeated;
        self.repeated_instances += repeated;
        self.repeated_operations += repeated * u64::from(self.tables.counted[index] & 1);
        let mut level = Lanes::zero();
        for iteration in 0..iterations.max(1) {
            if iterations > 0 && !first.0.is_empty() {
                scratch.reads.clear();
                scratch.writes.clear();
                let moved = (iteration as i64).wrapping_mul(first.1);
                for (slot, address) in general.slots.iter().zip(&first.0) {
                    scratch.add(general.slots_of(slot, address.wrapping_add_signed(moved)));
                }
            }
            if WINDOWS {
                let shortest = self.tables.shortest_window;
                let left = self.feed.next(&mut thread.windows, shortest, 8);
                thread.firewall = thread.firewall.max(left);
            }
            level = self.instance(thread, general, &scratch, kernel.as_ref());
            if WINDOWS {
                self.feed.push(&mut thread.windows, thread.deepest);
            }
        }
        self.scratch = scratch;
        level
    }

    /// One instance of an instruction of any kind.
    #[inline(always)]
    fn instance(
        &mut self,
        thread: &mut Thread<L, N>,
        general: &General,
        operands: &Scratch,
        kernel: Option<&KernelSpans>,
    ) -> Lanes<L, N> {
        let tables = &self.tables;
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
            self.values.begin();
        }
        let mut start = thread.firewall;
        for &cell in &general.reads {
            start = start.max(thread.levels.0[place(cell)]);
        }
        for &span in reads() {
            if C::VALUES {
                let values = &mut self.values;
                self.well.look(span, |cell| {
                    start = start.max(cell.level());
                    values.read(cell.value());
                });
            } else {
                self.well.look(span, |cell| start = start.max(cell.level()));
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
                    self.well
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
        let index = latency_index(general.class, general.creates, memory_source);
        let steps = tables.latency[usize::from(index) % LATENCIES].and(thread.active);
        if tables.any_units {
            for (lane, occupancy) in self.occupancy.iter_mut().enumerate() {
                if steps.0[lane] != L::default() {
                    let first = occupancy.take(general.class, start.0[lane].number());
                    start.0[lane] = L::new(first);
                }
            }
        }
        let level = start.plus(steps);
        thread.deepest = thread.deepest.max(level);

        if C::READERS {
            for &cell in &general.reads {
                let used = &mut thread.used.0[place(cell)];
                *used = used.max(level);
            }
            for &span in reads() {
                self.well.change(span, |cell, _| cell.read(level));
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
            thread.levels.0[place(cell)] = left;
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
                    self.well.change(piece, |cell, bytes| {
                        values.overwrite(cell.value(), bytes);
                        *cell = C::written(left, value);
                    });
                }
            }
        } else {
            for &span in writes() {
                self.well
                    .change(span, |cell, _| *cell = C::written(left, 0));
            }
        }
        if general.system {
            self.system_calls += 1;
            thread.firewall = thread.firewall.max(thread.deepest.and(tables.conservative));
        }
        thread.x87_top = top.wrapping_add_signed(general.x87_move) % 8;
        self.profile(level, index, general.class.kind() as u8);
        level
    }
}

impl General {
    fn slots_of(&self, slot: &parascan_isa::Slot, address: u64) -> (Span, bool, bool) {
        let span = Span {
            address,
            size: u64::from(slot.size),
        };
        (span, slot.read, slot.write)
    }
}

impl Scratch {
    fn add(&mut self, (span, read, write): (Span, bool, bool)) {
        if span.size > 0 && read {
            self.reads.push(span);
        }
        if span.size > 0 && write {
            self.writes.push(span);
        }
    }
}

/// The parts of a span below, within and above the stack, and whether they are within it.
fn by_stack(span: Span, stack: Span) -> impl Iterator<Item = (Span, bool)> {
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
            (Span { address, size }, is_stack)
        })
}

/// The span in pieces that are a value each.
fn chunks(span: Span) -> impl Iterator<Item = Span> {
    let end = span.address.saturating_add(span.size);
    (0..span.size.div_ceil(PIECE)).filter_map(move |piece| {
        let address = span.address.checked_add(piece * PIECE)?;
        let size = PIECE.min(end.checked_sub(address)?);
        (size > 0).then_some(Span { address, size })
    })
}

const _: () = assert!(TRASH as usize == super::compile::CELLS - 1);
