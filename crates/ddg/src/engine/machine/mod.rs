//! A machine: compiles blocks, follows threads and their control transfers, and lets a graph place what they execute.

mod between;
mod outcomes;

use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

use super::calls::Measure;
use super::cell::MemoryCell;
use super::compile::{Compiled, Style};
use super::exit::Exit;
use super::graph::GrowingGraph;
use super::lanes::Level;
use super::links::Links;
use super::native::{self, NativeCompiler};
use super::paths::{self, CompiledPath, Lookup, Paths};
use super::quick::QuickBlock;
use super::tables::ModelTables;
use super::thread::Thread;
use super::values::FollowOptions;
use crate::announced::AnnouncedOperands;
use crate::error::StreamError;
use crate::event::{Event, Executed, MemorySpan, ThreadId};
use crate::model::{Induction, MachineModel};
use crate::program::{Block, BlockId, Program, RoutineId};
use crate::result::ModelFigures;
use between::{arrive, check, ended, may_call, predict};

/// Most states of registers for which a block is kept compiled.
const VARIANTS: usize = 8;

/// A path is made machine code after so many times as many executions as a block: there are more of them.
const PATH: u64 = 4;

/// So many addresses ahead the processor is told to fetch what is known of the memory there. Measured: 8 to 64 are the
/// same.
const AHEAD: usize = 16;

/// What changes how a machine works, but not what it finds.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// Levels beyond this are kept in wider numbers.
    pub limit: u64,
    /// Blocks are made machine code after so many executions.
    pub hot: u64,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            limit: u64::MAX,
            hot: 300,
        }
    }
}

/// One or more models in lanes of levels of one type, or one model's calls.
pub struct Machine<L: Level, const N: usize, C> {
    names: Vec<String>,
    measure: Option<Measure>,
    /// Whether it matters which routine an instruction belongs to.
    flows: bool,
    graph: GrowingGraph<L, N, C>,
    style: Style,
    /// Makes machine code of blocks.
    native: Option<Box<NativeCompiler>>,
    /// After so many executions.
    hot: u64,
    blocks: Vec<Option<BlockVariants>>,
    /// By block, too.
    quick: Vec<QuickBlock>,
    paths: Paths,
    /// How often each compiled block was executed since that was last put to the census, by number.
    executions: Vec<u64>,
    /// Redefinitions of the program that were looked at.
    redefined: usize,
    threads: Vec<Option<Box<Thread<L, N>>>>,
    /// No level is larger, now.
    bound: u64,
    /// Largest level that this type may hold.
    limit: u64,
    /// Transfers of control that led to a block, by [`Exit`].
    exits: [u64; 8],
    instructions: u64,
}

/// A block, and what it was compiled to.
struct BlockVariants {
    address: u64,
    routine: RoutineId,
    entry: bool,
    variants: Vec<Compiled>,
    next: usize,
}

impl BlockVariants {
    fn new(block: &Block) -> Self {
        Self {
            address: block
                .instructions
                .first()
                .map_or(0, |placed| placed.address),
            routine: block.routine,
            entry: block.entry,
            variants: Vec::new(),
            next: 0,
        }
    }
}

/// What a machine could not do because its levels are too narrow.
#[derive(Debug)]
pub enum NarrowLevels {
    /// The stream is wrong.
    Stream(StreamError),
    /// Levels may become too large; the event had no effect.
    Narrow,
}

impl From<StreamError> for NarrowLevels {
    fn from(error: StreamError) -> Self {
        Self::Stream(error)
    }
}

/// A machine of any kind.
pub trait AnyMachine: Send {
    /// See [`super::Engine::event`].
    fn event(
        &mut self,
        program: &Program,
        thread: ThreadId,
        event: &Event<'_>,
    ) -> Result<(), NarrowLevels>;
    /// Takes in blocks of a thread from the front, and their addresses, as far as that goes: up to the one that fails.
    fn blocks(
        &mut self,
        program: &Program,
        thread: ThreadId,
        blocks: &mut &[Executed],
        addresses: &mut &[u64],
    ) -> Result<(), NarrowLevels>;
    /// The same machine with the widest levels.
    fn widen(self: Box<Self>) -> Box<dyn AnyMachine>;
    /// What was found, one for each model.
    fn finish(self: Box<Self>) -> Vec<ModelFigures>;
}

