//! Takes a stream, finds the stretch in it, and records that.

use std::collections::HashMap;

use parascan_isa::Control;

use super::calls::Ending;
use super::collector::Graphs;
use super::instance::{DependenceVia, MOST_INSTANCES};
use super::levels::StretchLevels;
use super::memory::{NOBODY, real};
use super::open::LoopFollower;
use super::statics::StaticId;
use super::thread::{Operands, PendingOperands, StretchThread};
use super::{Recording, RecordingEnd, StreamPart, StretchSettings};
use crate::announced::{AnnouncedOperands, OperandForm};
use crate::error::StreamError;
use crate::event::{Event, MemorySpan, ThreadId};
use crate::model::MachineModel;
use crate::program::{Block, BlockId, Program, RoutineId};

/// Records one stretch of a stream under one model.
#[derive(Debug)]
pub struct Recorder {
    model: MachineModel,
    part: StreamPart,
    limit: u32,
    state: RecordState,
    /// Instances of the stream, or calls of the routine, so far.
    seen: u64,
    threads: HashMap<ThreadId, StretchThread>,
    call: Option<(ThreadId, RoutineId)>,
    levels: StretchLevels,
    /// The loop to be opened.
    opening: Option<LoopFollower>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RecordState {
    Before,
    /// All threads, or one of them as long as more than so many of its calls go on.
    Within(Option<(ThreadId, usize)>),
    After(RecordingEnd),
}

impl Recorder {
    /// A recorder that has seen nothing.
    pub fn new(model: &MachineModel, settings: &StretchSettings) -> Self {
        Self {
            model: model.clone(),
            part: settings.part,
            limit: settings.limit.min(MOST_INSTANCES),
            state: match settings.part {
                StreamPart::Instances { skip: 0, .. } => RecordState::Within(None),
                _ => RecordState::Before,
            },
            seen: 0,
            threads: HashMap::new(),
            call: None,
            levels: StretchLevels::new(model, settings.graph.as_ref()),
            opening: settings
                .graph
                .and_then(|graph| graph.open)
                .map(LoopFollower::new),
        }
    }

    /// Iterations of the loop to be opened begin with the instruction at this address; to be said before it is
    /// executed.
    pub fn opens_at(&mut self, address: u64) {
        if let Some(opening) = &mut self.opening {
            opening.begins_at(address);
        }
    }

    /// Whether the stretch is over: events need no longer be given.
    pub fn is_done(&self) -> bool {
        matches!(self.state, RecordState::After(_))
    }

    /// Whether the stream has come to the stretch.
    pub fn has_begun(&self) -> bool {
        !matches!(self.state, RecordState::Before)
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
            .or_insert_with(|| StretchThread::new(&self.model));
        if state.ended {
            return Err(StreamError::Ended { thread });
        }
        match event {
            Event::Block {
                id,
                executed,
                addresses,
            } => return self.block(program, thread, id, executed, addresses),
            Event::Repeat { .. } | Event::Operands { .. } => {
                let announced = AnnouncedOperands::of(&event, spans);
                state.given.instructions.extend(announced);
            }
            Event::Kernel { reads, writes } => {
                let kernel = state.given.kernel.get_or_insert_default();
                kernel.0.extend(spans(reads));
                kernel.1.extend(spans(writes));
            }
            Event::Stack { bounds } => state.stack = Some(bounds),
            Event::Interrupted => state.signal = true,
            Event::End => {
                state.ended = true;
                if let RecordState::Within(Some((own, _))) = self.state
                    && own == thread
                {
                    self.state = RecordState::After(RecordingEnd::Complete);
                }
            }
        }
        Ok(())
    }

