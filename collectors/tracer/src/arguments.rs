//! Arguments of system calls that are changed on the way to the kernel, and given back afterwards.

use core::ffi::c_int;

use crate::dr::{self, DrContext, MachineContext};

/// An argument that was changed for a call.
#[derive(Clone, Copy, Debug)]
pub struct Changed {
    number: c_int,
    place: c_int,
    value: u64,
}

impl Changed {
    /// Changes an argument, the first or the second, of the call that is about to be made.
    ///
    /// # Safety
    /// In the event before a system call.
    pub unsafe fn new(context: DrContext, number: c_int, place: c_int, value: u64) -> Self {
        // SAFETY: arguments may be asked for and changed here.
        let before = unsafe { dr::dr_syscall_get_param(context, place) };
        // SAFETY: likewise.
        unsafe { dr::dr_syscall_set_param(context, place, value) };
        Self {
            number,
            place,
            value: before,
        }
    }

    /// What the program gave.
    pub fn value(self) -> u64 {
        self.value
    }

    /// Gives a call that has returned its argument back: the program may rely on the register.
    ///
    /// # Safety
    /// In the event after a system call.
    pub unsafe fn after(self, context: DrContext, number: c_int) {
        if number != self.number {
            return;
        }
        let mut machine = MachineContext::new();
        machine.flags = MachineContext::INTEGER;
        // SAFETY: the program's registers may be changed here.
        unsafe {
            if dr::dr_get_mcontext(context, &raw mut machine) {
                let register = match self.place {
                    0 => &mut machine.rdi,
                    _ => &mut machine.rsi,
                };
                *register = self.value;
                dr::dr_set_mcontext(context, &raw mut machine);
            }
        }
    }
}