impl<L: Level, const N: usize, C: MemoryCell<L, N>> Machine<L, N, C> {
    /// A machine for at most `N` models that agree on stack pointer and induction variables, or for the calls of one
    /// model.
    pub fn new(
        models: &[MachineModel],
        measure: Option<Measure>,
        following: FollowOptions,
        tuning: Tuning,
    ) -> Self {
        let lanes = match &measure {
            Some(measure) => vec![models[0].clone(); measure.lanes],
            None => models.to_vec(),
        };
        let tables = ModelTables::new(&lanes);
        let profiles = measure.is_none();
        let native = NativeCompiler::new::<L, N, C>(&tables, profiles).map(Box::new);
        Self {
            // Where transfers are predicted, there is something to do between blocks.
            paths: Paths::new(
                native.is_some() && tables.predictions.is_empty(),
                tuning.hot.saturating_mul(PATH),
            ),
            native,
            hot: tuning.hot,
            names: models.iter().map(|model| model.name.clone()).collect(),
            style: Style {
                general: C::READERS
                    || C::VALUES
                    || tables.any_units
                    || tables.any_physical
                    || tables.any_one_location,
                readers: C::READERS,
                separate: false,
                stack_pointer: models[0].stack_pointer,
                breaks: models[0].induction == Induction::Break,
            },
            measure,
            flows: following.flows,
            graph: GrowingGraph::new(tables, profiles, following),
            blocks: Vec::new(),
            quick: Vec::new(),
            executions: Vec::new(),
            redefined: 0,
            threads: Vec::new(),
            bound: 0,
            limit: tuning.limit.min(L::LARGEST),
            exits: [0; 8],
            instructions: 0,
        }
    }

    fn thread(&mut self, id: ThreadId) -> Result<&mut Thread<L, N>, StreamError> {
        let index = id.0 as usize;
        if index >= self.threads.len() {
            self.threads.resize_with(index + 1, || None);
        }
        let tables = &self.graph.tables;
        let thread = self.threads[index].get_or_insert_with(|| Box::new(Thread::new(tables, id)));
        if thread.state.ended {
            return Err(StreamError::Ended { thread: id });
        }
        Ok(thread)
    }

    /// Forgets what was compiled of blocks that were defined again.
    fn refresh(&mut self, program: &Program) {
        if self.redefined != program.redefined().len() {
            self.retire_paths();
        }
        for id in &program.redefined()[self.redefined..] {
            if let Some(known) = self.blocks.get_mut(id.0 as usize).and_then(Option::take) {
                self.quick[id.0 as usize] = QuickBlock::NONE;
                for variant in &known.variants {
                    self.retire(variant);
                }
            }
        }
        self.redefined = program.redefined().len();
    }

    /// Which of a block's variants a thread executes, if that can be seen at once.
    #[inline(always)]
    fn ready(
        &self,
        program: &Program,
        thread: ThreadId,
        block: BlockId,
        executed: u32,
    ) -> Option<usize> {
        let known = self.blocks.get(block.0 as usize)?.as_ref()?;
        let state = &self.threads.get(thread.0 as usize)?.as_ref()?.state;
        if self.redefined != program.redefined().len() || state.special {
            return None;
        }
        let fits = |variant: &Compiled| variant.fits(state.links, executed, false);
        known.variants.iter().position(fits)
    }

