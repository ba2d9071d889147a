//! Linux system calls without libc, x86-64 only, for code that lives inside other programs and must not enter their C
//! library. Every wrapper returns the kernel's error number on failure.
//!
//! Where panics abort, as in all that ships, the memory functions that compilers call (`memcpy` and its kin) are here,
//! too.
#![cfg_attr(not(test), no_std)]

mod call;
mod execute;
mod file;
#[cfg(all(panic = "abort", not(test)))]
mod functions;
mod futex;
mod memory;
mod process;
mod signals;
mod time;

pub use call::{EDQUOT, EEXIST, EFBIG, EINVAL, ENOMEM, ENOSPC, ESRCH, Errno};
pub use execute::execute_again;
pub use file::{
    File, O_CREAT, O_EXCL, O_RDONLY, O_RDWR, rename, unlink, working_directory, write_stderr,
};
pub use futex::{wait, wake};
pub use memory::{
    MADV_DOFORK, MADV_DONTDUMP, MADV_DONTFORK, MADV_DONTNEED, MADV_HUGEPAGE, MADV_NOHUGEPAGE,
    MADV_POPULATE_WRITE, MAP_ANONYMOUS, MAP_FIXED, MAP_FIXED_NOREPLACE, MAP_NORESERVE, MAP_PRIVATE,
    MAP_SHARED, address, advise, also_at, map, map_anonymous, map_shared, map_where_free, unmap,
};
pub use process::{
    RLIMIT_AS, RLIMIT_FSIZE, RLIMIT_STACK, exit, file_table, gone, in_a_copy, limit, parent, pid,
    raise_limit, segment_base, set_segment_base, set_soft_limit, signal_this_thread, thread,
    thread_gone, use_signal_stack,
};
pub use signals::{
    SignalSet, SignalStack, block_signals, pending_signals, set_blocked_signals, signal_stack,
};
pub use time::{seconds, sleep, thread_milliseconds};
