//! This process and its threads, and whether others are there.

use crate::call::{EINTR, ESRCH, Errno, call};
use crate::file::{File, O_RDONLY};

/// Size of files that are written, in bytes.
pub const RLIMIT_FSIZE: u32 = 1;
/// Size of the main thread's stack, in bytes.
pub const RLIMIT_STACK: u32 = 3;
/// Size of the address space, in bytes.
pub const RLIMIT_AS: u32 = 9;

const GETPID: usize = 39;
const CLONE: usize = 56;
const WAIT4: usize = 61;
const KILL: usize = 62;
const GETPPID: usize = 110;
const SIGALTSTACK: usize = 131;
const ARCH_PRCTL: usize = 158;
const GETTID: usize = 186;
const TIMER_CREATE: usize = 222;
const TIMER_SETTIME: usize = 223;
const EXIT_GROUP: usize = 231;
const TGKILL: usize = 234;
const PRLIMIT: usize = 302;

/// The id of this process.
pub fn pid() -> u32 {
    // SAFETY: touches no memory.
    unsafe { call(GETPID, [0; 6]) }.map_or(0, |pid| pid as u32)
}

/// The process that started it, or took it over.
pub fn parent() -> u32 {
    // SAFETY: touches no memory.
    unsafe { call(GETPPID, [0; 6]) }.map_or(0, |pid| pid as u32)
}

/// The calling thread, by the kernel's number for it.
pub fn thread() -> u32 {
    // SAFETY: touches no memory.
    unsafe { call(GETTID, [0; 6]) }.map_or(0, |thread| thread as u32)
}

/// Whether a process is gone.
pub fn gone(process: u32) -> bool {
    // SAFETY: signal 0 is none.
    unsafe { call(KILL, [process as usize, 0, 0, 0, 0, 0]) == Err(ESRCH) }
}

/// Whether a thread of this process is gone.
pub fn thread_gone(thread: u32) -> bool {
    let process = pid() as usize;
    // SAFETY: signal 0 is none.
    unsafe { call(TGKILL, [process, thread as usize, 0, 0, 0, 0]) == Err(ESRCH) }
}

/// What is added to addresses relative to gs in this thread.
pub fn segment_base() -> Result<u64, Errno> {
    const GET_GS: usize = 0x1004;
    let mut base = 0_u64;
    // SAFETY: the kernel writes a word.
    unsafe { call(ARCH_PRCTL, [GET_GS, &raw mut base as usize, 0, 0, 0, 0]) }.map(|_| base)
}

/// Sets that, to less than 2^47.
pub fn set_segment_base(base: u64) -> Result<(), Errno> {
    const SET_GS: usize = 0x1001;
    // SAFETY: no code but that which has asked for it uses gs.
    unsafe { call(ARCH_PRCTL, [SET_GS, base as usize, 0, 0, 0, 0]) }.map(drop)
}

/// Soft limit of a resource, `u64::MAX` when unlimited.
pub fn limit(resource: u32) -> u64 {
    limits(resource)[0]
}

/// Raises the soft limit of a resource to `wanted`, or as far as the hard limit lets it.
pub fn raise_limit(resource: u32, wanted: u64) {
    if wanted.min(limits(resource)[1]) > limit(resource) {
        set_soft_limit(resource, wanted);
    }
}

/// Sets the soft limit of a resource to `wanted`, or as high as the hard limit lets it.
pub fn set_soft_limit(resource: u32, wanted: u64) {
    let hard = limits(resource)[1];
    let limits = [wanted.min(hard), hard];
    // SAFETY: the kernel reads two words.
    let _ = unsafe {
        call(
            PRLIMIT,
            [0, resource as usize, limits.as_ptr() as usize, 0, 0, 0],
        )
    };
}

/// Soft and hard limit of a resource.
fn limits(resource: u32) -> [u64; 2] {
    let mut limits = [u64::MAX; 2];
    // SAFETY: the kernel writes two words.
    let _ = unsafe {
        call(
            PRLIMIT,
            [0, resource as usize, 0, limits.as_mut_ptr() as usize, 0, 0],
        )
    };
    limits
}

/// Places in the process's table of open files, which is more than the largest number of one; `None` if `/proc` does
/// not tell.
pub fn file_table() -> Option<u64> {
    let mut text = [0_u8; 4096];
    let file = File::open(b"/proc/self/status\0", O_RDONLY, 0).ok()?;
    let length = file.read(&mut text).ok()?;
    file_table_in(&text[..length])
}

