//! Code by which a block's code calls functions in the middle of everything: all registers are as before behind it.

use iced_x86::{Code, MemoryOperand, Register};

use super::DataLayout;
use super::assembler::{Assembler, Operand, at};
use super::frame::{CELLS, SCRATCH, SHARED, STATE, vector};

/// Addresses of that code, by what it calls.
#[derive(Clone, Copy, Debug)]
pub struct CallStubs {
    /// Makes [`vector::START`] as deep as the memory at an address ([`SCRATCH`]`[1]`) of a size ([`SCRATCH`]`[0]`).
    pub read: i64,
    /// Makes that memory as deep as [`vector::START`].
    pub write: i64,
    /// Counts what is pending.
    pub settle: i64,
    /// So many instances ([`SCRATCH`]`[1]`) were put into the windows.
    pub close: i64,
}

/// Registers that a function may change, but for those that are for anything in between.
const KEPT: [Register; 6] = [
    SHARED,
    STATE,
    CELLS,
    Register::RCX,
    Register::R8,
    Register::R9,
];
const VECTORS: u32 = 16;
const VECTOR: i64 = 32;

/// The code, and how far into it each function's is; in the order of [`CallStubs`].
pub fn code(layout: &DataLayout) -> Option<(Vec<u8>, [usize; 4])> {
    let mut code = Assembler::new();
    let functions = [
        (layout.read, SHARED),
        (layout.write, SHARED),
        (layout.settle, SHARED),
        (layout.close, STATE),
    ];
    let starts = functions.map(|(function, first)| {
        let start = code.length();
        stub(&mut code, function, first);
        start
    });
    let length = code.length();
    let (code, _) = code.finish(length, &[], |_, _| Some(0))?;
    Some((code, starts))
}

/// Where a vector is kept.
fn place(vector: u32) -> MemoryOperand {
    at(Register::RSP, VECTOR * i64::from(vector))
}

fn stub(code: &mut Assembler, function: i64, first: Register) {
    let moved = Code::Mov_r64_rm64;
    code.one(Code::Push_r64, Register::RBP);
    code.two(moved, Register::RBP, Operand::Register(Register::RSP));
    for register in KEPT {
        code.one(Code::Push_r64, register);
    }
    let room = VECTOR * i64::from(VECTORS);
    code.number(Code::Sub_rm64_imm32, Register::RSP, room as i32);
    code.number(Code::And_rm64_imm8, Register::RSP, -(VECTOR as i32));
    for vector in 0..VECTORS {
        let register = Register::YMM0 + vector;
        code.to(Code::VEX_Vmovdqu_ymmm256_ymm, place(vector), register);
    }
    code.add(Ok(iced_x86::Instruction::with(Code::VEX_Vzeroupper)));
    if first != Register::RDI {
        code.two(moved, Register::RDI, Operand::Register(first));
    }
    code.two(moved, Register::RSI, Operand::Register(SCRATCH[1]));
    code.two(moved, Register::RDX, Operand::Register(SCRATCH[0]));
    let start = Operand::Memory(place(vector::START));
    code.two(Code::Lea_r64_m, Register::RCX, start);
    code.set(Register::RAX, function);
    code.one(Code::Call_rm64, Register::RAX);
    for vector in 0..VECTORS {
        let register = Register::YMM0 + vector;
        let from = Operand::Memory(place(vector));
        code.two(Code::VEX_Vmovdqu_ymm_ymmm256, register, from);
    }
    let pushed = 8 * KEPT.len() as i64;
    let top = Operand::Memory(at(Register::RBP, -pushed));
    code.two(Code::Lea_r64_m, Register::RSP, top);
    for register in KEPT.into_iter().rev() {
        code.one(Code::Pop_r64, register);
    }
    code.one(Code::Pop_r64, Register::RBP);
    code.add(Ok(iced_x86::Instruction::with(Code::Retnq)));
}
