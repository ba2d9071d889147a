//! Vector registers read and written, in their three parts.

use iced_x86::{
    EncodingKind, Instruction, InstructionInfo, Mnemonic, OpAccess, OpCodeOperandKind, OpKind,
    Register,
};

use crate::Location;
use crate::access::{Access, reads, writes};
use crate::location::VectorPart;

/// Parts of a vector register, as a set of bits.
type Parts = u8;
const NONE: Parts = 0;
const LOW: Parts = 1;
const HIGH: Parts = 2;
const WIDE: Parts = 4;
const XMM: Parts = LOW | HIGH;
const ALL: Parts = XMM | WIDE;

/// Collects vector registers. Those which an `idiom` makes irrelevant are written only.
pub(crate) fn collect(
    instruction: &Instruction,
    info: &InstructionInfo,
    idiom: bool,
    access: &mut Access,
) {
    use Mnemonic as M;
    let mnemonic = instruction.mnemonic();
    match mnemonic {
        M::Vzeroupper => {
            for number in 0..16 {
                write(number, WIDE, access);
            }
        }
        _ if has_implied_registers(mnemonic) => {
            for used in info.used_registers() {
                let register = used.register();
                if !register.is_vector_register() {
                    continue;
                }
                if reads(used.access()) {
                    let implied = mnemonic == M::Sha256rnds2
                        && register == Register::XMM0
                        && used.access() == OpAccess::Read
                        && instruction.op1_register() != register;
                    let parts = if implied { LOW } else { whole(register) };
                    read(number(register), parts, access);
                }
                if writes(used.access()) {
                    write(number(register), whole(register), access);
                }
            }
        }
        _ => operands(instruction, info, idiom, access),
    }
}

/// Vector registers that are operands or indices of addresses.
fn operands(instruction: &Instruction, info: &InstructionInfo, idiom: bool, access: &mut Access) {
    let index = instruction.memory_index();
    if index.is_vector_register() {
        read(number(index), whole(index), access);
    }
    for operand in 0..instruction.op_count() {
        if instruction.op_kind(operand) != OpKind::Register {
            continue;
        }
        let register = instruction.op_register(operand);
        if !register.is_vector_register() {
            continue;
        }
        let kind = info.op_access(operand);
        let number = number(register);
        if operand == 0
            && writes(kind)
            && let Some((read_parts, write_parts)) = legacy_destination(instruction)
        {
            if !idiom {
                read(number, read_parts, access);
            }
            write(number, write_parts, access);
            continue;
        }
        // What is written on a condition keeps its value otherwise. `insertq` keeps the bits around its field, though iced takes it to write only.
        let keeps = kind == OpAccess::CondWrite
            || (operand == 0 && instruction.mnemonic() == Mnemonic::Insertq);
        if (reads(kind) || keeps) && !idiom {
            read(number, source(instruction, operand), access);
        }
        if writes(kind) {
            let legacy = instruction.code().encoding() == EncodingKind::Legacy;
            write(number, if legacy { whole(register) } else { ALL }, access);
        }
    }
}

/// Parts read and written of the destination of a legacy SSE instruction that treats its halves apart.
fn legacy_destination(instruction: &Instruction) -> Option<(Parts, Parts)> {
    use Mnemonic as M;
    let from_register = instruction.op1_kind() == OpKind::Register;
    Some(match instruction.mnemonic() {
        M::Addss
        | M::Subss
        | M::Mulss
        | M::Divss
        | M::Minss
        | M::Maxss
        | M::Sqrtss
        | M::Rsqrtss
        | M::Rcpss
        | M::Cmpss
        | M::Roundss
        | M::Cvtsd2ss
        | M::Cvtsi2ss
        | M::Addsd
        | M::Subsd
        | M::Mulsd
        | M::Divsd
        | M::Minsd
        | M::Maxsd => (LOW, LOW),
        M::Cmpsd if !instruction.is_string_instruction() => (LOW, LOW),
        M::Movss if from_register => (LOW, LOW),
        M::Movsd if from_register => (NONE, LOW),
        M::Sqrtsd
        | M::Roundsd
        | M::Cvtss2sd
        | M::Cvtsi2sd
        | M::Cvtpi2ps
        | M::Movlps
        | M::Movlpd
        | M::Movhlps => (NONE, LOW),
        M::Movhps | M::Movhpd | M::Movlhps => (NONE, HIGH),
        M::Pinsrb => lane(instruction, 16),
        M::Pinsrw if instruction.op0_register().is_xmm() => lane(instruction, 8),
        M::Pinsrd => lane(instruction, 4),
        M::Pinsrq => (NONE, lane(instruction, 2).1),
        _ => return None,
    })
}

