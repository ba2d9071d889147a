//! Operations of a register with itself whose result does not depend on it.

use iced_x86::{Instruction, Mnemonic, OpKind};

/// Whether the result of the instruction is the same whatever its registers hold (flags aside: `sbb eax, eax` still
/// reads the carry): zero, as of `xor eax, eax`, or all ones, as of `pcmpeqd xmm0, xmm0`.
pub(crate) fn of(instruction: &Instruction) -> bool {
    use Mnemonic as M;
    if instruction.has_op_mask() {
        return false;
    }
    let count = instruction.op_count();
    match instruction.mnemonic() {
        M::Vpternlogd | M::Vpternlogq => {
            matches!(instruction.immediate8(), 0 | 0xff)
                && instruction.op_kind(2) == OpKind::Register
        }
        M::Xor
        | M::Sub
        | M::Sbb
        | M::Pxor
        | M::Xorps
        | M::Xorpd
        | M::Psubb
        | M::Psubw
        | M::Psubd
        | M::Psubq
        | M::Psubsb
        | M::Psubsw
        | M::Psubusb
        | M::Psubusw
        | M::Pcmpgtb
        | M::Pcmpgtw
        | M::Pcmpgtd
        | M::Pcmpgtq
        | M::Pcmpeqb
        | M::Pcmpeqw
        | M::Pcmpeqd
        | M::Pcmpeqq
        | M::Vpxor
        | M::Vpxord
        | M::Vpxorq
        | M::Vxorps
        | M::Vxorpd
        | M::Vpsubb
        | M::Vpsubw
        | M::Vpsubd
        | M::Vpsubq
        | M::Vpsubsb
        | M::Vpsubsw
        | M::Vpsubusb
        | M::Vpsubusw
        | M::Vpcmpgtb
        | M::Vpcmpgtw
        | M::Vpcmpgtd
        | M::Vpcmpgtq
        | M::Vpcmpeqb
        | M::Vpcmpeqw
        | M::Vpcmpeqd
        | M::Vpcmpeqq
        | M::Kxorb
        | M::Kxorw
        | M::Kxord
        | M::Kxorq
        | M::Kxnorb
        | M::Kxnorw
        | M::Kxnord
        | M::Kxnorq => {
            let (a, b) = (count.saturating_sub(2), count.saturating_sub(1));
            instruction.op_kind(a) == OpKind::Register
                && instruction.op_kind(b) == OpKind::Register
                && instruction.op_register(a) == instruction.op_register(b)
        }
        _ => false,
    }
}
