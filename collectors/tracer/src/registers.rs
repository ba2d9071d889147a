//! Which general registers an instruction uses: all of them at once, where DynamoRIO answers for one register at a
//! time.

use core::sync::atomic::AtomicU16;
use core::sync::atomic::Ordering::Relaxed;

use crate::dr::{self, InstrPtr, Operand, Register};

/// A set of registers of 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegisterSet(u16);

impl RegisterSet {
    /// Whether a register of 64 bits is in the set.
    pub fn has(self, register: Register) -> bool {
        self.0 >> (register - dr::RAX) & 1 != 0
    }

    /// Both together.
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// For each register that is general or part of one, that one; nothing for others.
static WHOLE: [AtomicU16; dr::XMM0 as usize] = [const { AtomicU16::new(0) }; dr::XMM0 as usize];

/// Asks which registers are parts of which.
pub fn init() {
    for register in dr::RAX..dr::XMM0 {
        // SAFETY: it is a register's number.
        let whole = unsafe { dr::reg_to_pointer_sized(register) };
        if (dr::RAX..=dr::R15).contains(&whole) {
            WHOLE[usize::from(register)].store(1 << (whole - dr::RAX), Relaxed);
        }
    }
}

fn whole(register: Register) -> u16 {
    let found = WHOLE.get(usize::from(register));
    found.map_or(0, |it| it.load(Relaxed))
}

/// The registers that an operand is, or that its address depends on.
unsafe fn of(operand: Operand) -> u16 {
    // SAFETY: the caller has an operand.
    unsafe {
        if dr::opnd_is_reg(operand) {
            whole(dr::opnd_get_reg(operand))
        } else if dr::opnd_is_base_disp(operand) {
            whole(dr::opnd_get_base(operand)) | whole(dr::opnd_get_index(operand))
        } else {
            0
        }
    }
}

/// Registers that an instruction reads or writes, or parts of which it does, for addresses, too.
///
/// # Safety
/// `instr` must be an instruction of the program.
pub unsafe fn used(instr: InstrPtr) -> RegisterSet {
    // SAFETY: as promised by the caller.
    unsafe {
        let sources = (0..dr::instr_num_srcs(instr) as u32).map(|i| dr::instr_get_src(instr, i));
        let targets = (0..dr::instr_num_dsts(instr) as u32).map(|i| dr::instr_get_dst(instr, i));
        let all = sources.chain(targets);
        RegisterSet(all.fold(0, |all, operand| all | of(operand)))
    }
}

/// Registers that an instruction writes, or may write, or parts of which it does.
///
/// # Safety
/// `instr` must be an instruction of the program.
pub unsafe fn written(instr: InstrPtr) -> RegisterSet {
    // SAFETY: as promised by the caller.
    unsafe {
        let targets = (0..dr::instr_num_dsts(instr) as u32).map(|i| dr::instr_get_dst(instr, i));
        let registers = targets.filter(|&operand| dr::opnd_is_reg(operand));
        RegisterSet(registers.fold(0, |all, operand| all | of(operand)))
    }
}
