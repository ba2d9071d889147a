//! Puts events into batches: whose they are, blocks under the numbers that engines know.

use std::sync::Arc;

use parascan_ddg::event::{MemorySpan, ThreadId};
use parascan_ddg::program::{Block, BlockId, PlacedInstruction, RoutineId};

use crate::batch::{Batch, BatchItem, EventSource, Pool};

/// A system call as an event to come.
#[derive(Debug)]
pub struct PendingSystemCall {
    /// The call, as a block of its own.
    pub id: BlockId,
    /// What the kernel read for it.
    pub reads: Vec<MemorySpan>,
    /// What it wrote.
    pub writes: Vec<MemorySpan>,
}

/// Events on their way out.
#[derive(Debug)]
pub struct BatchWriter {
    /// The batch in the making.
    pub batch: Batch,
    /// Addresses of a block in the making: a list that is used again and again.
    pub addresses: Vec<u64>,
    pool: Pool,
    /// Whose events were last put into the batch.
    source: Option<EventSource>,
    /// Blocks that the engines know.
    blocks: u32,
}

impl BatchWriter {
    /// A writer that has put out no batch yet.
    pub fn new() -> Self {
        let pool = Pool::default();
        Self {
            batch: pool.batch(),
            addresses: Vec::new(),
            pool,
            source: None,
            blocks: 0,
        }
    }

    /// Takes what is there, for an empty batch.
    pub fn replace(&mut self) -> Batch {
        self.source = None;
        std::mem::replace(&mut self.batch, self.pool.batch())
    }

    /// Adds a block.
    pub fn define(
        &mut self,
        instructions: Vec<PlacedInstruction>,
        routine: RoutineId,
        entry: bool,
    ) -> BlockId {
        let id = BlockId(self.blocks);
        self.blocks += 1;
        let block = Block {
            instructions,
            routine,
            entry,
        };
        self.batch.blocks.push((id, Arc::new(block)));
        id
    }

    /// The following is of this thread.
    pub fn turn_to(&mut self, process: u32, thread: u32) {
        let source = EventSource {
            process,
            thread: ThreadId(thread),
        };
        if self.source != Some(source) {
            self.source = Some(source);
            self.batch.item(BatchItem::Source(source));
        }
    }

    /// Adds an event other than a block.
    pub fn item(&mut self, process: u32, thread: u32, item: BatchItem) {
        self.turn_to(process, thread);
        self.batch.item(item);
    }

    /// Adds a block.
    pub fn block(
        &mut self,
        (process, thread): (u32, u32),
        id: BlockId,
        executed: u32,
        addresses: &[u64],
    ) {
        self.turn_to(process, thread);
        self.batch.block(id, executed, addresses);
    }

    /// Adds a system call of which nothing more will be known.
    pub fn system_call(&mut self, process: u32, thread: u32, call: &PendingSystemCall) {
        if !(call.reads.is_empty() && call.writes.is_empty()) {
            let (reads, writes) = self.batch.spans(&call.reads, &call.writes);
            self.item(process, thread, BatchItem::Kernel { reads, writes });
        }
        self.block((process, thread), call.id, 1, &[]);
    }
}
