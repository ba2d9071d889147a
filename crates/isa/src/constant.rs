//! Which register an instruction moves by a constant.

use iced_x86::{Instruction, Mnemonic, OpKind, Register};

/// See [`crate::Instruction::adds_to`].
pub(crate) fn register(instruction: &Instruction) -> Option<u8> {
    let of = |register: Register| {
        let whole = register.is_gpr64() || register.is_gpr32();
        whole.then(|| register.full_register().number() as u8)
    };
    let target = || match instruction.op0_kind() {
        OpKind::Register => of(instruction.op0_register()),
        _ => None,
    };
    match instruction.mnemonic() {
        Mnemonic::Add | Mnemonic::Sub if is_constant(instruction.op1_kind()) => target(),
        Mnemonic::Inc | Mnemonic::Dec => target(),
        Mnemonic::Lea if instruction.memory_index() == Register::None => {
            target().filter(|_| of(instruction.memory_base()) == target())
        }
        // These load it.
        Mnemonic::Iret | Mnemonic::Iretd | Mnemonic::Iretq => None,
        Mnemonic::Pop if instruction.op0_register().full_register() == Register::RSP => None,
        _ => of(Register::RSP).filter(|_| instruction.stack_pointer_increment() != 0),
    }
}

fn is_constant(operand: OpKind) -> bool {
    matches!(
        operand,
        OpKind::Immediate8
            | OpKind::Immediate32
            | OpKind::Immediate8to32
            | OpKind::Immediate8to64
            | OpKind::Immediate32to64
    )
}
