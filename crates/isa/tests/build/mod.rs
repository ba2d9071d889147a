//! One instruction of any code, with operands of the kinds it takes.

use iced_x86::{Code, Encoder, Instruction, OpCodeOperandKind, OpKind, Register};

/// Address at which the instructions are encoded.
pub const ADDRESS: u64 = 0x4000;

/// What the caller chooses where the code leaves a choice.
#[derive(Clone, Copy)]
pub struct Choice {
    /// Memory instead of a register.
    pub memory: bool,
    /// Mask register for EVEX codes, 0 for none.
    pub mask: u32,
    pub zeroing: bool,
    pub immediate: u8,
}

/// An instruction of a code; none if the code is not one of the 64-bit mode or does not offer the choice.
pub fn build(code: Code, choice: Choice) -> Option<Instruction> {
    let description = code.op_code();
    if !description.is_instruction() || !description.mode64() {
        return None;
    }
    let mut instruction = Instruction::default();
    instruction.set_code(code);
    let mut memory = false;
    let mut immediates = 0;
    for operand in 0..description.op_count() {
        let kind = description.op_kind(operand);
        memory |= set(&mut instruction, operand, kind, choice, &mut immediates)?;
    }
    if memory != choice.memory {
        return None;
    }
    if choice.mask != 0 {
        if !description.can_use_op_mask_register() {
            return None;
        }
        instruction.set_op_mask(Register::K0 + choice.mask);
        if choice.zeroing {
            if !description.can_use_zeroing_masking()
                || memory && instruction.op0_kind() == OpKind::Memory
            {
                return None;
            }
            instruction.set_zeroing_masking(true);
        }
    } else if description.require_op_mask_register() {
        instruction.set_op_mask(Register::K1);
    }
    Some(instruction)
}

/// Bytes of an instruction.
pub fn encode(instruction: &Instruction) -> Option<Vec<u8>> {
    let mut encoder = Encoder::new(64);
    encoder.encode(instruction, ADDRESS).ok()?;
    Some(encoder.take_buffer())
}

/// Sets an operand; returns whether it is explicit memory.
fn set(
    instruction: &mut Instruction,
    operand: u32,
    kind: OpCodeOperandKind,
    choice: Choice,
    immediates: &mut u32,
) -> Option<bool> {
    use OpCodeOperandKind as K;
    let position = operand as usize;
    let general = [0, 1, 2, 6, 7][position] as u32;
    let vector = position as u32 + 1;
    let name = format!("{kind:?}");
    let either = name.contains("_or_mem");
    if name.starts_with("mem") && kind != K::mem_offs
        || kind == K::sibmem
        || either && choice.memory
    {
        instruction.set_op_kind(operand, OpKind::Memory);
        instruction.set_memory_base(Register::RBX);
        let index = match &name[name.len() - 1..] {
            _ if !name.contains("vsib") => (kind == K::sibmem).then_some(Register::RSI),
            "x" => Some(Register::XMM9),
            "y" => Some(Register::YMM9),
            _ => Some(Register::ZMM9),
        };
        if let Some(index) = index {
            instruction.set_memory_index(index);
            instruction.set_memory_index_scale(1);
        }
        return Some(true);
    }
    let mut register = |register: Register| {
        instruction.set_op_kind(operand, OpKind::Register);
        instruction.set_op_register(operand, register);
        Some(false)
    };
    match kind {
        K::es => return register(Register::ES),
        K::cs => return register(Register::CS),
        K::ss => return register(Register::SS),
        K::ds => return register(Register::DS),
        K::fs => return register(Register::FS),
        K::gs => return register(Register::GS),
        K::al => return register(Register::AL),
        K::cl => return register(Register::CL),
        K::ax => return register(Register::AX),
        K::dx => return register(Register::DX),
        K::eax => return register(Register::EAX),
        K::rax => return register(Register::RAX),
        K::st0 => return register(Register::ST0),
        K::sti_opcode => return register(Register::ST2),
        K::seg_reg => return register(Register::FS),
        K::cr_reg => return register(Register::CR0),
        K::dr_reg => return register(Register::DR0),
        K::tr_reg => return register(Register::TR1),
        K::kp1_reg => return register(Register::K2),
        K::xmmp3_vvvv => return register(Register::XMM4),
        K::zmmp3_vvvv => return register(Register::ZMM4),
        _ => {}
    }
    for (start, first, number) in [
        ("r8", Register::AL, if general < 4 { general } else { 0 }),
        ("r16", Register::AX, general),
        ("r32", Register::EAX, general),
        ("r64", Register::RAX, general),
        ("xmm", Register::XMM0, vector),
        ("ymm", Register::YMM0, vector),
        ("zmm", Register::ZMM0, vector),
        ("mm", Register::MM0, vector),
        ("tmm", Register::TMM0, vector),
        ("bnd", Register::BND0, position as u32),
        ("k", Register::K0, vector + 1),
    ] {
        let rest = name.strip_prefix(start);
        if rest.is_some_and(|rest| rest.starts_with('_')) {
            return register(first + number);
        }
    }
    let value = u64::from(choice.immediate);
    match kind {
        K::imm8 | K::imm4_m2z => {
            let second = *immediates > 0;
            *immediates += 1;
            instruction.set_op_kind(
                operand,
                if second {
                    OpKind::Immediate8_2nd
                } else {
                    OpKind::Immediate8
                },
            );
            if second {
                instruction.set_immediate8_2nd(0);
            } else if kind == K::imm8 {
                instruction.set_immediate8(choice.immediate);
            }
        }
        K::imm8_const_1 => {
            instruction.set_op_kind(operand, OpKind::Immediate8);
            instruction.set_immediate8(1);
        }
        K::imm8sex16 => immediate(instruction, operand, OpKind::Immediate8to16, value),
        K::imm8sex32 => immediate(instruction, operand, OpKind::Immediate8to32, value),
        K::imm8sex64 => immediate(instruction, operand, OpKind::Immediate8to64, value),
        K::imm16 => {
            *immediates += 1;
            immediate(instruction, operand, OpKind::Immediate16, value);
        }
        K::imm32 => immediate(instruction, operand, OpKind::Immediate32, value),
        K::imm32sex64 => immediate(instruction, operand, OpKind::Immediate32to64, value),
        K::imm64 => immediate(instruction, operand, OpKind::Immediate64, value),
        K::mem_offs => {
            instruction.set_op_kind(operand, OpKind::Memory);
            instruction.set_memory_displ_size(8);
            instruction.set_memory_displacement64(0x1234_5678_9abc);
            return Some(choice.memory);
        }
        K::seg_rSI => instruction.set_op_kind(operand, OpKind::MemorySegRSI),
        K::es_rDI => instruction.set_op_kind(operand, OpKind::MemoryESRDI),
        K::seg_rDI => instruction.set_op_kind(operand, OpKind::MemorySegRDI),
        K::seg_rBX_al => {
            instruction.set_op_kind(operand, OpKind::Memory);
            instruction.set_memory_base(Register::RBX);
            instruction.set_memory_index(Register::AL);
        }
        _ if name.starts_with("br") || name.starts_with("xbegin") => {
            instruction.set_op_kind(operand, OpKind::NearBranch64);
            instruction.set_near_branch64(ADDRESS + 0x40);
        }
        _ => return None,
    }
    Some(false)
}

fn immediate(instruction: &mut Instruction, operand: u32, kind: OpKind, value: u64) {
    instruction.set_op_kind(operand, kind);
    instruction.set_immediate_u64(operand, value);
}
