//! How a block's words in the trace become an event, worked out once when the block is defined.

use parascan_ddg::program::{BlockId, PlacedInstruction, RoutineId};
use parascan_formats::trace::{Instruction as TracedInstruction, SlotKind, TraceBlock as Traced};
use parascan_isa::{Control, Instruction, InstructionClass, MemoryOperand, decode};

/// What to do with a block's words.
#[derive(Debug)]
pub struct BlockLayout {
    /// The block without a system call at its end; of one that is nothing but a system call, that.
    pub body: BlockId,
    /// Instructions of the body; 0 where there is none.
    pub length: u32,
    /// The system call at the end, as a block of its own: what the kernel does is known only after it.
    pub system: Option<BlockId>,
    /// Words in the trace, the head included.
    pub words: usize,
    /// Word and displacement of each address; `None` where the block has operands of other kinds.
    pub addresses: Option<Box<[(u16, u64)]>>,
    /// Whether the scope begins here.
    pub starts: bool,
    /// The routine that its first instruction belongs to.
    pub routine: RoutineId,
    /// The symbol, if it is an entry of the PLT.
    pub plt: Option<String>,
    /// Whether its routine has no name, and begins here.
    pub nameless: bool,
}

/// A block's instructions, decoded.
#[derive(Debug)]
pub struct Decoded {
    /// In order.
    pub instructions: Vec<PlacedInstruction>,
    /// Instructions that are not understood, or whose memory operands are others than the front-end saw.
    pub doubtful: Vec<u64>,
}

impl Decoded {
    /// The instructions of a block. Memory operands are those that the front-end reports.
    pub fn new(block: &Traced) -> Self {
        let mut doubtful = Vec::new();
        let instructions = block
            .instructions
            .iter()
            .map(|traced| {
                let (instruction, agrees) = instruction(traced);
                if !agrees {
                    doubtful.push(traced.pc);
                }
                PlacedInstruction {
                    address: traced.pc,
                    length: traced.bytes.len() as u8,
                    instruction,
                }
            })
            .collect();
        Self {
            instructions,
            doubtful,
        }
    }

    /// Cuts off a system call at the end.
    pub fn split_system(mut self) -> (Vec<PlacedInstruction>, Option<PlacedInstruction>) {
        let system = self
            .instructions
            .pop_if(|last| last.instruction.control == Control::System);
        (self.instructions, system)
    }
}

/// The facts of an instruction, and whether decoder and front-end agree on its memory operands.
fn instruction(traced: &TracedInstruction) -> (Instruction, bool) {
    let decoded = decode(&traced.bytes, traced.pc);
    let understood = decoded.is_ok();
    let mut instruction = decoded.map_or_else(|_| unknown(), |(instruction, _)| instruction);
    let slots: Vec<MemoryOperand> = traced
        .slots
        .iter()
        .filter(|slot| slot.kind == SlotKind::Memory)
        .map(|slot| MemoryOperand {
            read: slot.read,
            write: slot.write,
            size: slot.size,
        })
        .collect();
    if is_dynamic(traced) {
        instruction.slots.clear();
        return (instruction, understood);
    }
    let agrees = instruction.dynamic || instruction.slots == slots;
    instruction.slots = slots;
    (instruction, understood && agrees)
}

/// Whether number or place of its accesses is known only when it is executed.
pub fn is_dynamic(traced: &TracedInstruction) -> bool {
    traced
        .slots
        .iter()
        .any(|slot| matches!(slot.kind, SlotKind::Lanes | SlotKind::Masked))
}

/// Whether the words of a block are addresses of its slots and nothing else.
pub fn address_words(block: &Traced) -> Option<Box<[(u16, u64)]>> {
    block
        .instructions
        .iter()
        .flat_map(|instruction| &instruction.slots)
        .map(|slot| (slot.kind == SlotKind::Memory).then_some((slot.word, slot.displacement)))
        .collect()
}

fn unknown() -> Instruction {
    Instruction {
        class: InstructionClass::Other,
        control: Control::Next,
        reads: Vec::new(),
        writes: Vec::new(),
        slots: Vec::new(),
        dynamic: false,
        x87_move: 0,
        adds_to: None,
    }
}
