//! The class of an x87 instruction.

use iced_x86::{Instruction, Mnemonic};

use super::{has_memory, moved};
use crate::InstructionClass;

/// x87 instructions.
pub(super) fn by_mnemonic(instruction: &Instruction) -> Option<InstructionClass> {
    use Mnemonic as M;
    Some(match instruction.mnemonic() {
        M::Fadd
        | M::Faddp
        | M::Fiadd
        | M::Fsub
        | M::Fsubp
        | M::Fsubr
        | M::Fsubrp
        | M::Fisub
        | M::Fisubr => InstructionClass::FloatAdd,
        M::Fmul | M::Fmulp | M::Fimul => InstructionClass::FloatMultiply,
        M::Fdiv | M::Fdivp | M::Fdivr | M::Fdivrp | M::Fidiv | M::Fidivr => {
            InstructionClass::FloatDivide
        }
        M::Fsqrt => InstructionClass::FloatRoot,
        M::Fld if has_memory(instruction) => InstructionClass::Load,
        M::Fld | M::Fst | M::Fstp | M::Fstpnce | M::Fxch | M::Fnstsw => moved(instruction),
        M::Fld1 | M::Fldz | M::Fldl2e | M::Fldl2t | M::Fldlg2 | M::Fldln2 | M::Fldpi => {
            InstructionClass::Move
        }
        M::Fldcw | M::Fldenv | M::Frstor => InstructionClass::Load,
        M::Fnstcw | M::Fnstenv | M::Fnsave => InstructionClass::Store,
        M::Ffree
        | M::Ffreep
        | M::Fincstp
        | M::Fdecstp
        | M::Fninit
        | M::Fnclex
        | M::Fndisi
        | M::Fneni
        | M::Fnsetpm => InstructionClass::Nop,
        M::F2xm1
        | M::Fabs
        | M::Fbld
        | M::Fbstp
        | M::Fchs
        | M::Fcmovb
        | M::Fcmovbe
        | M::Fcmove
        | M::Fcmovnb
        | M::Fcmovnbe
        | M::Fcmovne
        | M::Fcmovnu
        | M::Fcmovu
        | M::Fcom
        | M::Fcomi
        | M::Fcomip
        | M::Fcomp
        | M::Fcompp
        | M::Fcos
        | M::Ficom
        | M::Ficomp
        | M::Fild
        | M::Fist
        | M::Fistp
        | M::Fisttp
        | M::Fpatan
        | M::Fprem
        | M::Fprem1
        | M::Fptan
        | M::Frndint
        | M::Fscale
        | M::Fsin
        | M::Fsincos
        | M::Ftst
        | M::Fucom
        | M::Fucomi
        | M::Fucomip
        | M::Fucomp
        | M::Fucompp
        | M::Fxam
        | M::Fxtract
        | M::Fyl2x
        | M::Fyl2xp1 => InstructionClass::FloatOther,
        _ => return None,
    })
}
