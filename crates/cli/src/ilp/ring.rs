//! The reading end of the shared memory through which a trace travels (`parascan_abi::trace`).

use std::collections::HashMap;
use std::fs::File;
use std::ops::ControlFlow;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::time::Duration;

use parascan_abi::trace::{
    CHUNK_TABLE, CHUNK_WORDS, Chunk, DATA, FAILED, FILLING, FREE, KIND_DEFINITIONS,
    MAX_BLOCK_WORDS, MAX_CHUNKS, PAYLOAD_BITS, READY, RING_BYTES, RING_MAGIC, Ring as Head,
    TRACE_VERSION,
};
use parascan_formats::trace::ChunkInfo;
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use rustix::thread::futex;

use crate::exit::{Failure, FailureKind, Outcome};

/// Longest that the reader sleeps.
const NAP: Duration = Duration::from_millis(100);

/// The mapping.
#[derive(Debug)]
struct RingMapping {
    base: NonNull<u8>,
    file: File,
}

// SAFETY: everything that changes in the mapping is atomic, or belongs to the reader by the protocol.
unsafe impl Send for RingMapping {}
// SAFETY: as above.
unsafe impl Sync for RingMapping {}

impl Drop for RingMapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is this one's, and nothing borrowed from it is left.
        let _ = unsafe { munmap(self.base.as_ptr().cast(), RING_BYTES) };
    }
}

impl RingMapping {
    fn head(&self) -> &Head {
        // SAFETY: the first page; atomics but for constants.
        unsafe { self.base.cast().as_ref() }
    }

    fn chunk(&self, index: usize) -> &Chunk {
        assert!(index < MAX_CHUNKS);
        // SAFETY: within the table.
        unsafe {
            self.base
                .add(CHUNK_TABLE)
                .cast::<Chunk>()
                .add(index)
                .as_ref()
        }
    }

    fn data(&self, index: usize) -> *mut u64 {
        assert!(index < MAX_CHUNKS);
        // SAFETY: within the mapping.
        unsafe {
            self.base
                .add(DATA)
                .cast::<u64>()
                .add(index * CHUNK_WORDS)
                .as_ptr()
        }
    }

    /// # Safety
    /// No writer may write to these words.
    unsafe fn words(&self, index: usize, from: usize, to: usize) -> &[u64] {
        assert!(from <= to && to <= CHUNK_WORDS);
        // SAFETY: within the chunk; the caller vouches for writers.
        unsafe { std::slice::from_raw_parts(self.data(index).add(from), to - from) }
    }
}

/// Wakes the thread that waits for chunks of a ring.
#[derive(Debug)]
pub struct Waker(Arc<RingMapping>);

impl Waker {
    /// Ends the sleep of whoever is in [`RingReader::wait`] now, or of who comes there next.
    pub fn wake(&self) {
        let head = self.0.head();
        head.filled.fetch_add(1, AcqRel);
        let _ = futex::wake(&head.filled, futex::Flags::empty(), 1);
    }
}

/// The ring and what has been read of it.
#[derive(Debug)]
pub struct RingReader {
    memory: Arc<RingMapping>,
    /// Next chunk of each thread: process and thread.
    threads: HashMap<(u32, u32), u64>,
    /// Next chunk of each process's definitions, and how much of it was read.
    definitions: HashMap<u32, (u64, usize)>,
}

impl RingReader {
    /// An empty one, in memory that vanishes with the last process that uses it.
    pub fn new() -> Outcome<Self> {
        let cannot = |error: rustix::io::Errno| {
            Failure::new(FailureKind::Io, format!("no memory for the trace: {error}"))
        };
        let file = memfd_create("parascan", MemfdFlags::CLOEXEC).map_err(cannot)?;
        ftruncate(&file, RING_BYTES as u64).map_err(cannot)?;
        // SAFETY: a new mapping of a file of its own.
        let base = unsafe {
            mmap(
                std::ptr::null_mut(),
                RING_BYTES,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::SHARED | MapFlags::NORESERVE,
                &file,
                0,
            )
        }
        .map_err(cannot)?;
        let base = NonNull::new(base.cast()).ok_or_else(|| cannot(rustix::io::Errno::NOMEM))?;
        let memory = RingMapping {
            base,
            file: file.into(),
        };
        // SAFETY: nobody else knows of the mapping yet.
        unsafe {
            let head = base.cast::<Head>().as_ptr();
            (*head).version = TRACE_VERSION;
            (*head).reader = std::process::id();
            (*head).magic = RING_MAGIC;
        }
        Ok(Self {
            memory: Arc::new(memory),
            threads: HashMap::new(),
            definitions: HashMap::new(),
        })
    }

