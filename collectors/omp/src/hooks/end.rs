//! The end of the process by a call that runs no handlers.

use std::ffi::c_int;

use crate::process;

/// Ends the recording, then the process.
#[unsafe(no_mangle)]
pub extern "C" fn _exit(status: c_int) -> ! {
    process::finish(Some(status));
    loop {
        // SAFETY: ends the process.
        unsafe { libc::syscall(libc::SYS_exit_group, status) };
    }
}

/// The process ends without handlers, by the name that C has for `_exit`.
#[unsafe(no_mangle)]
pub extern "C" fn _Exit(status: c_int) -> ! {
    _exit(status)
}
