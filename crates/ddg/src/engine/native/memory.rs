//! Memory for machine code: written, then made executable; never both at once.

use std::ptr::{self, NonNull};

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

/// Bytes asked of the system at once.
const CHUNK: usize = 1 << 20;
/// Chunks, at most.
const CHUNKS: usize = 16;
/// Where code may begin.
const ALIGN: usize = 32;

/// Machine code, until it is dropped.
#[derive(Debug, Default)]
pub struct CodeMemory {
    chunks: Vec<NonNull<u8>>,
    /// Bytes used of the last one.
    used: usize,
}

// SAFETY: the chunks are owned alone.
unsafe impl Send for CodeMemory {}

impl CodeMemory {
    /// Puts code somewhere. `None` if there is no room, or the system allows none.
    pub fn add(&mut self, code: &[u8]) -> Option<NonNull<u8>> {
        if code.len() > CHUNK {
            return None;
        }
        if self.chunks.is_empty() || CHUNK - self.used < code.len() {
            if self.chunks.len() == CHUNKS {
                return None;
            }
            let (access, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE);
            // SAFETY: a new mapping, anywhere.
            let chunk = unsafe { mmap_anonymous(ptr::null_mut(), CHUNK, access, flags) };
            self.chunks.push(NonNull::new(chunk.ok()?.cast())?);
            self.used = 0;
        }
        let chunk = *self.chunks.last()?;
        let start = self.used;
        // SAFETY: the chunk is a mapping of this size, and no code in it runs: who runs it borrows this.
        unsafe {
            mprotect(
                chunk.as_ptr().cast(),
                CHUNK,
                MprotectFlags::READ | MprotectFlags::WRITE,
            )
            .ok()?;
            ptr::copy_nonoverlapping(code.as_ptr(), chunk.as_ptr().add(start), code.len());
            mprotect(
                chunk.as_ptr().cast(),
                CHUNK,
                MprotectFlags::READ | MprotectFlags::EXEC,
            )
            .ok()?;
            self.used = (start + code.len()).next_multiple_of(ALIGN).min(CHUNK);
            Some(chunk.add(start))
        }
    }
}

impl Drop for CodeMemory {
    fn drop(&mut self) {
        for chunk in &self.chunks {
            // SAFETY: mapped by `add` with this size; who has an address in it is dropped with this, or calls it no
            // more.
            let _ = unsafe { munmap(chunk.as_ptr().cast(), CHUNK) };
        }
    }
}