/// The same of the text of that file: the line `FDSize:`.
fn file_table_in(text: &[u8]) -> Option<u64> {
    let mut lines = text.split(|byte| *byte == b'\n');
    let size = lines.find_map(|line| line.strip_prefix(b"FDSize:"))?;
    core::str::from_utf8(size).ok()?.trim().parse().ok()
}

/// Sends this thread a signal after some nanoseconds, less than a second.
pub fn signal_this_thread(signal: i32, nanoseconds: u64) -> Result<(), Errno> {
    const MONOTONIC: usize = 1;
    const THREAD: u64 = 4;
    let thread = thread();
    let mut timer = 0_u32;
    // `struct sigevent`: a value, signal and way, thread.
    let event = [
        0,
        signal as u64 | THREAD << 32,
        thread as u64,
        0,
        0,
        0,
        0,
        0,
    ];
    // `struct itimerspec`: no repetition.
    let time = [0, 0, 0, nanoseconds];
    // SAFETY: the kernel reads 64 and 32 bytes and writes 4.
    unsafe {
        let event = event.as_ptr() as usize;
        let number = &raw mut timer as usize;
        call(TIMER_CREATE, [MONOTONIC, event, number, 0, 0, 0])?;
        let time = time.as_ptr() as usize;
        call(TIMER_SETTIME, [timer as usize, 0, time, 0, 0, 0]).map(drop)
    }
}

/// Has a copy of this process, of this thread alone, do something, and waits for its end. The program is told nothing
/// of that process: no signal comes at its end, and no call that waits for children finds it. Where there can be no
/// such process nothing is done.
pub fn in_a_copy(act: impl FnOnce()) {
    const ALL: usize = 0x4000_0000;
    // SAFETY: as `fork`, but for the signal at the end. The copy has memory of its own, and ends here.
    match unsafe { call(CLONE, [0; 6]) } {
        Ok(0) => {
            act();
            exit(0)
        }
        Ok(pid) => {
            // SAFETY: touches no memory.
            while unsafe { call(WAIT4, [pid, 0, ALL, 0, 0, 0]) } == Err(EINTR) {}
        }
        Err(_) => {}
    }
}

/// Has signal handlers of this thread run on a stack of their own, if none was given.
///
/// # Safety
/// Nobody else may use that memory from now on.
pub unsafe fn use_signal_stack(memory: *mut u8, len: u64) {
    const DISABLED: usize = 2;
    let mut old = [0_usize; 3];
    let new = [memory as usize, 0, len as usize];
    // SAFETY: `stack_t` is three words, of which the second begins with the flags; the caller vouches for the memory.
    unsafe {
        let known = call(SIGALTSTACK, [0, old.as_mut_ptr() as usize, 0, 0, 0, 0]);
        if known.is_ok() && old[1] & 0xffff_ffff == DISABLED {
            let _ = call(SIGALTSTACK, [new.as_ptr() as usize, 0, 0, 0, 0, 0]);
        }
    }
}

/// Ends the process with this exit code, all threads included, without any handlers.
pub fn exit(code: i32) -> ! {
    loop {
        // SAFETY: does not return.
        let _ = unsafe { call(EXIT_GROUP, [code as usize, 0, 0, 0, 0, 0]) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_the_table_of_files_is_found() {
        let text = b"Name:\tcat\nState:\tR (running)\nFDSize:\t256\nGroups:\t0 \n";
        assert_eq!(file_table_in(text), Some(256));
        assert_eq!(file_table_in(b"Name:\tcat\nFDSi"), None);
        let file = std::fs::File::open("/proc/self/status").expect("Linux");
        let number = std::os::fd::AsRawFd::as_raw_fd(&file) as u64;
        assert!(file_table().is_some_and(|size| size > number));
    }

    #[test]
    fn processes_are_there_or_gone() {
        assert_eq!(pid(), std::process::id());
        assert!(!gone(pid()) && !gone(parent()));
        let mut child = std::process::Command::new("true")
            .spawn()
            .expect("a shell's command");
        child.wait().expect("it ends");
        assert!(gone(child.id()));
    }

    #[test]
    fn limits_are_those_of_the_process() {
        let text = std::fs::read_to_string("/proc/self/limits").expect("Linux");
        let row = text
            .lines()
            .find_map(|line| line.strip_prefix("Max stack size"));
        let soft = row
            .and_then(|row| row.split_whitespace().next())
            .expect("it has this row");
        assert_eq!(limit(RLIMIT_STACK), soft.parse().unwrap_or(u64::MAX));
    }
}
