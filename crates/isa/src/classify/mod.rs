//! The class of an instruction.
//!
//! Mnemonics are many and named by rules, so most classes follow from the name: `v` for forms with three operands, then
//! the operation, then `ss`, `sd`, `ps`, `pd`, ... for floating-point elements.

mod vector;
mod x87;

use iced_x86::{FlowControl, Instruction, Mnemonic, OpKind};

use crate::{InstructionClass, MemoryOperand};

/// Its class; `slots` are its memory operands.
pub(crate) fn class(instruction: &Instruction, slots: &[MemoryOperand]) -> InstructionClass {
    use Mnemonic as M;
    let mnemonic = instruction.mnemonic();
    match mnemonic {
        M::Xabort | M::Xend => return InstructionClass::System,
        M::Endbr32 | M::Endbr64 => return InstructionClass::Nop,
        M::Syscall | M::Sysenter => return InstructionClass::System,
        _ => {}
    }
    match instruction.flow_control() {
        FlowControl::UnconditionalBranch
        | FlowControl::IndirectBranch
        | FlowControl::ConditionalBranch
        | FlowControl::XbeginXabortXend => return InstructionClass::Jump,
        FlowControl::Return if matches!(mnemonic, M::Ret | M::Retf) => {
            return InstructionClass::Call;
        }
        FlowControl::Call | FlowControl::IndirectCall if mnemonic == M::Call => {
            return InstructionClass::Call;
        }
        FlowControl::Next => {}
        _ => return InstructionClass::System,
    }
    if instruction.is_privileged() {
        return InstructionClass::System;
    }
    if instruction.is_string_instruction() {
        return InstructionClass::String;
    }
    let memory = slots.iter().any(|slot| slot.read || slot.write) || has_memory(instruction);
    if instruction.has_lock_prefix() || (mnemonic == M::Xchg && memory) {
        return InstructionClass::Atomic;
    }
    by_mnemonic(instruction)
        .or_else(|| x87::by_mnemonic(instruction))
        .or_else(|| {
            let name = format!("{mnemonic:?}").to_ascii_lowercase();
            vector::by_name(&name, memory, instruction.op0_kind() == OpKind::Memory)
        })
        .unwrap_or(InstructionClass::Other)
}

/// Whether an explicit operand is memory.
fn has_memory(instruction: &Instruction) -> bool {
    instruction.op_kinds().any(|kind| kind == OpKind::Memory)
}

/// Load, store or register move, whichever a move's operands make it.
fn moved(instruction: &Instruction) -> InstructionClass {
    if instruction.op0_kind() == OpKind::Memory {
        InstructionClass::Store
    } else if has_memory(instruction) {
        InstructionClass::Load
    } else {
        InstructionClass::Move
    }
}

/// The same for moves that change the kind of register or the place of elements when no memory is involved.
fn shuffled(instruction: &Instruction) -> InstructionClass {
    match moved(instruction) {
        InstructionClass::Move => InstructionClass::Shuffle,
        other => other,
    }
}

