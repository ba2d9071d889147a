//! Operands of which only the machine's state tells what is accessed: gathers, scatters, masks.

use crate::dr::{self, MachineContext, Register};
use crate::plan::{DynamicOperand, Selector, vector};
use crate::thread;

/// Writes the words of an operand.
///
/// # Safety
/// By generated code, within a block, with the program's values in [`DynamicOperand::registers`].
pub unsafe extern "C" fn find(operand: &'static DynamicOperand) {
    let mut machine = MachineContext::new();
    // SAFETY: within a call from generated code; the words are the block's.
    unsafe {
        let context = dr::dr_get_current_drcontext();
        if !dr::dr_get_mcontext(context, &raw mut machine) {
            return;
        }
        let thread = thread::current(context);
        let selected = selected(operand, &machine);
        let base = machine
            .register(operand.base)
            .wrapping_add(operand.displacement);
        if let Some((indices, _)) = vector(operand.index) {
            let indices = &machine.simd[usize::from(indices)];
            for lane in 0..operand.count {
                let index = index(indices, lane, operand.wide);
                let address = base.wrapping_add(index.wrapping_mul(operand.scale));
                let word = thread.word(operand.word + u16::from(lane));
                *word = if selected >> lane & 1 != 0 {
                    address
                } else {
                    0
                };
            }
        } else {
            let index = machine.register(operand.index).wrapping_mul(operand.scale);
            let address = base.wrapping_add(index);
            *thread.word(operand.word) = address.wrapping_add(bits(operand, &machine));
            *thread.word(operand.word + 1) = selected;
        }
    }
}

/// An element of a vector of indices.
fn index(indices: &[u8; 64], lane: u8, wide: bool) -> u64 {
    let part = |size: usize| &indices[usize::from(lane) * size..];
    if wide {
        part(8)
            .first_chunk()
            .map_or(0, |bytes| u64::from_le_bytes(*bytes))
    } else {
        let index = part(4)
            .first_chunk()
            .map_or(0, |bytes| i32::from_le_bytes(*bytes));
        i64::from(index) as u64
    }
}

/// How far from the address the bit lies that is meant, in bytes.
fn bits(operand: &DynamicOperand, machine: &MachineContext) -> u64 {
    let Some(register) = general(operand.bit) else {
        return 0;
    };
    let value = machine.register(register);
    let size = i64::from(operand.element);
    let unused = 64 - 8 * u32::from(operand.element);
    let number = (value << unused).cast_signed() >> unused;
    number
        .div_euclid(8 * size)
        .wrapping_mul(size)
        .cast_unsigned()
}

/// A bit for each element that is accessed.
fn selected(operand: &DynamicOperand, machine: &MachineContext) -> u64 {
    let all = u64::MAX >> (64 - operand.count.clamp(1, 64));
    match operand.selector {
        Selector::All => all,
        Selector::Mask { register, packed } => {
            let mask = machine.masks[usize::from(register)] & all;
            if packed {
                1_u64.unbounded_shl(mask.count_ones()).wrapping_sub(1)
            } else {
                mask
            }
        }
        Selector::Signs(register) => {
            let bytes = &machine.simd[usize::from(register)];
            let elements = bytes
                .chunks(operand.element.into())
                .take(operand.count.into());
            elements.enumerate().fold(0, |mask, (place, element)| {
                let sign = element.last().map_or(0, |byte| byte >> 7);
                mask | u64::from(sign) << place
            })
        }
    }
}

impl DynamicOperand {
    /// The general registers, in 64 bits, that [`find`] looks at. The instruction reads all of them.
    pub fn registers(&self) -> impl Iterator<Item = Register> {
        [self.base, self.index, self.bit]
            .into_iter()
            .filter_map(general)
    }
}

/// The 64-bit register that a general register is part of (of those of 8 bits, only AL is part of an address); None for
/// others.
fn general(register: Register) -> Option<Register> {
    // Registers of 64, 32 and 16 bits follow each other, 16 of each, and then comes AL.
    (dr::RAX..=dr::AL)
        .contains(&register)
        .then(|| (register - dr::RAX) % dr::R15 + dr::RAX)
}

impl MachineContext {
    /// A general register; 0 for none.
    fn register(&self, register: Register) -> u64 {
        match register {
            dr::AL => self.rax & 0xff,
            _ if (dr::RAX + dr::TO_32..=dr::R15 + dr::TO_32).contains(&register) => {
                self.register(register - dr::TO_32) & 0xffff_ffff
            }
            1 => self.rax,
            2 => self.rcx,
            3 => self.rdx,
            4 => self.rbx,
            5 => self.rsp,
            6 => self.rbp,
            7 => self.rsi,
            8 => self.rdi,
            9..=16 => self.r8[usize::from(register - 9)],
            _ => 0,
        }
    }
}
