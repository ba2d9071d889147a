//! Linux system calls without libc, x86-64 only. Every wrapper returns the kernel's error number on failure.

use core::arch::asm;
use core::ffi::c_void;

/// An error number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Errno(pub(crate) i32);

const EINTR: Errno = Errno(4);
pub(crate) const ENOMEM: Errno = Errno(12);
pub(crate) const EEXIST: Errno = Errno(17);
pub(crate) const EINVAL: Errno = Errno(22);
pub(crate) const EFBIG: Errno = Errno(27);
pub(crate) const ENOSPC: Errno = Errno(28);
pub(crate) const EDQUOT: Errno = Errno(122);

pub(crate) const O_RDONLY: u32 = 0;
pub(crate) const O_RDWR: u32 = 2;
pub(crate) const O_CREAT: u32 = 0o100;
pub(crate) const O_EXCL: u32 = 0o200;
pub(crate) const O_CLOEXEC: u32 = 0o2_000_000;

pub(crate) const MAP_SHARED: u32 = 0x1;
pub(crate) const MAP_PRIVATE: u32 = 0x2;
pub(crate) const MAP_FIXED: u32 = 0x10;
pub(crate) const MAP_ANONYMOUS: u32 = 0x20;
pub(crate) const MAP_NORESERVE: u32 = 0x4000;
pub(crate) const MAP_FIXED_NOREPLACE: u32 = 0x10_0000;

pub(crate) const MADV_DONTNEED: u32 = 4;
pub(crate) const MADV_DONTFORK: u32 = 10;
pub(crate) const MADV_DOFORK: u32 = 11;
pub(crate) const MADV_HUGEPAGE: u32 = 14;
pub(crate) const MADV_NOHUGEPAGE: u32 = 15;
pub(crate) const MADV_DONTDUMP: u32 = 16;
pub(crate) const MADV_POPULATE_WRITE: u32 = 23;

pub(crate) const RLIMIT_FSIZE: u32 = 1;
pub(crate) const RLIMIT_STACK: u32 = 3;
pub(crate) const RLIMIT_AS: u32 = 9;

const READ: usize = 0;
const WRITE: usize = 1;
const OPEN: usize = 2;
const CLOSE: usize = 3;
const FSTAT: usize = 5;
const MMAP: usize = 9;
const MUNMAP: usize = 11;
const MREMAP: usize = 25;
const MADVISE: usize = 28;
const NANOSLEEP: usize = 35;
const GETPID: usize = 39;
const CLONE: usize = 56;
const WAIT4: usize = 61;
const FTRUNCATE: usize = 77;
const GETCWD: usize = 79;
const RENAME: usize = 82;
const UNLINK: usize = 87;
const SIGALTSTACK: usize = 131;
const GETTID: usize = 186;
const TIMER_CREATE: usize = 222;
const TIMER_SETTIME: usize = 223;
const CLOCK_GETTIME: usize = 228;
const EXIT_GROUP: usize = 231;
const PRLIMIT: usize = 302;

/// Issues a system call.
///
/// # Safety
/// The call must not break memory that Rust code relies on.
#[inline]
unsafe fn call(number: usize, a: [usize; 6]) -> Result<usize, Errno> {
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

/// A file descriptor that closes itself.
pub(crate) struct File(usize);

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: the descriptor is ours; closing it touches no memory.
        let _ = unsafe { call(CLOSE, [self.0, 0, 0, 0, 0, 0]) };
    }
}

impl File {
    /// Opens `path`, which ends in NUL.
    pub(crate) fn open(path: &[u8], flags: u32, mode: u32) -> Result<Self, Errno> {
        if path.last() != Some(&0) {
            return Err(EINVAL);
        }
        // SAFETY: the path is NUL-terminated and only read.
        unsafe {
            call(
                OPEN,
                [
                    path.as_ptr() as usize,
                    (flags | O_CLOEXEC) as usize,
                    mode as usize,
                    0,
                    0,
                    0,
                ],
            )
        }
        .map(Self)
    }

