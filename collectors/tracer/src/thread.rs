//! A thread's place in the trace. Generated code appends through the four words of thread-local storage; everything
//! else goes through [`Thread`], which may be used by another thread when its own has ended.

use alloc::boxed::Box;
use core::cell::UnsafeCell;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicI32, AtomicU32};

use parascan_abi::trace::{
    BLOCK, CHUNK_WORDS, KIND_THREAD, MARGIN_WORDS, MAX_BLOCK_WORDS, STAMP, THREAD, head, narrow,
    tag,
};

use crate::arguments::Changed;
use crate::code_buffer::CodeBuffer;
use crate::dr::{self, DrContext};
use crate::local::ThreadSlots;
use crate::resume::Resumption;
use crate::ring::{self, Owner};
use crate::{define, process, sys};

const NONE: u32 = u32::MAX;

/// A thread of the program.
#[derive(Debug)]
pub struct Thread {
    context: DrContext,
    slots: *mut ThreadSlots,
    chunk: u32,
    sequence: u64,
    number: u32,
    tid: u32,
    announced: bool,
    /// Code of the block that the thread builds.
    pub code: CodeBuffer,
    /// Arguments of the system call under way.
    pub arguments: [u64; 6],
    /// An argument of that call that is another than the program's.
    pub changed: Option<Changed>,
    /// The way back into the code cache with signals that were blocked.
    resumption: Option<Resumption>,
}

/// DynamoRIO's field that leads from a context to its thread.
static FIELD: AtomicI32 = AtomicI32::new(-1);
/// Threads that began in this process.
static THREADS: AtomicU32 = AtomicU32::new(0);
/// Threads that there are now.
pub static ALIVE: AtomicU32 = AtomicU32::new(0);

/// Where records go that nobody reads. All threads write there, nobody looks.
struct UnreadRecords(UnsafeCell<[u64; CHUNK_WORDS]>);
// SAFETY: only ever written, by machine code.
unsafe impl Sync for UnreadRecords {}
static VOID: UnreadRecords = UnreadRecords(UnsafeCell::new([0; CHUNK_WORDS]));

/// Reserves the field that leads from a context to its thread.
///
/// # Safety
/// Once, before any thread starts.
pub unsafe fn init() {
    // SAFETY: as DynamoRIO documents.
    FIELD.store(unsafe { dr::drmgr_register_tls_field() }, Relaxed);
}

/// The thread of a context.
///
/// # Safety
/// Not while another reference to it is used.
pub unsafe fn current(context: DrContext) -> &'static mut Thread {
    // SAFETY: the field was set when the thread began.
    unsafe { &mut *dr::drmgr_get_tls_field(context, FIELD.load(Relaxed)).cast::<Thread>() }
}

impl Thread {
    /// The running thread begins, with its words at `slots`; from here on it is its context's [`current`], which
    /// owns it.
    ///
    /// # Safety
    /// Once in each thread, after [`init`].
    pub unsafe fn begin(context: DrContext, slots: *mut ThreadSlots) {
        let thread = Box::into_raw(Box::new(Self::new(context, slots)));
        // SAFETY: the field is this thread's own.
        unsafe { dr::drmgr_set_tls_field(context, FIELD.load(Relaxed), thread.cast()) };
    }

    fn new(context: DrContext, slots: *mut ThreadSlots) -> Self {
        ALIVE.fetch_add(1, Relaxed);
        let mut thread = Self {
            context,
            slots,
            chunk: NONE,
            sequence: 0,
            number: THREADS.fetch_add(1, Relaxed),
            tid: sys::thread(),
            announced: false,
            code: CodeBuffer::new(),
            arguments: [0; 6],
            changed: None,
            resumption: None,
        };
        thread.drop_chunk();
        thread
    }

    /// Begins anew as the only thread of a process that was just forked.
    pub fn forked(&mut self) {
        THREADS.store(1, Relaxed);
        ALIVE.store(1, Relaxed);
        self.sequence = 0;
        self.number = 0;
        self.tid = sys::thread();
        self.announced = false;
        self.drop_chunk();
    }

    fn slots(&mut self) -> &mut ThreadSlots {
        // SAFETY: the words of a thread live as long as its `Thread`, and only one of the two writes at a time:
        // generated code runs when no event does.
        unsafe { &mut *self.slots }
    }

    /// Goes without a chunk: the next record takes one.
    fn drop_chunk(&mut self) {
        self.chunk = NONE;
        let slots = self.slots();
        slots.next = VOID.0.get().cast();
        slots.limit = core::ptr::null_mut();
    }

    /// Gives the chunk to the reader, whatever it holds.
    pub fn hand_over(&mut self) {
        if self.chunk == NONE {
            return;
        }
        let (chunk, next) = (self.chunk, self.slots().next);
        // SAFETY: `next` lies in the chunk, below its margin, which is as large as a block.
        let words = unsafe {
            if *next != 0 {
                // A block that was left with its thread.
                next.write_bytes(0, MAX_BLOCK_WORDS);
            }
            next.offset_from(ring::words(chunk))
        };
        self.drop_chunk();
        ring::hand_over(chunk, words as u64);
    }

