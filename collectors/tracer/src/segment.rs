//! Addresses relative to both gs and the instruction, as code of `parascan-cc` has for its counters.
//!
//! DynamoRIO has gs for itself, and gives programs the base that they would have: in addresses of registers and a
//! displacement, and not in these, through which a program would write DynamoRIO's own memory. So the segment is left
//! out of these, and a program that sets its base is told that it cannot: DynamoRIO would have lost its own.

use core::ffi::c_int;

use crate::arguments::Changed;
use crate::dr::{self, DrContext, InstrPtr, List, Operand};

/// `arch_prctl`, and what it does.
const ARCH_PRCTL: c_int = 158;
const SET_GS: u64 = 0x1001;
/// Nothing that there is.
const NONE: u64 = 0;

/// Has a call that sets the base of gs fail.
///
/// # Safety
/// In the event before a system call.
pub unsafe fn before(context: DrContext, number: c_int) -> Option<Changed> {
    // SAFETY: arguments may be asked for and changed here.
    unsafe {
        (number == ARCH_PRCTL && dr::dr_syscall_get_param(context, 0) == SET_GS)
            .then(|| Changed::new(context, number, 0, NONE))
    }
}

/// Leaves the segment out of all such addresses of a basic block.
///
/// # Safety
/// In the phase in which a block's own instructions may be changed.
pub unsafe fn leave_out(list: List) {
    // SAFETY: the list is a block's; operands are asked for and set by their numbers.
    unsafe {
        let mut instr = dr::instrlist_first_app(list);
        while !instr.is_null() {
            for place in 0..dr::instr_num_srcs(instr) {
                near(
                    instr,
                    place,
                    dr::instr_get_src(instr, place as u32),
                    dr::instr_set_src,
                );
            }
            for place in 0..dr::instr_num_dsts(instr) {
                near(
                    instr,
                    place,
                    dr::instr_get_dst(instr, place as u32),
                    dr::instr_set_dst,
                );
            }
            instr = dr::instr_get_next_app(instr);
        }
    }
}

/// # Safety
/// As above.
unsafe fn near(
    instr: InstrPtr,
    place: c_int,
    operand: Operand,
    set: unsafe extern "C" fn(InstrPtr, u32, Operand),
) {
    // SAFETY: as above.
    unsafe {
        if dr::opnd_is_far_rel_addr(operand) && dr::opnd_get_segment(operand) == dr::GS {
            let (address, size) = (dr::opnd_get_addr(operand), dr::opnd_get_size(operand));
            set(instr, place as u32, dr::opnd_create_rel_addr(address, size));
        }
    }
}
