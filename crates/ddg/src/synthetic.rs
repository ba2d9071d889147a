//! Streams made by hand: for tests here and in other crates, and for benchmarks.

use parascan_isa::location::{Flags, GeneralPart, VectorPart};
use parascan_isa::{Control, Instruction, InstructionClass, Location, MemoryOperand};

use crate::event::{Event, MemorySpan, ThreadId};
use crate::program::{Block, BlockId, PlacedInstruction, Program, RoutineId};

/// An [`Event`] that owns what it holds; see there.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the fields are those of `Event`")]
pub enum OwnedEvent {
    /// [`Event::Block`].
    Block {
        id: BlockId,
        executed: u32,
        addresses: Vec<u64>,
    },
    /// [`Event::Repeat`].
    Repeat {
        instruction: u32,
        iterations: u64,
        addresses: Vec<u64>,
        step: i64,
    },
    /// [`Event::Operands`].
    Operands {
        instruction: u32,
        reads: Vec<MemorySpan>,
        writes: Vec<MemorySpan>,
    },
    /// [`Event::Kernel`].
    Kernel {
        reads: Vec<MemorySpan>,
        writes: Vec<MemorySpan>,
    },
    /// [`Event::Stack`].
    Stack { bounds: MemorySpan },
    /// [`Event::Interrupted`].
    Interrupted,
    /// [`Event::End`].
    End,
}

impl OwnedEvent {
    /// The event, borrowed.
    pub fn event(&self) -> Event<'_> {
        match self {
            Self::Block {
                id,
                executed,
                addresses,
            } => Event::Block {
                id: *id,
                executed: *executed,
                addresses,
            },
            Self::Repeat {
                instruction,
                iterations,
                addresses,
                step,
            } => Event::Repeat {
                instruction: *instruction,
                iterations: *iterations,
                addresses,
                step: *step,
            },
            Self::Operands {
                instruction,
                reads,
                writes,
            } => Event::Operands {
                instruction: *instruction,
                reads,
                writes,
            },
            Self::Kernel { reads, writes } => Event::Kernel { reads, writes },
            Self::Stack { bounds } => Event::Stack { bounds: *bounds },
            Self::Interrupted => Event::Interrupted,
            Self::End => Event::End,
        }
    }
}

/// What a thread of a made-up stream does next.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamStep {
    /// The program grows or changes.
    Define(BlockId, Block),
    /// A thread does something.
    Event(ThreadId, OwnedEvent),
}

/// A program and what its threads do, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    /// What happens, in order; blocks are defined before they are executed.
    pub steps: Vec<StreamStep>,
    blocks: Vec<Block>,
    end: u64,
}

/// Bytes of a synthetic instruction.
pub const LENGTH: u8 = 4;

/// Address of the first block that [`Stream::block`] makes.
pub const TEXT: u64 = 0x40_0000;

impl Default for Stream {
    fn default() -> Self {
        Self::new()
    }
}

impl Stream {
    /// A stream in which nothing happens yet.
    pub fn new() -> Self {
        Self {
            steps: Vec::new(),
            blocks: Vec::new(),
            end: TEXT,
        }
    }

    /// A block of one routine (number 0) that is executed once by thread 0: instructions with the addresses of their
    /// slots. Without any, nothing happens.
    pub fn straight<A: AsRef<[u64]>>(
        instructions: impl IntoIterator<Item = (Instruction, A)>,
    ) -> Self {
        let mut stream = Self::new();
        let mut addresses = Vec::new();
        let mut body = Vec::new();
        for (instruction, its) in instructions {
            addresses.extend_from_slice(its.as_ref());
            body.push(instruction);
        }
        if !body.is_empty() {
            let id = stream.block(RoutineId(0), true, body);
            stream.run(ThreadId(0), id, &addresses);
        }
        stream
    }

    /// Address at which the next block will begin, for branches to what is made later.
    pub fn next_address(&self) -> u64 {
        self.end
    }

    /// Address of a block made by [`Stream::block`].
    pub fn address(&self, id: BlockId) -> u64 {
        self.blocks[id.0 as usize].instructions[0].address
    }

    /// Makes a block right behind the one made before; each instruction is [`LENGTH`] bytes long.
    ///
    /// # Panics
    /// If there are no instructions.
    pub fn block(
        &mut self,
        routine: RoutineId,
        entry: bool,
        instructions: impl IntoIterator<Item = Instruction>,
    ) -> BlockId {
        let instructions = placed(self.end, instructions);
        self.end += instructions.len() as u64 * u64::from(LENGTH);
        assert!(!instructions.is_empty(), "a block has instructions");
        let id = BlockId(self.blocks.len() as u32);
        let block = Block {
            instructions,
            routine,
            entry,
        };
        self.blocks.push(block.clone());
        self.steps.push(StreamStep::Define(id, block));
        id
    }