    /// Goes on with a new chunk. Waits while the reader is far behind: see [`ring::wait`] for what is returned.
    fn renew(&mut self) -> Option<sys::SignalSet> {
        self.hand_over();
        let blocked = ring::wait(self.context);
        let owner = Owner {
            kind: KIND_THREAD,
            process: process::number(),
            thread: self.number,
            pid: process::pid(),
            tid: self.tid,
        };
        let (first, stamp) = match ring::take(owner, self.sequence) {
            Some((chunk, stamp)) => {
                self.chunk = chunk;
                self.sequence += 1;
                (ring::words(chunk), stamp)
            }
            None => (VOID.0.get().cast(), 0),
        };
        let slots = self.slots();
        slots.next = first;
        // SAFETY: within the chunk.
        slots.limit = unsafe { first.add(CHUNK_WORDS - MARGIN_WORDS) };
        if self.chunk != NONE {
            self.append(&[head(STAMP, 0, 0) | stamp]);
            if !self.announced {
                self.announced = true;
                let (low, end) = self.stack();
                self.append(&[head(THREAD, self.tid, 0), narrow(low), narrow(end)]);
            }
        }
        blocked
    }

    /// Goes on with a new chunk, between two instructions of a block.
    pub fn renew_in_block(&mut self, enter: *mut u8) {
        let Some(blocked) = self.renew() else {
            return;
        };
        if self.resumption.is_none() {
            self.resumption = Resumption::new();
        }
        let rip = self.slots().back;
        let frame = self
            .resumption
            .as_mut()
            .and_then(|resumption| resumption.prepare(rip, blocked));
        match frame {
            Some(frame) => {
                let slots = self.slots();
                slots.save = frame as u64;
                slots.back = enter as u64;
            }
            None => sys::set_blocked_signals(blocked),
        }
    }

    /// Appends a record, in a new chunk if need be. Not within a block.
    pub fn put(&mut self, record: &[u64]) {
        let slots = self.slots();
        if slots.next >= slots.limit
            && let Some(blocked) = self.renew()
        {
            sys::set_blocked_signals(blocked);
        }
        self.append(record);
    }

    fn append(&mut self, record: &[u64]) {
        let slots = self.slots();
        // SAFETY: records begin below the limit, beyond which there is room for many.
        unsafe {
            slots
                .next
                .copy_from_nonoverlapping(record.as_ptr(), record.len());
            slots.next = slots.next.add(record.len());
        }
    }

    /// Appends a record with the present time.
    pub fn stamp(&mut self) {
        self.put(&[head(STAMP, 0, 0) | ring::now()]);
    }

    /// The last block was left at `pc`, with these registers, which tell what a repeated string instruction there has
    /// done.
    pub fn cut(&mut self, pc: u64, machine: &dr::MachineContext) {
        if self.chunk == NONE {
            return;
        }
        let next = self.slots().next;
        // SAFETY: `next` lies in the chunk.
        let first = unsafe { *next };
        if tag(first) == BLOCK {
            // Not yet complete, so `next` is still before it.
            let block = parascan_abi::trace::block_of(first);
            let shape = define::shape(block);
            if let Some(repeat) = shape.repeat_at(pc) {
                let counter = machine.rcx;
                let end = if repeat.by_rdi {
                    machine.rdi
                } else {
                    machine.rsi
                };
                // SAFETY: words of the block.
                unsafe {
                    *next.add(repeat.word as usize + 1) = counter;
                    *next.add(repeat.word as usize + 2) = end;
                }
            }
            // SAFETY: the block's words lie within the margin.
            self.slots().next = unsafe { next.add(shape.words as usize) };
        }
        self.append(&[head(parascan_abi::trace::CUT, 0, 0) | narrow(pc)]);
    }

    /// Where a word of the block under way is.
    pub fn word(&mut self, word: u16) -> *mut u64 {
        // SAFETY: within the margin.
        unsafe { self.slots().next.add(word.into()) }
    }

    /// Lowest possible address and end of the stack that the thread runs on.
    fn stack(&self) -> (u64, u64) {
        let mut machine = dr::MachineContext::new();
        // SAFETY: within an event or clean call.
        if !unsafe { dr::dr_get_mcontext(self.context, &raw mut machine) } {
            return (0, 0);
        }
        let mut low = core::ptr::null_mut();
        let (mut size, mut protection) = (0, 0);
        // SAFETY: only asks.
        let known = unsafe {
            dr::dr_query_memory(
                machine.rsp as dr::Pc,
                &raw mut low,
                &raw mut size,
                &raw mut protection,
            )
        };
        if !known {
            return (0, 0);
        }
        let (low, end) = (low as u64, low as u64 + size as u64);
        if self.number == 0 {
            // The first thread's stack grows.
            return (
                low.min(end.saturating_sub(sys::limit(sys::RLIMIT_STACK))),
                end,
            );
        }
        (low, end)
    }
}
