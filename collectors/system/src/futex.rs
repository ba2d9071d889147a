//! Waiting for a word in memory that processes share.

use core::sync::atomic::AtomicU32;

use crate::call::call;

const FUTEX: usize = 202;
const WAIT: usize = 0;
const WAKE: usize = 1;

/// Waits up to a second for a word to be other than `seen`.
pub fn wait(word: &AtomicU32, seen: u32) {
    let second = [1_u64, 0];
    let (word, second) = (word.as_ptr() as usize, second.as_ptr() as usize);
    // SAFETY: the kernel reads the word and the time.
    let _ = unsafe { call(FUTEX, [word, WAIT, seen as usize, second, 0, 0]) };
}

/// Wakes whoever waits for a word.
pub fn wake(word: &AtomicU32) {
    // SAFETY: only the address is used.
    let _ = unsafe {
        call(
            FUTEX,
            [word.as_ptr() as usize, WAKE, i32::MAX as usize, 0, 0, 0],
        )
    };
}
