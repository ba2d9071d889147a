//! Memory operands of an instruction.

use iced_x86::{Instruction, InstructionInfo, Mnemonic, OpAccess, OpKind};

use crate::MemoryOperand;
use crate::access::{reads, writes};
use crate::classify::is_hint;

/// Its memory operands, those read first, and whether they are known only when it is executed.
pub(crate) fn slots(
    instruction: &Instruction,
    info: &InstructionInfo,
) -> (Vec<MemoryOperand>, bool) {
    if without_access(instruction.mnemonic()) {
        return (Vec::new(), false);
    }
    let mut dynamic = is_dynamic(instruction);
    let mut slots = Vec::new();
    for memory in info.used_memory() {
        let write = writes(memory.access());
        // A store on a condition or under a mask keeps what it does not write.
        let read = reads(memory.access())
            || memory.access() == OpAccess::CondWrite
            || (write && merges_bytes(instruction.mnemonic()));
        if !read && !write {
            continue;
        }
        let size = memory.memory_size().size();
        dynamic |= size == 0;
        slots.push(MemoryOperand {
            read,
            write,
            size: size.min(usize::from(u16::MAX)) as u16,
        });
    }
    if dynamic {
        return (Vec::new(), true);
    }
    slots.sort_by_key(|slot| !slot.read);
    (slots, false)
}

/// Instructions with a memory operand that they do not read or write: hints and cache control.
fn without_access(mnemonic: Mnemonic) -> bool {
    use Mnemonic as M;
    is_hint(mnemonic)
        || matches!(
            mnemonic,
            M::Lea
                | M::Nop
                | M::Reservednop
                | M::Monitor
                | M::Monitorx
                | M::Umonitor
                | M::Invlpg
                | M::Invlpga
        )
}

/// Stores under a mask in a vector register, which iced takes to write all.
fn merges_bytes(mnemonic: Mnemonic) -> bool {
    use Mnemonic as M;
    matches!(
        mnemonic,
        M::Maskmovq
            | M::Maskmovdqu
            | M::Vmaskmovdqu
            | M::Vmaskmovps
            | M::Vmaskmovpd
            | M::Vpmaskmovd
            | M::Vpmaskmovq
    )
}

/// Whether number, size or address of its memory operands depend on what registers hold beyond an address: vector
/// indices, element masks of `xsave`, nesting levels, bit offsets, aligned lines.
fn is_dynamic(instruction: &Instruction) -> bool {
    use Mnemonic as M;
    match instruction.mnemonic() {
        M::Bt | M::Bts | M::Btr | M::Btc => {
            instruction.op0_kind() == OpKind::Memory && instruction.op1_kind() == OpKind::Register
        }
        M::Enter => instruction.immediate8_2nd() & 31 != 0,
        M::Clzero | M::Tileloadd | M::Tileloaddt1 | M::Tilestored => true,
        mnemonic => saves_state(mnemonic) || instruction.is_vsib(),
    }
}

/// The family of `xsave` and `xrstor`, whose size depends on the features in use.
pub(crate) fn saves_state(mnemonic: Mnemonic) -> bool {
    use Mnemonic as M;
    matches!(
        mnemonic,
        M::Xsave
            | M::Xsave64
            | M::Xsavec
            | M::Xsavec64
            | M::Xsaveopt
            | M::Xsaveopt64
            | M::Xsaves
            | M::Xsaves64
            | M::Xrstor
            | M::Xrstor64
            | M::Xrstors
            | M::Xrstors64
    )
}