    /// Puts other instructions in the place of a block made by [`Stream::block`], from here on (code that changed).
    ///
    /// # Panics
    /// If there are no instructions.
    pub fn redefine(
        &mut self,
        id: BlockId,
        routine: RoutineId,
        entry: bool,
        instructions: impl IntoIterator<Item = Instruction>,
    ) {
        let instructions = placed(self.address(id), instructions);
        assert!(!instructions.is_empty(), "a block has instructions");
        let block = Block {
            instructions,
            routine,
            entry,
        };
        self.blocks[id.0 as usize] = block.clone();
        self.steps.push(StreamStep::Define(id, block));
    }

    /// Lets a thread execute all instructions of a block made by [`Stream::block`]; an address for each slot.
    ///
    /// # Panics
    /// If the number of addresses is wrong.
    pub fn run(&mut self, thread: ThreadId, id: BlockId, addresses: &[u64]) {
        let instructions = &self.blocks[id.0 as usize].instructions;
        let slots: usize = instructions.iter().map(|i| i.instruction.slots.len()).sum();
        assert_eq!(slots, addresses.len(), "one address for each slot");
        let executed = instructions.len() as u32;
        self.event(
            thread,
            OwnedEvent::Block {
                id,
                executed,
                addresses: addresses.to_vec(),
            },
        );
    }

    /// Adds any event.
    pub fn event(&mut self, thread: ThreadId, event: OwnedEvent) {
        self.steps.push(StreamStep::Event(thread, event));
    }

    /// The same without events of other threads; all definitions stay.
    pub fn of_thread(&self, thread: ThreadId) -> Self {
        let mut stream = self.clone();
        stream.steps.retain(|step| match step {
            StreamStep::Define(..) => true,
            StreamStep::Event(who, _) => *who == thread,
        });
        stream
    }

    /// Gives all to a consumer, in order.
    ///
    /// # Errors
    /// The consumer's first error.
    pub fn replay<E>(
        &self,
        mut consumer: impl FnMut(&Program, ThreadId, Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut program = Program::default();
        for step in &self.steps {
            match step {
                StreamStep::Define(id, block) => program.define(*id, block.clone()),
                StreamStep::Event(thread, event) => consumer(&program, *thread, event.event())?,
            }
        }
        Ok(())
    }
}

/// Instructions one behind the other.
fn placed(
    address: u64,
    instructions: impl IntoIterator<Item = Instruction>,
) -> Vec<PlacedInstruction> {
    let place = |(number, instruction)| PlacedInstruction {
        address: address + number * u64::from(LENGTH),
        length: LENGTH,
        instruction,
    };
    (0..).zip(instructions).map(place).collect()
}

/// All parts of a general register.
pub fn general(number: u8) -> Vec<Location> {
    [GeneralPart::Low, GeneralPart::High, GeneralPart::Rest]
        .map(|part| Location::general(number, part))
        .to_vec()
}

/// The lower half of a vector register: a scalar.
pub fn scalar(number: u8) -> Vec<Location> {
    vec![Location::vector(number, VectorPart::Low)]
}

/// All flags but DF, as arithmetic writes them.
pub fn flags() -> Vec<Location> {
    [Flags::Carry, Flags::Overflow, Flags::Status]
        .map(Location::flags)
        .to_vec()
}

/// An instruction that reads and writes registers and goes on to the next.
pub fn instruction<'a>(
    class: InstructionClass,
    reads: impl IntoIterator<Item = &'a Vec<Location>>,
    writes: impl IntoIterator<Item = &'a Vec<Location>>,
) -> Instruction {
    let together = |lists: &mut dyn Iterator<Item = &'a Vec<Location>>| {
        let mut all: Vec<Location> = lists.flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    Instruction {
        class,
        control: Control::Next,
        reads: together(&mut reads.into_iter()),
        writes: together(&mut writes.into_iter()),
        slots: Vec::new(),
        dynamic: false,
        x87_move: 0,
        adds_to: None,
    }
}

/// The same instruction with another transfer of control.
pub fn leaving(control: Control, mut instruction: Instruction) -> Instruction {
    instruction.control = control;
    instruction
}

/// The same instruction with one more memory operand that is read.
pub fn reading(size: u16, mut instruction: Instruction) -> Instruction {
    instruction.slots.push(MemoryOperand {
        read: true,
        write: false,
        size,
    });
    instruction
}

/// The same instruction with one more memory operand that is written.
pub fn writing(size: u16, mut instruction: Instruction) -> Instruction {
    instruction.slots.push(MemoryOperand {
        read: false,
        write: true,
        size,
    });
    instruction
}

/// Eight bytes of memory into a register; `pointer` are the registers of the address.
pub fn load(to: &Vec<Location>, pointer: &[Vec<Location>]) -> Instruction {
    reading(8, instruction(InstructionClass::Load, pointer, [to]))
}

/// A register into eight bytes of memory; `pointer` are the registers of the address.
pub fn store(from: &Vec<Location>, pointer: &[Vec<Location>]) -> Instruction {
    writing(
        8,
        instruction(InstructionClass::Store, pointer.iter().chain([from]), []),
    )
}