/// The part which holds the chosen one of `lanes`: read, because part of it stays, and written.
fn lane(instruction: &Instruction, lanes: u8) -> (Parts, Parts) {
    let part = half(immediate(instruction) % lanes >= lanes / 2);
    (part, part)
}

/// Parts read of a vector register that is a source.
fn source(instruction: &Instruction, operand: u32) -> Parts {
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
        // Fields of the lower half; the register form of `insertq` has place and length in the upper half of its second operand.
        M::Extrq => LOW,
        M::Insertq if operand == 0 || instruction.op_count() == 4 => LOW,
        // Chooses any of the four elements.
        M::Insertps | M::Vinsertps => all,
        // A scalar destination that is read: kept where the mask says so, or the addend of a fused operation, above which the rest stays.
        _ if operand == 0 && is_scalar(instruction) => {
            if is_fused_in_place(instruction.mnemonic()) {
                XMM
            } else {
                LOW
            }
        }
        // Compares of scalars.
        _ if operand < 2 && !or_memory && is_scalar(instruction) && !keeps_rest(instruction) => LOW,
        // The first source of a scalar operation supplies the rest of the destination, and takes part in the operation if that has two sources.
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

/// Fused multiply-add and its kin, with three or four operands; not those of complex numbers, which copy the rest from the first source.
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
            | M::Vfixupimmsd
    )
}

/// Instructions that use vector registers beyond their operands.
fn has_implied_registers(mnemonic: Mnemonic) -> bool {
    use Mnemonic as M;
    matches!(
        mnemonic,
        M::Blendvpd
            | M::Blendvps
            | M::Pblendvb
            | M::Sha256rnds2
            | M::Pcmpestrm
            | M::Pcmpestrm64
            | M::Pcmpistrm
            | M::Vpcmpestrm
            | M::Vpcmpestrm64
            | M::Vpcmpistrm
            | M::Vzeroall
            | M::V4fmaddps
            | M::V4fmaddss
            | M::V4fnmaddps
            | M::V4fnmaddss
            | M::Vp4dpwssd
            | M::Vp4dpwssds
            | M::Encodekey128
            | M::Encodekey256
            | M::Loadiwkey
            | M::Aesencwide128kl
            | M::Aesencwide256kl
            | M::Aesdecwide128kl
            | M::Aesdecwide256kl
    )
}

/// The halves that hold the elements chosen by the lowest `count` two-bit fields.
fn chosen(fields: u8, count: u8) -> Parts {
    (0..count).fold(NONE, |parts, field| {
        parts | half((fields >> (2 * field)) & 2 != 0)
    })
}

fn half(upper: bool) -> Parts {
    if upper { HIGH } else { LOW }
}

/// The last immediate.
fn immediate(instruction: &Instruction) -> u8 {
    instruction.immediate8()
}

fn number(register: Register) -> u8 {
    register.number() as u8
}

/// Parts a register's name covers.
fn whole(register: Register) -> Parts {
    if register.is_xmm() { XMM } else { ALL }
}

fn read(number: u8, parts: Parts, access: &mut Access) {
    each(parts, |part| access.read(Location::vector(number, part)));
}

fn write(number: u8, parts: Parts, access: &mut Access) {
    each(parts, |part| access.write(Location::vector(number, part)));
}

fn each(parts: Parts, mut action: impl FnMut(VectorPart)) {
    for (bit, part) in [
        (LOW, VectorPart::Low),
        (HIGH, VectorPart::High),
        (WIDE, VectorPart::Wide),
    ] {
        if parts & bit != 0 {
            action(part);
        }
    }
}
