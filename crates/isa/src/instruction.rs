//! The static facts of one instruction.

use crate::location::SingleRegister;
use crate::{InstructionClass, Location};

/// What an instruction does, wherever and whenever it is executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Class, for latencies and units.
    pub class: InstructionClass,
    /// How control leaves it.
    pub control: Control,
    /// Register parts read, address registers included; sorted, each once.
    pub reads: Vec<Location>,
    /// Register parts written; sorted, each once.
    pub writes: Vec<Location>,
    /// Memory operands, in the order in which the front-end reports them: those that are read (a read-modify-write
    /// operand is one slot), then those only written; implicit stack accesses included. Of a `rep` instruction those of
    /// one iteration. None for `lea`, `nop`, prefetches and cache control. A store under a mask also reads: it merges.
    pub slots: Vec<MemoryOperand>,
    /// Whether number, size or address of its memory operands are known only when it is executed (gathers, scatters,
    /// `xsave`, `bt` of memory by a register, ...): then `slots` is empty and each access comes with its own size and
    /// direction.
    pub dynamic: bool,
    /// By how much the x87 stack top moves: -1 for a push, 1 for a pop.
    pub x87_move: i8,
    /// The general register, by its number, that becomes what it was plus a constant: the one that `add`, `sub` (of a
    /// constant that stands in the instruction), `inc`, `dec` and `lea` write at 32 or 64 bits; the stack pointer (4)
    /// of what pushes or pops, calls and returns included. It is read, and all its parts are written.
    pub adds_to: Option<u8>,
}

/// A memory operand. One that is read and written (`add [m], r`) is one slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryOperand {
    /// Whether it is read.
    pub read: bool,
    /// Whether it is written.
    pub write: bool,
    /// Bytes accessed.
    pub size: u16,
}

/// How control leaves an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// To the next one.
    Next,
    /// To the next one or to the target.
    Branch {
        /// Where a taken branch goes.
        target: u64,
    },
    /// To a fixed target.
    Jump {
        /// Where it goes.
        target: u64,
    },
    /// To a target from a register or memory.
    IndirectJump,
    /// A call of a fixed target.
    Call {
        /// What is called.
        target: u64,
    },
    /// A call of a target from a register or memory.
    IndirectCall,
    /// Back to the caller.
    Return,
    /// Into the kernel and back to the next one.
    System,
}

impl Instruction {
    /// Whether it moves the stack pointer by a constant, whatever else it does.
    pub fn moves_stack(&self) -> bool {
        self.adds_to == Some(Location::STACK_POINTER)
    }

    /// The general register to which it adds a constant, if it does nothing else (but for flags).
    pub fn only_adds_to(&self) -> Option<u8> {
        let memory = self.dynamic || !self.slots.is_empty();
        self.adds_to
            .filter(|_| !memory && self.control == Control::Next)
    }

    /// Whether it creates a value: writes memory, or a register other than flags, x87 condition codes, and (for calls
    /// and returns) the stack pointer. Jumps, calls and returns do not (Paragraph, section 4: "does not include control
    /// instructions").
    pub fn creates_value(&self) -> bool {
        matches!(self.control, Control::Next | Control::System)
            && (self.class == InstructionClass::Store
                || self.slots.iter().any(|slot| slot.write)
                || self.writes.iter().any(|&location| {
                    !location.is_flags() && location != Location::single(SingleRegister::X87Status)
                }))
    }
}
