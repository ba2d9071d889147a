//! Flags read and written, in their groups.

use iced_x86::{Instruction, Mnemonic, OpKind, Register, RflagsBits};

use crate::Location;
use crate::access::AccessedLocations;
use crate::location::{Flags, SingleRegister};

const STATUS: u32 = RflagsBits::SF | RflagsBits::ZF | RflagsBits::AF | RflagsBits::PF;
/// Without C1, which tells the direction of rounding and which no compare sets.
const X87: u32 = RflagsBits::C0 | RflagsBits::C2 | RflagsBits::C3;

/// Collects flags, and the condition codes of x87. An undefined flag counts as written; a group written in part is read
/// as well, and so are the flags which a shift by CL leaves alone when the count is zero.
pub(crate) fn collect(instruction: &Instruction, access: &mut AccessedLocations) {
    let mut read = instruction.rflags_read();
    let mut written = instruction.rflags_modified();
    match instruction.mnemonic() {
        // The kernel gives them back as they were.
        Mnemonic::Syscall => return,
        mnemonic if keeps_condition_codes(mnemonic) => written &= !X87,
        // A rotation by a multiple of the width and the carry keeps the carry; processors differ in what becomes of the
        // overflow flag.
        Mnemonic::Rcl | Mnemonic::Rcr
            if written == 0
                && instruction.op1_kind() == OpKind::Immediate8
                && instruction.immediate8() & 31 != 0 =>
        {
            written = RflagsBits::OF;
        }
        _ => {}
    }
    if shifts_by_register(instruction) {
        read |= written;
    }
    let groups = [
        (RflagsBits::CF, Location::flags(Flags::Carry)),
        (RflagsBits::OF, Location::flags(Flags::Overflow)),
        (STATUS, Location::flags(Flags::Status)),
        (RflagsBits::DF, Location::flags(Flags::Direction)),
        (X87, Location::single(SingleRegister::X87Status)),
    ];
    for (bits, location) in groups {
        let changed = written & bits;
        if read & bits != 0 || (changed != 0 && changed != bits) {
            access.read(location);
        }
        if changed != 0 {
            access.write(location);
        }
    }
}

/// Whether it is a shift or rotation by CL. (`shlx` and the like touch no flags.)
fn shifts_by_register(instruction: &Instruction) -> bool {
    let last = instruction.op_count().saturating_sub(1);
    matches!(
        instruction.mnemonic(),
        Mnemonic::Rol
            | Mnemonic::Ror
            | Mnemonic::Rcl
            | Mnemonic::Rcr
            | Mnemonic::Shl
            | Mnemonic::Sal
            | Mnemonic::Shr
            | Mnemonic::Sar
            | Mnemonic::Shld
            | Mnemonic::Shrd
    ) && instruction.op_kind(last) == OpKind::Register
        && instruction.op_register(last) == Register::CL
}

/// Whether the instruction leaves the condition codes of x87 alone on processors, though manuals call them undefined
/// after it.
fn keeps_condition_codes(mnemonic: Mnemonic) -> bool {
    matches!(
        mnemonic,
        Mnemonic::Fnstsw
            | Mnemonic::Fnstcw
            | Mnemonic::Fnstenv
            | Mnemonic::Fldcw
            | Mnemonic::Fnclex
            | Mnemonic::Fnop
            | Mnemonic::Fcmovb
            | Mnemonic::Fcmovbe
            | Mnemonic::Fcmove
            | Mnemonic::Fcmovnb
            | Mnemonic::Fcmovnbe
            | Mnemonic::Fcmovne
            | Mnemonic::Fcmovnu
            | Mnemonic::Fcmovu
    )
}
