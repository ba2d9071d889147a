//! Registers read and written.

use iced_x86::{Instruction, InstructionInfo, Mnemonic, OpAccess, OpKind, Register};

use crate::Location;
use crate::access::AccessedLocations;
use crate::location::{GeneralPart, SingleRegister, VectorPart};
use crate::memory::saves_state;
use crate::vector;

/// The counter of a `rep` prefix.
pub(crate) fn counter(instruction: &Instruction, access: &mut AccessedLocations) {
    let address_is_32_bits = (0..instruction.op_count()).any(|operand| {
        matches!(
            instruction.op_kind(operand),
            OpKind::MemorySegESI | OpKind::MemorySegEDI | OpKind::MemoryESEDI
        )
    });
    let counter = if address_is_32_bits {
        Register::ECX
    } else {
        Register::RCX
    };
    access.register(counter, OpAccess::ReadWrite);
}

/// Collects registers, x87 and flags aside. Those which an `idiom` makes irrelevant are written only.
pub(crate) fn collect(
    instruction: &Instruction,
    info: &InstructionInfo,
    idiom: bool,
    access: &mut AccessedLocations,
) {
    use Mnemonic as M;
    let mnemonic = instruction.mnemonic();
    match mnemonic {
        M::Syscall => {
            use Register as R;
            let arguments = [R::RAX, R::RDI, R::RSI, R::RDX, R::R10, R::R8, R::R9];
            call(&arguments, &[R::RAX, R::RCX, R::R11], access);
            return;
        }
        // The system calls of 32-bit programs.
        M::Int if instruction.immediate8() == 0x80 => {
            use Register as R;
            let arguments = [R::RAX, R::RBX, R::RCX, R::RDX, R::RSI, R::RDI, R::RBP];
            call(&arguments, &[R::RAX], access);
            return;
        }
        // Only the sign is used.
        M::Cwd | M::Cdq | M::Cqo => {
            let sign = if mnemonic == M::Cwd {
                GeneralPart::High
            } else {
                GeneralPart::Rest
            };
            access.read(Location::general(0, sign));
            let result = if mnemonic == M::Cwd {
                Register::DX
            } else {
                Register::RDX
            };
            access.register(result, OpAccess::Write);
            return;
        }
        // Neither its operand nor its address is used.
        M::Nop | M::Reservednop => return,
        _ => {}
    }
    for used in info.used_registers() {
        let register = used.register();
        if register.is_vector_register() || register.is_st() {
            continue;
        }
        let kind = match (idiom, used.access()) {
            // The whole register is written: its former value plays no part.
            (true, OpAccess::Read) => continue,
            (true, _) => OpAccess::Write,
            (false, kind) => kind,
        };
        access.register(register, kind);
    }
    vector::collect(instruction, info, idiom, access);
    singles(mnemonic, access);
    whole_state(mnemonic, access);
}

/// A system call.
fn call(arguments: &[Register], results: &[Register], access: &mut AccessedLocations) {
    for &register in arguments {
        access.register(register, OpAccess::Read);
    }
    for &register in results {
        access.register(register, OpAccess::Write);
    }
}

/// Registers that come once and that iced does not report.
fn singles(mnemonic: Mnemonic, access: &mut AccessedLocations) {
    use Mnemonic as M;
    let (which, kind) = match mnemonic {
        M::Ldmxcsr | M::Vldmxcsr => (SingleRegister::Mxcsr, OpAccess::Write),
        M::Stmxcsr | M::Vstmxcsr => (SingleRegister::Mxcsr, OpAccess::Read),
        M::Rdfsbase => (SingleRegister::FsBase, OpAccess::Read),
        M::Wrfsbase => (SingleRegister::FsBase, OpAccess::Write),
        M::Rdgsbase => (SingleRegister::GsBase, OpAccess::Read),
        M::Wrgsbase => (SingleRegister::GsBase, OpAccess::Write),
        M::Swapgs => (SingleRegister::GsBase, OpAccess::ReadWrite),
        M::Rdpkru | M::Xgetbv | M::Sttilecfg => (SingleRegister::System, OpAccess::Read),
        M::Wrpkru | M::Xsetbv | M::Ldtilecfg | M::Tilerelease => {
            (SingleRegister::System, OpAccess::Write)
        }
        _ => return,
    };
    access.touch(Location::single(which), kind);
}

/// Instructions that save or load the state of many registers at once. Loads keep what the mask of features leaves out.
fn whole_state(mnemonic: Mnemonic, access: &mut AccessedLocations) {
    use Mnemonic as M;
    let legacy = matches!(
        mnemonic,
        M::Fxsave | M::Fxsave64 | M::Fxrstor | M::Fxrstor64
    );
    if !legacy && !saves_state(mnemonic) {
        return;
    }
    let kind = match mnemonic {
        M::Fxrstor | M::Fxrstor64 => OpAccess::Write,
        M::Xrstor | M::Xrstor64 | M::Xrstors | M::Xrstors64 => OpAccess::ReadWrite,
        _ => OpAccess::Read,
    };
    for number in 0..8 {
        access.touch(Location::x87(number), kind);
    }
    for single in [
        SingleRegister::X87Status,
        SingleRegister::X87Control,
        SingleRegister::Mxcsr,
    ] {
        access.touch(Location::single(single), kind);
    }
    for number in 0..16 {
        access.touch(Location::vector(number, VectorPart::Low), kind);
        access.touch(Location::vector(number, VectorPart::High), kind);
    }
    if legacy {
        return;
    }
    for number in 0..32 {
        for part in [VectorPart::Low, VectorPart::High, VectorPart::Wide] {
            access.touch(Location::vector(number, part), kind);
        }
    }
    for number in 0..8 {
        access.touch(Location::mask(number), kind);
        access.touch(Location::tile(number), kind);
    }
    access.touch(Location::single(SingleRegister::System), kind);
}