    /// What was recorded, once the stream is over.
    pub fn finish(self) -> Recording {
        let ended = match self.state {
            RecordState::Before => RecordingEnd::NotReached { seen: self.seen },
            RecordState::Within(_) => RecordingEnd::WithStream,
            RecordState::After(ended) => ended,
        };
        let (instances, statics) = (self.levels.instances, self.levels.statics.all);
        let edges = self.levels.edges;
        let asked = edges.is_some();
        let graphs = edges.map_or_else(Graphs::default, |it| it.finish(&instances, &statics));
        Recording {
            call: self.call,
            ended,
            instances,
            statics,
            graph: asked.then_some(graphs.graph),
            opened: graphs.opened,
            loops: graphs.loops,
            no_room: graphs.no_room,
            found: self.opening.map(|opening| opening.found),
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
        if !self.levels.statics.know(&self.model, program, id, block) {
            self.state = RecordState::After(RecordingEnd::AtLimit);
            return Ok(());
        }
        let mut state = self
            .threads
            .remove(&thread)
            .unwrap_or_else(|| StretchThread::new(&self.model));
        let result = check(thread, id, block, executed, addresses, &state.given).map(|()| {
            self.arrive(thread, &mut state, block);
            self.execute(thread, &mut state, id, block, executed as usize, addresses);
        });
        self.threads.insert(thread, state);
        result
    }

    /// A block begins: it is now known where the thread's last one led.
    fn arrive(&mut self, thread: ThreadId, state: &mut StretchThread, block: &Block) {
        let ending = state.ending.take();
        let signal = std::mem::take(&mut state.signal);
        if let (Some(ending), false) = (ending, signal)
            && ending.missed(&mut state.predictor, block.instructions[0].address)
            && ending.instance != NOBODY
        {
            self.levels
                .raise(state, ending.instance, DependenceVia::Control);
        }
        let moved = state.calls.block(block, ending, signal);
        let StreamPart::Call {
            first,
            last,
            number,
        } = self.part
        else {
            return;
        };
        if let RecordState::Within(Some((own, depth))) = self.state
            && own == thread
            && moved.kept <= depth
        {
            self.state = RecordState::After(RecordingEnd::Complete);
        }
        if self.state == RecordState::Before
            && let Some(routine) = moved
                .entered
                .filter(|entered| (first..=last).contains(entered))
        {
            self.seen += 1;
            if self.seen == number {
                self.call = Some((thread, routine));
                self.state = RecordState::Within(Some((thread, moved.kept)));
            }
        }
    }

    fn execute(
        &mut self,
        thread: ThreadId,
        state: &mut StretchThread,
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
            let number = self.levels.statics.number(id, position);
            let dynamic = given
                .instructions
                .iter()
                .position(|given| given.instruction as usize == position)
                .map(|found| given.instructions.swap_remove(found).operands);
            let mut operands = std::mem::take(&mut self.levels.operands);
            operands.clear();
            let mut repeat = None;
            match dynamic {
                None => {
                    for (slot, address) in slots.iter().zip(&mut addresses) {
                        operands.slot(*slot, address);
                    }
                }
                Some(OperandForm::Spans { reads, writes }) => {
                    addresses.by_ref().take(slots.len()).for_each(drop);
                    operands.reads.extend(reads);
                    operands.writes.extend(writes);
                }
                Some(OperandForm::Repeat {
                    iterations,
                    addresses: first,
                    step,
                }) => {
                    addresses.by_ref().take(slots.len()).for_each(drop);
                    repeat = Some((iterations, first, step));
                }
            }
            if let Some(opening) = &mut self.opening
                && records(self.state, self.part, self.seen, thread)
            {
                let inside = opening.instruction(thread, state.calls.depth(), placed);
                self.levels.inside(inside);
            }
            self.levels.instruction(thread, state.calls.depth());
            let kernel = if placed.instruction.control == Control::System {
                given.kernel.take()
            } else {
                None
            };
            let times = repeat
                .as_ref()
                .map_or(1, |(iterations, ..)| (*iterations).max(1));
            for iteration in 0..times {
                if !self.may_record(thread) {
                    break;
                }
                if let Some((1.., first, step)) = &repeat {
                    let moved = step.wrapping_mul(iteration as i64);
                    operands.clear();
                    for (slot, address) in slots.iter().zip(first) {
                        operands.slot(*slot, address.wrapping_add_signed(moved));
                    }
                }
                instance = self.step(state, number, &operands, kernel.as_ref());
            }
            state.x87_top = state
                .x87_top
                .wrapping_add_signed(placed.instruction.x87_move)
                & 7;
            self.levels.operands = operands;
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

    /// Whether instances of a thread are recorded, or counted, at all now.
    fn may_record(&self, thread: ThreadId) -> bool {
        match self.state {
            RecordState::Before => matches!(self.part, StreamPart::Instances { .. }),
            RecordState::Within(own) => own.is_none_or(|(own, _)| own == thread),
            RecordState::After(_) => false,
        }
    }

    /// One instance; its position among the recorded ones, or [`NOBODY`].
    fn step(
        &mut self,
        state: &mut StretchThread,
        number: StaticId,
        operands: &Operands,
        kernel: Option<&(Vec<MemorySpan>, Vec<MemorySpan>)>,
    ) -> u32 {
        if let StreamPart::Instances { skip, count } = self.part {
            self.seen += 1;
            if self.seen <= skip {
                return NOBODY;
            }
            self.state = RecordState::Within(None);
            if count.is_some_and(|count| self.seen - skip > count) {
                self.state = RecordState::After(RecordingEnd::Complete);
                return NOBODY;
            }
        }
        if self.levels.instances.len() >= self.limit as usize {
            self.state = RecordState::After(RecordingEnd::AtLimit);
            return NOBODY;
        }
        match self
            .levels
            .step(&self.model, state, number, operands, kernel)
        {
            Some(instance) => instance,
            None => {
                self.state = RecordState::After(RecordingEnd::AtLimit);
                NOBODY
            }
        }
    }
}

/// Whether the next instance of a thread is recorded.
fn records(state: RecordState, part: StreamPart, seen: u64, thread: ThreadId) -> bool {
    match (state, part) {
        (RecordState::Before, StreamPart::Instances { skip, .. }) => seen >= skip,
        (RecordState::Within(own), _) => own.is_none_or(|(own, _)| own == thread),
        _ => false,
    }
}

/// What there is of spans; those of no bytes are none.
fn spans(spans: &[MemorySpan]) -> Vec<MemorySpan> {
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
    given: &PendingOperands,
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
        if let OperandForm::Repeat { addresses, .. } = &operands.operands {
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
