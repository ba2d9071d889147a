//! Executing this process's program once more.

use crate::call::{Errno, call};
use crate::file::{File, O_RDONLY};
use crate::memory::map_anonymous;

const EXECVE: usize = 59;
const READLINK: usize = 89;
/// `ENAMETOOLONG`, `E2BIG`: what a path or arguments are that there is no room for here.
const TOO_LONG: (Errno, Errno) = (Errno(36), Errno(7));

/// Bytes of the arguments, at most; they are not more than a quarter of the stack's limit, nor than 6 MiB.
const ARGUMENTS: usize = 6 << 20;

/// Executes the program of this process again in its place, with the same arguments. Returns only if that fails.
///
/// # Errors
/// The kernel's, where `/proc` cannot be read or the program not be executed.
///
/// # Safety
/// `environment` must be a list of NUL-terminated strings that ends with null.
pub unsafe fn execute_again(environment: *const *const u8) -> Result<(), Errno> {
    let mut path = [0_u8; 4096];
    let link = b"/proc/self/exe\0";
    // SAFETY: the kernel reads one buffer, and writes within the other.
    let length = unsafe {
        call(
            READLINK,
            [
                link.as_ptr() as usize,
                path.as_mut_ptr() as usize,
                path.len(),
                0,
                0,
                0,
            ],
        )
    }?;
    if length >= path.len() {
        return Err(TOO_LONG.0);
    }
    // Their bytes, and a pointer for each of them and for the end.
    let room = map_anonymous((ARGUMENTS * (1 + size_of::<*const u8>()) + 8) as u64)?;
    // SAFETY: just mapped, and used by nobody else.
    let bytes = unsafe { core::slice::from_raw_parts_mut(room, ARGUMENTS) };
    let file = File::open(b"/proc/self/cmdline\0", O_RDONLY, 0)?;
    let mut end = 0;
    loop {
        match file.read(&mut bytes[end..])? {
            0 => break,
            more => end += more,
        }
        if end == ARGUMENTS {
            return Err(TOO_LONG.1);
        }
    }
    let list = room.wrapping_add(ARGUMENTS).cast::<*const u8>();
    let mut count = 0;
    let mut start = 0;
    for at in 0..end {
        if bytes[at] == 0 {
            // SAFETY: no more arguments than bytes; behind the last one stays null.
            unsafe { list.add(count).write(bytes.as_ptr().add(start)) };
            count += 1;
            start = at + 1;
        }
    }
    // SAFETY: a path, a list of arguments and, as the caller vouches, one of variables, with their ends.
    unsafe {
        call(
            EXECVE,
            [
                path.as_ptr() as usize,
                list as usize,
                environment as usize,
                0,
                0,
                0,
            ],
        )
    }
    .map(drop)
}
