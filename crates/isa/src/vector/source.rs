//! Which parts of its vector registers an instruction reads.

use iced_x86::{Instruction, Mnemonic, OpCodeOperandKind, OpKind};

use super::{ALL, HIGH, LOW, NONE, Parts, WIDE, XMM, half, immediate, lane, whole};

/// Parts read of a vector register that is a source.
pub(super) fn parts(instruction: &Instruction, operand: u32) -> Parts {
    use Mnemonic as M;
    let register = instruction.op_register(operand);
    let all = whole(register);
    let last_register = (0..instruction.op_count())
        .rev()
        .find(|&other| instruction.op_kind(other) == OpKind::Register)
        == Some(operand);
    let size = instruction.memory_size().size();
    let or_memory = is_or_memory(instruction, operand);
    let short = register.is_xmm();
    match instruction.mnemonic() {
        // The lower or the upper halves of both, in wide registers those of every 128 bits.
        M::Punpcklbw
        | M::Punpcklwd
        | M::Punpckldq
        | M::Punpcklqdq
        | M::Unpcklps
        | M::Unpcklpd
        | M::Vpunpcklbw
        | M::Vpunpcklwd
        | M::Vpunpckldq
        | M::Vpunpcklqdq
        | M::Vunpcklps
        | M::Vunpcklpd
        | M::Movddup
        | M::Vmovddup
        | M::Vmovlhps
        | M::Movlhps
            if !merged(instruction, operand) =>
        {
            all ^ HIGH
        }
        M::Punpckhbw
        | M::Punpckhwd
        | M::Punpckhdq
        | M::Punpckhqdq
        | M::Unpckhps
        | M::Unpckhpd
        | M::Vpunpckhbw
        | M::Vpunpckhwd
        | M::Vpunpckhdq
        | M::Vpunpckhqdq
        | M::Vunpckhps
        | M::Vunpckhpd
        | M::Vmovhlps
        | M::Movhlps
            if !merged(instruction, operand) =>
        {
            all ^ LOW
        }
        M::Vbroadcastss | M::Vbroadcastsd if operand == 1 => LOW,
        M::Vmovhps | M::Vmovhpd if instruction.op0_kind() == OpKind::Register => LOW,
        M::Vmovlps | M::Vmovlpd if instruction.op0_kind() == OpKind::Register => HIGH,
        M::Movhps | M::Movhpd | M::Vmovhps | M::Vmovhpd => HIGH,
        M::Movlps
        | M::Movlpd
        | M::Vmovlps
        | M::Vmovlpd
        | M::Movd
        | M::Movq
        | M::Vmovd
        | M::Vmovq
        | M::Vmovw
        | M::Movdq2q
        | M::Movntss
        | M::Movntsd => LOW,
        M::Movss | M::Movsd => LOW,
        M::Vmovss | M::Vmovsd | M::Vmovsh
            if operand == 0 || last_register || instruction.op0_kind() == OpKind::Memory =>
        {
            LOW
        }
        M::Vmovsd => HIGH,
        M::Pextrb | M::Vpextrb => lane(instruction, 16).0,
        M::Pextrw | M::Vpextrw if short => lane(instruction, 8).0,
        M::Pextrd | M::Vpextrd | M::Extractps | M::Vextractps => lane(instruction, 4).0,
        M::Pextrq | M::Vpextrq => lane(instruction, 2).0,
        M::Vpinsrq => XMM ^ lane(instruction, 2).0,
        // What is inserted takes the place of a part.
        M::Vinsertf128
        | M::Vinserti128
        | M::Vinsertf32x4
        | M::Vinserti32x4
        | M::Vinsertf64x2
        | M::Vinserti64x2
            if operand == 1 =>
        {
            let lanes = if register.is_ymm() { 2 } else { 4 };
            match immediate(instruction) % lanes {
                0 => WIDE,
                _ if lanes == 2 => XMM,
                _ => ALL,
            }
        }
        M::Vinsertf32x8 | M::Vinserti32x8 | M::Vinsertf64x4 | M::Vinserti64x4
            if operand == 1 && immediate(instruction) & 1 == 0 =>
        {
            WIDE
        }
        M::Vextractf128
        | M::Vextracti128
        | M::Vextractf32x4
        | M::Vextracti32x4
        | M::Vextractf64x2
        | M::Vextracti64x2
            if !merged(instruction, operand) =>
        {
            let lanes = if register.is_ymm() { 2 } else { 4 };
            if immediate(instruction).is_multiple_of(lanes) {
                XMM
            } else {
                WIDE
            }
        }
        M::Vextractf32x8 | M::Vextracti32x8 | M::Vextractf64x4 | M::Vextracti64x4
            if !merged(instruction, operand) =>
        {
            if immediate(instruction) & 1 == 0 {
                ALL
            } else {
                WIDE
            }
        }
        M::Pshufd | M::Vpshufd if short && !merged(instruction, operand) => {
            chosen(immediate(instruction), 4)
        }
        M::Shufps if operand == 0 => chosen(immediate(instruction), 2),
        M::Shufps => chosen(immediate(instruction) >> 4, 2),
        M::Vshufps if short && operand == 1 => chosen(immediate(instruction), 2),
        M::Vshufps if short && operand == 2 => chosen(immediate(instruction) >> 4, 2),
        M::Shufpd if operand == 0 => half(immediate(instruction) & 1 != 0),
        M::Shufpd => half(immediate(instruction) & 2 != 0),
        M::Vshufpd if short && operand == 1 => half(immediate(instruction) & 1 != 0),
        M::Vshufpd if short && operand == 2 => half(immediate(instruction) & 2 != 0),
        M::Pclmulqdq if operand == 0 => half(immediate(instruction) & 1 != 0),
        M::Pclmulqdq => half(immediate(instruction) & 16 != 0),
        M::Vpclmulqdq if short && operand == 1 => half(immediate(instruction) & 1 != 0),
        M::Vpclmulqdq if short && operand == 2 => half(immediate(instruction) & 16 != 0),
        // The count of a shift is the lower half of its register.
        M::Psllw | M::Pslld | M::Psllq | M::Psrlw | M::Psrld | M::Psrlq | M::Psraw | M::Psrad
            if operand == 1 =>
        {
            LOW
        }
        M::Vpsllw
        | M::Vpslld
        | M::Vpsllq
        | M::Vpsrlw
        | M::Vpsrld
        | M::Vpsrlq
        | M::Vpsraw
        | M::Vpsrad
        | M::Vpsraq
            if operand == 2 =>
        {
            LOW
        }
        // Rounds of hashes that use a part of their operands.
        M::Sha1nexte if operand == 0 => HIGH,
        M::Sha1msg1 | M::Sha256msg2 if operand == 1 => HIGH,
        M::Sha256msg1 if operand == 1 => LOW,
        // Fields of the lower half; the register form of `insertq` has place and length in the upper half of its second
        // operand.
        M::Extrq => LOW,
        M::Insertq if operand == 0 || instruction.op_count() == 4 => LOW,
        // Chooses any of the four elements.
        M::Insertps | M::Vinsertps => all,
        // A scalar destination that is read: kept where the mask says so, or the addend of a fused operation, above
        // which the rest stays.
        _ if operand == 0 && is_scalar(instruction) => {
            if is_fused_in_place(instruction.mnemonic()) {
                XMM
            } else {
                LOW
            }
        }
        // Compares of scalars.
        _ if operand < 2 && !or_memory && is_scalar(instruction) && !keeps_rest(instruction) => LOW,
        // The first source of a scalar operation supplies the rest of the destination, and takes part in the operation
        // if that has two sources.
        mnemonic if operand == 1 && !or_memory && is_scalar(instruction) => {
            if is_fused(mnemonic) {
                LOW
            } else if is_unary_to_double(mnemonic) {
                HIGH
            } else {
                XMM
            }
        }
        _ if is_scalar(instruction) => LOW,
        _ if or_memory && size != 0 && size <= 8 && operand > 0 => LOW,
        _ => all,
    }
}

