//! Machine code of the instructions that tracer and drreg insert.
//!
//! DynamoRIO's encoder tries one template after the other until one fits, and does so twice for every inserted
//! instruction: once for its length, and once to emit it. Nearly all of them are of a few forms, which are encoded here
//! and attached to the instruction; others are left to DynamoRIO.

use core::ffi::{c_int, c_uint, c_void};

use crate::dr::{self, DrContext, InstrPtr, List, Operand, Register};
use crate::thread;

/// Longest code of a form here: segment, REX, opcode, ModRM, SIB, displacement, immediate.
const LONGEST: usize = 16;

/// Encodes what was inserted into a block.
///
/// # Safety
/// In DynamoRIO's phase after that in which code is inserted.
pub unsafe extern "C" fn block(
    context: DrContext,
    _tag: *mut c_void,
    list: List,
    _trace: bool,
    _again: bool,
) -> c_uint {
    // SAFETY: the list is walked as DynamoRIO documents. The thread builds one block at a time, and no other code of it
    // uses the buffer, which keeps the block's code until it is emitted.
    unsafe {
        let buffer = &mut thread::current(context).code;
        buffer.clear();
        let mut instr = dr::instrlist_first(list);
        while !instr.is_null() {
            if !dr::instr_is_app(instr) && !dr::instr_raw_bits_valid(instr) {
                let mut code = Code::default();
                if code.instruction(instr).is_some()
                    && let Some(bytes) = buffer.put(&code.bytes[..code.length])
                {
                    dr::instr_set_raw_bits(instr, bytes.as_mut_ptr(), code.length as c_uint);
                }
            }
            instr = dr::instr_get_next(instr);
        }
    }
    dr::STORE_TRANSLATIONS
}

