//! How many physical registers an instruction takes.

use parascan_isa::{Instruction, RegisterKind};

use super::StackPointer;

/// Registers of each kind (general, vector) that an instruction writes, in part or in whole. What a stack engine does
/// in its place it does not write.
pub fn taken(instruction: &Instruction, stack_pointer: StackPointer) -> [u32; 2] {
    let kept = stack_pointer == StackPointer::Engine && instruction.moves_stack();
    let written = instruction.writes.iter();
    let mut written: Vec<_> = written
        .filter(|location| !(kept && location.is_stack_pointer()))
        .filter_map(|location| Some((location.register(), location.kind()?)))
        .collect();
    written.sort_unstable_by_key(|&(register, _)| register);
    written.dedup();
    [RegisterKind::General, RegisterKind::Vector]
        .map(|kind| written.iter().filter(|(_, of)| *of == kind).count() as u32)
}