/// Whether the operand is the destination of a masked operation, which is read because elements stay.
fn merged(instruction: &Instruction, operand: u32) -> bool {
    operand == 0 && instruction.has_op_mask() && instruction.merging_masking()
}

/// Whether the operand could be a memory operand in another form of the instruction.
fn is_or_memory(instruction: &Instruction, operand: u32) -> bool {
    matches!(
        instruction.code().op_code().op_kind(operand),
        OpCodeOperandKind::xmm_or_mem
            | OpCodeOperandKind::ymm_or_mem
            | OpCodeOperandKind::zmm_or_mem
    )
}

/// Whether it is an operation on one floating-point number in a vector register.
fn is_scalar(instruction: &Instruction) -> bool {
    use Mnemonic as M;
    let name = format!("{:?}", instruction.mnemonic());
    let name = name.strip_prefix('V').unwrap_or(&name).to_ascii_lowercase();
    if instruction.is_string_instruction()
        || matches!(
            instruction.mnemonic(),
            M::Vbroadcastss | M::Vbroadcastsd | M::V4fmaddss | M::V4fnmaddss
        )
    {
        return false;
    }
    // Two-letter endings; with conversions the last two letters are what they convert to.
    let floating = ["ss", "sd", "sh"].iter().any(|end| name.ends_with(end));
    let integer_to_float = name.starts_with("cvtsi2") || name.starts_with("cvtusi2");
    let float_to_integer =
        name.starts_with("cvt") && (name.ends_with("2si") || name.ends_with("2usi"));
    (floating && !name.starts_with('p')) || integer_to_float || float_to_integer
}

