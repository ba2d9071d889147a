//! Operands of which only the machine's state tells what is accessed: gathers, scatters, masks.

use crate::dr::{self, Instr, Machine};
use crate::events;
use crate::plan::{Dynamic, Selector};

/// Writes the words of an operand.
///
/// # Safety
/// By generated code, within a block.
pub unsafe extern "C" fn find(operand: &'static Dynamic) {
    let mut machine = Machine::new();
    // SAFETY: within a call from generated code; the instruction is the program's, just about to be executed.
    unsafe {
        let context = dr::dr_get_current_drcontext();
        if !dr::dr_get_mcontext(context, &raw mut machine) {
            return;
        }
        let thread = events::current(context);
        let mut instr = Instr::new();
        dr::instr_init(context, &raw mut instr);
        if dr::decode(context, operand.pc as dr::Pc, &raw mut instr).is_null() {
            dr::instr_free(context, &raw mut instr);
            return;
        }
        let mut address = 0;
        let mut write = false;
        match operand.selector {
            Selector::Lanes => {
                for lane in 0..u16::from(operand.count) {
                    let more = dr::instr_compute_address_ex(
                        &raw mut instr,
                        &raw mut machine,
                        lane.into(),
                        &raw mut address,
                        &raw mut write,
                    );
                    *thread.word(operand.word + lane) = if more { address } else { 0 };
                }
            }
            Selector::Mask { .. } | Selector::Signs { .. } => {
                dr::instr_compute_address_ex(
                    &raw mut instr,
                    &raw mut machine,
                    0,
                    &raw mut address,
                    &raw mut write,
                );
                *thread.word(operand.word) = address;
                *thread.word(operand.word + 1) = mask(operand, &machine);
            }
        }
        dr::instr_free(context, &raw mut instr);
    }
}

/// A bit for each element that is accessed.
fn mask(operand: &Dynamic, machine: &Machine) -> u64 {
    let all = u64::MAX >> (64 - operand.count.clamp(1, 64));
    match operand.selector {
        Selector::Lanes => all,
        Selector::Mask { register, packed } => {
            let mask = machine.masks[usize::from(register)] & all;
            if packed {
                (1_u64.unbounded_shl(mask.count_ones())).wrapping_sub(1)
            } else {
                mask
            }
        }
        Selector::Signs { register, size } => {
            let bytes = &machine.simd[usize::from(register)];
            let elements = bytes.chunks(size.into()).take(operand.count.into());
            elements.enumerate().fold(0, |mask, (place, element)| {
                let sign = element.last().map_or(0, |byte| byte >> 7);
                mask | u64::from(sign) << place
            })
        }
    }
}
