//! `__ps_state`, the thread's state in initial-exec thread-local storage, made in assembly because `#[thread_local]` is
//! not stable, and weak references to libc.

use core::arch::{asm, global_asm};
use core::mem::{offset_of, size_of};

use parascan_abi::{State, UNTRACKED_DEPTH};

global_asm!(
    ".section .tdata.__ps_state,\"awT\",@progbits",
    ".globl __ps_state",
    ".type __ps_state,@object",
    ".p2align 6",
    "__ps_state:",
    ".zero {before}",
    ".quad {untracked}",
    ".zero {after}",
    ".size __ps_state, {size}",
    ".text",
    before = const offset_of!(State, depth),
    untracked = const UNTRACKED_DEPTH,
    after = const size_of::<State>() - offset_of!(State, depth) - 8,
    size = const size_of::<State>(),
);

/// The calling thread's state. Valid as long as the thread lives.
#[inline(always)]
pub(crate) fn state() -> *mut State {
    let address: *mut State;
    // SAFETY: reads the thread pointer and the module's TLS offset; both are constant in a thread.
    unsafe {
        asm!(
            "mov {0}, qword ptr fs:[0]",
            "add {0}, qword ptr [rip + __ps_state@GOTTPOFF]",
            out(reg) address,
            options(pure, nomem, nostack),
        );
    }
    address
}

/// `rsp` of the function that this is inlined into.
#[inline(always)]
pub(crate) fn stack_pointer() -> usize {
    let sp: usize;
    // SAFETY: reads a register.
    unsafe { asm!("mov {0}, rsp", out(reg) sp, options(nomem, nostack, preserves_flags)) };
    sp
}

/// Address of a libc symbol, or null when the program has none.
macro_rules! weak {
    ($name:literal) => {{
        let address: *mut core::ffi::c_void;
        // SAFETY: reads the global offset table; a weak symbol that is absent has address 0.
        unsafe {
            core::arch::asm!(
                concat!(".weak ", $name),
                concat!("mov {0}, qword ptr [rip + ", $name, "@GOTPCREL]"),
                out(reg) address,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        address
    }};
}
pub(crate) use weak;
