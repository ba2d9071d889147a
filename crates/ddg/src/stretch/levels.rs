//! Levels of instances, one after the other, with who held back whom (`docs/ilp-model.md`, "Levels").

use parascan_isa::{Control, Location};

use super::collector::Collector;
use super::graph::GraphSettings;
use super::instance::{DependenceVia, Instance, MOST_INSTANCES};
use super::memory::{ByteAccesses, NOBODY};
use super::statics::{StaticId, Statics};
use super::thread::{Firewall, Operands, RegisterCell, StretchThread};
use super::units::Occupancy;
use crate::event::{MemorySpan, ThreadId};
use crate::model::{Disambiguation, Induction, MachineModel, StackPointer, SystemCalls};

/// Instances of a stretch, and what may still hold back later ones.
#[derive(Debug)]
pub(super) struct StretchLevels {
    pub instances: Vec<Instance>,
    pub statics: Statics,
    memory: ByteAccesses,
    units: Occupancy,
    /// The stores and loads that hold back others where memory is one location.
    deepest_store: u32,
    deepest_load: u32,
    pub edges: Option<Collector>,
    /// Buffers of one instance, kept to be used again.
    pub operands: Operands,
    found: Vec<u32>,
    places: (Vec<Location>, Vec<Location>),
}

/// The largest level among what holds an instance back.
#[derive(Clone, Copy, Debug)]
struct HoldingLevel {
    level: u32,
    before: u32,
    via: DependenceVia,
    /// Among equal levels: constraints of the machine, values, values of an earlier instance of the same instruction
    /// (so that a recurrence shows as itself).
    rank: u8,
}

impl StretchLevels {
    pub fn new(model: &MachineModel, graph: Option<&GraphSettings>) -> Self {
        let readers = !(model.rename.stack && model.rename.memory);
        Self {
            instances: Vec::new(),
            statics: Statics::default(),
            memory: ByteAccesses::new(readers),
            units: Occupancy::new(&model.units),
            deepest_store: NOBODY,
            deepest_load: NOBODY,
            edges: graph.map(Collector::new),
            operands: Operands::default(),
            found: Vec::new(),
            places: (Vec::new(), Vec::new()),
        }
    }

    /// A thread executes an instruction within so many calls, which has the next instances.
    pub fn instruction(&mut self, thread: ThreadId, depth: usize) {
        if let Some(edges) = &mut self.edges {
            edges.instruction(self.instances.len() as u32, thread, depth);
        }
    }

    /// Whether instances from now on are of the iteration that is to be opened.
    pub fn inside(&mut self, inside: bool) {
        if let Some(edges) = &mut self.edges {
            edges.inside = inside;
        }
    }

    fn level(&self, instance: u32) -> u32 {
        self.instances[instance as usize].level
    }

    /// The instance's level becomes the least at which later ones of its thread start.
    pub fn raise(&self, state: &mut StretchThread, instance: u32, via: DependenceVia) {
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
    fn hold(&mut self, held: &mut HoldingLevel, own: StaticId, by: u32, via: DependenceVia) {
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
            *held = HoldingLevel {
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

    /// Adds an instance and returns its position; none if its level does not fit.
    pub fn step(
        &mut self,
        model: &MachineModel,
        state: &mut StretchThread,
        number: StaticId,
        operands: &Operands,
        kernel: Option<&(Vec<MemorySpan>, Vec<MemorySpan>)>,
    ) -> Option<u32> {
        let present = self.instances.len() as u32;
        let facts = &self.statics.all[number.index()];
        let (class, control, counted, taken) = (
            facts.instruction.class,
            facts.instruction.control,
            facts.counted,
            facts.taken,
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
        if model.stack_pointer == StackPointer::Engine && facts.instruction.moves_stack() {
            // The stack engine does that.
            writes.retain(|location| !location.is_stack_pointer());
        }
        let variable = facts.instruction.only_adds_to().filter(|&register| {
            model.induction == Induction::Break && register != Location::STACK_POINTER
        });
        let base = variable.map(|register| state.base(register));
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
            self.raise(state, left, DependenceVia::Window);
        }
        if !vanishes {
            let retired: Vec<u32> = state
                .physical
                .iter_mut()
                .filter_map(|file| file.take(taken))
                .collect();
            for retired in retired {
                self.raise(state, retired, DependenceVia::PhysicalRegisters);
            }
        }
        let mut held = HoldingLevel {
            level: 0,
            before: NOBODY,
            via: DependenceVia::Start,
            rank: 0,
        };
        for location in &reads {
            let writer = match (base, location.general_number()) {
                (Some(base), register) if register == variable => base[location.index() % 3],
                _ => state.registers[location.index()].writer,
            };
            self.hold(
                &mut held,
                number,
                writer,
                DependenceVia::of_register(*location),
            );
        }
        if one_location {
            if loads {
                let store = self.deepest_store;
                self.hold(&mut held, number, store, DependenceVia::Disambiguation);
            }
            if stores {
                let (store, load) = (self.deepest_store, self.deepest_load);
                self.hold(&mut held, number, store, DependenceVia::Disambiguation);
                self.hold(&mut held, number, load, DependenceVia::Disambiguation);
            }
        } else {
            for span in memory_reads() {
                self.memory.writers(*span, |writer| found.push(writer));
            }
            for writer in found.drain(..) {
                self.hold(&mut held, number, writer, DependenceVia::Memory);
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
                self.hold(&mut held, number, user, DependenceVia::MemoryStorage);
            }
        }
        if !model.rename.registers && !vanishes {
            for location in &writes {
                let RegisterCell { writer, reader } = state.registers[location.index()];
                self.hold(&mut held, number, writer, DependenceVia::RegisterStorage);
                self.hold(&mut held, number, reader, DependenceVia::RegisterStorage);
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
            if let Some(register) = location.general_number()
                && Some(register) != variable
            {
                state.bases[usize::from(register)] = None;
            }
            state.registers[location.index()] = RegisterCell {
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
        if !vanishes && let Some(deepest) = state.deepest {
            for file in &mut state.physical {
                file.keep(taken, deepest);
            }
        }
        if system
            && model.system_calls == SystemCalls::Conservative
            && let Some(deepest) = state.deepest
        {
            self.raise(state, deepest, DependenceVia::SystemCall);
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
