//! The trace of a running program: an event format of 64-bit words, and the shared memory through which it travels.
//!
//! Any front-end that can say which basic blocks were executed and which memory they touched can produce it.
//!
//! # Streams and chunks
//!
//! Every thread of every process writes a *stream* of records; every process writes one more stream, its *definitions*
//! (what blocks and modules are). A stream is cut into *chunks* of at most [`CHUNK_WORDS`] words, numbered from 0 by
//! [`Chunk::sequence`]. A record never crosses the end of a chunk. Processes are numbered in the order in which they
//! began to be traced ([`Ring::processes`]); one that executes another program goes on under a new number. Blocks are
//! numbered over all processes ([`Ring::blocks`]), so that a forked process may go on with its parent's.
//! A block's definition and the module it lies in are published before any chunk that contains the block becomes
//! [`READY`].
//!
//! # Records
//!
//! A record is a head and, for most, payload words. The top byte of a head is its tag, never 0; that of a payload word
//! is always 0 (but for the words of a block, whose number its definition tells), so that a reader can skip what it
//! does not know. A word that is 0 where a head should be ends the chunk: chunks are handed out filled with zeros, so
//! that what a killed process wrote can be read; the last block of its threads may not have been executed to its end.
//! A payload value that may be negative is kept in 56 bits ([`narrow`], [`widen`]). Bytes are packed seven to a word,
//! lowest first.
//!
//! | head | bits 0 to 31 | bits 32 to 55 | payload |
//! |---|---|---|---|
//! | [`BLOCK`] | bits 0 to 30: block, all others set | | the words of the block, as its definition says |
//! | [`CUT`] | bits 0 to 55: an address | | none |
//! | [`STAMP`] | bits 0 to 55: a time | | none |
//! | [`SYSCALL`] | number | `SYSCALL_*` | result |
//! | [`KERNEL`] | 0 | [`ACCESS_READ`] or [`ACCESS_WRITE`] | address, length in bytes |
//! | [`SIGNAL`] | number | | interrupted address, handler's address, lowest address and length of what the kernel wrote |
//! | [`SIGNAL_RETURN`] | 0 | | address at which the program goes on |
//! | [`THREAD`] | thread id | | lowest address and end of its stack as far as known, else 0, 0 |
//! | [`THREAD_EXIT`] | 0 | | none |
//! | [`LOST`] | 0 | | none |
//! | [`DEFINE`] | block | number of payload words | bytes, see below |
//! | [`MODULE`] | 0: loaded, 1: unloaded | number of payload words | first address, end, address its file asks for, then the bytes of its path (length in the first two) |
//! | [`PROCESS`] | process id | number of payload words | `BEGAN_*`, the parent's process id, then the bytes of the program's path (length in the first two) |
//! | [`PROCESS_EXIT`] | 0 | | none |
//!
//! **[`BLOCK`]**: all instructions of the block were executed, in order, unless the next record is a [`CUT`]: then only
//! those before the one at its address were (of a repeated string instruction at that address, the iterations that its
//! words tell if they are not all 0). A CUT is in the same chunk as its block.
//! How a conditional or indirect branch went is told by the stream's next block.
//!
//! **[`STAMP`]**: order between threads. Clocks of all processors agree (the time stamp counter). What follows a stamp
//! happened no earlier; there is one at the beginning of every chunk, after every system call that returns, and in the
//! words of blocks before every instruction that is atomic ([`SLOT_TIME`]). Threads that synchronize by plain loads and
//! stores alone are ordered no better than that.
//!
//! **[`SYSCALL`]**: follows the block that ends with the call, and is followed by the [`KERNEL`] records of the memory
//! that the kernel read and wrote for it.
//!
//! **[`DEFINE`]**: its bytes, little endian: address (8); instructions (2); words after [`BLOCK`] (2); then for each
//! instruction its length (1), its bytes, the number of its slots (1), and for each slot: kind (1: `SLOT_*`), access
//! (1: `ACCESS_*`), size in bytes of one access (2), count (1), word (2), displacement (8). Words are counted from the
//! block's head, which is word 0. The address of a slot is *word + displacement*, modulo 2^64; where the address is
//! constant, word is 0 and the displacement is the address less the head. Slots stand in this order: what the
//! instruction reads, then what it writes and does not read. An operand that is read and written is one slot.
//! `lea`, no-operations and prefetches have none.

use core::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};

/// Version of everything in this module.
pub const TRACE_VERSION: u32 = 1;

