//! The static side of a stream: basic blocks and the routines they belong to.

use std::sync::Arc;

use parascan_isa::Instruction;

/// Number of a basic block, as the stream uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

/// Number of a routine; who builds the [`Program`] chooses them, from 0 upwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RoutineId(pub u32);

/// One instruction at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedInstruction {
    /// Where its first byte lies in the process, as jumps and returns have it.
    pub address: u64,
    /// Bytes long.
    pub length: u8,
    /// Locations it reads and writes, class, memory operands, transfer of control.
    pub instruction: Instruction,
}

/// A straight run of instructions with one entry and its only transfer of control (if any) at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its instructions; at least one.
    pub instructions: Vec<PlacedInstruction>,
    /// The routine it belongs to.
    pub routine: RoutineId,
    /// Whether its first instruction is the routine's first: a jump to it is a tail call.
    pub entry: bool,
}

/// All blocks of a process; grows while the stream is read.
#[derive(Clone, Debug, Default)]
pub struct Program {
    blocks: Vec<Option<Arc<Block>>>,
    redefined: Vec<BlockId>,
}

impl Program {
    /// Adds a block, or replaces it (code that changed). Programs may share blocks.
    pub fn define(&mut self, id: BlockId, block: impl Into<Arc<Block>>) {
        let index = id.0 as usize;
        if index >= self.blocks.len() {
            self.blocks.resize(index + 1, None);
        }
        if self.blocks[index].replace(block.into()).is_some() {
            self.redefined.push(id);
        }
    }

    /// Blocks that were replaced, in the order in which that happened: who keeps something of a block looks here.
    pub fn redefined(&self) -> &[BlockId] {
        &self.redefined
    }

    /// The block of a number, if it was defined.
    pub fn block(&self, id: BlockId) -> Option<&Block> {
        self.blocks.get(id.0 as usize)?.as_deref()
    }
}
