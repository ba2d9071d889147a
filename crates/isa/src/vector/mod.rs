//! Vector registers read and written, in their three parts.

mod source;

use iced_x86::{EncodingKind, Instruction, InstructionInfo, Mnemonic, OpAccess, OpKind, Register};

use crate::Location;
use crate::access::{AccessedLocations, reads, writes};
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
    access: &mut AccessedLocations,
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
fn operands(
    instruction: &Instruction,
    info: &InstructionInfo,
    idiom: bool,
    access: &mut AccessedLocations,
) {
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
        // What is written on a condition keeps its value otherwise. `insertq` keeps the bits around its field, though
        // iced takes it to write only.
        let keeps = kind == OpAccess::CondWrite
            || (operand == 0 && instruction.mnemonic() == Mnemonic::Insertq);
        if (reads(kind) || keeps) && !idiom {
            read(number, source::parts(instruction, operand), access);
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

fn read(number: u8, parts: Parts, access: &mut AccessedLocations) {
    each(parts, |part| access.read(Location::vector(number, part)));
}

fn write(number: u8, parts: Parts, access: &mut AccessedLocations) {
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
