//! CodeMemory for machine code: written at one address, executed at another; no address allows both.

use std::ops::Range;
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
}

/// Memory that is mapped twice: code that is executed often from its front on, rare code from its back on, so that what
/// the processor keeps in its caches is the former.
#[derive(Debug)]
struct CodeChunk {
    written: NonNull<u8>,
    executed: NonNull<u8>,
    /// What is free.
    free: Range<usize>,
}

/// Where code of two parts may be put.
#[derive(Clone, Copy, Debug)]
pub struct CodePlace {
    front: usize,
    back: usize,
}

impl CodePlace {
    /// How far the second part is behind the end of the first one, which has this length.
    pub fn gap(self, front: usize) -> i64 {
        self.back as i64 - (self.front + front) as i64
    }
}

// SAFETY: the chunks are owned alone.
unsafe impl Send for CodeMemory {}

impl CodeMemory {
    /// Room for code of two parts of these lengths. `None` if there is none, or the system allows none.
    pub fn room(&mut self, front: usize, back: usize) -> Option<CodePlace> {
        let needed = front.next_multiple_of(ALIGN) + back.next_multiple_of(ALIGN);
        let fits = |chunk: &CodeChunk| chunk.free.len() >= needed;
        if !self.chunks.last().is_some_and(fits) {
            if needed > CHUNK || self.chunks.len() == CHUNKS {
                return None;
            }
            self.chunks.push(CodeChunk::new().ok()?);
        }
        let free = &mut self.chunks.last_mut()?.free;
        let place = CodePlace {
            front: free.start,
            back: free.end - back.next_multiple_of(ALIGN),
        };
        free.start += front.next_multiple_of(ALIGN);
        free.end = place.back;
        Some(place)
    }

    /// Puts the parts of code where there was room at last, and returns where the first part is.
    pub fn put(&mut self, place: CodePlace, front: &[u8], back: &[u8]) -> Option<NonNull<u8>> {
        let chunk = self.chunks.last()?;
        for (start, code) in [(place.front, front), (place.back, back)] {
            if start.checked_add(code.len())? > CHUNK {
                return None;
            }
            // SAFETY: both mappings are of this size, and nothing is executed of what is written: it was not used
            // before.
            unsafe {
                let to = chunk.written.as_ptr().add(start);
                ptr::copy_nonoverlapping(code.as_ptr(), to, code.len());
            }
        }
        // SAFETY: within the mapping.
        Some(unsafe { chunk.executed.add(place.front) })
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
        Ok(Self {
            written,
            executed,
            free: 0..CHUNK,
        })
    }
}

impl Drop for CodeChunk {
    fn drop(&mut self) {
        unmap(self.written);
        unmap(self.executed);
    }
}

fn unmap(place: NonNull<u8>) {
    // SAFETY: mapped by `CodeChunk::new` with this size; who has an address in it is dropped with it, or uses it no
    // more.
    let _ = unsafe { munmap(place.as_ptr().cast(), CHUNK) };
}