    /// The same, when there is more to see to.
    #[cold]
    #[inline(never)]
    fn prepare(
        &mut self,
        program: &Program,
        id: ThreadId,
        block_id: BlockId,
        executed: u32,
        given: usize,
    ) -> Result<usize, NarrowLevels> {
        let chosen = self.choose(program, id, block_id, executed)?;
        let (Some(Some(known)), Some(Some(thread))) = (
            self.blocks.get(block_id.0 as usize),
            self.threads.get(id.0 as usize),
        ) else {
            unreachable!("both are there");
        };
        let variant = &known.variants[chosen];
        if thread.state.special && variant.slots == given {
            let instances = check(&thread.state, variant, program, id, block_id)?;
            let rise = instances.saturating_mul(self.graph.tables.slowest);
            let whole = rise.saturating_add(variant.rise);
            if self.bound.saturating_add(whole) > self.limit && !self.has_room(whole) {
                return Err(NarrowLevels::Narrow);
            }
            self.bound = self.bound.saturating_add(rise);
        }
        Ok(chosen)
    }

    /// Finds the variant of a block for a thread, or makes it.
    fn choose(
        &mut self,
        program: &Program,
        id: ThreadId,
        block_id: BlockId,
        executed: u32,
    ) -> Result<usize, StreamError> {
        self.thread(id)?;
        self.refresh(program);
        let block = program.block(block_id).ok_or(StreamError::UndefinedBlock {
            thread: id,
            block: block_id,
        })?;
        let index = block_id.0 as usize;
        if index >= self.blocks.len() {
            self.blocks.resize_with(index + 1, || None);
            self.quick.resize(index + 1, QuickBlock::NONE);
        }
        let known = self.blocks[index].get_or_insert_with(|| BlockVariants::new(block));
        if executed as usize > block.instructions.len() {
            return Err(StreamError::Executed {
                thread: id,
                block: block_id,
                executed,
                instructions: block.instructions.len(),
            });
        }
        let Some(thread) = &self.threads[id.0 as usize] else {
            unreachable!("it was made above");
        };
        let links = thread.state.links;
        let announced = !thread.state.announced.is_empty() || thread.state.kernel.is_some();
        let fits = |variant: &Compiled| variant.fits(links, executed, announced);
        if let Some(chosen) = known.variants.iter().position(fits) {
            return Ok(chosen);
        }
        let style = Style {
            general: self.style.general || announced,
            separate: announced,
            ..self.style
        };
        let mut variant = Compiled::new(block, executed, links, style, &self.graph.tables);
        variant.number = self.executions.len() as u32;
        self.executions.push(0);
        if known.variants.len() < VARIANTS {
            known.variants.push(variant);
            return Ok(known.variants.len() - 1);
        }
        let place = known.next % VARIANTS;
        known.next += 1;
        let old = std::mem::replace(&mut known.variants[place], variant);
        self.quick[index] = QuickBlock::NONE;
        self.retire(&old);
        Ok(place)
    }

    /// Counts the executions of all paths, and forgets them.
    fn retire_paths(&mut self) {
        for path in self.paths.clear() {
            let executions = self.retire(&path.compiled);
            for exit in path.exits {
                self.exits[exit as usize] += executions;
            }
        }
    }

    /// Counts the executions of what was compiled, and returns how many there were.
    fn retire(&mut self, block: &Compiled) -> u64 {
        let executions = std::mem::take(&mut self.executions[block.number as usize]);
        for &(index, count) in &block.census {
            self.graph.shared.census[usize::from(index)] += executions * u64::from(count);
        }
        self.instructions += executions * u64::from(block.executed);
        executions
    }

