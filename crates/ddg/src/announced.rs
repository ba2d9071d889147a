//! Memory operands that come before their block, for an instruction of which only execution tells what it accesses.

use crate::event::{Event, MemorySpan};

/// Memory operands of an instruction of the next block, in the place of the addresses that come with that.
#[derive(Clone, Debug)]
pub struct AnnouncedOperands {
    /// Position of the instruction in the block.
    pub instruction: u32,
    /// What it accesses.
    pub operands: OperandForm,
}

/// In which form operands are announced.
#[derive(Clone, Debug)]
pub enum OperandForm {
    /// So many instances, each of which accesses the instruction's slots.
    Repeat {
        /// How many there are; 0 is one instance without memory operands.
        iterations: u64,
        /// Addresses in the first one.
        addresses: Vec<u64>,
        /// Bytes from one to the next.
        step: i64,
    },
    /// One instance that accesses this memory.
    Spans {
        /// What it reads.
        reads: Vec<MemorySpan>,
        /// What it writes.
        writes: Vec<MemorySpan>,
    },
}

impl AnnouncedOperands {
    /// What an event announces, none where it is of another kind. `kept` says what is kept of the memory.
    pub fn of(event: &Event<'_>, kept: impl Fn(&[MemorySpan]) -> Vec<MemorySpan>) -> Option<Self> {
        let (instruction, operands) = match *event {
            Event::Repeat {
                instruction,
                iterations,
                addresses,
                step,
            } => {
                let addresses = addresses.to_vec();
                let form = OperandForm::Repeat {
                    iterations,
                    addresses,
                    step,
                };
                (instruction, form)
            }
            Event::Operands {
                instruction,
                reads,
                writes,
            } => {
                let (reads, writes) = (kept(reads), kept(writes));
                (instruction, OperandForm::Spans { reads, writes })
            }
            _ => return None,
        };
        Some(Self {
            instruction,
            operands,
        })
    }
}
