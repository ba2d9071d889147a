//! `memcpy` and its kin for compiler-generated calls, so that the program's libc (or its interposed, perhaps
//! instrumented, replacements) is never entered from the code of this project.

use core::arch::asm;

/// Copies forward.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
unsafe extern "C" fn memcpy(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    // SAFETY: the caller vouches for both ranges; the direction flag is clear by the ABI.
    unsafe {
        asm!("rep movsb", inout("rcx") n => _, inout("rdi") dst => _, inout("rsi") src => _,
            options(nostack, preserves_flags));
    }
    dst
}

/// Copies in the direction that overlap asks for.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
unsafe extern "C" fn memmove(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    if (dst as usize).wrapping_sub(src as usize) >= n {
        // SAFETY: a forward copy does not overwrite what it has yet to read.
        return unsafe { memcpy(dst, src, n) };
    }
    // SAFETY: as above, backward; the direction flag is restored.
    unsafe {
        asm!("std", "rep movsb", "cld", inout("rcx") n => _,
            inout("rdi") dst.wrapping_add(n).wrapping_sub(1) => _,
            inout("rsi") src.wrapping_add(n).wrapping_sub(1) => _, options(nostack));
    }
    dst
}

/// Fills.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
unsafe extern "C" fn memset(dst: *mut u8, byte: i32, n: usize) -> *mut u8 {
    // SAFETY: the caller vouches for the range.
    unsafe {
        asm!("rep stosb", inout("rcx") n => _, inout("rdi") dst => _, in("al") byte as u8,
            options(nostack, preserves_flags));
    }
    dst
}

/// Compares.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, n: usize) -> i32 {
    for i in 0..n {
        // SAFETY: the caller vouches for both ranges. Volatile keeps the loop from becoming a call of itself.
        let (x, y) = unsafe { (a.add(i).read_volatile(), b.add(i).read_volatile()) };
        if x != y {
            return i32::from(x) - i32::from(y);
        }
    }
    0
}

/// Compares for equality.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
unsafe extern "C" fn bcmp(a: *const u8, b: *const u8, n: usize) -> i32 {
    // SAFETY: the same contract.
    unsafe { memcmp(a, b, n) }
}

/// Length of a string.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
unsafe extern "C" fn strlen(string: *const u8) -> usize {
    let mut n = 0;
    // SAFETY: the caller vouches for the string. Volatile as in `memcmp`.
    while unsafe { string.add(n).read_volatile() } != 0 {
        n += 1;
    }
    n
}
