//! Takes DynamoRIO's variables out of the program's environment, before the program can look.

use core::ffi::CStr;

use crate::dr::{self, MachineContext};

/// How they begin. DynamoRIO has read them, and sets them anew for programs that this one executes.
const PREFIX: &[u8] = b"DYNAMORIO_";
/// What DynamoRIO puts in the place of a variable that such a program is not to have.
const DISABLED: &[u8] = b"__disabled__";

/// Removes the variables from the first stack of the process: argument count and pointers, environment pointers,
/// auxiliary vector, each list with a zero behind it (System V ABI, figure 3.9). What follows a removed pointer moves
/// down.
///
/// # Safety
/// By generated code, before the program's first instruction.
pub unsafe extern "C" fn clean() {
    let mut machine = MachineContext::new();
    // SAFETY: the program stands at its first instruction, where its stack is as the kernel made it.
    unsafe {
        if !dr::dr_get_mcontext(dr::dr_get_current_drcontext(), &raw mut machine) {
            return;
        }
        let stack = machine.rsp as *mut u64;
        let mut from = stack.add(*stack as usize + 2);
        let mut to = from;
        while *from != 0 {
            let variable = CStr::from_ptr(*from as *const _).to_bytes();
            let ours = variable.starts_with(PREFIX) || variable == DISABLED;
            *to = *from;
            from = from.add(1);
            if !ours {
                to = to.add(1);
            }
        }
        if from == to {
            return;
        }
        *to = 0;
        loop {
            from = from.add(1);
            to = to.add(1);
            let (kind, value) = (*from, *from.add(1));
            *to = kind;
            *to.add(1) = value;
            if kind == 0 {
                return;
            }
            from = from.add(1);
            to = to.add(1);
        }
    }
}