    /// Where other processes find it, as long as this one lives.
    pub fn path(&self) -> String {
        use std::os::fd::AsRawFd;
        format!(
            "/proc/{}/fd/{}",
            std::process::id(),
            self.memory.file.as_raw_fd()
        )
    }

    /// What another thread needs to end a [`RingReader::wait`].
    pub fn waker(&self) -> Waker {
        Waker(Arc::clone(&self.memory))
    }

    /// How many threads lost records since the ring had no room for them.
    pub fn lost(&self) -> u32 {
        self.memory.head().lost.load(Relaxed)
    }

    /// What went wrong in a writer, which ended its process for it: none of what was recorded can be used. None if
    /// nothing did.
    pub fn failure(&self) -> Option<String> {
        let head = self.memory.head();
        let reason = head.reason.iter().map(|byte| byte.load(Relaxed));
        let reason: Vec<u8> = match head.failed.load(Acquire) {
            0 => return None,
            FAILED => reason.take_while(|byte| *byte != 0).collect(),
            _ => b"it ended before it could say why".to_vec(),
        };
        Some(String::from_utf8_lossy(&reason).into_owned())
    }

    /// Writers drop what they record from now on.
    pub fn close(&self) {
        let head = self.memory.head();
        head.closed.store(1, Relaxed);
        head.emptied.fetch_add(1, AcqRel);
        let _ = futex::wake(&head.emptied, futex::Flags::empty(), i32::MAX as u32);
    }

    /// Sleeps until a chunk is ready, or a moment.
    pub fn wait(&self) {
        let head = self.memory.head();
        let seen = head.filled.load(Acquire);
        head.reader_waits.store(1, Release);
        std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
        if self.ready().is_none() {
            let nap = rustix::fs::Timespec {
                tv_sec: 0,
                tv_nsec: NAP.subsec_nanos().into(),
            };
            let slept = futex::wait(&head.filled, futex::Flags::empty(), seen, Some(&nap));
            if slept == Err(rustix::io::Errno::TIMEDOUT) && self.ready().is_none() {
                // A process was killed while it handed over a chunk: it counts, but never comes.
                head.ready.store(0, Release);
            }
        }
        head.reader_waits.store(0, Release);
    }

    fn used(&self) -> usize {
        (self.memory.head().used.load(Acquire) as usize).min(MAX_CHUNKS)
    }

    /// The chunk of a thread that is next: of those that are next in their streams the one begun first.
    fn ready(&self) -> Option<usize> {
        let next = |index: &usize| {
            let chunk = self.memory.chunk(*index);
            chunk.state.load(Acquire) == READY
                && chunk.kind.load(Relaxed) != KIND_DEFINITIONS
                && chunk.sequence.load(Relaxed) == self.expected(chunk)
        };
        (0..self.used())
            .filter(next)
            .min_by_key(|&index| self.memory.chunk(index).stamp.load(Relaxed))
    }

    fn expected(&self, chunk: &Chunk) -> u64 {
        let key = (chunk.process.load(Relaxed), chunk.thread.load(Relaxed));
        self.threads.get(&key).copied().unwrap_or(0)
    }

    /// Nothing of a process's threads that comes after this chunk was begun before this time.
    fn horizon(&self, process: u32, this: usize) -> u64 {
        // SAFETY: every x86-64 processor has it.
        let now = unsafe { std::arch::x86_64::_rdtsc() } & ((1 << PAYLOAD_BITS) - 1);
        (0..self.used())
            .filter(|index| *index != this)
            .map(|index| self.memory.chunk(index))
            .filter(|chunk| {
                chunk.state.load(Acquire) != FREE
                    && chunk.kind.load(Relaxed) != KIND_DEFINITIONS
                    && chunk.process.load(Relaxed) == process
            })
            .map(|chunk| chunk.stamp.load(Relaxed))
            .min()
            .map_or(now, |stamp| stamp.min(now))
    }

