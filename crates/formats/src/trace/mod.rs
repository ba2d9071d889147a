//! Traces of running programs: records out of words, and saved traces.
//!
//! The words and their meaning are those of [`parascan_abi::trace`]. [`Definitions`] collects what blocks and modules
//! are, [`Records`] turns the words of a chunk into [`TraceRecord`]s, [`file`] keeps chunks in a file, [`write`] makes
//! words from nothing, for tests and other front-ends.

mod block;
mod definitions;
pub mod file;
mod records;
pub mod write;

pub use block::{Instruction, MemoryAccess, Repeat, Slot, SlotKind, TraceBlock};
pub use definitions::{Definitions, MappedModule, Process};
pub use records::{Records, TraceRecord};

use std::sync::atomic::Ordering::Relaxed;

use parascan_abi::trace::{Chunk, KIND_DEFINITIONS};

/// What a chunk holds: a stretch of one stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkInfo {
    /// Definitions of a process, else records of a thread.
    pub definitions: bool,
    /// Number of the process in the trace.
    pub process: u32,
    /// Number of the thread in its process.
    pub thread: u32,
    /// Process id in the system.
    pub pid: u32,
    /// Thread id in the system.
    pub tid: u32,
    /// Place in the stream, from 0.
    pub sequence: u64,
    /// Time at which the chunk was begun.
    pub stamp: u64,
    /// Nothing that comes in a later chunk of a thread of this process happened before this time: up to here, its
    /// threads can be merged.
    pub horizon: u64,
}

impl From<&Chunk> for ChunkInfo {
    /// What the table of a live trace says of a chunk now. Its horizon is not in there, and stays 0.
    fn from(chunk: &Chunk) -> Self {
        Self {
            definitions: chunk.kind.load(Relaxed) == KIND_DEFINITIONS,
            process: chunk.process.load(Relaxed),
            thread: chunk.thread.load(Relaxed),
            pid: chunk.pid.load(Relaxed),
            tid: chunk.tid.load(Relaxed),
            sequence: chunk.sequence.load(Relaxed),
            stamp: chunk.stamp.load(Relaxed),
            horizon: 0,
        }
    }
}
