//! Records a stretch: levels by `docs/ilp-model.md`, one instance after the other, with who held back whom.

use std::collections::HashMap;

use parascan_isa::{Control, Location};

use super::calls::Ending;
use super::graph::Collector;
use super::instance::{Instance, MOST_INSTANCES, Via};
use super::memory::{Memory, NOBODY, real};
use super::statics::{StaticId, Statics};
use super::thread::{Cell, Dynamic, Firewall, Given, GivenOperands, Operands, Thread};
use super::units::Occupancy;
use super::{Ended, Part, Recording, Settings};
use crate::error::StreamError;
use crate::event::{Event, Span, ThreadId};
use crate::model::{Memory as Disambiguation, Model, SystemCalls};
use crate::program::{Block, BlockId, Program, RoutineId};

/// Records one stretch of a stream under one model.
#[derive(Debug)]
pub struct Recorder {
    model: Model,
    part: Part,
    limit: u32,
    state: State,
    /// Instances of the stream, or calls of the routine, so far.
    seen: u64,
    threads: HashMap<ThreadId, Thread>,
    call: Option<(ThreadId, RoutineId)>,
    graph: Stretch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Before,
    /// All threads, or one of them as long as more than so many of its calls go on.
    Within(Option<(ThreadId, usize)>),
    After(Ended),
}

/// What is within the stretch.
#[derive(Debug)]
struct Stretch {
    instances: Vec<Instance>,
    statics: Statics,
    memory: Memory,
    units: Occupancy,
    /// The stores and loads that hold back others where memory is one location.
    deepest_store: u32,
    deepest_load: u32,
    edges: Option<Collector>,
    /// Buffers of one instance, kept to be used again.
    operands: Operands,
    found: Vec<u32>,
    places: (Vec<Location>, Vec<Location>),
}

impl Recorder {
    /// A recorder that has seen nothing.
    pub fn new(model: &Model, settings: &Settings) -> Self {
        let readers = !(model.rename.stack && model.rename.memory);
        Self {
            model: model.clone(),
            part: settings.part,
            limit: settings.limit.min(MOST_INSTANCES),
            state: match settings.part {
                Part::Instances { skip: 0, .. } => State::Within(None),
                _ => State::Before,
            },
            seen: 0,
            threads: HashMap::new(),
            call: None,
            graph: Stretch {
                instances: Vec::new(),
                statics: Statics::default(),
                memory: Memory::new(readers),
                units: Occupancy::new(&model.units),
                deepest_store: NOBODY,
                deepest_load: NOBODY,
                edges: settings.graph.as_ref().map(Collector::new),
                operands: Operands::default(),
                found: Vec::new(),
                places: (Vec::new(), Vec::new()),
            },
        }
    }

    /// Whether the stretch is over: events need no longer be given.
    pub fn is_done(&self) -> bool {
        matches!(self.state, State::After(_))
    }

    /// Takes the next event of the stream.
    ///
    /// # Errors
    /// When the event does not fit the program or what came before.
    pub fn event(
        &mut self,
        program: &Program,
        thread: ThreadId,
        event: Event<'_>,
    ) -> Result<(), StreamError> {
        if self.is_done() {
            return Ok(());
        }
        let state = self
            .threads
            .entry(thread)
            .or_insert_with(|| Thread::new(&self.model));
        if state.ended {
            return Err(StreamError::Ended { thread });
        }
        match event {
            Event::Block {
                id,
                executed,
                addresses,
            } => return self.block(program, thread, id, executed, addresses),
            Event::Repeat {
                instruction,
                iterations,
                addresses,
                step,
            } => state.given.instructions.push(GivenOperands {
                instruction,
                what: Dynamic::Repeat {
                    iterations,
                    addresses: addresses.to_vec(),
                    step,
                },
            }),
            Event::Operands {
                instruction,
                reads,
                writes,
            } => state.given.instructions.push(GivenOperands {
                instruction,
                what: Dynamic::Spans {
                    reads: spans(reads),
                    writes: spans(writes),
                },
            }),
            Event::Kernel { reads, writes } => {
                let kernel = state.given.kernel.get_or_insert_default();
                kernel.0.extend(spans(reads));
                kernel.1.extend(spans(writes));
            }
            Event::Stack { bounds } => state.stack = Some(bounds),
            Event::Interrupted => state.signal = true,
            Event::End => {
                state.ended = true;
                if let State::Within(Some((own, _))) = self.state
                    && own == thread
                {
                    self.state = State::After(Ended::Complete);
                }
            }
        }
        Ok(())
    }