    /// Passes the next chunk of a thread to `sink`, and before it all definitions there are. None if there is none.
    pub fn next(
        &mut self,
        sink: &mut impl FnMut(&ChunkInfo, &[u64]) -> ControlFlow<()>,
    ) -> Option<ControlFlow<()>> {
        let index = self.ready()?;
        let mut flow = self.define(sink);
        let memory = Arc::clone(&self.memory);
        let chunk = memory.chunk(index);
        let words = (chunk.words.load(Relaxed) as usize).min(CHUNK_WORDS);
        let mut info = ChunkInfo::from(chunk);
        info.horizon = self.horizon(info.process, index);
        *self.threads.entry((info.process, info.thread)).or_default() += 1;
        if flow.is_continue() && memory.head().closed.load(Relaxed) == 0 {
            // SAFETY: a chunk that is ready is the reader's.
            flow = sink(&info, unsafe { memory.words(index, 0, words) });
        }
        self.free(index, (words + MAX_BLOCK_WORDS).min(CHUNK_WORDS));
        let head = memory.head();
        let _ = head
            .ready
            .fetch_update(AcqRel, Acquire, |count| count.checked_sub(1));
        head.emptied.fetch_add(1, AcqRel);
        if head.writers_wait.load(Acquire) != 0 {
            let _ = futex::wake(&head.emptied, futex::Flags::empty(), i32::MAX as u32);
        }
        Some(flow)
    }

    /// Gives a chunk back.
    fn free(&self, index: usize, words: usize) {
        let chunk = self.memory.chunk(index);
        // SAFETY: the chunk is the reader's until it is free.
        unsafe { self.memory.data(index).write_bytes(0, words) };
        chunk.stamp.store(0, Relaxed);
        chunk.words.store(0, Relaxed);
        chunk.state.store(FREE, Release);
    }

    /// Passes on the definitions that have not been.
    fn define(
        &mut self,
        sink: &mut impl FnMut(&ChunkInfo, &[u64]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let memory = Arc::clone(&self.memory);
        let mut found: Vec<(u32, u64, usize, u32)> = (0..self.used())
            .filter_map(|index| {
                let chunk = memory.chunk(index);
                let state = chunk.state.load(Acquire);
                let fits = matches!(state, FILLING | READY)
                    && chunk.kind.load(Relaxed) == KIND_DEFINITIONS;
                let place = (chunk.process.load(Relaxed), chunk.sequence.load(Relaxed));
                fits.then_some((place.0, place.1, index, state))
            })
            .collect();
        found.sort_unstable();
        for (process, sequence, index, state) in found {
            let chunk = memory.chunk(index);
            let (expected, done) = *self.definitions.entry(process).or_default();
            if sequence != expected {
                continue;
            }
            let words = (chunk.words.load(Acquire) as usize).clamp(done, CHUNK_WORDS);
            let mut flow = ControlFlow::Continue(());
            if words > done && memory.head().closed.load(Relaxed) == 0 {
                // SAFETY: words that are published do not change any more.
                flow = sink(&chunk.into(), unsafe { memory.words(index, done, words) });
            }
            let next = if state == READY {
                self.free(index, words);
                let _ = memory
                    .head()
                    .ready
                    .fetch_update(AcqRel, Acquire, |count| count.checked_sub(1));
                (expected + 1, 0)
            } else {
                (expected, words)
            };
            self.definitions.insert(process, next);
            flow?;
        }
        ControlFlow::Continue(())
    }

    /// Passes on, after the program's end, what processes left that were killed.
    pub fn rest(&mut self, sink: &mut impl FnMut(&ChunkInfo, &[u64]) -> ControlFlow<()>) {
        let memory = Arc::clone(&self.memory);
        memory.head().closed.store(0, Relaxed);
        if self.define(sink).is_break() {
            return;
        }
        memory.head().closed.store(1, Relaxed);
        let mut left: Vec<usize> = (0..self.used())
            .filter(|&index| {
                let chunk = memory.chunk(index);
                matches!(chunk.state.load(Acquire), FILLING | READY)
                    && chunk.kind.load(Relaxed) != KIND_DEFINITIONS
                    && !alive(chunk.pid.load(Relaxed))
            })
            .collect();
        left.sort_unstable_by_key(|&index| memory.chunk(index).sequence.load(Relaxed));
        for index in left {
            // SAFETY: its process is dead.
            let words = unsafe { memory.words(index, 0, CHUNK_WORDS) };
            let end = words
                .iter()
                .rposition(|&word| word != 0)
                .map_or(0, |last| last + 1);
            if sink(&memory.chunk(index).into(), &words[..end]).is_break() {
                return;
            }
        }
    }
}

/// Whether a process still runs; one that is dead but not waited for does not.
fn alive(pid: u32) -> bool {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else {
        return false;
    };
    let state = status
        .rsplit(')')
        .next()
        .and_then(|rest| rest.trim_start().chars().next());
    !matches!(state, None | Some('Z' | 'X'))
}
