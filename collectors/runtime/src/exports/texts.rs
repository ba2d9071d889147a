//! How many bytes of texts functions of the C library look at.

use crate::text;

/// Bytes of a string, its NUL included, at most `most`.
///
/// # Safety
/// As for [`text::string`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_string(address: *const u8, most: u64) -> u64 {
    // SAFETY: the caller vouches.
    unsafe { text::string(address, most) }
}

/// Bytes of a string, its NUL included, as it was before another, or so much of that, was appended.
///
/// # Safety
/// As for [`text::joined`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_joined(address: *const u8, other: *const u8, most: u64) -> u64 {
    // SAFETY: the caller vouches.
    unsafe { text::joined(address, other, most) }
}

/// Bytes that were looked at to find the number that a text begins with.
///
/// # Safety
/// As for [`text::number`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_number(address: *const u8, end: *const *const u8, base: u32) -> u64 {
    // SAFETY: the caller vouches.
    unsafe { text::number(address, end, base) }
}

/// Bytes of each of two strings that their comparison looked at.
///
/// # Safety
/// As for [`text::compared`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_compared(a: *const u8, b: *const u8, most: u64, fold: u32) -> u64 {
    // SAFETY: the caller vouches.
    unsafe { text::compared(a, b, most, fold != 0) }
}
