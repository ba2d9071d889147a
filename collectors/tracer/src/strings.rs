//! The two string functions that DynamoRIO's extensions call.

/// Compares strings.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
unsafe extern "C" fn strcmp(mut a: *const u8, mut b: *const u8) -> i32 {
    loop {
        // SAFETY: both strings go on until their zero byte, where this ends.
        unsafe {
            let (x, y) = (*a, *b);
            if x != y || x == 0 {
                return i32::from(x) - i32::from(y);
            }
            a = a.add(1);
            b = b.add(1);
        }
    }
}

/// Copies at most `n` bytes of a string, and fills up with zeros.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
unsafe extern "C" fn strncpy(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    let mut ended = false;
    for i in 0..n {
        // SAFETY: the caller vouches for `n` bytes of the one, and for the other up to its zero byte.
        unsafe {
            let byte = if ended { 0 } else { *src.add(i) };
            ended |= byte == 0;
            dst.add(i).write_volatile(byte);
        }
    }
    dst
}
