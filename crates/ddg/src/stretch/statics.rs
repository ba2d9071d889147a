//! The different instructions of a stretch: all blocks that contain an address share one.

use std::collections::HashMap;

use parascan_isa::{Instruction, InstructionClass, Location};

use crate::model::{Count, MachineModel, StackPointer, taken};
use crate::program::{Block, BlockId, Program, RoutineId};

/// Most different instructions of a stretch: an instance keeps 24 bits of the number of its own.
pub(super) const MOST_STATICS: usize = 1 << 24;

/// Number of an instruction within a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StaticId(pub u32);

impl StaticId {
    /// Position in [`super::Recording::statics`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An instruction at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Static {
    /// Where its first byte lies in the process.
    pub address: u64,
    /// Bytes long.
    pub length: u8,
    /// The routine it belongs to.
    pub routine: RoutineId,
    /// Locations it reads and writes, class, memory operands, transfer of control.
    pub instruction: Instruction,
    /// Whether the model counts its instances as operations.
    pub counted: bool,
    /// Physical registers that an instance takes, of each kind.
    pub(super) taken: [u32; 2],
    /// Steps an instance takes, without those of a memory source.
    pub(super) steps: u32,
    /// Steps that a memory source adds.
    pub(super) load_steps: u32,
}

/// Instructions met so far, and the blocks they are in.
#[derive(Debug, Default)]
pub(super) struct Statics {
    pub all: Vec<Static>,
    by_address: HashMap<u64, StaticId>,
    /// The instructions of blocks seen before.
    blocks: Vec<Option<Box<[StaticId]>>>,
    /// Of the program's replaced blocks those already forgotten here.
    forgotten: usize,
}

impl Statics {
    /// Makes sure that the instructions of a block are known; `false` if there are too many.
    pub fn know(
        &mut self,
        model: &MachineModel,
        program: &Program,
        id: BlockId,
        block: &Block,
    ) -> bool {
        let index = id.0 as usize;
        for replaced in &program.redefined()[self.forgotten..] {
            if let Some(known) = self.blocks.get_mut(replaced.0 as usize) {
                *known = None;
            }
        }
        self.forgotten = program.redefined().len();
        if let Some(Some(_)) = self.blocks.get(index) {
            return true;
        }
        if self.all.len() + block.instructions.len() > MOST_STATICS {
            return false;
        }
        let numbers = block
            .instructions
            .iter()
            .map(|placed| {
                if let Some(known) = self.by_address.get(&placed.address)
                    && self.all[known.index()].instruction == placed.instruction
                {
                    return *known;
                }
                let number = StaticId(self.all.len() as u32);
                self.all.push(Static::new(
                    model,
                    placed.address,
                    placed.length,
                    block.routine,
                    &placed.instruction,
                ));
                self.by_address.insert(placed.address, number);
                number
            })
            .collect();
        if index >= self.blocks.len() {
            self.blocks.resize_with(index + 1, || None);
        }
        self.blocks[index] = Some(numbers);
        true
    }

    /// The number of an instruction of a block that is known.
    pub fn number(&self, id: BlockId, instruction: usize) -> StaticId {
        self.blocks[id.0 as usize]
            .as_ref()
            .map_or(StaticId(0), |numbers| numbers[instruction])
    }
}

impl Static {
    fn new(
        model: &MachineModel,
        address: u64,
        length: u8,
        routine: RoutineId,
        instruction: &Instruction,
    ) -> Self {
        let counts = match model.count {
            Count::All => true,
            Count::Values => instruction.creates_value(),
            Count::Float => instruction.class.is_float_arithmetic(),
        };
        let only_moves_stack = instruction.only_adds_to() == Some(Location::STACK_POINTER);
        let counted = counts && !(model.stack_pointer == StackPointer::Engine && only_moves_stack);
        let steps = |class: InstructionClass| u32::from(model.latency.steps[class as usize]);
        let adds =
            counted && model.latency.load_adds && instruction.class != InstructionClass::Load;
        Self {
            address,
            length,
            routine,
            instruction: instruction.clone(),
            counted,
            taken: taken(instruction, model.stack_pointer),
            steps: if counted { steps(instruction.class) } else { 0 },
            load_steps: if adds {
                steps(InstructionClass::Load)
            } else {
                0
            },
        }
    }
}