/// Integer instructions, moves, and what follows no rule.
fn by_mnemonic(instruction: &Instruction) -> Option<InstructionClass> {
    use Mnemonic as M;
    Some(match instruction.mnemonic() {
        M::Mov
        | M::Movzx
        | M::Movsx
        | M::Movsxd
        | M::Movbe
        | M::Movnti
        | M::Movdiri
        | M::Movaps
        | M::Movapd
        | M::Movups
        | M::Movupd
        | M::Movdqa
        | M::Movdqu
        | M::Movntps
        | M::Movntpd
        | M::Movntdq
        | M::Movntdqa
        | M::Movntq
        | M::Movntss
        | M::Movntsd
        | M::Lddqu
        | M::Movss
        | M::Movsd
        | M::Movlps
        | M::Movlpd
        | M::Movhps
        | M::Movhpd
        | M::Vmovaps
        | M::Vmovapd
        | M::Vmovups
        | M::Vmovupd
        | M::Vmovdqa
        | M::Vmovdqu
        | M::Vmovdqa32
        | M::Vmovdqa64
        | M::Vmovdqu8
        | M::Vmovdqu16
        | M::Vmovdqu32
        | M::Vmovdqu64
        | M::Vmovntps
        | M::Vmovntpd
        | M::Vmovntdq
        | M::Vmovntdqa
        | M::Vlddqu
        | M::Vmovss
        | M::Vmovsd
        | M::Vmovsh
        | M::Vmovlps
        | M::Vmovlpd
        | M::Vmovhps
        | M::Vmovhpd
        | M::Xchg
        | M::Rdsspd
        | M::Rdsspq
        | M::Rdfsbase
        | M::Rdgsbase
        | M::Wrfsbase
        | M::Wrgsbase
        | M::Smsw
        | M::Sldt
        | M::Str => moved(instruction),
        M::Movd | M::Movq | M::Vmovd | M::Vmovq | M::Vmovw
            if (0..2).all(|operand| {
                let register = instruction.op_register(operand);
                instruction.op_kind(operand) == OpKind::Register
                    && (register.is_vector_register() || register.is_mm())
            }) =>
        {
            InstructionClass::Move
        }
        M::Kmovb | M::Kmovw | M::Kmovd | M::Kmovq
            if instruction.op0_register().is_k() && instruction.op1_register().is_k() =>
        {
            InstructionClass::Move
        }
        M::Movd
        | M::Movq
        | M::Vmovd
        | M::Vmovq
        | M::Vmovw
        | M::Kmovb
        | M::Kmovw
        | M::Kmovd
        | M::Kmovq
        | M::Movdq2q
        | M::Movq2dq
        | M::Pextrb
        | M::Pextrw
        | M::Pextrd
        | M::Pextrq
        | M::Extractps
        | M::Vpextrb
        | M::Vpextrw
        | M::Vpextrd
        | M::Vpextrq
        | M::Vextractps
        | M::Vextractf128
        | M::Vextracti128
        | M::Vextractf32x4
        | M::Vextracti32x4
        | M::Vextractf64x2
        | M::Vextracti64x2
        | M::Vextractf32x8
        | M::Vextracti32x8
        | M::Vextractf64x4
        | M::Vextracti64x4 => shuffled(instruction),
        M::Push
        | M::Pushf
        | M::Pushfq
        | M::Enter
        | M::Stmxcsr
        | M::Vstmxcsr
        | M::Maskmovq
        | M::Maskmovdqu
        | M::Vmaskmovdqu
        | M::Fxsave
        | M::Fxsave64
        | M::Xsave
        | M::Xsave64
        | M::Xsavec
        | M::Xsavec64
        | M::Xsaveopt
        | M::Xsaveopt64
        | M::Clzero
        | M::Sttilecfg
        | M::Tilestored
        | M::Sgdt
        | M::Sidt => InstructionClass::Store,
        M::Pop
        | M::Popf
        | M::Popfq
        | M::Leave
        | M::Xlatb
        | M::Ldmxcsr
        | M::Vldmxcsr
        | M::Fxrstor
        | M::Fxrstor64
        | M::Xrstor
        | M::Xrstor64
        | M::Ldtilecfg
        | M::Tileloadd
        | M::Tileloaddt1
        | M::Lfs
        | M::Lgs
        | M::Lss => InstructionClass::Load,
        M::Movdir64b | M::Enqcmd | M::Enqcmds => InstructionClass::String,
        M::Vmaskmovps | M::Vmaskmovpd | M::Vpmaskmovd | M::Vpmaskmovq => moved(instruction),
        M::Add
        | M::Adc
        | M::Adcx
        | M::Adox
        | M::Sub
        | M::Sbb
        | M::And
        | M::Andn
        | M::Or
        | M::Xor
        | M::Not
        | M::Neg
        | M::Inc
        | M::Dec
        | M::Cmp
        | M::Test
        | M::Lea
        | M::Bswap
        | M::Bextr
        | M::Blsi
        | M::Blsr
        | M::Blsmsk
        | M::Blcfill
        | M::Blci
        | M::Blcic
        | M::Blcmsk
        | M::Blcs
        | M::Blsfill
        | M::Blsic
        | M::T1mskc
        | M::Tzmsk
        | M::Bsf
        | M::Bsr
        | M::Bt
        | M::Btc
        | M::Btr
        | M::Bts
        | M::Bzhi
        | M::Cbw
        | M::Cwde
        | M::Cdqe
        | M::Cwd
        | M::Cdq
        | M::Cqo
        | M::Clc
        | M::Stc
        | M::Cmc
        | M::Cld
        | M::Std
        | M::Lahf
        | M::Sahf
        | M::Lzcnt
        | M::Tzcnt
        | M::Popcnt
        | M::Pdep
        | M::Pext
        | M::Rol
        | M::Ror
        | M::Rcl
        | M::Rcr
        | M::Rorx
        | M::Sal
        | M::Sar
        | M::Sarx
        | M::Shl
        | M::Shlx
        | M::Shr
        | M::Shrx
        | M::Shld
        | M::Shrd
        | M::Cmpxchg
        | M::Cmpxchg8b
        | M::Cmpxchg16b
        | M::Xadd
        | M::Cmova
        | M::Cmovae
        | M::Cmovb
        | M::Cmovbe
        | M::Cmove
        | M::Cmovg
        | M::Cmovge
        | M::Cmovl
        | M::Cmovle
        | M::Cmovne
        | M::Cmovno
        | M::Cmovnp
        | M::Cmovns
        | M::Cmovo
        | M::Cmovp
        | M::Cmovs
        | M::Seta
        | M::Setae
        | M::Setb
        | M::Setbe
        | M::Sete
        | M::Setg
        | M::Setge
        | M::Setl
        | M::Setle
        | M::Setne
        | M::Setno
        | M::Setnp
        | M::Setns
        | M::Seto
        | M::Setp
        | M::Sets => InstructionClass::Integer,
        M::Mul | M::Imul | M::Mulx => InstructionClass::IntegerMultiply,
        M::Div | M::Idiv => InstructionClass::IntegerDivide,
        M::Aadd
        | M::Aand
        | M::Aor
        | M::Axor
        | M::Cmpbexadd
        | M::Cmpbxadd
        | M::Cmplexadd
        | M::Cmplxadd
        | M::Cmpnbexadd
        | M::Cmpnbxadd
        | M::Cmpnlexadd
        | M::Cmpnlxadd
        | M::Cmpnoxadd
        | M::Cmpnpxadd
        | M::Cmpnsxadd
        | M::Cmpnzxadd
        | M::Cmpoxadd
        | M::Cmppxadd
        | M::Cmpsxadd
        | M::Cmpzxadd => InstructionClass::Atomic,
        M::Nop
        | M::Reservednop
        | M::Pause
        | M::Wait
        | M::Fnop
        | M::Emms
        | M::Femms
        | M::Lfence
        | M::Mfence
        | M::Sfence
        | M::Serialize
        | M::Pcommit
        | M::Monitorx
        | M::Mwaitx
        | M::Umonitor
        | M::Umwait
        | M::Tpause
        | M::Xsusldtrk
        | M::Xresldtrk => InstructionClass::Nop,
        hint if is_hint(hint) => InstructionClass::Nop,
        M::Crc32
        | M::Aesdec
        | M::Aesdeclast
        | M::Aesenc
        | M::Aesenclast
        | M::Aesimc
        | M::Aeskeygenassist
        | M::Vaesdec
        | M::Vaesdeclast
        | M::Vaesenc
        | M::Vaesenclast
        | M::Vaesimc
        | M::Vaeskeygenassist
        | M::Pclmulqdq
        | M::Vpclmulqdq
        | M::Sha1msg1
        | M::Sha1msg2
        | M::Sha1nexte
        | M::Sha1rnds4
        | M::Sha256msg1
        | M::Sha256msg2
        | M::Sha256rnds2
        | M::Vsha512msg1
        | M::Vsha512msg2
        | M::Vsha512rnds2
        | M::Vsm3msg1
        | M::Vsm3msg2
        | M::Vsm3rnds2
        | M::Vsm4key4
        | M::Vsm4rnds4
        | M::Aesenc128kl
        | M::Aesenc256kl
        | M::Aesdec128kl
        | M::Aesdec256kl
        | M::Aesencwide128kl
        | M::Aesencwide256kl
        | M::Aesdecwide128kl
        | M::Aesdecwide256kl
        | M::Encodekey128
        | M::Encodekey256
        | M::Gf2p8affineinvqb
        | M::Gf2p8affineqb
        | M::Gf2p8mulb
        | M::Vgf2p8affineinvqb
        | M::Vgf2p8affineqb
        | M::Vgf2p8mulb
        | M::Xcryptcbc
        | M::Xcryptcfb
        | M::Xcryptctr
        | M::Xcryptecb
        | M::Xcryptofb
        | M::Xsha1
        | M::Xsha256
        | M::Xsha512
        | M::Xsha512_alt
        | M::Montmul
        | M::Ccs_hash
        | M::Ccs_encrypt => InstructionClass::Crypto,
        M::Pmulhrw => InstructionClass::VectorMultiply,
        M::Vzeroall | M::Vzeroupper | M::Tilezero => InstructionClass::Move,
        M::Tdpbf16ps | M::Tdpfp16ps | M::Tcmmimfp16ps | M::Tcmmrlfp16ps => {
            InstructionClass::FloatFused
        }
        M::Tdpbssd | M::Tdpbsud | M::Tdpbusd | M::Tdpbuud => InstructionClass::VectorMultiply,
        _ => return None,
    })
}

/// Prefetches and cache control: they name memory that they neither read nor write.
pub(crate) fn is_hint(mnemonic: Mnemonic) -> bool {
    use Mnemonic as M;
    matches!(
        mnemonic,
        M::Prefetch
            | M::Prefetchnta
            | M::Prefetcht0
            | M::Prefetcht1
            | M::Prefetcht2
            | M::Prefetchw
            | M::Prefetchwt1
            | M::Prefetchit0
            | M::Prefetchit1
            | M::Vgatherpf0dpd
            | M::Vgatherpf0dps
            | M::Vgatherpf0qpd
            | M::Vgatherpf0qps
            | M::Vgatherpf1dpd
            | M::Vgatherpf1dps
            | M::Vgatherpf1qpd
            | M::Vgatherpf1qps
            | M::Vscatterpf0dpd
            | M::Vscatterpf0dps
            | M::Vscatterpf0qpd
            | M::Vscatterpf0qps
            | M::Vscatterpf1dpd
            | M::Vscatterpf1dps
            | M::Vscatterpf1qpd
            | M::Vscatterpf1qps
            | M::Clflush
            | M::Clflushopt
            | M::Clwb
            | M::Cldemote
    )
}