/// The code of one instruction.
#[derive(Default)]
struct Code {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Code {
    fn put(&mut self, bytes: &[u8]) {
        self.bytes[self.length..self.length + bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
    }

    /// Encodes an instruction, if it has one of the forms.
    unsafe fn instruction(&mut self, instr: InstrPtr) -> Option<()> {
        // SAFETY: the caller has an instruction, and each form has the operands that are asked for.
        unsafe {
            let source = |number| dr::instr_get_src(instr, number);
            let target = || dr::instr_get_dst(instr, 0);
            match dr::instr_get_opcode(instr) {
                dr::OP_MOV_ST if dr::opnd_is_immed_int(source(0)) => {
                    // Extended to 64 bits with its sign.
                    let value = i32::try_from(dr::opnd_get_immed_int(source(0))).ok()?;
                    if dr::opnd_get_size(target()) != dr::SIZE_8 {
                        return None;
                    }
                    self.memory(0xc7, 0, true, target())?;
                    self.put(&value.to_le_bytes());
                }
                dr::OP_MOV_ST => {
                    let (register, wide) = register(source(0))?;
                    if dr::opnd_get_size(target()) != size(wide) {
                        return None;
                    }
                    self.memory(0x89, register, wide, target())?;
                }
                dr::OP_MOV_LD => {
                    let (to, wide) = register(target())?;
                    if let Some((from, from_wide)) = register(source(0)) {
                        if !(wide && from_wide) {
                            return None;
                        }
                        self.put(&[rex(true, to, 0, from), 0x8b, modrm(3, to, from)]);
                        return Some(());
                    }
                    if dr::opnd_get_size(source(0)) != size(wide) {
                        return None;
                    }
                    self.memory(0x8b, to, wide, source(0))?;
                }
                dr::OP_LEA => {
                    let (to, wide) = register(target())?;
                    if !wide || dr::opnd_is_far_base_disp(source(0)) {
                        return None;
                    }
                    self.memory(0x8d, to, true, source(0))?;
                }
                dr::OP_CMP if is(dr::AL, source(0)) => {
                    if !dr::opnd_is_immed_int(source(1)) {
                        return None;
                    }
                    self.put(&[0x3c, dr::opnd_get_immed_int(source(1)) as u8]);
                }
                dr::OP_CMP => {
                    let (with, wide) = register(source(0))?;
                    if dr::opnd_get_size(source(1)) != size(wide) {
                        return None;
                    }
                    self.memory(0x3b, with, wide, source(1))?;
                }
                dr::OP_SETO if is(dr::AL, target()) => self.put(&[0x0f, 0x90, 0xc0]),
                dr::OP_LAHF => self.put(&[0x9f]),
                dr::OP_SAHF => self.put(&[0x9e]),
                dr::OP_RDTSC => self.put(&[0x0f, 0x31]),
                _ => return None,
            }
        }
        Some(())
    }

    /// An opcode of one byte with a register, or what stands in its place, and an operand in memory.
    unsafe fn memory(&mut self, opcode: u8, register: u8, wide: bool, at: Operand) -> Option<()> {
        // SAFETY: the caller has an operand.
        unsafe {
            if !dr::opnd_is_base_disp(at) {
                return None;
            }
            let displacement: c_int = dr::opnd_get_disp(at);
            let base = part(dr::opnd_get_base(at))?;
            let index = part(dr::opnd_get_index(at))?;
            if dr::opnd_is_far_base_disp(at) {
                self.put(match dr::opnd_get_segment(at) {
                    dr::GS => &[0x65],
                    dr::FS => &[0x64],
                    _ => return None,
                });
            }
            let scale = match (index, dr::opnd_get_scale(at)) {
                (None, _) | (_, 1) => 0,
                (_, 2) => 1,
                (_, 4) => 2,
                (_, 8) => 3,
                _ => return None,
            };
            let prefix = rex(wide, register, index.unwrap_or(0), base.unwrap_or(0));
            if prefix != REX {
                self.put(&[prefix]);
            }
            self.put(&[opcode]);
            let short = i8::try_from(displacement).ok();
            // Without a base, and with RBP or R13 as the base, there is a displacement in any case.
            let mode = match (base, short) {
                (None, _) => 0,
                (Some(base), Some(0)) if base & 7 != 5 => 0,
                (Some(_), Some(_)) => 1,
                (Some(_), None) => 2,
            };
            match (base, index) {
                (Some(base), None) if base & 7 != 4 => self.put(&[modrm(mode, register, base)]),
                _ => {
                    let sib = scale << 6 | (index.unwrap_or(4) & 7) << 3 | base.unwrap_or(5) & 7;
                    self.put(&[modrm(mode, register, 4), sib]);
                }
            }
            match (mode, short, base) {
                (1, Some(short), _) => self.put(&short.to_le_bytes()),
                (0, _, Some(_)) => {}
                _ => self.put(&displacement.to_le_bytes()),
            }
        }
        Some(())
    }
}

/// A REX prefix that says nothing.
const REX: u8 = 0x40;

const fn rex(wide: bool, register: u8, index: u8, base: u8) -> u8 {
    REX | (wide as u8) << 3 | (register >> 3) << 2 | (index >> 3) << 1 | base >> 3
}

const fn modrm(mode: u8, register: u8, operand: u8) -> u8 {
    mode << 6 | (register & 7) << 3 | operand & 7
}

fn size(wide: bool) -> u8 {
    if wide { dr::SIZE_8 } else { dr::SIZE_4 }
}

/// Whether an operand is this register.
unsafe fn is(register: Register, operand: Operand) -> bool {
    // SAFETY: the caller has an operand.
    unsafe { dr::opnd_is_reg(operand) && dr::opnd_get_reg(operand) == register }
}

/// Code that puts the address of what comes behind the jump behind it into a register of 64 bits: `lea register,
/// [rip + 5]`, for each of the sixteen.
static BEHIND_JUMP: [[u8; 7]; 16] = {
    let mut all = [[0; 7]; 16];
    let mut number = 0;
    while number < 16 {
        let own = number as u8;
        all[number] = [rex(true, own, 0, 0), 0x8d, modrm(0, own, 5), 5, 0, 0, 0];
        number += 1;
    }
    all
};

/// An instruction that puts the address of what comes behind the jump behind it into a register.
///
/// # Safety
/// Behind it comes a jump to an address that is not in the block, which has a displacement of 32 bits.
pub unsafe fn behind_jump(context: DrContext, to: Register) -> InstrPtr {
    // SAFETY: the code stays as it is; that it is not that of the operands, nobody asks.
    unsafe {
        let from = dr::opnd_create_base_disp(to, 0, 0, 0, dr::SIZE_LEA);
        let instr = dr::instr_create_1dst_1src(context, dr::OP_LEA, dr::opnd_create_reg(to), from);
        let code = &BEHIND_JUMP[usize::from(to - dr::RAX)];
        dr::instr_set_raw_bits(instr, code.as_ptr().cast_mut(), code.len() as c_uint);
        instr
    }
}

/// The processor's number of a register of 64 or 32 bits, and whether it has 64.
unsafe fn register(operand: Operand) -> Option<(u8, bool)> {
    // SAFETY: the caller has an operand.
    unsafe {
        if !dr::opnd_is_reg(operand) {
            return None;
        }
        match dr::opnd_get_reg(operand) {
            wide @ dr::RAX..=dr::R15 => Some(((wide - dr::RAX) as u8, true)),
            narrow if (dr::RAX + dr::TO_32..=dr::R15 + dr::TO_32).contains(&narrow) => {
                Some(((narrow - dr::TO_32 - dr::RAX) as u8, false))
            }
            _ => None,
        }
    }
}

/// The processor's number of a base or index of 64 bits, if there is one; None for others.
fn part(register: Register) -> Option<Option<u8>> {
    match register {
        0 => Some(None),
        dr::RAX..=dr::R15 => Some(Some((register - dr::RAX) as u8)),
        _ => None,
    }
}