    /// Runs blocks for which there is code, as long as nothing is to be done between them.
    #[inline(never)]
    fn run_quickly(
        &mut self,
        program: &Program,
        id: ThreadId,
        blocks: &mut &[Executed],
        addresses: &mut &[u64],
    ) {
        let Some(Some(thread)) = self.threads.get_mut(id.0 as usize) else {
            return;
        };
        let measured = self.measure.is_some();
        let predicts = !self.graph.tables.predictions.is_empty();
        if thread.state.special
            || self.redefined != program.redefined().len()
            || measured && thread.state.calls.is_empty()
        {
            return;
        }
        let mut links = thread.state.links;
        let mut exit = thread.state.last.exit;
        let mut bound = self.bound;
        let mut operations = 0;
        let mut last: Option<Executed> = None;
        let mut hot = None;
        // Cells of one lane are small, and mostly near: telling takes as long as it saves.
        let fetches = N > 1 && self.graph.shared.memory.is_large();
        while let Some(block) = blocks.first() {
            // A path whose first block has no code yet has none either.
            if self
                .quick
                .get(block.id.0 as usize)
                .is_none_or(QuickBlock::is_none)
            {
                break;
            }
            let mut count = 1;
            let (quick, code) = match self.paths.find(blocks) {
                Lookup::Code(quick) if let Some(code) = quick.code_in(links) => {
                    count = paths::LENGTH;
                    (quick, code)
                }
                Lookup::Hot(key) => {
                    hot = Some(key);
                    break;
                }
                _ => {
                    let Some(quick) = self.quick.get(block.id.0 as usize) else {
                        break;
                    };
                    let Some(code) = quick.code(links, block) else {
                        break;
                    };
                    (quick, code)
                }
            };
            let Some((these, more)) = addresses.split_at_checked(quick.slots()) else {
                break;
            };
            let rise = bound.saturating_add(u64::from(quick.rise));
            if rise > self.limit {
                break;
            }
            bound = rise;
            if fetches {
                for &address in more.iter().skip(AHEAD).take(these.len()) {
                    self.graph.shared.memory.fetch(address);
                }
            }
            if predicts
                && exit.is_predicted()
                && let Some(Some(known)) = self.blocks.get(block.id.0 as usize)
            {
                if let Some(last) = &last {
                    thread.state.last = ended(program, last);
                }
                predict(&mut thread.state, &mut self.graph, known.address);
            }
            if let Some(measure) = &self.measure
                && may_call(exit, quick.entry)
            {
                let state = &mut thread.state;
                state.operations += std::mem::take(&mut operations);
                if let Some(last) = &last {
                    state.last = ended(program, last);
                }
                if let Some(Some(known)) = self.blocks.get(block.id.0 as usize) {
                    arrive(state, measure, &mut self.graph.shared.routines, known);
                }
            }
            let (now, rest) = blocks.split_at(count);
            self.exits[exit as usize] += 1;
            self.executions[quick.number as usize] += 1;
            // SAFETY: the code was compiled for this machine, and there is an address for each slot.
            unsafe {
                native::run(
                    code,
                    &self.graph.tables,
                    &mut self.graph.shared,
                    thread,
                    these,
                )
            };
            links = quick.after(links);
            exit = quick.exit;
            operations += u64::from(quick.operations);
            last = now.last().copied();
            *blocks = rest;
            *addresses = more;
        }
        self.bound = bound;
        let state = &mut thread.state;
        state.links = links;
        state.operations += operations;
        if let Some(last) = &last {
            state.last = ended(program, last);
        }
        if let Some(key) = hot {
            self.make(program, &key, links);
        }
    }

    /// Makes machine code of a path that is entered in this state of the registers.
    #[cold]
    #[inline(never)]
    fn make(&mut self, program: &Program, key: &paths::PathKey, links: Links) {
        let measured = self.measure.is_some();
        let routine = program.block(key[0].id).map(|first| first.routine);
        // The joined block has one routine only.
        let flows = self.flows;
        let same = |next: &Block| !flows || Some(next.routine) == routine;
        let may =
            |exit: Exit, next: &Block| same(next) && !(measured && may_call(exit, next.entry));
        let made = paths::joined(program, key, may).and_then(|(block, exits)| {
            let executed = block.instructions.len() as u32;
            let GrowingGraph { tables, shared, .. } = &mut self.graph;
            let mut compiled = Compiled::new(&block, executed, links, self.style, tables);
            let native = self.native.as_mut()?;
            compiled.number = self.executions.len() as u32;
            compiled.code = native.compile(&compiled, tables, shared, measured);
            let quick = QuickBlock::new(&compiled, block.entry)?;
            self.executions.push(0);
            Some((CompiledPath { compiled, exits }, quick))
        });
        self.paths.set(key, made);
    }

