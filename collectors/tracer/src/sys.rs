//! System calls without libc.

use core::arch::asm;
use core::sync::atomic::AtomicU32;

const READ: usize = 0;
const OPEN: usize = 2;
const CLOSE: usize = 3;
const MMAP: usize = 9;
const GETPID: usize = 39;
const KILL: usize = 62;
const GETPPID: usize = 110;
const GETTID: usize = 186;
const FUTEX: usize = 202;
const PRLIMIT: usize = 302;

const O_RDWR: usize = 2;
const O_RDWR_CLOEXEC: usize = 0o2_000_002;
const FUTEX_WAIT: usize = 0;
const FUTEX_WAKE: usize = 1;
const ESRCH: isize = -3;
const RLIMIT_STACK: usize = 3;

/// # Safety
/// The call must not break memory that Rust code relies on.
unsafe fn call(number: usize, a: [usize; 6]) -> isize {
    let result: isize;
    // SAFETY: the kernel preserves all registers but rax, rcx and r11; the caller vouches for memory.
    unsafe {
        asm!("syscall", inlateout("rax") number as isize => result,
            in("rdi") a[0], in("rsi") a[1], in("rdx") a[2], in("r10") a[3], in("r8") a[4], in("r9") a[5],
            lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    result
}

/// Maps a file shared, for reading and writing. `path` ends with a zero byte.
pub fn map_shared(path: &[u8], size: usize) -> Option<*mut u8> {
    const READ_WRITE: usize = 3;
    const SHARED_NORESERVE: usize = 0x4001;
    debug_assert_eq!(path.last(), Some(&0));
    // SAFETY: the path ends with a zero byte; a new mapping touches no other memory.
    unsafe {
        let file = call(OPEN, [path.as_ptr() as usize, O_RDWR_CLOEXEC, 0, 0, 0, 0]);
        if file < 0 {
            return None;
        }
        let base = call(
            MMAP,
            [0, size, READ_WRITE, SHARED_NORESERVE, file as usize, 0],
        );
        call(CLOSE, [file as usize, 0, 0, 0, 0, 0]);
        (base > 0).then_some(base as *mut u8)
    }
}

/// This process.
pub fn process() -> u32 {
    // SAFETY: takes nothing.
    unsafe { call(GETPID, [0; 6]) as u32 }
}

/// Its parent.
pub fn parent() -> u32 {
    // SAFETY: takes nothing.
    unsafe { call(GETPPID, [0; 6]) as u32 }
}

/// This thread.
pub fn thread() -> u32 {
    // SAFETY: takes nothing.
    unsafe { call(GETTID, [0; 6]) as u32 }
}

/// Whether a process is gone.
pub fn gone(process: u32) -> bool {
    // SAFETY: signal 0 is none.
    unsafe { call(KILL, [process as usize, 0, 0, 0, 0, 0]) == ESRCH }
}

/// Largest size of the main thread's stack; `u64::MAX` if there is no limit.
pub fn stack_limit() -> u64 {
    let mut limit = [0u64; 2];
    // SAFETY: writes the two words it is given.
    unsafe {
        call(
            PRLIMIT,
            [0, RLIMIT_STACK, 0, limit.as_mut_ptr() as usize, 0, 0],
        )
    };
    limit[0]
}

/// Places in the process's table of open files, which is more than the largest number of one; `None` if `/proc` does not tell.
pub fn file_table() -> Option<u64> {
    let path = b"/proc/self/status\0";
    let mut text = [0u8; 4096];
    // SAFETY: opens, reads into what is given, and closes.
    let length = unsafe {
        let flags = O_RDWR_CLOEXEC & !O_RDWR;
        let file = call(OPEN, [path.as_ptr() as usize, flags, 0, 0, 0, 0]);
        if file < 0 {
            return None;
        }
        let read = [
            file as usize,
            text.as_mut_ptr() as usize,
            text.len(),
            0,
            0,
            0,
        ];
        let length = call(READ, read);
        call(CLOSE, [file as usize, 0, 0, 0, 0, 0]);
        usize::try_from(length).ok()?
    };
    file_table_in(&text[..length])
}

/// The same of the text of that file: the line `FDSize:`.
fn file_table_in(text: &[u8]) -> Option<u64> {
    let mut lines = text.split(|byte| *byte == b'\n');
    let size = lines.find_map(|line| line.strip_prefix(b"FDSize:"))?;
    core::str::from_utf8(size).ok()?.trim().parse().ok()
}

/// Waits up to a second for a word in shared memory to be other than `seen`.
pub fn wait(word: &AtomicU32, seen: u32) {
    let second = [1u64, 0];
    // SAFETY: reads the word and the time.
    unsafe {
        call(
            FUTEX,
            [
                word.as_ptr() as usize,
                FUTEX_WAIT,
                seen as usize,
                second.as_ptr() as usize,
                0,
                0,
            ],
        )
    };
}

/// Wakes whoever waits for a word.
pub fn wake(word: &AtomicU32) {
    // SAFETY: only the address is used.
    unsafe {
        call(
            FUTEX,
            [
                word.as_ptr() as usize,
                FUTEX_WAKE,
                i32::MAX as usize,
                0,
                0,
                0,
            ],
        )
    };
}

#[cfg(test)]
mod tests {
    use super::{file_table, file_table_in};

    #[test]
    fn the_size_of_the_table_of_files_is_found() {
        let text = b"Name:\tcat\nState:\tR (running)\nFDSize:\t256\nGroups:\t0 \n";
        assert_eq!(file_table_in(text), Some(256));
        assert_eq!(file_table_in(b"Name:\tcat\nFDSi"), None);
        let file = std::fs::File::open("/proc/self/status").expect("Linux");
        let number = std::os::fd::AsRawFd::as_raw_fd(&file) as u64;
        assert!(file_table().is_some_and(|size| size > number));
    }
}
