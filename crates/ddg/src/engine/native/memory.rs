//! CodeMemory for machine code: written at one address, executed at another; no address allows both.

use std::ptr::{self, NonNull};

use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// Bytes asked of the system at once.
const CHUNK: usize = 1 << 20;
/// Chunks, at most.
const CHUNKS: usize = 64;
/// Where code may begin.
const ALIGN: usize = 32;

/// Machine code, until it is dropped.
#[derive(Debug, Default)]
pub struct CodeMemory {
    chunks: Vec<CodeChunk>,
    /// Bytes used of the last one.
    used: usize,
}

/// CodeMemory that is mapped twice.
#[derive(Debug)]
struct CodeChunk {
    written: NonNull<u8>,
    executed: NonNull<u8>,
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
            self.chunks.push(CodeChunk::new().ok()?);
            self.used = 0;
        }
        let chunk = self.chunks.last()?;
        let start = self.used;
        self.used = (start + code.len()).next_multiple_of(ALIGN).min(CHUNK);
        // SAFETY: both mappings are of this size, and nothing is executed of what is written: it was not used before.
        unsafe {
            ptr::copy_nonoverlapping(code.as_ptr(), chunk.written.as_ptr().add(start), code.len());
            Some(chunk.executed.add(start))
        }
    }
}

impl CodeChunk {
    fn new() -> Result<Self, Errno> {
        let name = "parascan-code";
        // Older systems do not know the second flag, and need none.
        let file = memfd_create(name, MemfdFlags::CLOEXEC | MemfdFlags::EXEC)
            .or_else(|_| memfd_create(name, MemfdFlags::CLOEXEC))?;
        ftruncate(&file, CHUNK as u64)?;
        let map = |access| {
            // SAFETY: a new mapping, anywhere.
            let place = unsafe { mmap(ptr::null_mut(), CHUNK, access, MapFlags::SHARED, &file, 0) };
            NonNull::new(place?.cast()).ok_or(Errno::NOMEM)
        };
        let written = map(ProtFlags::READ | ProtFlags::WRITE)?;
        let executed = map(ProtFlags::READ | ProtFlags::EXEC).inspect_err(|_| unmap(written))?;
        Ok(Self { written, executed })
    }
}

impl Drop for CodeChunk {
    fn drop(&mut self) {
        unmap(self.written);
        unmap(self.executed);
    }
}

fn unmap(place: NonNull<u8>) {
    // SAFETY: mapped by `CodeChunk::new` with this size; who has an address in it is dropped with it, or uses it no more.
    let _ = unsafe { munmap(place.as_ptr().cast(), CHUNK) };
}
