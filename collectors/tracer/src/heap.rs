//! DynamoRIO's heap as Rust's.

use core::alloc::{GlobalAlloc, Layout};

use crate::dr;

struct Heap;

/// What DynamoRIO aligns to.
const ALIGNMENT: usize = 8;

// SAFETY: blocks come from DynamoRIO's heap, which gives each out once; larger alignments are refused.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() > ALIGNMENT {
            return core::ptr::null_mut();
        }
        // SAFETY: any size is fine.
        unsafe { dr::dr_global_alloc(layout.size()).cast() }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller gives back what `alloc` gave out, with its size.
        unsafe { dr::dr_global_free(block.cast(), layout.size()) };
    }
}

#[cfg(panic = "abort")]
#[global_allocator]
static HEAP: Heap = Heap;

#[cfg(not(panic = "abort"))]
const _: Heap = Heap;
