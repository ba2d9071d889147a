//! Writes code that moves levels: of all lanes at once, as wide as there are lanes.

use iced_x86::{Code, MemoryOperand, Register};

use super::DataLayout;
use super::assembler::{Assembler, Operand};
use super::frame::vector;
use super::stubs::CallStubs;

/// Code in the making, and what it must know of where things are.
pub struct LevelWriter<'a> {
    pub code: Assembler,
    pub layout: &'a DataLayout,
    pub stubs: CallStubs,
}

impl LevelWriter<'_> {
    /// Logarithm of the bytes of levels of all lanes.
    pub fn size_shift(&self) -> u32 {
        2 + self.layout.lanes.trailing_zeros()
    }

    /// A vector register, as wide as levels of all lanes.
    pub fn register(&self, number: u32) -> Register {
        match self.layout.lanes {
            8 => Register::YMM0 + number,
            _ => Register::XMM0 + number,
        }
    }

    pub fn by_width(&self, narrow: Code, wide: Code) -> Code {
        match self.layout.lanes {
            8 => wide,
            _ => narrow,
        }
    }

    /// Levels from memory.
    pub fn load(&mut self, to: u32, from: MemoryOperand) {
        if self.layout.lanes == 1 {
            let to = Register::XMM0 + to;
            self.code
                .two(Code::VEX_Vmovd_xmm_rm32, to, Operand::Memory(from));
            return;
        }
        let code = self.by_width(Code::VEX_Vmovdqu_xmm_xmmm128, Code::VEX_Vmovdqu_ymm_ymmm256);
        self.code
            .two(code, self.register(to), Operand::Memory(from));
    }

    /// Levels to memory.
    pub fn store(&mut self, to: MemoryOperand, from: u32) {
        let code = match self.layout.lanes {
            1 => Code::VEX_Vmovd_rm32_xmm,
            8 => Code::VEX_Vmovdqu_ymmm256_ymm,
            _ => Code::VEX_Vmovdqu_xmmm128_xmm,
        };
        self.code.to(code, to, self.register(from));
    }

    /// Levels of a register to another one.
    pub fn copy(&mut self, to: u32, from: u32) {
        if to != from {
            let code = self.by_width(Code::VEX_Vmovdqu_xmm_xmmm128, Code::VEX_Vmovdqu_ymm_ymmm256);
            let from = Operand::Register(self.register(from));
            self.code.two(code, self.register(to), from);
        }
    }

    /// The larger levels, of a register and something else.
    pub fn max(&mut self, to: u32, a: u32, b: Operand) {
        let b = match b {
            Operand::Memory(memory) if self.layout.lanes == 1 => {
                self.load(vector::OPERAND, memory);
                Operand::Register(self.register(vector::OPERAND))
            }
            b => b,
        };
        let code = self.by_width(
            Code::VEX_Vpmaxud_xmm_xmm_xmmm128,
            Code::VEX_Vpmaxud_ymm_ymm_ymmm256,
        );
        let (to, a) = (self.register(to), self.register(a));
        self.code.three(code, to, a, b);
    }

    /// Shifts a register by a number, which may be none.
    pub fn shift(&mut self, code: Code, register: Register, by: u32) {
        if by > 0 {
            self.code.number(code, register, by as i32);
        }
    }
}
