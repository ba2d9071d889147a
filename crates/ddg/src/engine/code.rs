//! What machine code of a block is to whoever keeps and calls it; `native` makes it.

use std::ffi::c_void;

/// Code of a block: what threads share, the thread's state, its registers, the addresses, and the tables.
pub type BlockCode =
    unsafe extern "sysv64" fn(*mut c_void, *mut c_void, *mut c_void, *const u64, *const c_void);
