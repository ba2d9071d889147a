//! A piece of a program's stream on its way to the engines: blocks defined, and events of all threads in one order.

use parascan_ddg::event::{Event, Span, ThreadId};
use parascan_ddg::program::{Block, BlockId};

/// Whose events follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Source {
    /// Number of the process in the trace.
    pub process: u32,
    /// Thread of the process.
    pub thread: ThreadId,
}

/// An [`Event`] whose lists lie in the batch, one behind the other.
#[derive(Clone, Copy, Debug)]
pub enum Item {
    /// The following are of this thread.
    Source(Source),
    /// [`Event::Block`] with so many addresses.
    Block {
        id: BlockId,
        executed: u32,
        addresses: u32,
    },
    /// [`Event::Repeat`] with so many addresses.
    Repeat {
        instruction: u32,
        iterations: u64,
        addresses: u32,
        step: i64,
    },
    /// [`Event::Operands`] with so many spans.
    Operands {
        instruction: u32,
        reads: u32,
        writes: u32,
    },
    /// [`Event::Kernel`] with so many spans.
    Kernel { reads: u32, writes: u32 },
    /// [`Event::Stack`].
    Stack(Span),
    /// [`Event::Interrupted`].
    Interrupted,
    /// [`Event::End`].
    End,
}

/// A piece of the stream.
#[derive(Debug, Default)]
pub struct Batch {
    /// Blocks that its events are the first to need.
    pub blocks: Vec<(BlockId, Block)>,
    /// Its events.
    pub items: Vec<Item>,
    /// Their addresses.
    pub addresses: Vec<u64>,
    /// Their spans; of each event those read, then those written.
    pub spans: Vec<Span>,
}

/// Items in a batch that is sent.
pub const ITEMS: usize = 1 << 15;

impl Batch {
    /// An empty one with room.
    pub fn new() -> Self {
        Self {
            items: Vec::with_capacity(ITEMS + 64),
            addresses: Vec::with_capacity(ITEMS),
            ..Self::default()
        }
    }

    /// Adds spans, first those read.
    pub fn spans(&mut self, reads: &[Span], writes: &[Span]) -> (u32, u32) {
        self.spans.extend_from_slice(reads);
        self.spans.extend_from_slice(writes);
        (reads.len() as u32, writes.len() as u32)
    }

    /// Gives all events to a consumer until it fails.
    pub fn replay<E>(
        &self,
        mut consumer: impl FnMut(Source, Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut addresses = &self.addresses[..];
        let mut spans = &self.spans[..];
        let mut next_addresses = |count: u32| {
            let (now, later) = addresses.split_at(count as usize);
            addresses = later;
            now
        };
        let mut next_spans = |count: u32| {
            let (now, later) = spans.split_at(count as usize);
            spans = later;
            now
        };
        let mut source = Source {
            process: 0,
            thread: ThreadId(0),
        };
        for item in &self.items {
            let event = match *item {
                Item::Source(now) => {
                    source = now;
                    continue;
                }
                Item::Block {
                    id,
                    executed,
                    addresses,
                } => Event::Block {
                    id,
                    executed,
                    addresses: next_addresses(addresses),
                },
                Item::Repeat {
                    instruction,
                    iterations,
                    addresses,
                    step,
                } => Event::Repeat {
                    instruction,
                    iterations,
                    addresses: next_addresses(addresses),
                    step,
                },
                Item::Operands {
                    instruction,
                    reads,
                    writes,
                } => Event::Operands {
                    instruction,
                    reads: next_spans(reads),
                    writes: next_spans(writes),
                },
                Item::Kernel { reads, writes } => Event::Kernel {
                    reads: next_spans(reads),
                    writes: next_spans(writes),
                },
                Item::Stack(bounds) => Event::Stack { bounds },
                Item::Interrupted => Event::Interrupted,
                Item::End => Event::End,
            };
            consumer(source, event)?;
        }
        Ok(())
    }
}
