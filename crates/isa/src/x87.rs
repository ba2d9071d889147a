//! The x87 stack: registers counted from the top before the instruction, moves of the top, status and control words.

use iced_x86::{Instruction, Mnemonic, OpAccess, OpKind};

use crate::Location;
use crate::access::AccessedLocations;
use crate::location::SingleRegister;

/// What was pushed is the register before the old top.
const PUSHED: u8 = 7;

/// Collects x87 registers and the control word (condition codes are among the flags); returns by how much the top
/// moves. The control word is a source wherever its rounding or precision can change the result. Functions that may
/// leave the stack alone (`fptan` of a value out of range) are taken to work.
pub(crate) fn collect(instruction: &Instruction, access: &mut AccessedLocations) -> i8 {
    use Mnemonic as M;
    let mnemonic = instruction.mnemonic();
    let shift = instruction.fpu_stack_increment_info().increment() as i8;
    if rounds(instruction) {
        access.read(Location::single(SingleRegister::X87Control));
    }
    match mnemonic {
        M::Fld => {
            if instruction.op_kind(instruction.op_count() - 1) == OpKind::Register {
                let source = instruction.op_register(instruction.op_count() - 1);
                access.read(Location::x87(source.number() as u8));
            }
            access.write(Location::x87(PUSHED));
        }
        M::Fild
        | M::Fbld
        | M::Fld1
        | M::Fldz
        | M::Fldl2e
        | M::Fldl2t
        | M::Fldlg2
        | M::Fldln2
        | M::Fldpi => access.write(Location::x87(PUSHED)),
        M::Fptan | M::Fsincos | M::Fxtract => {
            access.touch(Location::x87(0), OpAccess::ReadWrite);
            access.write(Location::x87(PUSHED));
        }
        M::Fpatan | M::Fyl2x | M::Fyl2xp1 => {
            access.read(Location::x87(0));
            access.touch(Location::x87(1), OpAccess::ReadWrite);
        }
        M::Fprem | M::Fprem1 | M::Fscale => {
            access.touch(Location::x87(0), OpAccess::ReadWrite);
            access.read(Location::x87(1));
        }
        M::Fchs | M::Fabs | M::Fsqrt | M::Frndint | M::F2xm1 | M::Fsin | M::Fcos => {
            access.touch(Location::x87(0), OpAccess::ReadWrite);
        }
        M::Ftst | M::Fxam => access.read(Location::x87(0)),
        M::Fst | M::Fstp | M::Fstpnce | M::Fist | M::Fistp | M::Fisttp | M::Fbstp => {
            access.read(Location::x87(0));
            if instruction.op0_kind() == OpKind::Register {
                access.write(Location::x87(instruction.op0_register().number() as u8));
            }
        }
        M::Fcompp | M::Fucompp => {
            access.read(Location::x87(0));
            access.read(Location::x87(1));
        }
        M::Fcom
        | M::Fcomp
        | M::Fucom
        | M::Fucomp
        | M::Fcomi
        | M::Fcomip
        | M::Fucomi
        | M::Fucomip => {
            access.read(Location::x87(0));
            stack_operands(instruction, OpAccess::Read, OpAccess::Read, access);
        }
        M::Ficom | M::Ficomp => access.read(Location::x87(0)),
        M::Fxch => stack_operands(
            instruction,
            OpAccess::ReadWrite,
            OpAccess::ReadWrite,
            access,
        ),
        M::Fcmovb
        | M::Fcmovbe
        | M::Fcmove
        | M::Fcmovnb
        | M::Fcmovnbe
        | M::Fcmovne
        | M::Fcmovnu
        | M::Fcmovu
        | M::Fadd
        | M::Faddp
        | M::Fsub
        | M::Fsubp
        | M::Fsubr
        | M::Fsubrp
        | M::Fmul
        | M::Fmulp
        | M::Fdiv
        | M::Fdivp
        | M::Fdivr
        | M::Fdivrp => {
            // With a memory operand the other one is the top.
            if instruction.op0_kind() == OpKind::Memory {
                access.touch(Location::x87(0), OpAccess::ReadWrite);
            }
            stack_operands(instruction, OpAccess::ReadWrite, OpAccess::Read, access);
        }
        M::Fiadd | M::Fisub | M::Fisubr | M::Fimul | M::Fidiv | M::Fidivr => {
            access.touch(Location::x87(0), OpAccess::ReadWrite);
        }
        M::Fldcw => access.write(Location::single(SingleRegister::X87Control)),
        M::Fnstcw => access.read(Location::single(SingleRegister::X87Control)),
        // They mask all exceptions after saving the control word.
        M::Fnstenv => {
            access.touch(
                Location::single(SingleRegister::X87Control),
                OpAccess::ReadWrite,
            );
            access.read(Location::single(SingleRegister::X87Status));
        }
        M::Fldenv | M::Fninit => environment(access),
        M::Fnsave => {
            for number in 0..8 {
                access.read(Location::x87(number));
            }
            access.read(Location::single(SingleRegister::X87Control));
            access.read(Location::single(SingleRegister::X87Status));
            environment(access);
        }
        M::Frstor => {
            for number in 0..8 {
                access.write(Location::x87(number));
            }
            environment(access);
        }
        _ => {}
    }
    shift
}

/// Status and control words are written.
fn environment(access: &mut AccessedLocations) {
    access.write(Location::single(SingleRegister::X87Control));
    access.write(Location::single(SingleRegister::X87Status));
}

/// Operands that are stack registers: the first one used as `first` says, others as `rest` says.
fn stack_operands(
    instruction: &Instruction,
    first: OpAccess,
    rest: OpAccess,
    access: &mut AccessedLocations,
) {
    for operand in 0..instruction.op_count() {
        if instruction.op_kind(operand) == OpKind::Register
            && instruction.op_register(operand).is_st()
        {
            let kind = if operand == 0 { first } else { rest };
            let number = instruction.op_register(operand).number() as u8;
            access.touch(Location::x87(number), kind);
        }
    }
}

/// Whether rounding control or precision control of the control word take part.
fn rounds(instruction: &Instruction) -> bool {
    use Mnemonic as M;
    match instruction.mnemonic() {
        // A store to memory rounds, except of all 80 bits.
        M::Fst | M::Fstp => {
            instruction.op0_kind() == OpKind::Memory && instruction.memory_size().size() < 10
        }
        M::Fist
        | M::Fistp
        | M::Fbstp
        | M::Fldl2e
        | M::Fldl2t
        | M::Fldlg2
        | M::Fldln2
        | M::Fldpi
        | M::Fptan
        | M::Fsincos
        | M::Fpatan
        | M::Fyl2x
        | M::Fyl2xp1
        | M::Fscale
        | M::Fsqrt
        | M::Frndint
        | M::F2xm1
        | M::Fsin
        | M::Fcos
        | M::Fadd
        | M::Faddp
        | M::Fsub
        | M::Fsubp
        | M::Fsubr
        | M::Fsubrp
        | M::Fmul
        | M::Fmulp
        | M::Fdiv
        | M::Fdivp
        | M::Fdivr
        | M::Fdivrp
        | M::Fiadd
        | M::Fisub
        | M::Fisubr
        | M::Fimul
        | M::Fidiv
        | M::Fidivr => true,
        _ => false,
    }
}