    /// Reads up to `buffer.len()` bytes.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> Result<usize, Errno> {
        // SAFETY: the kernel writes within the buffer.
        unsafe {
            call(
                READ,
                [self.0, buffer.as_mut_ptr() as usize, buffer.len(), 0, 0, 0],
            )
        }
    }

    /// Sets the length in bytes.
    pub(crate) fn truncate(&self, len: u64) -> Result<(), Errno> {
        // SAFETY: touches no memory.
        unsafe { call(FTRUNCATE, [self.0, len as usize, 0, 0, 0, 0]) }.map(drop)
    }

    /// Writes all of `bytes` at `offset`.
    pub(crate) fn write_at(&self, bytes: &[u8], offset: u64) -> Result<(), Errno> {
        const PWRITE: usize = 18;
        let mut done = 0;
        while done < bytes.len() {
            let rest = &bytes[done..];
            // SAFETY: the kernel only reads the buffer.
            let n = unsafe {
                call(
                    PWRITE,
                    [
                        self.0,
                        rest.as_ptr() as usize,
                        rest.len(),
                        offset as usize + done,
                        0,
                        0,
                    ],
                )
            }?;
            if n == 0 {
                return Err(ENOSPC);
            }
            done += n;
        }
        Ok(())
    }

    /// Device and inode, which identify the file.
    pub(crate) fn identity(&self) -> Result<(u64, u64), Errno> {
        let mut stat = [0_u64; 18];
        // SAFETY: `struct stat` has 144 bytes.
        unsafe { call(FSTAT, [self.0, stat.as_mut_ptr() as usize, 0, 0, 0, 0]) }?;
        Ok((stat[0], stat[1]))
    }
}

/// Maps memory readable and writable. `file` None maps zeros.
///
/// # Safety
/// With `MAP_FIXED` the address range must be the caller's to replace.
pub(crate) unsafe fn map(
    address: u64,
    len: u64,
    flags: u32,
    file: Option<&File>,
) -> Result<*mut u8, Errno> {
    let fd = file.map_or(usize::MAX, |file| file.0);
    // SAFETY: a mapping without MAP_FIXED replaces nothing; with it the caller vouches.
    unsafe {
        call(
            MMAP,
            [address as usize, len as usize, 3, flags as usize, fd, 0],
        )
    }
    .map(|p| p as *mut u8)
}

/// Has the pages of a shared mapping lie at another place too.
///
/// # Safety
/// What lies there may be replaced.
pub(crate) unsafe fn also_at(shared: *const u8, len: u64, place: *mut u8) -> Result<(), Errno> {
    const MAYMOVE_AND_FIXED: usize = 3;
    let (from, to) = (address(shared) as usize, address(place) as usize);
    // SAFETY: of a shared mapping, a length of 0 makes another mapping and leaves the old one; the caller vouches for the place.
    unsafe { call(MREMAP, [from, 0, len as usize, MAYMOVE_AND_FIXED, to, 0]) }.map(drop)
}

/// Private zeros that cost nothing until touched.
pub(crate) fn map_anonymous(len: u64) -> Result<*mut u8, Errno> {
    // SAFETY: no MAP_FIXED, nothing is replaced.
    unsafe { map(0, len, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, None) }
}

/// Unmaps memory.
///
/// # Safety
/// Nothing may use the range afterwards.
pub(crate) unsafe fn unmap(address: *mut u8, len: u64) {
    // SAFETY: the caller vouches.
    let _ = unsafe { call(MUNMAP, [address as usize, len as usize, 0, 0, 0, 0]) };
}

/// Advises the kernel about a range.
///
/// # Safety
/// With `MADV_DONTNEED` the range's content must be the caller's to drop.
pub(crate) unsafe fn advise(address: u64, len: u64, advice: u32) -> Result<(), Errno> {
    // SAFETY: the caller vouches.
    unsafe {
        call(
            MADVISE,
            [address as usize, len as usize, advice as usize, 0, 0, 0],
        )
    }
    .map(drop)
}

/// This process.
pub(crate) fn pid() -> u32 {
    // SAFETY: touches no memory.
    unsafe { call(GETPID, [0; 6]) }.map_or(0, |pid| pid as u32)
}

/// Soft limit of a resource, `u64::MAX` when unlimited.
pub(crate) fn limit(resource: u32) -> u64 {
    limits(resource)[0]
}

