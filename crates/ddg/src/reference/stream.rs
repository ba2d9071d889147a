//! The stream as a list of instances that know everything: operands byte by byte, outcomes of branches, and the calls
//! they are in.

use std::collections::{BTreeMap, BTreeSet};

use parascan_isa::{Control, Instruction, InstructionClass, Location};

use crate::error::StreamError;
use crate::event::{Event, MemorySpan, ThreadId};
use crate::program::{Block, BlockId, PlacedInstruction, Program, RoutineId};

/// A location of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StorageCell {
    /// A register part of a thread, by its [`Location::index`]; x87 registers by their physical number.
    Register(ThreadId, usize),
    /// A byte of memory.
    Byte(u64),
}

/// Outcome of a transfer of control that can be mispredicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// Of a conditional branch.
    Conditional {
        /// Whether it was taken.
        taken: bool,
    },
    /// Of an indirect jump or call.
    Indirect {
        /// Where it went.
        target: u64,
    },
    /// Of a return.
    Return {
        /// Where it went.
        target: u64,
    },
}

/// An instruction, executed once.
#[derive(Clone, Debug)]
pub struct Instance {
    /// By whom.
    pub thread: ThreadId,
    /// Routine that the instruction belongs to.
    pub routine: RoutineId,
    /// Where it is.
    pub address: u64,
    /// Address of the instruction behind it.
    pub behind: u64,
    /// What the model's latency and the functional units go by.
    pub class: InstructionClass,
    /// How control leaves it.
    pub control: Control,
    /// Whether it creates a value, as Paragraph counts.
    pub creates_value: bool,
    /// Whether it moves the stack pointer by a constant.
    pub moves_stack: bool,
    /// The general register to which it adds a constant, if that is all it does.
    pub only_adds_to: Option<u8>,
    /// Whether it has a memory operand that it reads.
    pub memory_source: bool,
    /// Everything it reads; what the kernel read for it too.
    pub reads: BTreeSet<StorageCell>,
    /// Register parts it writes.
    pub registers: Vec<StorageCell>,
    /// Memory it writes, or the kernel for it: bytes of each operand.
    pub operands: Vec<Vec<StorageCell>>,
    /// Whether it has a memory operand that it writes.
    pub stores: bool,
    /// The thread's stack at that time.
    pub stack: Option<MemorySpan>,
    /// Where control went, if it was transferred in a way that can be mispredicted, and if that is known.
    pub transfer: Option<Transfer>,
    /// The calls it is in, outermost first, by their position in [`Stream::calls`].
    pub calls: Vec<usize>,
}

impl Instance {
    /// Whether it does nothing but move the stack pointer by a constant.
    pub fn only_moves_stack(&self) -> bool {
        self.only_adds_to == Some(Location::STACK_POINTER)
    }

    /// All cells of registers and memory that the instance writes.
    pub fn written(&self) -> impl Iterator<Item = &StorageCell> {
        self.registers.iter().chain(self.operands.iter().flatten())
    }

    /// Whether it reads memory.
    pub fn reads_memory(&self) -> bool {
        self.reads
            .iter()
            .any(|place| matches!(place, StorageCell::Byte(_)))
    }
}

/// A call of a routine.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The one that was called.
    pub routine: RoutineId,
    /// Where it should return to, if known.
    pub return_address: Option<u64>,
}

/// All that happened in a stream of events, instance by instance.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    /// In the order of the stream.
    pub instances: Vec<Instance>,
    /// In the order of their beginnings.
    pub calls: Vec<Call>,
    /// For each call the calls it is in when it begins, outermost first.
    pub around: Vec<Vec<usize>>,
    threads: BTreeMap<ThreadId, StreamThread>,
}

/// What is known of a thread.
#[derive(Clone, Debug, Default)]
struct StreamThread {
    ended: bool,
    x87_top: i32,
    stack: Option<MemorySpan>,
    /// Open calls, outermost first.
    calls: Vec<usize>,
    /// The instance that ended the last block, if it transferred control.
    last: Option<usize>,
    interrupted: bool,
    given: PendingOperands,
}

/// What was said before a block.
#[derive(Clone, Debug, Default)]
struct PendingOperands {
    /// Instruction, iterations, addresses, step.
    repeats: Vec<(u32, u64, Vec<u64>, i64)>,
    /// Instruction, reads, writes.
    operands: Vec<(u32, Vec<MemorySpan>, Vec<MemorySpan>)>,
    /// Reads, writes.
    kernel: Vec<(Vec<MemorySpan>, Vec<MemorySpan>)>,
}

/// The memory of one instance.
#[derive(Default)]
struct Accesses {
    reads: Vec<MemorySpan>,
    writes: Vec<MemorySpan>,
}

