//! System calls that open or execute `/proc/self/exe`, which leads to DynamoRIO's library: they get the program's own
//! path.

use core::ffi::c_int;
use core::ptr;
use core::sync::atomic::AtomicPtr;
use core::sync::atomic::Ordering::Relaxed;

use alloc::vec::Vec;

use crate::arguments::Changed;
use crate::dr::{self, DrContext};

/// The link, with its end. (DynamoRIO itself answers who reads it.)
const LINK: [u8; 15] = *b"/proc/self/exe\0";
/// In the flags of `open`: a link is not followed.
const NO_FOLLOW: u64 = 0o400_000;

/// The program's path, with a zero behind it.
static PATH: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());

/// Notes the path of the program's file.
pub fn learn(path: &[u8]) {
    if path.first() == Some(&b'/') {
        let mut path = Vec::from(path);
        path.push(0);
        PATH.store(path.leak().as_mut_ptr(), Relaxed);
    }
}

/// Changes the path of a call that is about to be made, where it is that link.
///
/// # Safety
/// In the event before a system call.
pub unsafe fn before(context: DrContext, number: c_int) -> Option<Changed> {
    // Place of the path, and that of the flags.
    let (place, flags) = match number {
        2 => (0, Some(1)),
        257 => (1, Some(2)),
        59 => (0, None),
        _ => return None,
    };
    let path = PATH.load(Relaxed);
    let mut found = [0_u8; LINK.len()];
    // SAFETY: arguments may be asked for and changed here; the program's memory is read as it may be unreadable.
    unsafe {
        let value = dr::dr_syscall_get_param(context, place);
        let stays = flags.is_some_and(|f| dr::dr_syscall_get_param(context, f) & NO_FOLLOW != 0);
        let mut length = 0;
        let readable = dr::dr_safe_read(
            value as *const _,
            found.len(),
            found.as_mut_ptr().cast(),
            &raw mut length,
        );
        if path.is_null() || stays || !readable || found != LINK {
            return None;
        }
        Some(Changed::new(context, number, place, path as u64))
    }
}
