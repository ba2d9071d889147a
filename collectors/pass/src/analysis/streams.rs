//! Memory that a loop walks over.

use llvm_sys::prelude::*;
use parascan_formats::module::{AddressStep, MOST_STREAMS, MemoryStream};

use super::{Analysis, PsAnalysis, expression};
use crate::ir::{Opcode, Value};

/// Loops of which steps are known, as in the shim.
const LOOPS: usize = 8;

#[repr(C)]
#[derive(Clone, Copy)]
struct PsStep {
    kind: u32,
    by: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct PsStream {
    access: LLVMValueRef,
    base: LLVMValueRef,
    bytes: u32,
    reads: u32,
    writes: u32,
    loops: u32,
    steps: [PsStep; LOOPS],
}

unsafe extern "C" {
    fn ps_streams(analysis: *mut PsAnalysis, in_loop: u32, out: *mut PsStream, cap: u32) -> u32;
    fn ps_writes_to_frame(analysis: *mut PsAnalysis, in_loop: u32) -> i32;
}

impl Analysis {
    /// Whether a loop may write to the function's own frame at places that other iterations write to as well.
    pub fn writes_to_frame(&self, in_loop: usize) -> bool {
        shim!(ps_writes_to_frame(self.0, in_loop as u32)) != 0
    }

    /// Memory that a loop walks over outside of loops inside it, in a function; `number` gives what addresses start
    /// from their numbers. Steps are those of the loop and of all natural loops around it.
    pub fn streams(
        &self,
        function: Value,
        in_loop: usize,
        mut number: impl FnMut(Value) -> u32,
    ) -> Vec<MemoryStream> {
        let none = PsStream {
            access: std::ptr::null_mut(),
            base: std::ptr::null_mut(),
            bytes: 0,
            reads: 0,
            writes: 0,
            loops: 0,
            steps: [PsStep { kind: 0, by: 0 }; LOOPS],
        };
        let mut out = [none; MOST_STREAMS];
        let found = shim!(ps_streams(
            self.0,
            in_loop as u32,
            out.as_mut_ptr(),
            MOST_STREAMS as u32,
        )) as usize;
        let one = |stream: &PsStream| {
            let access = Value(stream.access);
            let address = access.operand(u32::from(access.opcode() == Opcode::LLVMStore));
            let steps = stream.steps[..stream.loops as usize].iter();
            MemoryStream {
                name: expression(address, function),
                line: access.line(),
                base: number(Value(stream.base)),
                bytes: stream.bytes,
                reads: stream.reads != 0,
                writes: stream.writes != 0,
                steps: steps.map(step).collect(),
            }
        };
        out[..found].iter().map(one).collect()
    }
}

fn step(step: &PsStep) -> AddressStep {
    match step.kind {
        0 => AddressStep::Same,
        1 => AddressStep::By(step.by),
        2 => AddressStep::Moves,
        _ => AddressStep::Irregular,
    }
}
