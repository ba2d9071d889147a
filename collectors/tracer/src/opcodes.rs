//! What is special about an instruction, by its name, so that no numbers of DynamoRIO's opcodes need to be known.

use core::ffi::CStr;
use core::sync::atomic::AtomicU8;
use core::sync::atomic::Ordering::Relaxed;

use crate::dr;

/// How an instruction differs from the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum SpecialOpcode {
    /// Not at all.
    None,
    /// Its memory operand is not accessed.
    NoAccess,
    /// A repeated string instruction.
    Repeat,
    /// Its address depends on a part of a register.
    Translate,
    /// Its address depends on a bit's number, which may be in a register.
    Bit,
    /// Accesses the elements that the signs in its first vector register select.
    MaskFirst,
    /// Accesses the bytes that the signs in its second vector register select.
    MaskSecond,
    /// An exchange: atomic with a memory operand.
    Exchange,
    /// Moves bits between mask registers and elsewhere: mask registers are data.
    MaskData,
    /// Side by side elements, as many as are selected.
    Compress,
    /// The whole state of the processor, as large as the system has enabled.
    State,
    /// Adds an immediate.
    Add,
    /// Subtracts an immediate.
    Subtract,
    /// Adds one.
    Increment,
    /// Subtracts one.
    Decrement,
    /// Computes an address.
    Address,
    /// Copies.
    Move,
    /// Pushes.
    Push,
    /// Pops.
    Pop,
}

static TABLE: [AtomicU8; dr::OP_END as usize] = [const { AtomicU8::new(0) }; dr::OP_END as usize];

/// Reads the names of all opcodes.
pub fn init() {
    for opcode in 1..dr::OP_END {
        // SAFETY: every number below the end has a name, a constant string.
        let name = unsafe {
            let name = dr::decode_opcode_name(opcode);
            if name.is_null() {
                continue;
            }
            CStr::from_ptr(name).to_bytes()
        };
        TABLE[opcode as usize].store(of_name(name) as u8, Relaxed);
    }
}

fn of_name(name: &[u8]) -> SpecialOpcode {
    let has = |part: &[u8]| name.windows(part.len()).any(|window| window == part);
    match name {
        b"nop" | b"clflush" | b"clflushopt" | b"clwb" | b"cldemote" | b"invlpg" => {
            SpecialOpcode::NoAccess
        }
        b"lea" => SpecialOpcode::Address,
        b"xlat" | b"xlatb" => SpecialOpcode::Translate,
        b"bt" | b"bts" | b"btr" | b"btc" => SpecialOpcode::Bit,
        b"vmaskmovps" | b"vmaskmovpd" | b"vpmaskmovd" | b"vpmaskmovq" => SpecialOpcode::MaskFirst,
        b"maskmovdqu" | b"vmaskmovdqu" | b"maskmovq" => SpecialOpcode::MaskSecond,
        b"xchg" => SpecialOpcode::Exchange,
        b"add" => SpecialOpcode::Add,
        b"sub" => SpecialOpcode::Subtract,
        b"inc" => SpecialOpcode::Increment,
        b"dec" => SpecialOpcode::Decrement,
        b"mov" => SpecialOpcode::Move,
        b"push" | b"pushf" => SpecialOpcode::Push,
        b"pop" | b"popf" => SpecialOpcode::Pop,
        _ if name.starts_with(b"prefetch") || has(b"gatherpf") || has(b"scatterpf") => {
            SpecialOpcode::NoAccess
        }
        _ if name.starts_with(b"rep") && name.contains(&b' ') => SpecialOpcode::Repeat,
        _ if name.starts_with(b"k") => SpecialOpcode::MaskData,
        _ if has(b"compress") || has(b"expand") => SpecialOpcode::Compress,
        _ if name.starts_with(b"xsave") || name.starts_with(b"xrstor") => SpecialOpcode::State,
        _ => SpecialOpcode::None,
    }
}

/// What is special about an instruction.
///
/// # Safety
/// `instr` must be one.
pub unsafe fn special(instr: dr::InstrPtr) -> SpecialOpcode {
    // SAFETY: as promised by the caller.
    let opcode = unsafe { dr::instr_get_opcode(instr) };
    let value = TABLE
        .get(opcode as usize)
        .map_or(0, |entry| entry.load(Relaxed));
    const ALL: [SpecialOpcode; 19] = [
        SpecialOpcode::None,
        SpecialOpcode::NoAccess,
        SpecialOpcode::Repeat,
        SpecialOpcode::Translate,
        SpecialOpcode::Bit,
        SpecialOpcode::MaskFirst,
        SpecialOpcode::MaskSecond,
        SpecialOpcode::Exchange,
        SpecialOpcode::MaskData,
        SpecialOpcode::Compress,
        SpecialOpcode::State,
        SpecialOpcode::Add,
        SpecialOpcode::Subtract,
        SpecialOpcode::Increment,
        SpecialOpcode::Decrement,
        SpecialOpcode::Address,
        SpecialOpcode::Move,
        SpecialOpcode::Push,
        SpecialOpcode::Pop,
    ];
    ALL[usize::from(value)]
}