impl Stream {
    /// Takes in an event.
    pub(super) fn event(
        &mut self,
        program: &Program,
        thread: ThreadId,
        event: Event<'_>,
    ) -> Result<(), StreamError> {
        let state = self.threads.entry(thread).or_default();
        if state.ended {
            return Err(StreamError::Ended { thread });
        }
        match event {
            Event::Block {
                id,
                executed,
                addresses,
            } => {
                let block = program
                    .block(id)
                    .ok_or(StreamError::UndefinedBlock { thread, block: id })?;
                state.given.check(thread, id, block, executed, addresses)?;
                self.enter(thread, block);
                self.execute(thread, block, executed, addresses);
            }
            Event::Repeat {
                instruction,
                iterations,
                addresses,
                step,
            } => {
                let repeat = (instruction, iterations, addresses.to_vec(), step);
                state.given.repeats.push(repeat);
            }
            Event::Operands {
                instruction,
                reads,
                writes,
            } => {
                let operands = (instruction, reads.to_vec(), writes.to_vec());
                state.given.operands.push(operands);
            }
            Event::Kernel { reads, writes } => {
                state.given.kernel.push((reads.to_vec(), writes.to_vec()));
            }
            Event::Stack { bounds } => state.stack = Some(bounds),
            Event::Interrupted => state.interrupted = true,
            Event::End => state.ended = true,
        }
        Ok(())
    }

    /// What the beginning of a block says: where the last one's transfer went, and which calls begin and end.
    fn enter(&mut self, thread: ThreadId, block: &Block) {
        let state = self.threads.entry(thread).or_default();
        let here = block.instructions[0].address;
        let last = state.last.take();
        let interrupted = std::mem::take(&mut state.interrupted);
        let mut begins = interrupted.then_some(None);
        if let Some(last) = last
            && !interrupted
        {
            let last = &mut self.instances[last];
            let taken = here != last.behind;
            let jumped = match last.control {
                Control::Next | Control::System => false,
                Control::Branch { .. } => {
                    last.transfer = Some(Transfer::Conditional { taken });
                    taken
                }
                Control::Jump { .. } => true,
                Control::IndirectJump => {
                    last.transfer = Some(Transfer::Indirect { target: here });
                    true
                }
                Control::Call { .. } => {
                    begins = Some(Some(last.behind));
                    false
                }
                Control::IndirectCall => {
                    last.transfer = Some(Transfer::Indirect { target: here });
                    begins = Some(Some(last.behind));
                    false
                }
                Control::Return => {
                    last.transfer = Some(Transfer::Return { target: here });
                    end_calls(&mut state.calls, &self.calls, here);
                    false
                }
            };
            if jumped
                && block.entry
                && let Some(&innermost) = state.calls.last()
                && self.calls[innermost].routine != block.routine
            {
                state.calls.pop();
                begins = Some(self.calls[innermost].return_address);
            }
        }
        if state.calls.is_empty() && begins.is_none() {
            begins = Some(None);
        }
        if let Some(return_address) = begins {
            self.around.push(state.calls.clone());
            state.calls.push(self.calls.len());
            self.calls.push(Call {
                routine: block.routine,
                return_address,
            });
        }
    }

    /// The instances of a block.
    fn execute(&mut self, thread: ThreadId, block: &Block, executed: u32, addresses: &[u64]) {
        let given = std::mem::take(&mut self.threads.entry(thread).or_default().given);
        let mut addresses = addresses.iter().copied();
        let body = &block.instructions[..executed as usize];
        for (position, placed) in (0..).zip(body) {
            let slots = &placed.instruction.slots;
            let its: Vec<u64> = addresses.by_ref().take(slots.len()).collect();
            let repeat = given.repeats.iter().find(|repeat| repeat.0 == position);
            let operands = given.operands.iter().find(|given| given.0 == position);
            if let Some((_, reads, writes)) = operands {
                let accesses = Accesses {
                    reads: reads.clone(),
                    writes: writes.clone(),
                };
                self.instance((thread, block.routine), placed, accesses);
            } else if let Some((_, iterations, first, step)) = repeat {
                if *iterations == 0 {
                    self.instance((thread, block.routine), placed, Accesses::default());
                }
                for iteration in 0..*iterations {
                    let moved = step.wrapping_mul(iteration as i64);
                    let its: Vec<u64> = first
                        .iter()
                        .map(|address| address.wrapping_add_signed(moved))
                        .collect();
                    self.instance(
                        (thread, block.routine),
                        placed,
                        slot_accesses(&placed.instruction, &its),
                    );
                }
            } else {
                self.instance(
                    (thread, block.routine),
                    placed,
                    slot_accesses(&placed.instruction, &its),
                );
            }
        }
        let Some(last) = body.last() else { return };
        let at = self.instances.len() - 1;
        if last.instruction.control == Control::System {
            let call = &mut self.instances[at];
            for (reads, writes) in &given.kernel {
                call.reads
                    .extend(reads.iter().flat_map(|span| bytes(*span)));
                call.operands
                    .extend(writes.iter().map(|span| bytes(*span).collect()));
            }
        }
        if body.len() == block.instructions.len() {
            self.threads.entry(thread).or_default().last = Some(at);
        }
    }