/// Raises the soft limit of a resource to `wanted`, or as far as the hard limit lets it.
pub(crate) fn raise_limit(resource: u32, wanted: u64) {
    let [soft, hard] = limits(resource);
    let raised = [wanted.min(hard), hard];
    if raised[0] > soft {
        // SAFETY: the kernel reads two words.
        let _ = unsafe {
            call(
                PRLIMIT,
                [0, resource as usize, raised.as_ptr() as usize, 0, 0, 0],
            )
        };
    }
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

/// Writes the working directory with its NUL into `buffer` and returns the length including it.
pub(crate) fn working_directory(buffer: &mut [u8]) -> Result<usize, Errno> {
    // SAFETY: the kernel writes within the buffer.
    unsafe {
        call(
            GETCWD,
            [buffer.as_mut_ptr() as usize, buffer.len(), 0, 0, 0, 0],
        )
    }
}

/// Removes a file; `path` ends in NUL.
pub(crate) fn unlink(path: &[u8]) {
    if path.last() == Some(&0) {
        // SAFETY: the path is NUL-terminated and only read.
        let _ = unsafe { call(UNLINK, [path.as_ptr() as usize, 0, 0, 0, 0, 0]) };
    }
}

/// Writes to standard error, as far as that is possible.
pub(crate) fn write_stderr(bytes: &[u8]) {
    // SAFETY: the kernel only reads the buffer.
    let _ = unsafe { call(WRITE, [2, bytes.as_ptr() as usize, bytes.len(), 0, 0, 0]) };
}

/// Renames a file; both paths end in NUL.
pub(crate) fn rename(from: &[u8], to: &[u8]) -> Result<(), Errno> {
    if from.last() != Some(&0) || to.last() != Some(&0) {
        return Err(EINVAL);
    }
    // SAFETY: the paths are NUL-terminated and only read.
    unsafe {
        call(
            RENAME,
            [from.as_ptr() as usize, to.as_ptr() as usize, 0, 0, 0, 0],
        )
    }
    .map(drop)
}

/// Seconds since some moment.
pub(crate) fn seconds() -> u64 {
    const MONOTONIC_COARSE: usize = 6;
    time(MONOTONIC_COARSE)[0]
}

/// Processor time of this thread in milliseconds.
pub(crate) fn thread_milliseconds() -> u64 {
    const THREAD_CPUTIME: usize = 3;
    let [seconds, nanoseconds] = time(THREAD_CPUTIME);
    seconds * 1000 + nanoseconds / 1_000_000
}

/// Seconds and nanoseconds by a clock of the system.
fn time(clock: usize) -> [u64; 2] {
    let mut time = [0_u64; 2];
    // SAFETY: the kernel writes two words.
    let _ = unsafe {
        call(
            CLOCK_GETTIME,
            [clock, time.as_mut_ptr() as usize, 0, 0, 0, 0],
        )
    };
    time
}

/// Waits for some nanoseconds, less than a second, or shorter.
pub(crate) fn sleep(nanoseconds: u64) {
    let time = [0, nanoseconds];
    // SAFETY: the kernel reads two words.
    let _ = unsafe { call(NANOSLEEP, [time.as_ptr() as usize, 0, 0, 0, 0, 0]) };
}

/// Sends this thread a signal after some nanoseconds, less than a second.
pub(crate) fn signal_this_thread(signal: i32, nanoseconds: u64) -> Result<(), Errno> {
    const MONOTONIC: usize = 1;
    const THREAD: u64 = 4;
    // SAFETY: touches no memory.
    let thread = unsafe { call(GETTID, [0; 6]) }?;
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

/// Has a copy of this process, of this thread alone, do something, and waits for its end. The program is told nothing of that process: no signal comes
/// at its end, and no call that waits for children finds it. Where there can be no such process nothing is done.
pub(crate) fn in_a_copy(act: impl FnOnce()) {
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
pub(crate) unsafe fn use_signal_stack(memory: *mut u8, len: u64) {
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

/// Ends the process.
pub(crate) fn exit(code: i32) -> ! {
    loop {
        // SAFETY: does not return.
        let _ = unsafe { call(EXIT_GROUP, [code as usize, 0, 0, 0, 0, 0]) };
    }
}

/// Casts any pointer for `advise`.
pub(crate) fn address<T>(pointer: *const T) -> u64 {
    pointer.cast::<c_void>() as u64
}
