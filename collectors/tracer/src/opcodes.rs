//! What is special about an instruction, by its name, so that no numbers of DynamoRIO's opcodes need to be known.

use core::ffi::CStr;
use core::sync::atomic::AtomicU8;
use core::sync::atomic::Ordering::Relaxed;

use crate::dr;

/// How an instruction differs from the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Special {
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

fn of_name(name: &[u8]) -> Special {
    let has = |part: &[u8]| name.windows(part.len()).any(|window| window == part);
    match name {
        b"nop" | b"clflush" | b"clflushopt" | b"clwb" | b"cldemote" | b"invlpg" => {
            Special::NoAccess
        }
        b"lea" => Special::Address,
        b"xlat" | b"xlatb" => Special::Translate,
        b"bt" | b"bts" | b"btr" | b"btc" => Special::Bit,
        b"vmaskmovps" | b"vmaskmovpd" | b"vpmaskmovd" | b"vpmaskmovq" => Special::MaskFirst,
        b"maskmovdqu" | b"vmaskmovdqu" | b"maskmovq" => Special::MaskSecond,
        b"xchg" => Special::Exchange,
        b"add" => Special::Add,
        b"sub" => Special::Subtract,
        b"inc" => Special::Increment,
        b"dec" => Special::Decrement,
        b"mov" => Special::Move,
        b"push" | b"pushf" => Special::Push,
        b"pop" | b"popf" => Special::Pop,
        _ if name.starts_with(b"prefetch") || has(b"gatherpf") || has(b"scatterpf") => {
            Special::NoAccess
        }
        _ if name.starts_with(b"rep") && name.contains(&b' ') => Special::Repeat,
        _ if name.starts_with(b"k") => Special::MaskData,
        _ if has(b"compress") || has(b"expand") => Special::Compress,
        _ if name.starts_with(b"xsave") || name.starts_with(b"xrstor") => Special::State,
        _ => Special::None,
    }
}

/// What is special about an instruction.
///
/// # Safety
/// `instr` must be one.
pub unsafe fn special(instr: dr::InstrPtr) -> Special {
    // SAFETY: as promised by the caller.
    let opcode = unsafe { dr::instr_get_opcode(instr) };
    let value = TABLE
        .get(opcode as usize)
        .map_or(0, |entry| entry.load(Relaxed));
    const ALL: [Special; 19] = [
        Special::None,
        Special::NoAccess,
        Special::Repeat,
        Special::Translate,
        Special::Bit,
        Special::MaskFirst,
        Special::MaskSecond,
        Special::Exchange,
        Special::MaskData,
        Special::Compress,
        Special::State,
        Special::Add,
        Special::Subtract,
        Special::Increment,
        Special::Decrement,
        Special::Address,
        Special::Move,
        Special::Push,
        Special::Pop,
    ];
    ALL[usize::from(value)]
}