    /// Whether levels stay within the limit when they rise so much.
    fn has_room(&mut self, rise: u64) -> bool {
        let deepest = self
            .threads
            .iter()
            .flatten()
            .flat_map(|thread| thread.state.deepest.0)
            .map(Level::number)
            .max();
        self.bound = deepest.unwrap_or(0);
        self.bound.saturating_add(rise) <= self.limit
    }

    /// Has the processor fetch what is known of blocks, because it will soon be looked at: many blocks of a short run
    /// are executed so seldom that they are far away in memory.
    #[inline(always)]
    fn fetch(&self, blocks: &[Executed]) {
        // SAFETY: this reads nothing.
        let fetch = |line: *const u8| unsafe { _mm_prefetch::<_MM_HINT_T0>(line.cast()) };
        let known = |ahead: usize| self.blocks.get(blocks.get(ahead)?.id.0 as usize);
        if let Some(block) = known(3) {
            fetch((&raw const *block).cast());
        }
        if let Some(Some(block)) = known(1) {
            let variants: *const u8 = block.variants.as_ptr().cast();
            for line in 0..size_of::<Compiled>().div_ceil(64) {
                fetch(variants.wrapping_add(64 * line));
            }
        }
        if let Some(Some(block)) = known(0)
            && let Some(variant) = block.variants.first()
        {
            fetch(variant.ops.as_ptr().cast());
            fetch(variant.ops.as_ptr().cast::<u8>().wrapping_add(64));
        }
    }

    /// Levels may be beyond the limit: looks again, where they are.
    #[cold]
    #[inline(never)]
    fn full(
        &mut self,
        program: &Program,
        thread: ThreadId,
        id: BlockId,
        executed: u32,
        addresses: &[u64],
        rise: u64,
    ) -> Result<(), NarrowLevels> {
        if !self.has_room(rise) {
            return Err(NarrowLevels::Narrow);
        }
        let event = Event::Block {
            id,
            executed,
            addresses,
        };
        AnyMachine::event(self, program, thread, &event)
    }

    #[inline(always)]
    fn block(
        &mut self,
        program: &Program,
        id: ThreadId,
        block_id: BlockId,
        executed: u32,
        addresses: &[u64],
    ) -> Result<(), NarrowLevels> {
        let chosen = match self.ready(program, id, block_id, executed) {
            Some(chosen) => chosen,
            None => self.prepare(program, id, block_id, executed, addresses.len())?,
        };
        let (Some(Some(known)), Some(Some(thread))) = (
            self.blocks.get_mut(block_id.0 as usize),
            self.threads.get_mut(id.0 as usize),
        ) else {
            unreachable!("both are there");
        };
        let variant = &known.variants[chosen];
        if variant.slots != addresses.len() {
            let error = StreamError::Addresses {
                thread: id,
                block: block_id,
                given: addresses.len(),
                slots: variant.slots,
            };
            return Err(error.into());
        }
        let bound = self.bound.saturating_add(variant.rise);
        if bound > self.limit {
            let rise = variant.rise;
            return self.full(program, id, block_id, executed, addresses, rise);
        }
        self.bound = bound;
        let state = &mut thread.state;

        self.exits[state.last.exit as usize] += 1;
        if !self.graph.tables.predictions.is_empty() {
            predict(state, &mut self.graph, known.address);
        }
        if let Some(measure) = &self.measure {
            arrive(state, measure, &mut self.graph.shared.routines, known);
            state.operations += variant.operations;
            state.interrupted = false;
        }
        let entry = known.entry;
        let variant = &mut known.variants[chosen];
        let repeated = self.graph.shared.repeated_operations;
        match variant.code {
            // SAFETY: the code was compiled below, for this machine; there are as many addresses as slots, see above.
            Some(code) => unsafe {
                native::run(
                    code,
                    &self.graph.tables,
                    &mut self.graph.shared,
                    thread,
                    addresses,
                );
            },
            None => {
                self.graph.run(thread, variant, addresses);
                if self.executions[variant.number as usize] == self.hot
                    && let Some(native) = &mut self.native
                {
                    let GrowingGraph { tables, shared, .. } = &mut self.graph;
                    variant.code = native.compile(variant, tables, shared, self.measure.is_some());
                }
            }
        }
        let state = &mut thread.state;
        state.operations += self.graph.shared.repeated_operations - repeated;
        state.special = false;
        self.executions[variant.number as usize] += 1;
        if variant.code.is_some()
            && self.quick[block_id.0 as usize].number != variant.number
            && let Some(quick) = QuickBlock::new(variant, entry)
        {
            self.quick[block_id.0 as usize] = quick;
        }
        state.links = variant.after(state.links);
        state.last = variant.last;
        Ok(())
    }
}