    /// The stream is over.
    pub fn finish(self) -> Recording {
        let ended = match self.state {
            State::Before => Ended::NotReached { seen: self.seen },
            State::Within(_) => Ended::WithStream,
            State::After(ended) => ended,
        };
        let graph = self
            .graph
            .edges
            .map(|edges| edges.finish(&self.graph.instances));
        Recording {
            call: self.call,
            ended,
            instances: self.graph.instances,
            statics: self.graph.statics.all,
            graph,
        }
    }

    fn block(
        &mut self,
        program: &Program,
        thread: ThreadId,
        id: BlockId,
        executed: u32,
        addresses: &[u64],
    ) -> Result<(), StreamError> {
        let block = program
            .block(id)
            .ok_or(StreamError::UndefinedBlock { thread, block: id })?;
        if !self.graph.statics.know(&self.model, program, id, block) {
            self.state = State::After(Ended::AtLimit);
            return Ok(());
        }
        let mut state = self
            .threads
            .remove(&thread)
            .unwrap_or_else(|| Thread::new(&self.model));
        let result = check(thread, id, block, executed, addresses, &state.given).map(|()| {
            self.arrive(thread, &mut state, block);
            self.execute(thread, &mut state, id, block, executed as usize, addresses);
        });
        self.threads.insert(thread, state);
        result
    }

    /// A block begins: it is now known where the thread's last one led.
    fn arrive(&mut self, thread: ThreadId, state: &mut Thread, block: &Block) {
        let ending = state.ending.take();
        let signal = std::mem::take(&mut state.signal);
        if let (Some(ending), false) = (ending, signal)
            && ending.missed(&mut state.predictor, block.instructions[0].address)
            && ending.instance != NOBODY
        {
            self.graph.raise(state, ending.instance, Via::Control);
        }
        let moved = state.calls.block(block, ending, signal);
        let Part::Call {
            first,
            last,
            number,
        } = self.part
        else {
            return;
        };
        if let State::Within(Some((own, depth))) = self.state
            && own == thread
            && moved.kept <= depth
        {
            self.state = State::After(Ended::Complete);
        }
        if self.state == State::Before
            && let Some(routine) = moved
                .entered
                .filter(|entered| (first..=last).contains(entered))
        {
            self.seen += 1;
            if self.seen == number {
                self.call = Some((thread, routine));
                self.state = State::Within(Some((thread, moved.kept)));
            }
        }
    }

