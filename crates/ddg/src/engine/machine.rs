//! A machine: compiles blocks, follows threads and their control transfers, and lets a graph place what they execute.

use super::calls::{self, Arrival, Measure};
use super::cell::MemoryCell;
use super::compile::{Compiled, Exit, LATENCIES, Style};
use super::graph::Graph;
use super::lanes::Level;
use super::tables::Tables;
use super::thread::{Announced, Last, Operands, Thread};
use crate::error::StreamError;
use crate::event::{Event, ThreadId};
use crate::model::Model;
use crate::program::{Block, BlockId, Program, RoutineId};
use crate::result::{Outcome, Predictions, Profile};

/// Most states of registers for which a block is kept compiled.
const VARIANTS: usize = 8;

/// One or more models in lanes of levels of one type, or one model's calls.
pub struct Machine<L: Level, const N: usize, C> {
    names: Vec<String>,
    measure: Option<Measure>,
    graph: Graph<L, N, C>,
    style: Style,
    blocks: Vec<Option<Known>>,
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
struct Known {
    address: u64,
    routine: RoutineId,
    entry: bool,
    instructions: u32,
    variants: Vec<Compiled>,
    next: usize,
}

impl Known {
    fn new(block: &Block) -> Self {
        Self {
            address: block
                .instructions
                .first()
                .map_or(0, |placed| placed.address),
            routine: block.routine,
            entry: block.entry,
            instructions: block.instructions.len() as u32,
            variants: Vec::new(),
            next: 0,
        }
    }
}

/// What a machine could not do because its levels are too narrow.
#[derive(Debug)]
pub enum Failure {
    /// The stream is wrong.
    Stream(StreamError),
    /// Levels may become too large; the event had no effect.
    Narrow,
}

impl From<StreamError> for Failure {
    fn from(error: StreamError) -> Self {
        Self::Stream(error)
    }
}

/// A machine of any kind.
pub trait Run: Send {
    /// See [`super::Engine::event`].
    fn event(
        &mut self,
        program: &Program,
        thread: ThreadId,
        event: &Event<'_>,
    ) -> Result<(), Failure>;
    /// The same machine with the widest levels.
    fn widen(self: Box<Self>) -> Box<dyn Run>;
    /// What was found, one for each model.
    fn finish(self: Box<Self>) -> Vec<Outcome>;
}

impl<L: Level, const N: usize, C: MemoryCell<L, N>> Machine<L, N, C> {
    /// A machine for at most `N` models, or for the calls of one model.
    pub fn new(models: &[Model], measure: Option<Measure>, limit: u64) -> Self {
        let lanes = match &measure {
            Some(measure) => vec![models[0].clone(); measure.lanes],
            None => models.to_vec(),
        };
        let tables = Tables::new(&lanes);
        let profiles = if measure.is_some() { 0 } else { lanes.len() };
        Self {
            names: models.iter().map(|model| model.name.clone()).collect(),
            style: Style {
                general: C::READERS || C::VALUES || tables.any_units || tables.any_one_location,
                readers: C::READERS,
                separate: false,
            },
            measure,
            graph: Graph::new(tables, profiles),
            blocks: Vec::new(),
            redefined: 0,
            threads: Vec::new(),
            bound: 0,
            limit: limit.min(L::LARGEST),
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
        let thread = self.threads[index].get_or_insert_with(|| Box::new(Thread::new(tables)));
        if thread.ended {
            return Err(StreamError::Ended { thread: id });
        }
        Ok(thread)
    }

    /// Forgets what was compiled of blocks that were defined again.
    fn refresh(&mut self, program: &Program) {
        for id in &program.redefined()[self.redefined..] {
            if let Some(known) = self.blocks.get_mut(id.0 as usize).and_then(Option::take) {
                for variant in &known.variants {
                    retire(variant, &mut self.graph.census, &mut self.instructions);
                }
            }
        }
        self.redefined = program.redefined().len();
    }

    #[inline(always)]
    fn block(
        &mut self,
        program: &Program,
        id: ThreadId,
        block_id: BlockId,
        executed: u32,
        addresses: &[u64],
    ) -> Result<(), Failure> {
        if self.redefined != program.redefined().len() {
            self.refresh(program);
        }
        let index = block_id.0 as usize;
        if !matches!(self.blocks.get(index), Some(Some(_))) {
            let Some(block) = program.block(block_id) else {
                return Err(StreamError::UndefinedBlock {
                    thread: id,
                    block: block_id,
                }
                .into());
            };
            if index >= self.blocks.len() {
                self.blocks.resize_with(index + 1, || None);
            }
            self.blocks[index] = Some(Known::new(block));
        }
        let style = self.style;
        self.thread(id)?;
        let (Some(known), Some(thread)) =
            (&mut self.blocks[index], &mut self.threads[id.0 as usize])
        else {
            unreachable!("both were made above");
        };
        if executed > known.instructions {
            return Err(StreamError::Executed {
                thread: id,
                block: block_id,
                executed,
                instructions: known.instructions as usize,
            }
            .into());
        }
        let announced = !thread.announced.is_empty() || thread.kernel.is_some();
        let fits = |variant: &Compiled| variant.fits(thread.links, executed, announced);
        let chosen = match known.variants.iter().position(fits) {
            Some(chosen) => chosen,
            None => {
                let block = program.block(block_id).expect("it is known");
                let style = Style {
                    general: style.general || announced,
                    separate: announced,
                    ..style
                };
                let variant = Compiled::new(block, executed, thread.links, style);
                if known.variants.len() < VARIANTS {
                    known.variants.push(variant);
                    known.variants.len() - 1
                } else {
                    let place = known.next % VARIANTS;
                    known.next += 1;
                    let old = std::mem::replace(&mut known.variants[place], variant);
                    retire(&old, &mut self.graph.census, &mut self.instructions);
                    place
                }
            }
        };
        let variant = &mut known.variants[chosen];
        if variant.slots != addresses.len() {
            return Err(StreamError::Addresses {
                thread: id,
                block: block_id,
                given: addresses.len(),
                slots: variant.slots,
            }
            .into());
        }
        let mut rise = u64::from(executed);
        if announced {
            rise = check(thread, variant, program, id, block_id)?;
        }
        let rise = rise.saturating_mul(self.graph.tables.slowest);
        self.bound = self.bound.saturating_add(rise);
        if self.bound > self.limit {
            let deepest = |thread: &Thread<L, N>| {
                thread
                    .deepest
                    .0
                    .iter()
                    .map(|level| level.number())
                    .max()
                    .unwrap_or(0)
            };
            let now = self
                .threads
                .iter()
                .flatten()
                .map(|thread| deepest(thread))
                .max();
            self.bound = now.unwrap_or(0).saturating_add(rise);
            if self.bound > self.limit && L::LARGEST < u64::MAX {
                return Err(Failure::Narrow);
            }
        }
        let Some(thread) = &mut self.threads[id.0 as usize] else {
            unreachable!("it was made above");
        };

        self.exits[thread.last.exit as usize] += 1;
        if !self.graph.tables.predictions.is_empty() {
            predict(thread, &mut self.graph, known.address);
        }
        if let Some(measure) = &self.measure {
            let arrival = Arrival {
                exit: thread.last.exit,
                not_taken: thread.last.exit == Exit::Branch && thread.last.behind == known.address,
                interrupted: thread.interrupted,
                behind: thread.last.behind,
                address: known.address,
                routine: known.routine,
                entry: known.entry,
            };
            let levels = calls::Thread {
                deepest: &thread.deepest,
                firewall: &mut thread.firewall,
                active: &mut thread.active,
                operations: thread.operations,
            };
            thread
                .calls
                .arrive(&arrival, measure, &mut self.graph.routines, levels);
            thread.operations += operations(variant, &self.graph.tables);
        }
        thread.interrupted = false;

        let repeated = self.graph.repeated_operations;
        self.graph.run(thread, variant, addresses);
        thread.operations += self.graph.repeated_operations - repeated;
        variant.executions += 1;
        thread.links = variant.after(thread.links);
        thread.last = Last {
            exit: variant.exit,
            address: variant.last,
            behind: variant.behind,
        };
        Ok(())
    }
}

/// Operations of one execution of a compiled block.
fn operations<L: Level, const N: usize>(block: &Compiled, tables: &Tables<L, N>) -> u64 {
    let counts = |&&(index, _): &&(u8, u32)| tables.counted[usize::from(index)] & 1 == 1;
    block
        .census
        .iter()
        .filter(counts)
        .map(|&(_, count)| u64::from(count))
        .sum()
}

/// Counts the executions of what was compiled.
fn retire(block: &Compiled, census: &mut [u64; LATENCIES], instructions: &mut u64) {
    for &(index, count) in &block.census {
        census[usize::from(index)] += block.executions * u64::from(count);
    }
    *instructions += block.executions * u64::from(block.executed);
}

/// Whether what was announced fits the block; how many instances there are at most.
#[cold]
#[inline(never)]
fn check<L: Level, const N: usize>(
    thread: &Thread<L, N>,
    variant: &Compiled,
    program: &Program,
    id: ThreadId,
    block: BlockId,
) -> Result<u64, StreamError> {
    let mut instances = u64::from(variant.executed);
    for (index, announced) in thread.announced.iter().enumerate() {
        let instruction = announced.instruction;
        let twice = thread.announced[..index]
            .iter()
            .any(|other| other.instruction == instruction);
        if instruction >= variant.executed || twice {
            return Err(StreamError::Operands {
                thread: id,
                block,
                instruction,
            });
        }
        if let Operands::Repeat {
            iterations,
            addresses,
            ..
        } = &announced.operands
        {
            let slots = program.block(block).map_or(0, |block| {
                block.instructions[instruction as usize]
                    .instruction
                    .slots
                    .len()
            });
            if addresses.len() != slots {
                return Err(StreamError::Addresses {
                    thread: id,
                    block,
                    given: addresses.len(),
                    slots,
                });
            }
            instances = instances.saturating_add(*iterations);
        }
    }
    if thread.kernel.is_some() && variant.exit != Exit::System {
        return Err(StreamError::Kernel { thread: id, block });
    }
    Ok(instances)
}

/// The last block's control transfer led to `address`: was that predicted?
#[inline(never)]
fn predict<L: Level, const N: usize, C: MemoryCell<L, N>>(
    thread: &mut Thread<L, N>,
    graph: &mut Graph<L, N, C>,
    address: u64,
) {
    let Last {
        exit,
        address: from,
        behind,
    } = thread.last;
    if matches!(exit, Exit::Next | Exit::Jump | Exit::System) {
        return;
    }
    for (group, predictor) in thread.predictors.iter_mut().enumerate() {
        let (transfer, missed) = match exit {
            Exit::Branch => (0, predictor.conditional(from, address != behind)),
            Exit::IndirectJump => (1, predictor.indirect(from, address)),
            Exit::Call => {
                predictor.call(behind);
                continue;
            }
            Exit::IndirectCall => {
                let missed = predictor.indirect(from, address);
                predictor.call(behind);
                (1, missed)
            }
            Exit::Return => (2, predictor.return_to(address)),
            Exit::Next | Exit::Jump | Exit::System => continue,
        };
        if missed {
            graph.missed[group][transfer] += 1;
            let lanes = graph.tables.predictions[group].lanes;
            thread.firewall = thread.firewall.max(thread.last_level.and(lanes));
        }
    }
}

impl<L: Level, const N: usize, C: MemoryCell<L, N>> Run for Machine<L, N, C> {
    fn event(&mut self, program: &Program, id: ThreadId, event: &Event<'_>) -> Result<(), Failure> {
        if let Event::Block {
            id: block,
            executed,
            addresses,
        } = *event
        {
            return self.block(program, id, block, executed, addresses);
        }
        let thread = self.thread(id)?;
        match *event {
            Event::Block { .. } => {}
            Event::Repeat {
                instruction,
                iterations,
                addresses,
                step,
            } => thread.announced.push(Announced {
                instruction,
                operands: Operands::Repeat {
                    iterations,
                    addresses: addresses.to_vec(),
                    step,
                },
            }),
            Event::Operands {
                instruction,
                reads,
                writes,
            } => thread.announced.push(Announced {
                instruction,
                operands: Operands::Spans {
                    reads: reads.to_vec(),
                    writes: writes.to_vec(),
                },
            }),
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

    fn widen(self: Box<Self>) -> Box<dyn Run> {
        let machine: Machine<u64, N, C::Wide> = Machine {
            names: self.names,
            measure: self.measure,
            graph: self.graph.widen(),
            style: self.style,
            blocks: self.blocks,
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

    fn finish(mut self: Box<Self>) -> Vec<Outcome> {
        for thread in 0..self.threads.len() {
            self.end(thread);
        }
        for variant in self
            .blocks
            .iter()
            .flatten()
            .flat_map(|known| &known.variants)
        {
            retire(variant, &mut self.graph.census, &mut self.instructions);
        }
        let machine = *self;
        machine.outcomes()
    }
}

impl<L: Level, const N: usize> Thread<L, N> {
    /// A signal comes: where the last transfer of control led is not known.
    fn interrupt(&mut self) {
        if matches!(self.last.exit, Exit::Call | Exit::IndirectCall) {
            for predictor in &mut self.predictors {
                predictor.call(self.last.behind);
            }
        }
        self.interrupted = true;
        self.last.exit = Exit::Next;
    }
}

impl<L: Level, const N: usize, C: MemoryCell<L, N>> Machine<L, N, C> {
    fn end(&mut self, thread: usize) {
        if let (Some(thread), Some(measure)) = (&mut self.threads[thread], &self.measure) {
            let levels = calls::Thread {
                deepest: &thread.deepest,
                firewall: &mut thread.firewall,
                active: &mut thread.active,
                operations: thread.operations,
            };
            thread.calls.end(measure, &mut self.graph.routines, &levels);
        }
    }

    fn outcomes(self) -> Vec<Outcome> {
        let Self {
            graph,
            threads,
            names,
            exits,
            measure,
            ..
        } = self;
        let tables = &graph.tables;
        let instructions = self.instructions + graph.repeated_instances;
        let mut bins = graph.bins.into_iter();
        let mut values = Some(graph.values);
        let exits = |exit: Exit| exits[exit as usize];
        names
            .into_iter()
            .enumerate()
            .map(|(lane, model)| {
                let counts = |&(index, _): &(usize, &u64)| tables.counted[index] >> lane & 1 == 1;
                let operations = graph
                    .census
                    .iter()
                    .enumerate()
                    .filter(counts)
                    .map(|(_, count)| count)
                    .sum();
                let critical_path = threads
                    .iter()
                    .flatten()
                    .map(|thread| thread.deepest.0[lane].number())
                    .max()
                    .unwrap_or(0);
                let missed = match tables.prediction_of[lane] {
                    Some(group) => graph.missed[group],
                    None => [0; 3],
                };
                let profile = bins
                    .next()
                    .map_or_else(Profile::default, |bins| bins.finish());
                let mut live_well = graph.well.size();
                let values = values.take().filter(|_| C::VALUES).map(|values| {
                    live_well.size += values.size();
                    values.finish(&profile, critical_path)
                });
                Outcome {
                    model,
                    instructions,
                    operations,
                    critical_path,
                    system_calls: graph.system_calls,
                    predictions: Predictions {
                        branches: exits(Exit::Branch),
                        branches_missed: missed[0],
                        indirect: exits(Exit::IndirectJump) + exits(Exit::IndirectCall),
                        indirect_missed: missed[1],
                        returns: exits(Exit::Return),
                        returns_missed: missed[2],
                    },
                    profile,
                    values,
                    routines: graph
                        .routines
                        .iter()
                        .filter(|figures| {
                            let asked = |measure: &Measure| measure.selects(figures.routine);
                            figures.calls > 0 && measure.as_ref().is_some_and(asked)
                        })
                        .copied()
                        .collect(),
                    live_well,
                }
            })
            .collect()
    }
}