/// Size of a chunk in words of 8 bytes: what a thread writes before it hands over.
pub const CHUNK_WORDS: usize = 1 << 14;
/// Most words that one block takes, its head included.
pub const MAX_BLOCK_WORDS: usize = 2048;
/// Words at the end of a chunk that only the record begun before may use: one block, its CUT, and what else is written
/// without looking.
pub const MARGIN_WORDS: usize = MAX_BLOCK_WORDS + 64;
/// Chunks in a ring. The memory of those never used is never touched.
pub const MAX_CHUNKS: usize = 4096;
/// A thread that hands over a chunk waits while as many as this have not been read yet.
pub const MAX_READY: u32 = 64;

/// First word of a ring.
pub const RING_MAGIC: u64 = u64::from_le_bytes(*b"PSCNRING");

/// Offset of the [`Chunk`] table in the file.
pub const CHUNK_TABLE: usize = 4096;
/// Offset of the first chunk's words.
pub const DATA: usize = CHUNK_TABLE + MAX_CHUNKS * size_of::<Chunk>();
/// Size of the file, which is sparse.
pub const RING_BYTES: usize = DATA + MAX_CHUNKS * CHUNK_WORDS * 8;

/// First page of the shared file. Made by the reader before any writer starts.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Ring {
    /// [`RING_MAGIC`].
    pub magic: u64,
    /// [`TRACE_VERSION`].
    pub version: u32,
    /// Process that reads; when it is gone, writers stop recording.
    pub reader: u32,
    /// Set by the reader when it stops: writers drop what they record from then on.
    pub closed: AtomicU32,
    /// Processes that began.
    pub processes: AtomicU32,
    /// Blocks defined.
    pub blocks: AtomicU32,
    /// Chunks ever used: all others are free.
    pub used: AtomicU32,
    /// Chunks [`READY`].
    pub ready: AtomicU32,
    /// Threads that got no chunk, and so lost records.
    pub lost: AtomicU32,
    /// Counts up (futex) when a chunk becomes ready, if [`Ring::reader_waits`].
    pub filled: AtomicU32,
    /// 1 while the reader waits for [`Ring::filled`] to change.
    pub reader_waits: AtomicU32,
    /// Counts up (futex) when a chunk was read, if [`Ring::writers_wait`].
    pub emptied: AtomicU32,
    /// Writers waiting for [`Ring::emptied`] to change.
    pub writers_wait: AtomicU32,
    /// Set by a writer that ends its process because of an error of its own, which changed what the program does:
    /// [`FAILING`], then [`FAILED`].
    pub failed: AtomicU32,
    /// That error in words, up to the first zero byte.
    pub reason: [AtomicU8; REASON],
}

/// [`Ring::failed`]: a writer writes [`Ring::reason`].
pub const FAILING: u32 = 1;
/// [`Ring::failed`]: the reason is written.
pub const FAILED: u32 = 2;
/// Most bytes of [`Ring::reason`].
pub const REASON: usize = 1024;

const _: () = assert!(size_of::<Ring>() <= CHUNK_TABLE);

/// Nobody's; its words are all 0. A writer that takes it makes it [`TAKEN`].
pub const FREE: u32 = 0;
/// A writer is filling in the description.
pub const TAKEN: u32 = 1;
/// A writer appends records.
pub const FILLING: u32 = 2;
/// Complete; the reader may take it, fills it with zeros and makes it [`FREE`].
pub const READY: u32 = 3;

/// [`Chunk::kind`]: records of a thread.
pub const KIND_THREAD: u32 = 0;
/// [`Chunk::kind`]: definitions of a process. They may be read up to [`Chunk::words`] while the chunk is being filled.
pub const KIND_DEFINITIONS: u32 = 1;

/// The description of a chunk: whose records it holds, and how many words they take.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Chunk {
    /// [`FREE`], [`TAKEN`], [`FILLING`] or [`READY`].
    pub state: AtomicU32,
    /// What it holds: definitions of a process, or records of a thread; one of `KIND_*`.
    pub kind: AtomicU32,
    /// Number of the process in the trace.
    pub process: AtomicU32,
    /// Number of the thread in its process; 0 for definitions.
    pub thread: AtomicU32,
    /// Process id in the system.
    pub pid: AtomicU32,
    /// Thread id in the system.
    pub tid: AtomicU32,
    /// Place in the stream.
    pub sequence: AtomicU64,
    /// Time at which the chunk was begun; 0 before it is known.
    pub stamp: AtomicU64,
    /// Words written: of a [`READY`] chunk, and of definitions at any time.
    pub words: AtomicU64,
}

