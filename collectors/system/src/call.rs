//! The one place that enters the kernel.

use core::arch::asm;

/// An error number of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errno(pub i32);

/// No such process.
pub const ESRCH: Errno = Errno(3);
/// Interrupted by a signal.
pub(crate) const EINTR: Errno = Errno(4);
/// No memory.
pub const ENOMEM: Errno = Errno(12);
/// It is there already.
pub const EEXIST: Errno = Errno(17);
/// An argument that cannot be.
pub const EINVAL: Errno = Errno(22);
/// Larger than files may be.
pub const EFBIG: Errno = Errno(27);
/// No space left on the device.
pub const ENOSPC: Errno = Errno(28);
/// The user's quota of disk space is used up.
pub const EDQUOT: Errno = Errno(122);

/// Issues a system call.
///
/// # Safety
/// The call must not break memory that Rust code relies on.
#[inline]
pub(crate) unsafe fn call(number: usize, a: [usize; 6]) -> Result<usize, Errno> {
    let result: isize;
    // SAFETY: the kernel preserves all registers but rax, rcx and r11; the caller vouches for memory.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number as isize => result,
            in("rdi") a[0],
            in("rsi") a[1],
            in("rdx") a[2],
            in("r10") a[3],
            in("r8") a[4],
            in("r9") a[5],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    if (-4095..0).contains(&result) {
        Err(Errno(-result as i32))
    } else {
        Ok(result as usize)
    }
}
