//! Where tables of latencies, and of what counts, have an instruction.

use parascan_isa::InstructionClass;

/// Where a table of latencies, and one of what counts, has an instruction.
pub fn latency_index(class: InstructionClass, creates: bool, memory_source: bool) -> u8 {
    class as u8 * 4 + u8::from(creates) * 2 + u8::from(memory_source)
}

/// Where the tables have what a stack engine does in the place of an instruction, and behind that the same with a
/// memory source: it is no operation, and takes no steps.
pub const FREE: u8 = InstructionClass::ALL.len() as u8 * 4;

/// Number of indices [`latency_index`] gives, [`FREE`] included.
pub const LATENCIES: usize = 128;
const _: () = assert!((FREE as usize) + 1 < LATENCIES);