/// Tag: a basic block was executed. All bits above the block's number are set, so that the head is a sign-extended
/// 32-bit number.
pub const BLOCK: u8 = 0xff;
/// Tag: the block just recorded was left early.
pub const CUT: u8 = 1;
/// Tag: a time.
pub const STAMP: u8 = 2;
/// Tag: a system call.
pub const SYSCALL: u8 = 3;
/// Tag: memory accessed by the kernel.
pub const KERNEL: u8 = 4;
/// Tag: a signal handler begins.
pub const SIGNAL: u8 = 5;
/// Tag: a signal handler ended.
pub const SIGNAL_RETURN: u8 = 6;
/// Tag: a thread began.
pub const THREAD: u8 = 7;
/// Tag: a thread ended.
pub const THREAD_EXIT: u8 = 8;
/// Tag: records of this thread are missing here.
pub const LOST: u8 = 9;
/// Tag: what a block is.
pub const DEFINE: u8 = 10;
/// Tag: a module was mapped or unmapped.
pub const MODULE: u8 = 11;
/// Tag: a process began.
pub const PROCESS: u8 = 12;
/// Tag: a process ended in an orderly way.
pub const PROCESS_EXIT: u8 = 13;

/// In a [`SYSCALL`]: the call does not return, and its payload is its first argument.
pub const SYSCALL_NO_RETURN: u64 = 1;
/// In a [`SYSCALL`]: what memory the kernel accessed is not known.
pub const SYSCALL_UNKNOWN: u64 = 2;

/// Memory is read.
pub const ACCESS_READ: u8 = 1;
/// Memory is written.
pub const ACCESS_WRITE: u8 = 2;

/// In a [`PROCESS`]: a program was executed.
pub const BEGAN_EXEC: u64 = 0;
/// In a [`PROCESS`]: forked from the parent.
pub const BEGAN_FORK: u64 = 1;

/// A memory operand: its address.
pub const SLOT_MEMORY: u8 = 0;
/// A gather or scatter: `count` words, the address of each element or 0 where the element is masked out.
pub const SLOT_LANES: u8 = 1;
/// A masked memory operand of `count` elements: its address, then a word with a bit for each element accessed. A
/// compressing store or expanding load of n elements accesses the first n.
pub const SLOT_MASKED: u8 = 2;
/// A repeated string instruction: its count register before it, its count register after it, its address register after
/// it. Its other slots have their addresses of the first iteration and the size of one. The address register is that of
/// the last of these.
pub const SLOT_REPEAT: u8 = 3;
/// Not memory: the time before the instruction, which is atomic, in the low [`PAYLOAD_BITS`] bits.
pub const SLOT_TIME: u8 = 4;

/// Bits of a payload value.
pub const PAYLOAD_BITS: u32 = 56;

/// The word that begins a record: its tag, 32 bits of one value and 24 of another, whose upper bits are dropped.
pub const fn head(tag: u8, low: u32, high: u64) -> u64 {
    ((tag as u64) << PAYLOAD_BITS) | ((high & 0xff_ffff) << 32) | low as u64
}

/// The word that begins the record of an executed block, by the number that the block was defined with.
pub const fn block_head(block: u32) -> u64 {
    (block | 1 << 31) as i32 as i64 as u64
}

/// The block of a head with tag [`BLOCK`].
pub const fn block_of(head: u64) -> u32 {
    head as u32 & !(1 << 31)
}

/// A value as a payload word.
pub const fn narrow(value: u64) -> u64 {
    value & ((1 << PAYLOAD_BITS) - 1)
}

/// The value of a payload word that may be negative.
pub const fn widen(word: u64) -> u64 {
    (((word << 8) as i64) >> 8) as u64
}

/// The tag in a record's first word, which says what the record is.
pub const fn tag(head: u64) -> u8 {
    (head >> PAYLOAD_BITS) as u8
}

/// Words that so many packed bytes take.
pub const fn packed_words(bytes: usize) -> usize {
    bytes.div_ceil(7)
}

/// Packs bytes seven to a word.
pub fn pack(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    bytes.chunks(7).map(|part| {
        part.iter()
            .rev()
            .fold(0, |word, &byte| word << 8 | u64::from(byte))
    })
}

/// The bytes of packed words, with up to six zeros after the end.
pub fn unpack(words: &[u64]) -> impl Iterator<Item = u8> + '_ {
    words
        .iter()
        .flat_map(|word| (0..7).map(move |place| (word >> (8 * place)) as u8))
}