    fn execute(
        &mut self,
        thread: ThreadId,
        state: &mut Thread,
        id: BlockId,
        block: &Block,
        executed: usize,
        addresses: &[u64],
    ) {
        let mut given = std::mem::take(&mut state.given);
        let mut addresses = addresses.iter().copied();
        let mut instance = NOBODY;
        for (position, placed) in block.instructions[..executed].iter().enumerate() {
            let slots = &placed.instruction.slots;
            let number = self.graph.statics.number(id, position);
            let dynamic = given
                .instructions
                .iter()
                .position(|given| given.instruction as usize == position)
                .map(|found| given.instructions.swap_remove(found).what);
            let mut operands = std::mem::take(&mut self.graph.operands);
            operands.clear();
            let mut repeat = None;
            match dynamic {
                None => {
                    for (slot, address) in slots.iter().zip(&mut addresses) {
                        operands.slot(*slot, address);
                    }
                }
                Some(Dynamic::Spans { reads, writes }) => {
                    addresses.by_ref().take(slots.len()).for_each(drop);
                    operands.reads.extend(reads);
                    operands.writes.extend(writes);
                }
                Some(Dynamic::Repeat {
                    iterations,
                    addresses: first,
                    step,
                }) => {
                    addresses.by_ref().take(slots.len()).for_each(drop);
                    repeat = Some((iterations, first, step));
                }
            }
            let kernel = if placed.instruction.control == Control::System {
                given.kernel.take()
            } else {
                None
            };
            let times = repeat
                .as_ref()
                .map_or(1, |(iterations, ..)| (*iterations).max(1));
            for iteration in 0..times {
                if self.is_done() {
                    break;
                }
                if let Some((1.., first, step)) = &repeat {
                    let moved = step.wrapping_mul(iteration as i64);
                    operands.clear();
                    for (slot, address) in slots.iter().zip(first) {
                        operands.slot(*slot, address.wrapping_add_signed(moved));
                    }
                }
                instance = self.step(thread, state, number, &operands, kernel.as_ref());
            }
            state.x87_top = state
                .x87_top
                .wrapping_add_signed(placed.instruction.x87_move)
                & 7;
            self.graph.operands = operands;
        }
        if executed == block.instructions.len()
            && let Some(last) = block.instructions.last()
        {
            let after = last.address.wrapping_add(u64::from(last.length));
            if matches!(
                last.instruction.control,
                Control::Call { .. } | Control::IndirectCall
            ) {
                state.predictor.call(after);
            }
            state.ending = Some(Ending {
                address: last.address,
                after,
                control: last.instruction.control,
                instance,
            });
        }
    }

    /// One instance; its position among the recorded ones, or [`NOBODY`].
    fn step(
        &mut self,
        thread: ThreadId,
        state: &mut Thread,
        number: StaticId,
        operands: &Operands,
        kernel: Option<&(Vec<Span>, Vec<Span>)>,
    ) -> u32 {
        match (self.state, self.part) {
            (State::After(_), _) => return NOBODY,
            (State::Within(Some((own, _))), _) if own != thread => return NOBODY,
            (State::Before, Part::Call { .. }) => return NOBODY,
            (_, Part::Instances { skip, count }) => {
                self.seen += 1;
                if self.seen <= skip {
                    return NOBODY;
                }
                self.state = State::Within(None);
                if count.is_some_and(|count| self.seen - skip > count) {
                    self.state = State::After(Ended::Complete);
                    return NOBODY;
                }
            }
            _ => {}
        }
        if self.graph.instances.len() >= self.limit as usize {
            self.state = State::After(Ended::AtLimit);
            return NOBODY;
        }
        match self
            .graph
            .step(&self.model, state, number, operands, kernel)
        {
            Some(instance) => instance,
            None => {
                self.state = State::After(Ended::AtLimit);
                NOBODY
            }
        }
    }
}

/// What there is of spans; those of no bytes are none.
fn spans(spans: &[Span]) -> Vec<Span> {
    let real = spans.iter().map(|span| real(*span));
    real.filter(|span| span.size > 0).collect()
}

/// Whether a block event and what was given for it fit the block.
fn check(
    thread: ThreadId,
    id: BlockId,
    block: &Block,
    executed: u32,
    addresses: &[u64],
    given: &Given,
) -> Result<(), StreamError> {
    let instructions = block.instructions.len();
    let Some(run) = block.instructions.get(..executed as usize) else {
        return Err(StreamError::Executed {
            thread,
            block: id,
            executed,
            instructions,
        });
    };
    let slots = run
        .iter()
        .map(|placed| placed.instruction.slots.len())
        .sum();
    let counts = |given: usize, slots: usize| {
        if given == slots {
            return Ok(());
        }
        Err(StreamError::Addresses {
            thread,
            block: id,
            given,
            slots,
        })
    };
    counts(addresses.len(), slots)?;
    for (position, operands) in given.instructions.iter().enumerate() {
        let again = given.instructions[..position]
            .iter()
            .any(|other| other.instruction == operands.instruction);
        let placed = run
            .get(operands.instruction as usize)
            .filter(|_| !again)
            .ok_or(StreamError::Operands {
                thread,
                block: id,
                instruction: operands.instruction,
            })?;
        if let Dynamic::Repeat { addresses, .. } = &operands.what {
            counts(addresses.len(), placed.instruction.slots.len())?;
        }
    }
    let calls_kernel = run
        .last()
        .is_some_and(|placed| placed.instruction.control == Control::System);
    if given.kernel.is_some() && !calls_kernel {
        return Err(StreamError::Kernel { thread, block: id });
    }
    Ok(())
}