impl<L: Level, const N: usize, C: MemoryCell<L, N>> AnyMachine for Machine<L, N, C> {
    fn event(
        &mut self,
        program: &Program,
        id: ThreadId,
        event: &Event<'_>,
    ) -> Result<(), NarrowLevels> {
        if let Event::Block {
            id: block,
            executed,
            addresses,
        } = *event
        {
            return self.block(program, id, block, executed, addresses);
        }
        let thread = &mut self.thread(id)?.state;
        thread.special = true;
        match *event {
            Event::Block { .. } => {}
            Event::Repeat { .. } | Event::Operands { .. } => {
                let announced = AnnouncedOperands::of(event, <[MemorySpan]>::to_vec);
                thread.announced.extend(announced);
            }
            Event::Kernel { reads, writes } => {
                let (known_reads, known_writes) = thread.kernel.get_or_insert_default();
                known_reads.extend_from_slice(reads);
                known_writes.extend_from_slice(writes);
            }
            Event::Stack { bounds } => thread.stack = bounds,
            Event::Interrupted => thread.interrupt(),
            Event::End => {
                thread.ended = true;
                self.end(id.0 as usize);
            }
        }
        Ok(())
    }

    fn blocks(
        &mut self,
        program: &Program,
        thread: ThreadId,
        blocks: &mut &[Executed],
        addresses: &mut &[u64],
    ) -> Result<(), NarrowLevels> {
        loop {
            self.run_quickly(program, thread, blocks, addresses);
            let Some((
                &Executed {
                    id,
                    executed,
                    addresses: count,
                },
                rest,
            )) = blocks.split_first()
            else {
                return Ok(());
            };
            let (these, more) = addresses.split_at(addresses.len().min(count as usize));
            self.fetch(rest);
            self.block(program, thread, id, executed, these)?;
            *blocks = rest;
            *addresses = more;
        }
    }

    fn widen(mut self: Box<Self>) -> Box<dyn AnyMachine> {
        self.retire_paths();
        for known in self.blocks.iter_mut().flatten() {
            for variant in &mut known.variants {
                variant.code = None;
            }
        }
        let machine: Machine<u64, N, C::Wide> = Machine {
            names: self.names,
            measure: self.measure,
            flows: self.flows,
            graph: self.graph.widen(),
            style: self.style,
            native: None,
            hot: self.hot,
            blocks: self.blocks,
            quick: vec![QuickBlock::NONE; self.quick.len()],
            paths: Paths::new(false, self.hot),
            executions: self.executions,
            redefined: self.redefined,
            threads: self
                .threads
                .into_iter()
                .map(|thread| thread.map(|thread| Box::new(thread.widen())))
                .collect(),
            bound: self.bound,
            limit: u64::MAX,
            exits: self.exits,
            instructions: self.instructions,
        };
        Box::new(machine)
    }

    fn finish(mut self: Box<Self>) -> Vec<ModelFigures> {
        for thread in 0..self.threads.len() {
            self.end(thread);
        }
        self.retire_paths();
        for known in std::mem::take(&mut self.blocks).iter().flatten() {
            for variant in &known.variants {
                self.retire(variant);
            }
        }
        let machine = *self;
        machine.outcomes()
    }
}
