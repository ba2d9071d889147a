//! Memory operands: their sizes, and those of which only execution tells what is accessed.

use super::{DynamicOperand, LANES, Selector};
use crate::dr::{self, InstrPtr, Operand, Register};
use crate::opcodes::SpecialOpcode;

pub(super) unsafe fn operand_size(operand: Operand, special: SpecialOpcode) -> u16 {
    if special == SpecialOpcode::State {
        return state_size();
    }
    // SAFETY: the caller has a memory operand.
    unsafe { dr::opnd_size_in_bytes(dr::opnd_get_size(operand)) as u16 }
}

/// Bytes that `xsave` needs for everything the system has enabled.
fn state_size() -> u16 {
    core::arch::x86_64::__cpuid_count(0xd, 0).ebx as u16
}

/// What a masked operand, a gather or a scatter accesses; None for other operands, of `size` bytes.
pub(super) unsafe fn dynamic(
    instr: InstrPtr,
    special: SpecialOpcode,
    operand: Operand,
    size: u16,
) -> Option<DynamicOperand> {
    // SAFETY: the caller has an instruction of the program.
    unsafe {
        let registers = |targets: bool| {
            let count = if targets {
                dr::instr_num_dsts(instr)
            } else {
                dr::instr_num_srcs(instr)
            };
            (0..count as u32).filter_map(move |i| {
                let operand = if targets {
                    dr::instr_get_dst(instr, i)
                } else {
                    dr::instr_get_src(instr, i)
                };
                dr::opnd_is_reg(operand).then(|| dr::opnd_get_reg(operand))
            })
        };
        let mut vectors = registers(false).filter_map(vector);
        let mask = registers(false)
            .find(|register| (dr::K0 + 1..=dr::K7).contains(register))
            .filter(|_| special != SpecialOpcode::MaskData)
            .map(|register| Selector::Mask {
                register: (register - dr::K0) as u8,
                packed: special == SpecialOpcode::Compress,
            });
        let gathers = dr::opnd_is_vsib(operand);
        let mut bit = 0;
        let (selector, element) = match special {
            SpecialOpcode::Translate => (Selector::All, 1),
            SpecialOpcode::Bit => {
                bit = registers(false).find(|&register| register < dr::AL)?;
                (Selector::All, size)
            }
            SpecialOpcode::MaskFirst => (Selector::Signs(vectors.next()?.0), element_size(instr)),
            SpecialOpcode::MaskSecond => (Selector::Signs(vectors.nth(1)?.0), 1),
            _ if gathers => {
                let first = vectors
                    .clone()
                    .next()
                    .map(|(number, _)| Selector::Signs(number));
                (mask.or(first)?, element_size(instr))
            }
            _ => (mask?, element_size(instr).min(size.max(1))),
        };
        let wide = gathers && has_wide_indices(instr);
        let (mut base, mut index, mut scale) = (0, 0, 0);
        let displacement = if dr::opnd_is_base_disp(operand) {
            base = dr::opnd_get_base(operand);
            index = dr::opnd_get_index(operand);
            scale = dr::opnd_get_scale(operand) as u64;
            i64::from(dr::opnd_get_disp(operand)) as u64
        } else {
            dr::opnd_get_addr(operand) as u64
        };
        let count = if gathers {
            let indices = vector(index)?.1 / if wide { 8 } else { 4 };
            let data = registers(true)
                .filter_map(vector)
                .next()
                .or(vectors.next())?
                .1;
            indices.min(data / element).min(LANES.into())
        } else {
            (size / element).clamp(1, 64)
        };
        Some(DynamicOperand {
            word: 0,
            count: count as u8,
            element: element as u8,
            base,
            index,
            scale,
            displacement,
            wide,
            bit,
            selector,
        })
    }
}

/// Name of an instruction's opcode.
unsafe fn name(instr: InstrPtr) -> &'static [u8] {
    // SAFETY: the caller has an instruction; names of opcodes are constant strings.
    unsafe {
        core::ffi::CStr::from_ptr(dr::decode_opcode_name(dr::instr_get_opcode(instr))).to_bytes()
    }
}

/// Whether a gather or scatter has 64-bit indices: the letter behind that word says so.
unsafe fn has_wide_indices(instr: InstrPtr) -> bool {
    // SAFETY: the caller has an instruction.
    let name = unsafe { name(instr) };
    let is_wide = |word: &[u8]| {
        let at = name.windows(word.len()).position(|part| part == word);
        at.is_some_and(|at| name.get(at + word.len()) == Some(&b'q'))
    };
    is_wide(b"gather") || is_wide(b"scatter")
}

/// Bytes of an element of a masked operation, by its name's end.
unsafe fn element_size(instr: InstrPtr) -> u16 {
    // SAFETY: the caller has an instruction.
    match unsafe { name(instr) } {
        [.., b'p' | b's', b's'] | [.., b'3', b'2'] => 4,
        [.., b'p' | b's', b'd'] | [.., b'6', b'4'] => 8,
        [.., b'1', b'6'] | [.., b'w' | b'h'] => 2,
        [.., b'b'] | [.., b'8'] => 1,
        [.., b'q'] => 8,
        _ => 4,
    }
}

/// Number of a vector register, and its bytes.
pub fn vector(register: Register) -> Option<(u8, u16)> {
    [(dr::XMM0, 16), (dr::YMM0, 32), (dr::ZMM0, 64)]
        .into_iter()
        .find(|&(first, _)| (first..first + 32).contains(&register))
        .map(|(first, bytes)| ((register - first) as u8, bytes))
}