    fn instance(
        &mut self,
        (thread, routine): (ThreadId, RoutineId),
        placed: &PlacedInstruction,
        accesses: Accesses,
    ) {
        let state = self.threads.entry(thread).or_default();
        let instruction = &placed.instruction;
        let top = state.x87_top;
        let register = |location: &Location| {
            let location = match location.x87_number() {
                Some(number) => Location::x87((top + i32::from(number)).rem_euclid(8) as u8),
                None => *location,
            };
            StorageCell::Register(thread, location.index())
        };
        state.x87_top = (top + i32::from(instruction.x87_move)).rem_euclid(8);
        let read: Vec<StorageCell> = accesses.reads.iter().flat_map(|s| bytes(*s)).collect();
        let operands: Vec<Vec<StorageCell>> = accesses
            .writes
            .iter()
            .map(|span| bytes(*span).collect())
            .collect();
        self.instances.push(Instance {
            thread,
            routine,
            address: placed.address,
            behind: placed.address.wrapping_add(u64::from(placed.length)),
            class: instruction.class,
            control: instruction.control,
            creates_value: instruction.creates_value(),
            moves_stack: instruction.moves_stack(),
            only_adds_to: instruction.only_adds_to(),
            memory_source: !read.is_empty(),
            reads: instruction.reads.iter().map(register).chain(read).collect(),
            registers: instruction.writes.iter().map(register).collect(),
            stores: operands.iter().any(|operand| !operand.is_empty()),
            operands,
            stack: state.stack,
            transfer: None,
            calls: state.calls.clone(),
        });
    }
}

impl PendingOperands {
    /// Whether all fits the block.
    fn check(
        &self,
        thread: ThreadId,
        id: BlockId,
        block: &Block,
        executed: u32,
        addresses: &[u64],
    ) -> Result<(), StreamError> {
        let Some(body) = block.instructions.get(..executed as usize) else {
            return Err(StreamError::Executed {
                thread,
                block: id,
                executed,
                instructions: block.instructions.len(),
            });
        };
        let check_addresses = |given: usize, slots: usize| {
            if given == slots {
                Ok(())
            } else {
                Err(StreamError::Addresses {
                    thread,
                    block: id,
                    given,
                    slots,
                })
            }
        };
        let slots = |placed: &PlacedInstruction| placed.instruction.slots.len();
        check_addresses(addresses.len(), body.iter().map(slots).sum())?;
        let mut seen = BTreeSet::new();
        let repeated = self.repeats.iter().map(|repeat| repeat.0);
        for instruction in repeated.chain(self.operands.iter().map(|given| given.0)) {
            if instruction >= executed || !seen.insert(instruction) {
                return Err(StreamError::Operands {
                    thread,
                    block: id,
                    instruction,
                });
            }
        }
        for (instruction, _, first, _) in &self.repeats {
            check_addresses(first.len(), slots(&body[*instruction as usize]))?;
        }
        let last = body.last().map(|placed| placed.instruction.control);
        if !self.kernel.is_empty() && last != Some(Control::System) {
            return Err(StreamError::Kernel { thread, block: id });
        }
        Ok(())
    }
}

fn slot_accesses(instruction: &Instruction, addresses: &[u64]) -> Accesses {
    let mut accesses = Accesses::default();
    for (slot, &address) in instruction.slots.iter().zip(addresses) {
        let size = u64::from(slot.size);
        if slot.read {
            accesses.reads.push(MemorySpan { address, size });
        }
        if slot.write {
            accesses.writes.push(MemorySpan { address, size });
        }
    }
    accesses
}

fn bytes(span: MemorySpan) -> impl Iterator<Item = StorageCell> {
    let end = span.address.saturating_add(span.size);
    (span.address..end).map(StorageCell::Byte)
}

/// A return to `here`: the innermost call that should return there ends with all within it; else the innermost one, if
/// nobody knows where that returns to.
fn end_calls(open: &mut Vec<usize>, calls: &[Call], here: u64) {
    let matching = open
        .iter()
        .rposition(|&call| calls[call].return_address == Some(here));
    if let Some(matching) = matching {
        open.truncate(matching);
    } else if let Some(&innermost) = open.last()
        && calls[innermost].return_address.is_none()
    {
        open.pop();
    }
}