/// The largest level among what holds an instance back.
#[derive(Clone, Copy, Debug)]
struct Held {
    level: u32,
    before: u32,
    via: Via,
    /// Among equal levels: constraints of the machine, values, values of an earlier instance of the same instruction (so that a recurrence shows as itself).
    rank: u8,
}

impl Stretch {
    fn level(&self, instance: u32) -> u32 {
        self.instances[instance as usize].level
    }

    /// The instance's level becomes the least at which later ones of its thread start.
    fn raise(&self, state: &mut Thread, instance: u32, via: Via) {
        if state
            .firewall
            .is_none_or(|firewall| self.level(instance) > self.level(firewall.instance))
        {
            state.firewall = Some(Firewall { instance, via });
        }
    }

    fn deeper(&self, one: u32, other: u32) -> u32 {
        deeper(&self.instances, one, other)
    }

    /// Takes one more instance that holds back the present one, of instruction `own`.
    fn hold(&mut self, held: &mut Held, own: StaticId, by: u32, via: Via) {
        if by == NOBODY {
            return;
        }
        let producer = self.instances[by as usize];
        let rank = match via.is_data() {
            false => 1,
            true if producer.statics() != own => 2,
            true => 3,
        };
        if producer.level > held.level || (producer.level == held.level && rank > held.rank) {
            *held = Held {
                level: producer.level,
                before: by,
                via,
                rank,
            };
        }
        if let Some(edges) = &mut self.edges {
            edges.source(by, via);
        }
    }

