//! Latency of plain instructions: the table in `docs/semantics.md`.

use parascan_formats::latency::LatencyTable;

use crate::ir::{Opcode, Operation};

/// Latency of an instruction that computes; None where an instruction takes the time of its operands only.
pub fn latency(operation: &Operation, table: &LatencyTable) -> Option<u32> {
    use Opcode::*;
    Some(match operation {
        Operation::Binary(opcode) => match opcode {
            LLVMAdd | LLVMSub => table.int_add,
            LLVMMul => table.int_mul,
            LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem => table.int_div,
            LLVMFAdd | LLVMFSub => table.fp_add,
            LLVMFMul => table.fp_mul,
            LLVMFDiv | LLVMFRem => table.fp_div,
            _ => table.int_logic,
        },
        Operation::Negate => table.fp_add,
        Operation::CompareInt(_) => table.int_compare,
        Operation::CompareReal(_) => table.fp_compare,
        Operation::Select => table.select,
        Operation::Cast(
            LLVMFPToUI | LLVMFPToSI | LLVMUIToFP | LLVMSIToFP | LLVMFPTrunc | LLVMFPExt,
        ) => table.fp_convert,
        _ => return None,
    })
}
