//! By how much an instruction changes a register, where that is a known number.

use crate::dr::{self, InstrPtr, Operand, Register};
use crate::opcodes::SpecialOpcode;

/// How a push or pop moves the stack pointer, if nothing else does.
pub(super) unsafe fn stack_change(instr: InstrPtr, special: SpecialOpcode) -> Option<i64> {
    // SAFETY: the caller has an instruction of the program.
    unsafe {
        let targets = dr::instr_num_dsts(instr) as u32;
        if special == SpecialOpcode::Push {
            let operand = (0..targets)
                .map(|i| dr::instr_get_dst(instr, i))
                .find(|&operand| dr::opnd_is_memory_reference(operand))?;
            return Some(-i64::from(dr::opnd_size_in_bytes(dr::opnd_get_size(
                operand,
            ))));
        }
        let first = dr::instr_get_dst(instr, 0);
        if dr::opnd_is_reg(first) && dr::opnd_get_reg(first) == dr::RSP && targets > 1 {
            let popped = (0..targets).filter(|&i| {
                let operand = dr::instr_get_dst(instr, i);
                dr::opnd_is_reg(operand) && dr::opnd_get_reg(operand) == dr::RSP
            });
            if popped.count() > 1 {
                return None; // pop rsp
            }
        }
        let operand = (0..dr::instr_num_srcs(instr) as u32)
            .map(|i| dr::instr_get_src(instr, i))
            .find(|&operand| dr::opnd_is_memory_reference(operand))?;
        Some(dr::opnd_size_in_bytes(dr::opnd_get_size(operand)).into())
    }
}

/// An instruction whose only effect on 64-bit registers is `to = from + by`.
pub(super) unsafe fn change(
    instr: InstrPtr,
    special: SpecialOpcode,
) -> Option<(Register, Register, i64)> {
    // SAFETY: the caller has an instruction of the program.
    unsafe {
        if dr::instr_num_dsts(instr) != 1 {
            return None;
        }
        let register = |operand: Operand| {
            dr::opnd_is_reg(operand)
                .then(|| dr::opnd_get_reg(operand))
                .filter(|register| (dr::RAX..=dr::R15).contains(register))
        };
        let to = register(dr::instr_get_dst(instr, 0))?;
        let sources = || (0..dr::instr_num_srcs(instr) as u32).map(|i| dr::instr_get_src(instr, i));
        let number = || {
            sources()
                .find(|&operand| dr::opnd_is_immed_int(operand))
                .map(|operand| dr::opnd_get_immed_int(operand) as i64)
        };
        match special {
            SpecialOpcode::Add => Some((to, to, number()?)),
            SpecialOpcode::Subtract => Some((to, to, number()?.checked_neg()?)),
            SpecialOpcode::Increment => Some((to, to, 1)),
            SpecialOpcode::Decrement => Some((to, to, -1)),
            SpecialOpcode::Move => Some((to, register(sources().next()?)?, 0)),
            SpecialOpcode::Address => {
                let operand = sources().next()?;
                let base = dr::opnd_get_base(operand);
                let plain = dr::opnd_is_base_disp(operand)
                    && dr::opnd_get_index(operand) == 0
                    && (dr::RAX..=dr::R15).contains(&base);
                plain.then(|| (to, base, dr::opnd_get_disp(operand).into()))
            }
            _ => None,
        }
    }
}

/// What a pop into memory adds to the address of its target: the stack pointer moves first.
pub(super) unsafe fn pop_size(instr: InstrPtr, special: SpecialOpcode, operand: Operand) -> i64 {
    // SAFETY: the caller has an instruction of the program.
    unsafe {
        let target = special == SpecialOpcode::Pop
            && dr::opnd_same(dr::instr_get_dst(instr, 0), operand)
            && dr::opnd_get_base(operand) == dr::RSP;
        if target {
            dr::opnd_size_in_bytes(dr::opnd_get_size(operand)).into()
        } else {
            0
        }
    }
}