    /// `None` if the level does not fit.
    fn step(
        &mut self,
        model: &Model,
        state: &mut Thread,
        number: StaticId,
        operands: &Operands,
        kernel: Option<&(Vec<Span>, Vec<Span>)>,
    ) -> Option<u32> {
        let present = self.instances.len() as u32;
        let facts = &self.statics.all[number.index()];
        let (class, control, counted) = (
            facts.instruction.class,
            facts.instruction.control,
            facts.counted,
        );
        let mut steps = facts.steps;
        if !operands.reads.is_empty() {
            steps += facts.load_steps;
        }
        let mut found = std::mem::take(&mut self.found);
        let (mut reads, mut writes) = std::mem::take(&mut self.places);
        reads.clear();
        reads.extend(facts.instruction.reads.iter().map(|l| state.place(*l)));
        writes.clear();
        writes.extend(facts.instruction.writes.iter().map(|l| state.place(*l)));
        let system = control == Control::System;
        // An optimistic system call modifies nothing.
        let vanishes = system && model.system_calls == SystemCalls::Optimistic;
        let one_location = model.memory == Disambiguation::None;
        let (kernel_reads, kernel_writes) =
            kernel.map_or((&[][..], &[][..]), |(reads, writes)| (reads, writes));
        let memory_reads = || operands.reads.iter().chain(kernel_reads);
        let memory_writes = || operands.writes.iter().chain(kernel_writes);
        let loads = memory_reads().next().is_some();
        let stores = !operands.writes.is_empty() || (!vanishes && !kernel_writes.is_empty());

        if let Some(window) = model.window
            && state.window.len() as u64 >= window
            && let Some(left) = state.window.pop_front()
        {
            self.raise(state, left, Via::Window);
        }
        let mut held = Held {
            level: 0,
            before: NOBODY,
            via: Via::Start,
            rank: 0,
        };
        for location in &reads {
            let writer = state.registers[location.index()].writer;
            self.hold(&mut held, number, writer, Via::of_register(*location));
        }
        if one_location {
            if loads {
                let store = self.deepest_store;
                self.hold(&mut held, number, store, Via::Disambiguation);
            }
            if stores {
                let (store, load) = (self.deepest_store, self.deepest_load);
                self.hold(&mut held, number, store, Via::Disambiguation);
                self.hold(&mut held, number, load, Via::Disambiguation);
            }
        } else {
            for span in memory_reads() {
                self.memory.writers(*span, |writer| found.push(writer));
            }
            for writer in found.drain(..) {
                self.hold(&mut held, number, writer, Via::Memory);
            }
            if !vanishes {
                for span in memory_writes().flat_map(|span| state.by_stack(*span)) {
                    let (span, on_stack) = span;
                    let renamed = if on_stack {
                        model.rename.stack
                    } else {
                        model.rename.memory
                    };
                    if !renamed {
                        self.memory.writers(span, |writer| found.push(writer));
                        self.memory.readers(span, |reader| found.push(reader));
                    }
                }
            }
            for user in found.drain(..) {
                self.hold(&mut held, number, user, Via::MemoryStorage);
            }
        }
        if !model.rename.registers && !vanishes {
            for location in &writes {
                let Cell { writer, reader } = state.registers[location.index()];
                self.hold(&mut held, number, writer, Via::RegisterStorage);
                self.hold(&mut held, number, reader, Via::RegisterStorage);
            }
        }
        if let Some(Firewall { instance, via }) = state.firewall
            && (self.level(instance) > held.level || held.before == NOBODY)
        {
            self.hold(&mut held, number, instance, via);
        }
        let start = if counted && steps > 0 {
            self.units.take(class, held.level)
        } else {
            held.level
        };
        let level = start.checked_add(steps)?;
        let before = (held.before != NOBODY).then_some(held.before);
        self.instances
            .push(Instance::new(level, before, held.via, number));
        if let Some(edges) = &mut self.edges {
            edges.instance(present, &self.instances);
        }

        // Reading comes before writing: what an instance overwrites itself does not hold back later ones.
        if !model.rename.registers {
            for location in &reads {
                let reader = state.registers[location.index()].reader;
                state.registers[location.index()].reader = self.deeper(reader, present);
            }
        }
        let writer = if vanishes { NOBODY } else { present };
        for location in &writes {
            state.registers[location.index()] = Cell {
                writer,
                reader: NOBODY,
            };
        }
        if one_location {
            if loads {
                self.deepest_load = self.deeper(self.deepest_load, present);
            }
            if stores {
                self.deepest_store = self.deeper(self.deepest_store, present);
            }
        } else {
            if self.memory.keeps_readers() {
                let instances = &self.instances;
                for span in memory_reads() {
                    self.memory
                        .read(*span, present, |one, other| deeper(instances, one, other));
                }
            }
            for span in memory_writes() {
                self.memory.write(*span, writer);
            }
        }
        self.found = found;
        self.places = (reads, writes);
        if let Some(window) = model.window
            && window < u64::from(MOST_INSTANCES)
        {
            state.window.push_back(present);
        }
        if state
            .deepest
            .is_none_or(|deepest| level > self.level(deepest))
        {
            state.deepest = Some(present);
        }
        if system
            && model.system_calls == SystemCalls::Conservative
            && let Some(deepest) = state.deepest
        {
            self.raise(state, deepest, Via::SystemCall);
        }
        Some(present)
    }
}

/// The instance of the larger level; either may be [`NOBODY`].
fn deeper(instances: &[Instance], one: u32, other: u32) -> u32 {
    let level = |i: u32| instances.get(i as usize).map(|instance| instance.level);
    if level(other) > level(one) {
        other
    } else {
        one
    }
}
