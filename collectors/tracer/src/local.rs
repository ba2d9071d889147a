//! A thread's words in thread-local storage, through which generated code appends to the trace.

use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU16, AtomicU32};

use crate::dr::{self, DrContext, Operand};

/// What generated code sees of a thread.
#[derive(Debug)]
#[repr(C)]
pub struct ThreadSlots {
    /// Where the next record goes.
    pub next: *mut u64,
    /// No record may begin here or later.
    pub limit: *mut u64,
    /// Where the gate returns to.
    pub back: u64,
    /// A register's value for a moment.
    pub save: u64,
}

/// Offset of [`ThreadSlots::next`] and so on in thread-local storage.
pub const NEXT: u32 = 0;
pub const LIMIT: u32 = 8;
pub const BACK: u32 = 16;
pub const SAVE: u32 = 24;
/// How many words they are.
const SLOTS: u32 = 4;

static SEGMENT: AtomicU16 = AtomicU16::new(0);
static OFFSET: AtomicU32 = AtomicU32::new(0);

/// Reserves the words for all threads. False if they cannot be had.
///
/// # Safety
/// Once, before any thread starts.
pub unsafe fn reserve() -> bool {
    let (mut segment, mut offset) = (0, 0);
    // SAFETY: the arguments are local.
    let fine = unsafe { dr::dr_raw_tls_calloc(&raw mut segment, &raw mut offset, SLOTS, 0) };
    SEGMENT.store(segment, Relaxed);
    OFFSET.store(offset, Relaxed);
    fine
}

/// The running thread's words.
///
/// # Safety
/// After [`reserve`].
pub unsafe fn slots() -> *mut ThreadSlots {
    // SAFETY: the segment's base is the thread's own.
    unsafe {
        dr::dr_get_dr_segment_base(SEGMENT.load(Relaxed))
            .cast::<u8>()
            .add(OFFSET.load(Relaxed) as usize)
            .cast()
    }
}

/// The operand by which code reaches one of the thread's words.
pub fn tls(context: DrContext, offset: u32) -> Operand {
    // SAFETY: the segment and offset are those that were reserved.
    unsafe {
        dr::dr_raw_tls_opnd(
            context,
            SEGMENT.load(Relaxed),
            OFFSET.load(Relaxed) + offset,
        )
    }
}
