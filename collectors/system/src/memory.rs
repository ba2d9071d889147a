//! Mappings of this process's memory.

use core::ffi::c_void;

use crate::call::{EEXIST, Errno, call};
use crate::file::{File, O_RDWR};

/// Changes are seen by all who map the file.
pub const MAP_SHARED: u32 = 0x1;
/// Changes are this mapping's own.
pub const MAP_PRIVATE: u32 = 0x2;
/// At the address given, in place of what is there.
pub const MAP_FIXED: u32 = 0x10;
/// Zeros instead of a file.
pub const MAP_ANONYMOUS: u32 = 0x20;
/// Takes no swap space before it is written to.
pub const MAP_NORESERVE: u32 = 0x4000;
/// At the address given, unless something is there.
pub const MAP_FIXED_NOREPLACE: u32 = 0x10_0000;

/// The content is no longer needed.
pub const MADV_DONTNEED: u32 = 4;
/// Children do not have it.
pub const MADV_DONTFORK: u32 = 10;
/// Children have it again.
pub const MADV_DOFORK: u32 = 11;
/// In huge pages.
pub const MADV_HUGEPAGE: u32 = 14;
/// Not in huge pages.
pub const MADV_NOHUGEPAGE: u32 = 15;
/// Not part of core files.
pub const MADV_DONTDUMP: u32 = 16;
/// Its pages are wanted now.
pub const MADV_POPULATE_WRITE: u32 = 23;

const READ_WRITE: usize = 3;

const MMAP: usize = 9;
const MUNMAP: usize = 11;
const MREMAP: usize = 25;
const MADVISE: usize = 28;

/// Maps memory readable and writable. `file` None maps zeros.
///
/// # Safety
/// With `MAP_FIXED` the address range must be the caller's to replace.
pub unsafe fn map(
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
            [
                address as usize,
                len as usize,
                READ_WRITE,
                flags as usize,
                fd,
                0,
            ],
        )
    }
    .map(|p| p as *mut u8)
}

/// Has the pages of a shared mapping lie at another place too.
///
/// # Safety
/// What lies there may be replaced.
pub unsafe fn also_at(shared: *const u8, len: u64, place: *mut u8) -> Result<(), Errno> {
    const MAYMOVE_AND_FIXED: usize = 3;
    let (from, to) = (address(shared) as usize, address(place) as usize);
    // SAFETY: of a shared mapping, a length of 0 makes another mapping and leaves the old one; the caller vouches for
    // the place.
    unsafe { call(MREMAP, [from, 0, len as usize, MAYMOVE_AND_FIXED, to, 0]) }.map(drop)
}

/// Private zeros that cost nothing until touched.
pub fn map_anonymous(len: u64) -> Result<*mut u8, Errno> {
    // SAFETY: no MAP_FIXED, nothing is replaced.
    unsafe { map(0, len, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, None) }
}

/// The same at an address, if nothing is there, and not part of core files.
pub fn map_where_free(start: u64, len: u64) -> Result<(), Errno> {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    // SAFETY: MAP_FIXED_NOREPLACE replaces nothing.
    let at = unsafe { map(start, len, flags, None) }?;
    if at as u64 != start {
        // A kernel before 4.17 takes the address as a hint.
        // SAFETY: just mapped, and not in use.
        unsafe { unmap(at, len) };
        return Err(EEXIST);
    }
    // SAFETY: the advice drops nothing.
    let _ = unsafe { advise(start, len, MADV_DONTDUMP) };
    Ok(())
}

/// Unmaps memory.
///
/// # Safety
/// Nothing may use the range afterwards.
pub unsafe fn unmap(address: *mut u8, len: u64) {
    // SAFETY: the caller vouches.
    let _ = unsafe { call(MUNMAP, [address as usize, len as usize, 0, 0, 0, 0]) };
}

/// Advises the kernel about a range.
///
/// # Safety
/// With `MADV_DONTNEED` the range's content must be the caller's to drop.
pub unsafe fn advise(address: u64, len: u64, advice: u32) -> Result<(), Errno> {
    // SAFETY: the caller vouches.
    unsafe {
        call(
            MADVISE,
            [address as usize, len as usize, advice as usize, 0, 0, 0],
        )
    }
    .map(drop)
}

/// Maps a file shared, for reading and writing; `None` where that cannot be. `path` ends in NUL.
pub fn map_shared(path: &[u8], len: u64) -> Option<*mut u8> {
    let file = File::open(path, O_RDWR, 0).ok()?;
    // SAFETY: no MAP_FIXED, nothing is replaced.
    unsafe { map(0, len, MAP_SHARED | MAP_NORESERVE, Some(&file)) }.ok()
}

/// Casts any pointer for `advise`.
pub fn address<T>(pointer: *const T) -> u64 {
    pointer.cast::<c_void>() as u64
}
