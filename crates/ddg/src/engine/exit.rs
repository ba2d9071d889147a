//! How control leaves a block.

use parascan_isa::Control;

use crate::program::PlacedInstruction;

/// How control left a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// To the next instruction, or a fault.
    Next,
    /// A conditional branch.
    Branch,
    /// A direct jump.
    Jump,
    /// An indirect jump.
    IndirectJump,
    /// A direct call.
    Call,
    /// An indirect call.
    IndirectCall,
    /// A return.
    Return,
    /// A system call.
    System,
}

impl Exit {
    /// Whether predictors want to know where it leads.
    pub fn is_predicted(self) -> bool {
        !matches!(self, Self::Next | Self::Jump | Self::System)
    }
}

/// How a block ended.
#[derive(Clone, Copy, Debug)]
pub struct BlockExit {
    /// Its transfer of control.
    pub exit: Exit,
    /// Address of its last instruction.
    pub address: u64,
    /// Address behind it.
    pub behind: u64,
}

impl BlockExit {
    /// Before anything was executed.
    pub const NONE: Self = Self {
        exit: Exit::Next,
        address: 0,
        behind: 0,
    };

    /// How a block ends whose last instruction is this one.
    pub fn of(last: Option<&PlacedInstruction>) -> Self {
        let Some(last) = last else {
            return Self::NONE;
        };
        let exit = match last.instruction.control {
            Control::Branch { .. } => Exit::Branch,
            Control::Jump { .. } => Exit::Jump,
            Control::IndirectJump => Exit::IndirectJump,
            Control::Call { .. } => Exit::Call,
            Control::IndirectCall => Exit::IndirectCall,
            Control::Return => Exit::Return,
            Control::System => Exit::System,
            Control::Next => Exit::Next,
        };
        Self {
            exit,
            address: last.address,
            behind: last.address.wrapping_add(u64::from(last.length)),
        }
    }
}
