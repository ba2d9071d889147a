//! From the bytes of an instruction to its facts, and to its text.

use std::cell::RefCell;

use iced_x86::{
    Decoder, DecoderError, DecoderOptions, FlowControl, Formatter, InstructionInfoFactory,
    IntelFormatter, Mnemonic, OpKind,
};

use crate::access::AccessedLocations;
use crate::{Control, Instruction, classify, constant, flags, idiom, memory, registers, x87};

/// Why bytes are no instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The bytes end in the middle of it.
    #[error("the bytes end in the middle of an instruction")]
    Truncated,
    /// No instruction of the 64-bit mode begins like this.
    #[error("the bytes are no x86-64 instruction")]
    Invalid,
}

/// Decodes the instruction at the start of `bytes` (which may hold more), in 64-bit mode, as if it were at `address`.
/// Returns its facts and its length in bytes.
///
/// # Errors
/// When the bytes are no instruction or are too few.
pub fn decode(bytes: &[u8], address: u64) -> Result<(Instruction, usize), DecodeError> {
    let instruction = raw(bytes, address)?;
    let length = instruction.len();
    Ok((facts(instruction), length))
}

/// Text of the instruction at the start of `bytes` in Intel's syntax, as if it were at `address`; `(bad)` if it is
/// none.
pub fn format(bytes: &[u8], address: u64) -> String {
    let mut text = String::new();
    match raw(bytes, address) {
        Ok(instruction) => {
            let mut formatter = IntelFormatter::new();
            let options = formatter.options_mut();
            options.set_branch_leading_zeros(false);
            options.set_show_branch_size(false);
            options.set_hex_prefix("0x");
            options.set_hex_suffix("");
            options.set_uppercase_hex(false);
            formatter.format(&instruction, &mut text);
        }
        Err(_) => text.push_str("(bad)"),
    }
    text
}

/// The instruction as the decoder of iced gives it.
fn raw(bytes: &[u8], address: u64) -> Result<iced_x86::Instruction, DecodeError> {
    let mut decoder = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE);
    let instruction = decoder.decode();
    match decoder.last_error() {
        DecoderError::None => Ok(instruction),
        DecoderError::NoMoreBytes => Err(DecodeError::Truncated),
        _ => Err(DecodeError::Invalid),
    }
}

thread_local! {
    /// What iced knows of an instruction lies in memory of this, which is taken once.
    static FACTORY: RefCell<InstructionInfoFactory> = RefCell::new(InstructionInfoFactory::new());
}

/// The facts of a decoded instruction.
fn facts(mut instruction: iced_x86::Instruction) -> Instruction {
    let mut access = AccessedLocations::default();
    // A `rep` string instruction is one instance per iteration: the plain instruction, and the counter.
    if instruction.is_string_instruction()
        && (instruction.has_rep_prefix() || instruction.has_repne_prefix())
    {
        instruction.set_has_rep_prefix(false);
        instruction.set_has_repne_prefix(false);
        registers::counter(&instruction, &mut access);
    }
    let (slots, dynamic) = FACTORY.with_borrow_mut(|factory| {
        let info = factory.info(&instruction);
        registers::collect(&instruction, info, idiom::of(&instruction), &mut access);
        memory::slots(&instruction, info)
    });
    flags::collect(&instruction, &mut access);
    let x87_move = x87::collect(&instruction, &mut access);
    let (reads, writes) = access.finish();
    Instruction {
        class: classify::class(&instruction, &slots),
        control: control(&instruction),
        reads,
        writes,
        slots,
        dynamic,
        x87_move,
        adds_to: constant::register(&instruction),
    }
}

/// How control leaves an instruction.
fn control(instruction: &iced_x86::Instruction) -> Control {
    let target = instruction.near_branch_target();
    match (instruction.mnemonic(), instruction.flow_control()) {
        (Mnemonic::Syscall | Mnemonic::Sysenter, _) => Control::System,
        (Mnemonic::Int, _) if instruction.immediate8() == 0x80 => Control::System,
        (_, FlowControl::UnconditionalBranch) => Control::Jump { target },
        (_, FlowControl::ConditionalBranch) => Control::Branch { target },
        (Mnemonic::Xbegin, _) => Control::Branch { target },
        (_, FlowControl::IndirectBranch) => Control::IndirectJump,
        (Mnemonic::Call, _) if instruction.op0_kind() == OpKind::NearBranch64 => {
            Control::Call { target }
        }
        (Mnemonic::Call, _) => Control::IndirectCall,
        (Mnemonic::Ret | Mnemonic::Retf, _) => Control::Return,
        (_, FlowControl::Return) => Control::IndirectJump,
        _ => Control::Next,
    }
}
