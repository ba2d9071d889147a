//! Files by their paths, which end in NUL.

use crate::call::{EINVAL, ENOSPC, Errno, call};

/// For reading.
pub const O_RDONLY: u32 = 0;
/// For reading and writing.
pub const O_RDWR: u32 = 2;
/// Made if it is not there.
pub const O_CREAT: u32 = 0o100;
/// With [`O_CREAT`]: an error if it is there.
pub const O_EXCL: u32 = 0o200;
const O_CLOEXEC: u32 = 0o2_000_000;

const READ: usize = 0;
const WRITE: usize = 1;
const OPEN: usize = 2;
const CLOSE: usize = 3;
const FSTAT: usize = 5;
const PWRITE: usize = 18;
const FTRUNCATE: usize = 77;
const GETCWD: usize = 79;
const RENAME: usize = 82;
const UNLINK: usize = 87;

/// A file descriptor that closes itself.
#[derive(Debug)]
pub struct File(pub(crate) usize);

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: the descriptor is ours; closing it touches no memory.
        let _ = unsafe { call(CLOSE, [self.0, 0, 0, 0, 0, 0]) };
    }
}

impl File {
    /// Opens `path`, which ends in NUL.
    pub fn open(path: &[u8], flags: u32, mode: u32) -> Result<Self, Errno> {
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
    pub fn read(&self, buffer: &mut [u8]) -> Result<usize, Errno> {
        // SAFETY: the kernel writes within the buffer.
        unsafe {
            call(
                READ,
                [self.0, buffer.as_mut_ptr() as usize, buffer.len(), 0, 0, 0],
            )
        }
    }

    /// Sets the length in bytes.
    pub fn truncate(&self, len: u64) -> Result<(), Errno> {
        // SAFETY: touches no memory.
        unsafe { call(FTRUNCATE, [self.0, len as usize, 0, 0, 0, 0]) }.map(drop)
    }

    /// Writes all of `bytes` at `offset`.
    pub fn write_at(&self, bytes: &[u8], offset: u64) -> Result<(), Errno> {
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
    pub fn identity(&self) -> Result<(u64, u64), Errno> {
        let mut stat = [0_u64; 18];
        // SAFETY: `struct stat` has 144 bytes.
        unsafe { call(FSTAT, [self.0, stat.as_mut_ptr() as usize, 0, 0, 0, 0]) }?;
        Ok((stat[0], stat[1]))
    }
}

/// Writes the working directory with its NUL into `buffer` and returns the length including it.
pub fn working_directory(buffer: &mut [u8]) -> Result<usize, Errno> {
    // SAFETY: the kernel writes within the buffer.
    unsafe {
        call(
            GETCWD,
            [buffer.as_mut_ptr() as usize, buffer.len(), 0, 0, 0, 0],
        )
    }
}

/// Removes a file; `path` ends in NUL.
pub fn unlink(path: &[u8]) {
    if path.last() == Some(&0) {
        // SAFETY: the path is NUL-terminated and only read.
        let _ = unsafe { call(UNLINK, [path.as_ptr() as usize, 0, 0, 0, 0, 0]) };
    }
}

/// Writes to standard error, as far as that is possible.
pub fn write_stderr(bytes: &[u8]) {
    // SAFETY: the kernel only reads the buffer.
    let _ = unsafe { call(WRITE, [2, bytes.as_ptr() as usize, bytes.len(), 0, 0, 0]) };
}

/// Renames a file; both paths end in NUL.
pub fn rename(from: &[u8], to: &[u8]) -> Result<(), Errno> {
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
