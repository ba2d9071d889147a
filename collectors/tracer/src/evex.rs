//! Has DynamoRIO save the registers of AVX-512 as soon as a program uses one.
//!
//! DynamoRIO saves zmm and mask registers from the first block on in which it sees AVX-512. Its decoder marks EVEX
//! instructions only where it decodes for itself (`decode_fast.c`); for a client it decodes in another way, and looks
//! at destinations alone, where `ymm16` to `ymm31` do not count (`instr_may_write_zmm_or_opmask_register`). What a
//! program had in these before it first wrote a mask was lost with the next block that was not built yet: glibc's
//! `strrchr`, in the very first call, took the end of the string for the character, and util-linux printed wrong names.

use crate::dr::{self, DrContext, List};
use crate::prefix::is_evex;

/// Marks the EVEX instructions of a block, as DynamoRIO's own decoder does, until DynamoRIO has seen one.
///
/// # Safety
/// While the block is built, before other code is put into it.
pub unsafe fn mark(context: DrContext, list: List) {
    // SAFETY: the list has the program's instructions only, whose code DynamoRIO has read.
    unsafe {
        if dr::dr_mcontext_zmm_fields_valid() {
            return;
        }
        let mut instr = dr::instrlist_first_app(list);
        while !instr.is_null() {
            let length = usize::try_from(dr::instr_length(context, instr));
            let code = dr::instr_get_app_pc(instr).cast::<u8>();
            if let Ok(length) = length
                && !code.is_null()
                && is_evex(core::slice::from_raw_parts(code, length))
            {
                dr::instr_set_prefix_flag(instr, dr::PREFIX_EVEX);
            }
            instr = dr::instr_get_next_app(instr);
        }
    }
}