/// Whether a scalar operation writes a vector register and takes the rest of it from its first source.
fn keeps_rest(instruction: &Instruction) -> bool {
    instruction.op0_kind() == OpKind::Register
        && instruction.op0_register().is_vector_register()
        && instruction.op_count() > 2
}

/// Fused multiply-add and its kin, with three or four operands; not those of complex numbers, which copy the rest from
/// the first source.
fn is_fused(mnemonic: Mnemonic) -> bool {
    let name = format!("{mnemonic:?}");
    ["Vfmadd", "Vfmsub", "Vfnmadd", "Vfnmsub"]
        .iter()
        .any(|start| name.starts_with(start) && !name.ends_with("csh"))
}

/// Fused operations with three operands, whose destination is a source.
fn is_fused_in_place(mnemonic: Mnemonic) -> bool {
    let name = format!("{mnemonic:?}");
    is_fused(mnemonic)
        && ["132", "213", "231"]
            .iter()
            .any(|order| name.contains(order))
}

/// Scalar operations with a double-precision result that use nothing of their first source but the upper half.
fn is_unary_to_double(mnemonic: Mnemonic) -> bool {
    use Mnemonic as M;
    matches!(
        mnemonic,
        M::Vsqrtsd
            | M::Vroundsd
            | M::Vrndscalesd
            | M::Vreducesd
            | M::Vgetexpsd
            | M::Vgetmantsd
            | M::Vrcp14sd
            | M::Vrsqrt14sd
            | M::Vrcp28sd
            | M::Vrsqrt28sd
            | M::Vcvtss2sd
            | M::Vcvtsh2sd
            | M::Vcvtsi2sd
            | M::Vcvtusi2sd
    )
}

/// The halves that hold the elements chosen by the lowest `count` two-bit fields.
fn chosen(fields: u8, count: u8) -> Parts {
    (0..count).fold(NONE, |parts, field| {
        parts | half((fields >> (2 * field)) & 2 != 0)
    })
}
