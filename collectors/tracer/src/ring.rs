//! The shared memory: taking chunks, handing them over, waiting for the reader.

use core::arch::x86_64::_rdtsc;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicPtr};

use parascan_abi::trace::{
    CHUNK_TABLE, CHUNK_WORDS, Chunk, DATA, FILLING, FREE, MAX_CHUNKS, MAX_READY, READY, RING_BYTES,
    RING_MAGIC, Ring, TAKEN, TRACE_VERSION, narrow,
};

use crate::{dr, sys};

static BASE: AtomicPtr<u8> = AtomicPtr::new(core::ptr::null_mut());
/// This process records no more.
static SILENT: AtomicBool = AtomicBool::new(false);

/// The thread or process whose records a chunk holds.
#[derive(Clone, Copy, Debug)]
pub struct Owner {
    pub kind: u32,
    pub process: u32,
    pub thread: u32,
    pub pid: u32,
    pub tid: u32,
}

/// Maps the ring. False if there is none, or one of another version.
pub fn map(path: &[u8]) -> bool {
    let Some(base) = sys::map_shared(path, RING_BYTES as u64) else {
        return false;
    };
    BASE.store(base, Release);
    let ring = ring();
    ring.magic == RING_MAGIC && ring.version == TRACE_VERSION && ring.closed.load(Relaxed) == 0
}

/// The first page of the shared file.
pub fn ring() -> &'static Ring {
    // SAFETY: nothing is called before `map` succeeded; the mapping stays, and all that changes in it is atomic.
    unsafe { &*BASE.load(Relaxed).cast::<Ring>() }
}

/// The description of the chunk with this number.
pub fn chunk(index: u32) -> &'static Chunk {
    debug_assert!((index as usize) < MAX_CHUNKS);
    // SAFETY: as above; the table has MAX_CHUNKS entries.
    unsafe {
        &*BASE
            .load(Relaxed)
            .add(CHUNK_TABLE)
            .cast::<Chunk>()
            .add(index as usize)
    }
}

/// First word of a chunk.
pub fn words(index: u32) -> *mut u64 {
    debug_assert!((index as usize) < MAX_CHUNKS);
    // SAFETY: within the mapping.
    unsafe {
        BASE.load(Relaxed)
            .add(DATA)
            .cast::<u64>()
            .add(index as usize * CHUNK_WORDS)
    }
}

/// Time now, as a payload value.
pub fn now() -> u64 {
    // SAFETY: every x86-64 processor has it.
    narrow(unsafe { _rdtsc() })
}

/// Ends recording in this process for good.
pub fn silence() {
    SILENT.store(true, Relaxed);
}

/// Tells the reader that what was recorded cannot be used, and why, if it is the first to say so. False if there is no
/// reader.
#[cfg(panic = "abort")]
pub fn fail(reason: &[u8]) -> bool {
    use parascan_abi::trace::{FAILED, FAILING};

    if BASE.load(Acquire).is_null() {
        return false;
    }
    let ring = ring();
    if ring
        .failed
        .compare_exchange(0, FAILING, AcqRel, Relaxed)
        .is_ok()
    {
        for (to, &byte) in ring.reason.iter().zip(reason) {
            to.store(byte, Relaxed);
        }
        ring.failed.store(FAILED, Release);
    }
    !sys::gone(ring.reader)
}

/// Whether records are dropped since nobody reads them any more.
pub fn silent() -> bool {
    SILENT.load(Relaxed) || ring().closed.load(Relaxed) != 0
}

/// A chunk full of zeros for `owner`, and the time at which it begins.
pub fn take(owner: Owner, sequence: u64) -> Option<(u32, u64)> {
    if silent() {
        return None;
    }
    let Some(index) = find() else {
        ring().lost.fetch_add(1, Relaxed);
        return None;
    };
    let chunk = chunk(index);
    let stamp = now();
    chunk.kind.store(owner.kind, Relaxed);
    chunk.process.store(owner.process, Relaxed);
    chunk.thread.store(owner.thread, Relaxed);
    chunk.pid.store(owner.pid, Relaxed);
    chunk.tid.store(owner.tid, Relaxed);
    chunk.sequence.store(sequence, Relaxed);
    chunk.words.store(0, Relaxed);
    chunk.stamp.store(stamp, Relaxed);
    chunk.state.store(FILLING, Release);
    Some((index, stamp))
}

/// Gives a complete chunk to the reader.
pub fn hand_over(index: u32, words: u64) {
    let (ring, chunk) = (ring(), chunk(index));
    chunk.words.store(words, Relaxed);
    // First the count: a process killed between the two leaves it too large, which the reader mends.
    ring.ready.fetch_add(1, AcqRel);
    chunk.state.store(READY, Release);
    ring.filled.fetch_add(1, AcqRel);
    if ring.reader_waits.load(Acquire) != 0 {
        sys::wake(&ring.filled);
    }
}

/// A free chunk, now TAKEN.
fn find() -> Option<u32> {
    let ring = ring();
    let take = |index: u32| {
        let state = &chunk(index).state;
        state.load(Relaxed) == FREE && state.compare_exchange(FREE, TAKEN, AcqRel, Relaxed).is_ok()
    };
    loop {
        let used = ring.used.load(Acquire);
        if let Some(index) = (0..used).find(|&index| take(index)) {
            return Some(index);
        }
        if used as usize >= MAX_CHUNKS {
            return None;
        }
        if ring
            .used
            .compare_exchange(used, used + 1, AcqRel, Relaxed)
            .is_ok()
            && take(used)
        {
            return Some(used);
        }
    }
}

/// Signals that come while a thread waits, and may come later: all but those of faults, and SIGUSR2, by which DynamoRIO
/// suspends a thread.
const LATER: sys::SignalSet = {
    const SIGILL: u32 = 4;
    const SIGTRAP: u32 = 5;
    const SIGBUS: u32 = 7;
    const SIGFPE: u32 = 8;
    const SIGSEGV: u32 = 11;
    const SIGUSR2: u32 = 12;
    let now = [SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGUSR2];
    let mut later = !0;
    let mut place = 0;
    while place < now.len() {
        later &= !(1 << (now[place] - 1));
        place += 1;
    }
    later
};

/// Waits until the reader has not too much before it, or is gone. If signals came meanwhile they are still blocked, and
/// the set of those that were blocked before is returned.
pub fn wait(context: dr::DrContext) -> Option<sys::SignalSet> {
    let ring = ring();
    if ring.ready.load(Acquire) < MAX_READY {
        return None;
    }
    let blocked = sys::block_signals(LATER).ok()?;
    // SAFETY: nothing but shared memory is touched while DynamoRIO may suspend the thread.
    let marked = !context.is_null() && unsafe { dr::dr_mark_safe_to_suspend(context, true) };
    ring.writers_wait.fetch_add(1, AcqRel);
    loop {
        let seen = ring.emptied.load(Acquire);
        if ring.ready.load(Acquire) < MAX_READY || silent() {
            break;
        }
        sys::wait(&ring.emptied, seen);
        if ring.emptied.load(Acquire) == seen && sys::gone(ring.reader) {
            ring.closed.store(1, Relaxed);
        }
    }
    ring.writers_wait.fetch_sub(1, AcqRel);
    if marked {
        // SAFETY: ends what was begun above.
        unsafe { dr::dr_mark_safe_to_suspend(context, false) };
    }
    if sys::pending_signals() & !blocked != 0 {
        return Some(blocked);
    }
    sys::set_blocked_signals(blocked);
    None
}
