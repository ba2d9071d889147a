//! Files in memory that live as long as this process, and as what it becomes by `exec`.

use std::fs;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::time::SystemTime;

/// Makes one; the result is its path, for this process and its children.
///
/// # Errors
/// No memory file can be made.
pub fn file(content: &[u8], modified: Option<SystemTime>) -> io::Result<String> {
    // Without CLOEXEC: the compiler must find it open.
    let mut file = fs::File::from(rustix::fs::memfd_create(
        "parascan",
        rustix::fs::MemfdFlags::empty(),
    )?);
    file.write_all(content)?;
    if let Some(modified) = modified {
        file.set_modified(modified)?;
    }
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    std::mem::forget(file);
    Ok(path)
}
